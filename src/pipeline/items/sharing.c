#include "softlab/pipeline/sharing.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/array.h"
#include "softlab/base/classes.h"
#include "softlab/base/file.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"
#include "softlab/nn/loss.h"
#include "softlab/pipeline/files.h"

/* ---- Rows ---- */

static enum sl_status read_probabilities(const struct sl_workplace *workplace, const char *path,
                                         struct sl_rows **out, struct sl_error *err)
{
    enum sl_prediction_kind kind;
    struct sl_rows *rows = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_predictions_read(workplace, path, &rows, &kind, err));
    if (rows->annotators)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "%s: the rows are of single annotators; give one row per item", path));
    if (!rows->classes)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "%s: the columns have no class names; give an .npz with classes, or a "
                           ".csv",
                           path));
    if (kind == SL_PREDICTION_LOGITS)
        sl_softmax(rows->values, rows->n_rows, rows->n_classes, rows->values);
    SL_TRY_OUT(sl_rows_check_distributions(rows, path, err));
    *out = rows;
    rows = NULL;
out:
    sl_rows_destroy(rows);
    return status;
}

/* ---- Label Studio ---- */

/* The number as it is written with as few digits as float needs. */
static double short_double(float value)
{
    char text[SL_NUMBER_TEXT];
    double out = (double)value;
    (void)sl_text_to_real(text, sl_text_from_float(value, text), &out);
    return out;
}

static json_t *make_prediction(const struct sl_share_job *job, const struct sl_rows *rows,
                               size_t row, const size_t *order)
{
    const float *values = rows->values + row * rows->n_classes;
    const size_t top = sl_first_choice(values, rows->n_classes, order);
    return json_pack("{s:s, s:f, s:[{s:s, s:s, s:s, s:{s:[s]}}]}", "model_version", "softlab",
                     "score", short_double(values[top]), "result", "from_name", job->control,
                     "to_name", job->object ? job->object : job->field, "type", "choices", "value",
                     "choices", rows->classes[top]);
}

static enum sl_status write_label_studio(const struct sl_share_job *job, const struct sl_rows *rows,
                                         struct sl_error *err)
{
    if (!rows->items)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: the rows have no item names, which Label Studio's tasks need",
                       job->rows);
    json_t *tasks = json_array();
    size_t *order = sl_alloc(rows->n_classes, sizeof *order);
    enum sl_status status = SL_OK;
    sl_classes_order(rows->classes, rows->n_classes, order);
    for (size_t i = 0; i < rows->n_rows && status == SL_OK; i++) {
        json_t *prediction = make_prediction(job, rows, i, order);
        json_t *task = json_pack("{s:{s:s}, s:[o]}", "data", job->field, rows->items[i],
                                 "predictions", prediction);
        if (!task)
            status = sl_fail(err, SL_ERR_INPUT, "%s: row %zu: a name is not UTF-8", job->rows, i);
        else
            json_array_append_new(tasks, task);
    }
    if (status == SL_OK) status = sl_json_write(tasks, job->output, err);
    json_decref(tasks);
    free(order);
    return status;
}

/* ---- cleanlab ---- */

struct class_place {
    const char *name;
    int64_t number;
    size_t column;
};

static int by_number(const void *a, const void *b)
{
    const int64_t x = ((const struct class_place *)a)->number;
    const int64_t y = ((const struct class_place *)b)->number;
    return x < y ? -1 : x > y;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct class_place *)a)->name, ((const struct class_place *)b)->name);
}

/* Sort the columns as cleanlab sorts class names: numbers by value, texts by code point. */
static enum sl_status sort_columns(struct sl_rows *rows, struct sl_error *err)
{
    struct class_place *places = sl_alloc(rows->n_classes, sizeof *places);
    char **names = sl_alloc(rows->n_classes + 1, sizeof *names);
    bool numbers = true;
    for (size_t k = 0; k < rows->n_classes; k++) {
        places[k] = (struct class_place){.name = rows->classes[k], .column = k};
        numbers = numbers &&
                  sl_text_to_integer(rows->classes[k], strlen(rows->classes[k]), &places[k].number);
    }
    qsort(places, rows->n_classes, sizeof *places, numbers ? by_number : by_name);
    for (size_t k = 0; k < rows->n_classes; k++)
        names[k] = sl_string_copy(rows->classes[places[k].column]);
    const struct sl_class_list sorted = {"cleanlab", names, rows->n_classes};
    const enum sl_status status = sl_rows_reorder(rows, "cleanlab", &sorted, err);
    sl_names_destroy(names);
    free(places);
    return status;
}

/* The given class of every row, numbered as the columns. */
static enum sl_status read_labels(const struct sl_share_job *job,
                                  const struct sl_workplace *workplace, const struct sl_rows *rows,
                                  int32_t **out, struct sl_error *err)
{
    struct sl_name_table *items = sl_name_table_create();
    struct sl_strangers strangers = {0};
    int32_t *labels = NULL;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < rows->n_rows; i++) {
        char number[24];
        uint32_t place = 0;
        const char *name = sl_rows_item(rows, i, number, sizeof number);
        SL_TRY_OUT(sl_name_table_add(items, name, strlen(name), &place, err));
    }
    const struct sl_known_names names = {
        .items = items, .classes = rows->classes, .n_classes = rows->n_classes, .owner = job->rows};
    SL_TRY_OUT(sl_truth_read(workplace, job->labels, &names, &strangers, &labels, err));
    for (size_t i = 0; i < rows->n_rows; i++)
        if (labels[i] == SL_NO_LABEL)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                               "%s: item %.60s has no class, and cleanlab needs one for each row",
                               job->labels, sl_name_table_get(items, (uint32_t)i, NULL)));
    if (strangers.count > 0)
        sl_log(workplace->log, SL_LOG_WARNING, "%s: %zu item%s, the first is %s, %s no prediction",
               job->labels, strangers.count, sl_text_plural(strangers.count, "", "s"),
               strangers.first, sl_text_plural(strangers.count, "has", "have"));
    *out = labels;
    labels = NULL;
out:
    free(labels);
    sl_name_table_destroy(items);
    return status;
}

static enum sl_status write_npz(const char *path, const struct sl_rows *rows, int32_t *labels,
                                struct sl_error *err)
{
    const struct sl_array array = {.dtype = SL_I4,
                                   .item_size = sizeof *labels,
                                   .n_dimensions = 1,
                                   .shape = {rows->n_rows},
                                   .data = labels};
    struct sl_npz_writer *writer = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npz_writer_create(path, SL_NPZ_STORED, &writer, err));
    SL_TRY_OUT(sl_rows_add_to_npz(rows, "pred_probs", writer, err));
    if (labels) SL_TRY_OUT(sl_npz_writer_add(writer, "labels", &array, err));
    SL_TRY_OUT(sl_npz_writer_commit(writer, err));
out:
    sl_npz_writer_destroy(writer);
    return status;
}

static enum sl_status write_cleanlab(const struct sl_share_job *job,
                                     const struct sl_workplace *workplace, struct sl_rows *rows,
                                     struct sl_error *err)
{
    const bool alone = sl_path_has_suffix(job->output, ".npy");
    int32_t *labels = NULL;
    enum sl_status status = SL_OK;
    if (alone && job->labels)
        return sl_fail(err, SL_ERR_USAGE,
                       "an .npy holds pred_probs alone; write an .npz for "
                       "--labels");
    SL_TRY_OUT(sort_columns(rows, err));
    if (job->labels) SL_TRY_OUT(read_labels(job, workplace, rows, &labels, err));
    SL_TRY_OUT(alone ? sl_rows_write(rows, "pred_probs", job->output, err)
                     : write_npz(job->output, rows, labels, err));
out:
    free(labels);
    return status;
}

/* ---- Both ---- */

enum sl_status sl_share_job_run(const struct sl_share_job *job,
                                const struct sl_workplace *workplace, struct sl_error *err)
{
    const bool studio = job->target == SL_SHARE_LABEL_STUDIO;
    struct sl_rows *rows = NULL;
    char count[32];
    SL_TRY(sl_path_check_suffix("output", job->output, studio ? ".json" : ".npz .npy", err));
    SL_TRY(read_probabilities(workplace, job->rows, &rows, err));
    const enum sl_status status =
        studio ? write_label_studio(job, rows, err) : write_cleanlab(job, workplace, rows, err);
    if (status == SL_OK)
        sl_log(workplace->log, SL_LOG_INFO, "%s: %s item%s, %zu class%s",
               sl_workplace_shown(workplace, job->output),
               sl_text_count(rows->n_rows, count, sizeof count),
               sl_text_plural(rows->n_rows, "", "s"), rows->n_classes,
               sl_text_plural(rows->n_classes, "", "es"));
    sl_rows_destroy(rows);
    return status;
}
