#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

/* The most lines that get bands, and the most values that get whiskers. */
enum { MOST_BANDS = 4, MOST_WHISKERS = 12 };

struct curves {
    const char *title, *x_label, *y_label;
    const char *attack; /* NULL: the training curve */
    size_t field;       /* of each step */
};

/* The mean over a row's runs, step by step. */
struct line {
    uint32_t row;
    double *storage; /* owned; steps, means, lows, highs */
    size_t length;
    double last;
};

static const struct sl_numbers *curve_of(const struct sl_outcome_run *run,
                                         const struct curves *curves)
{
    const struct sl_result *result = run->result;
    const struct sl_numbers *numbers =
        sl_numbers_find(curves->attack ? &result->attacks : &result->curve, curves->attack);
    return numbers && curves->field < numbers->width ? numbers : NULL;
}

/* The curves of a row's runs; the longest has *length steps. */
static size_t list_curves(const struct sl_outcome *outcome, uint32_t row,
                          const struct curves *curves, const struct sl_numbers **out,
                          size_t *length)
{
    size_t count = 0;
    *length = 0;
    for (size_t i = 0; i < outcome->n_runs; i++) {
        if (outcome->runs[i].row_number != row) continue;
        const struct sl_numbers *curve = curve_of(&outcome->runs[i], curves);
        if (!curve) continue;
        out[count++] = curve;
        if (curve->count > *length) *length = curve->count;
    }
    return count;
}

/* Epochs count from 1. Iterations count from 0, the loss before the attack. False if no run has
 * values. */
static bool make_line(const struct sl_outcome *outcome, uint32_t row, const struct curves *curves,
                      struct line *out)
{
    const struct sl_numbers **found = sl_alloc(outcome->n_runs + 1, sizeof *found);
    double *values = sl_alloc(outcome->n_runs + 1, sizeof *values);
    size_t length, n_found = list_curves(outcome, row, curves, found, &length);
    double *block = sl_alloc(4 * length + 1, sizeof *block);
    *out = (struct line){.row = row, .storage = block, .length = length, .last = NAN};
    for (size_t step = 0; step < length; step++) {
        size_t count = 0;
        for (size_t i = 0; i < n_found; i++) {
            double value = step < found[i]->count
                               ? found[i]->values[step * found[i]->width + curves->field]
                               : (double)NAN;
            if (isfinite(value)) values[count++] = value;
        }
        struct sl_interval interval = {NAN, NAN, NAN};
        if (count) interval = sl_mean_interval(values, count, .95);
        block[step] = (double)(curves->attack ? step : step + 1);
        block[length + step] = interval.estimate;
        block[2 * length + step] = interval.low;
        block[3 * length + step] = interval.high;
        if (count) out->last = interval.estimate;
    }
    free(found);
    free(values);
    if (!isnan(out->last)) return true;
    free(block);
    return false;
}

static int by_last(const void *a, const void *b)
{
    const struct line *first = a, *second = b;
    if (first->last != second->last) return first->last < second->last ? -1 : 1;
    return first->row < second->row ? -1 : first->row > second->row;
}

static int by_row(const void *a, const void *b)
{
    const struct line *first = a, *second = b;
    return first->row < second->row ? -1 : first->row > second->row;
}

/* Of more lines than a chart holds, those that end lowest and those that end highest. */
static size_t choose_lines(struct line *lines, size_t count)
{
    if (count <= SL_PLOT_MAX_SERIES) return count;
    const size_t half = SL_PLOT_MAX_SERIES / 2;
    qsort(lines, count, sizeof *lines, by_last);
    for (size_t i = half; i < count - half; i++)
        free(lines[i].storage);
    memmove(&lines[half], &lines[count - half], half * sizeof *lines);
    qsort(lines, SL_PLOT_MAX_SERIES, sizeof *lines, by_row);
    return SL_PLOT_MAX_SERIES;
}

static bool has_intervals(const struct line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t step = 0; step < lines[i].length; step++)
            if (isfinite(lines[i].storage[2 * lines[i].length + step])) return true;
    return false;
}

static enum sl_status draw_lines(const struct sl_presentation *show, const struct curves *curves,
                                 const struct line *lines, size_t count, size_t n_all,
                                 struct sl_error *err)
{
    struct sl_plot_series series[SL_PLOT_MAX_SERIES];
    char *names[SL_PLOT_MAX_SERIES], note[200];
    size_t longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = lines[i].length > longest ? lines[i].length : longest;
    bool with_bands = count <= MOST_BANDS, with_whiskers = longest <= MOST_WHISKERS;
    bool are_drawn = (with_bands || with_whiskers) && has_intervals(lines, count);
    for (size_t i = 0; i < count; i++) {
        const double *block = lines[i].storage;
        size_t length = lines[i].length;
        names[i] = sl_verdict_row_title(show->outcome, lines[i].row);
        series[i] = (struct sl_plot_series){.name = names[i],
                                            .count = length,
                                            .x = block,
                                            .y = block + length,
                                            .y_low = are_drawn ? block + 2 * length : NULL,
                                            .y_high = are_drawn ? block + 3 * length : NULL,
                                            .band = with_bands,
                                            .plain = length > MOST_WHISKERS};
    }
    int used = snprintf(note, sizeof note, "Mean over runs%s.",
                        !are_drawn   ? ""
                        : with_bands ? "; bands are 95 % intervals"
                                     : "; whiskers are 95 % intervals");
    if (n_all > count)
        snprintf(note + used, sizeof note - (size_t)used,
                 " %zu of %zu rows: the %zu that end lowest and the %zu that end highest.", count,
                 n_all, count / 2, count / 2);
    struct sl_plot plot = {.kind = SL_PLOT_LINES,
                           .title = curves->title,
                           .x = {.label = curves->x_label},
                           .y = {.label = curves->y_label},
                           .note = note,
                           .series = series,
                           .n_series = count};
    enum sl_status status = sl_report_chart(show->report, &plot, show->badge, err);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    return status;
}

static enum sl_status show_curves(const struct sl_presentation *show, const struct curves *curves,
                                  struct sl_error *err)
{
    const struct sl_outcome *outcome = show->outcome;
    size_t n_rows = sl_name_table_count(outcome->rows), n_all = 0;
    struct line *lines = sl_alloc(n_rows + 1, sizeof *lines);
    enum sl_status status = SL_OK;
    for (uint32_t row = 0; row < n_rows; row++)
        n_all += make_line(outcome, row, curves, &lines[n_all]);
    size_t count = choose_lines(lines, n_all);
    if (count) status = draw_lines(show, curves, lines, count, n_all, err);
    for (size_t i = 0; i < count; i++)
        free(lines[i].storage);
    free(lines);
    return status;
}

/* Every attack whose loss was kept at each iteration. */
static enum sl_status list_attacks(const struct sl_outcome *outcome, struct sl_name_table *out,
                                   struct sl_error *err)
{
    for (size_t i = 0; i < outcome->n_runs; i++) {
        const struct sl_number_list *attacks = &outcome->runs[i].result->attacks;
        for (size_t a = 0; a < attacks->count; a++) {
            const struct sl_numbers *attack = &attacks->items[a];
            uint32_t index;
            /* Two values are no curve, and the table has them. */
            if (attack->width == 1 && attack->count >= 3)
                SL_TRY(sl_name_table_add(out, attack->name, strlen(attack->name), &index, err));
        }
    }
    return SL_OK;
}

static enum sl_status show_attack(const struct sl_presentation *show, const char *key,
                                  struct sl_error *err)
{
    char *title = sl_string_printf("Cross-entropy under attack, %s", key);
    struct curves curves = {.title = title,
                            .x_label = "Iteration of the attack",
                            .y_label = "Cross-entropy (lower is better)",
                            .attack = key};
    enum sl_status status = show_curves(show, &curves, err);
    free(title);
    return status;
}

enum sl_status sl_present_curves(const struct sl_presentation *show, struct sl_error *err)
{
    static const struct curves training[] = {
        {"Loss on the training items, by epoch", "Epoch", "Loss (lower is better)", NULL, 1},
        {"Accuracy on the training items, by epoch", "Epoch", "Accuracy", NULL, 2},
        {"Score on the development set, by epoch", "Epoch", "Development score", NULL, 3},
    };
    struct sl_name_table *attacks = sl_name_table_create();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(list_attacks(show->outcome, attacks, err));
    for (uint32_t i = 0; i < sl_name_table_count(attacks); i++)
        SL_TRY_OUT(show_attack(show, sl_name_table_get(attacks, i, NULL), err));
    for (size_t i = 0; i < sizeof training / sizeof *training; i++)
        SL_TRY_OUT(show_curves(show, &training[i], err));
out:
    sl_name_table_destroy(attacks);
    return status;
}
