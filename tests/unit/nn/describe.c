#include "softlab/nn/describe.h"

#include "support.h"

static void test_shapes_are_read_by_their_number_of_sides(void **state)
{
    (void)state;
    struct sl_input_shape shape;
    struct sl_error err;
    assert_ok(sl_input_shape_read("3x32x48", &shape, &err), err);
    assert_int_equal(shape.channels, 3);
    assert_int_equal(shape.height, 32);
    assert_int_equal(shape.width, 48);
    assert_int_equal(shape.tokens, 0);
    assert_ok(sl_input_shape_read("512", &shape, &err), err);
    assert_int_equal(shape.channels, 512);
    assert_int_equal(shape.height * shape.width, 1);
    assert_ok(sl_input_shape_read("29x41x14975x83", &shape, &err), err);
    assert_int_equal(shape.tokens, 29);
    assert_int_equal(shape.letters, 41);
    assert_int_equal(shape.vocabulary, 14975);
    assert_int_equal(shape.alphabet, 83);
    assert_int_equal(shape.channels, 0);
}

static void test_other_words_are_no_shapes(void **state)
{
    static const char *const words[] = {"",       "x",      "3x32",      "3x32x",   "0x8x8",
                                        "3x8x8p", "-1x8x8", "1x2x3x4x5", "16777217"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct sl_input_shape shape = {.channels = 7};
        struct sl_error err;
        assert_fails(sl_input_shape_read(words[i], &shape, &err), SL_ERR_USAGE, err,
                     "is not like 3x32x32");
        assert_int_equal(shape.channels, 7);
    }
}

static void test_options_have_the_value_of_the_spec_or_their_fallback(void **state)
{
    (void)state;
    static const struct sl_field_row n = {.name = "n", .fallback = "5"};
    static const struct sl_field_row bias = {.name = "bias", .fallback = "0"};
    static const struct {
        const char *spec;
        const struct sl_field_row *option;
        const char *value;
    } cases[] = {{"resnet:n=7,bias=1", &n, "7"},
                 {"resnet:n=7,bias=1", &bias, "1"},
                 {"resnet:min=7,n=3", &n, "3"},
                 {"resnet:bias=1", &n, "5"},
                 {"resnet", &bias, "0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *value = sl_network_option_value(cases[i].spec, cases[i].option);
        assert_string_equal(value, cases[i].value);
        free(value);
    }
    assert_string_equal(sl_network_family_of("resnet:n=7")->name, "resnet");
    assert_null(sl_network_family_of("resne:n=7"));
}

static void test_an_outline_as_json_has_every_layer(void **state)
{
    (void)state;
    struct sl_model_options options = sl_model_options_default();
    struct sl_outline *outline = NULL;
    struct sl_error err;
    options.network = "resnet8";
    assert_ok(sl_outline_create(&options, &outline, &err), err);
    json_t *json = sl_outline_json(outline, &options), *layer = NULL;
    json_t *row = sl_network_json(&sl_networks[0], outline);
    json_t *bare = sl_network_json(&sl_networks[0], NULL);
    size_t index = 0;
    json_int_t total = 0;
    json_array_foreach(json_object_get(json, "layers"), index, layer)
    {
        total += json_integer_value(json_object_get(layer, "parameters"));
    }
    assert_int_equal(index, outline->n_layers);
    assert_int_equal(total, outline->values);
    assert_int_equal(json_integer_value(json_object_get(json, "parameters")), outline->values);
    assert_int_equal(json_array_size(json_object_get(json, "input")), 3);
    assert_int_equal(json_integer_value(json_object_get(row, "parameters")), outline->values);
    assert_null(json_object_get(bare, "parameters"));
    json_decref(json);
    json_decref(row);
    json_decref(bare);
    sl_outline_destroy(outline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_are_read_by_their_number_of_sides),
        cmocka_unit_test(test_other_words_are_no_shapes),
        cmocka_unit_test(test_options_have_the_value_of_the_spec_or_their_fallback),
        cmocka_unit_test(test_an_outline_as_json_has_every_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
