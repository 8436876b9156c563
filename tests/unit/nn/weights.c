#include "nn/files/weights.h"

#include "nn_sample_graph.h"
#include "softlab/nn/weights.h"
#include "support.h"

/* A state_dict under construction: the tensors of a model, which tests change before writing. */
enum { MOST_TENSORS = 40 };
struct dict {
    struct sl_array arrays[MOST_TENSORS];
    struct sl_named_array tensors[MOST_TENSORS];
    size_t count;
};

static struct dict dict_of(struct sl_model *model)
{
    struct dict dict = {.count = model->n_tensors};
    assert_true(model->n_tensors + 2 < MOST_TENSORS);
    for (size_t i = 0; i < model->n_tensors; i++) {
        const struct sl_tensor_info *info = &model->tensors[i];
        struct sl_error err;
        assert_ok(sl_array_create(SL_F4, 0, info->rank, info->dims, &dict.arrays[i], &err), err);
        const float *from = info->kind == SL_TENSOR_VALUE ? model->values : model->state;
        memcpy(dict.arrays[i].data, from + info->offset, info->count * sizeof(float));
        dict.tensors[i].name = info->name;
    }
    return dict;
}

static void dict_add(struct dict *dict, const char *name, enum sl_dtype dtype, size_t rank,
                     const size_t *shape)
{
    struct sl_error err;
    struct sl_array *array = &dict->arrays[dict->count];
    assert_ok(sl_array_create(dtype, 0, rank, shape, array, &err), err);
    memset(array->data, 0, sl_array_count(array) * array->item_size);
    dict->tensors[dict->count++].name = name;
}

static size_t dict_find(const struct dict *dict, const char *name)
{
    size_t i = 0;
    while (i < dict->count && strcmp(dict->tensors[i].name, name) != 0)
        i++;
    assert_true(i < dict->count);
    return i;
}

static float *dict_values(struct dict *dict, const char *name)
{
    return dict->arrays[dict_find(dict, name)].data;
}

static void dict_drop(struct dict *dict, const char *name)
{
    size_t i = dict_find(dict, name);
    sl_array_release(&dict->arrays[i]);
    dict->count--;
    for (; i < dict->count; i++) {
        dict->arrays[i] = dict->arrays[i + 1];
        dict->tensors[i] = dict->tensors[i + 1];
    }
}

/* Write the dict like PyTorch, without metadata, and release it. */
static const char *dict_write(struct dict *dict)
{
    const char *path = test_path("dict.safetensors");
    struct sl_error err;
    for (size_t i = 0; i < dict->count; i++)
        dict->tensors[i].array = &dict->arrays[i];
    assert_ok(sl_safetensors_write(path, dict->tensors, dict->count, NULL, 0, &err), err);
    for (size_t i = 0; i < dict->count; i++)
        sl_array_release(&dict->arrays[i]);
    return path;
}

static void assert_same(const struct sl_model *a, const struct sl_model *b)
{
    assert_int_equal(a->n_values, b->n_values);
    assert_int_equal(a->n_state, b->n_state);
    assert_memory_equal(a->values, b->values, a->n_values * sizeof *a->values);
    assert_memory_equal(a->state, b->state, a->n_state * sizeof *a->state);
}

/* Assert that reading fails with `part` and changes nothing. */
static void assert_refused(struct dict *dict, const char *part)
{
    struct sl_model *model = sample_image_model(7), *same = sample_image_model(7);
    const uint64_t version = model->version;
    const char *path = dict_write(dict);
    struct sl_error err;
    assert_fails(sl_weights_read(path, model, &err), SL_ERR_INPUT, err, part);
    assert_non_null(strstr(err.message, "dict.safetensors"));
    assert_same(model, same);
    assert_int_equal(model->version, version);
    sl_model_destroy(model);
    sl_model_destroy(same);
}

static void test_weights_come_back_to_the_bit(void **state)
{
    (void)state;
    struct sl_model *(*const make[])(uint64_t) = {sample_image_model, sample_text_model,
                                                  sample_feature_model};
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        struct sl_model *written = make[i](1), *read = make[i](2);
        const char *path = test_path("model.safetensors");
        struct sl_error err;
        sample_running_statistics(written, 3);
        const uint64_t version = read->version;
        assert_ok(sl_weights_write(path, written, NULL, 0, &err), err);
        assert_ok(sl_weights_read(path, read, &err), err);
        assert_same(written, read);
        assert_true(read->version > version);
        sl_model_destroy(written);
        sl_model_destroy(read);
    }
}

static void test_the_file_holds_pytorchs_names_and_shapes_and_the_callers_metadata(void **state)
{
    (void)state;
    const struct sl_metadata extra[] = {{"seed", "3"}, {"data", "cifar10:train"}};
    const size_t shape[] = {12, 4, 3, 3};
    struct sl_model *model = sample_image_model(1);
    const char *path = test_path("model.safetensors");
    struct sl_error err;
    struct sl_safetensors *file = NULL;
    struct sl_array array;
    assert_ok(sl_weights_write(path, model, extra, 2, &err), err);
    assert_ok(sl_safetensors_open(path, &file, &err), err);
    assert_int_equal(sl_safetensors_count(file), model->n_tensors);
    assert_string_equal(sl_safetensors_metadata(file, "data"), "cifar10:train");
    assert_string_equal(sl_safetensors_metadata(file, "softlab"), sl_version());
    assert_string_equal(sl_safetensors_metadata(file, "classes"), "5");
    assert_null(sl_safetensors_metadata(file, "class_names"));
    assert_string_equal(sl_safetensors_metadata(file, "format"), "pt");
    assert_string_equal(sl_safetensors_metadata(file, "normalise"),
                        "{\"mean\":[0.49,0.48,0.45],\"deviation\":[0.25,0.24,0.26]}");
    assert_ok(sl_safetensors_read(file, "layer1.0.conv1.weight", &array, &err), err);
    assert_ok(sl_array_expect(&array, "weight", 4, shape, &err), err);
    sl_array_release(&array);
    sl_safetensors_close(file);

    const struct sl_metadata twice = {"network", "mine"};
    assert_fails(sl_weights_write(path, model, &twice, 1, &err), SL_ERR_USAGE, err, "network");
    sl_model_destroy(model);
}

static void test_a_state_dict_of_pytorch_is_read(void **state)
{
    (void)state;
    struct sl_model *from = sample_image_model(1), *model = sample_image_model(2);
    struct sl_error err;
    struct dict dict = dict_of(from);
    dict_add(&dict, "bn1.num_batches_tracked", SL_I8, 0, NULL);
    dict_add(&dict, "layer1.0.bn1.num_batches_tracked", SL_I8, 0, NULL);
    const char *path = dict_write(&dict);
    assert_ok(sl_weights_read(path, model, &err), err);
    assert_same(from, model);
    struct sl_model *opened = NULL;
    assert_fails(sl_weights_open(path, &opened, &err), SL_ERR_INPUT, err,
                 "does not name its network");
    assert_null(opened);
    sl_model_destroy(from);
    sl_model_destroy(model);
}

static void test_what_does_not_fit_is_refused_by_name_and_changes_nothing(void **state)
{
    (void)state;
    struct sl_model *from = sample_image_model(1);
    struct dict dict = dict_of(from);
    dict_drop(&dict, "bn1.running_var");
    assert_refused(&dict, "has no tensor bn1.running_var");

    dict = dict_of(from);
    dict_add(&dict, "head.fc3.bias", SL_F4, 1, &(size_t){3});
    assert_refused(&dict, "has a tensor head.fc3.bias, which the network does not have");

    dict = dict_of(from);
    dict_drop(&dict, "layer1.0.conv1.weight");
    dict_add(&dict, "layer1.0.conv1.weight", SL_F4, 4, (size_t[]){12, 8, 3, 3});
    assert_refused(&dict, "layer1.0.conv1.weight is (12, 8, 3, 3) in ");

    dict = dict_of(from);
    dict_drop(&dict, "head.fc2.bias"); /* the right number of values, but the wrong rank */
    dict_add(&dict, "head.fc2.bias", SL_F4, 2, (size_t[]){5, 1});
    assert_refused(&dict, ", but the network needs (5,)");

    dict = dict_of(from);
    dict_drop(&dict, "head.fc2.bias");
    dict_add(&dict, "head.fc2.bias", SL_I8, 1, &(size_t){5});
    assert_refused(&dict, "head.fc2.bias holds 64-bit integers in ");
    sl_model_destroy(from);
}

static void test_numbers_that_cannot_be_weights_are_refused_by_index(void **state)
{
    (void)state;
    struct sl_model *from = sample_image_model(1);
    struct dict dict = dict_of(from);
    dict_values(&dict, "head.fc2.weight")[17] = NAN;
    assert_refused(&dict, "head.fc2.weight[17] is nan in ");

    dict = dict_of(from);
    dict_values(&dict, "bn1.running_mean")[7] = -INFINITY;
    assert_refused(&dict, "bn1.running_mean[7] is -inf in ");

    dict = dict_of(from);
    dict_values(&dict, "bn1.running_var")[2] = -0.5F;
    assert_refused(&dict, "bn1.running_var[2] is -0.5 in ");
    sl_model_destroy(from);
}

static void test_weights_that_are_not_finite_are_not_written(void **state)
{
    (void)state;
    struct sl_model *model = sample_feature_model(1);
    const char *path = test_path("none.safetensors");
    struct sl_error err;
    model->values[model->n_values - 1] = NAN;
    assert_fails(sl_weights_write(path, model, NULL, 0, &err), SL_ERR_NUMERIC, err, "fc2.bias[4]");
    assert_false(sl_file_exists(path));
    sl_model_destroy(model);
}

static struct sl_model *named_model(const char *network, size_t classes, uint64_t seed)
{
    static const float mean[] = {0.1F, 0.25F, 0.3F}, deviation[] = {1.0F, 0.2F, 0.123456789F};
    struct sl_model_options options = sl_model_options_default();
    struct sl_model *model = NULL;
    struct sl_error err;
    options.network = network;
    options.classes = classes;
    options.mean = mean;
    options.deviation = deviation;
    options.seed = seed;
    assert_ok(sl_model_create(&options, &model, &err), err);
    return model;
}

static void test_open_makes_the_model_that_was_written(void **state)
{
    (void)state;
    struct sl_model *model = named_model("resnet34a", 7, 5), *opened = NULL;
    const char *path = test_path("model.safetensors");
    struct sl_error err;
    char names[7][2] = {"g", "a", "f", "b", "e", "c", "d"};
    char *const seven[] = {names[0], names[1], names[2], names[3], names[4], names[5], names[6]};
    sample_running_statistics(model, 4);
    assert_ok(sl_model_set_class_names(model, seven, &err), err);
    assert_ok(sl_weights_write(path, model, NULL, 0, &err), err);
    assert_ok(sl_weights_open(path, &opened, &err), err);
    assert_string_equal(sl_model_network(opened), "resnet34a");
    assert_string_equal(sl_model_spec(opened), sl_model_spec(model));
    assert_int_equal(sl_model_classes(opened), 7);
    assert_same(model, opened);
    char *texts[2][SL_NN_N_METADATA];
    sl_nn_metadata_describe(model, texts[0]);
    sl_nn_metadata_describe(opened, texts[1]);
    for (size_t i = 0; i < SL_NN_N_METADATA; i++) {
        assert_string_equal(texts[0][i], texts[1][i]);
        free(texts[0][i]);
        free(texts[1][i]);
    }
    assert_ok(sl_weights_read(path, opened, &err), err);
    sl_model_destroy(model);
    sl_model_destroy(opened);
}

static void test_weights_of_another_network_are_refused_with_both_names(void **state)
{
    (void)state;
    struct sl_model *model = named_model("resnet34a", 10, 5);
    struct sl_model *other = named_model("resnet:n=2", 10, 5);
    const char *path = test_path("model.safetensors");
    struct sl_error err;
    assert_ok(sl_weights_write(path, model, NULL, 0, &err), err);
    assert_fails(sl_weights_read(path, other, &err), SL_ERR_INPUT, err,
                 "model.safetensors has weights of the network resnet34a, not of resnet:n=2");
    /* A model with another number of classes is the same network, so the message names the
     * tensor. */
    struct sl_model *fewer = named_model("resnet34a", 3, 5);
    assert_fails(sl_weights_read(path, fewer, &err), SL_ERR_INPUT, err,
                 "the network needs (3, 64)");
    sl_model_destroy(model);
    sl_model_destroy(other);
    sl_model_destroy(fewer);
}

/* Assert that a file of softlab with one metadata text replaced cannot be opened. */
static void assert_not_opened(size_t key, const char *text, const char *part)
{
    static const char *const texts[SL_NN_N_METADATA] = {
        "0.1.0", "small", "resnet:n=1", "3", NULL, "{\"channels\":3,\"height\":32,\"width\":32}",
        "{}"};
    struct sl_metadata metadata[SL_NN_N_METADATA];
    size_t count = 0;
    for (size_t i = 0; i < SL_NN_N_METADATA; i++) {
        const char *value = i == key ? text : texts[i];
        if (value) metadata[count++] = (struct sl_metadata){sl_nn_metadata_keys[i], value};
    }
    const char *path = test_path("described.safetensors");
    struct sl_model *model = NULL;
    struct sl_error err;
    assert_ok(sl_safetensors_write(path, NULL, 0, metadata, count, &err), err);
    assert_fails(sl_weights_open(path, &model, &err), SL_ERR_INPUT, err, part);
    assert_non_null(strstr(err.message, "described.safetensors"));
    assert_null(model);
}

static void test_a_description_that_makes_no_model_is_refused(void **state)
{
    (void)state;
    assert_not_opened(SL_NN_N_METADATA, NULL, "has no tensor ");
    assert_not_opened(SL_NN_METADATA_SPEC, "nonesuch:n=1", "nonesuch");
    assert_not_opened(SL_NN_METADATA_CLASSES, "0", "\"classes\" is 0");
    assert_not_opened(SL_NN_METADATA_CLASSES, "10x", "\"classes\" is 10x");
    assert_not_opened(SL_NN_METADATA_INPUT, "{\"channels\":-3}", "$.channels");
    assert_not_opened(SL_NN_METADATA_INPUT, "{\"colours\":3}", "colours");
    assert_not_opened(SL_NN_METADATA_INPUT, "[3", "metadata");
    assert_not_opened(SL_NN_METADATA_NORMALISE, "{\"mean\":[0,0,0]}", "deviation");
    assert_not_opened(SL_NN_METADATA_NORMALISE, "{\"mean\":[0],\"deviation\":[1]}",
                      "there is 1 number, but 3 channels");
    assert_not_opened(SL_NN_METADATA_NORMALISE, "{\"mean\":[0,0,0],\"deviation\":[1,0,1]}",
                      "$.deviation[1]");
}

static void test_names_of_classes_travel_with_the_weights(void **state)
{
    (void)state;
    struct sl_model *model = sample_feature_model(1), *other = sample_feature_model(2);
    const char *path = test_path("named.safetensors");
    struct sl_error err;
    char **names = NULL;
    size_t count = 9;
    assert_null(sl_model_class_names(model));
    assert_ok(sl_weights_write(path, model, NULL, 0, &err), err);
    assert_ok(sl_weights_class_names(path, &names, &count, &err), err);
    assert_null(names);
    assert_int_equal(count, 0);

    assert_ok(sl_model_set_class_names(model, sample_class_names, &err), err);
    assert_ok(sl_weights_write(path, model, NULL, 0, &err), err);
    assert_ok(sl_weights_class_names(path, &names, &count, &err), err);
    assert_int_equal(count, SAMPLE_CLASSES);
    for (size_t k = 0; k < SAMPLE_CLASSES; k++)
        assert_string_equal(names[k], sample_class_names[k]);
    assert_null(names[SAMPLE_CLASSES]);
    sl_names_destroy(names);

    /* A model without class names takes those of the file. A model with the same names in another
     * order is refused. */
    assert_ok(sl_weights_read(path, other, &err), err);
    assert_string_equal(sl_model_class_names(other)[1], "a \"b\"");
    char *turned[SAMPLE_CLASSES];
    for (size_t k = 0; k < SAMPLE_CLASSES; k++)
        turned[k] = sample_class_names[SAMPLE_CLASSES - 1 - k];
    assert_ok(sl_model_set_class_names(other, turned, &err), err);
    other->values[0] = 7;
    assert_fails(sl_weights_read(path, other, &err), SL_ERR_INPUT, err,
                 "named.safetensors: class 0 is \"cat\", but the network has \"\"");
    assert_near(other->values[0], 7, 0);
    assert_string_equal(sl_model_class_names(other)[0], "");
    sl_model_destroy(model);
    sl_model_destroy(other);
}

static void test_metadata_that_do_not_name_the_classes_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"[\"a\",\"b\"]", "metadata: class_names:1: $: there are 2 class names, but 5 classes"},
        {"[\"a\",\"b\",3,\"d\",\"e\"]", "$[2]"},
        {"a,b,c,d,e", "metadata: class_names:1"},
        {"[\"a\",\"b\",\"c\",\"b\",\"e\"]", "two classes are called \"b\""},
    };
    struct sl_model *model = sample_feature_model(1);
    const char *path = test_path("wrong.safetensors");
    struct sl_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct sl_metadata extra = {"class_names", wrong[i][0]};
        assert_ok(sl_weights_write(path, model, &extra, 1, &err), err);
        assert_fails(sl_weights_read(path, model, &err), SL_ERR_INPUT, err, wrong[i][1]);
        assert_non_null(strstr(err.message, "wrong.safetensors"));
        assert_null(sl_model_class_names(model));
    }
    sl_model_destroy(model);
}

static void test_names_that_cannot_be_told_apart_or_written_are_refused(void **state)
{
    (void)state;
    struct sl_model *model = sample_feature_model(1);
    char same[] = "same", latin[] = "K\xe4se";
    char *names[SAMPLE_CLASSES];
    struct sl_error err;
    memcpy(names, sample_class_names, sizeof names);
    names[1] = names[3] = same;
    assert_fails(sl_model_set_class_names(model, names, &err), SL_ERR_INPUT, err,
                 "two classes are called \"same\"");
    names[3] = latin;
    assert_fails(sl_model_set_class_names(model, names, &err), SL_ERR_INPUT, err,
                 "class 3: the name is not UTF-8 after \"K\"");
    assert_null(sl_model_class_names(model));
    sl_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_come_back_to_the_bit),
        cmocka_unit_test(test_the_file_holds_pytorchs_names_and_shapes_and_the_callers_metadata),
        cmocka_unit_test(test_a_state_dict_of_pytorch_is_read),
        cmocka_unit_test(test_what_does_not_fit_is_refused_by_name_and_changes_nothing),
        cmocka_unit_test(test_numbers_that_cannot_be_weights_are_refused_by_index),
        cmocka_unit_test(test_weights_that_are_not_finite_are_not_written),
        cmocka_unit_test(test_open_makes_the_model_that_was_written),
        cmocka_unit_test(test_weights_of_another_network_are_refused_with_both_names),
        cmocka_unit_test(test_a_description_that_makes_no_model_is_refused),
        cmocka_unit_test(test_names_of_classes_travel_with_the_weights),
        cmocka_unit_test(test_metadata_that_do_not_name_the_classes_are_refused),
        cmocka_unit_test(test_names_that_cannot_be_told_apart_or_written_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
