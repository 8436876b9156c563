#include <math.h>
#include <string.h>

#include "cmd.h"

struct plan_values {
    struct sl_plan_job job; /* first, so that its offsets are those of the values */
    bool json;
};
_Static_assert(offsetof(struct plan_values, job) == 0, "options name fields of the job");

#define AT(field) .offset = offsetof(struct plan_values, field)
static const struct sl_field_row plan_options[] = {
    {"json", SL_FIELD_BOOLEAN, AT(json), "print the figures as JSON"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument plan_arguments[] = {
    {.name = "ANSWERS",
     .help =
         "the answers of a pilot: CSV, answers.jsonl, answers.slb or an export of an annotation "
         "tool, plain or .gz",
     .kind = SL_FIELD_PATH},
    {.name = NULL},
};

static const char *interval_cell(struct cli_table *table, const struct sl_interval *value)
{
    return cli_cell(table, "%#.2g [%#.2g, %#.2g]", value->estimate, value->low, value->high);
}

static void print_rows(const struct sl_budget_plan *plan)
{
    struct cli_table table, *t = &table;
    const char *currency = plan->job->currency;
    cli_table_begin(t, "llrrrrrr", "answers", "allocation", "per item", "in all", "hours",
                    currency ? currency : "cost", "mean risk (nats)", "squared distance");
    for (size_t r = 0; r < plan->n_rows; r++) {
        const struct sl_plan_row *row = &plan->rows[r];
        cli_table_add(t, sl_plan_screen_names[plan->screens[row->screen].kind],
                      sl_plan_allocation_names[row->allocation], cli_cell(t, "%.3g", row->per_item),
                      cli_count(t, (uint64_t)row->answers), cli_real(t, row->hours, 1, ""),
                      cli_real(t, row->money, 0, ""), interval_cell(t, &row->risk),
                      interval_cell(t, &row->square));
    }
    cli_table_end(t);
}

static void print_plan(const struct sl_budget_plan *plan)
{
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 16);
    sl_budget_plan_say(plan, &text);
    printf("%s\n", text.data);
    sl_buffer_release(&text);
    print_rows(plan);
}

static enum sl_status run_plan(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct plan_values *values = raw;
    struct sl_plan_job job = values->job;
    struct sl_budget_plan plan = {0};
    job.answers = cli->arguments[0];
    enum sl_status status = sl_plan_job_run(&job, &cli->workplace, &plan, err);
    if (status == SL_OK && values->json)
        status = cli_print_json(sl_budget_plan_json(&plan, cli_provenance(cli)), err);
    else if (status == SL_OK)
        print_plan(&plan);
    sl_budget_plan_release(&plan);
    return status;
}

static const struct cli_example plan_examples[] = {
    {"softlab plan pilot.csv --items 10000 -o plan.html",
     "what 2 to 16 answers per item are expected to buy, with charts"},
    {"softlab plan pilot.csv --items 10000 --pay-per-hour 12 --currency GBP --target 0.02 -o "
     "plan.csv",
     "in money, and the smallest budget for a mean risk of 0.02 nats"},
    {NULL, NULL},
};

const struct cli_command cmd_plan = {
    .name = "plan",
    .also = "forecast budget cost power sample-size estimate",
    .group = "label",
    .summary = "from a pilot: what budgets are expected to buy, and whether choosing items pays",
    .description =
        "Fits the answers of a pilot, simulates campaigns on as many items like those of the "
        "pilot, "
        "and shows the expected quality of the labels against answers, time and money, with 95 % "
        "intervals: if all items are asked about alike, and if softlab next chooses them. A pilot "
        "needs 30 items with two answers; 200 give useful intervals. docs/internals/ask.md "
        "explains "
        "the method and how well its forecasts came true.",
    .arguments = plan_arguments,
    .task = &sl_plan_task,
    .options = plan_options,
    .examples = plan_examples,
    .threads = true,
    .values_size = sizeof(struct plan_values),
    .run = run_plan,
};
