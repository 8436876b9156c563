#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/outcome_internal.h"

struct curves {
    const char *title, *x_label, *y_label;
    const char *attack; /* NULL: the training curve */
    size_t field;       /* of each step */
};

static const struct sl_numbers *curve_of(const struct sl_outcome_run *run,
                                         const struct curves *curves)
{
    const struct sl_result *result = run->result;
    const struct sl_numbers *numbers =
        sl_numbers_find(curves->attack ? &result->attacks : &result->curve, curves->attack);
    return numbers && curves->field < numbers->width ? numbers : NULL;
}

/* Mean over a row's runs at every step: epochs count from 1, iterations from 0, which is the loss
 * before the attack. The number of steps; 0 if no run has values. */
static size_t average(const struct sl_outcome *outcome, const char *row,
                      const struct curves *curves, double **out)
{
    size_t length = 0;
    for (size_t i = 0; i < outcome->n_runs; i++) {
        const struct sl_numbers *curve = curve_of(&outcome->runs[i], curves);
        if (curve && curve->count > length && strcmp(outcome->runs[i].row, row) == 0)
            length = curve->count;
    }
    double *block = sl_alloc(2 * length + 1, sizeof *block), *means = block + length;
    double *counts = sl_alloc(length + 1, sizeof *counts);
    bool has_any = false;
    for (size_t i = 0; i < outcome->n_runs; i++) {
        const struct sl_numbers *curve = curve_of(&outcome->runs[i], curves);
        if (!curve || strcmp(outcome->runs[i].row, row) != 0) continue;
        for (size_t step = 0; step < curve->count; step++) {
            double value = curve->values[step * curve->width + curves->field];
            if (!isfinite(value)) continue;
            means[step] += value;
            counts[step]++;
            has_any = true;
        }
    }
    for (size_t step = 0; step < length; step++) {
        block[step] = (double)(curves->attack ? step : step + 1);
        means[step] = counts[step] > 0 ? means[step] / counts[step] : (double)NAN;
    }
    free(counts);
    *out = block;
    return has_any ? length : 0;
}

static enum sl_status show_curves(const struct sl_presentation *show,
                                  const struct sl_name_table *rows, const struct curves *curves,
                                  struct sl_error *err)
{
    struct sl_plot_series series[SL_PLOT_MAX_SERIES];
    double *storage[SL_PLOT_MAX_SERIES];
    char *names[SL_PLOT_MAX_SERIES], note[80];
    size_t count = 0, n_rows = sl_name_table_count(rows);
    for (uint32_t row = 0; row < n_rows && count < SL_PLOT_MAX_SERIES; row++) {
        const char *name = sl_name_table_get(rows, row, NULL);
        size_t length = average(show->outcome, name, curves, &storage[count]);
        if (length == 0) {
            free(storage[count]);
            continue;
        }
        names[count] = sl_string_copy(name);
        for (char *at = names[count]; *at; at++)
            if (*at == '|') *at = ' ';
        series[count] = (struct sl_plot_series){.name = names[count],
                                                .count = length,
                                                .x = storage[count],
                                                .y = storage[count] + length,
                                                .plain = length > 12};
        count++;
    }
    snprintf(note, sizeof note, "Mean over runs.%s",
             n_rows > SL_PLOT_MAX_SERIES ? " The first eight rows." : "");
    struct sl_plot plot = {.kind = SL_PLOT_LINES,
                           .title = curves->title,
                           .x = {.label = curves->x_label},
                           .y = {.label = curves->y_label},
                           .note = note,
                           .series = series,
                           .n_series = count};
    enum sl_status status = count ? sl_report_chart(show->report, &plot, show->badge, err) : SL_OK;
    while (count > 0) {
        free(names[--count]);
        free(storage[count]);
    }
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
            /* One step before and one after say less than the table does. */
            if (attack->width == 1 && attack->count >= 3)
                SL_TRY(sl_name_table_add(out, attack->name, strlen(attack->name), &index, err));
        }
    }
    return SL_OK;
}

static enum sl_status show_attack(const struct sl_presentation *show,
                                  const struct sl_name_table *rows, const char *key,
                                  struct sl_error *err)
{
    char *title = sl_string_printf("Loss under attack, %s", key);
    struct curves curves = {
        .title = title, .x_label = "Iteration", .y_label = "Cross-entropy", .attack = key};
    enum sl_status status = show_curves(show, rows, &curves, err);
    free(title);
    return status;
}

enum sl_status sl_present_curves(const struct sl_presentation *show, struct sl_error *err)
{
    static const struct curves training[] = {
        {"Training: loss", "Epoch", "Loss", NULL, 1},
        {"Training: accuracy", "Epoch", "Accuracy", NULL, 2},
        {"Training: score on the development set", "Epoch", "Score", NULL, 3},
    };
    const struct sl_name_table *rows = show->outcome->rows;
    struct sl_name_table *attacks = sl_name_table_create();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(list_attacks(show->outcome, attacks, err));
    for (uint32_t i = 0; i < sl_name_table_count(attacks); i++)
        SL_TRY_OUT(show_attack(show, rows, sl_name_table_get(attacks, i, NULL), err));
    for (size_t i = 0; i < sizeof training / sizeof *training; i++)
        SL_TRY_OUT(show_curves(show, rows, &training[i], err));
out:
    sl_name_table_destroy(attacks);
    return status;
}
