/* Answers from one format to another, by way of files. */
#include "job_scene.h"

static const char votes_text[] = "item,worker,label\n"
                                 "a,ann,cat\na,bob,cat\na,cid,dog\n"
                                 "b,ann,dog\nb,bob,dog\nb,cid,skip\n";

static struct sl_answers *read_back(const char *path)
{
    struct sl_answers *answers = NULL;
    struct sl_error err;
    assert_ok(sl_answers_load(path, NULL, &answers, &err), err);
    return answers;
}

static char *read_text(const char *path)
{
    struct sl_buffer text;
    struct sl_error err;
    sl_buffer_init(&text, 1 << 16);
    assert_ok(sl_file_read(path, &text, &err), err);
    char *copy = sl_string_copy_n(text.data, text.length);
    sl_buffer_release(&text);
    return copy;
}

static void test_votes_become_answers_and_what_became_is_said(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_import_job job = sl_import_job_default();
    struct sl_import_notes notes;
    struct sl_error err;
    char *paths[] = {test_job_file("votes.csv", votes_text)};
    char *output = sl_string_copy(test_path("answers.jsonl"));
    test_job_scene_init(&scene);
    job.from = "long-csv";
    job.paths = paths;
    job.n_paths = 1;
    job.reading.abstain = (struct sl_word_list){1, {"skip"}};
    job.classes = "dog,cat,skip";
    job.output = output;
    assert_string_equal(sl_import_job_suffix(&job), ".jsonl");
    assert_ok(sl_import_job_run(&job, &scene.workplace, &notes, &err), err);
    assert_int_equal(notes.n_read, 6);
    assert_int_equal(notes.n_abstained, 1);
    assert_string_equal(scene.said, "info: 6 answers read, 1 left out as an abstention\n");
    struct sl_answers *answers = read_back(output);
    assert_int_equal(answers->count, 5);
    assert_int_equal(answers->n_classes, 2);
    assert_string_equal(answers->classes[0], "dog");
    sl_answers_destroy(answers);
    free(paths[0]);
    free(output);
}

/* Converting to a cache or to another format and back gives the same votes. */
static void test_formats_hold_the_same_votes(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_import_job job = sl_import_job_default();
    struct sl_import_notes notes;
    struct sl_error err;
    char *paths[] = {test_job_file("votes.csv", votes_text)};
    char *cache = sl_string_copy(test_path("votes.slb"));
    char *jsonl = sl_string_copy(test_path("again.jsonl"));
    char *csv = sl_string_copy(test_path("again.csv"));
    test_job_scene_init(&scene);
    job.from = "long-csv";
    job.paths = paths;
    job.n_paths = 1;
    job.output = cache;
    assert_null(sl_import_job_suffix(&job));
    assert_ok(sl_import_job_run(&job, &scene.workplace, &notes, &err), err);
    job.from = SL_IMPORT_ANSWERS;
    job.paths = &cache;
    job.output = jsonl;
    assert_ok(sl_import_job_run(&job, &scene.workplace, &notes, &err), err);
    job.paths = &jsonl;
    job.to = "long-csv";
    job.output = csv;
    assert_ok(sl_import_job_run(&job, &scene.workplace, &notes, &err), err);
    char *text = read_text(csv);
    const char *line = votes_text + strcspn(votes_text, "\n") + 1;
    for (size_t length; *line; line += length + 1) {
        char one[64];
        length = strcspn(line, "\n");
        snprintf(one, sizeof one, "%.*s", (int)length, line);
        assert_non_null(strstr(text, one));
    }
    free(text);
    free(paths[0]);
    free(cache);
    free(jsonl);
    free(csv);
}

/* If the first row could be names or answers, the user must say which. */
static void test_the_layout_of_a_matrix_is_as_the_job_says(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_import_job job = sl_import_job_default();
    struct sl_import_notes notes;
    struct sl_error err;
    char *paths[] = {test_job_file("wide.csv", "cat,dog\ncat,cat\n")};
    char *output = sl_string_copy(test_path("wide.jsonl"));
    test_job_scene_init(&scene);
    job.from = "wide";
    job.paths = paths;
    job.n_paths = 1;
    job.id_column = "none";
    job.output = output;
    const struct {
        enum sl_presence header;
        size_t count;
    } cases[] = {{SL_ABSENT, 4}, {SL_PRESENT, 2}};
    for (size_t i = 0; i < 2; i++) {
        job.header = cases[i].header;
        assert_ok(sl_import_job_run(&job, &scene.workplace, &notes, &err), err);
        struct sl_answers *answers = read_back(output);
        assert_int_equal(answers->count, cases[i].count);
        sl_answers_destroy(answers);
    }
    free(paths[0]);
    free(output);
}

static void test_what_an_import_cannot_do_is_refused(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_import_job job = sl_import_job_default();
    struct sl_import_notes notes;
    struct sl_error err;
    char *path = test_job_file("votes.csv", votes_text);
    char *paths[] = {path, path};
    char *output = sl_string_copy(test_path("refused.jsonl"));
    char *cache = sl_string_copy(test_path("refused.slb"));
    test_job_scene_init(&scene);
    assert_fails(sl_import_job_check(&job, &err), SL_ERR_USAGE, err, "--from FORMAT is missing");
    job.from = "morse";
    assert_fails(sl_import_job_check(&job, &err), SL_ERR_USAGE, err, "--output FILE is missing");
    job.output = output;
    assert_fails(sl_import_job_check(&job, &err), SL_ERR_USAGE, err, "FILE is missing");
    job.paths = paths;
    job.n_paths = 2;
    assert_fails(sl_import_job_check(&job, &err), SL_ERR_USAGE, err,
                 "no format that can be read is called \"morse\"");
    job.from = SL_IMPORT_ANSWERS;
    job.to = "pos";
    assert_fails(sl_import_job_check(&job, &err), SL_ERR_USAGE, err,
                 "no format that can be written is called \"pos\"");
    job.to = SL_IMPORT_ANSWERS;
    assert_fails(sl_import_job_run(&job, &scene.workplace, &notes, &err), SL_ERR_USAGE, err,
                 "one file at a time, got 2");
    job.from = "long-csv";
    job.output = cache;
    assert_fails(sl_import_job_run(&job, &scene.workplace, &notes, &err), SL_ERR_USAGE, err,
                 "votes.csv is given twice");
    assert_false(sl_file_exists(output));
    assert_false(sl_file_exists(cache));
    free(path);
    free(output);
    free(cache);
}

/* Some of the items, listed by a text file or by the answers that another file has. */
static void test_some_of_the_items_are_kept(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_import_job job = sl_import_job_default();
    struct sl_import_notes notes;
    struct sl_error err;
    char *paths[] = {test_job_file("votes.csv", votes_text)};
    char *some = sl_string_copy(test_path("some.jsonl"));
    char *again = sl_string_copy(test_path("again.jsonl"));
    char *lines = test_job_file("items.txt", "b\nelsewhere\n");
    char *none = test_job_file("none.txt", "elsewhere\n");
    job.from = "long-csv";
    job.paths = paths;
    job.n_paths = 1;
    job.only = lines;
    job.output = some;
    test_job_scene_init(&scene);
    assert_ok(sl_import_job_run(&job, &scene.workplace, &notes, &err), err);
    char *said =
        sl_string_printf("info: 6 answers read, 3 to other items left out\nwarning: %s: 1 of 2 "
                         "listed items has no answer, the first is elsewhere\n",
                         lines);
    assert_string_equal(scene.said, said);
    free(said);
    struct sl_answers *answers = read_back(some);
    assert_int_equal(answers->count, 3);
    assert_int_equal(sl_name_table_count(answers->items), 1);
    sl_answers_destroy(answers);
    /* From answers.jsonl, by its own items. */
    char *own[] = {some};
    job.from = SL_IMPORT_ANSWERS;
    job.paths = own;
    job.only = some;
    job.output = again;
    assert_ok(sl_import_job_run(&job, &scene.workplace, &notes, &err), err);
    answers = read_back(again);
    assert_int_equal(answers->count, 3);
    sl_answers_destroy(answers);
    job.only = none;
    assert_int_equal(sl_import_job_run(&job, &scene.workplace, &notes, &err), SL_ERR_INPUT);
    assert_non_null(strstr(err.message, "it lists 1 item, and none of them has an answer in"));
    free(paths[0]);
    free(some);
    free(again);
    free(lines);
    free(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes_become_answers_and_what_became_is_said),
        cmocka_unit_test(test_formats_hold_the_same_votes),
        cmocka_unit_test(test_the_layout_of_a_matrix_is_as_the_job_says),
        cmocka_unit_test(test_some_of_the_items_are_kept),
        cmocka_unit_test(test_what_an_import_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
