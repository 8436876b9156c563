#include <string.h>

#include "cmd.h"

struct import_values {
    struct sl_import_job job; /* first, so that its offsets are those of the values */
    bool list;
};
_Static_assert(offsetof(struct import_values, job) == 0, "options name fields of the job");

enum { LISTS = 1 };

static void import_mode(const struct cli *cli, const void *raw, struct sl_option_mode *out)
{
    const struct import_values *values = raw;
    if (values->list)
        *out = (struct sl_option_mode){LISTS, .name = "--list", .alone = true};
    else
        sl_import_task.mode(&values->job, cli->arguments, cli->n_arguments, out);
}

static const char *const import_samples[] = {"--list", "--from * x -o x.jsonl",
                                             "--from * x -o x.slb", NULL};

#define AT(field) .offset = offsetof(struct import_values, field)
static const struct sl_field_row import_options[] = {
    {"list", SL_FIELD_BOOLEAN, AT(list), "print the formats", .letter = 'l'},
    {.name = NULL},
};
#undef AT

static const struct cli_argument import_arguments[] = {
    {.name = "FILE",
     .help = "a file in the format of --from",
     .kind = SL_FIELD_PATH,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

static void list_formats(void)
{
    struct cli_table table;
    cli_table_begin(&table, "llll", "format", "in", "out", "what");
    cli_table_add(&table, SL_IMPORT_ANSWERS, "yes", "yes", "answers.jsonl, softlab's own");
    for (const struct sl_answer_format *f = sl_answer_formats; f->name; f++)
        cli_table_add(&table, f->name, f->import ? "yes" : "", f->write ? "yes" : "", f->summary);
    cli_table_end(&table);
}

static enum sl_status run_import(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct import_values *values = raw;
    struct sl_import_job job = values->job;
    struct sl_import_notes notes;
    if (values->list) {
        list_formats();
        return SL_OK;
    }
    job.paths = cli->arguments;
    job.n_paths = cli->n_arguments;
    return sl_import_job_run(&job, &cli->workplace, &notes, err);
}

static const struct cli_example import_examples[] = {
    {"softlab import --from cifar10s-raw raw_human_data.csv -o answers.jsonl",
     "the screen log of CIFAR-10S, with repeats and times"},
    {"softlab import --from long-csv --columns task,worker,label votes.csv -o votes.slb",
     "a hundred million answers, for aggregation again and again"},
    {"softlab import --from long-csv monday.csv tuesday.csv -o votes.slb",
     "the answers of several files as one, which may be larger than memory"},
    {"softlab import --from label-studio --columns item=image,label=topic export.json -o "
     "answers.jsonl",
     "one of several questions of a Label Studio project, with items named by their images"},
    {"softlab import --from doccano export/ann.jsonl export/bob.jsonl -o answers.jsonl",
     "the files of two annotators"},
    {NULL, NULL},
};

const struct cli_command cmd_import = {
    .name = "import",
    .also = "convert read load",
    .group = "label",
    .summary = "convert published formats to answers, and back",
    .description = "Reads annotators' answers in a published format and writes answers.jsonl, or "
                   "another format with --to. Answers that were skipped or corrected are counted "
                   "and reported. Tables are streamed in constant memory. An output that ends in "
                   ".slb may be larger than memory: its answers are read and joined in parts, in a "
                   "temporary folder beside it.",
    .arguments = import_arguments,
    .task = &sl_import_task,
    .options = import_options,
    .examples = import_examples,
    .threads = true,
    .values_size = sizeof(struct import_values),
    .mode = import_mode,
    .samples = import_samples,
    .run = run_import,
};
