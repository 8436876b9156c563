/* The layouts of CIFAR-10H, with one class per answer: the most probable one. Repeats and second
 * runs are left out, since the layouts cannot mark them; checks are in the raw file only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/npy.h"
#include "softlab/base/array.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/export/export.h"

enum { NOT_IN_THE_SET = -99999 };

struct votes {
    const struct sl_study *study;
    const struct sl_study_items *items;
    struct sl_study_out *out;
    int64_t *rows; /* owned; the row of each item in the arrays, NOT_IN_THE_SET for checks */
    size_t n_rows;
    int64_t *counts; /* owned or NULL; (n_rows, n_classes) */
};

static enum sl_status votes_init(struct votes *votes, struct sl_error *err)
{
    const struct sl_study_items *items = votes->items;
    votes->rows = sl_data_alloc(items->count, sizeof *votes->rows, err);
    if (!votes->rows) return SL_ERR_NOMEM;
    for (size_t i = 0; i < items->count; i++)
        votes->rows[i] = items->items[i].check ? NOT_IN_THE_SET : (int64_t)votes->n_rows++;
    return SL_OK;
}

/* The class that an answer votes for; *keep is false if it is left out. */
static enum sl_status vote_of(const struct votes *votes, const struct sl_study_given *given,
                              uint32_t *choice, bool *keep, struct sl_error *err)
{
    struct sl_study_record record;
    *keep = false;
    if (given->answer->repeat || given->session->second_run) return SL_OK;
    SL_TRY(sl_study_record_make(votes->study, given, &record, err));
    if (record.answer.n_top > 0 || record.answer.kind == SL_ANSWER_DIST ||
        record.answer.kind == SL_ANSWER_MIX) {
        *choice = sl_answer_choice(&record.answer, votes->study->n_classes);
        *keep = *choice < votes->study->n_classes;
    }
    sl_study_record_release(&record);
    return SL_OK;
}

static const char *class_name(const struct votes *votes, int64_t class_index)
{
    return class_index >= 0 ? votes->study->classes[class_index] : "";
}

/* An item whose name is a number keeps it; other items get their row. */
static int64_t index_of(const struct votes *votes, const struct sl_study_item *item)
{
    int64_t number = 0;
    if (item->check) return NOT_IN_THE_SET;
    if (sl_text_to_integer(item->id, strlen(item->id), &number) && number >= 0 &&
        number <= INT32_MAX)
        return number;
    return votes->rows[item - votes->items->items];
}

static enum sl_status write_click(const struct sl_study_given *given, void *context,
                                  struct sl_error *err)
{
    struct votes *votes = context;
    struct sl_buffer *line = &votes->out->pending;
    const char *image = json_string_value(json_object_get(given->item->content, "image"));
    uint32_t choice = 0;
    bool keep = false;
    SL_TRY(vote_of(votes, given, &choice, &keep, err));
    if (!keep) return SL_OK;
    sl_study_cell(line, given->annotator);
    sl_study_cell_integer(line, (int64_t)given->answer->trial);
    sl_study_cell_integer(line, given->item->check);
    sl_study_cell(line, class_name(votes, given->item->truth));
    sl_study_cell(line, class_name(votes, choice));
    if (given->item->truth >= 0)
        sl_study_cell_integer(line, given->item->truth);
    else
        sl_study_cell(line, "");
    sl_study_cell_integer(line, choice);
    if (given->item->truth >= 0)
        sl_study_cell_integer(line, given->item->truth == (int32_t)choice);
    else
        sl_study_cell(line, "");
    sl_study_cell_integer(line, index_of(votes, given->item));
    sl_study_cell(line, image ? image : given->item->id);
    sl_study_cell(line, "");
    sl_study_cell_integer(line, given->answer->elapsed);
    sl_study_cell_integer(line, given->answer->received - given->session->started);
    sl_csv_end_line(line);
    return sl_study_out_flow(votes->out, err);
}

SL_STUDY_EXPORTER(sl_study_export_cifar10h_raw)
{
    static const char *const columns[] = {"annotator_id",         "trial_index",
                                          "is_attn_check",        "true_category",
                                          "chosen_category",      "true_label",
                                          "chosen_label",         "correct_guess",
                                          "cifar10_test_set_idx", "image_filename",
                                          "subcategory",          "reaction_time",
                                          "time_elapsed",         NULL};
    enum sl_status status = SL_OK;
    struct sl_study_items items = {0};
    struct sl_study_out out;
    struct votes votes = {.study = study, .items = &items, .out = &out};
    sl_study_out_init(&out, sink, context);
    SL_TRY_OUT(sl_study_items_read(study, store, &items, err));
    SL_TRY_OUT(votes_init(&votes, err));
    sl_study_header(&out.pending, columns);
    SL_TRY_OUT(
        sl_study_each_given(study, store, &items, SL_STUDY_COUNTING, write_click, &votes, err));
    status = sl_study_out_finish(&out, err);
out:
    free(votes.rows);
    sl_study_items_release(&items);
    sl_study_out_release(&out);
    return status;
}

static enum sl_status count_vote(const struct sl_study_given *given, void *context,
                                 struct sl_error *err)
{
    struct votes *votes = context;
    uint32_t choice = 0;
    bool keep = false;
    if (given->item->check) return SL_OK;
    SL_TRY(vote_of(votes, given, &choice, &keep, err));
    if (!keep) return SL_OK;
    size_t row = (size_t)votes->rows[given->item - votes->items->items];
    votes->counts[row * votes->study->n_classes + choice]++;
    return SL_OK;
}

static enum sl_status count_votes(struct votes *votes, struct sl_store *store, struct sl_error *err)
{
    SL_TRY(votes_init(votes, err));
    const size_t count = votes->n_rows * votes->study->n_classes;
    votes->counts = sl_data_alloc(count, sizeof *votes->counts, err);
    if (!votes->counts) return SL_ERR_NOMEM;
    memset(votes->counts, 0, count * sizeof *votes->counts);
    return sl_study_each_given(votes->study, store, votes->items, SL_STUDY_COUNTING, count_vote,
                               votes, err);
}

/* A row of counts as shares of their sum. */
static void to_shares(const int64_t *counts, size_t n_classes, double *out)
{
    int64_t sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        sum += counts[k];
    for (size_t k = 0; k < n_classes; k++)
        out[k] = sum > 0 ? (double)counts[k] / (double)sum : 0;
}

static enum sl_status write_array(struct votes *votes, struct sl_store *store, enum sl_dtype dtype,
                                  struct sl_error *err)
{
    const size_t n_classes = votes->study->n_classes;
    SL_TRY(count_votes(votes, store, err));
    const struct sl_array array = {.dtype = dtype,
                                   .item_size = sl_dtype_size(dtype),
                                   .n_dimensions = 2,
                                   .shape = {votes->n_rows, n_classes}};
    sl_npy_header_format(&array, SL_ORDER_C, &votes->out->pending);
    double *shares = sl_alloc(n_classes, sizeof *shares);
    enum sl_status status = SL_OK;
    for (size_t row = 0; row < votes->n_rows; row++) {
        const int64_t *counts = votes->counts + row * n_classes;
        to_shares(counts, n_classes, shares);
        sl_buffer_append(&votes->out->pending,
                         dtype == SL_F8 ? (const void *)shares : (const void *)counts,
                         n_classes * sizeof *counts);
        SL_TRY_OUT(sl_study_out_flow(votes->out, err));
    }
    status = sl_study_out_finish(votes->out, err);
out:
    free(shares);
    return status;
}

static enum sl_status export_array(const struct sl_study *study, struct sl_store *store,
                                   struct sl_study_out *out, enum sl_dtype dtype,
                                   struct sl_error *err)
{
    struct sl_study_items items = {0};
    struct votes votes = {.study = study, .items = &items, .out = out};
    enum sl_status status = sl_study_items_read(study, store, &items, err);
    if (status == SL_OK) status = write_array(&votes, store, dtype, err);
    free(votes.rows);
    free(votes.counts);
    sl_study_items_release(&items);
    sl_study_out_release(out);
    return status;
}

SL_STUDY_EXPORTER(sl_study_export_cifar10h_counts)
{
    struct sl_study_out out;
    sl_study_out_init(&out, sink, context);
    return export_array(study, store, &out, SL_I8, err);
}

SL_STUDY_EXPORTER(sl_study_export_cifar10h_probs)
{
    struct sl_study_out out;
    sl_study_out_init(&out, sink, context);
    return export_array(study, store, &out, SL_F8, err);
}
