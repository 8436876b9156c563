#include "softlab/base/command.h"

#include "support.h"

static void test_what_is_printed_comes_back(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_buffer printed;
    const char *const words[] = {"sh", "-c", "pwd; cat; echo aside >&2", NULL};
    sl_buffer_init(&printed, 1 << 10);
    assert_ok(sl_command_run(&(struct sl_command){.words = words, .folder = "/"}, &printed, &err),
              err);
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
    assert_int_equal(sl_command_run(&(struct sl_command){.words = words}, &printed, &err),
                     SL_ERR_BACKEND);
    assert_int_equal(printed.length, 300000);
    assert_string_equal(err.message, "sh -c ended with status 3: why");
    sl_buffer_release(&printed);
}

static void test_a_program_that_is_killed(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *const words[] = {"sh", "-c", "kill -9 $$", NULL};
    assert_int_equal(sl_command_run(&(struct sl_command){.words = words}, NULL, &err),
                     SL_ERR_BACKEND);
    assert_string_equal(err.message, "sh -c ended with signal 9");
}

static void test_a_program_that_is_not_there(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *const words[] = {"no-such-program", NULL};
    assert_int_equal(sl_command_run(&(struct sl_command){.words = words}, NULL, &err),
                     SL_ERR_NOT_FOUND);
    assert_string_equal(err.message, "no-such-program is not installed");
}

/* An environment of its own, and a process group that a signal to this one does not reach. */
static void test_a_program_that_is_kept_apart(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_buffer printed;
    const char *const words[] = {
        "sh", "-c", "echo \"$HOME,$GIVEN\"; cut -d' ' -f5 </proc/$$/stat; echo $$", NULL};
    const char *const environment[] = {"GIVEN=yes", "PATH=/usr/bin:/bin", NULL};
    const struct sl_command command = {.words = words, .environment = environment, .apart = true};
    sl_buffer_init(&printed, 1 << 10);
    assert_ok(sl_command_run(&command, &printed, &err), err);
    char *rest = printed.data;
    assert_string_equal(strtok_r(rest, "\n", &rest), ",yes");
    const char *group = strtok_r(rest, "\n", &rest), *process = strtok_r(rest, "\n", &rest);
    assert_string_equal(group, process);
    sl_buffer_release(&printed);
}

static void test_the_cause_stands_before_the_way_to_help(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *const words[] = {"ls", "--no-such-option", NULL};
    assert_int_equal(sl_command_run(&(struct sl_command){.words = words}, NULL, &err),
                     SL_ERR_BACKEND);
    assert_non_null(strstr(err.message, "unrecognized option"));
    const char *const alone[] = {"sh", "-c", "echo Try sh --help >&2; exit 1", NULL};
    assert_int_equal(sl_command_run(&(struct sl_command){.words = alone}, NULL, &err),
                     SL_ERR_BACKEND);
    assert_non_null(strstr(err.message, "Try sh --help"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_printed_comes_back),
        cmocka_unit_test(test_long_output_on_both_streams),
        cmocka_unit_test(test_a_program_that_is_killed),
        cmocka_unit_test(test_a_program_that_is_not_there),
        cmocka_unit_test(test_a_program_that_is_kept_apart),
        cmocka_unit_test(test_the_cause_stands_before_the_way_to_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
