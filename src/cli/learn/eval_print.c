/* The tables of `softlab eval`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval.h"
#include "softlab/eval/attack.h"

enum { CELL = 32 };

static const char *number(double value, char out[CELL])
{
    if (isnan(value))
        snprintf(out, CELL, "-");
    else
        snprintf(out, CELL, "%.4f", value);
    return out;
}

const char *eval_better(const struct sl_metric *metric)
{
    const int direction = sl_measure_direction(metric->name);
    return direction > 0 ? "larger" : direction < 0 ? "smaller" : "";
}

static const char *p_value(double p, char out[CELL])
{
    static const double least = 1e-4;
    if (p < least)
        snprintf(out, CELL, "<.0001");
    else
        number(p, out);
    return out;
}

static void print_heading(const struct sl_evaluation *run)
{
    const struct sl_evaluated_model *first = &run->models[0];
    char count[CELL];
    if (run->n_models == 1)
        printf("%s", first->path);
    else
        printf("%zu files of predictions", run->n_models);
    printf(": %s item%s, %zu class%s, %s\n", sl_text_count(first->scored->n, count, sizeof count),
           sl_text_plural(first->scored->n, "", "s"), first->scored->n_classes,
           sl_text_plural(first->scored->n_classes, "", "es"),
           sl_prediction_kind_name(first->kind));
    printf("labels: %s, %s; hard labels: %s\n", first->labels, first->reference, first->hard);
    if (run->interval) printf("intervals: %s\n", run->interval);
}

/* The width of the column of names. */
static int name_width(const struct sl_evaluation *run)
{
    size_t width = 0;
    for (size_t m = 0; m < run->n_metrics; m++) {
        size_t length = strlen(run->metrics[m]->name);
        if (length > width) width = length;
    }
    return (int)width;
}

/* A heading where the group changes. */
static void print_group(const struct sl_evaluation *run, size_t m)
{
    if (m == 0 || strcmp(run->metrics[m]->group, run->metrics[m - 1]->group) != 0)
        printf("\n%s\n", run->metrics[m]->group);
}

/* Which file is which of the columns after the interval. */
static void print_files(const struct sl_evaluation *run, int width)
{
    putchar('\n');
    for (size_t i = 0; i < run->n_models; i++)
        printf("  [%zu] %s\n", i + 1, run->models[i].path);
    printf("\n  %-*s  %8s  %20s", width, "", "mean", "interval");
    for (size_t i = 0; i < run->n_models; i++)
        printf("  %*s[%zu]", i + 1 < 10 ? 5 : 4, "", i + 1);
    putchar('\n');
}

static void print_measures(const struct sl_evaluation *run)
{
    const int width = name_width(run);
    const bool each = run->job->each && run->n_models > 1;
    if (each) print_files(run, width);
    char cell[CELL], low[CELL], high[CELL];
    for (size_t m = 0; m < run->n_metrics; m++) {
        const struct sl_interval *interval = &run->intervals[m];
        print_group(run, m);
        printf("  %-*s  %8s", width, run->metrics[m]->name, number(interval->estimate, cell));
        if (run->interval)
            printf("  %8s to %8s", number(interval->low, low), number(interval->high, high));
        for (size_t i = 0; each && i < run->n_models; i++)
            printf("  %8s", number(run->each[i * run->n_metrics + m], cell));
        if (each)
            putchar('\n');
        else
            printf("  %s\n", run->metrics[m]->summary);
    }
}

static void print_paired(const struct sl_evaluation *run)
{
    const int width = name_width(run);
    const struct sl_evaluated_model *other = &run->models[run->n_models];
    char a[CELL], b[CELL], difference[CELL], low[CELL], high[CELL], p[CELL];
    printf("\na: %s, b: %s, on the same items; the interval is that of a - b, at 95 %%\n",
           run->models[0].path, other->path);
    printf("\n  %-*s  %8s  %8s  %8s  %20s\n", width, "", "a", "b", "a - b", "interval");
    for (size_t m = 0; m < run->n_metrics; m++) {
        const struct sl_paired *paired = &run->paired[m];
        print_group(run, m);
        printf("  %-*s  %8s  %8s  %8s  %8s to %8s  p %6s  %s\n", width, run->metrics[m]->name,
               number(paired->a, a), number(paired->b, b),
               number(paired->difference.estimate, difference), number(paired->difference.low, low),
               number(paired->difference.high, high), p_value(paired->p, p), paired->test);
    }
}

void eval_print_classes(const struct sl_evaluation *run)
{
    const struct sl_scored *scored = run->models[0].scored;
    struct sl_class_score *scores = sl_alloc(scored->n_classes, sizeof *scores);
    struct cli_table table, *t = &table;
    sl_class_scores(scored, &run->options, scores);
    cli_table_begin(t, "lrrrrrrr", "class", "items", "predicted", "right", "precision", "recall",
                    "F1", "cross-entropy");
    for (size_t k = 0; k < scored->n_classes; k++) {
        const struct sl_class_score *score = &scores[k];
        cli_table_add(t, scored->classes ? scored->classes[k] : cli_cell(t, "%zu", k),
                      cli_count(t, score->support), cli_count(t, score->predicted),
                      cli_count(t, score->correct), cli_real(t, score->precision, 4, ""),
                      cli_real(t, score->recall, 4, ""), cli_real(t, score->f1, 4, ""),
                      cli_real(t, score->cross_entropy, 4, ""));
    }
    putchar('\n');
    cli_table_end(t);
    free(scores);
}

void eval_print(const struct sl_evaluation *run)
{
    print_heading(run);
    if (run->paired)
        print_paired(run);
    else
        print_measures(run);
    if (run->job->per_class) eval_print_classes(run);
    if (run->n_curves > 0) eval_print_defer(run);
}

static json_t *measures_json(void)
{
    json_t *list = json_array();
    for (const struct sl_metric *m = sl_metrics; m->name; m++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:i}", "name", m->name, "group",
                                              m->group, "source", m->source, "summary", m->summary,
                                              "better", sl_measure_direction(m->name)));
    for (const struct sl_attack_preset *a = sl_attack_presets; a->name; a++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s}", "name", a->name, "group", "attacks",
                                        "source", a->source, "summary", a->summary));
    return list;
}

enum sl_status eval_list(bool json, struct sl_error *err)
{
    struct cli_table table;
    if (json) return cli_print_json(measures_json(), err);
    cli_table_begin(&table, "llll", "measure", "better", "source", "what");
    for (const struct sl_metric *m = sl_metrics; m->name; m++)
        cli_table_add(&table, m->name, eval_better(m), m->source, m->summary);
    cli_table_end(&table);
    putchar('\n');
    cli_table_begin(&table, "lll", "attack", "source", "what");
    for (const struct sl_attack_preset *a = sl_attack_presets; a->name; a++)
        cli_table_add(&table, a->name, a->source, a->summary);
    cli_table_end(&table);
    return SL_OK;
}
