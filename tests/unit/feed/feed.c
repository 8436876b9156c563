#include "softlab/feed.h"

#include "pictures.h"

/* Images whose pixels all differ. */
static struct sl_dataset *make_pictures(size_t count, size_t side)
{
    struct sl_dataset *set = test_pictures(count, 2, side, side);
    for (size_t i = 0; i < count * side * side * 3; i++)
        set->pixels[i] = (uint8_t)(i * 37 + i / 256);
    return set;
}

static void test_images_become_planes_from_0_to_1(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_dataset *set = make_pictures(3, 2);
    struct sl_feed *feed = NULL;
    assert_ok(sl_feed_images(set, &feed, &err), err);
    assert_int_equal(sl_feed_count(feed), 3);
    const struct sl_input_shape shape = sl_feed_shape(feed);
    assert_int_equal(shape.channels, 3);
    assert_int_equal(shape.height * shape.width, 4);
    struct sl_feed_batch batch = {0};
    assert_ok(sl_feed_batch_create(feed, 2, NULL, &batch, &err), err);
    sl_feed_fill(&(struct sl_feed_items){
        .feed = feed, .items = (size_t[]){2, 0}, .count = 2, .batch = &batch});
    for (size_t place = 0; place < 2; place++)
        for (size_t c = 0; c < 3; c++)
            for (size_t p = 0; p < 4; p++)
                assert_near(batch.view.pixels[place * 12 + c * 4 + p],
                            set->pixels[(place == 0 ? 24 : (size_t)0) + p * 3 + c] / 255.0, 1e-7);
    sl_feed_batch_release(&batch);
    sl_feed_destroy(feed);
    sl_dataset_destroy(set);
}

static void test_augmentation_depends_on_epoch_and_item_alone(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_dataset *set = make_pictures(4, 8);
    struct sl_feed *feed = NULL;
    assert_ok(sl_feed_images(set, &feed, &err), err);
    struct sl_feed_batch one = {0}, other = {0};
    assert_ok(sl_feed_batch_create(feed, 3, NULL, &one, &err), err);
    assert_ok(sl_feed_batch_create(feed, 3, NULL, &other, &err), err);
    const struct sl_augment augment = {.crop_padding = 2, .flip = true, .seed = 5};
    const size_t image = one.pixels_per_item * sizeof *one.pixels;
    sl_feed_fill(&(struct sl_feed_items){.feed = feed,
                                         .items = (size_t[]){1, 2, 3},
                                         .count = 3,
                                         .augment = &augment,
                                         .epoch = 7,
                                         .batch = &one});
    sl_feed_fill(&(struct sl_feed_items){.feed = feed,
                                         .items = (size_t[]){3, 0, 1},
                                         .count = 3,
                                         .augment = &augment,
                                         .epoch = 7,
                                         .batch = &other});
    assert_memory_equal(one.pixels, other.pixels + 2 * one.pixels_per_item, image);
    assert_memory_equal(one.pixels + 2 * one.pixels_per_item, other.pixels, image);
    sl_feed_fill(&(struct sl_feed_items){.feed = feed,
                                         .items = (size_t[]){1, 2, 3},
                                         .count = 3,
                                         .augment = &augment,
                                         .epoch = 8,
                                         .batch = &other});
    assert_memory_not_equal(one.pixels, other.pixels, 3 * image);
    sl_feed_batch_release(&one);
    sl_feed_batch_release(&other);
    sl_feed_destroy(feed);
    sl_dataset_destroy(set);
}

static void test_features_are_handed_on_as_they_are(void **state)
{
    (void)state;
    struct sl_error err;
    const float values[] = {1, 2, 3, -4, 5e9F, 6};
    struct sl_feed *feed = NULL;
    assert_ok(sl_feed_features(values, 3, 2, &feed, &err), err);
    struct sl_feed_batch batch = {0};
    assert_ok(sl_feed_batch_create(feed, 2, NULL, &batch, &err), err);
    sl_feed_fill(&(struct sl_feed_items){
        .feed = feed, .items = (size_t[]){2, 1}, .count = 2, .batch = &batch});
    assert_memory_equal(batch.view.pixels, values + 4, 2 * sizeof *values);
    assert_memory_equal(batch.view.pixels + 2, values + 2, 2 * sizeof *values);
    sl_feed_batch_release(&batch);
    sl_feed_destroy(feed);
    assert_fails(sl_feed_features(values, 3, 0, &feed, &err), SL_ERR_INPUT, err, "no features");
}

/* Logits may not depend on where batches begin, nor on the items that share one. */
static void test_predictions_do_not_depend_on_the_batch(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_dataset *set = make_pictures(7, 8);
    struct sl_feed *feed = NULL;
    assert_ok(sl_feed_images(set, &feed, &err), err);
    struct sl_model_options options = sl_model_options_default();
    options.network = "resnet:n=1";
    options.classes = 3;
    options.input = sl_feed_shape(feed);
    struct sl_model *model = NULL;
    assert_ok(sl_model_create(&options, &model, &err), err);
    float whole[21], parts[21], chosen[6];
    for (size_t b = 1; b <= 4; b += 3) {
        struct sl_predictor *predictor = NULL;
        assert_ok(sl_predictor_create(model, feed, b, NULL, NULL, &predictor, &err), err);
        assert_ok(sl_predict(predictor, feed, NULL, 7, NULL, b == 1 ? whole : parts, &err), err);
        assert_ok(sl_predict(predictor, feed, (size_t[]){6, 2}, 2, NULL, chosen, &err), err);
        sl_predictor_destroy(predictor);
    }
    for (size_t i = 0; i < 21; i++)
        assert_near(parts[i], whole[i], 1e-5);
    for (size_t k = 0; k < 3; k++) {
        assert_near(chosen[k], whole[18 + k], 1e-5);
        assert_near(chosen[3 + k], whole[6 + k], 1e-5);
    }
    sl_model_destroy(model);
    sl_feed_destroy(feed);
    sl_dataset_destroy(set);
}

static void test_images_on_disk_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_dataset set = {.name = (char[]){"photos"}};
    struct sl_feed *feed = NULL;
    assert_fails(sl_feed_images(&set, &feed, &err), SL_ERR_INPUT, err, "photos: the images");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images_become_planes_from_0_to_1),
        cmocka_unit_test(test_augmentation_depends_on_epoch_and_item_alone),
        cmocka_unit_test(test_features_are_handed_on_as_they_are),
        cmocka_unit_test(test_predictions_do_not_depend_on_the_batch),
        cmocka_unit_test(test_images_on_disk_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
