/* Results folders on a file system that does not show the locks of one machine to another: the lock
 * is always granted here, so that two ledgers are open at once, as on two machines. */
#include "experiment/run/turn.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiment/run/ledger.h"
#include "experiment/run/parts.h"
#include "support.h"

#define KEY(letter)                                                                                \
    letter letter letter letter letter letter letter letter letter letter letter letter letter     \
        letter letter letter
static const char one[] = KEY("0001"), two[] = KEY("0002"), three[] = KEY("0003");

static int problem;

int flock(int descriptor, int operation)
{
    (void)descriptor, (void)operation;
    errno = problem;
    return problem ? -1 : 0;
}

static struct sl_ledger opened(const char *folder)
{
    struct sl_error err = {0};
    struct sl_ledger ledger;
    assert_ok(sl_ledger_open(folder, &ledger, &err), err);
    return ledger;
}

static void put(struct sl_ledger *ledger, const char *key)
{
    struct sl_error err = {0};
    json_t *line = json_pack("{s:s}", "key", key);
    assert_ok(sl_ledger_append(ledger, line, &err), err);
    json_decref(line);
}

static struct sl_run run_with(const char *key)
{
    struct sl_run run = {0};
    memcpy(run.key, key, sizeof run.key);
    return run;
}

static void test_two_ledgers_keep_each_others_lines(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *folder = test_path("two");
    struct sl_ledger first = opened(folder), second = opened(folder);
    struct sl_run runs[] = {run_with(one), run_with(two), run_with(three)};
    const struct sl_experiment plan = {.runs = runs, .n_runs = 3};
    put(&first, three);
    put(&second, two);
    put(&first, one);
    /* The second one has not seen the last line. */
    assert_ok(sl_ledger_order(&second, &plan, &err), err);
    sl_ledger_close(&first);
    sl_ledger_close(&second);
    struct sl_ledger third = opened(folder);
    assert_int_equal(third.n_lines, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(third.lines[i].key, runs[i].key);
    sl_ledger_close(&third);
}

static void test_a_part_is_joined_by_one_and_seen_by_both(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *folder = test_path("part");
    const struct sl_run run = run_with(one);
    struct sl_ledger ledgers[] = {opened(folder), opened(folder)};
    struct sl_outputs outputs[2];
    enum sl_part_state joined[2];
    char *path = sl_part_folder(folder, one), *reason = NULL;
    struct sl_ledger part = opened(path);
    put(&part, one);
    sl_ledger_close(&part);
    for (size_t i = 0; i < 2; i++) {
        assert_ok(sl_outputs_open(&outputs[i], folder, &err), err);
        assert_ok(sl_part_join(&ledgers[i], &outputs[i], &run, &joined[i], &reason, &err), err);
    }
    assert_int_equal(joined[0], SL_PART_DONE);
    assert_int_equal(joined[1], SL_PART_NONE);
    assert_false(sl_folder_exists(path));
    assert_false(sl_ledger_has_key(&ledgers[1], one));
    assert_ok(sl_ledger_begin_turn(&ledgers[1], &err), err);
    assert_true(sl_ledger_has_key(&ledgers[1], one));
    sl_ledger_end_turn(&ledgers[1]);
    for (size_t i = 0; i < 2; i++) {
        sl_outputs_close(&outputs[i]);
        sl_ledger_close(&ledgers[i]);
    }
    free(path);
}

/* The task of a part may end after its part was joined on another machine. */
static void test_nothing_is_written_into_a_part_after_its_result(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *folder = test_path("gone");
    struct sl_run run = run_with(two);
    const struct sl_experiment plan = {.runs = &run, .n_runs = 1};
    struct sl_ledger part = opened(folder);
    put(&part, one);
    put(&part, two);
    sl_folder_remove(folder);
    assert_ok(sl_ledger_order(&part, &plan, &err), err);
    assert_false(sl_folder_exists(folder));
    sl_ledger_close(&part);
}

enum { PROCESSES = 4, LINES = 25 };

static _Noreturn void append_lines(const char *folder, unsigned process)
{
    struct sl_error err = {0};
    struct sl_ledger ledger;
    if (sl_ledger_open(folder, &ledger, &err) != SL_OK) _exit(1);
    for (unsigned i = 0; i < LINES; i++) {
        char *key = sl_string_printf("%064x", process * LINES + i);
        struct sl_run run = run_with(key);
        const struct sl_experiment plan = {.runs = &run, .n_runs = 1};
        put(&ledger, key);
        if (sl_ledger_order(&ledger, &plan, &err) != SL_OK) _exit(2);
        free(key);
    }
    sl_ledger_close(&ledger);
    _exit(0);
}

static void test_processes_that_write_at_once_lose_nothing(void **state)
{
    (void)state;
    const char *folder = test_path("many");
    pid_t children[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) append_lines(folder, i);
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        int result = 1;
        assert_int_equal(waitpid(children[i], &result, 0), children[i]);
        assert_int_equal(result, 0);
    }
    struct sl_ledger ledger = opened(folder);
    assert_int_equal(ledger.n_lines, PROCESSES * LINES);
    sl_ledger_close(&ledger);
}

static void test_the_turn_of_a_killed_process_is_taken_over(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *folder = test_path("killed");
    assert_ok(sl_folder_create(folder, &err), err);
    const pid_t child = fork();
    if (child == 0) _exit(sl_turn_begin(folder, NULL) == SL_OK ? 7 : 1);
    int result = 0;
    waitpid(child, &result, 0);
    assert_int_equal(WEXITSTATUS(result), 7);
    char *path = sl_path_join(folder, "turn");
    assert_true(sl_file_exists(path));
    assert_ok(sl_turn_begin(folder, &err), err);
    sl_turn_end(folder);
    assert_false(sl_file_exists(path));
    free(path);
}

static void test_a_file_system_without_locks_is_named(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_ledger ledger;
    problem = ENOLCK;
    const enum sl_status status = sl_ledger_open(test_path("none"), &ledger, &err);
    problem = 0;
    assert_fails(status, SL_ERR_IO, err, "none cannot be locked (No locks available)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_ledgers_keep_each_others_lines),
        cmocka_unit_test(test_a_part_is_joined_by_one_and_seen_by_both),
        cmocka_unit_test(test_nothing_is_written_into_a_part_after_its_result),
        cmocka_unit_test(test_processes_that_write_at_once_lose_nothing),
        cmocka_unit_test(test_the_turn_of_a_killed_process_is_taken_over),
        cmocka_unit_test(test_a_file_system_without_locks_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
