#include <inttypes.h>
#include <math.h>

#include "cmd.h"
#include "softlab/base/text.h"

struct worth_values {
    struct sl_worth_job job; /* first, so that its offsets are those of the values */
    bool json;
};
_Static_assert(offsetof(struct worth_values, job) == 0, "options name fields of the job");

static const struct sl_field_row worth_options[] = {
    {"json", SL_FIELD_BOOLEAN, offsetof(struct worth_values, json), "print JSON", .flags = 0},
    {.name = NULL},
};

static const struct cli_argument worth_arguments[] = {
    {.name = "CLICKS", .help = "answers of the kind to count in", .kind = SL_FIELD_PATH},
    {.name = "OTHER", .help = "other answers to the same items", .kind = SL_FIELD_PATH},
    {.name = NULL},
};

/* What stands before a figure that is an end of the range that was tried. */
static const char *mark_of(const struct sl_worth *worth)
{
    static const char *const marks[] = {"< ", "", "> "};
    return marks[worth->beyond + 1];
}

static const char *worth_cell(struct cli_table *table, const struct sl_worth *worth)
{
    const struct sl_interval *clicks = &worth->clicks;
    const char *mark = mark_of(worth);
    return isnan(clicks->low) ? cli_cell(table, "%s%.1f", mark, clicks->estimate)
                              : cli_cell(table, "%s%.1f [%.1f, %.1f]", mark, clicks->estimate,
                                         clicks->low, clicks->high);
}

static void print_worth(const struct sl_worth_result *result)
{
    const struct sl_worth_job *job = &result->job;
    printf("%zu item%s in both files (%zu left out: too few answers)\n", result->n_items,
           sl_text_plural(result->n_items, "", "s"), result->n_short);
    if (job->screen)
        printf("uncertain: %.1f items per draw, on which %" PRIu64 " further clicks disagree\n",
               result->n_group[SL_WORTH_UNCERTAIN], job->screen);
    printf("reference: %.1f %s per item that were not drawn\n", result->reference_answers,
           job->reference == SL_WORTH_CLICKS ? "clicks" : "other answers");
    if (!isnan(result->seconds))
        printf("the other answers took %.1f s each (median, measured); a click counts %g s\n",
               result->seconds, job->seconds);
    struct cli_table table;
    cli_table_begin(&table, "lllrlll", "items", "measure", "method", "answers", "clicks by",
                    "worth in clicks", "breaks even at (s per answer)");
    for (size_t i = 0; i < result->n_worths; i++) {
        const struct sl_worth *worth = &result->worths[i];
        const struct sl_worth_set *set = &result->sets[worth->set];
        cli_table_add(&table, sl_worth_groups[worth->group],
                      sl_worth_measures[worth->measure].title, set->method,
                      cli_cell(&table, "%g", set->number), worth->against,
                      worth_cell(&table, worth),
                      cli_cell(&table, "%s%.1f", mark_of(worth),
                               sl_worth_break_even(result, worth, worth->clicks.estimate)));
    }
    cli_table_end(&table);
}

static enum sl_status run_worth(struct cli *cli, const void *raw, struct sl_error *err)
{
    struct worth_values values = *(const struct worth_values *)raw;
    struct sl_worth_result result;
    for (size_t s = 0; s < SL_WORTH_SIDES && s < cli->n_arguments; s++)
        values.job.paths[s] = cli->arguments[s];
    SL_TRY(sl_worth_job_run(&values.job, &cli->workplace, &result, err));
    json_t *value = sl_worth_json(&result, cli_provenance(cli));
    enum sl_status status =
        values.job.output ? sl_json_write(value, values.job.output, err) : SL_OK;
    if (status == SL_OK && values.json)
        status = cli_print_json(json_incref(value), err);
    else if (status == SL_OK)
        print_worth(&result);
    json_decref(value);
    sl_worth_result_release(&result);
    return status;
}

static const struct cli_example worth_examples[] = {
    {"softlab worth clicks.csv answers.jsonl",
     "how many clicks one, two and three stated distributions are worth"},
    {"softlab worth clicks.csv answers.jsonl --other-method t2-clamp --reference other",
     "by the distributions that other people stated"},
    {NULL, NULL},
};

const struct cli_command cmd_worth = {
    .name = "worth",
    .also = "value price",
    .group = "label",
    .summary = "how many clicks another kind of answer is worth, and at what time it breaks even",
    .description =
        "Draws answers to the same items from two files, makes labels of them and scores the "
        "labels against people who were not drawn. Some of the other answers are worth as many "
        "clicks as give labels that score the same; between two numbers of clicks it is "
        "interpolated. They break even if that many clicks take as long. Both scores are unbiased "
        "for any number of people in the reference. Repeats, second runs and checks are left out; "
        "docs/internals/worth.md has the formulas.",
    .arguments = worth_arguments,
    .task = &sl_worth_task,
    .options = worth_options,
    .examples = worth_examples,
    .values_size = sizeof(struct worth_values),
    .run = run_worth,
};
