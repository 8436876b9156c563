#include <math.h>

#include "cmd.h"
#include "softlab/base/text.h"

struct compare_values {
    struct sl_compare_job job; /* first, so that its offsets are those of the values */
    bool pairs;
    bool json;
};
_Static_assert(offsetof(struct compare_values, job) == 0, "options name fields of the job");

static const char *const compare_samples[] = {"a.npz b.npz", "--mix a.jsonl", "--mixed a.npz",
                                              NULL};

#define AT(field) .offset = offsetof(struct compare_values, field)
static const struct sl_field_row compare_options[] = {
    {"pairs", SL_FIELD_BOOLEAN, AT(pairs), "with --mix: print a line for every pair of classes",
     .modes = SL_COMPARE_MIX},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print JSON"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument compare_arguments[] = {
    {.name = "A",
     .help = "a label set (.npz, .npy, .csv, .json)",
     .kind = SL_FIELD_PATH,
     .optional = true},
    {.name = "B", .help = "another label set", .kind = SL_FIELD_PATH, .optional = true},
    {.name = NULL},
};

static const char *class_cell(struct cli_table *table, const struct sl_compared *compared,
                              size_t column)
{
    const char *name = sl_compared_class(compared, column);
    return name ? name : cli_cell(table, "%zu", column);
}

static void print_items(const struct sl_compared *compared)
{
    const struct sl_comparison *comparison = &compared->comparison;
    const char *which = compared->job->least ? "least" : "most";
    if (compared->n_kept < comparison->n_items)
        printf("\n%s different of %zu item%s\n", which, compared->n_kept,
               sl_text_plural(compared->n_kept, "", "s"));
    else
        printf("\n%s different items\n", which);
    struct cli_table table;
    cli_table_begin(&table, "lllrrrrrrr", "item", "class a", "class b", sl_label_distances[0].name,
                    sl_label_distances[1].name, sl_label_distances[2].name,
                    sl_label_distances[3].name, sl_label_distances[4].name, "entropy a",
                    "entropy b");
    for (size_t i = 0; i < compared->n_shown; i++) {
        const struct sl_item_difference *item = &comparison->items[i];
        const char *cells[SL_DISTANCE_COUNT + 5] = {NULL};
        char name[64];
        size_t n = 0;
        cells[n++] = sl_rows_item(compared->a, item->row_a, name, sizeof name);
        cells[n++] = class_cell(&table, compared, item->first_a);
        cells[n++] = class_cell(&table, compared, item->first_b);
        for (size_t d = 0; d < SL_DISTANCE_COUNT; d++)
            cells[n++] = cli_cell(&table, "%.4f", item->distance[d]);
        cells[n++] = cli_cell(&table, "%.3f", item->entropy_a);
        cells[n++] = cli_cell(&table, "%.3f", item->entropy_b);
        cli_table_add_cells(&table, cells);
    }
    cli_table_end(&table);
}

static void print_comparison(const struct cli *cli, const struct sl_compared *compared)
{
    const struct sl_comparison *comparison = &compared->comparison;
    printf("%zu item%s in both (%zu only in %s, %zu only in %s)\n", comparison->n_items,
           sl_text_plural(comparison->n_items, "", "s"), comparison->n_only_a,
           cli_shown(cli, compared->job->a), comparison->n_only_b,
           cli_shown(cli, compared->job->b));
    if (isnan(comparison->entropy_r))
        printf("entropy correlation  - (all entropies of a set are equal)\n");
    else
        printf("entropy correlation  %.4f\n", comparison->entropy_r);
    printf("mean entropy         %.4f and %.4f nats\n", comparison->entropy_a,
           comparison->entropy_b);
    printf("top-1 agreement      %.1f %%\n", 100 * comparison->top1_agreement);
    for (size_t d = 0; d < SL_DISTANCE_COUNT; d++)
        printf("mean %-20s %.4f   %s\n", sl_label_distances[d].name, comparison->mean[d],
               sl_label_distances[d].summary);
    if (comparison->n_infinite_kl)
        printf("KL is infinite for %zu item%s, which its mean leaves out\n",
               comparison->n_infinite_kl, sl_text_plural(comparison->n_infinite_kl, "", "s"));
    if (compared->n_shown) print_items(compared);
    if (compared->n_kept == 0) puts("\nno item is such as the options ask for");
}

static void add_group(struct cli_table *table, const char *name, const struct sl_mix_group *group)
{
    cli_table_add(table, name, cli_cell(table, "%zu", group->n_answers),
                  cli_real(table, group->median, 3, ""), cli_real(table, group->mean, 3, ""),
                  cli_real(table, group->mean_confidence, 3, ""),
                  cli_real(table, group->mean_error, 3, ""));
}

static void print_mixing(const struct sl_answers *answers, const struct sl_mix_summary *summary,
                         bool pairs)
{
    printf("%zu answer%s about %zu item%s by %zu annotator%s, r of inferred and generated shares "
           "%.3f\n",
           summary->n_answers, sl_text_plural(summary->n_answers, "", "s"), summary->n_items,
           sl_text_plural(summary->n_items, "", "s"), summary->n_annotators,
           sl_text_plural(summary->n_annotators, "", "s"), summary->r);
    struct cli_table table;
    cli_table_begin(&table, "lrrrrr", "generated", "answers", "median", "mean", "confidence",
                    "error");
    for (size_t i = 0; i < summary->n_by_share; i++)
        add_group(&table, cli_cell(&table, "%g", summary->by_share[i].generated),
                  &summary->by_share[i]);
    if (summary->high.n_answers) add_group(&table, "endpoints of high entropy", &summary->high);
    if (summary->low.n_answers) add_group(&table, "endpoints of low entropy", &summary->low);
    for (size_t i = 0; pairs && i < summary->n_by_pair; i++) {
        const struct sl_mix_group *group = &summary->by_pair[i];
        add_group(&table,
                  cli_cell(&table, "%.60s and %.60s", answers->classes[group->a],
                           answers->classes[group->b]),
                  group);
    }
    cli_table_end(&table);
}

static void print_mixed(const struct sl_mixed_agreement *agreement)
{
    printf("labels of mixed images       %zu\n", agreement->n_rows);
    printf("r of shares at the endpoints %.3f\n", agreement->r);
    printf("mass off the endpoints       %.3f\n", agreement->off_endpoints);
}

static enum sl_status show(const struct cli *cli, const struct compare_values *values,
                           const struct sl_compared *compared, struct sl_error *err)
{
    if (values->json) return cli_print_json(sl_compared_json(compared, cli_provenance(cli)), err);
    if (values->job.mixed)
        print_mixed(&compared->mixed);
    else if (values->job.mix)
        print_mixing(compared->answers, &compared->mix, values->pairs);
    else
        print_comparison(cli, compared);
    return SL_OK;
}

static enum sl_status run_compare(struct cli *cli, const void *raw, struct sl_error *err)
{
    struct compare_values values = *(const struct compare_values *)raw;
    struct sl_compared compared;
    values.job.a = cli->n_arguments > 0 ? cli->arguments[0] : NULL;
    values.job.b = cli->n_arguments > 1 ? cli->arguments[1] : NULL;
    SL_TRY(sl_compare_job_run(&values.job, &cli->workplace, &compared, err));
    const enum sl_status status = show(cli, &values, &compared, err);
    sl_compared_release(&compared);
    return status;
}

static const struct cli_example compare_examples[] = {
    {"softlab compare labels.npz cifar10h-probs.npy", "one label set against another"},
    {"softlab compare network.npz cifar10h-probs.npy --by l1 --same-first",
     "where a network and people agree in the first class and differ most over the others"},
    {"softlab compare --mix hmix.jsonl --endpoint-labels cifar10h-probs.npy",
     "how much of each image people see in a mixture"},
    {NULL, NULL},
};

const struct cli_command cmd_compare = {
    .name = "compare",
    .also = "diff distance",
    .group = "label",
    .summary = "compare two label sets: entropy correlation, distances, the most different items",
    .description =
        "Matches rows by item and columns by class. The Wasserstein distance between "
        "values is what the papers report; the one over class indices depends on the "
        "arbitrary order of classes. Top-1 agreement is the accuracy of softlab eval: of "
        "classes that are equally probable the last by name counts as the first choice (the last "
        "column, where neither file names its classes), so the order of the two files and of "
        "their columns makes no difference.",
    .arguments = compare_arguments,
    .task = &sl_compare_task,
    .options = compare_options,
    .examples = compare_examples,
    .values_size = sizeof(struct compare_values),
    .samples = compare_samples,
    .run = run_compare,
};
