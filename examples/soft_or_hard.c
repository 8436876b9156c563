/* Trains one network on hard labels and one on soft labels, and says which predicts new items
 * better:
 *
 *     soft_or_hard FOLDER
 *
 * The data set is embedded and knows the true distribution of every item, so nothing is downloaded.
 * FOLDER gets the soft labels and one folder per run. Each job of softlab/pipeline.h does what the
 * command of its name does; its fields are the command's options. */
#include <softlab/base.h>
#include <softlab/pipeline.h>
#include <stdio.h>
#include <stdlib.h>

static const char training_items[] = "shapes:n=300,size=12,classes=3,ambiguous=1,seed=1";
static const char new_items[] = "shapes:n=200,size=12,classes=3,ambiguous=1,seed=2";

/* With answers of people, sl_labels_job_run would make the labels here. */
static enum sl_status write_true_labels(const struct sl_workplace *workplace, const char *path,
                                        struct sl_error *err)
{
    struct sl_dataset *set = NULL;
    struct sl_rows *rows = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_workplace_open(workplace, training_items, &set, err));
    SL_TRY_OUT(sl_dataset_truth_rows(set, &rows, err));
    SL_TRY_OUT(sl_rows_write(rows, "labels", path, err));
out:
    sl_rows_destroy(rows);
    sl_dataset_destroy(set);
    return status;
}

/* Train into the folder `output`; without `labels` the targets are the items' hard labels. */
static enum sl_status train(const struct sl_workplace *workplace, const char *labels,
                            const char *output, struct sl_error *err)
{
    struct sl_train_job job = sl_train_job_default();
    job.data = training_items;
    job.labels = labels;
    job.network = "resnet8";
    job.recipe = "quick";
    job.set = "batch=16,crop=0";
    job.epochs = 6;
    job.output = output;
    job.restart = true;
    return sl_train_job_run(&job, workplace, err);
}

/* Score both runs on the same new items, and print each measure with the interval of the
 * difference. */
static enum sl_status compare(const struct sl_workplace *workplace, const char *soft,
                              const char *hard, struct sl_error *err)
{
    struct sl_eval_job job = sl_eval_job_default();
    struct sl_weights_evaluation evaluation = {0};
    job.data = new_items;
    job.labels = "truth";
    job.metrics = "accuracy,cross_entropy,brier";
    job.against = hard;
    SL_TRY(sl_evaluate_weights(&job, soft, workplace, &evaluation, err));
    const struct sl_evaluation *test = &evaluation.tests[0];
    printf("%-14s %6s %6s   difference (95 %% interval)\n", "", "soft", "hard");
    for (size_t m = 0; m < test->n_metrics; m++) {
        const struct sl_paired *paired = &test->paired[m];
        printf("%-14s %6.3f %6.3f   %+.3f (%+.3f to %+.3f)\n", test->metrics[m]->name, paired->a,
               paired->b, paired->difference.estimate, paired->difference.low,
               paired->difference.high);
    }
    sl_weights_evaluation_release(&evaluation);
    return SL_OK;
}

static enum sl_status train_and_compare(const char *folder, struct sl_error *err)
{
    struct sl_workplace workplace = {.roots = {.folder = folder}};
    char *labels = sl_path_join(folder, "truth.npz");
    char *soft = sl_path_join(folder, "soft"), *hard = sl_path_join(folder, "hard");
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_pool_create(0, &workplace.pool, err));
    SL_TRY_OUT(sl_folder_create(folder, err));
    SL_TRY_OUT(write_true_labels(&workplace, labels, err));
    SL_TRY_OUT(train(&workplace, labels, soft, err));
    SL_TRY_OUT(train(&workplace, NULL, hard, err));
    SL_TRY_OUT(compare(&workplace, soft, hard, err));
out:
    sl_pool_destroy(workplace.pool);
    free(labels);
    free(soft);
    free(hard);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc != 2) {
        fprintf(stderr, "soft_or_hard: name the folder for the two runs: soft_or_hard FOLDER\n");
        return 2;
    }
    if (train_and_compare(argv[1], &err) == SL_OK) return 0;
    fprintf(stderr, "soft_or_hard: %s\n", err.message);
    return 1;
}
