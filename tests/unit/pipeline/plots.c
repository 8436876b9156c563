/* The plots of evaluations, from files of predictions. */
#include "softlab/pipeline.h"

#include "support.h"

static const struct sl_workplace workplace = {.roots = {.folder = "."}};

/* Four items, of which the second model gets one more wrong. */
static void evaluate(bool against, struct sl_eval_job *job, struct sl_evaluation *out)
{
    static const char labels[] = "item,cat,dog\na,1,0\nb,1,0\nc,0,1\nd,0,1\n";
    static const char model[] = "item,cat,dog\na,.9,.1\nb,.8,.2\nc,.3,.7\nd,.6,.4\n";
    static const char other[] = "item,cat,dog\na,.9,.1\nb,.2,.8\nc,.3,.7\nd,.6,.4\n";
    static char files[3][512];
    struct sl_error err;
    char *model_path = files[1];
    const char *const names[] = {"labels.csv", "model.csv", "other.csv"};
    const char *const texts[] = {labels, model, other};
    for (size_t i = 0; i < 3; i++) {
        snprintf(files[i], sizeof files[i], "%s", test_path(names[i]));
        test_write(files[i], texts[i], strlen(texts[i]));
    }
    *job = sl_eval_job_default();
    job->labels = files[0];
    job->metrics = "accuracy";
    if (against) job->against = files[2];
    assert_ok(sl_evaluate_predictions(job, &model_path, 1, &workplace, out, &err), err);
}

static void assert_has(const char *path, const char *part, bool has)
{
    struct sl_error err;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    assert_ok(sl_file_read(path, &text, &err), err);
    assert_int_equal(strstr(text.data, part) != NULL, has);
    sl_buffer_release(&text);
}

static void test_every_plot_is_written(void **state)
{
    (void)state;
    struct sl_eval_job job;
    struct sl_evaluation run;
    struct sl_error err;
    evaluate(false, &job, &run);
    assert_ok(sl_evaluation_write_plots(&run, test_path("made/figures"), &err), err);
    assert_has(test_path("made/figures/reliability.svg"), "Does confidence mean", true);
    assert_has(test_path("made/figures/confidence.svg"), "model.csv, 4 items", true);
    assert_has(test_path("made/figures/risk-coverage.svg"), "other.csv", false);
    sl_evaluation_release(&run);
    evaluate(true, &job, &run);
    assert_ok(sl_evaluation_write_plots(&run, test_path("made/figures"), &err), err);
    assert_has(test_path("made/figures/risk-coverage.svg"), "other.csv", true);
    sl_evaluation_release(&run);
}

static void test_several_test_sets_have_a_folder_each(void **state)
{
    (void)state;
    char *names[] = {(char[]){"easy/one"}, (char[]){"hard"}, NULL};
    struct sl_eval_job jobs[2];
    struct sl_evaluation runs[2];
    struct sl_weights_evaluation tests = {.names = names, .tests = runs, .n_tests = 2};
    struct sl_error err;
    evaluate(false, &jobs[0], &runs[0]);
    evaluate(false, &jobs[1], &runs[1]);
    assert_ok(sl_weights_evaluation_write_plots(&tests, test_path("many"), &err), err);
    assert_true(sl_file_exists(test_path("many/easy-one/confidence.svg")));
    assert_true(sl_file_exists(test_path("many/hard/confidence.svg")));
    tests.n_tests = 1;
    assert_ok(sl_weights_evaluation_write_plots(&tests, test_path("single"), &err), err);
    assert_true(sl_file_exists(test_path("single/confidence.svg")));
    test_write(test_path("taken"), "", 0);
    assert_fails(sl_weights_evaluation_write_plots(&tests, test_path("taken"), &err), SL_ERR_IO,
                 err, "test \"easy/one\"");
    sl_evaluation_release(&runs[0]);
    sl_evaluation_release(&runs[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_plot_is_written),
        cmocka_unit_test(test_several_test_sets_have_a_folder_each),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
