/* Reads the files of `softlab eval` and matches predictions with labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static const char as_given[] = "as given", as_shares[] = "counts divided by their sum",
                  as_softmax[] = "softmax of counts", as_classes[] = "one class per item";

/* The files of one model. */
struct inputs {
    const char *path;                     /* borrowed; the file of predictions */
    struct sl_rows *predictions, *labels; /* owned */
    int32_t *own_hard;                    /* owned; classes in the predictions' file, or NULL */
    int32_t *labels_hard;                 /* owned; the classes of --hard, or NULL */
    size_t *order;                        /* owned; or NULL */
    struct sl_rows *counts;               /* owned; the labels before they are divided; or NULL */
    const char *reference;
};

static void release(struct inputs *inputs)
{
    sl_rows_destroy(inputs->predictions);
    sl_rows_destroy(inputs->labels);
    sl_rows_destroy(inputs->counts);
    free(inputs->own_hard);
    free(inputs->labels_hard);
    free(inputs->order);
}

/* Turn classes, numbered as in the predictions, into one-hot rows. */
static enum sl_status rows_of_classes(const int32_t *classes, size_t count,
                                      const struct sl_rows *predictions, const char *path,
                                      struct sl_rows **out, struct sl_error *err)
{
    const size_t n_classes = predictions->n_classes;
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_create(count, n_classes, &rows, err));
    for (size_t i = 0; i < count; i++) {
        if (classes[i] < 0 || (size_t)classes[i] >= n_classes) {
            sl_rows_destroy(rows);
            return sl_fail(err, SL_ERR_INPUT, "%s: the class of row %zu is %d, expected 0 to %zu",
                           path, i, classes[i], n_classes - 1);
        }
        rows->values[i * n_classes + (size_t)classes[i]] = 1;
    }
    *out = rows;
    return sl_names_copy(predictions->classes, n_classes, &rows->classes, err);
}

/* Read labels: distributions, counts or classes. */
static enum sl_status read_labels(const struct sl_workplace *workplace, const char *path,
                                  struct inputs *inputs, struct sl_error *err)
{
    size_t count = 0;
    int32_t *classes = NULL;
    const struct sl_rows *predictions = inputs->predictions;
    const struct sl_class_list columns = {inputs->path, predictions->classes,
                                          predictions->n_classes};
    SL_TRY(sl_eval_read_vector(workplace, path, &columns, &classes, &count, err));
    if (!classes) {
        SL_TRY(sl_rows_get(workplace, path, "labels", &inputs->labels, err));
        const struct sl_class_list own = {path, inputs->labels->classes, inputs->labels->n_classes};
        sl_say_unnamed(workplace, &columns, &own);
        return SL_OK;
    }
    inputs->reference = as_classes;
    enum sl_status status =
        rows_of_classes(classes, count, predictions, path, &inputs->labels, err);
    free(classes);
    return status;
}

/* Whether an .npz holds labels beside the predictions. An .npz with labels only is itself the
 * predictions. */
static enum sl_status has_own_labels(const char *path, bool *out, struct sl_error *err)
{
    bool labels = false, logits = false, probs = false;
    if (sl_path_has_suffix(path, ".npz")) {
        SL_TRY(sl_npz_file_has(path, "labels", &labels, err));
        SL_TRY(sl_npz_file_has(path, "logits", &logits, err));
        SL_TRY(sl_npz_file_has(path, "probs", &probs, err));
    }
    *out = labels && (logits || probs);
    return SL_OK;
}

/* Read the labels in a file of predictions; they share its rows. */
static enum sl_status read_own_labels(const struct sl_workplace *workplace, struct inputs *inputs,
                                      struct sl_error *err)
{
    const struct sl_rows *predictions = inputs->predictions;
    SL_TRY(read_labels(workplace, inputs->path, inputs, err));
    if (inputs->labels->items || inputs->labels->n_rows != predictions->n_rows) return SL_OK;
    return sl_names_copy(predictions->items, predictions->n_rows, &inputs->labels->items, err);
}

/* Count the rows with a class. A prediction without a class, or a class without a prediction, is
 * refused unless --subset is given: the accuracy would silently be over fewer items. */
static enum sl_status check_hard(const struct sl_eval_job *job, const char *path,
                                 const struct inputs *inputs, const struct sl_strangers *strangers,
                                 size_t *n_known, struct sl_error *err)
{
    const struct sl_rows *predictions = inputs->predictions;
    size_t first = SIZE_MAX;
    *n_known = 0;
    for (size_t i = 0; i < predictions->n_rows; i++) {
        const bool known = inputs->labels_hard[i] != SL_NO_LABEL;
        *n_known += known;
        if (!known && first == SIZE_MAX) first = i;
    }
    char number[32];
    const char *item =
        first == SIZE_MAX ? "" : sl_rows_item(predictions, first, number, sizeof number);
    if (first != SIZE_MAX && (!job->subset || *n_known == 0))
        return sl_fail(err, SL_ERR_INPUT,
                       "%s has no class for %zu of %zu item%s of %s, the first is item %.60s; "
                       "--subset leaves them out",
                       job->hard, predictions->n_rows - *n_known, predictions->n_rows,
                       sl_text_plural(predictions->n_rows, "", "s"), path, item);
    if (strangers->count && !job->subset)
        return sl_fail(
            err, SL_ERR_INPUT,
            "%s has no row for %zu item%s of %s, the first is item %s; --subset leaves them out",
            path, strangers->count, sl_text_plural(strangers->count, "", "s"), job->hard,
            strangers->first);
    return SL_OK;
}

/* Keep only the rows whose class is known. */
static void keep_known(struct inputs *inputs)
{
    struct sl_rows *rows = inputs->predictions;
    size_t kept = 0;
    for (size_t i = 0; i < rows->n_rows; i++) {
        const bool known = inputs->labels_hard[i] != SL_NO_LABEL;
        if (known) {
            inputs->labels_hard[kept] = inputs->labels_hard[i];
            memmove(rows->values + kept * rows->n_classes, rows->values + i * rows->n_classes,
                    rows->n_classes * sizeof *rows->values);
        }
        if (rows->items && !known) free(rows->items[i]);
        if (rows->items && known) rows->items[kept] = rows->items[i];
        kept += known;
    }
    rows->n_rows = kept;
}

/* Score against true classes alone, for instance to check the labels of an aggregation. */
static enum sl_status read_hard_as_labels(const struct sl_workplace *workplace,
                                          const struct sl_eval_job *job, const char *path,
                                          struct inputs *inputs, struct sl_error *err)
{
    struct sl_strangers strangers = {0};
    size_t n_known = 0;
    const struct sl_class_list columns = {path, inputs->predictions->classes,
                                          inputs->predictions->n_classes};
    const struct sl_class_list numbers = {.owner = job->hard};
    SL_TRY(sl_eval_read_hard(workplace, job->hard, inputs->predictions, path, &strangers,
                             &inputs->labels_hard, err));
    if (!columns.names) sl_say_unnamed(workplace, &columns, &numbers);
    SL_TRY(check_hard(job, path, inputs, &strangers, &n_known, err));
    const size_t n_all = inputs->predictions->n_rows;
    if (n_known < n_all)
        sl_log(workplace->log, SL_LOG_INFO,
               "%s: left out %zu of %zu item%s, which %s no class in %s", path, n_all - n_known,
               n_all, sl_text_plural(n_all, "", "s"),
               sl_text_plural(n_all - n_known, "has", "have"), job->hard);
    if (strangers.count)
        sl_log(workplace->log, SL_LOG_INFO, "%s: left out %zu item%s without a row in %s",
               job->hard, strangers.count, sl_text_plural(strangers.count, "", "s"), path);
    if (n_known < n_all) keep_known(inputs);
    inputs->reference = as_classes;
    SL_TRY(rows_of_classes(inputs->labels_hard, n_known, inputs->predictions, job->hard,
                           &inputs->labels, err));
    /* Without names, items called 3, 2, 1, 0 would be taken for the rows of these labels. */
    return sl_names_copy(inputs->predictions->items, n_known, &inputs->labels->items, err);
}

static bool are_counts(const struct sl_rows *rows)
{
    for (size_t i = 0; i < rows->n_rows * rows->n_classes; i++)
        if (!(rows->values[i] >= 0 && rows->values[i] == floorf(rows->values[i]))) return false;
    return true;
}

static enum sl_status divide_by_sums(struct sl_rows *rows, const char *path, struct sl_error *err)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        float *row = rows->values + i * rows->n_classes;
        double sum = 0;
        for (size_t k = 0; k < rows->n_classes; k++)
            sum += (double)row[k];
        char number[32];
        if (!(sum > 0))
            return sl_fail(err, SL_ERR_INPUT, "%s: item %s has no counts", path,
                           sl_rows_item(rows, i, number, sizeof number));
        for (size_t k = 0; k < rows->n_classes; k++)
            row[k] = (float)((double)row[k] / sum);
    }
    return SL_OK;
}

/* Turn counts into distributions, unless the job asks for their softmax. */
static enum sl_status settle_reference(const struct sl_eval_job *job, const char *path,
                                       struct inputs *inputs, struct sl_error *err)
{
    const bool said = job->counts != SL_COUNTS_GUESS;
    if (job->counts == SL_COUNTS_SOFTMAX) {
        inputs->reference = as_softmax;
        return SL_OK;
    }
    enum sl_status status = sl_rows_check_distributions(inputs->labels, path, err);
    if (!inputs->reference) inputs->reference = status == SL_OK ? as_given : as_shares;
    if (status == SL_OK) return SL_OK;
    return said || are_counts(inputs->labels) ? divide_by_sums(inputs->labels, path, err) : status;
}

/* Keep the counts that are answers of people for --defer. Rows that sum to 1 are distributions. */
static enum sl_status keep_counts(const struct sl_eval_job *job, struct inputs *inputs,
                                  struct sl_error *err)
{
    struct sl_error not_shares;
    if (job->defer.count == 0 || job->answers || inputs->reference == as_classes) return SL_OK;
    if (!are_counts(inputs->labels)) return SL_OK;
    if (sl_rows_check_distributions(inputs->labels, "labels", &not_shares) == SL_OK) return SL_OK;
    return sl_rows_copy(inputs->labels, &inputs->counts, err);
}

/* People must not be judged by their own answers. */
static enum sl_status check_truth(const struct sl_eval_job *job, const struct inputs *inputs,
                                  struct sl_error *err)
{
    const char *answers = job->answers ? job->answers : job->labels;
    if (!inputs->labels_hard && !inputs->own_hard && inputs->reference != as_classes)
        return sl_fail(err, SL_ERR_USAGE,
                       "--defer needs true classes: people's first choice is made of the answers "
                       "that would be judged by it; name a file or a data set with --hard");
    if (job->hard && answers && strcmp(job->hard, answers) == 0)
        return sl_fail(err, SL_ERR_USAGE,
                       "--defer: %s cannot be both the true classes and the answers that are "
                       "judged by them",
                       answers);
    return SL_OK;
}

static enum sl_status read_order(const char *path, struct inputs *inputs, struct sl_error *err)
{
    size_t count = 0;
    SL_TRY(sl_split_read(path, inputs->labels->n_rows, &inputs->order, &count, err));
    if (count != inputs->predictions->n_rows)
        return sl_fail(err, SL_ERR_INPUT, "%s: %zu item%s for %zu prediction%s", path, count,
                       sl_text_plural(count, "", "s"), inputs->predictions->n_rows,
                       sl_text_plural(inputs->predictions->n_rows, "", "s"));
    return SL_OK;
}

/* An .npz may hold hard labels beside the predictions while --labels gives soft ones. */
static enum sl_status read_own_classes(const struct sl_workplace *workplace, const char *labels,
                                       struct inputs *inputs, struct sl_error *err)
{
    const char *path = inputs->path;
    size_t count = 0;
    if (!sl_path_has_suffix(path, ".npz")) return SL_OK;
    const struct sl_class_list columns = {labels, inputs->labels->classes,
                                          inputs->labels->n_classes};
    SL_TRY(sl_eval_read_vector(workplace, path, &columns, &inputs->own_hard, &count, err));
    if (inputs->own_hard && count != inputs->predictions->n_rows)
        return sl_fail(err, SL_ERR_INPUT, "%s: labels has %zu class%s for %zu prediction%s", path,
                       count, sl_text_plural(count, "", "es"), inputs->predictions->n_rows,
                       sl_text_plural(inputs->predictions->n_rows, "", "s"));
    return SL_OK;
}

static enum sl_status read_all(const struct sl_workplace *workplace, const struct sl_eval_job *job,
                               const char *path, struct inputs *inputs,
                               struct sl_evaluated_model *model, struct sl_error *err)
{
    bool own = false;
    SL_TRY(sl_predictions_read(workplace, path, &inputs->predictions, &model->kind, err));
    sl_say_rescaled(workplace, path, inputs->predictions);
    SL_TRY(has_own_labels(path, &own, err));
    model->labels = job->labels ? sl_workplace_shown(workplace, job->labels)
                    : own       ? "the predictions' own"
                                : sl_workplace_shown(workplace, job->hard);
    if (job->labels)
        SL_TRY(read_labels(workplace, job->labels, inputs, err));
    else if (own)
        SL_TRY(read_own_labels(workplace, inputs, err));
    else if (job->hard && !job->order && job->counts == SL_COUNTS_GUESS)
        return read_hard_as_labels(workplace, job, path, inputs, err);
    else
        return sl_fail(err, SL_ERR_USAGE,
                       "%s has no labels of its own: name what people said with --labels%s", path,
                       job->hard ? "" : ", or true classes with --hard");
    sl_say_rescaled(workplace, job->labels, inputs->labels);
    SL_TRY(keep_counts(job, inputs, err));
    SL_TRY(settle_reference(job, job->labels ? job->labels : path, inputs, err));
    if (job->order) SL_TRY(read_order(job->order, inputs, err));
    if (job->hard)
        SL_TRY(sl_eval_read_hard(workplace, job->hard, inputs->labels,
                                 job->labels ? job->labels : path, NULL, &inputs->labels_hard,
                                 err));
    else if (job->labels)
        SL_TRY(read_own_classes(workplace, job->labels, inputs, err));
    return SL_OK;
}

enum sl_status sl_eval_read(const struct sl_workplace *workplace, const struct sl_eval_job *job,
                            const char *path, struct sl_evaluated_model *out, struct sl_error *err)
{
    struct inputs inputs = {.path = path};
    struct sl_evaluated_model model = {.path = sl_workplace_shown(workplace, path)};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_all(workplace, job, path, &inputs, &model, err));
    const struct sl_scored_options options = {.logits = model.kind == SL_PREDICTION_LOGITS,
                                              .hard = inputs.own_hard,
                                              .labels_hard = inputs.labels_hard,
                                              .order = inputs.order,
                                              .softmax_counts = inputs.reference == as_softmax,
                                              .subset = job->subset};
    status = sl_scored_create(inputs.predictions, inputs.labels, &options, &model.scored, err);
    if (status != SL_OK) {
        sl_fail_within(err, status, "%s", path);
        goto out;
    }
    if (job->defer.count > 0) {
        SL_TRY_OUT(check_truth(job, &inputs, err));
        SL_TRY_OUT(
            sl_eval_read_recorded(workplace, job, inputs.labels, inputs.counts, &model, err));
    }
    model.reference = inputs.reference;
    model.hard = inputs.labels_hard ? sl_string_copy(sl_workplace_shown(workplace, job->hard))
                 : inputs.own_hard  ? sl_string_copy("the predictions' own")
                                    : sl_string_copy("people's first choice");
    *out = model;
    model = (struct sl_evaluated_model){0};
out:
    sl_eval_model_release(&model);
    release(&inputs);
    return status;
}

void sl_eval_model_release(struct sl_evaluated_model *model)
{
    sl_scored_destroy(model->scored);
    sl_recorded_destroy(model->recorded);
    free(model->hard);
    *model = (struct sl_evaluated_model){0};
}
