#include "support.h"

static void test_a_failure_carries_code_and_sentence(void **state)
{
    (void)state;
    struct sl_error err;
    assert_int_equal(sl_fail(&err, SL_ERR_INPUT, "line %d: got %s", 3, "x"), SL_ERR_INPUT);
    assert_int_equal(err.code, SL_ERR_INPUT);
    assert_string_equal(err.message, "line 3: got x");
}

static void test_a_null_error_is_allowed_everywhere(void **state)
{
    (void)state;
    assert_int_equal(sl_fail(NULL, SL_ERR_IO, "x"), SL_ERR_IO);
    assert_int_equal(sl_fail_errno(NULL, "x"), SL_ERR_IO);
    assert_int_equal(sl_fail_within(NULL, SL_ERR_INPUT, "x"), SL_ERR_INPUT);
}

static void test_a_long_message_is_cut_visibly(void **state)
{
    (void)state;
    struct sl_error err;
    char text[2000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    sl_fail(&err, SL_ERR_INPUT, "%s", text);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_string_equal(err.message + sizeof err.message - 4, "...");
}

static void test_a_message_stays_one_line_and_cannot_steer_a_terminal(void **state)
{
    (void)state;
    struct sl_error err;
    (void)sl_fail(&err, SL_ERR_INPUT, "unknown \"%s\"", "a\nb\x1b[2J\x7f\xc2\x9b");
    assert_string_equal(err.message, "unknown \"a?b?[2J???\"");
    (void)sl_fail_within(&err, SL_ERR_INPUT, "%s", "caf\xc3\xa9\t");
    assert_string_equal(err.message, "caf\xc3\xa9?: unknown \"a?b?[2J???\"");
}

static void test_context_goes_before_the_message(void **state)
{
    (void)state;
    struct sl_error err;
    enum sl_status code = sl_fail(&err, SL_ERR_INPUT, "no label");
    assert_int_equal(sl_fail_within(&err, code, "item %s", "7"), SL_ERR_INPUT);
    assert_string_equal(err.message, "item 7: no label");
}

static enum sl_status passes_on(enum sl_status status)
{
    SL_TRY(status);
    return SL_OK;
}

static void test_try_passes_a_failure_on(void **state)
{
    (void)state;
    assert_int_equal(passes_on(SL_ERR_NUMERIC), SL_ERR_NUMERIC);
    assert_int_equal(passes_on(SL_OK), SL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_failure_carries_code_and_sentence),
        cmocka_unit_test(test_a_null_error_is_allowed_everywhere),
        cmocka_unit_test(test_a_long_message_is_cut_visibly),
        cmocka_unit_test(test_a_message_stays_one_line_and_cannot_steer_a_terminal),
        cmocka_unit_test(test_context_goes_before_the_message),
        cmocka_unit_test(test_try_passes_a_failure_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
