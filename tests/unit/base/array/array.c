#include "support.h"

static struct sl_array make_f8(const double *values, size_t rows, size_t columns)
{
    struct sl_error err;
    struct sl_array array;
    const size_t shape[] = {rows, columns};
    assert_ok(sl_array_create(SL_F8, 0, 2, shape, &array, &err), err);
    memcpy(array.data, values, rows * columns * sizeof *values);
    return array;
}

static void test_an_array_knows_its_count_and_shape(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array;
    const size_t shape[] = {3, 4, 5};
    char text[64];
    assert_ok(sl_array_create(SL_I4, 0, 3, shape, &array, &err), err);
    assert_int_equal(sl_array_count(&array), 60);
    assert_int_equal(array.item_size, 4);
    assert_string_equal(sl_array_shape_text(&array, text, sizeof text), "(3, 4, 5)");
    assert_int_equal((uintptr_t)array.data % 64, 0);
    sl_array_release(&array);
    assert_null(array.data);
}

static void test_shapes_print_as_python_prints_them(void **state)
{
    (void)state;
    char text[64], small[6];
    struct sl_array array = {.dtype = SL_F4, .item_size = 4};
    assert_string_equal(sl_array_shape_text(&array, text, sizeof text), "()");
    assert_int_equal(sl_array_count(&array), 1);
    array.n_dimensions = 1;
    array.shape[0] = 7;
    assert_string_equal(sl_array_shape_text(&array, text, sizeof text), "(7,)");
    array.n_dimensions = 2;
    array.shape[1] = 12345;
    assert_string_equal(sl_array_shape_text(&array, small, sizeof small), "(7, 1");
}

static void test_a_shape_too_large_to_address_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array = {.n_dimensions = 77};
    const size_t product[] = {(size_t)1 << 32, (size_t)1 << 32};
    const size_t hidden[] = {0, (size_t)1 << 62, 4};
    const size_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_fails(sl_array_create(SL_F4, 0, 2, product, &array, &err), SL_ERR_NOMEM, err,
                 "(4294967296, 4294967296)");
    assert_fails(sl_array_create(SL_U1, 0, 3, hidden, &array, &err), SL_ERR_NOMEM, err, "(0, ");
    assert_fails(sl_array_create(SL_U1, 0, 9, nine, &array, &err), SL_ERR_USAGE, err, "not 9");
    assert_fails(sl_array_create(SL_TEXT, 0, 1, nine, &array, &err), SL_ERR_USAGE, err, "wide");
    assert_fails(sl_array_create(SL_TEXT, SIZE_MAX / 2, 1, nine, &array, &err), SL_ERR_USAGE, err,
                 "wide");
    assert_int_equal(array.n_dimensions, 77);
}

static void test_expect_names_what_it_wanted_and_found(void **state)
{
    (void)state;
    struct sl_error err;
    const double values[6] = {0};
    struct sl_array array = make_f8(values, 2, 3);
    const size_t exact[] = {2, 3}, any_rows[] = {0, 3}, other[] = {0, 10}, three[] = {2, 3, 1};
    assert_ok(sl_array_expect(&array, "labels", 2, exact, &err), err);
    assert_ok(sl_array_expect(&array, "labels", 2, any_rows, &err), err);
    assert_ok(sl_array_expect(&array, "labels", 2, NULL, &err), err);
    assert_fails(sl_array_expect(&array, "labels", 2, other, &err), SL_ERR_INPUT, err,
                 "labels: expected shape (any, 10), got (2, 3)");
    assert_fails(sl_array_expect(&array, "labels", 3, three, &err), SL_ERR_INPUT, err,
                 "labels: expected shape (2, 3, 1), got (2, 3)");
    sl_array_release(&array);
}

static void test_values_that_fit_are_converted(void **state)
{
    (void)state;
    struct sl_error err;
    const double values[] = {0, 1, -0.0, 255, 7, 3};
    struct sl_array array = make_f8(values, 2, 3), bytes, floats, longs, back;
    assert_ok(sl_array_convert(&array, SL_U1, "x", &bytes, &err), err);
    const uint8_t expected[] = {0, 1, 0, 255, 7, 3};
    assert_memory_equal(bytes.data, expected, sizeof expected);
    assert_int_equal(bytes.shape[1], 3);
    assert_ok(sl_array_convert(&bytes, SL_F4, "x", &floats, &err), err);
    assert_true(((const float *)floats.data)[3] == 255.0f);
    assert_ok(sl_array_convert(&floats, SL_I8, "x", &longs, &err), err);
    assert_int_equal(((const int64_t *)longs.data)[4], 7);
    assert_ok(sl_array_convert(&longs, SL_F8, "x", &back, &err), err);
    assert_near(((const double *)back.data)[5], 3, 0);
    sl_array_release(&array);
    sl_array_release(&bytes);
    sl_array_release(&floats);
    sl_array_release(&longs);
    sl_array_release(&back);
}

static void test_long_arrays_convert_beyond_one_chunk(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array, result;
    const size_t n = 5000;
    assert_ok(sl_array_create(SL_I8, 0, 1, &n, &array, &err), err);
    for (size_t i = 0; i < n; i++)
        ((int64_t *)array.data)[i] = (int64_t)i - 2500;
    assert_ok(sl_array_convert(&array, SL_I4, "x", &result, &err), err);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(((const int32_t *)result.data)[i], (int32_t)i - 2500);
    ((int64_t *)array.data)[4321] = 1LL << 31;
    sl_array_release(&result);
    assert_fails(sl_array_convert(&array, SL_I4, "x", &result, &err), SL_ERR_INPUT, err,
                 "x: 2147483648 at (4321,) does not fit <i4");
    sl_array_release(&array);
}

static void test_values_that_do_not_fit_are_named(void **state)
{
    (void)state;
    static const struct {
        double value;
        enum sl_dtype dtype;
        const char *message;
    } cases[] = {
        {1.5, SL_I4, "labels: 1.5 at (1, 0) does not fit <i4"},
        {(double)NAN, SL_I8, "nan at (1, 0) does not fit <i8"},
        {(double)INFINITY, SL_I8, "inf at (1, 0) does not fit <i8"},
        {0x1p63, SL_I8, "does not fit <i8"},
        {-1, SL_U1, "-1 at (1, 0) does not fit |u1"},
        {256, SL_U1, "256 at (1, 0) does not fit |u1"},
        {2, SL_BOOL, "2 at (1, 0) does not fit |b1"},
        {1e300, SL_F4, "1e+300 at (1, 0) does not fit <f4"},
    };
    struct sl_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double values[] = {0, 1, cases[i].value, 1};
        struct sl_array array = make_f8(values, 2, 2), out = {.n_dimensions = 77};
        assert_fails(sl_array_convert(&array, cases[i].dtype, "labels", &out, &err), SL_ERR_INPUT,
                     err, cases[i].message);
        assert_int_equal(out.n_dimensions, 77);
        sl_array_release(&array);
    }
}

static void test_the_extremes_of_integers_convert_exactly(void **state)
{
    (void)state;
    struct sl_error err;
    const double values[] = {-0x1p63, 0x1.fffffffffffffp62, -2147483648.0, 2147483647.0};
    struct sl_array array = make_f8(values, 2, 2), out;
    assert_ok(sl_array_convert(&array, SL_I8, "x", &out, &err), err);
    assert_true(((const int64_t *)out.data)[0] == INT64_MIN);
    assert_true(((const int64_t *)out.data)[1] == INT64_MAX - 1023);
    sl_array_release(&out);
    ((double *)array.data)[0] = ((double *)array.data)[1] = 0;
    assert_ok(sl_array_convert(&array, SL_I4, "x", &out, &err), err);
    assert_int_equal(((const int32_t *)out.data)[2], INT32_MIN);
    assert_int_equal(((const int32_t *)out.data)[3], INT32_MAX);
    sl_array_release(&out);
    sl_array_release(&array);
}

static void test_an_integer_that_a_float_would_round_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array, out;
    const size_t n = 2;
    assert_ok(sl_array_create(SL_I8, 0, 1, &n, &array, &err), err);
    int64_t *values = array.data;
    values[0] = 1 << 24;
    values[1] = (1 << 24) + 1;
    assert_fails(sl_array_convert(&array, SL_F4, "id", &out, &err), SL_ERR_INPUT, err,
                 "id: 16777217 at (1,) does not fit <f4");
    assert_ok(sl_array_convert(&array, SL_F8, "id", &out, &err), err);
    sl_array_release(&out);
    sl_array_release(&array);
}

static void test_floats_keep_nan_and_infinity(void **state)
{
    (void)state;
    struct sl_error err;
    const double values[] = {(double)NAN, (double)INFINITY, 0.1, -1};
    struct sl_array array = make_f8(values, 2, 2), out;
    assert_ok(sl_array_convert(&array, SL_F4, "x", &out, &err), err);
    const float *floats = out.data;
    assert_true(isnan(floats[0]) && isinf(floats[1]) && floats[2] == 0.1f);
    assert_fails(sl_array_check_finite(&out, "x", &err), SL_ERR_INPUT, err,
                 "x: nan at (0, 0) is not finite");
    sl_array_release(&out);
    ((double *)array.data)[0] = 1;
    assert_fails(sl_array_check_finite(&array, "x", &err), SL_ERR_INPUT, err,
                 "x: infinity at (0, 1) is not finite");
    ((double *)array.data)[1] = 1;
    assert_ok(sl_array_check_finite(&array, "x", &err), err);
    sl_array_release(&array);
}

static void test_strings_survive_the_round_trip(void **state)
{
    (void)state;
    struct sl_error err;
    const char *const strings[] = {"deer", "", "na\xC3\xAFve caf\xC3\xA9", "\xF0\x9F\xA6\x8A"};
    struct sl_array array;
    assert_ok(sl_array_from_strings(strings, 4, &array, &err), err);
    assert_int_equal(array.item_size, 4 * 10);
    assert_int_equal(((const uint32_t *)array.data)[30], 0x1F98A);
    for (size_t i = 0; i < 4; i++) {
        char *text = NULL;
        assert_ok(sl_array_string(&array, i, &text, &err), err);
        assert_string_equal(text, strings[i]);
        free(text);
    }
    char *text = NULL;
    assert_fails(sl_array_string(&array, 4, &text, &err), SL_ERR_USAGE, err, "no element 4");
    ((uint32_t *)array.data)[1] = 0xD800;
    assert_fails(sl_array_string(&array, 0, &text, &err), SL_ERR_INPUT, err,
                 "element 0: character 1 is no code point (0xd800)");
    ((uint32_t *)array.data)[1] = 0;
    assert_fails(sl_array_string(&array, 0, &text, &err), SL_ERR_INPUT, err, "character 1");
    assert_null(text);
    sl_array_release(&array);
}

static void test_strings_that_are_not_utf8_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    const char *const strings[] = {"deer", "ab\xFF"};
    struct sl_array array;
    assert_fails(sl_array_from_strings(strings, 2, &array, &err), SL_ERR_INPUT, err,
                 "string 1 is not UTF-8 at byte 2");
}

static void test_text_is_no_number(void **state)
{
    (void)state;
    struct sl_error err;
    const char *const strings[] = {"1"};
    struct sl_array array, out;
    char *text = NULL;
    assert_ok(sl_array_from_strings(strings, 1, &array, &err), err);
    assert_fails(sl_array_convert(&array, SL_F4, "item", &out, &err), SL_ERR_INPUT, err,
                 "item: expected <f4, got <U");
    assert_ok(sl_array_convert(&array, SL_TEXT, "item", &out, &err), err);
    assert_memory_equal(array.data, out.data, 4);
    sl_array_release(&array);
    sl_array_release(&out);
    struct sl_array numbers = make_f8(&(const double){1}, 1, 1);
    assert_fails(sl_array_string(&numbers, 0, &text, &err), SL_ERR_INPUT, err, "got <f8");
    sl_array_release(&numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_array_knows_its_count_and_shape),
        cmocka_unit_test(test_shapes_print_as_python_prints_them),
        cmocka_unit_test(test_a_shape_too_large_to_address_is_refused),
        cmocka_unit_test(test_expect_names_what_it_wanted_and_found),
        cmocka_unit_test(test_values_that_fit_are_converted),
        cmocka_unit_test(test_long_arrays_convert_beyond_one_chunk),
        cmocka_unit_test(test_values_that_do_not_fit_are_named),
        cmocka_unit_test(test_the_extremes_of_integers_convert_exactly),
        cmocka_unit_test(test_an_integer_that_a_float_would_round_is_refused),
        cmocka_unit_test(test_floats_keep_nan_and_infinity),
        cmocka_unit_test(test_strings_survive_the_round_trip),
        cmocka_unit_test(test_strings_that_are_not_utf8_are_refused),
        cmocka_unit_test(test_text_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
