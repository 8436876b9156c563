#include "support.h"

#include "base/file/gzip.h"
#include "base/file/stream.h"

/* More than zlib takes at once, and nothing that repeats. */
enum { LENGTH = 300 * 1000 };

static void test_what_was_written_is_read_back(void **state)
{
    (void)state;
    static char text[LENGTH], back[LENGTH + 1];
    struct sl_error err;
    struct sl_stream *stream = NULL;
    size_t got = 0;
    uint32_t value = 1;
    for (size_t i = 0; i < LENGTH; i++) {
        value = value * 1664525u + 1013904223u;
        text[i] = (char)(value >> 24);
    }
    assert_ok(sl_gzip_write(test_path("a.gz"), "a", text, LENGTH, &err), err);
    assert_ok(sl_file_stream_open(test_path("a.gz"), &stream, &err), err);
    assert_ok(sl_stream_read(stream, back, sizeof back, &got, &err), err);
    assert_int_equal(got, LENGTH);
    assert_memory_equal(back, text, LENGTH);
    sl_file_stream_close(stream);
}

/* Neither the time nor the system is in the file: RFC 1952, section 2.3. */
static void test_the_header_says_the_name_alone(void **state)
{
    (void)state;
    static const unsigned char expected[] = {0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 2, 255, 'w', 0};
    struct sl_error err;
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, 1000);
    assert_ok(sl_gzip_write(test_path("w.gz"), "w", "", 0, &err), err);
    assert_ok(sl_file_read(test_path("w.gz"), &bytes, &err), err);
    assert_true(bytes.length > sizeof expected);
    assert_memory_equal(bytes.data, expected, sizeof expected);
    sl_buffer_release(&bytes);
}

static void test_a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct sl_error err;
    assert_fails(sl_gzip_write(test_path("none/a.gz"), "a", "x", 1, &err), SL_ERR_IO, err,
                 "none/a.gz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_written_is_read_back),
        cmocka_unit_test(test_the_header_says_the_name_alone),
        cmocka_unit_test(test_a_folder_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, test_folder_clear, test_folder_clear);
}
