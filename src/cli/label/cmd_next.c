#include <math.h>

#include "cmd.h"

struct next_values {
    struct sl_next_job job; /* first, so that its offsets are those of the values */
    bool json;
};
_Static_assert(offsetof(struct next_values, job) == 0, "options name fields of the job");

#define AT(field) .offset = offsetof(struct next_values, field)
static const struct sl_field_row next_options[] = {
    {"json", SL_FIELD_BOOLEAN, AT(json), "print the figures as JSON"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument next_arguments[] = {
    {.name = "ANSWERS",
     .help = "the answers so far: CSV, answers.jsonl, answers.slb or an export of an annotation "
             "tool, plain or .gz",
     .kind = SL_FIELD_PATH},
    {.name = NULL},
};

enum { NUMBER = 32 };
#define COUNT(value) sl_text_count((value), (char[NUMBER]){0}, NUMBER)

/* ---- What is known ---- */

static void print_situation(const struct sl_next_batch *batch)
{
    const struct sl_ask_summary *now = &batch->now;
    printf("%s %s %s %s", COUNT(now->n_items),
           sl_text_plural(now->n_items, "item has", "items have"), COUNT(now->answers),
           sl_text_plural(now->answers, "answer", "answers"));
    if (batch->n_people > 0)
        printf(" of %s %s", COUNT(batch->n_people),
               sl_text_plural(batch->n_people, "person", "people"));
    if (now->n_unanswered > 0) printf("; nobody has answered %s of them", COUNT(now->n_unanswered));
    printf(".\nThe mean risk is %#.3g nats: how far the labels are expected to be from how a whole "
           "crowd would answer.\n",
           now->mean_risk);
    struct sl_buffer warning;
    sl_buffer_init(&warning, 1024);
    sl_alpha_warn(&batch->alpha, &warning);
    printf("%s", warning.length > 0 ? warning.data : "");
    sl_buffer_release(&warning);
    if (batch->n_soft > 0)
        printf("%s %s probabilities and %s as the most probable class.\n", COUNT(batch->n_soft),
               sl_text_plural(batch->n_soft, "answer states", "answers state"),
               sl_text_plural(batch->n_soft, "counts", "count"));
    if (batch->n_unused > 0)
        printf("Nobody has chosen %s of the %zu classes; %s possible.\n", COUNT(batch->n_unused),
               batch->votes->n_classes, sl_text_plural(batch->n_unused, "it stays", "they stay"));
    if (batch->predictions && batch->fit->model->sharpness < SL_NEXT_WEAK_PRIOR)
        printf("The predictions contradict the answers and got little weight (sharpness %.2g; 1 "
               "takes them as they are).\n",
               batch->fit->model->sharpness);
}

static void print_way(const struct sl_next_batch *batch)
{
    const struct sl_ask_board *board = batch->board;
    const double v = batch->fit->variation, pays = board->rule.pays;
    const bool automatic = batch->job->way == SL_ASK_AUTO;
    printf("Items are chosen %s, %s%s (V = %.2f",
           board->by_gain ? "by gain" : "by the fewest answers",
           automatic ? "because " : "as --way says", automatic ? board->because : "", v);
    if (automatic) printf("; --way auto follows V alone and chooses by gain from %.2g on", pays);
    printf(").\n");
    if (automatic && v < pays)
        printf("Choosing may save answers all the same: softlab plan simulates it.\n");
}

static void print_budget(const struct sl_next_batch *batch)
{
    const struct sl_ask_pace *pace = &batch->pace;
    if (pace->n_timed > 0)
        printf("An answer takes %.1f s: the mean of %s recorded times without the fastest and the "
               "slowest tenth.\n",
               pace->seconds, COUNT(pace->n_timed));
    if (batch->budget.in_seconds)
        printf("The budget of %s buys %s %s of %.3g s.\n", batch->job->budget,
               COUNT(batch->n_affordable), sl_text_plural(batch->n_affordable, "answer", "answers"),
               pace->seconds);
}

/* ---- What to do ---- */

static const char *time_cell(struct cli_table *table, double seconds)
{
    if (seconds > 2 * 3600) return cli_real(table, seconds / 3600, 1, " h");
    if (seconds > 2 * 60) return cli_real(table, seconds / 60, 1, " min");
    return cli_real(table, seconds, 0, " s");
}

static void add_outcome(struct cli_table *table, const struct sl_next_batch *batch,
                        const char *name, const struct sl_ask_outcome *outcome)
{
    const double now = batch->now.mean_risk, seconds = batch->pace.seconds;
    const double drop = now > 0 ? 100 * (now - outcome->mean_risk) / now : (double)NAN;
    cli_table_add(table, name, cli_count(table, outcome->n_answers),
                  time_cell(table, (double)outcome->n_answers * seconds),
                  cli_cell(table, "%#.3g", outcome->mean_risk), cli_real(table, drop, 1, " %"));
}

static bool reaches_target(const struct sl_next_batch *batch)
{
    return batch->budgeted.mean_risk <= batch->job->target * (1 + 1e-9);
}

static const char *name_of_end(const struct sl_next_batch *batch)
{
    if (reaches_target(batch)) return "until the target is reached";
    if (batch->budgeted.n_answers == batch->n_affordable) return "the whole budget";
    return batch->budgeted.n_answers < batch->n_foreseen ? "until all items are finished"
                                                         : "as far as was looked ahead";
}

static void print_outcomes(const struct sl_next_batch *batch)
{
    struct cli_table table, *t = &table;
    puts("");
    cli_table_begin(t, "lrrrr", "", "answers", "time", "mean risk", "expected drop");
    cli_table_add(t, "now", "0", "-", cli_cell(t, "%#.3g", batch->now.mean_risk), "-");
    add_outcome(t, batch, "this batch", &batch->batch);
    add_outcome(t, batch, name_of_end(batch), &batch->budgeted);
    add_outcome(t, batch, "as many, all items alike, none finished", &batch->equal);
    cli_table_end(t);
    puts("");
}

static void print_target(const struct sl_next_batch *batch)
{
    const struct sl_ask_outcome *end = &batch->budgeted;
    if (isnan(batch->job->target)) return;
    if (reaches_target(batch))
        printf("The target of %g nats is expected after about %s answers.\n", batch->job->target,
               COUNT(end->n_answers));
    else
        printf("The target of %g nats is not expected within %s answers.\n", batch->job->target,
               COUNT(end->n_answers));
}

static void print_finished(const struct sl_next_batch *batch)
{
    const struct sl_ask_summary *now = &batch->now;
    if (now->n_settled > 0)
        printf("%s of %s items %s finished: one more answer would lower the risk by less than %g "
               "nats.\n",
               COUNT(now->n_settled), COUNT(now->n_items),
               sl_text_plural(now->n_settled, "is", "are"), batch->board->rule.stop);
    if (now->n_full > 0)
        printf("%s of %s items %s finished with %zu answers or more.\n", COUNT(now->n_full),
               COUNT(now->n_items), sl_text_plural(now->n_full, "is", "are"),
               batch->board->rule.most);
}

static void print_people(const struct sl_next_batch *batch)
{
    if (batch->n_new_people > 0)
        printf("At least %s new %s needed: a person answers an item once, and some items need more "
               "answers than there are known people who have not answered them.\n",
               COUNT(batch->n_new_people),
               sl_text_plural(batch->n_new_people, "person is", "people are"));
}

static void print_size(const struct sl_next_batch *batch)
{
    const size_t n_batch = batch->batch.n_answers;
    printf("%s asks for %s %s about %s %s", batch->job->output, COUNT(n_batch),
           sl_text_plural(n_batch, "answer", "answers"), COUNT(batch->n_items),
           sl_text_plural(batch->n_items, "item", "items"));
    if (n_batch < batch->n_wave && n_batch == batch->n_affordable)
        printf(": the whole budget, which is less than one wave (%s answers).\n",
               COUNT(batch->n_wave));
    else if (n_batch < batch->n_wave && batch->batch.mean_risk <= batch->job->target)
        printf(", which are expected to reach the target.\n");
    else if (n_batch < batch->n_wave)
        printf(", with which all items are finished%s.\n",
               batch->job->per_item > 0 ? " or asked about as often as --per-item allows" : "");
    else
        printf(", a wave of %s of the items.\n", batch->job->wave);
}

static void print_advice(const struct sl_next_batch *batch)
{
    const size_t n_batch = batch->batch.n_answers;
    const bool ends_early = batch->budgeted.n_answers < batch->n_foreseen;
    const size_t wanted = ends_early ? batch->budgeted.n_answers : batch->n_affordable;
    const size_t left = wanted > n_batch ? wanted - n_batch : 0;
    const size_t n_waves = (left + batch->n_wave - 1) / batch->n_wave;
    printf("Next: ask the people, add their answers to the file");
    if (left == 0 || n_batch < batch->n_wave)
        printf(", and run this command again if you want more.\n");
    else
        printf(
            ", and run this command again %s (%s %s, %s more %s): what they say changes where to "
            "ask.\n",
            ends_early ? name_of_end(batch) : "with the rest of the budget", COUNT(left),
            sl_text_plural(left, "answer", "answers"), COUNT(n_waves),
            sl_text_plural(n_waves, "wave", "waves"));
}

static void print_page(const struct sl_next_batch *batch)
{
    print_situation(batch);
    if (batch->reached) {
        printf("The target of %g nats is reached, so %s asks for nothing.\n", batch->job->target,
               batch->job->output);
        return;
    }
    if (batch->now.n_open == 0) {
        print_finished(batch);
        printf(
            "All items are finished, so %s asks for nothing. A smaller --stop%s asks for more.\n",
            batch->job->output, batch->now.n_full > 0 ? " or a larger --most" : "");
        return;
    }
    print_way(batch);
    print_budget(batch);
    print_size(batch);
    print_outcomes(batch);
    print_target(batch);
    print_finished(batch);
    print_people(batch);
    print_advice(batch);
}

static enum sl_status run_next(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct next_values *values = raw;
    struct sl_next_job job = values->job;
    struct sl_next_batch batch = {0};
    job.answers = cli->arguments[0];
    enum sl_status status = sl_next_job_run(&job, &cli->workplace, &batch, err);
    if (status == SL_OK && values->json)
        status = cli_print_json(sl_next_batch_json(&batch, cli_provenance(cli)), err);
    else if (status == SL_OK)
        print_page(&batch);
    sl_next_batch_release(&batch);
    return status;
}

static const struct cli_example next_examples[] = {
    {"softlab next answers.csv --budget 600s -o batch.csv",
     "where the next ten minutes of annotators' time help most"},
    {"softlab next answers.csv --items all.txt --budget 2000 --prior predictions.npz -o batch.csv",
     "2,000 answers, also about items that nobody has answered, helped by a classifier"},
    {"softlab next answers.csv --budget 10h --target 0.02 --finished done.csv -o batch.csv",
     "no more than needed for a mean risk of 0.02 nats, and which items are finished"},
    {NULL, NULL},
};

const struct cli_command cmd_next = {
    .name = "next",
    .also = "ask active adaptive allocate assign acquisition active-learning choose",
    .group = "label",
    .summary = "which items to ask about next, how often, and what that is expected to buy",
    .description =
        "Reads the answers so far and writes the next batch: the items for which one more answer "
        "is expected to improve the label most, each with the number of people to ask. It also "
        "says "
        "which items are finished, and what the batch and the whole budget are expected to buy "
        "beside asking about all items alike. Run it again after each batch. "
        "docs/internals/ask.md explains the method.",
    .arguments = next_arguments,
    .task = &sl_next_task,
    .options = next_options,
    .examples = next_examples,
    .threads = true,
    .values_size = sizeof(struct next_values),
    .run = run_next,
};
