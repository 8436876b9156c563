#include "support.h"

struct seen {
    int lines;
    enum sl_log_level level;
    char line[4096];
};

static void remember(void *context, enum sl_log_level level, const char *line)
{
    struct seen *seen = context;
    seen->lines++;
    seen->level = level;
    snprintf(seen->line, sizeof seen->line, "%s", line);
}

static void test_a_line_arrives_formatted_with_its_level(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct sl_log log = {.level = SL_LOG_INFO, .write = remember, .context = &seen};
    sl_log(&log, SL_LOG_WARNING, "%d of %s", 3, "five");
    assert_int_equal(seen.lines, 1);
    assert_int_equal(seen.level, SL_LOG_WARNING);
    assert_string_equal(seen.line, "3 of five");
}

static void test_what_is_more_detailed_is_dropped(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct sl_log log = {.level = SL_LOG_INFO, .write = remember, .context = &seen};
    sl_log(&log, SL_LOG_DEBUG, "detail");
    assert_int_equal(seen.lines, 0);
    sl_log(&log, SL_LOG_INFO, "news");
    sl_log(&log, SL_LOG_ERROR, "trouble");
    assert_int_equal(seen.lines, 2);
    log.level = SL_LOG_ERROR;
    sl_log(&log, SL_LOG_WARNING, "hm");
    assert_int_equal(seen.lines, 2);
}

static void test_a_call_is_one_line_whatever_it_holds(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct sl_log log = {.level = SL_LOG_INFO, .write = remember, .context = &seen};
    sl_log(&log, SL_LOG_INFO, "a\nb\r\nc%s", "\n");
    assert_int_equal(seen.lines, 1);
    assert_string_equal(seen.line, "a b  c ");
}

static void test_a_long_line_is_cut_visibly(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct sl_log log = {.level = SL_LOG_INFO, .write = remember, .context = &seen};
    char text[5000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    sl_log(&log, SL_LOG_INFO, "%s", text);
    assert_int_equal(strlen(seen.line), 2047);
    assert_string_equal(seen.line + 2043, "a...");
}

static void test_no_log_is_silent(void **state)
{
    (void)state;
    struct sl_log log = {.level = SL_LOG_DEBUG};
    sl_log(NULL, SL_LOG_ERROR, "nobody hears");
    sl_log(&log, SL_LOG_ERROR, "nobody hears");
}

static void test_levels_have_names(void **state)
{
    (void)state;
    assert_string_equal(sl_log_level_name(SL_LOG_ERROR), "error");
    assert_string_equal(sl_log_level_name(SL_LOG_WARNING), "warning");
    assert_string_equal(sl_log_level_name(SL_LOG_INFO), "info");
    assert_string_equal(sl_log_level_name(SL_LOG_DEBUG), "debug");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_arrives_formatted_with_its_level),
        cmocka_unit_test(test_what_is_more_detailed_is_dropped),
        cmocka_unit_test(test_a_call_is_one_line_whatever_it_holds),
        cmocka_unit_test(test_a_long_line_is_cut_visibly),
        cmocka_unit_test(test_no_log_is_silent),
        cmocka_unit_test(test_levels_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
