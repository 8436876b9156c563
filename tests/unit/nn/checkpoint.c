#include "nn/files/weights.h"
#include "nn_sample_graph.h"
#include "softlab/nn/weights.h"
#include "support.h"

static const char progress[] = "{\"epoch\":3,\"step\":117,\"seed\":\"18446744073709551615\"}";

/* A training run: a model and two buffers of the same size. */
struct training {
    struct sl_model *model;
    float *first, *second; /* owned; n_values each */
    struct sl_checkpoint_buffer buffers[2];
};

static struct training training_of(struct sl_model *model, float begin)
{
    struct training training = {.model = model};
    training.first = sl_alloc(model->n_values, sizeof(float));
    training.second = sl_alloc(model->n_values, sizeof(float));
    for (size_t i = 0; i < model->n_values; i++) {
        training.first[i] = begin + (float)i / 3;
        training.second[i] = -begin / (float)(i + 1);
    }
    training.buffers[0] =
        (struct sl_checkpoint_buffer){"velocity", training.first, model->n_values};
    training.buffers[1] = (struct sl_checkpoint_buffer){"moment", training.second, model->n_values};
    return training;
}

static void training_release(struct training *training)
{
    sl_model_destroy(training->model);
    free(training->first);
    free(training->second);
}

static void assert_same(const struct training *a, const struct training *b)
{
    const struct sl_model *left = a->model, *right = b->model;
    const size_t size = left->n_values * sizeof(float);
    assert_int_equal(left->n_values, right->n_values);
    assert_memory_equal(left->values, right->values, size);
    assert_memory_equal(left->state, right->state, left->n_state * sizeof(float));
    assert_memory_equal(a->first, b->first, size);
    assert_memory_equal(a->second, b->second, size);
}

static enum sl_status write_training(const char *path, struct training *training,
                                     struct sl_error *err)
{
    return sl_checkpoint_write(path, training->model, training->buffers, 2, progress, err);
}

static void test_a_checkpoint_comes_back_to_the_bit(void **state)
{
    (void)state;
    struct sl_model *(*const make[])(uint64_t) = {sample_image_model, sample_feature_model};
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        struct training was = training_of(make[i](1), 1), now = training_of(make[i](2), 2);
        const char *path = test_path("checkpoint");
        char *text = NULL;
        struct sl_error err;
        sample_running_statistics(was.model, 3);
        was.first[0] = NAN; /* a run that has diverged is saved and resumed like any other */
        was.first[1] = -0.0F;
        const uint64_t version = now.model->version;
        assert_ok(write_training(path, &was, &err), err);
        /* Buffers are matched by name, so their order does not matter. */
        const struct sl_checkpoint_buffer swapped[] = {now.buffers[1], now.buffers[0]};
        assert_ok(sl_checkpoint_read(path, now.model, swapped, 2, &text, &err), err);
        assert_same(&was, &now);
        assert_string_equal(text, progress);
        assert_true(now.model->version > version);
        free(text);
        training_release(&was);
        training_release(&now);
    }
}

/* A checkpoint in memory, and the training run that reads it. */
struct scene {
    struct training was, now, same;
    struct sl_buffer file;
};

static struct scene scene_make(struct sl_model *(*make)(uint64_t))
{
    struct scene scene = {.was = training_of(make(1), 1),
                          .now = training_of(make(2), 2),
                          .same = training_of(make(2), 2)};
    const char *path = test_path("whole");
    struct sl_error err;
    assert_ok(sl_model_set_class_names(scene.was.model, sample_class_names, &err), err);
    assert_ok(write_training(path, &scene.was, &err), err);
    sl_buffer_init(&scene.file, 1 << 24);
    assert_ok(sl_file_read(path, &scene.file, &err), err);
    return scene;
}

static void scene_release(struct scene *scene)
{
    training_release(&scene->was);
    training_release(&scene->now);
    training_release(&scene->same);
    sl_buffer_release(&scene->file);
}

/* Thousands of these calls must be quick. So there is no fsync as in sl_file_write. The file is new
 * each time, because some file systems wait for the disk when a file is truncated. */
static void put(const char *path, const char *bytes, size_t length)
{
    remove(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void assert_refused(struct scene *scene, size_t length)
{
    const char *path = test_path("broken");
    struct sl_error err = {0};
    char *text = NULL;
    put(path, scene->file.data, length);
    assert_fails(sl_checkpoint_read(path, scene->now.model, scene->now.buffers, 2, &text, &err),
                 SL_ERR_INPUT, err, "broken");
    assert_null(text);
}

static void test_a_torn_checkpoint_is_refused_wherever_it_ends(void **state)
{
    (void)state;
    struct scene scene = scene_make(sample_image_model);
    assert_true(scene.file.length > 20 * 1024);
    for (size_t length = 0; length < scene.file.length; length += 1024)
        assert_refused(&scene, length);
    assert_refused(&scene, scene.file.length - 1);
    assert_same(&scene.now, &scene.same);
    scene_release(&scene);
}

static void test_no_flipped_bit_is_overlooked(void **state)
{
    (void)state;
    struct scene scene = scene_make(sample_feature_model);
    for (size_t i = 0; i < scene.file.length; i++) {
        const char mask = (char)(1 << (i % 8));
        scene.file.data[i] = (char)(scene.file.data[i] ^ mask);
        assert_refused(&scene, scene.file.length);
        scene.file.data[i] = (char)(scene.file.data[i] ^ mask);
    }
    assert_same(&scene.now, &scene.same);
    scene_release(&scene);
}

static void test_what_does_not_fit_the_training_is_refused(void **state)
{
    (void)state;
    struct scene scene = scene_make(sample_feature_model);
    struct training *now = &scene.now;
    const char *path = test_path("whole");
    struct sl_error err;
    char *text = NULL;
    struct sl_checkpoint_buffer buffers[3] = {
        now->buffers[0], now->buffers[1], {"average", now->first, 1}};
    assert_fails(sl_checkpoint_read(path, now->model, buffers, 3, &text, &err), SL_ERR_INPUT, err,
                 "has no average");
    assert_fails(sl_checkpoint_read(path, now->model, buffers, 1, &text, &err), SL_ERR_INPUT, err,
                 "has a tensor buffer.moment");
    buffers[1].count--;
    assert_fails(sl_checkpoint_read(path, now->model, buffers, 2, &text, &err), SL_ERR_INPUT, err,
                 "moment has 65 numbers, but this training needs 64");
    assert_same(now, &scene.same);

    struct training other = training_of(sample_image_model(1), 1);
    assert_fails(
        sl_checkpoint_read(path, other.model, other.buffers, 2, &text, &err), SL_ERR_INPUT, err,
        "whole: \"input\" is {\"channels\":4,\"height\":1,\"width\":1}, but the network has");
    training_release(&other);
    assert_null(text);
    scene_release(&scene);
}

static void test_weights_and_checkpoints_are_not_taken_for_each_other(void **state)
{
    (void)state;
    struct scene scene = scene_make(sample_feature_model);
    struct training *now = &scene.now;
    const char *path = test_path("weights");
    struct sl_error err;
    char *text = NULL;
    assert_fails(sl_weights_read(test_path("whole"), now->model, &err), SL_ERR_INPUT, err,
                 "is a checkpoint of a training, not weights");
    assert_ok(sl_weights_write(path, now->model, NULL, 0, &err), err);
    assert_fails(sl_checkpoint_read(path, now->model, now->buffers, 2, &text, &err), SL_ERR_INPUT,
                 err, "is not a checkpoint");
    assert_same(now, &scene.same);
    scene_release(&scene);
}

static void test_a_checkpoint_of_another_network_is_refused(void **state)
{
    (void)state;
    struct sl_model_options options = sl_model_options_default();
    struct sl_model *model = NULL, *other = NULL;
    const char *path = test_path("checkpoint");
    struct sl_error err;
    char *text = NULL;
    options.network = "resnet:n=1";
    assert_ok(sl_model_create(&options, &model, &err), err);
    options.network = "resnet:n=2";
    assert_ok(sl_model_create(&options, &other, &err), err);
    assert_ok(sl_checkpoint_write(path, model, NULL, 0, "{}", &err), err);
    assert_fails(sl_checkpoint_read(path, other, NULL, 0, &text, &err), SL_ERR_INPUT, err,
                 "checkpoint has weights of the network resnet:n=1, not of resnet:n=2");
    assert_ok(sl_checkpoint_read(path, model, NULL, 0, &text, &err), err);
    assert_string_equal(text, "{}");
    free(text);
    sl_model_destroy(model);
    sl_model_destroy(other);
}

/* Class names must be equal if both have them. A file may have none. */
static void test_names_of_classes_are_compared_where_both_have_some(void **state)
{
    (void)state;
    struct sl_model *model = sample_feature_model(1), *other = sample_feature_model(1);
    const char *path = test_path("checkpoint");
    char *turned[SAMPLE_CLASSES], *text = NULL;
    struct sl_error err;
    assert_ok(sl_checkpoint_write(path, model, NULL, 0, "{}", &err), err);
    assert_ok(sl_model_set_class_names(other, sample_class_names, &err), err);
    assert_ok(sl_checkpoint_read(path, other, NULL, 0, &text, &err), err);
    free(text);
    assert_ok(sl_checkpoint_write(path, other, NULL, 0, "{}", &err), err);
    assert_ok(sl_checkpoint_read(path, model, NULL, 0, &text, &err), err);
    free(text);
    assert_ok(sl_checkpoint_read(path, other, NULL, 0, &text, &err), err);
    free(text);
    text = NULL;
    for (size_t k = 0; k < SAMPLE_CLASSES; k++)
        turned[k] = sample_class_names[SAMPLE_CLASSES - 1 - k];
    assert_ok(sl_model_set_class_names(model, turned, &err), err);
    assert_fails(sl_checkpoint_read(path, model, NULL, 0, &text, &err), SL_ERR_INPUT, err,
                 "\"class_names\" is [\"cat\",");
    assert_null(text);
    sl_model_destroy(model);
    sl_model_destroy(other);
}

static void test_progress_that_is_not_json_is_not_written(void **state)
{
    (void)state;
    struct sl_model *model = sample_feature_model(1);
    const char *path = test_path("none");
    struct sl_error err;
    assert_fails(sl_checkpoint_write(path, model, NULL, 0, "{\"epoch\":", &err), SL_ERR_USAGE, err,
                 "progress");
    assert_false(sl_file_exists(path));
    const struct sl_checkpoint_buffer twice[] = {{"v", model->values, 1}, {"v", model->values, 1}};
    assert_fails(sl_checkpoint_write(path, model, twice, 2, "{}", &err), SL_ERR_USAGE, err,
                 "buffer.v");
    assert_false(sl_file_exists(path));
    sl_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_checkpoint_comes_back_to_the_bit),
        cmocka_unit_test(test_a_torn_checkpoint_is_refused_wherever_it_ends),
        cmocka_unit_test(test_no_flipped_bit_is_overlooked),
        cmocka_unit_test(test_what_does_not_fit_the_training_is_refused),
        cmocka_unit_test(test_weights_and_checkpoints_are_not_taken_for_each_other),
        cmocka_unit_test(test_a_checkpoint_of_another_network_is_refused),
        cmocka_unit_test(test_names_of_classes_are_compared_where_both_have_some),
        cmocka_unit_test(test_progress_that_is_not_json_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
