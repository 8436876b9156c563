#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "softlab/answer/quality.h"
#include "softlab/answer/suspicion.h"
#include "softlab/label/compare.h"

struct quality_values {
    struct cli_answer_words input;
    const char *truth;
    const char *exclude;
    const char *reference;
    double high;
    double low;
    int64_t most_answers;
    int64_t bootstrap;
    int64_t seed;
    bool annotators;
    bool json;
};

static const char *preset_names(size_t index)
{
    return sl_exclusion_presets[index].name;
}

#define AT(field) .offset = offsetof(struct quality_values, field)
static const struct sl_field_row quality_options[] = {
    CLI_ANSWER_OPTIONS(offsetof(struct quality_values, input), 0, 0),
    {"truth", SL_FIELD_PATH, AT(truth),
     "true classes: a label file, a CSV with the columns item and truth, a text file with a class "
     "per line, or a data set like cifar10:test (default: those in the answers)",
     .value = "FILE|DATASET"},
    {"exclude", SL_FIELD_CHOICE, AT(exclude), "rules by which annotators are excluded",
     .letter = 'x', .value = "RULES", .fallback = "none", .names = preset_names},
    {"most-answers", SL_FIELD_INTEGER, AT(most_answers),
     "leave out items with more answers than this (control items); 0 leaves out none",
     .fallback = "0", .minimum = 0, .maximum = 9e15},
    {"reference", SL_FIELD_PATH, AT(reference),
     "labels of the items; confidence and the number of possible classes are reported apart for "
     "items of high and of low entropy",
     .value = "LABELS"},
    {"high", SL_FIELD_NUMBER, AT(high), "with --reference: high entropy begins here",
     .value = "NATS", .fallback = "0.25", .minimum = 0, .maximum = 100, .needs = "reference"},
    {"low", SL_FIELD_NUMBER, AT(low), "with --reference: low entropy ends here", .value = "NATS",
     .fallback = "0.1", .minimum = 0, .maximum = 100, .needs = "reference"},
    {"annotators", SL_FIELD_BOOLEAN, AT(annotators),
     "print a line for every annotator; agreement is with the other annotators and needs no truth",
     .letter = 'a'},
    {"bootstrap", SL_FIELD_INTEGER, AT(bootstrap),
     "with --json: 95 % intervals from this many resamples of items and annotators; 1000 is usual",
     .fallback = "0", .minimum = 0, .maximum = 1e6, .needs = "json"},
    {"seed", SL_FIELD_INTEGER, AT(seed), "seed of the bootstrap", .fallback = "1", .minimum = 0,
     .maximum = 9e15, .needs = "bootstrap"},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print everything as JSON"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument quality_arguments[] = {
    {.name = "ANSWERS",
     .help = "answers.jsonl, answers.slb or CSV, plain or .gz",
     .kind = SL_FIELD_PATH},
    {.name = NULL},
};

/* "84.3 %", or a dash where nothing is known. */
static const char *percent(double share, char out[32])
{
    if (isnan(share))
        snprintf(out, 32, "-");
    else
        snprintf(out, 32, "%.1f %%", 100 * share);
    return out;
}

static const char *real(double value, const char *format, char out[32])
{
    if (isnan(value)) {
        snprintf(out, 32, "-");
        return out;
    }
    if (format[0] == 's')
        snprintf(out, 32, "%.1f s", value / 1000);
    else if (format[0] == 'p')
        snprintf(out, 32, "%.2f points", value);
    else
        snprintf(out, 32, "%.3f", value);
    return out;
}

static void add_row(struct cli_table *table, const char *name, const char *value)
{
    cli_table_add(table, name, value);
}

static void print_overall(const struct sl_quality *quality, size_t n_classes)
{
    const struct sl_annotator_quality *all = &quality->overall;
    char text[32];
    struct cli_table table;
    cli_table_init(&table, "lr");
    add_row(&table, "answers", sl_text_count(all->n_answers, text, sizeof text));
    add_row(&table, "annotators", sl_text_count(quality->n_annotators, text, sizeof text));
    add_row(&table, "items", sl_text_count(quality->n_items, text, sizeof text));
    add_row(&table, "answers per item", real(quality->answers_per_item, "r", text));
    add_row(&table, "answers per item and class",
            real(quality->answers_per_item / (double)n_classes, "r", text));
    add_row(&table, "observed agreement", real(quality->observed_agreement, "r", text));
    add_row(&table, "Krippendorff alpha", real(quality->krippendorff_alpha, "r", text));
    add_row(&table, "accuracy top-1", percent(all->top1, text));
    add_row(&table, "accuracy top-2", percent(all->top2, text));
    add_row(&table, "mean accuracy of annotators", percent(quality->mean_accuracy, text));
    add_row(&table, "annotators at 75 % or better", percent(quality->share_accurate, text));
    add_row(&table, "items whose truth got no vote", percent(quality->share_never_true, text));
    add_row(&table, "items with at most two classes", percent(quality->share_two_classes, text));
    add_row(&table, "repeats", sl_text_count(all->n_repeats, text, sizeof text));
    add_row(&table, "repeats with another class", percent(all->changed_class, text));
    add_row(&table, "mean change on repeat", real(all->mean_change, "points", text));
    add_row(&table, "median time", real(all->median_ms, "seconds", text));
    for (size_t s = 0; s < SL_SLIP_COUNT; s++)
        add_row(&table, sl_slip_names[s], sl_text_count(all->slips[s], text, sizeof text));
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

/* Two decimals, never rounded up to a flag. */
static const char *score(const struct sl_suspicion *suspicion, char out[32])
{
    snprintf(out, 32, "%.2f", floor(100 * suspicion->score) / 100);
    return out;
}

static void print_suspicious(const struct sl_answers *answers,
                             const struct sl_suspicions *suspicions)
{
    if (suspicions->n_flagged == 0) return;
    printf(
        "\n%zu of %zu annotators may have answered without looking; look at their answers before "
        "you exclude anybody\n",
        suspicions->n_flagged, suspicions->n_annotators);
    for (size_t i = 0; i < suspicions->n_annotators; i++) {
        const struct sl_suspicion *one = &suspicions->annotators[i];
        char text[32];
        if (!one->flagged) continue;
        printf("  %s (suspicion %s): ", sl_name_table_get(answers->annotators, (uint32_t)i, NULL),
               score(one, text));
        for (size_t r = 0; r < one->n_reasons; r++)
            printf("%s%s", r ? "; " : "", one->reasons[r]);
        puts("");
    }
}

static size_t slips_of(const struct sl_annotator_quality *annotator)
{
    size_t total = 0;
    for (size_t s = 0; s < SL_SLIP_COUNT; s++)
        total += annotator->slips[s];
    return total;
}

static void print_annotators(const struct sl_answers *answers, const struct sl_quality *quality,
                             const struct sl_suspicions *suspicions)
{
    struct cli_table table;
    cli_table_init(&table, "lrrrrrrrrrl");
    cli_table_add(&table, "annotator", "answers", "agreement", "top-1", "top-2", "repeats",
                  "changed", "time", "slips", "suspicion", "excluded");
    for (size_t i = 0; i < quality->n_annotators; i++) {
        const struct sl_annotator_quality *a = &quality->annotators[i];
        char count[32], agreement[32], top1[32], top2[32], repeats[32], changed[32], time[32],
            slips[32], suspicion[32];
        cli_table_add(&table, sl_name_table_get(answers->annotators, (uint32_t)i, NULL),
                      sl_text_count(a->n_answers, count, sizeof count),
                      percent(a->agreement, agreement), percent(a->top1, top1),
                      percent(a->top2, top2), sl_text_count(a->n_repeats, repeats, sizeof repeats),
                      percent(a->changed_class, changed), real(a->median_ms, "seconds", time),
                      sl_text_count(slips_of(a), slips, sizeof slips),
                      score(&suspicions->annotators[i], suspicion), a->excluded ? a->excluded : "");
    }
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

static void print_excluded(const struct sl_answers *answers, const struct sl_quality *quality,
                           const char *preset)
{
    if (strcmp(preset, "none") == 0) return;
    size_t count = 0;
    for (size_t i = 0; i < quality->n_annotators; i++)
        count += quality->annotators[i].excluded != NULL;
    printf("\n%s excludes %zu of %zu annotators\n", preset, count, quality->n_annotators);
    for (size_t i = 0; i < quality->n_annotators; i++)
        if (quality->annotators[i].excluded)
            printf("  %s: %s\n", sl_name_table_get(answers->annotators, (uint32_t)i, NULL),
                   quality->annotators[i].excluded);
}

static json_t *annotator_json(const struct sl_annotator_quality *a)
{
    json_t *slips = json_object();
    for (size_t s = 0; s < SL_SLIP_COUNT; s++)
        json_object_set_new(slips, sl_slip_names[s], json_integer((json_int_t)a->slips[s]));
    return json_pack("{s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:o, s:s?}", "answers",
                     (json_int_t)a->n_answers, "agreement", sl_json_real(a->agreement), "top1",
                     sl_json_real(a->top1), "top2", sl_json_real(a->top2), "repeats",
                     (json_int_t)a->n_repeats, "changed_class", sl_json_real(a->changed_class),
                     "mean_change", sl_json_real(a->mean_change), "median_ms",
                     sl_json_real(a->median_ms), "checks", (json_int_t)a->n_checks, "checks_right",
                     (json_int_t)a->n_checks_right, "slips", slips, "excluded", a->excluded);
}

static json_t *suspicion_json(const struct sl_suspicion *suspicion)
{
    json_t *reasons = json_array(), *evidence = json_object();
    for (size_t r = 0; r < suspicion->n_reasons; r++)
        json_array_append_new(reasons, json_string(suspicion->reasons[r]));
    for (size_t s = 0; s < SL_SUSPECT_COUNT; s++)
        json_object_set_new(evidence, sl_suspicion_names[s], json_real(suspicion->evidence[s]));
    return json_pack("{s:f, s:b, s:o, s:o}", "score", suspicion->score, "flagged",
                     suspicion->flagged, "reasons", reasons, "evidence", evidence);
}

static json_t *quality_json(const struct cli *cli, const struct sl_answers *answers,
                            const struct sl_quality *quality,
                            const struct sl_suspicions *suspicions)
{
    json_t *annotators = json_object();
    for (size_t i = 0; i < quality->n_annotators; i++) {
        json_t *one = annotator_json(&quality->annotators[i]);
        json_object_set_new(one, "suspicion", suspicion_json(&suspicions->annotators[i]));
        json_object_set_new(annotators, sl_name_table_get(answers->annotators, (uint32_t)i, NULL),
                            one);
    }
    json_t *result = annotator_json(&quality->overall);
    const struct {
        const char *name;
        double value;
    } reals[] = {
        {"answers_per_item", quality->answers_per_item},
        {"observed_agreement", quality->observed_agreement},
        {"krippendorff_alpha", quality->krippendorff_alpha},
        {"mean_accuracy", quality->mean_accuracy},
        {"share_accurate", quality->share_accurate},
        {"share_never_true", quality->share_never_true},
        {"share_two_classes", quality->share_two_classes},
    };
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        json_object_set_new(result, reals[i].name, sl_json_real(reals[i].value));
    json_object_set_new(result, "items", json_integer((json_int_t)quality->n_items));
    json_object_set_new(result, "suspicious", json_integer((json_int_t)suspicions->n_flagged));
    json_object_set_new(result, "annotators", annotators);
    json_object_set_new(result, "provenance", cli_provenance(cli));
    return result;
}

/* Answers by the entropy of the reference: those to items where it is high, and where it is low. */
enum { HIGH, LOW, PARTS };
struct parts {
    struct sl_answer_group groups[PARTS];
    struct sl_answer_group_intervals intervals[PARTS];
    size_t n_classes;
};

static void print_parts(const struct parts *parts, const struct quality_values *options)
{
    const struct sl_answer_group *high = &parts->groups[HIGH], *low = &parts->groups[LOW];
    char name[64], one[64], two[64];
    struct cli_table table;
    cli_table_init(&table, "lrr");
    snprintf(one, sizeof one, "entropy >= %g", options->high);
    snprintf(two, sizeof two, "entropy <= %g", options->low);
    cli_table_add(&table, "reference", one, two);
    cli_table_add(&table, "items", sl_text_count(high->n_items, one, sizeof one),
                  sl_text_count(low->n_items, two, sizeof two));
    cli_table_add(&table, "answers", sl_text_count(high->n_answers, one, sizeof one),
                  sl_text_count(low->n_answers, two, sizeof two));
    cli_table_add(&table, "mean first probability", percent(high->mean_probability, one),
                  percent(low->mean_probability, two));
    cli_table_add(&table, "mean number of possible classes", real(high->mean_possible, "r", one),
                  real(low->mean_possible, "r", two));
    for (size_t i = 0; i < SL_ANSWER_BINS; i++) {
        snprintf(name, sizeof name, "first probability %zu-%zu %%", 10 * i, 10 * (i + 1));
        cli_table_add(&table, name, sl_text_count(high->probability_counts[i], one, sizeof one),
                      sl_text_count(low->probability_counts[i], two, sizeof two));
    }
    for (size_t k = 0; k <= parts->n_classes; k++) {
        snprintf(name, sizeof name, "%zu possible", k);
        cli_table_add(&table, name, sl_text_count(high->possible_counts[k], one, sizeof one),
                      sl_text_count(low->possible_counts[k], two, sizeof two));
    }
    puts("");
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

static json_t *part_json(const struct parts *parts, size_t part, bool has_intervals)
{
    const struct sl_answer_group *group = &parts->groups[part];
    const size_t n_classes = parts->n_classes;
    json_t *value = json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o}", "items", (json_int_t)group->n_items, "answers",
        (json_int_t)group->n_answers, "first_probability", sl_json_real(group->mean_probability),
        "possible_classes", sl_json_real(group->mean_possible), "first_probability_counts",
        sl_json_counts(group->probability_counts, SL_ANSWER_BINS), "possible_classes_counts",
        sl_json_counts(group->possible_counts, n_classes + 1));
    if (has_intervals)
        json_object_set_new(value, "intervals",
                            json_pack("{s:o, s:o}", "first_probability",
                                      sl_json_interval(&parts->intervals[part].probability),
                                      "possible_classes",
                                      sl_json_interval(&parts->intervals[part].possible)));
    return value;
}

static json_t *intervals_json(const struct sl_quality_intervals *intervals)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "top1", sl_json_interval(&intervals->top1),
                     "top2", sl_json_interval(&intervals->top2), "mean_accuracy",
                     sl_json_interval(&intervals->mean_accuracy), "share_never_true",
                     sl_json_interval(&intervals->share_never_true), "share_two_classes",
                     sl_json_interval(&intervals->share_two_classes));
}

static struct sl_bootstrap_options bootstrap_of(const struct quality_values *options)
{
    return (struct sl_bootstrap_options){
        .n_resamples = (size_t)options->bootstrap, .level = .95, .seed = (uint64_t)options->seed};
}

static enum sl_status measure_parts(const struct cli *cli, const struct sl_answers *answers,
                                    const struct quality_values *options, struct parts *out,
                                    struct sl_error *err)
{
    struct sl_rows *labels = NULL;
    const size_t n_items = sl_name_table_count(answers->items);
    bool *in[PARTS] = {sl_alloc(n_items + 1, sizeof(bool)), sl_alloc(n_items + 1, sizeof(bool))};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(
        sl_rows_read_like(&cli->workplace, options->reference, "labels", NULL, &labels, err));
    SL_TRY_OUT(sl_rows_check_distributions(labels, options->reference, err));
    enum sl_row_matching matching = SL_ROWS_BY_NUMBER;
    if (!labels->items)
        SL_TRY_OUT(sl_match_rows(options->reference, "rows", labels->n_rows, answers->items,
                                 &matching, err));
    for (uint32_t i = 0; i < n_items; i++) {
        size_t length;
        const char *name = sl_name_table_get(answers->items, i, &length);
        const size_t place = matching == SL_ROWS_BY_ORDER ? i : sl_rows_find(labels, name, length);
        if (place == SIZE_MAX) {
            status = sl_fail(err, SL_ERR_INPUT, "%s has no item %s", options->reference, name);
            goto out;
        }
        const double entropy =
            sl_entropy_of_row(labels->values + place * labels->n_classes, labels->n_classes);
        in[HIGH][i] = entropy >= options->high;
        in[LOW][i] = entropy <= options->low;
    }
    out->n_classes = answers->n_classes;
    const struct sl_bootstrap_options bootstrap = bootstrap_of(options);
    for (size_t p = 0; p < PARTS; p++) {
        SL_TRY_OUT(sl_answer_group_measure(answers, in[p], &out->groups[p], err));
        if (options->bootstrap)
            SL_TRY_OUT(
                sl_answer_group_bootstrap(answers, in[p], &bootstrap, &out->intervals[p], err));
    }
out:
    free(in[HIGH]);
    free(in[LOW]);
    sl_rows_destroy(labels);
    return status;
}

static const struct sl_exclusion_preset *find_preset(const char *name)
{
    const struct sl_exclusion_preset *preset = sl_exclusion_presets;
    while (strcmp(preset->name, name) != 0)
        preset++;
    return preset;
}

/* What was measured. */
struct measured {
    struct sl_quality quality;
    struct sl_quality_intervals intervals;
    struct sl_suspicions suspicions;
    struct parts parts;
};

static enum sl_status print_quality(const struct cli *cli, const struct sl_answers *answers,
                                    const struct measured *measured,
                                    const struct quality_values *options, struct sl_error *err)
{
    const struct parts *parts = &measured->parts;
    if (options->json) {
        json_t *value = quality_json(cli, answers, &measured->quality, &measured->suspicions);
        if (options->bootstrap)
            json_object_set_new(value, "intervals", intervals_json(&measured->intervals));
        if (options->reference)
            json_object_set_new(value, "by_entropy",
                                json_pack("{s:o, s:o}", "high",
                                          part_json(parts, HIGH, options->bootstrap > 0), "low",
                                          part_json(parts, LOW, options->bootstrap > 0)));
        enum sl_status status = cli_print_json(value, err);
        json_decref(value);
        return status;
    }
    if (options->annotators)
        print_annotators(answers, &measured->quality, &measured->suspicions);
    else
        print_overall(&measured->quality, answers->n_classes);
    if (options->reference) print_parts(parts, options);
    print_excluded(answers, &measured->quality, options->exclude);
    print_suspicious(answers, &measured->suspicions);
    return SL_OK;
}

static enum sl_status run_quality(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct quality_values *options = values;
    struct sl_answers *answers = NULL;
    struct measured measured = {0};
    int32_t *truth = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(cli_read_answers(cli, cli->arguments[0], &options->input, &answers, err));
    const struct sl_known_names names = sl_known_names_of(answers);
    if (options->truth)
        SL_TRY_OUT(sl_truth_read_and_tell(&cli->workplace, options->truth, &names, &truth, err));
    const struct sl_quality_options measure = {.truth = truth,
                                               .preset = find_preset(options->exclude),
                                               .most_answers = (size_t)options->most_answers};
    status = sl_quality_measure(answers, &measure, &measured.quality, err);
    if (status != SL_OK) {
        status = sl_fail_within(err, status, "%s", cli_shown(cli, cli->arguments[0]));
        goto out;
    }
    if (options->bootstrap) {
        const struct sl_bootstrap_options bootstrap = bootstrap_of(options);
        SL_TRY_OUT(sl_quality_bootstrap(answers, &measure, &bootstrap, &measured.intervals, err));
    }
    SL_TRY_OUT(sl_suspicion_measure(answers, &measured.quality, truth, &measured.suspicions, err));
    if (options->reference) SL_TRY_OUT(measure_parts(cli, answers, options, &measured.parts, err));
    SL_TRY_OUT(print_quality(cli, answers, &measured, options, err));
out:
    for (size_t p = 0; p < PARTS; p++)
        sl_answer_group_release(&measured.parts.groups[p]);
    sl_suspicions_release(&measured.suspicions);
    sl_quality_release(&measured.quality);
    free(truth);
    sl_answers_destroy(answers);
    return status;
}

static const struct cli_example quality_examples[] = {
    {"softlab quality answers.jsonl --exclude collins2022-as-published",
     "errors, accuracy, consistency, times, and who the paper's rule would exclude"},
    {"softlab quality answers.jsonl --reference cifar10h-probs.npy",
     "also how sure people were where others disagreed, and where they did not"},
    {NULL, NULL},
};

const struct cli_command cmd_quality = {
    .name = "quality",
    .also = "annotators workers agreement reliability kappa krippendorff skill",
    .group = "label",
    .summary = "errors, accuracy, consistency, agreement and times of annotators",
    .description = "Measures answers and annotators. A dash means that the answers do not contain "
                   "what the figure needs. docs/internals/quality.md defines each figure.",
    .arguments = quality_arguments,
    .options = quality_options,
    .examples = quality_examples,
    .values_size = sizeof(struct quality_values),
    .run = run_quality,
};
