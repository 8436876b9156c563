/* `softlab eval --defer`: accuracy and cost by the share of items that people decide. */
#include <math.h>

#include "eval.h"

/* The shares that are printed, in per cent; --json has them all. */
static const size_t printed[] = {0, 1, 2, 5, 10, 20, 30, 40, 50, 75, 100};

static const char *range(struct cli_table *table, const struct sl_interval *value)
{
    return isnan(value->low) ? "-" : cli_cell(table, "%.4f to %.4f", value->low, value->high);
}

static bool is_timed(const struct sl_defer_curve *curve)
{
    return !isnan(curve->points[0].seconds);
}

static void print_points(const struct sl_defer_curve *curve)
{
    struct cli_table table, *t = &table;
    /* Without times the last column is left out. */
    cli_table_begin(t, is_timed(curve) ? "rrrlrlrlrr" : "rrrlrlrlr", "sent", "items", "accuracy",
                    "interval", "gain", "interval", "gain/answer", "interval", "answers/item",
                    "seconds/item");
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        const size_t p = printed[i] * (curve->n_points - 1) / 100;
        const struct sl_defer_point *point = &curve->points[p];
        if (p == last) continue;
        last = p;
        cli_table_add(t, cli_real(t, 100 * point->share, 0, " %"), cli_count(t, point->n_sent),
                      cli_real(t, point->accuracy.estimate, 4, ""), range(t, &point->accuracy),
                      cli_real(t, point->gain.estimate, 4, ""), range(t, &point->gain),
                      cli_real(t, point->gain_per_answer.estimate, 4, ""),
                      range(t, &point->gain_per_answer), cli_real(t, point->answers, 3, ""),
                      cli_real(t, point->seconds, 2, ""));
    }
    cli_table_end(t);
}

/* "at 12 % of the items: accuracy 0.9512, 0.360 answers and 0.72 s per item" */
static void print_mark(const char *what, const struct sl_defer_curve *curve, size_t p)
{
    const struct sl_defer_point *point = &curve->points[p];
    printf("  %-52s at %.0f %% of the items: accuracy %.4f, %.3f answers", what, 100 * point->share,
           point->accuracy.estimate, point->answers);
    if (is_timed(curve)) printf(" and %.2f s", point->seconds);
    puts(" per item");
}

static void print_marks(const struct sl_defer_curve *curve)
{
    static const char better[] = "significantly better than the classifier alone";
    if (curve->better == SIZE_MAX)
        printf("  %-52s at no share of the items\n", better);
    else
        print_mark(better, curve, curve->better);
    print_mark("not significantly worse than people alone", curve, curve->as_people);
    print_mark("most accurate", curve, curve->best);
}

void eval_print_defer(const struct sl_evaluation *run)
{
    const struct sl_evaluated_model *model = &run->models[0];
    printf("\nthe least certain items are decided by people\n");
    printf("certainty: %s; answers: %s; true classes: %s; intervals: 95 %%, bootstrap over items\n",
           run->curves[0].by->summary, model->answers, model->hard);
    for (size_t i = 0; i < run->n_curves; i++) {
        const struct sl_defer_curve *curve = &run->curves[i];
        printf("\n%zu %s", curve->n_people, sl_text_plural(curve->n_people, "person", "people"));
        if (curve->n_short)
            printf(" (of %zu items %zu %s fewer answers and %s with the classifier)",
                   model->scored->n, curve->n_short, sl_text_plural(curve->n_short, "has", "have"),
                   sl_text_plural(curve->n_short, "stays", "stay"));
        putchar('\n');
        print_points(curve);
        print_marks(curve);
    }
}
