#include "experiment/run/ledger.h"

#include <sys/wait.h>

#include "support.h"

#define KEY(letter)                                                                                \
    letter letter letter letter letter letter letter letter letter letter letter letter letter     \
        letter letter letter

static json_t *line(const char *key, int value)
{
    return json_pack("{s:s, s:i}", "key", key, "value", value);
}

static void put(struct sl_ledger *ledger, const char *key, int value)
{
    struct sl_error err = {0};
    json_t *result = line(key, value);
    assert_ok(sl_ledger_append(ledger, result, &err), err);
    json_decref(result);
}

static struct sl_ledger reopened(const char *folder)
{
    struct sl_error err = {0};
    struct sl_ledger ledger;
    assert_ok(sl_ledger_open(folder, &ledger, &err), err);
    return ledger;
}

static void assert_file(const char *path, const char *expected)
{
    struct sl_error err = {0};
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    assert_ok(sl_file_read(path, &text, &err), err);
    sl_buffer_text(&text, "");
    assert_string_equal(text.data, expected);
    sl_buffer_release(&text);
}

static struct sl_run run_with(const char *key)
{
    struct sl_run run = {0};
    memcpy(run.key, key, sizeof run.key);
    return run;
}

static const char one[] = KEY("0001"), two[] = KEY("0002"), three[] = KEY("0003");

static void test_lines_are_there_when_it_is_opened_again(void **state)
{
    (void)state;
    const char *folder = test_path("again");
    struct sl_ledger ledger = reopened(folder);
    put(&ledger, one, 1);
    sl_ledger_close(&ledger);
    ledger = reopened(folder);
    const struct sl_run has = run_with(one), lacks = run_with(two);
    assert_true(sl_ledger_has(&ledger, &has));
    assert_false(sl_ledger_has(&ledger, &lacks));
    sl_ledger_close(&ledger);
}

static void test_a_line_that_was_cut_goes(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *folder = test_path("cut");
    assert_ok(sl_folder_create(folder, &err), err);
    char *path = sl_path_join(folder, "results.jsonl");
    char *text = sl_string_printf("{\"key\":\"%s\"}\n{\"key\":\"%.20s", one, two);
    assert_ok(sl_file_write(path, text, strlen(text), &err), err);
    struct sl_ledger ledger = reopened(folder);
    assert_int_equal(ledger.n_lines, 1);
    put(&ledger, two, 2);
    sl_ledger_close(&ledger);
    char *expected = sl_string_printf("{\"key\":\"%s\"}\n{\"key\":\"%s\",\"value\":2}\n", one, two);
    assert_file(path, expected);
    free(expected);
    free(text);
    free(path);
}

static void test_a_line_that_is_no_result_is_named(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *folder = test_path("other");
    assert_ok(sl_folder_create(folder, &err), err);
    char *path = sl_path_join(folder, "results.jsonl");
    assert_ok(sl_file_write(path, "{}\n", 3, &err), err);
    struct sl_ledger ledger;
    assert_fails(sl_ledger_open(folder, &ledger, &err), SL_ERR_INPUT, err,
                 "results.jsonl:1: not a result");
    free(path);
}

static void test_the_later_of_two_lines_counts(void **state)
{
    (void)state;
    const char *folder = test_path("later");
    struct sl_ledger ledger = reopened(folder);
    put(&ledger, one, 1);
    put(&ledger, one, 2);
    assert_int_equal(ledger.n_lines, 1);
    assert_non_null(strstr(ledger.lines[0].text, "\"value\":2"));
    sl_ledger_close(&ledger);
}

static void test_a_run_that_lacked_a_test_is_made_again_when_it_is_there(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_ledger ledger = reopened(test_path("lacks"));
    json_t *result = json_pack("{s:s, s:{s:s}}", "key", one, "absent", "v4", "not fetched");
    assert_ok(sl_ledger_append(&ledger, result, &err), err);
    struct sl_run run = run_with(one);
    assert_false(sl_ledger_has(&ledger, &run));
    run.absent = json_pack("{s:s}", "v4", "still not fetched");
    assert_true(sl_ledger_has(&ledger, &run));
    json_decref(run.absent);
    json_decref(result);
    sl_ledger_close(&ledger);
}

static void test_lines_are_put_into_the_order_of_the_plan_behind_others(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *folder = test_path("order");
    struct sl_ledger ledger = reopened(folder);
    put(&ledger, two, 2);
    put(&ledger, three, 3);
    put(&ledger, one, 1);
    struct sl_run runs[] = {run_with(one), run_with(two)};
    const struct sl_experiment plan = {.runs = runs, .n_runs = 2};
    assert_ok(sl_ledger_order(&ledger, &plan, &err), err);
    char *expected = sl_string_printf("{\"key\":\"%s\",\"value\":3}\n{\"key\":\"%s\",\"value\":1}\n"
                                      "{\"key\":\"%s\",\"value\":2}\n",
                                      three, one, two);
    assert_file(ledger.results, expected);
    free(expected);
    sl_ledger_close(&ledger);
}

/* The training curve makes the line longer than the writer's buffer. */
static void test_a_long_line_is_put_into_order_too(void **state)
{
    (void)state;
    enum { EPOCHS = 60000 };
    struct sl_error err = {0};
    const char *folder = test_path("long");
    struct sl_ledger ledger = reopened(folder);
    json_t *long_line = line(two, 2), *curve = json_array();
    for (size_t i = 0; i < EPOCHS; i++)
        json_array_append_new(curve, json_real(.125));
    json_object_set_new(long_line, "curve", curve);
    assert_ok(sl_ledger_append(&ledger, long_line, &err), err);
    put(&ledger, one, 1);
    struct sl_run runs[] = {run_with(one), run_with(two)};
    const struct sl_experiment plan = {.runs = runs, .n_runs = 2};
    assert_ok(sl_ledger_order(&ledger, &plan, &err), err);
    sl_ledger_close(&ledger);
    ledger = reopened(folder);
    assert_int_equal(ledger.n_lines, 2);
    assert_true(strlen(ledger.lines[1].text) > (size_t)EPOCHS * 6);
    json_decref(long_line);
    sl_ledger_close(&ledger);
}

static void put_failure(struct sl_ledger *ledger, const char *key)
{
    struct sl_error err = {0};
    json_t *failure = line(key, 0);
    assert_ok(sl_ledger_fail(ledger, failure, &err), err);
    json_decref(failure);
}

static void test_failures_are_forgotten_when_they_are_tried_again(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *folder = test_path("failures");
    struct sl_ledger ledger = reopened(folder);
    struct sl_run both[] = {run_with(one), run_with(three)}, last = run_with(two);
    const struct sl_experiment first = {.runs = both, .n_runs = 2},
                               second = {.runs = &last, .n_runs = 1};
    assert_ok(sl_ledger_forget_failures(&ledger, &first, &err), err);
    put_failure(&ledger, one);
    put_failure(&ledger, two);
    put_failure(&ledger, three);
    assert_ok(sl_ledger_forget_failures(&ledger, &first, &err), err);
    char *expected = sl_string_printf("{\"key\":\"%s\",\"value\":0}\n", two);
    assert_file(ledger.failures, expected);
    assert_ok(sl_ledger_forget_failures(&ledger, &second, &err), err);
    assert_false(sl_file_exists(ledger.failures));
    free(expected);
    sl_ledger_close(&ledger);
}

static void test_a_second_process_is_refused(void **state)
{
    (void)state;
    const char *folder = test_path("busy");
    struct sl_ledger ledger = reopened(folder);
    const pid_t child = fork();
    if (child == 0) {
        struct sl_ledger second;
        struct sl_error err;
        _exit(sl_ledger_open(folder, &second, &err) == SL_ERR_USAGE ? 7 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 7);
    sl_ledger_close(&ledger);
    ledger = reopened(folder);
    sl_ledger_close(&ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_there_when_it_is_opened_again),
        cmocka_unit_test(test_a_line_that_was_cut_goes),
        cmocka_unit_test(test_a_line_that_is_no_result_is_named),
        cmocka_unit_test(test_the_later_of_two_lines_counts),
        cmocka_unit_test(test_a_run_that_lacked_a_test_is_made_again_when_it_is_there),
        cmocka_unit_test(test_lines_are_put_into_the_order_of_the_plan_behind_others),
        cmocka_unit_test(test_a_long_line_is_put_into_order_too),
        cmocka_unit_test(test_failures_are_forgotten_when_they_are_tried_again),
        cmocka_unit_test(test_a_second_process_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
