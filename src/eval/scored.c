/* Matches predictions with labels and precomputes what several measures need. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_internal.h"
#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"
#include "softlab/label/compare.h"

enum { NUMBER_SIZE = 32, NO_CLASS = -1 };

/* Predictions and labels, and how their rows and columns match. */
struct pairing {
    const struct sl_rows *predictions, *labels;
    const struct sl_scored_options *options;
    size_t *row_of; /* owned; per label its row of the predictions, SIZE_MAX = none */
    size_t count;   /* labels that have one */
    size_t *column; /* owned; per class of the predictions its column of the labels */
    size_t *order;  /* owned; columns by name, for ties; NULL = neither set names them */
};

enum sl_status sl_eval_allocate(size_t n, size_t n_classes, bool with_hard, bool whole_rows,
                                struct sl_scored **out, struct sl_error *err)
{
    struct sl_scored *s = sl_alloc(1, sizeof *s);
    const size_t n_cells = whole_rows ? n * n_classes : 0;
    s->n = n;
    s->n_classes = n_classes;
    s->predicted = sl_data_alloc(n_cells, sizeof *s->predicted, err);
    s->log_predicted = sl_data_alloc(n_cells, sizeof *s->log_predicted, err);
    s->human = sl_data_alloc(n_cells, sizeof *s->human, err);
    s->hard = with_hard ? sl_data_alloc(n, sizeof *s->hard, err) : NULL;
    s->top = sl_data_alloc(n, sizeof *s->top, err);
    s->second = sl_data_alloc(n, sizeof *s->second, err);
    s->human_top = sl_data_alloc(n, sizeof *s->human_top, err);
    s->human_second = sl_data_alloc(n, sizeof *s->human_second, err);
    s->unique_second = sl_data_alloc(n, sizeof *s->unique_second, err);
    s->confidence = sl_data_alloc(n, sizeof *s->confidence, err);
    s->entropy = sl_data_alloc(n, sizeof *s->entropy, err);
    s->human_entropy = sl_data_alloc(n, sizeof *s->human_entropy, err);
    s->truth_score = sl_data_alloc(n, sizeof *s->truth_score, err);
    s->choice_score = sl_data_alloc(n, sizeof *s->choice_score, err);
    s->by_confidence = sl_data_alloc(n, sizeof *s->by_confidence, err);
    s->label_row = sl_data_alloc(n, sizeof *s->label_row, err);
    bool complete = s->predicted && s->log_predicted && s->human && (s->hard || !with_hard) &&
                    s->top && s->second && s->human_top && s->human_second && s->unique_second &&
                    s->confidence && s->entropy && s->human_entropy && s->truth_score &&
                    s->choice_score && s->by_confidence && s->label_row;
    if (!complete) {
        sl_scored_destroy(s);
        return SL_ERR_NOMEM;
    }
    *out = s;
    return SL_OK;
}

void sl_scored_destroy(struct sl_scored *scored)
{
    if (!scored) return;
    free(scored->predicted);
    free(scored->log_predicted);
    free(scored->human);
    free(scored->hard);
    free(scored->top);
    free(scored->second);
    free(scored->human_top);
    free(scored->human_second);
    free(scored->unique_second);
    free(scored->confidence);
    free(scored->entropy);
    free(scored->human_entropy);
    free(scored->truth_score);
    free(scored->choice_score);
    free(scored->by_confidence);
    free(scored->label_row);
    sl_strings_destroy(scored->classes, scored->n_classes);
    free(scored);
}

static enum sl_status check_sets(const struct pairing *pairing, struct sl_error *err)
{
    const struct sl_rows *predictions = pairing->predictions, *labels = pairing->labels;
    if (predictions->annotators || labels->annotators)
        return sl_fail(err, SL_ERR_INPUT, "the %s have a row per annotator; give one row per item",
                       labels->annotators ? "labels" : "predictions");
    if (predictions->n_rows == 0 || labels->n_rows == 0)
        return sl_fail(err, SL_ERR_INPUT, "the %s have no rows",
                       labels->n_rows == 0 ? "labels" : "predictions");
    if (predictions->n_rows >= UINT32_MAX || labels->n_rows >= UINT32_MAX)
        return sl_fail(err, SL_ERR_INPUT, "%zu rows are too many to rank",
                       predictions->n_rows > labels->n_rows ? predictions->n_rows : labels->n_rows);
    if (labels->n_classes < 2)
        return sl_fail(err, SL_ERR_INPUT, "there is only one class; scoring needs at least two");
    if (!pairing->options->softmax_counts)
        SL_TRY(sl_rows_check_distributions(labels, "labels", err));
    if (!pairing->options->logits)
        SL_TRY(sl_rows_check_distributions(predictions, "predictions", err));
    return SL_OK;
}

static enum sl_status match_columns(struct pairing *pairing, struct sl_error *err)
{
    const struct sl_rows *predictions = pairing->predictions, *labels = pairing->labels;
    const struct sl_class_list from = {"the predictions", predictions->classes,
                                       predictions->n_classes};
    const struct sl_class_list to = {"the labels", labels->classes, labels->n_classes};
    pairing->column = sl_alloc(from.count, sizeof *pairing->column);
    return sl_classes_pair(&from, &to, pairing->column, err);
}

static const char *item_of(const struct sl_rows *rows, size_t row, char number[NUMBER_SIZE])
{
    if (rows->items) return rows->items[row];
    snprintf(number, NUMBER_SIZE, "%zu", row);
    return number;
}

static enum sl_status pair(struct pairing *pairing, size_t row, size_t label, struct sl_error *err)
{
    char number[NUMBER_SIZE];
    if (pairing->row_of[label] != SIZE_MAX)
        return sl_fail(err, SL_ERR_INPUT, "rows %zu and %zu of the predictions are both of item %s",
                       pairing->row_of[label], row, item_of(pairing->labels, label, number));
    pairing->row_of[label] = row;
    pairing->count++;
    return SL_OK;
}

static enum sl_status match_by_order(struct pairing *pairing, struct sl_error *err)
{
    for (size_t row = 0; row < pairing->predictions->n_rows; row++) {
        size_t label = pairing->options->order[row];
        if (label >= pairing->labels->n_rows)
            return sl_fail(
                err, SL_ERR_INPUT,
                "the order says that row %zu is item %zu, but the labels have %zu item%s", row,
                label, pairing->labels->n_rows, sl_text_plural(pairing->labels->n_rows, "", "s"));
        SL_TRY(pair(pairing, row, label, err));
    }
    return SL_OK;
}

/* True if items match by name: both sets name them, or one set's names are row numbers of the
 * other.
 */
static enum sl_status is_matched_by_item(const struct pairing *pairing, bool *out,
                                         struct sl_error *err)
{
    const struct sl_rows *predictions = pairing->predictions, *labels = pairing->labels;
    const struct sl_rows *named = predictions->items ? predictions : labels;
    const struct sl_rows *other = named == labels ? predictions : labels;
    *out = named->items != NULL;
    if (!named->items || other->items) return SL_OK;
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < named->n_rows && status == SL_OK; i++) {
        uint32_t place = 0;
        status = sl_name_table_add(names, named->items[i], strlen(named->items[i]), &place, err);
    }
    *out = sl_name_table_match_rows(names, other->n_rows) == SL_ROWS_BY_NUMBER;
    sl_name_table_destroy(names);
    return status;
}

static enum sl_status match_by_item(struct pairing *pairing, struct sl_error *err)
{
    const struct sl_rows *predictions = pairing->predictions, *labels = pairing->labels;
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    char number[NUMBER_SIZE];
    for (size_t i = 0; i < labels->n_rows; i++) {
        const char *name = item_of(labels, i, number);
        uint32_t place = 0;
        SL_TRY_OUT(sl_name_table_add(names, name, strlen(name), &place, err));
        if (place != i)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                               "rows %u and %zu of the labels are both of item %s", place, i,
                               name));
    }
    for (size_t row = 0; row < predictions->n_rows; row++) {
        const char *name = item_of(predictions, row, number);
        uint32_t label = sl_name_table_find(names, name, strlen(name));
        if (label == SL_NO_NAME)
            SL_TRY_OUT(
                sl_fail(err, SL_ERR_INPUT, "item %.60s of the predictions has no label", name));
        SL_TRY_OUT(pair(pairing, row, label, err));
    }
out:
    sl_name_table_destroy(names);
    return status;
}

static enum sl_status check_complete(const struct pairing *pairing, struct sl_error *err)
{
    const size_t n_labels = pairing->labels->n_rows;
    if (pairing->count == n_labels || pairing->options->subset || pairing->options->order)
        return SL_OK;
    size_t first = 0;
    while (pairing->row_of[first] != SIZE_MAX)
        first++;
    char number[NUMBER_SIZE];
    return sl_fail(err, SL_ERR_INPUT,
                   "%zu of %zu labelled item%s %s no prediction; the first is item %.60s",
                   n_labels - pairing->count, n_labels, sl_text_plural(n_labels, "", "s"),
                   sl_text_plural(n_labels - pairing->count, "has", "have"),
                   item_of(pairing->labels, first, number));
}

static enum sl_status match_rows(struct pairing *pairing, struct sl_error *err)
{
    const struct sl_rows *predictions = pairing->predictions, *labels = pairing->labels;
    pairing->row_of = sl_data_alloc(labels->n_rows, sizeof *pairing->row_of, err);
    if (!pairing->row_of) return SL_ERR_NOMEM;
    for (size_t i = 0; i < labels->n_rows; i++)
        pairing->row_of[i] = SIZE_MAX;
    bool by_item = false;
    SL_TRY(is_matched_by_item(pairing, &by_item, err));
    if (pairing->options->order)
        SL_TRY(match_by_order(pairing, err));
    else if (by_item)
        SL_TRY(match_by_item(pairing, err));
    else if (predictions->n_rows != labels->n_rows)
        return sl_fail(
            err, SL_ERR_INPUT,
            "there %s %zu prediction%s and %zu label%s, and no items tell which belong together",
            sl_text_plural(predictions->n_rows, "is", "are"), predictions->n_rows,
            sl_text_plural(predictions->n_rows, "", "s"), labels->n_rows,
            sl_text_plural(labels->n_rows, "", "s"));
    else
        for (size_t i = 0; i < labels->n_rows; i++)
            SL_TRY(pair(pairing, i, i, err));
    return check_complete(pairing, err);
}

/* The class names of the labels, or else of the predictions. */
static char *const *names_of(const struct pairing *pairing)
{
    return pairing->labels->classes ? pairing->labels->classes : pairing->predictions->classes;
}

static void order_classes(struct pairing *pairing)
{
    const size_t n_classes = pairing->labels->n_classes;
    if (!names_of(pairing)) return;
    pairing->order = sl_alloc(n_classes, sizeof *pairing->order);
    sl_classes_order(names_of(pairing), n_classes, pairing->order);
}

static bool rank(const struct pairing *pairing, const double *values, uint32_t *top,
                 uint32_t *second, size_t *n_tied)
{
    size_t first = 0, next = 0;
    const bool unique =
        sl_first_two(values, pairing->labels->n_classes, pairing->order, &first, &next);
    *top = (uint32_t)first;
    *second = (uint32_t)next;
    *n_tied += values[first] == values[next];
    return unique;
}

/* Logarithms in, log-softmax out. */
static void log_softmax(double *values, size_t n_classes)
{
    double largest = values[0];
    for (size_t k = 1; k < n_classes; k++)
        largest = fmax(largest, values[k]);
    double sum = exp(values[0] - largest);
    for (size_t k = 1; k < n_classes; k++)
        sum += exp(values[k] - largest);
    const double shift = largest + log(sum);
    for (size_t k = 0; k < n_classes; k++)
        values[k] -= shift;
}

static enum sl_status fill_prediction(const struct pairing *pairing, struct sl_scored *scored,
                                      size_t row, size_t from, struct sl_error *err)
{
    const size_t n_classes = scored->n_classes;
    const float *values = pairing->predictions->values + from * n_classes;
    double *p = scored->predicted + row * n_classes,
           *log_p = scored->log_predicted + row * n_classes;
    for (size_t k = 0; k < n_classes; k++) {
        if (!isfinite(values[k]))
            return sl_fail(err, SL_ERR_INPUT, "row %zu of the predictions: value %zu is %g", from,
                           k, (double)values[k]);
        p[pairing->column[k]] = (double)values[k];
    }
    /* Rank logits, not probabilities: tiny probabilities may be equal where logits are not. */
    rank(pairing, p, &scored->top[row], &scored->second[row], &scored->n_tied);
    if (pairing->options->logits) {
        memcpy(log_p, p, n_classes * sizeof *p);
        log_softmax(log_p, n_classes);
        for (size_t k = 0; k < n_classes; k++)
            p[k] = exp(log_p[k]);
    } else {
        for (size_t k = 0; k < n_classes; k++)
            log_p[k] = log(p[k]);
    }
    double entropy = 0;
    for (size_t k = 0; k < n_classes; k++)
        if (p[k] > 0) entropy -= p[k] * log_p[k];
    scored->entropy[row] = entropy;
    scored->confidence[row] = p[scored->top[row]];
    return SL_OK;
}

/* CrowdTruth's sentence-relation scores of a row, for the true and for the predicted class.
 * `human` is the label row before any softmax. */
static void fill_scores(struct sl_scored *scored, size_t row, const double *human)
{
    double squares = 0;
    for (size_t k = 0; k < scored->n_classes; k++)
        squares += human[k] * human[k];
    const double norm = sqrt(squares);
    scored->truth_score[row] = norm > 0 ? human[sl_eval_truth(scored, row)] / norm : 0;
    scored->choice_score[row] = norm > 0 ? human[scored->top[row]] / norm : 0;
}

/* Call it after the row's prediction and hard label are filled. */
static void fill_label(const struct pairing *pairing, struct sl_scored *scored, size_t row,
                       size_t from)
{
    const size_t n_classes = scored->n_classes;
    const float *values = pairing->labels->values + from * n_classes;
    double *human = scored->human + row * n_classes;
    for (size_t k = 0; k < n_classes; k++)
        human[k] = (double)values[k];
    scored->unique_second[row] = rank(pairing, human, &scored->human_top[row],
                                      &scored->human_second[row], &scored->n_human_tied);
    fill_scores(scored, row, human);
    if (pairing->options->softmax_counts) {
        log_softmax(human, n_classes);
        for (size_t k = 0; k < n_classes; k++)
            human[k] = exp(human[k]);
    }
    scored->human_entropy[row] = sl_entropy(human, n_classes);
}

static enum sl_status fill_hard(const struct pairing *pairing, struct sl_scored *scored, size_t row,
                                size_t from, size_t label, struct sl_error *err)
{
    const struct sl_scored_options *options = pairing->options;
    if (!scored->hard) return SL_OK;
    const int32_t class_index = options->hard ? options->hard[from] : options->labels_hard[label];
    if (class_index >= 0 && (size_t)class_index < scored->n_classes) {
        scored->hard[row] = class_index;
        return SL_OK;
    }
    char number[NUMBER_SIZE];
    const char *item = item_of(pairing->labels, label, number);
    return sl_fail(err, SL_ERR_INPUT, "the hard label of item %.60s is %d; it must be 0 to %zu",
                   item, class_index, scored->n_classes - 1);
}

struct ranked {
    double value;
    uint32_t row;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

enum sl_status sl_eval_rank(const double *values, size_t n, uint32_t *out, struct sl_error *err)
{
    struct ranked *order = sl_data_alloc(n, sizeof *order, err);
    if (!order) return SL_ERR_NOMEM;
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked){values[i], (uint32_t)i};
    qsort(order, n, sizeof *order, compare_ranked);
    for (size_t i = 0; i < n; i++)
        out[i] = order[i].row;
    free(order);
    return SL_OK;
}

/* If there are hard labels, every scored item needs one. */
static enum sl_status check_hard(const struct pairing *pairing, struct sl_error *err)
{
    const struct sl_scored_options *options = pairing->options;
    const char *first = NULL;
    char number[NUMBER_SIZE];
    size_t n_missing = 0;
    for (size_t label = 0; options->hard || options->labels_hard; label++) {
        if (label == pairing->labels->n_rows) break;
        const size_t from = pairing->row_of[label];
        if (from == SIZE_MAX) continue;
        const int32_t hard = options->hard ? options->hard[from] : options->labels_hard[label];
        if (hard == NO_CLASS && n_missing++ == 0) first = item_of(pairing->labels, label, number);
    }
    if (n_missing == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%zu of %zu item%s %s no hard label; the first is item %.60s",
                   n_missing, pairing->count, sl_text_plural(pairing->count, "", "s"),
                   sl_text_plural(n_missing, "has", "have"), first);
}

static enum sl_status fill_rows(const struct pairing *pairing, struct sl_scored *scored,
                                struct sl_error *err)
{
    size_t row = 0;
    SL_TRY(check_hard(pairing, err));
    for (size_t label = 0; label < pairing->labels->n_rows; label++) {
        size_t from = pairing->row_of[label];
        if (from == SIZE_MAX) continue;
        SL_TRY(fill_prediction(pairing, scored, row, from, err));
        SL_TRY(fill_hard(pairing, scored, row, from, label, err));
        scored->label_row[row] = (uint32_t)label;
        fill_label(pairing, scored, row++, label);
    }
    return sl_eval_rank(scored->confidence, scored->n, scored->by_confidence, err);
}

static void copy_classes(const struct pairing *pairing, struct sl_scored *scored)
{
    char *const *names = names_of(pairing);
    if (!names) return;
    scored->classes = sl_alloc(scored->n_classes, sizeof *scored->classes);
    for (size_t k = 0; k < scored->n_classes; k++)
        scored->classes[k] = sl_string_copy(names[k]);
}

enum sl_status sl_scored_create(const struct sl_rows *predictions, const struct sl_rows *labels,
                                const struct sl_scored_options *options, struct sl_scored **out,
                                struct sl_error *err)
{
    struct pairing pairing = {.predictions = predictions, .labels = labels, .options = options};
    struct sl_scored *scored = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(match_columns(&pairing, err));
    SL_TRY_OUT(check_sets(&pairing, err));
    SL_TRY_OUT(match_rows(&pairing, err));
    order_classes(&pairing);
    SL_TRY_OUT(sl_eval_allocate(pairing.count, labels->n_classes,
                                options->hard || options->labels_hard, true, &scored, err));
    SL_TRY_OUT(fill_rows(&pairing, scored, err));
    copy_classes(&pairing, scored);
    *out = scored;
    scored = NULL;
out:
    sl_scored_destroy(scored);
    free(pairing.row_of);
    free(pairing.column);
    free(pairing.order);
    return status;
}
