#include <math.h>
#include <string.h>

#include "cmd.h"

struct quality_values {
    struct sl_quality_job job; /* first, so that its offsets are those of the values */
    bool annotators;
    bool json;
};
_Static_assert(offsetof(struct quality_values, job) == 0, "options name fields of the job");

#define AT(field) .offset = offsetof(struct quality_values, field)
static const struct sl_field_row quality_options[] = {
    {"annotators", SL_FIELD_BOOLEAN, AT(annotators),
     "print a line for every annotator; agreement is with the other annotators and needs no truth",
     .letter = 'a'},
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
    printf("\n%zu of %zu annotator%s may have answered without looking; look at their answers "
           "before you exclude anybody\n",
           suspicions->n_flagged, suspicions->n_annotators,
           sl_text_plural(suspicions->n_annotators, "", "s"));
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
    printf("\n%s excludes %zu of %zu annotator%s\n", preset, count, quality->n_annotators,
           sl_text_plural(quality->n_annotators, "", "s"));
    for (size_t i = 0; i < quality->n_annotators; i++)
        if (quality->annotators[i].excluded)
            printf("  %s: %s\n", sl_name_table_get(answers->annotators, (uint32_t)i, NULL),
                   quality->annotators[i].excluded);
}

/* Answers to items where the reference's entropy is high beside those where it is low. */
static void print_parts(const struct sl_measured_quality *measured)
{
    const struct sl_answer_group *high = &measured->parts[SL_QUALITY_HIGH];
    const struct sl_answer_group *low = &measured->parts[SL_QUALITY_LOW];
    char name[64], one[64], two[64];
    struct cli_table table;
    cli_table_init(&table, "lrr");
    snprintf(one, sizeof one, "entropy >= %g", measured->job->high);
    snprintf(two, sizeof two, "entropy <= %g", measured->job->low);
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
    for (size_t k = 0; k <= measured->answers->n_classes; k++) {
        snprintf(name, sizeof name, "%zu possible", k);
        cli_table_add(&table, name, sl_text_count(high->possible_counts[k], one, sizeof one),
                      sl_text_count(low->possible_counts[k], two, sizeof two));
    }
    puts("");
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

static void print_quality(const struct sl_measured_quality *measured, bool annotators)
{
    const struct sl_answers *answers = measured->answers;
    if (annotators)
        print_annotators(answers, &measured->quality, &measured->suspicions);
    else
        print_overall(&measured->quality, answers->n_classes);
    if (measured->job->reference) print_parts(measured);
    print_excluded(answers, &measured->quality, measured->job->exclude);
    print_suspicious(answers, &measured->suspicions);
}

static enum sl_status show(const struct cli *cli, const struct quality_values *values,
                           const struct sl_measured_quality *measured, struct sl_error *err)
{
    if (!values->json) {
        print_quality(measured, values->annotators);
        return SL_OK;
    }
    json_t *value = sl_measured_quality_json(measured, cli_provenance(cli));
    const enum sl_status status = cli_print_json(value, err);
    json_decref(value);
    return status;
}

static enum sl_status run_quality(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct quality_values *values = raw;
    struct sl_quality_job job = values->job;
    struct sl_measured_quality measured = {0};
    job.answers = cli->arguments[0];
    enum sl_status status = sl_quality_job_run(&job, &cli->workplace, &measured, err);
    if (status == SL_OK) status = show(cli, values, &measured, err);
    sl_measured_quality_release(&measured);
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
    .task = &sl_quality_task,
    .options = quality_options,
    .examples = quality_examples,
    .values_size = sizeof(struct quality_values),
    .run = run_quality,
};
