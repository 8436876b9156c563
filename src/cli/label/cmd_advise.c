#include <string.h>

#include "cmd.h"

struct advise_values {
    struct sl_advise_job job; /* first, so that its offsets are those of the values */
    bool json;
};
_Static_assert(offsetof(struct advise_values, job) == 0, "options name fields of the job");

static const struct sl_field_row advise_options[] = {
    {"json", SL_FIELD_BOOLEAN, .offset = offsetof(struct advise_values, json),
     .help = "print everything as JSON"},
    {.name = NULL},
};

static const struct cli_argument advise_arguments[] = {
    {.name = "ANSWERS",
     .help = "answers.jsonl, answers.slb or CSV, plain or .gz",
     .kind = SL_FIELD_PATH},
    {.name = NULL},
};

/* Each line of the page, wrapped; rows of lists are indented. */
static void print_page(const char *page)
{
    while (*page) {
        const size_t length = strcspn(page, "\n");
        const size_t indent = strspn(page, " ");
        char *line = sl_string_copy_n(page + indent, length - indent);
        printf("%*s", (int)indent, "");
        cli_print_wrapped(line, indent, indent ? indent + 2 : 0, stdout);
        free(line);
        page += length + (page[length] == '\n');
    }
}

static enum sl_status show(const struct cli *cli, const struct advise_values *values,
                           const struct sl_advice *advice, struct sl_error *err)
{
    if (values->json) return cli_print_json(sl_advice_json(advice, cli_provenance(cli)), err);
    struct sl_buffer page;
    sl_buffer_init(&page, SIZE_MAX / 2);
    sl_advice_page(advice, &page);
    print_page(page.data);
    sl_buffer_release(&page);
    return SL_OK;
}

static enum sl_status run_advise(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct advise_values *values = raw;
    struct sl_advise_job job = values->job;
    struct sl_advice advice = {0};
    job.answers = cli->arguments[0];
    enum sl_status status = sl_advise_job_run(&job, &cli->workplace, &advice, err);
    if (status == SL_OK) status = show(cli, values, &advice, err);
    sl_advice_release(&advice);
    return status;
}

static const struct cli_example advise_examples[] = {
    {"softlab advise answers.jsonl", "a page about the crowd, its labels and what to ask next"},
    {"softlab advise votes.csv --truth truth.csv --seconds 3 --hours 2",
     "also which labels contradict known classes, and what two hours of answers would buy"},
    {NULL, NULL},
};

const struct cli_command cmd_advise = {
    .name = "advise",
    .also = "advice recommend diagnose overview next allocate plan",
    .group = "label",
    .summary = "one page in plain words: how good the answers are and what to do next",
    .description =
        "Reads a file of answers and says in plain words: whether these annotators agree, whose "
        "answers to check, which method to make labels with, which items to look at, and what the "
        "next hour of annotation should be spent on. The order of the sentences is that of their "
        "importance; the first one is the verdict. Nobody is excluded: that is for a person to "
        "decide. docs/internals/advice.md defines each figure and rule.",
    .arguments = advise_arguments,
    .task = &sl_advise_task,
    .options = advise_options,
    .examples = advise_examples,
    .threads = true,
    .values_size = sizeof(struct advise_values),
    .run = run_advise,
};
