/* Jobs run from C, as the commands run them; nothing is printed. */
#include "softlab/pipeline.h"

#include "support.h"

static char *write_votes(void)
{
    static const char text[] = "item,worker,label\n"
                               "a,ann,cat\na,bob,cat\na,cid,dog\n"
                               "b,ann,dog\nb,bob,dog\nb,cid,skip\n";
    char *path = sl_string_copy(test_path("votes.csv"));
    test_write(path, text, sizeof text - 1);
    return path;
}

static void test_votes_become_labels(void **state)
{
    (void)state;
    const struct sl_workplace workplace = {.roots = {.folder = "."}};
    struct sl_labels_job job = sl_labels_job_default();
    struct sl_label_notes notes;
    struct sl_rows *rows = NULL;
    struct sl_error err;
    char *votes[] = {write_votes()};
    job.method = "share";
    job.paths = votes;
    job.n_paths = 1;
    job.reading.abstain = (struct sl_word_list){1, {"skip"}};
    assert_ok(sl_labels_job_run(&job, &workplace, &rows, &notes, &err), err);
    assert_int_equal(rows->n_rows, 2);
    assert_int_equal(rows->n_classes, 2);
    assert_string_equal(rows->classes[0], "cat");
    assert_near(rows->values[0], 2.0 / 3, 1e-6);
    assert_near(rows->values[3], 1, 1e-6);
    assert_int_equal(notes.n_used, 5);
    sl_rows_destroy(rows);
    free(votes[0]);
}

/* A job that lacks a file fails, whoever filled in the struct. */
static void test_jobs_say_what_they_lack(void **state)
{
    (void)state;
    const struct sl_workplace workplace = {.roots = {.folder = "."}};
    struct sl_labels_job labels = sl_labels_job_default();
    struct sl_train_job train = sl_train_job_default();
    struct sl_predict_job predict = sl_predict_job_default();
    struct sl_label_notes notes;
    struct sl_rows *rows = NULL;
    struct sl_error err;
    char name[] = "votes.csv";
    assert_int_equal(sl_labels_job_run(&labels, &workplace, &rows, &notes, &err), SL_ERR_USAGE);
    labels.method = "no-such-method";
    assert_int_equal(sl_labels_job_run(&labels, &workplace, &rows, &notes, &err), SL_ERR_USAGE);
    labels.paths = (char *[]){name};
    labels.n_paths = 1;
    assert_int_equal(sl_labels_job_run(&labels, &workplace, &rows, &notes, &err), SL_ERR_USAGE);
    assert_string_equal(err.message, "no method is called \"no-such-method\"");
    assert_int_equal(sl_train_job_run(&train, &workplace, &err), SL_ERR_USAGE);
    train.data = "shapes:n=20,size=12";
    assert_int_equal(sl_train_job_run(&train, &workplace, &err), SL_ERR_USAGE);
    assert_int_equal(sl_predict_job_run(&predict, &workplace, &err), SL_ERR_USAGE);
    assert_null(rows);
}

static bool stop_at_once(void *context)
{
    ++*(int *)context;
    return true;
}

/* A stopped training keeps its checkpoint, and the same job resumes it to the end. */
static void test_a_stopped_training_goes_on(void **state)
{
    (void)state;
    int asked = 0;
    struct sl_workplace workplace = {
        .roots = {.folder = "."}, .context = &asked, .stop = stop_at_once};
    struct sl_train_job job = sl_train_job_default();
    struct sl_train_session *session = NULL;
    struct sl_error err;
    char *folder = sl_string_copy(test_path("stopped"));
    job.data = "shapes:n=24,size=12";
    job.network = "mlp";
    job.recipe = "quick";
    job.epochs = 1;
    job.output = folder;
    assert_int_equal(sl_train_job_run(&job, &workplace, &err), SL_ERR_STOPPED);
    assert_int_equal(asked, 1);
    workplace.stop = NULL;
    assert_ok(sl_train_session_open(&job, NULL, &workplace, &session, &err), err);
    assert_ok(sl_train_session_run(session, &err), err);
    assert_true(sl_file_exists(sl_train_session_weights(session)));
    assert_true(json_is_true(json_object_get(sl_train_session_record(session), "finished")));
    sl_train_session_destroy(session);
    job.epochs = 2;
    assert_int_equal(sl_train_job_run(&job, &workplace, &err), SL_ERR_INPUT);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes_become_labels),
        cmocka_unit_test(test_jobs_say_what_they_lack),
        cmocka_unit_test(test_a_stopped_training_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
