#include <stdlib.h>
#include <string.h>

#include "cmd.h"

struct labels_values {
    struct sl_labels_job job; /* first, so that its offsets are those of the values */
    bool json;
};
_Static_assert(offsetof(struct labels_values, job) == 0, "options name fields of the job");

static const char *const labels_samples[] = {
    "--list", "--method * x.jsonl -o x.npz",
    "--method ds --start added --start-from s.npz x.jsonl -o x.npz", NULL};

#define AT(field) .offset = offsetof(struct labels_values, field)
static const struct sl_field_row labels_options[] = {
    {"json", SL_FIELD_BOOLEAN, AT(json),
     "print as JSON how the answers were used and how long annotators took, or with --list the "
     "methods"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument labels_arguments[] = {
    {.name = "FILE",
     .help = "answers.jsonl, answers.slb or CSV, of labels or probabilities, plain or .gz; for "
             "ensemble, files of predictions",
     .kind = SL_FIELD_PATH,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

static enum sl_status list_methods(bool json, struct sl_error *err)
{
    if (json) return cli_print_json(sl_label_methods_json(), err);
    struct cli_table table;
    cli_table_begin(&table, "lrl", "method", "inputs", "what");
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++)
        cli_table_add(&table, m->name, m->inputs ? cli_cell(&table, "%d", m->inputs) : "-",
                      m->summary);
    for (const struct sl_aggregator *a = sl_aggregators; a->name; a++)
        cli_table_add(&table, a->name, a->needs & SL_CROWD_SOFT ? "-" : "1", a->summary);
    cli_table_add(&table, SL_LABELS_ENSEMBLE, "-",
                  "mean of classifiers' predictions, classes by name (distillation)");
    cli_table_end(&table);
    return SL_OK;
}

static enum sl_status check_words(const struct labels_values *values, struct sl_error *err)
{
    if (!values->job.method) return sl_fail(err, SL_ERR_USAGE, "--method is missing, see --list");
    if (!values->job.output && !values->json)
        return sl_fail(err, SL_ERR_USAGE, "--output FILE is missing: where the labels go");
    return SL_OK;
}

static enum sl_status run_labels(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct labels_values *values = raw;
    struct sl_labels_job job = values->job;
    struct sl_label_notes notes = {0};
    struct sl_rows *rows = NULL;
    if (job.list) return list_methods(values->json, err);
    SL_TRY(check_words(values, err));
    char *provenance = cli_rows_provenance(cli, job.output, sl_labels_not_in_rows);
    job.paths = cli->arguments;
    job.n_paths = cli->n_arguments;
    job.timed = values->json;
    job.provenance = provenance;
    enum sl_status status = sl_labels_job_run(&job, &cli->workplace, &rows, &notes, err);
    if (status == SL_OK && values->json)
        status =
            cli_print_json(sl_labels_json(&job, &notes, rows->n_rows, cli_provenance(cli)), err);
    sl_rows_destroy(rows);
    free(provenance);
    return status;
}

static const struct cli_example labels_examples[] = {
    {"softlab labels answers.jsonl --method t2-clamp -o labels.npz",
     "top two classes and what is possible, averaged per item"},
    {"softlab labels votes.csv.gz --method ds --annotators-out skills.csv -o labels.npz",
     "Dawid-Skene posteriors, with what it learned about every annotator"},
    {"softlab labels votes.csv --method mv --abstain skip -o labels.npz",
     "a majority vote in which skipping is no answer"},
    {"softlab labels answers.jsonl --method t2-clamp --annotators 2 --seed 3 -o labels.npz",
     "as if only two people had been asked"},
    {NULL, NULL},
};

const struct cli_command cmd_labels = {
    .name = "labels",
    .also = "aggregate aggregation combine consensus vote majority crowd dawid-skene ds mv label "
            "soft-labels",
    .group = "label",
    .summary = "turn answers into label distributions",
    .description = "Builds label distributions from answers: the mean of the labels of single "
                   "answers (docs/internals/labels.md), or the posterior of a model of the crowd "
                   "(docs/internals/crowd.md). ds-soft and the pools estimate how opinions on the "
                   "item are distributed, not which class is right. Repeats, second runs and "
                   "checks are left out and counted.",
    .arguments = labels_arguments,
    .task = &sl_labels_task,
    .options = labels_options,
    .examples = labels_examples,
    .threads = true,
    .ranks = true,
    .values_size = sizeof(struct labels_values),
    .samples = labels_samples,
    .run = run_labels,
};
