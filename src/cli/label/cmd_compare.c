#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "softlab/label/compare.h"
#include "softlab/label/mixing.h"

struct compare_values {
    const char *mix;
    const char *mixed;
    const char *endpoint_labels;
    const char *only;
    const char *by;
    int64_t top;
    int64_t bootstrap;
    int64_t seed;
    double min_entropy;
    double max_entropy_b;
    bool same_first;
    bool least;
    bool pairs;
    bool json;
};

static const char *distance_names(size_t index)
{
    return index < SL_DISTANCE_COUNT ? sl_label_distances[index].name : NULL;
}

enum { SETS = 1, MIX = 2, MIXED = 4 };

static void compare_mode(const struct cli *cli, const void *values, struct cli_mode *out)
{
    (void)cli;
    const struct compare_values *options = values;
    *out = options->mix     ? (struct cli_mode){MIX, .name = "--mix", .alone = true}
           : options->mixed ? (struct cli_mode){MIXED, .name = "--mixed", .alone = true}
                            : (struct cli_mode){SETS, .name = "two label sets"};
}

static const char *const compare_samples[] = {"a.npz b.npz", "--mix a.jsonl", "--mixed a.npz",
                                              NULL};

#define AT(field) .offset = offsetof(struct compare_values, field)
static const struct sl_field_row compare_options[] = {
    {"top", SL_FIELD_INTEGER, AT(top), "show this many of the most different items",
     .fallback = "10", .minimum = 0, .maximum = 1e6, .modes = SETS},
    {"by", SL_FIELD_CHOICE, AT(by), "the distance by which items are most different",
     .value = "DISTANCE", .fallback = "wasserstein-values", .names = distance_names, .modes = SETS},
    {"least", SL_FIELD_BOOLEAN, AT(least), "show the least different items instead", .modes = SETS},
    {"same-first", SL_FIELD_BOOLEAN, AT(same_first),
     "of the items, show only those whose most probable class is the same in both; of ties "
     "the last by name",
     .modes = SETS},
    {"min-entropy", SL_FIELD_NUMBER, AT(min_entropy),
     "of the items, show only those whose labels both have at least this entropy", .value = "NATS",
     .fallback = "0", .minimum = 0, .maximum = 100, .modes = SETS},
    {"max-entropy-b", SL_FIELD_NUMBER, AT(max_entropy_b),
     "of the items, show only those whose label in B has at most this entropy; 0 takes all",
     .value = "NATS", .fallback = "0", .minimum = 0, .maximum = 100, .modes = SETS},
    {"mix", SL_FIELD_PATH, AT(mix),
     "instead of two label sets: mixing answers, inferred against generated shares",
     .value = "ANSWERS"},
    {"endpoint-labels", SL_FIELD_PATH, AT(endpoint_labels),
     "with --mix: labels of the images that were mixed, to split by their entropy", .modes = MIX},
    {"only", SL_FIELD_PATH, AT(only),
     "with --mix: use only the items this text file lists, one per line", .modes = MIX},
    {"mixed", SL_FIELD_PATH, AT(mixed),
     "instead of two label sets: labels of mixed images, against the shares in their names",
     .value = "LABELS", .modes = SETS | MIXED},
    {"pairs", SL_FIELD_BOOLEAN, AT(pairs), "with --mix: a line for every pair of classes",
     .modes = MIX},
    {"bootstrap", SL_FIELD_INTEGER, AT(bootstrap),
     "with --mix and --json: 95 % intervals by this many resamples of items and annotators "
     "(1000)",
     .fallback = "0", .minimum = 0, .maximum = 1e6, .modes = MIX, .needs = "json"},
    {"seed", SL_FIELD_INTEGER, AT(seed), "of the bootstrap", .fallback = "1", .minimum = 0,
     .maximum = 9e15, .modes = MIX, .needs = "bootstrap"},
    {"json", SL_FIELD_BOOLEAN, AT(json), "as JSON"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument compare_arguments[] = {
    {.name = "A",
     .help = "a label set (.npz, .npy, .csv, .json)",
     .kind = SL_FIELD_PATH,
     .optional = true},
    {.name = "B", .help = "another one", .kind = SL_FIELD_PATH, .optional = true},
    {.name = NULL},
};

/* The sets side by side. */
struct pair {
    struct sl_rows *a, *b;
    const char *name_a, *name_b;
    size_t n_kept; /* items that the options do not leave out */
    size_t n_shown;
    bool least;
};

static void print_items(const struct pair *pair, const struct sl_comparison *comparison)
{
    if (pair->n_kept < comparison->n_items)
        printf("\n%s different of %zu items\n", pair->least ? "least" : "most", pair->n_kept);
    else
        printf("\n%s different items\n", pair->least ? "least" : "most");
    struct cli_table table;
    cli_table_init(&table, "lrrrrrrr");
    cli_table_add(&table, "item", sl_label_distances[0].name, sl_label_distances[1].name,
                  sl_label_distances[2].name, sl_label_distances[3].name,
                  sl_label_distances[4].name, "entropy a", "entropy b");
    for (size_t i = 0; i < pair->n_shown; i++) {
        const struct sl_item_difference *item = &comparison->items[i];
        char name[64], cells[SL_DISTANCE_COUNT + 2][32];
        const char *about = sl_rows_item(pair->a, item->row_a, name, sizeof name);
        for (size_t d = 0; d < SL_DISTANCE_COUNT; d++)
            snprintf(cells[d], sizeof cells[d], "%.4f", item->distance[d]);
        snprintf(cells[SL_DISTANCE_COUNT], sizeof cells[0], "%.3f", item->entropy_a);
        snprintf(cells[SL_DISTANCE_COUNT + 1], sizeof cells[0], "%.3f", item->entropy_b);
        cli_table_add(&table, about, cells[0], cells[1], cells[2], cells[3], cells[4], cells[5],
                      cells[6]);
    }
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

static void print_comparison(const struct pair *pair, const struct sl_comparison *comparison)
{
    printf("%zu items in both (%zu only in %s, %zu only in %s)\n", comparison->n_items,
           comparison->n_only_a, pair->name_a, comparison->n_only_b, pair->name_b);
    printf("entropy correlation  %.4f\n", comparison->entropy_r);
    printf("mean entropy         %.4f and %.4f nats\n", comparison->entropy_a,
           comparison->entropy_b);
    printf("top-1 agreement      %.1f %%\n", 100 * comparison->top1_agreement);
    for (size_t d = 0; d < SL_DISTANCE_COUNT; d++)
        printf("mean %-20s %.4f   %s\n", sl_label_distances[d].name, comparison->mean[d],
               sl_label_distances[d].summary);
    if (comparison->n_infinite_kl)
        printf("KL is infinite for %zu items, which its mean leaves out\n",
               comparison->n_infinite_kl);
    if (pair->n_shown) print_items(pair, comparison);
    if (pair->n_kept == 0) puts("\nno item is such as the options ask for");
}

static json_t *comparison_json(const struct cli *cli, const struct pair *pair,
                               const struct sl_comparison *comparison)
{
    json_t *means = json_object(), *items = json_array();
    for (size_t d = 0; d < SL_DISTANCE_COUNT; d++)
        json_object_set_new(means, sl_label_distances[d].name, sl_json_real(comparison->mean[d]));
    for (size_t i = 0; i < pair->n_shown; i++) {
        const struct sl_item_difference *item = &comparison->items[i];
        char name[64];
        json_t *row =
            json_pack("{s:s}", "item", sl_rows_item(pair->a, item->row_a, name, sizeof name));
        for (size_t d = 0; d < SL_DISTANCE_COUNT; d++)
            json_object_set_new(row, sl_label_distances[d].name, sl_json_real(item->distance[d]));
        json_object_set_new(row, "entropy_a", sl_json_real(item->entropy_a));
        json_object_set_new(row, "entropy_b", sl_json_real(item->entropy_b));
        json_array_append_new(items, row);
    }
    json_t *value = json_pack(
        "{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "items",
        (json_int_t)comparison->n_items, "only_a", (json_int_t)comparison->n_only_a, "only_b",
        (json_int_t)comparison->n_only_b, "entropy_r", sl_json_real(comparison->entropy_r),
        "entropy_a", sl_json_real(comparison->entropy_a), "entropy_b",
        sl_json_real(comparison->entropy_b), "top1_agreement",
        sl_json_real(comparison->top1_agreement), "mean", means, "infinite_kl",
        (json_int_t)comparison->n_infinite_kl, pair->least ? "least_different" : "most_different",
        items, "provenance", cli_provenance(cli));
    json_object_set_new(value, "intervals",
                        json_pack("{s:o, s:o}", "entropy_a",
                                  sl_json_interval(&comparison->a_interval), "entropy_b",
                                  sl_json_interval(&comparison->b_interval)));
    return value;
}

static enum sl_label_distance_kind find_distance(const char *name)
{
    size_t index = 0;
    while (strcmp(sl_label_distances[index].name, name) != 0)
        index++;
    return (enum sl_label_distance_kind)index;
}

static enum sl_status compare_sets(const struct cli *cli, const struct compare_values *options,
                                   struct sl_error *err)
{
    struct pair pair = {.name_a = cli_shown(cli, cli->arguments[0]),
                        .name_b = cli_shown(cli, cli->arguments[1]),
                        .least = options->least};
    struct sl_comparison comparison = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_rows_read_like(&cli->workplace, cli->arguments[0], "labels", NULL, &pair.a, err));
    SL_TRY_OUT(sl_rows_read_like(&cli->workplace, cli->arguments[1], "labels", NULL, &pair.b, err));
    sl_say_rescaled(&cli->workplace, pair.name_a, pair.a);
    sl_say_rescaled(&cli->workplace, pair.name_b, pair.b);
    const char *const names[2] = {pair.name_a, pair.name_b};
    SL_TRY_OUT(sl_labels_compare(pair.a, pair.b, names, &comparison, err));
    const struct sl_class_list of_a = {cli->arguments[0], pair.a->classes, pair.a->n_classes};
    const struct sl_class_list of_b = {cli->arguments[1], pair.b->classes, pair.b->n_classes};
    sl_say_unnamed(&cli->workplace, &of_a, &of_b);
    char *const *classes = pair.a->classes ? pair.a->classes : pair.b->classes;
    sl_say_ties(&cli->workplace, pair.name_a, comparison.n_tied_a, comparison.n_items, classes);
    sl_say_ties(&cli->workplace, pair.name_b, comparison.n_tied_b, comparison.n_items, classes);
    SL_TRY_OUT(sl_comparison_sort(&comparison, find_distance(options->by), options->least, err));
    const struct sl_comparison_filter filter = {.same_first = options->same_first,
                                                .min_entropy = options->min_entropy,
                                                .max_entropy_b = options->max_entropy_b};
    pair.n_kept = sl_comparison_keep(&comparison, &filter);
    pair.n_shown = pair.n_kept < (size_t)options->top ? pair.n_kept : (size_t)options->top;
    if (options->json) {
        json_t *value = comparison_json(cli, &pair, &comparison);
        status = cli_print_json(value, err);
        json_decref(value);
    } else {
        print_comparison(&pair, &comparison);
    }
out:
    sl_comparison_release(&comparison);
    sl_rows_destroy(pair.a);
    sl_rows_destroy(pair.b);
    return status;
}

static void add_group(struct cli_table *table, const char *name, const struct sl_mix_group *group)
{
    char cells[5][32];
    const double values[] = {group->median, group->mean, group->mean_confidence, group->mean_error};
    snprintf(cells[0], sizeof cells[0], "%zu", group->n_answers);
    for (size_t i = 0; i < 4; i++)
        snprintf(cells[i + 1], sizeof cells[0], isnan(values[i]) ? "-" : "%.3f", values[i]);
    cli_table_add(table, name, cells[0], cells[1], cells[2], cells[3], cells[4]);
}

static void print_mixing(const struct sl_answers *answers, const struct sl_mix_summary *summary,
                         bool pairs)
{
    printf(
        "%zu answers about %zu items by %zu annotators, r of inferred and generated shares %.3f\n",
        summary->n_answers, summary->n_items, summary->n_annotators, summary->r);
    struct cli_table table;
    cli_table_init(&table, "lrrrrr");
    cli_table_add(&table, "generated", "answers", "median", "mean", "confidence", "error");
    char name[160];
    for (size_t i = 0; i < summary->n_by_share; i++) {
        snprintf(name, sizeof name, "%g", summary->by_share[i].generated);
        add_group(&table, name, &summary->by_share[i]);
    }
    if (summary->high.n_answers) add_group(&table, "endpoints of high entropy", &summary->high);
    if (summary->low.n_answers) add_group(&table, "endpoints of low entropy", &summary->low);
    for (size_t i = 0; pairs && i < summary->n_by_pair; i++) {
        const struct sl_mix_group *group = &summary->by_pair[i];
        snprintf(name, sizeof name, "%.60s and %.60s", answers->classes[group->a],
                 answers->classes[group->b]);
        add_group(&table, name, group);
    }
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

static json_t *group_json(const struct sl_answers *answers, const struct sl_mix_group *group)
{
    json_t *value =
        json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}", "generated", sl_json_real(group->generated),
                  "answers", (json_int_t)group->n_answers, "median", sl_json_real(group->median),
                  "mean", sl_json_real(group->mean), "confidence",
                  sl_json_real(group->mean_confidence), "error", sl_json_real(group->mean_error));
    json_object_set_new(value, "lower_quartile", sl_json_real(group->lower));
    json_object_set_new(value, "upper_quartile", sl_json_real(group->upper));
    json_object_set_new(value, "inferred_counts",
                        sl_json_counts(group->inferred_counts, SL_MIX_BINS));
    json_object_set_new(value, "confidence_counts",
                        sl_json_counts(group->confidence_counts, SL_MIX_BINS));
    if (!isnan(group->mean_interval.low))
        json_object_set_new(value, "intervals",
                            json_pack("{s:o, s:o, s:o, s:o}", "median",
                                      sl_json_interval(&group->median_interval), "mean",
                                      sl_json_interval(&group->mean_interval), "confidence",
                                      sl_json_interval(&group->confidence_interval), "error",
                                      sl_json_interval(&group->error_interval)));
    if (group->a != SL_NO_NAME)
        json_object_set_new(
            value, "classes",
            json_pack("[s, s]", answers->classes[group->a], answers->classes[group->b]));
    return value;
}

static json_t *groups_json(const struct sl_answers *answers, const struct sl_mix_group *groups,
                           size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, group_json(answers, &groups[i]));
    return list;
}

static json_t *mixing_json(const struct cli *cli, const struct sl_answers *answers,
                           const struct sl_mix_summary *summary)
{
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "answers",
                     (json_int_t)summary->n_answers, "items", (json_int_t)summary->n_items,
                     "annotators", (json_int_t)summary->n_annotators, "r", sl_json_real(summary->r),
                     "by_share", groups_json(answers, summary->by_share, summary->n_by_share),
                     "by_pair", groups_json(answers, summary->by_pair, summary->n_by_pair),
                     "by_pair_share",
                     groups_json(answers, summary->by_pair_share, summary->n_by_pair_share),
                     "high_entropy", group_json(answers, &summary->high), "low_entropy",
                     group_json(answers, &summary->low), "provenance", cli_provenance(cli));
}

static enum sl_status compare_mixing(struct cli *cli, const struct compare_values *options,
                                     struct sl_error *err)
{
    struct sl_import_notes notes = {.log = &cli->log};
    struct sl_mix_options mix = sl_mix_options_default();
    struct sl_answers *answers = NULL;
    struct sl_rows *endpoints = NULL;
    struct sl_name_table *only = NULL;
    struct sl_mix_summary summary = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_answers_read(options->mix, &answers, &notes, err));
    SL_TRY_OUT(sl_listed_items_read(&cli->workplace, options->only, answers, &only, err));
    if (options->endpoint_labels)
        SL_TRY_OUT(sl_rows_read_like(&cli->workplace, options->endpoint_labels, "labels", NULL,
                                     &endpoints, err));
    mix.endpoint_labels = endpoints;
    mix.only = only;
    const struct sl_bootstrap_options bootstrap = {
        .n_resamples = (size_t)options->bootstrap, .level = .95, .seed = (uint64_t)options->seed};
    if (options->bootstrap) mix.bootstrap = &bootstrap;
    SL_TRY_OUT(sl_mix_summarise(answers, &mix, &summary, err));
    if (options->json) {
        json_t *value = mixing_json(cli, answers, &summary);
        status = cli_print_json(value, err);
        json_decref(value);
    } else {
        print_mixing(answers, &summary, options->pairs);
    }
out:
    sl_mix_summary_release(&summary);
    sl_rows_destroy(endpoints);
    sl_answers_destroy(answers);
    sl_name_table_destroy(only);
    return status;
}

/* Soft labels over mixed images (thesis 5.1.2). */
static enum sl_status compare_mixed(const struct cli *cli, const struct compare_values *options,
                                    struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    struct sl_mixed_agreement agreement;
    SL_TRY(sl_rows_read_like(&cli->workplace, options->mixed, "labels", NULL, &rows, err));
    enum sl_status status = sl_mixed_labels_measure(rows, &agreement, err);
    sl_rows_destroy(rows);
    if (status != SL_OK) return sl_fail_within(err, status, "%s", options->mixed);
    if (!options->json) {
        printf("labels of mixed images       %zu\n", agreement.n_rows);
        printf("r of shares at the endpoints %.3f\n", agreement.r);
        printf("mass off the endpoints       %.3f\n", agreement.off_endpoints);
        return SL_OK;
    }
    json_t *value =
        json_pack("{s:I, s:o, s:o, s:{s:o}, s:o}", "rows", (json_int_t)agreement.n_rows, "r",
                  sl_json_real(agreement.r), "off_endpoints", sl_json_real(agreement.off_endpoints),
                  "intervals", "off_endpoints", sl_json_interval(&agreement.off_interval),
                  "provenance", cli_provenance(cli));
    status = cli_print_json(value, err);
    json_decref(value);
    return status;
}

static enum sl_status run_compare(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct compare_values *options = values;
    if (options->mixed) return compare_mixed(cli, options, err);
    if (options->mix) return compare_mixing(cli, options, err);
    if (cli->n_arguments < 2) return sl_fail(err, SL_ERR_USAGE, "two label sets are needed");
    return compare_sets(cli, options, err);
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
    .summary = "two label sets: entropy correlation, distances, the most different items",
    .description =
        "Matches rows by item and columns by class. The Wasserstein distance between "
        "values is what the papers report; the one over class indices depends on the "
        "arbitrary order of classes. Top-1 agreement is the accuracy of softlab eval: of "
        "classes that are equally probable the last by name counts as the first choice (the last "
        "column, where neither file names its classes), so the order of the two files and of "
        "their columns makes no difference.",
    .arguments = compare_arguments,
    .options = compare_options,
    .examples = compare_examples,
    .values_size = sizeof(struct compare_values),
    .mode = compare_mode,
    .samples = compare_samples,
    .run = run_compare,
};
