#include "pictures.h"

static struct sl_mix_plan make_plan(const struct sl_dataset *set,
                                    const struct sl_mix_plan_options *options)
{
    struct sl_error err;
    struct sl_mix_plan plan;
    assert_ok(sl_mix_plan_create(set, options, &plan, &err), err);
    return plan;
}

static void rename_class(struct sl_dataset *set, size_t k, const char *name)
{
    free(set->classes[k]);
    set->classes[k] = sl_string_copy(name);
}

static void rename_item(struct sl_dataset *set, size_t i, const char *name)
{
    free(set->items[i]);
    set->items[i] = sl_string_copy(name);
}

static void test_pixels_are_rounded_to_the_nearest(void **state)
{
    (void)state;
    const uint8_t a[] = {0, 255, 10, 100, 255, 7}, b[] = {255, 0, 11, 101, 255, 200};
    uint8_t out[6];
    sl_mix_pixels(a, b, 0.5, 6, out);
    assert_memory_equal(out, ((uint8_t[]){128, 128, 11, 101, 255, 104}), 6);
    sl_mix_pixels(a, b, 0.1, 6, out); /* 229.5 25.5 10.9 100.9 255 180.7 */
    assert_memory_equal(out, ((uint8_t[]){230, 26, 11, 101, 255, 181}), 6);
    sl_mix_pixels(a, b, 1, 6, out);
    assert_memory_equal(out, a, 6);
    sl_mix_pixels(a, b, 0, 6, out);
    assert_memory_equal(out, b, 6);
}

/* The thesis: 45 class pairs, 6 image pairs each, at .5, .1 or .25, and .75 or .9. */
static void test_the_thesis_design_has_810_images(void **state)
{
    (void)state;
    struct sl_dataset *set = test_pictures(70, 10, 2, 2);
    const struct sl_mix_plan_options options = {.pairs_per_class_pair = 6, .seed = 3};
    struct sl_mix_plan plan = make_plan(set, &options);
    assert_int_equal(plan.count, 810);
    static const double lambdas[] = {0.1, 0.25, 0.5, 0.75, 0.9};
    size_t by_lambda[5] = {0}, by_classes[10][10] = {{0}}, by_pair[70][70] = {{0}};
    for (size_t i = 0; i < plan.count; i++) {
        const struct sl_mix_item *item = &plan.items[i];
        size_t l = 0;
        while (lambdas[l] != item->lambda)
            l++;
        by_lambda[l]++;
        by_classes[set->labels[item->a]][set->labels[item->b]]++;
        by_pair[item->a][item->b]++;
    }
    assert_int_equal(by_lambda[2], 270);
    assert_int_equal(by_lambda[0] + by_lambda[1], 270);
    assert_int_equal(by_lambda[3] + by_lambda[4], 270);
    assert_in_range(by_lambda[0], 95, 175); /* 135, standard deviation 8.2 */
    assert_in_range(by_lambda[3], 95, 175);
    for (size_t a = 0; a < 10; a++)
        for (size_t b = 0; b < 10; b++)
            assert_int_equal(by_classes[a][b], a < b ? 18 : 0);
    for (size_t a = 0; a < 70; a++)
        for (size_t b = 0; b < 70; b++)
            assert_true(by_pair[a][b] == 0 || by_pair[a][b] == 3);
    sl_mix_plan_release(&plan);
    sl_dataset_destroy(set);
}

static void test_names_follow_the_published_pattern(void **state)
{
    (void)state;
    struct sl_dataset *set = test_pictures(2, 2, 2, 2);
    static const double lambdas[] = {0.25, 1, 0.1 + 0.2};
    const struct sl_mix_plan_options options = {
        .pairs_per_class_pair = 1, .lambdas = lambdas, .n_lambdas = 3};
    rename_class(set, 0, "airplane");
    rename_class(set, 1, "Fire_truck / red");
    rename_item(set, 1, "img-7.b");
    struct sl_mix_plan plan = make_plan(set, &options);
    assert_int_equal(plan.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const char *expected =
            plan.items[i].lambda == 0.25 ? "mixed_0.25_Airplane_0_Fire-truck---red_img-7.b.png"
            : plan.items[i].lambda == 1  ? "mixed_1.0_Airplane_0_Fire-truck---red_img-7.b.png"
                                         : "mixed_0.30000000000000004_Airplane_0_"
                                           "Fire-truck---red_img-7.b.png";
        assert_string_equal(plan.items[i].file, expected);
    }
    sl_mix_plan_release(&plan);
    sl_dataset_destroy(set);
}

static void test_an_id_unfit_for_a_name_is_replaced_by_its_place(void **state)
{
    (void)state;
    struct sl_dataset *set = test_pictures(2, 2, 2, 2);
    static const double half = 0.5;
    const struct sl_mix_plan_options options = {.count = 1, .lambdas = &half, .n_lambdas = 1};
    rename_item(set, 1, "../x_y");
    struct sl_mix_plan plan = make_plan(set, &options);
    assert_string_equal(plan.items[0].file, "mixed_0.5_Class0_0_Class1_1.png");
    sl_mix_plan_release(&plan);
    sl_dataset_destroy(set);
}

static void test_a_total_is_dealt_over_class_pairs_in_turn(void **state)
{
    (void)state;
    struct sl_dataset *set = test_pictures(60, 4, 2, 2);
    static const double lambdas[] = {0.25, 0.5, 0.75};
    const struct sl_mix_plan_options options = {.count = 100, .lambdas = lambdas, .n_lambdas = 3};
    struct sl_mix_plan plan = make_plan(set, &options);
    assert_int_equal(plan.count, 100);
    size_t counts[4][4] = {{0}}, of_lambda[3] = {0};
    for (size_t i = 0; i < plan.count; i++) {
        counts[set->labels[plan.items[i].a]][set->labels[plan.items[i].b]]++;
        of_lambda[(size_t)(plan.items[i].lambda * 4) - 1]++;
    }
    for (size_t a = 0; a < 4; a++) /* 100 over 6 class pairs: 16 or 17 each */
        for (size_t b = a + 1; b < 4; b++)
            assert_in_range(counts[a][b], 16, 17);
    for (size_t l = 0; l < 3; l++) /* a third of 100, within 3 standard deviations */
        assert_in_range(of_lambda[l], 19, 48);
    sl_mix_plan_release(&plan);
    sl_dataset_destroy(set);
}

static void test_items_without_a_label_are_left_out(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_mix_plan plan = {0};
    struct sl_dataset *set = test_pictures(12, 3, 2, 2);
    const struct sl_mix_plan_options options = {.pairs_per_class_pair = 2};
    for (size_t i = 0; i < 12; i++)
        if (set->labels[i] == 1) set->labels[i] = SL_NO_LABEL;
    plan = make_plan(set, &options);
    assert_int_equal(plan.count, 6);
    for (size_t i = 0; i < plan.count; i++) {
        assert_int_equal(set->labels[plan.items[i].a], 0);
        assert_int_equal(set->labels[plan.items[i].b], 2);
    }
    sl_mix_plan_release(&plan);
    for (size_t i = 0; i < 12; i++)
        set->labels[i] = 2;
    assert_fails(sl_mix_plan_create(set, &options, &plan, &err), SL_ERR_INPUT, err, "two classes");
    sl_dataset_destroy(set);
}

static void test_what_cannot_be_mixed_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_mix_plan plan;
    struct sl_dataset *set = test_pictures(4, 2, 2, 2);
    static const double twice[] = {0.5, 0.5}, outside[] = {1.5};
    const struct sl_mix_plan_options none = {0}, many = {.pairs_per_class_pair = 5},
                                     doubled = {.count = 1, .lambdas = twice, .n_lambdas = 2},
                                     large = {.count = 1, .lambdas = outside, .n_lambdas = 1};
    assert_fails(sl_mix_plan_create(set, &none, &plan, &err), SL_ERR_USAGE, err, "got 0");
    assert_fails(sl_mix_plan_create(set, &many, &plan, &err), SL_ERR_INPUT, err,
                 "class0 and class1 make 4 pairs of images, but 5 are wanted");
    assert_fails(sl_mix_plan_create(set, &doubled, &plan, &err), SL_ERR_USAGE, err, "twice");
    assert_fails(sl_mix_plan_create(set, &large, &plan, &err), SL_ERR_USAGE, err, "got 1.5");
    char *texts[4] = {NULL};
    set->texts = texts;
    assert_fails(sl_mix_plan_create(set, &many, &plan, &err), SL_ERR_USAGE, err, "texts");
    set->texts = NULL;
    sl_dataset_destroy(set);
}

static void check_batch_entry(const struct sl_dataset *set, const struct sl_mix_item *item,
                              json_t *entry)
{
    assert_string_equal(json_string_value(json_object_get(entry, "filename")), item->file);
    assert_near(json_real_value(json_object_get(entry, "mixtureCoeff")), item->lambda, 0);
    assert_string_equal(json_string_value(json_object_get(entry, "label1")),
                        set->classes[set->labels[item->a]]);
    assert_string_equal(json_string_value(json_object_get(entry, "label2")),
                        set->classes[set->labels[item->b]]);
    assert_string_equal(json_string_value(json_object_get(entry, "id1")), set->items[item->a]);
    assert_string_equal(json_string_value(json_object_get(entry, "id2")), set->items[item->b]);
}

static void test_images_and_batches_are_written(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_dataset *set = test_pictures(12, 3, 2, 5);
    const struct sl_mix_plan_options options = {.pairs_per_class_pair = 2};
    struct sl_mix_plan plan = make_plan(set, &options);
    char *folder = sl_string_copy(test_path("mixed/images"));
    assert_int_equal(plan.count, 18);
    assert_ok(sl_mix_write(set, &plan, 7, folder, NULL, &err), err);
    struct sl_json json;
    assert_ok(sl_json_read(test_path("mixed/images/batches.json"), 1 << 20, &json, &err), err);
    assert_int_equal(json_object_size(json.root), 3); /* 7, 7 and 4 */
    for (size_t i = 0; i < plan.count; i++) {
        const struct sl_mix_item *item = &plan.items[i];
        char key[24];
        snprintf(key, sizeof key, "%zu", i / 7);
        check_batch_entry(set, item, json_array_get(json_object_get(json.root, key), i % 7));
        struct sl_image image;
        char *path = sl_path_join(folder, item->file);
        assert_ok(sl_image_read(path, &image, &err), err);
        assert_int_equal(image.width, 5);
        assert_int_equal(image.height, 2);
        double value =
            item->lambda * 3 * (double)item->a + (1 - item->lambda) * 3 * (double)item->b;
        assert_near(image.pixels[0], value, 0.5001);
        sl_image_release(&image);
        free(path);
    }
    assert_fails(sl_mix_write(set, &plan, 0, folder, NULL, &err), SL_ERR_USAGE, err, "batch size");
    sl_json_release(&json);
    sl_mix_plan_release(&plan);
    sl_dataset_destroy(set);
    free(folder);
}

/* Same pattern as the published names: split at '_' into six, lambda as it reads. */
static void test_published_names_would_be_written_alike(void **state)
{
    (void)state;
    const char *path = test_data("hmix/thesis_810_filenames.txt");
    if (!path) skip();
    struct sl_error err;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    assert_ok(sl_file_read(path, &text, &err), err);
    struct sl_dataset *set = test_pictures(2, 2, 1, 1);
    size_t names = 0;
    for (char *line = text.data; *line; names++) {
        char *end = line + strcspn(line, "\n"), lambda[16], a[32], id_a[16], b[32], id_b[16];
        bool more = *end == '\n';
        *end = '\0';
        assert_int_equal(sscanf(line,
                                "mixed_%15[0-9.]_%31[A-Za-z]_%15[0-9]_%31[A-Za-z]_%15[0-9].png",
                                lambda, a, id_a, b, id_b),
                         5);
        double value = strtod(lambda, NULL);
        const struct sl_mix_plan_options options = {.count = 1, .lambdas = &value, .n_lambdas = 1};
        a[0] = (char)(a[0] + 32); /* our class names are in small letters */
        b[0] = (char)(b[0] + 32);
        rename_class(set, 0, a);
        rename_class(set, 1, b);
        rename_item(set, 0, id_a);
        rename_item(set, 1, id_b);
        struct sl_mix_plan plan = make_plan(set, &options);
        assert_string_equal(plan.items[0].file, line);
        sl_mix_plan_release(&plan);
        line = more ? end + 1 : end;
    }
    assert_int_equal(names, 810);
    sl_dataset_destroy(set);
    sl_buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pixels_are_rounded_to_the_nearest),
        cmocka_unit_test(test_the_thesis_design_has_810_images),
        cmocka_unit_test(test_names_follow_the_published_pattern),
        cmocka_unit_test(test_an_id_unfit_for_a_name_is_replaced_by_its_place),
        cmocka_unit_test(test_a_total_is_dealt_over_class_pairs_in_turn),
        cmocka_unit_test(test_items_without_a_label_are_left_out),
        cmocka_unit_test(test_what_cannot_be_mixed_is_refused),
        cmocka_unit_test(test_images_and_batches_are_written),
        cmocka_unit_test(test_published_names_would_be_written_alike),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
