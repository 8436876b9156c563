#include "support.h"

/* An .npy file in memory: version, dict, padding and data. */
struct file {
    unsigned char bytes[4096];
    size_t length;
};

static struct file make(unsigned major, const char *dict, const void *data, size_t size)
{
    struct file file = {.length = major == 1 ? 10 : 12};
    size_t padded = strlen(dict) + 1;
    while ((file.length + padded) % 16 != 0)
        padded++;
    memcpy(file.bytes, "\x93NUMPY", 6);
    file.bytes[6] = (unsigned char)major;
    file.bytes[8] = (unsigned char)(padded & 0xFF);
    file.bytes[9] = (unsigned char)(padded >> 8);
    memset(file.bytes + file.length, ' ', padded);
    memcpy(file.bytes + file.length, dict, strlen(dict));
    file.length += padded;
    file.bytes[file.length - 1] = '\n';
    if (size) memcpy(file.bytes + file.length, data, size);
    file.length += size;
    return file;
}

static struct sl_array parse(const struct file *file)
{
    struct sl_error err;
    struct sl_array array;
    assert_ok(sl_npy_parse(file->bytes, file->length, "a.npy", &array, &err), err);
    return array;
}

static void assert_refused(const struct file *file, const char *message)
{
    struct sl_error err;
    struct sl_array array = {.n_dimensions = 77};
    /* A block of exactly this size lets the address sanitizer see a read beyond it. */
    unsigned char *exact = malloc(file->length ? file->length : 1);
    memcpy(exact, file->bytes, file->length);
    assert_fails(sl_npy_parse(exact, file->length, "a.npy", &array, &err), SL_ERR_INPUT, err,
                 message);
    assert_int_equal(array.n_dimensions, 77);
    free(exact);
}

static void test_every_version_of_the_header_is_read(void **state)
{
    (void)state;
    const float values[] = {1, 2, 3, 4, 5, 6};
    for (unsigned version = 1; version <= 3; version++) {
        struct file file = make(
            version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", values, 24);
        struct sl_array array = parse(&file);
        assert_int_equal(array.dtype, SL_F4);
        assert_int_equal(array.n_dimensions, 2);
        assert_int_equal(array.shape[0], 2);
        assert_int_equal(array.shape[1], 3);
        assert_memory_equal(array.data, values, 24);
        sl_array_release(&array);
    }
}

static void test_keys_come_in_any_order_and_either_quote(void **state)
{
    (void)state;
    const int64_t values[] = {-1, 2};
    static const char *const dicts[] = {
        "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<i8\"}",
        "{'shape': (2L,), 'descr': '<i8', 'fortran_order': True}",
        "  { 'fortran_order' : False , 'descr' : '=i8' , 'shape' : ( 2 , ) , }  ",
        "{'descr': '|i8', 'fortran_order': False, 'shape': (1, 2L)}",
    };
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        struct file file = make(1, dicts[i], values, sizeof values);
        struct sl_array array = parse(&file);
        assert_int_equal(array.dtype, SL_I8);
        assert_int_equal(sl_array_count(&array), 2);
        assert_memory_equal(array.data, values, sizeof values);
        sl_array_release(&array);
    }
}

static void test_big_endian_numbers_are_turned(void **state)
{
    (void)state;
    static const struct {
        const char *dict;
        const char *bytes;
        size_t size;
        enum sl_dtype dtype;
    } cases[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "\x3F\xC0\0\0", 4, SL_F4},
        {"{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }", "\x3F\xF8\0\0\0\0\0\0", 8,
         SL_F8},
        {"{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", "\0\0\1\2", 4, SL_I4},
        {"{'descr': '>i8', 'fortran_order': False, 'shape': (1,), }", "\0\0\0\0\0\0\1\2", 8, SL_I8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file file = make(1, cases[i].dict, cases[i].bytes, cases[i].size);
        struct sl_array array = parse(&file), converted;
        struct sl_error err;
        assert_int_equal(array.dtype, cases[i].dtype);
        assert_ok(sl_array_convert(&array, SL_F8, "x", &converted, &err), err);
        assert_near(((const double *)converted.data)[0], i < 2 ? 1.5 : 258, 0);
        sl_array_release(&array);
        sl_array_release(&converted);
    }
}

static void test_text_of_either_byte_order_is_read(void **state)
{
    (void)state;
    struct sl_error err;
    const char *const dicts[] = {"{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }",
                                 "{'descr': '>U2', 'fortran_order': False, 'shape': (2,), }"};
    const char *const data[] = {"a\0\0\0b\0\0\0\xE9\0\0\0\0\0\0\0",
                                "\0\0\0a\0\0\0b\0\0\0\xE9\0\0\0\0"};
    for (size_t i = 0; i < 2; i++) {
        struct file file = make(1, dicts[i], data[i], 16);
        struct sl_array array = parse(&file);
        char *first = NULL, *second = NULL;
        assert_ok(sl_array_string(&array, 0, &first, &err), err);
        assert_ok(sl_array_string(&array, 1, &second, &err), err);
        assert_string_equal(first, "ab");
        assert_string_equal(second, "\xC3\xA9");
        free(first);
        free(second);
        sl_array_release(&array);
    }
}

static void test_fortran_order_becomes_c_order(void **state)
{
    (void)state;
    /* Element (i, j, k) of shape (2, 3, 2) is 100 i + 10 j + k; the first index runs fastest. */
    int32_t values[12];
    for (int n = 0; n < 12; n++)
        values[n] = 100 * (n % 2) + 10 * (n / 2 % 3) + n / 6;
    struct file file = make(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 2), }",
                            values, sizeof values);
    struct sl_array array = parse(&file);
    const int32_t expected[] = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
    assert_memory_equal(array.data, expected, sizeof expected);
    sl_array_release(&array);
}

static void test_no_dimension_and_no_element_are_arrays(void **state)
{
    (void)state;
    const double value = 2.5;
    struct file file =
        make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", &value, 8);
    struct sl_array array = parse(&file);
    assert_int_equal(array.n_dimensions, 0);
    assert_int_equal(sl_array_count(&array), 1);
    assert_near(*(const double *)array.data, 2.5, 0);
    sl_array_release(&array);
    file = make(1, "{'descr': '>f8', 'fortran_order': True, 'shape': (0, 5), }", NULL, 0);
    array = parse(&file);
    assert_int_equal(sl_array_count(&array), 0);
    assert_int_equal(array.shape[1], 5);
    sl_array_release(&array);
}

static void test_dicts_that_are_not_this_header_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *dict, *message;
    } cases[] = {
        {"('descr',)", "a.npy: byte 10: expected '{', got '('"},
        {"{'descr': '<f4', 'fortran_order': False}", "no key 'shape'"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
         "a.npy: byte 28: second key 'descr'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}", "unknown key 'x'"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': ()}", "expected ',' or '}', got '''"},
        {"{,}", "byte 11: expected a string, got ','"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "expected True or False, got '0'"},
        {"{'descr': '<f4', 'fortran_order': Fals", "expected True or False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", "expected ',', got ')'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", "expected ',', got '2'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2 3)}",
         "expected ',' or ')', got '3'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "expected a size, got ','"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "expected a size, got '-'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}",
         "the size is out of range"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
         "more than 8 dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "expected nothing after '}'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (", "got the header's end"},
        {"{'descr': '<f4", "expected a plain character, got byte 0xa"},
        {"{'descr': '\\x3cf4'", "expected a plain character, got '\\'"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
         "structured arrays are not supported"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296)}",
         "(4294967296, 4294967296, 4294967296) is too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4611686018427387904)}",
         "is too large"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file file = make(1, cases[i].dict, NULL, 0);
        assert_refused(&file, cases[i].message);
    }
}

static void test_types_we_do_not_have_are_named(void **state)
{
    (void)state;
    static const char *const types[] = {"<u2",
                                        "<u4",
                                        "<u8",
                                        "|i1",
                                        "<i2",
                                        "<f2",
                                        "<c8",
                                        "|S3",
                                        "|O",
                                        "f4",
                                        "",
                                        "<",
                                        "<U",
                                        "<U0",
                                        "<Ux",
                                        "<M8",
                                        ">f",
                                        "<b4",
                                        "<U4611686018427387904"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char dict[200], message[100];
        snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (0,), }",
                 types[i]);
        snprintf(message, sizeof message, "a.npy: byte 21: descr '%s' is not supported", types[i]);
        struct file file = make(1, dict, NULL, 0);
        assert_refused(&file, message);
    }
}

static void test_data_must_be_exactly_as_long_as_the_shape(void **state)
{
    (void)state;
    const char bytes[100] = {0};
    static const struct {
        size_t size;
        const char *message;
    } cases[] = {{47, "(3, 4) needs 48 bytes of data, got 47"},
                 {49, "needs 48 bytes of data, got 49"},
                 {0, "a.npy: byte 80: the shape (3, 4) needs 48 bytes of data, got 0"}};
    for (size_t i = 0; i < 3; i++) {
        struct file file = make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
                                bytes, cases[i].size);
        assert_refused(&file, cases[i].message);
    }
}

static void test_a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    const double values[3] = {1, 2, 3};
    struct file file =
        make(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", values, 24);
    for (size_t length = file.length; length-- > 0;) {
        struct file cut = file;
        cut.length = length;
        assert_refused(&cut, "a.npy: ");
    }
}

static void test_preambles_that_are_not_npy_are_refused(void **state)
{
    (void)state;
    const struct file good =
        make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (0,), }", NULL, 0);
    struct file file = good;
    file.bytes[0] = 'P';
    assert_refused(&file, "a.npy: byte 0: not an .npy file");
    file = good;
    file.bytes[6] = 4;
    assert_refused(&file, "a.npy: byte 6: .npy version 4.0, expected 1.0 to 3.0");
    file = good;
    file.bytes[7] = 1;
    assert_refused(&file, "version 1.1");
    file = make(2, "{}", NULL, 0);
    file.bytes[11] = 1;
    assert_refused(&file, "the header has 16777220 bytes, expected at most 1048576");
}

static void test_a_boolean_is_0_or_1(void **state)
{
    (void)state;
    unsigned char bytes[] = {0, 1, 1, 0};
    const char *dict = "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }";
    struct file file = make(1, dict, bytes, 4);
    struct sl_array array = parse(&file);
    assert_int_equal(array.dtype, SL_BOOL);
    assert_memory_equal(array.data, bytes, 4);
    sl_array_release(&array);
    bytes[3] = 2;
    file = make(1, dict, bytes, 4);
    assert_refused(&file, "a.npy: the boolean at (1, 1) is byte 2, expected 0 or 1");
}

static void test_what_is_written_is_what_numpy_writes(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array;
    struct sl_buffer bytes;
    const size_t shape[] = {2, 3};
    const char *path = test_path("w.npy");
    assert_ok(sl_array_create(SL_F4, 0, 2, shape, &array, &err), err);
    for (int i = 0; i < 6; i++)
        ((float *)array.data)[i] = (float)i;
    assert_ok(sl_npy_write(&array, SL_ORDER_C, path, &err), err);
    sl_buffer_init(&bytes, 1000);
    assert_ok(sl_file_read(path, &bytes, &err), err);
    assert_int_equal(bytes.length, 128 + 24);
    assert_memory_equal(bytes.data, "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, ",
                        51);
    assert_memory_equal(bytes.data + 51, "'shape': (2, 3), }          ", 28);
    assert_int_equal(bytes.data[127], '\n');
    assert_memory_equal(bytes.data + 128, array.data, 24);
    sl_buffer_release(&bytes);
    sl_array_release(&array);
}

static void assert_round_trip(const struct sl_array *array, enum sl_order order)
{
    struct sl_error err;
    struct sl_array back;
    const char *path = test_path("round.npy");
    assert_ok(sl_npy_write(array, order, path, &err), err);
    assert_ok(sl_npy_read(path, &back, &err), err);
    assert_int_equal(back.dtype, array->dtype);
    assert_int_equal(back.item_size, array->item_size);
    assert_int_equal(back.n_dimensions, array->n_dimensions);
    assert_memory_equal(back.shape, array->shape, sizeof back.shape);
    size_t bytes = sl_array_count(array) * array->item_size;
    if (bytes) assert_memory_equal(back.data, array->data, bytes);
    sl_array_release(&back);
}

static void test_every_type_and_order_survives_the_round_trip(void **state)
{
    (void)state;
    static const size_t shapes[][4] = {{0}, {5}, {0, 3}, {70, 33}, {2, 3, 4}, {3, 1, 2, 5}};
    static const size_t dimensions[] = {0, 1, 2, 2, 3, 4};
    struct sl_error err;
    for (int dtype = SL_F4; dtype <= SL_TEXT; dtype++) {
        for (size_t s = 0; s < sizeof dimensions / sizeof *dimensions; s++) {
            struct sl_array array;
            assert_ok(
                sl_array_create((enum sl_dtype)dtype, 3, dimensions[s], shapes[s], &array, &err),
                err);
            unsigned char *bytes = array.data;
            size_t size = sl_array_count(&array) * array.item_size;
            for (size_t i = 0; i < size; i++)
                bytes[i] = (unsigned char)(dtype == SL_BOOL ? i * 7 / 3 % 2 : i * 131 + i / 256);
            assert_round_trip(&array, SL_ORDER_C);
            assert_round_trip(&array, SL_ORDER_FORTRAN);
            sl_array_release(&array);
        }
    }
}

static void test_fortran_files_say_so_and_are_transposed(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array;
    struct sl_buffer bytes;
    const size_t shape[] = {2, 3};
    const char *path = test_path("f.npy");
    assert_ok(sl_array_create(SL_U1, 0, 2, shape, &array, &err), err);
    memcpy(array.data, "abcdef", 6);
    assert_ok(sl_npy_write(&array, SL_ORDER_FORTRAN, path, &err), err);
    sl_buffer_init(&bytes, 1000);
    assert_ok(sl_file_read(path, &bytes, &err), err);
    assert_non_null(strstr(bytes.data + 10, "'fortran_order': True"));
    assert_memory_equal(bytes.data + bytes.length - 6, "adbecf", 6);
    sl_buffer_release(&bytes);
    sl_array_release(&array);
}

static void test_a_missing_file_is_not_found(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array;
    assert_fails(sl_npy_read(test_path("none.npy"), &array, &err), SL_ERR_NOT_FOUND, err,
                 "none.npy");
}

static void test_cifar10h_counts_add_up(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array counts, probs;
    const size_t shape[] = {10000, 10};
    const char *path = test_data("cifar10h/cifar10h-counts.npy");
    if (!path) skip();
    assert_ok(sl_npy_read(path, &counts, &err), err);
    assert_int_equal(counts.dtype, SL_I8);
    assert_ok(sl_array_expect(&counts, "counts", 2, shape, &err), err);
    int64_t total = 0;
    for (size_t i = 0; i < 100000; i++)
        total += ((const int64_t *)counts.data)[i];
    assert_int_equal(total, 511000);
    path = test_data("cifar10h/cifar10h-probs.npy");
    assert_ok(sl_npy_read(path, &probs, &err), err);
    assert_int_equal(probs.dtype, SL_F8);
    assert_ok(sl_array_expect(&probs, "probs", 2, shape, &err), err);
    for (size_t row = 0; row < 10000; row++) {
        double sum = 0;
        for (size_t column = 0; column < 10; column++)
            sum += ((const double *)probs.data)[row * 10 + column];
        assert_near(sum, 1, 1e-12);
    }
    sl_array_release(&counts);
    sl_array_release(&probs);
}

static void test_published_file_names_are_read_as_text(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array names;
    const char *path = test_data("peterson2019/decoded_test_filename_order.npy");
    if (!path) skip();
    const size_t shape[] = {10000};
    assert_ok(sl_npy_read(path, &names, &err), err);
    assert_int_equal(names.dtype, SL_TEXT);
    assert_int_equal(names.item_size, 160);
    assert_ok(sl_array_expect(&names, "names", 1, shape, &err), err);
    for (size_t i = 0; i < 10000; i++) {
        char *text = NULL;
        assert_ok(sl_array_string(&names, i, &text, &err), err);
        assert_true(sl_path_has_suffix(text, ".png"));
        free(text);
    }
    sl_array_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_version_of_the_header_is_read),
        cmocka_unit_test(test_keys_come_in_any_order_and_either_quote),
        cmocka_unit_test(test_big_endian_numbers_are_turned),
        cmocka_unit_test(test_text_of_either_byte_order_is_read),
        cmocka_unit_test(test_fortran_order_becomes_c_order),
        cmocka_unit_test(test_no_dimension_and_no_element_are_arrays),
        cmocka_unit_test(test_dicts_that_are_not_this_header_are_refused),
        cmocka_unit_test(test_types_we_do_not_have_are_named),
        cmocka_unit_test(test_data_must_be_exactly_as_long_as_the_shape),
        cmocka_unit_test(test_a_file_cut_anywhere_is_refused),
        cmocka_unit_test(test_preambles_that_are_not_npy_are_refused),
        cmocka_unit_test(test_a_boolean_is_0_or_1),
        cmocka_unit_test(test_what_is_written_is_what_numpy_writes),
        cmocka_unit_test(test_every_type_and_order_survives_the_round_trip),
        cmocka_unit_test(test_fortran_files_say_so_and_are_transposed),
        cmocka_unit_test(test_a_missing_file_is_not_found),
        cmocka_unit_test(test_cifar10h_counts_add_up),
        cmocka_unit_test(test_published_file_names_are_read_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
