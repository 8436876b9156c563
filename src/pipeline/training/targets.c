/* The targets of a training: label files matched to items, held-out items and teachers. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/training/train.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/files.h"

/* Append `more` to `rows`. Both have item names and the classes of the data set or of `rows`. */
static enum sl_status append_rows(struct sl_rows *rows, struct sl_rows *more, const char *what,
                                  struct sl_error *err)
{
    if (!rows->items || !more->items)
        return sl_fail(err, SL_ERR_INPUT, "%s: labels without item names cannot be joined", what);
    const struct sl_class_list classes = {"the other labels", rows->classes, rows->n_classes};
    SL_TRY(sl_rows_reorder(more, what, &classes, err));
    const size_t n = rows->n_rows + more->n_rows, k = rows->n_classes;
    struct sl_rows *both = NULL;
    SL_TRY(sl_rows_create(n, k, &both, err));
    memcpy(both->values, rows->values, rows->n_rows * k * sizeof *both->values);
    memcpy(both->values + rows->n_rows * k, more->values, more->n_rows * k * sizeof *both->values);
    both->items = sl_alloc(n, sizeof *both->items);
    if (rows->annotators || more->annotators)
        both->annotators = sl_alloc(n, sizeof *both->annotators);
    for (size_t i = 0; i < n; i++) {
        const bool first = i < rows->n_rows;
        const struct sl_rows *from = first ? rows : more;
        const size_t row = first ? i : i - rows->n_rows;
        both->items[i] = sl_string_copy(from->items[row]);
        if (both->annotators)
            both->annotators[i] = sl_string_copy(from->annotators ? from->annotators[row] : "");
    }
    both->classes = rows->classes;
    rows->classes = NULL;
    const struct sl_rows was = *rows;
    *rows = *both;
    *both = was;
    sl_rows_destroy(both);
    return SL_OK;
}

/* Read a label file and match its classes with those of the items; items without classes get the
 * file's. */
static enum sl_status read_label_file(const struct sl_workplace *workplace, const char *path,
                                      struct sl_feeding *data, struct sl_rows **out,
                                      struct sl_error *err)
{
    SL_TRY(sl_rows_read(path, "labels", out, err));
    sl_say_rescaled(workplace, path, *out);
    const struct sl_class_list classes = {path, (*out)->classes, (*out)->n_classes};
    if (data->dataset->n_classes == 0 && classes.names)
        return sl_feeding_match(workplace, &classes, data, err);
    return sl_feeding_labels(workplace, data, path, *out, err);
}

static enum sl_status read_labels(const struct sl_workplace *workplace,
                                  const struct sl_train_job *job, struct sl_feeding *data,
                                  struct sl_rows **out, struct sl_error *err)
{
    struct sl_rows *rows = NULL, *extra = NULL;
    enum sl_status status = SL_OK;
    if (job->labels) SL_TRY_OUT(read_label_file(workplace, job->labels, data, &rows, err));
    if (job->extra_labels) {
        SL_TRY_OUT(read_label_file(workplace, job->extra_labels, data, &extra, err));
        if (rows) {
            SL_TRY_OUT(append_rows(rows, extra, job->extra_labels, err));
        } else {
            rows = extra;
            extra = NULL;
        }
    }
    *out = rows;
    rows = NULL;
out:
    sl_rows_destroy(rows);
    sl_rows_destroy(extra);
    return status;
}

/* The items that are held out: those a file names, a list that softlab knows, or the recipe's. */
static enum sl_status read_holdout(const struct sl_train_job *job, const struct sl_recipe *recipe,
                                   const struct sl_rows *labels, char ***out, struct sl_error *err)
{
    const char *name = job->holdout;
    if (name && strcmp(name, "none") == 0) return SL_OK;
    if (name && !sl_recipe_holdout(name)) return sl_lines_read(name, out, err);
    struct sl_recipe own = *recipe;
    if (name) {
        own.holdout_draw = 0;
        SL_TRY(sl_recipe_set(&own, "holdout", name, err));
    }
    return sl_holdout_create(&own, labels, job->seed, out, err);
}

static enum sl_status read_teacher(const struct sl_workplace *workplace,
                                   const struct sl_train_job *job, double temperature,
                                   struct sl_rows **out, struct sl_error *err)
{
    char **paths = sl_text_split(job->teacher);
    size_t count = 0;
    while (paths[count])
        count++;
    const enum sl_status status = sl_ensemble_read(workplace, paths, count, temperature, out, err);
    sl_names_destroy(paths);
    return status;
}

/* A training on only some of the items must be visible in the log. */
static void say_left_out(const struct sl_workplace *workplace, const struct sl_train_inputs *inputs)
{
    const struct sl_targets *targets = inputs->targets;
    if (targets->n_left_out == 0) return;
    sl_log(workplace->log, SL_LOG_WARNING, "%s: %zu of %zu item%s %s labels, %zu %s not trained on",
           inputs->data.dataset->name, targets->n_items, targets->n_items + targets->n_left_out,
           sl_text_plural(targets->n_items + targets->n_left_out, "", "s"),
           sl_text_plural(targets->n_items, "has", "have"), targets->n_left_out,
           sl_text_plural(targets->n_left_out, "is", "are"));
}

enum sl_status sl_train_targets(const struct sl_workplace *workplace,
                                const struct sl_train_job *job, struct sl_train_inputs *inputs,
                                struct sl_error *err)
{
    const struct sl_dataset *dataset = inputs->data.dataset;
    const struct sl_recipe *recipe = &inputs->recipe;
    struct sl_rows *labels = NULL, *teacher = NULL;
    char **holdout = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_labels(workplace, job, &inputs->data, &labels, err));
    if (job->teacher && !(recipe->teacher_share > 0)) {
        status = sl_fail(err, SL_ERR_USAGE,
                         "--teacher has no effect while the recipe's teacher_share is 0: --set "
                         "teacher_share=1");
        goto out;
    }
    if (job->teacher) {
        SL_TRY_OUT(read_teacher(workplace, job, recipe->temperature, &teacher, err));
        SL_TRY_OUT(sl_feeding_labels(workplace, &inputs->data, job->teacher, teacher, err));
    }
    SL_TRY_OUT(read_holdout(job, recipe, labels, &holdout, err));
    const struct sl_target_items items = {dataset->count, dataset->n_classes, dataset->items,
                                          dataset->classes, dataset->labels};
    struct sl_target_options options = sl_target_options_default();
    options.labels = labels;
    options.siblings = dataset->siblings;
    options.n_siblings = dataset->n_siblings;
    options.only = inputs->data.only;
    options.n_only = inputs->data.n_only;
    options.holdout = (const char *const *)holdout;
    options.rest = job->labels ? job->rest : SL_REST_HARD;
    options.draw = recipe->draw;
    options.smooth = recipe->smooth;
    options.smooth_all = recipe->smooth_all;
    options.teacher = teacher;
    options.teacher_share = recipe->teacher_share;
    const bool crowd = strcmp(recipe->method, "crowd-layer") == 0;
    status = sl_targets_create(&items, &options, crowd, &inputs->targets, err);
    if (status != SL_OK && job->labels && strncmp(err->message, "labels:", 7) == 0)
        sl_fail_within(err, status, "%s", job->labels);
    if (status == SL_OK) say_left_out(workplace, inputs);
out:
    sl_rows_destroy(labels);
    sl_rows_destroy(teacher);
    sl_names_destroy(holdout);
    return status;
}
