/* Tasks: jobs given as words, as a plan stores them. */
#include "job_scene.h"

static struct test_job_scene scene;

/* Split a line at single spaces; the words are valid until the next call. */
static enum sl_status read_words(const char *name, const char *line, struct sl_assignment *out,
                                 struct sl_error *err)
{
    static char text[512], *words[32];
    char *rest = text;
    size_t n_words = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
        words[n_words++] = word;
    test_job_scene_init(&scene);
    return sl_assignment_read(name, words, n_words, &scene.workplace.roots, out, err);
}

static void test_words_fill_the_job(void **state)
{
    (void)state;
    struct sl_assignment assignment;
    struct sl_error err = {0};
    assert_ok(read_words("train", "--data shapes --rest=hard --labels l.npz -e 3 --restart",
                         &assignment, &err),
              err);
    const struct sl_train_job *job = assignment.job;
    const struct sl_train_job usual = sl_train_job_default();
    assert_string_equal(job->data, "shapes");
    assert_int_equal(job->rest, SL_REST_HARD);
    assert_int_equal(job->epochs, 3);
    assert_true(job->restart);
    assert_int_equal(usual.seed, 1);
    assert_int_equal(job->seed, usual.seed);
    assert_near(job->checkpoint_seconds, usual.checkpoint_seconds, 0);
    sl_assignment_release(&assignment);
}

static void test_wrong_words_are_refused(void **state)
{
    (void)state;
    struct sl_assignment assignment;
    struct sl_error err = {0};
    assert_int_equal(read_words("train", "--dat shapes", &assignment, &err), SL_ERR_USAGE);
    assert_string_equal(err.message, "unknown option --dat, did you mean --data?");
    assert_int_equal(read_words("train", "--labels @no-such-set/x.npz", &assignment, &err),
                     SL_ERR_NOT_FOUND);
    assert_int_equal(read_words("tidy", "", &assignment, &err), SL_ERR_NOT_FOUND);
    assert_string_equal(err.message, "no task is called \"tidy\"");
    assert_int_equal(read_words("train", "--data shapes photos", &assignment, &err), SL_ERR_USAGE);
    assert_string_equal(err.message, "one word too many: \"photos\"");
}

/* A plan gets the same messages as a user who types the words. */
static void test_words_without_effect_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *task, *line, *message;
    } cases[] = {
        {"mixing", "--k 3 --x0 0.5 --only list.txt -o c.json",
         "--only has no effect with --k: leave it out"},
        {"mixing", "--k 3 -o c.json", "--k has no effect without --x0"},
        {"mixing", "a.jsonl -o c.csv",
         "--output: \"c.csv\" must end in .json, which is what is written"},
        {"compare", "--mix a.jsonl b.npz", "\"b.npz\" has no effect with --mix: leave it out"},
        {"train", "--data shapes --json", "unknown option --json"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_assignment assignment;
        struct sl_error err = {0};
        assert_int_equal(read_words(cases[i].task, cases[i].line, &assignment, &err), SL_ERR_USAGE);
        assert_memory_equal(err.message, cases[i].message, strlen(cases[i].message));
    }
}

/* The task does what `softlab train` does with the same words, and run.json records them. */
static void test_a_task_does_what_its_words_say(void **state)
{
    (void)state;
    char *words = sl_string_printf(
        "--data shapes:n=20,size=12 --network resnet8 --recipe quick --epochs 1 --output %s",
        test_path("run"));
    struct sl_assignment assignment;
    struct sl_error err = {0};
    struct sl_json run = {0};
    json_t *result = NULL;
    assert_ok(read_words("train", words, &assignment, &err), err);
    assert_ok(sl_assignment_do(&assignment, &scene.workplace, &result, &err), err);
    assert_null(result);
    assert_ok(sl_json_read(test_path("run/run.json"), 1 << 20, &run, &err), err);
    const json_t *asked = json_object_get(run.root, "provenance");
    const json_t *options = json_object_get(asked, "options");
    assert_string_equal(json_string_value(json_object_get(asked, "command")), "train");
    assert_int_equal(json_array_size(json_object_get(asked, "arguments")), 0);
    assert_int_equal(json_integer_value(json_object_get(options, "epochs")), 1);
    assert_string_equal(json_string_value(json_object_get(options, "network")), "resnet8");
    assert_string_equal(json_string_value(json_object_get(options, "rest")), "fail");
    sl_json_release(&run);
    sl_assignment_release(&assignment);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_fill_the_job),
        cmocka_unit_test(test_wrong_words_are_refused),
        cmocka_unit_test(test_words_without_effect_are_refused),
        cmocka_unit_test(test_a_task_does_what_its_words_say),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
