/* Trains one network on one class per item and one on the true distributions, evaluates both on
 * other items, and writes a report: soft_or_hard FOLDER. Only public headers are used; the embedded
 * data set needs no download. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "softlab/base.h"
#include "softlab/pipeline.h"
#include "softlab/report.h"

static const char *const names[] = {"hard labels", "soft labels"};
enum { N_MODELS = 2 };

/* A cross-entropy to people, and how often the most probable class is theirs. */
struct scores {
    double cross_entropy, accuracy;
};

static enum sl_status train(const char *labels, const char *output,
                            const struct sl_workplace *workplace, struct sl_error *err)
{
    struct sl_train_job job = sl_train_job_default();
    job.data = "shapes:n=300,size=12,seed=1";
    job.labels = labels;
    job.network = "resnet8";
    job.recipe = "quick";
    job.epochs = 3;
    job.output = output;
    job.restart = true;
    return sl_train_job_run(&job, workplace, err);
}

static enum sl_status evaluate(const char *run, const struct sl_workplace *workplace,
                               struct scores *out, struct sl_error *err)
{
    struct sl_eval_job job = sl_eval_job_default();
    struct sl_weights_evaluation evaluation = {0};
    job.data = "shapes:n=200,size=12,seed=2";
    job.labels = "truth";
    job.metrics = "accuracy,cross_entropy";
    SL_TRY(sl_evaluate_weights(&job, run, workplace, &evaluation, err));
    const struct sl_evaluation *test = &evaluation.tests[0];
    for (size_t m = 0; m < test->n_metrics; m++) {
        double *field =
            test->metrics[m] == sl_metric_find("accuracy") ? &out->accuracy : &out->cross_entropy;
        *field = test->intervals[m].estimate;
    }
    sl_weights_evaluation_release(&evaluation);
    return SL_OK;
}

static enum sl_status report(const struct scores scores[N_MODELS], const char *path,
                             struct sl_error *err)
{
    static const char *const columns[] = {"trained on", "cross-entropy", "accuracy"};
    const struct sl_table_head head = {
        .id = "scores", .caption = "200 other shapes", .columns = columns, .n_columns = 3};
    struct sl_report *document = sl_report_create("Soft or hard labels");
    struct sl_buffer text;
    enum sl_status status = SL_OK;
    sl_buffer_init(&text, 1 << 24);
    sl_report_table(document, &head);
    for (size_t i = 0; i < N_MODELS; i++) {
        sl_report_cell(document, sl_cell_text(names[i]));
        sl_report_cell(document, sl_cell_number(scores[i].cross_entropy, NAN, 3));
        sl_report_cell(document, sl_cell_number(scores[i].accuracy, NAN, 3));
    }
    SL_TRY_OUT(sl_report_render(document, sl_report_format_find("html"), &text, err));
    SL_TRY_OUT(sl_file_write(path, text.data, text.length, err));
out:
    sl_buffer_release(&text);
    sl_report_destroy(document);
    return status;
}

/* The true distributions of what is trained on, which only made data have. */
static enum sl_status write_truth(const char *path, const struct sl_workplace *workplace,
                                  struct sl_error *err)
{
    struct sl_dataset *set = NULL;
    struct sl_rows *rows = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_dataset_open("shapes:n=300,size=12,seed=1", &workplace->roots, &set, err));
    SL_TRY_OUT(sl_dataset_truth_rows(set, &rows, err));
    SL_TRY_OUT(sl_rows_write(rows, "labels", path, err));
out:
    sl_rows_destroy(rows);
    sl_dataset_destroy(set);
    return status;
}

static enum sl_status run(const char *folder, struct sl_error *err)
{
    const struct sl_workplace workplace = {.roots = {.folder = folder}};
    struct scores scores[N_MODELS] = {{0}};
    char *labels = sl_path_join(folder, "truth.npz"), *page = sl_path_join(folder, "report.html");
    char *runs[N_MODELS] = {sl_path_join(folder, "hard"), sl_path_join(folder, "soft")};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_folder_create(folder, err));
    SL_TRY_OUT(write_truth(labels, &workplace, err));
    for (size_t i = 0; i < N_MODELS; i++) {
        SL_TRY_OUT(train(i == 0 ? NULL : labels, runs[i], &workplace, err));
        SL_TRY_OUT(evaluate(runs[i], &workplace, &scores[i], err));
        printf("%s: cross-entropy %.3f, accuracy %.3f\n", names[i], scores[i].cross_entropy,
               scores[i].accuracy);
    }
    SL_TRY_OUT(report(scores, page, err));
    printf("%s\n", page);
out:
    free(labels);
    free(page);
    free(runs[0]);
    free(runs[1]);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc != 2) {
        fprintf(stderr, "usage: soft_or_hard FOLDER\n");
        return 2;
    }
    if (run(argv[1], &err) == SL_OK) return 0;
    fprintf(stderr, "soft_or_hard: %s\n", err.message);
    return 1;
}
