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
static const char *percent(struct cli_table *table, double share)
{
    return cli_real(table, 100 * share, 1, " %");
}

static void print_overall(const struct sl_quality *quality, size_t n_classes)
{
    const struct sl_annotator_quality *all = &quality->overall;
    const double per_item = quality->answers_per_item;
    struct cli_table table, *t = &table;
    cli_table_init(t, "lr");
    cli_table_add(t, "answers", cli_count(t, all->n_answers));
    cli_table_add(t, "annotators", cli_count(t, quality->n_annotators));
    cli_table_add(t, "items", cli_count(t, quality->n_items));
    cli_table_add(t, "answers per item", cli_real(t, per_item, 3, ""));
    cli_table_add(t, "answers per item and class",
                  cli_real(t, per_item / (double)n_classes, 3, ""));
    cli_table_add(t, "observed agreement", cli_real(t, quality->observed_agreement, 3, ""));
    cli_table_add(t, "Krippendorff alpha", cli_real(t, quality->krippendorff_alpha, 3, ""));
    cli_table_add(t, "accuracy top-1", percent(t, all->top1));
    cli_table_add(t, "accuracy top-2", percent(t, all->top2));
    cli_table_add(t, "mean accuracy of annotators", percent(t, quality->mean_accuracy));
    cli_table_add(t, "annotators at 75 % or better", percent(t, quality->share_accurate));
    cli_table_add(t, "items whose truth got no vote", percent(t, quality->share_never_true));
    cli_table_add(t, "items with at most two classes", percent(t, quality->share_two_classes));
    cli_table_add(t, "repeats", cli_count(t, all->n_repeats));
    cli_table_add(t, "repeats with another class", percent(t, all->changed_class));
    cli_table_add(t, "mean change on repeat", cli_real(t, all->mean_change, 2, " points"));
    cli_table_add(t, "median time", cli_real(t, all->median_ms / 1000, 1, " s"));
    for (size_t s = 0; s < SL_SLIP_COUNT; s++)
        cli_table_add(t, sl_slip_names[s], cli_count(t, all->slips[s]));
    cli_table_end(t);
}

/* To two decimals, never rounded up to a flag. */
static double shown_score(const struct sl_suspicion *suspicion)
{
    return floor(100 * suspicion->score) / 100;
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
        if (!one->flagged) continue;
        printf("  %s (suspicion %.2f): ", sl_name_table_get(answers->annotators, (uint32_t)i, NULL),
               shown_score(one));
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
    struct cli_table table, *t = &table;
    cli_table_begin(t, "lrrrrrrrrrl", "annotator", "answers", "agreement", "top-1", "top-2",
                    "repeats", "changed", "time", "slips", "suspicion", "excluded");
    for (size_t i = 0; i < quality->n_annotators; i++) {
        const struct sl_annotator_quality *a = &quality->annotators[i];
        const double suspicion = shown_score(&suspicions->annotators[i]);
        cli_table_add(t, sl_name_table_get(answers->annotators, (uint32_t)i, NULL),
                      cli_count(t, a->n_answers), percent(t, a->agreement), percent(t, a->top1),
                      percent(t, a->top2), cli_count(t, a->n_repeats), percent(t, a->changed_class),
                      cli_real(t, a->median_ms / 1000, 1, " s"), cli_count(t, slips_of(a)),
                      cli_cell(t, "%.2f", suspicion), a->excluded ? a->excluded : "");
    }
    cli_table_end(t);
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

static void add_counts(struct cli_table *table, const char *name, size_t high, size_t low)
{
    cli_table_add(table, name, cli_count(table, high), cli_count(table, low));
}

/* Answers to items where the reference's entropy is high beside those where it is low. */
static void print_parts(const struct sl_measured_quality *measured)
{
    const struct sl_answer_group *high = &measured->parts[SL_QUALITY_HIGH];
    const struct sl_answer_group *low = &measured->parts[SL_QUALITY_LOW];
    struct cli_table table, *t = &table;
    puts("");
    cli_table_init(t, "lrr");
    cli_table_add(t, "reference", cli_cell(t, "entropy >= %g", measured->job->high),
                  cli_cell(t, "entropy <= %g", measured->job->low));
    add_counts(t, "items", high->n_items, low->n_items);
    add_counts(t, "answers", high->n_answers, low->n_answers);
    cli_table_add(t, "mean first probability", percent(t, high->mean_probability),
                  percent(t, low->mean_probability));
    cli_table_add(t, "mean number of possible classes", cli_real(t, high->mean_possible, 3, ""),
                  cli_real(t, low->mean_possible, 3, ""));
    for (size_t i = 0; i < SL_ANSWER_BINS; i++)
        add_counts(t, cli_cell(t, "first probability %zu-%zu %%", 10 * i, 10 * (i + 1)),
                   high->probability_counts[i], low->probability_counts[i]);
    for (size_t k = 0; k <= measured->answers->n_classes; k++)
        add_counts(t, cli_cell(t, "%zu possible", k), high->possible_counts[k],
                   low->possible_counts[k]);
    cli_table_end(t);
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
    return cli_print_json(sl_measured_quality_json(measured, cli_provenance(cli)), err);
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
    .summary = "errors, accuracy, agreement and times of annotators, and whose answers to look at",
    .description = "Measures answers and annotators. A dash means that the answers do not contain "
                   "what the figure needs. Suspicion (0 to 1, flagged from 0.9) marks annotators "
                   "who may have answered without looking: a reason to look at their answers, "
                   "never to exclude them unseen. docs/internals/quality.md defines each figure.",
    .arguments = quality_arguments,
    .task = &sl_quality_task,
    .options = quality_options,
    .examples = quality_examples,
    .values_size = sizeof(struct quality_values),
    .run = run_quality,
};
