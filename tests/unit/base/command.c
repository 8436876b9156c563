#include "softlab/base/command.h"

#include "support.h"

static void test_what_is_printed_comes_back(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_buffer printed;
    const char *const words[] = {"sh", "-c", "pwd; cat; echo aside >&2", NULL};
    sl_buffer_init(&printed, 1 << 10);
    assert_ok(sl_command_run(words, "/", &printed, &err), err);
    assert_string_equal(printed.data, "/\n");
    sl_buffer_release(&printed);
}

/* Far more than a pipe holds, on both streams: one that is read after the other would never end. */
static void test_long_output_on_both_streams(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_buffer printed;
    const char *const words[] = {
        "sh", "-c", "yes aside | head -c 300000 >&2; yes | head -c 300000; echo why >&2; exit 3",
        NULL};
    sl_buffer_init(&printed, 1 << 20);
    assert_int_equal(sl_command_run(words, NULL, &printed, &err), SL_ERR_BACKEND);
    assert_int_equal(printed.length, 300000);
    assert_string_equal(err.message, "sh -c ended with status 3: why");
    sl_buffer_release(&printed);
}

static void test_a_program_that_is_killed(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *const words[] = {"sh", "-c", "kill -9 $$", NULL};
    assert_int_equal(sl_command_run(words, NULL, NULL, &err), SL_ERR_BACKEND);
    assert_string_equal(err.message, "sh -c ended with signal 9");
}

static void test_a_program_that_is_not_there(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *const words[] = {"no-such-program", NULL};
    assert_int_equal(sl_command_run(words, NULL, NULL, &err), SL_ERR_NOT_FOUND);
    assert_string_equal(err.message, "no-such-program is not installed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_printed_comes_back),
        cmocka_unit_test(test_long_output_on_both_streams),
        cmocka_unit_test(test_a_program_that_is_killed),
        cmocka_unit_test(test_a_program_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
