#include "support.h"

#include "base/array/safetensors.h"

/* A file in memory from its header's text and its tensors' bytes. */
static struct sl_buffer make(const char *header, const void *data, size_t size)
{
    struct sl_buffer bytes;
    uint64_t length = strlen(header);
    sl_buffer_init(&bytes, 10000);
    sl_buffer_append(&bytes, &length, 8);
    sl_buffer_text(&bytes, header);
    sl_buffer_append(&bytes, data, size);
    return bytes;
}

static struct sl_safetensors *open_ok(const struct sl_buffer *bytes)
{
    struct sl_error err;
    struct sl_safetensors *file = NULL;
    assert_ok(sl_safetensors_open_memory(bytes->data, bytes->length, "m", &file, &err), err);
    return file;
}

static void assert_refused(const struct sl_buffer *bytes, const char *message)
{
    struct sl_error err;
    struct sl_safetensors *file = NULL;
    /* A block of exactly this size lets the address sanitizer see a read beyond it. */
    char *exact = malloc(bytes->length ? bytes->length : 1);
    if (bytes->length) memcpy(exact, bytes->data, bytes->length);
    assert_fails(sl_safetensors_open_memory(exact, bytes->length, "m", &file, &err), SL_ERR_INPUT,
                 err, message);
    assert_null(file);
    free(exact);
}

static void test_tensors_and_metadata_are_read(void **state)
{
    (void)state;
    struct sl_error err;
    const float values[] = {1, 2, 3, 4, 5, 6};
    struct sl_buffer bytes = make("{\"__metadata__\":{\"model\":\"vgg\"},"
                                  "\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],"
                                  "\"data_offsets\":[0,24]}}   ",
                                  values, 24);
    struct sl_safetensors *file = open_ok(&bytes);
    struct sl_array array;
    assert_int_equal(sl_safetensors_count(file), 1);
    assert_string_equal(sl_safetensors_name(file, 0), "w");
    assert_null(sl_safetensors_name(file, 1));
    assert_string_equal(sl_safetensors_metadata(file, "model"), "vgg");
    assert_null(sl_safetensors_metadata(file, "none"));
    assert_ok(sl_safetensors_read(file, "w", &array, &err), err);
    assert_int_equal(array.dtype, SL_F4);
    assert_int_equal(array.n_dimensions, 2);
    assert_int_equal(array.shape[1], 3);
    assert_memory_equal(array.data, values, 24);
    sl_array_release(&array);
    assert_fails(sl_safetensors_read(file, "x", &array, &err), SL_ERR_NOT_FOUND, err,
                 "m: no tensor called x");
    sl_safetensors_close(file);
    sl_buffer_release(&bytes);
}

static void test_half_precision_is_widened_exactly(void **state)
{
    (void)state;
    struct sl_error err;
    static const struct {
        uint16_t bits;
        double value;
    } halves[] = {
        {0x3C00, 1},
        {0xC000, -2},
        {0x7BFF, 65504},
        {0x0400, 0x1p-14},
        {0x0001, 0x1p-24},
        {0x83FF, -0x1.ff8p-15},
        {0x3555, 0.333251953125},
        {0x0000, 0},
        {0x7C00, (double)INFINITY},
        {0xFC00, -(double)INFINITY},
    };
    const size_t n = sizeof halves / sizeof *halves;
    uint16_t bits[12];
    for (size_t i = 0; i < n; i++)
        bits[i] = halves[i].bits;
    bits[n] = 0x8000;
    bits[n + 1] = 0x7E00;
    struct sl_buffer bytes = make(
        "{\"h\":{\"dtype\":\"F16\",\"shape\":[12],\"data_offsets\":[0,24]}}", bits, sizeof bits);
    struct sl_safetensors *file = open_ok(&bytes);
    struct sl_array array;
    assert_ok(sl_safetensors_read(file, "h", &array, &err), err);
    assert_int_equal(array.dtype, SL_F4);
    const float *values = array.data;
    for (size_t i = 0; i < n; i++)
        assert_true((double)values[i] == halves[i].value);
    assert_true(values[n] == 0 && signbit(values[n]));
    assert_true(isnan(values[n + 1]));
    sl_array_release(&array);
    sl_safetensors_close(file);
    sl_buffer_release(&bytes);
}

static void test_brain_floats_are_the_upper_half_of_floats(void **state)
{
    (void)state;
    struct sl_error err;
    const uint16_t bits[] = {0x3F80, 0xC000, 0x4049};
    struct sl_buffer bytes =
        make("{\"b\":{\"dtype\":\"BF16\",\"shape\":[3,1],\"data_offsets\":[0,6]}}", bits, 6);
    struct sl_safetensors *file = open_ok(&bytes);
    struct sl_array array;
    assert_ok(sl_safetensors_read(file, "b", &array, &err), err);
    const float *values = array.data;
    assert_true(values[0] == 1 && values[1] == -2 && values[2] == 3.140625f);
    sl_array_release(&array);
    sl_safetensors_close(file);
    sl_buffer_release(&bytes);
}

static void test_types_we_do_not_read_do_not_spoil_the_file(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_buffer bytes =
        make("{\"u\":{\"dtype\":\"U16\",\"shape\":[1],\"data_offsets\":[0,2]},"
             "\"b\":{\"dtype\":\"BOOL\",\"shape\":[],\"data_offsets\":[2,3]},"
             "\"bad\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[3,4]}}",
             "\1\0\1\7", 4);
    struct sl_safetensors *file = open_ok(&bytes);
    struct sl_array array;
    assert_fails(sl_safetensors_read(file, "u", &array, &err), SL_ERR_INPUT, err,
                 "m: tensor u: dtype U16 is not supported");
    assert_fails(sl_safetensors_read(file, "bad", &array, &err), SL_ERR_INPUT, err,
                 "bad: the boolean at (0,) is byte 7, expected 0 or 1");
    assert_ok(sl_safetensors_read(file, "b", &array, &err), err);
    assert_int_equal(array.n_dimensions, 0);
    assert_int_equal(*(const uint8_t *)array.data, 1);
    sl_array_release(&array);
    sl_safetensors_close(file);
    sl_buffer_release(&bytes);
}

static void test_headers_that_break_the_format_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t size;
        const char *message;
    } cases[] = {
        {"", 0, "does not begin with '{'"},
        {" {}", 0, "m: byte 8: the header does not begin with '{'"},
        {"[]", 0, "does not begin with '{'"},
        {"{", 0, "m: byte 9: "},
        {"{} x", 0, "m: byte "},
        {"{\"a\":1,\"a\":1}", 0, "duplicate"},
        {"{\"a\":1}", 0, "tensor a: expected exactly dtype, shape and data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 0, "expected exactly"},
        {"{\"a\":{\"dtype\":1,\"shape\":[],\"data_offsets\":[0,4]}}", 4, "expected exactly"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4],\"x\":1}}", 4,
         "expected exactly"},
        {"{\"a\":{\"dtype\":\"F33\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, "unknown dtype"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "the shape is"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 4, "the shape is"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}}", 4, "the shape is"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4,
         "at most 8 sizes"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}", 4,
         "too large"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4,
         "the shape needs 8 bytes, data_offsets hold 4"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,0]}}", 4, "ascending"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0]}}", 4, "ascending"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4,8]}}", 4, "ascending"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 3,
         "the tensors take 4 bytes, the file holds 3"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 5, "holds 5"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}", 8,
         "tensor a begins at 4, expected 0: tensors leave a hole"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}",
         4, "tensor b begins at 0, expected 4: tensors overlap"},
        {"{\"a\\n\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4,
         "control characters"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "__metadata__ is not an object of strings"},
        {"{\"__metadata__\":\"a\"}", 0, "__metadata__ is not an object of strings"},
    };
    const char data[16] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_buffer bytes = make(cases[i].header, data, cases[i].size);
        assert_refused(&bytes, cases[i].message);
        sl_buffer_release(&bytes);
    }
}

static void test_a_header_longer_than_the_file_is_refused(void **state)
{
    (void)state;
    struct sl_buffer bytes = make("{}", NULL, 0);
    bytes.data[0] = 3;
    assert_refused(&bytes, "m: byte 0: a header of 3 bytes");
    bytes.data[7] = (char)0xFF;
    assert_refused(&bytes, "m: byte 0: a header of 18374686479671623683 bytes");
    bytes.data[0] = 2;
    bytes.data[7] = 0;
    sl_safetensors_close(open_ok(&bytes));
    while (bytes.length-- > 0)
        assert_refused(&bytes, "m: byte 0: ");
    bytes.length = 0;
    sl_buffer_release(&bytes);
}

static struct sl_array filled(enum sl_dtype dtype, size_t rows, size_t columns)
{
    struct sl_error err;
    struct sl_array array;
    const size_t shape[] = {rows, columns};
    assert_ok(sl_array_create(dtype, 1, 2, shape, &array, &err), err);
    for (size_t i = 0; i < rows * columns * array.item_size; i++)
        ((unsigned char *)array.data)[i] = (unsigned char)(dtype == SL_BOOL ? i % 2 : i * 37 % 120);
    return array;
}

static void test_what_is_written_is_read_back(void **state)
{
    (void)state;
    struct sl_error err;
    static const char *const names[] = {"f4", "f8", "i4", "i8", "u1", "b1"};
    static const char *const order[] = {"f8", "i8", "f4", "i4", "b1", "u1"};
    struct sl_array arrays[6];
    struct sl_named_array tensors[6];
    const struct sl_metadata metadata[] = {{"model", "vgg \"15\""}, {"classes", "10"}};
    for (int dtype = SL_F4; dtype <= SL_BOOL; dtype++) {
        arrays[dtype] = filled((enum sl_dtype)dtype, dtype == SL_I4 ? 0 : 3, 5);
        tensors[dtype] = (struct sl_named_array){names[dtype], &arrays[dtype]};
    }
    const char *path = test_path("w.safetensors");
    assert_ok(sl_safetensors_write(path, tensors, 6, metadata, 2, &err), err);
    struct sl_safetensors *file = NULL;
    assert_ok(sl_safetensors_open(path, &file, &err), err);
    assert_int_equal(sl_safetensors_count(file), 6);
    assert_string_equal(sl_safetensors_metadata(file, "model"), "vgg \"15\"");
    assert_string_equal(sl_safetensors_metadata(file, "classes"), "10");
    for (size_t i = 0; i < 6; i++) {
        struct sl_array array;
        /* The empty i4 begins where b1 does and ends before it. */
        assert_string_equal(sl_safetensors_name(file, i), order[i]);
        assert_ok(sl_safetensors_read(file, names[i], &array, &err), err);
        assert_int_equal(array.dtype, arrays[i].dtype);
        assert_memory_equal(array.shape, arrays[i].shape, sizeof array.shape);
        size_t bytes = sl_array_count(&array) * array.item_size;
        if (bytes) assert_memory_equal(array.data, arrays[i].data, bytes);
        sl_array_release(&array);
        sl_array_release(&arrays[i]);
    }
    sl_safetensors_close(file);
}

static void test_the_header_is_aligned_and_sorted(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array bytes_array = filled(SL_U1, 1, 3), float_array = filled(SL_F4, 1, 1);
    const struct sl_named_array tensors[] = {{"a", &bytes_array}, {"z", &float_array}};
    const char *path = test_path("sorted.safetensors");
    assert_ok(sl_safetensors_write(path, tensors, 2, NULL, 0, &err), err);
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, 1000);
    assert_ok(sl_file_read(path, &bytes, &err), err);
    const char *expected = "{\"z\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]},"
                           "\"a\":{\"dtype\":\"U8\",\"shape\":[1,3],\"data_offsets\":[4,7]}}";
    uint64_t length = 0;
    memcpy(&length, bytes.data, 8);
    assert_int_equal(length, (strlen(expected) + 7) / 8 * 8);
    assert_memory_equal(bytes.data + 8, expected, strlen(expected));
    assert_int_equal(bytes.length, 8 + length + 7);
    sl_buffer_release(&bytes);
    sl_array_release(&bytes_array);
    sl_array_release(&float_array);
}

static void test_what_the_format_cannot_hold_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array = filled(SL_U1, 1, 1), text = filled(SL_TEXT, 1, 1);
    const char *path = test_path("none.safetensors");
    const struct sl_named_array twice[] = {{"a", &array}, {"a", &array}};
    const struct sl_named_array words[] = {{"a", &text}};
    const struct sl_named_array reserved[] = {{"__metadata__", &array}};
    const struct sl_named_array latin[] = {{"\xE9", &array}};
    const struct sl_metadata pair[] = {{"k", "v"}, {"k", "w"}}, broken[] = {{"k", "\xE9"}};
    assert_fails(sl_safetensors_write(path, twice, 2, NULL, 0, &err), SL_ERR_USAGE, err,
                 "two entries are called a");
    assert_fails(sl_safetensors_write(path, words, 1, NULL, 0, &err), SL_ERR_USAGE, err,
                 "tensor a: text cannot be stored");
    assert_fails(sl_safetensors_write(path, reserved, 1, NULL, 0, &err), SL_ERR_USAGE, err,
                 "cannot be called __metadata__");
    assert_fails(sl_safetensors_write(path, latin, 1, NULL, 0, &err), SL_ERR_USAGE, err,
                 "not UTF-8");
    assert_fails(sl_safetensors_write(path, NULL, 0, pair, 2, &err), SL_ERR_USAGE, err,
                 "two entries are called k");
    assert_fails(sl_safetensors_write(path, NULL, 0, broken, 1, &err), SL_ERR_USAGE, err,
                 "not UTF-8");
    assert_false(sl_file_exists(path));
    sl_array_release(&array);
    sl_array_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensors_and_metadata_are_read),
        cmocka_unit_test(test_half_precision_is_widened_exactly),
        cmocka_unit_test(test_brain_floats_are_the_upper_half_of_floats),
        cmocka_unit_test(test_types_we_do_not_read_do_not_spoil_the_file),
        cmocka_unit_test(test_headers_that_break_the_format_are_refused),
        cmocka_unit_test(test_a_header_longer_than_the_file_is_refused),
        cmocka_unit_test(test_what_is_written_is_read_back),
        cmocka_unit_test(test_the_header_is_aligned_and_sorted),
        cmocka_unit_test(test_what_the_format_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
