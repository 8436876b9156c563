/* Words for sbatch, files of Slurm jobs, and parts: everything of a launch that needs no cluster.
 */
#include "softlab/experiment/launch.h"

#include <sys/file.h>
#include <unistd.h>

#include "experiment/launch/slurm.h"
#include "experiment/launch/submission.h"
#include "experiment/run/parts.h"
#include "support.h"

#define KEY(letter)                                                                                \
    letter letter letter letter letter letter letter letter letter letter letter letter letter     \
        letter letter letter
static const char one[] = KEY("0001"), two[] = KEY("0002");

/* ---- Words ---- */

static void test_words_become_options(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_slurm_words words;
    assert_ok(
        sl_slurm_words_read("partition=gpu,time=1-00:00,exclude=n[1,3],exclusive", &words, &err),
        err);
    static const char *const expected[] = {"--partition=gpu", "--time=1-00:00", "--exclude=n[1,3]",
                                           "--exclusive"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(words.words[i], expected[i]);
    assert_null(words.words[4]);
    assert_true(words.times);
    assert_false(words.sizes);
    sl_slurm_words_release(&words);
    assert_ok(sl_slurm_words_read("mem-per-cpu=2G,timeless=1", &words, &err), err);
    assert_true(words.sizes);
    assert_false(words.times);
    sl_slurm_words_release(&words);
    assert_ok(sl_slurm_words_read(NULL, &words, &err), err);
    assert_null(words.words[0]);
    sl_slurm_words_release(&words);
}

static void test_words_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",      ",time=1", "time=1,", "time=", "=1",
                                        "--mem", "a b=1",   "a=\n",    "Time=1"};
    struct sl_slurm_words words;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sl_error err = {0};
        assert_int_equal(sl_slurm_words_read(wrong[i], &words, &err), SL_ERR_USAGE);
        assert_non_null(strstr(err.message, "is not an option of sbatch"));
    }
    struct sl_error err = {0};
    assert_int_equal(sl_slurm_words_read("time=3,wrap=ls", &words, &err), SL_ERR_USAGE);
    assert_string_equal(err.message, "--slurm: wrap cannot be given: softlab writes the script");
}

/* sbatch takes the beginning of an option for the option. */
static void test_words_that_may_be_short_for_refused_ones_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"outpu=/tmp/x", "arra=2-4", "chdi=/tmp", "parsabl",
                                        "test-onl",     "c=4",      "wait",      "clusters=all"};
    static const char *const right[] = {"partition=a", "waitx",    "no-requeue", "time-min=5",
                                        "nodelist=n1", "nice=100", "qos=long",   "wckey=x"};
    struct sl_slurm_words words;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sl_error err = {0};
        assert_int_equal(sl_slurm_words_read(wrong[i], &words, &err), SL_ERR_USAGE);
        assert_non_null(strstr(err.message, "cannot be given"));
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        struct sl_error err = {0};
        assert_ok(sl_slurm_words_read(right[i], &words, &err), err);
        sl_slurm_words_release(&words);
    }
    struct sl_error err = {0};
    assert_int_equal(sl_slurm_words_read("outpu=x", &words, &err), SL_ERR_USAGE);
    assert_string_equal(err.message, "--slurm: outpu, which may be short for output, cannot be "
                                     "given: logs are in the slurm folder of the results");
}

static void test_words_of_memory(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool sizes;
    } cases[] = {{"mem=2G", true},       {"mem-per-cpu=2G", true},  {"mem-per-gpu=2G", true},
                 {"mem-per-c=2G", true}, {"mem-bind=local", false}, {"memx=1", false},
                 {"tmp=2G", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err = {0};
        struct sl_slurm_words words;
        assert_ok(sl_slurm_words_read(cases[i].word, &words, &err), err);
        assert_int_equal(words.sizes, cases[i].sizes);
        sl_slurm_words_release(&words);
    }
}

static void test_variables_that_give_refused_words(void **state)
{
    (void)state;
    static const char *const disturb[] = {"SBATCH_WAIT=1",
                                          "SBATCH_WAIT=", "SBATCH_OPEN_MODE=append",
                                          "SBATCH_ERROR=x", "SBATCH_CLUSTERS=a,b"};
    static const char *const stay[] = {"SBATCH_ACCOUNT=a",
                                       "SBATCH_WAIT_ALL_NODES=1",
                                       "SBATCH_PARTITION=p",
                                       "WAIT=1",
                                       "SBATCH_",
                                       "SBATCH_=1",
                                       ""};
    for (size_t i = 0; i < sizeof disturb / sizeof *disturb; i++)
        assert_true(sl_slurm_words_disturb(disturb[i]));
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        assert_false(sl_slurm_words_disturb(stay[i]));
}

/* ---- Files of a job ---- */

/* An experiment of two runs on the heap, as a plan has it. */
static struct sl_experiment *two_runs(void)
{
    struct sl_experiment *plan = sl_alloc(1, sizeof *plan);
    plan->name = sl_string_copy("mine");
    plan->scale = sl_string_copy("quick");
    plan->variant = sl_string_copy("as-run");
    plan->kind = "result";
    plan->runs = sl_alloc(2, sizeof *plan->runs);
    plan->n_runs = 2;
    memcpy(plan->runs[0].key, one, sizeof one);
    memcpy(plan->runs[1].key, two, sizeof two);
    for (size_t i = 0; i < 2; i++) {
        plan->runs[i].title = sl_string_printf("seed %zu", i);
        plan->runs[i].seed = (int64_t)i;
        plan->runs[i].fold = -1;
    }
    plan->runs[1].set = sl_string_copy("votes");
    return plan;
}

static void test_a_job_is_open_until_it_is_closed(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *results = test_path("jobs");
    struct sl_experiment *plan = two_runs();
    size_t tasks[] = {0, 1};
    struct sl_submissions open = {0};
    char *first = NULL, *second = NULL, script[] = "/shared/script", number[] = "4711";
    assert_ok(sl_launch_check(results, &err), err);
    assert_ok(sl_submission_folder(results, &first, &err), err);
    assert_ok(sl_submission_folder(results, &second, &err), err);
    assert_string_not_equal(first, second);
    assert_ok(sl_launch_check(results, &err), err);
    struct sl_submission written = {
        .folder = first, .script = script, .experiment = plan, .tasks = tasks};
    assert_ok(sl_submission_write(&written, &err), err);
    assert_int_equal(sl_launch_check(results, &err), SL_ERR_USAGE);
    assert_non_null(strstr(err.message, "has a Slurm job without a number"));
    assert_ok(sl_submissions_read(results, &open, &err), err);
    assert_null(open.items[0].job);
    sl_submissions_release(&open);
    written.job = number;
    assert_ok(sl_submission_write(&written, &err), err);
    assert_int_equal(sl_launch_check(results, &err), SL_ERR_USAGE);
    assert_non_null(strstr(err.message, "has Slurm job 4711"));
    assert_ok(sl_submissions_read(results, &open, &err), err);
    assert_int_equal(open.count, 1);
    const struct sl_submission *job = &open.items[0];
    assert_string_equal(job->job, "4711");
    assert_string_equal(job->script, "/shared/script");
    assert_string_equal(job->experiment->name, "mine");
    assert_int_equal(job->experiment->n_runs, 2);
    assert_string_equal(job->experiment->runs[1].key, two);
    assert_string_equal(job->experiment->runs[1].set, "votes");
    assert_null(job->experiment->runs[0].set);
    assert_int_equal(job->experiment->runs[1].fold, -1);
    assert_int_equal(job->tasks[0], 0);
    assert_int_equal(job->tasks[1], 1);
    assert_true(sl_submissions_have(&open, two));
    assert_false(sl_submissions_have(&open, one)); /* it has no task */
    assert_ok(sl_submission_close(job, &err), err);
    assert_ok(sl_submission_close(job, &err), err); /* by another watch */
    assert_ok(sl_launch_check(results, &err), err);
    sl_submissions_release(&open);
    sl_experiment_destroy(plan);
    free(first);
    free(second);
}

static void test_a_damaged_job_is_an_error(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{",
        "{\"job\": 1}",
        /* a job becomes a word of scancel */
        "{\"job\":\"--user=root\",\"spec\":\"\",\"scale\":\"\",\"variant\":\"\",\"runs\":[]}",
        "{\"job\":\"\",\"spec\":\"\",\"scale\":\"\",\"variant\":\"\",\"runs\":[]}",
        /* without a script nothing says which job it is */
        "{\"job\":null,\"spec\":\"\",\"scale\":\"\",\"variant\":\"\",\"runs\":[]}",
        "{\"job\": \"1\", \"spec\": \"m\", \"scale\": \"q\", \"variant\": \"v\"}",
        /* a task becomes a word of sbatch */
        "{\"job\":\"1\",\"spec\":\"\",\"scale\":\"\",\"variant\":\"\",\"runs\":[],\"makes\":[]}",
        "{\"job\":\"1\",\"spec\":\"\",\"scale\":\"\",\"variant\":\"\",\"runs\":[],"
        "\"makes\":{\"k\":1}}",
        "{\"job\":\"1\",\"spec\":\"\",\"scale\":\"\",\"variant\":\"\",\"runs\":[],"
        "\"makes\":{\"k\":\"1,x\"}}",
        /* a key becomes part of a path */
        "{\"job\":\"1\",\"spec\":\"\",\"scale\":\"\",\"variant\":\"\",\"runs\":[{\"key\":\"..\"}]}",
    };
    const char *results = test_path("damaged");
    char *folder = NULL;
    struct sl_error err = {0};
    assert_ok(sl_submission_folder(results, &folder, &err), err);
    char *path = sl_path_join(folder, "open.json");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_ok(sl_file_write(path, wrong[i], strlen(wrong[i]), &err), err);
        assert_int_equal(sl_launch_check(results, &err), SL_ERR_INPUT);
        assert_non_null(strstr(err.message, "open.json"));
    }
    free(path);
    free(folder);
}

/* ---- Parts ---- */

static void write_file(const char *folder, const char *name, const char *text)
{
    struct sl_error err = {0};
    char *path = sl_path_join(folder, name);
    char *parent = sl_string_copy_n(path, (size_t)(sl_path_name(path) - path));
    assert_ok(sl_folder_create(parent, &err), err);
    assert_ok(sl_file_write(path, text, strlen(text), &err), err);
    free(parent);
    free(path);
}

static bool has_file(const char *folder, const char *name)
{
    char *path = sl_path_join(folder, name);
    const bool has = sl_file_exists(path);
    free(path);
    return has;
}

/* A part with two outputs and a result. */
static void write_part(const char *part, const struct sl_run *run)
{
    struct sl_error err = {0};
    struct sl_outputs outputs;
    struct sl_ledger ledger;
    char labels_name[] = "cache/a.npz", weights_name[] = "runs/b/weights.safetensors";
    const struct sl_job labels = {.output = labels_name}, weights = {.output = weights_name};
    assert_ok(sl_ledger_open(part, &ledger, &err), err);
    write_file(part, "cache/a.npz", "labels");
    write_file(part, "runs/b/weights.safetensors", "weights");
    write_file(part, "runs/b/log.jsonl", "{}\n");
    write_file(part, "runs/b/run.json", "{}");
    write_file(part, "logs/a.log", "log");
    assert_ok(sl_outputs_open(&outputs, part, &err), err);
    assert_ok(sl_outputs_keep(&outputs, &labels, &err), err);
    assert_ok(sl_outputs_keep(&outputs, &weights, &err), err);
    json_t *line = json_pack("{s:s, s:f}", "key", run->key, "value", .1);
    assert_ok(sl_ledger_append(&ledger, line, &err), err);
    json_decref(line);
    sl_outputs_close(&outputs);
    sl_ledger_close(&ledger);
}

static size_t count_lines(const char *path)
{
    struct sl_error err = {0};
    struct sl_buffer text;
    size_t count = 0;
    sl_buffer_init(&text, 1 << 20);
    assert_ok(sl_file_read(path, &text, &err), err);
    for (size_t i = 0; i < text.length; i++)
        count += text.data[i] == '\n';
    sl_buffer_release(&text);
    return count;
}

static enum sl_part_state join(struct sl_ledger *ledger, struct sl_outputs *outputs,
                               const struct sl_run *run)
{
    struct sl_error err = {0};
    enum sl_part_state state;
    char *reason = NULL;
    assert_ok(sl_part_join(ledger, outputs, run, &state, &reason, &err), err);
    assert_true((state == SL_PART_FAILED) == (reason != NULL));
    free(reason);
    return state;
}

static void test_a_part_is_joined_whole_and_once(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *results = test_path("joined");
    struct sl_experiment *plan = two_runs();
    struct sl_ledger ledger;
    struct sl_outputs outputs;
    char *part = sl_part_folder(results, one);
    assert_ok(sl_ledger_open(results, &ledger, &err), err);
    assert_ok(sl_outputs_open(&outputs, results, &err), err);
    assert_int_equal(join(&ledger, &outputs, &plan->runs[0]), SL_PART_NONE);
    write_part(part, &plan->runs[0]);
    /* A training of an earlier try, which was not finished. */
    write_file(results, "runs/b/checkpoint", "old");
    assert_int_equal(join(&ledger, &outputs, &plan->runs[0]), SL_PART_DONE);
    assert_true(sl_ledger_has_key(&ledger, one));
    assert_false(sl_folder_exists(part));
    assert_true(has_file(results, "cache/a.npz") && has_file(results, "runs/b/run.json"));
    assert_true(has_file(results, "logs/a.log"));
    assert_false(has_file(results, "runs/b/checkpoint"));
    char labels_name[] = "cache/a.npz", weights_name[] = "runs/b/weights.safetensors";
    const struct sl_job labels = {.output = labels_name}, weights = {.output = weights_name};
    assert_int_equal(sl_outputs_look(&outputs, &labels), SL_OUTPUT_GOOD);
    assert_int_equal(sl_outputs_look(&outputs, &weights), SL_OUTPUT_GOOD);
    /* A join that was interrupted before the part was deleted is repeated. */
    write_part(part, &plan->runs[0]);
    write_file(part, "cache/a.npz", "labels of another time");
    assert_int_equal(join(&ledger, &outputs, &plan->runs[0]), SL_PART_DONE);
    assert_int_equal(count_lines(ledger.results), 1);
    assert_int_equal(sl_outputs_look(&outputs, &labels), SL_OUTPUT_GOOD);
    sl_outputs_close(&outputs);
    sl_ledger_close(&ledger);
    sl_experiment_destroy(plan);
    free(part);
}

static void test_a_part_at_work_is_left_alone(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *results = test_path("busy");
    struct sl_experiment *plan = two_runs();
    struct sl_ledger ledger, working;
    struct sl_outputs outputs;
    char *part = sl_part_folder(results, one);
    assert_ok(sl_ledger_open(results, &ledger, &err), err);
    assert_ok(sl_outputs_open(&outputs, results, &err), err);
    write_part(part, &plan->runs[0]);
    assert_ok(sl_ledger_open(part, &working, &err), err);
    assert_int_equal(join(&ledger, &outputs, &plan->runs[0]), SL_PART_NONE);
    assert_true(has_file(part, "cache/a.npz"));
    sl_ledger_close(&working);
    assert_int_equal(join(&ledger, &outputs, &plan->runs[0]), SL_PART_DONE);
    sl_outputs_close(&outputs);
    sl_ledger_close(&ledger);
    sl_experiment_destroy(plan);
    free(part);
}

static void test_a_failed_part_keeps_its_work(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *results = test_path("failed");
    struct sl_experiment *plan = two_runs();
    struct sl_ledger ledger, failing;
    struct sl_outputs outputs;
    char *part = sl_part_folder(results, two);
    assert_ok(sl_ledger_open(results, &ledger, &err), err);
    assert_ok(sl_outputs_open(&outputs, results, &err), err);
    assert_ok(sl_ledger_open(part, &failing, &err), err);
    write_file(part, "runs/b/checkpoint", "half");
    json_t *failure = json_pack("{s:s, s:s}", "key", two, "log", "no memory");
    assert_ok(sl_ledger_fail(&failing, failure, &err), err);
    json_decref(failure);
    sl_ledger_close(&failing);
    assert_int_equal(join(&ledger, &outputs, &plan->runs[1]), SL_PART_FAILED);
    assert_true(has_file(results, "failures.jsonl"));
    assert_true(has_file(part, "runs/b/checkpoint"));
    assert_int_equal(join(&ledger, &outputs, &plan->runs[1]), SL_PART_NONE);
    sl_outputs_close(&outputs);
    sl_ledger_close(&ledger);
    sl_experiment_destroy(plan);
    free(part);
}

static void test_runs_are_chosen_by_key(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_experiment *plan = two_runs();
    assert_int_equal(sl_experiment_only_keys(plan, "000", &err), SL_ERR_USAGE);
    assert_int_equal(sl_experiment_only_keys(plan, "0001,", &err), SL_ERR_NOT_FOUND);
    assert_int_equal(sl_experiment_only_keys(plan, "0001,0003", &err), SL_ERR_NOT_FOUND);
    assert_int_equal(plan->n_runs, 2);
    assert_ok(sl_experiment_only_keys(plan, "0002", &err), err);
    assert_int_equal(plan->n_runs, 1);
    assert_string_equal(plan->runs[0].key, two);
    sl_experiment_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_become_options),
        cmocka_unit_test(test_words_that_are_none_are_refused),
        cmocka_unit_test(test_words_that_may_be_short_for_refused_ones_are_refused),
        cmocka_unit_test(test_words_of_memory),
        cmocka_unit_test(test_variables_that_give_refused_words),
        cmocka_unit_test(test_a_job_is_open_until_it_is_closed),
        cmocka_unit_test(test_a_damaged_job_is_an_error),
        cmocka_unit_test(test_a_part_is_joined_whole_and_once),
        cmocka_unit_test(test_a_part_at_work_is_left_alone),
        cmocka_unit_test(test_a_failed_part_keeps_its_work),
        cmocka_unit_test(test_runs_are_chosen_by_key),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
