#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* answers.jsonl itself, beside the published formats. */
static const char native[] = "answers";

struct import_values {
    const char *from;
    const char *to;
    const char *output;
    struct cli_answer_words input;
    const char *header;
    const char *id_column;
    const char *classes;
    bool list;
};

static const char *readable_formats(size_t index)
{
    if (index == 0) return native;
    for (const struct sl_answer_format *f = sl_answer_formats; f->name; f++)
        if (f->import && --index == 0) return f->name;
    return NULL;
}

static const char *writable_formats(size_t index)
{
    if (index == 0) return native;
    for (const struct sl_answer_format *f = sl_answer_formats; f->name; f++)
        if (f->write && --index == 0) return f->name;
    return NULL;
}

static const char *answers_to_header(size_t index)
{
    static const char *const words[] = {"yes", "no", NULL};
    return words[index];
}

static const struct sl_answer_format *find_format(const char *name)
{
    const struct sl_answer_format *format = sl_answer_formats;
    while (format->name && strcmp(format->name, name) != 0)
        format++;
    return format->name ? format : NULL;
}

enum { LISTS = 1, CONVERTS = 2, CACHES = 4, CLASSES = 8, COLUMNS = 16, LAYOUT = 32 };

static void import_mode(const struct cli *cli, const void *values, struct cli_mode *out)
{
    (void)cli;
    const struct import_values *options = values;
    if (options->list) *out = (struct cli_mode){LISTS, .name = "--list", .alone = true};
    if (options->list || !options->from) return;
    const struct sl_answer_format *format = find_format(options->from);
    const unsigned takes = format ? format->takes : 0;
    const bool cache = options->output && sl_path_has_suffix(options->output, ".slb");
    out->does = cache ? CACHES : CONVERTS;
    if (cache || format) out->does |= CLASSES;
    if (takes & SL_IMPORT_COLUMNS) out->does |= COLUMNS;
    if (takes & SL_IMPORT_LAYOUT) out->does |= LAYOUT;
    snprintf(out->text, sizeof out->text, "--from %s%s", options->from,
             cache ? " to a name in .slb" : "");
    out->name = out->text;
}

static const char *const import_samples[] = {"--list", "--from * x -o x.jsonl",
                                             "--from * x -o x.slb", NULL};

#define AT(field) .offset = offsetof(struct import_values, field)
static const struct sl_field_row import_options[] = {
    {"from", SL_FIELD_CHOICE, AT(from), "what the files are", .letter = 'f', .value = "FORMAT",
     .names = readable_formats, .modes = CONVERTS | CACHES},
    {"to", SL_FIELD_CHOICE, AT(to), "what to write", .letter = 't', .value = "FORMAT",
     .fallback = native, .names = writable_formats, .modes = CONVERTS},
    {"output", SL_FIELD_OUTPUT, AT(output),
     "where to write it; a name in .slb is the columnar cache of hard answers", .letter = 'o',
     .modes = CONVERTS | CACHES},
    CLI_ANSWER_OPTIONS(offsetof(struct import_values, input), COLUMNS, CONVERTS | CACHES),
    {"header", SL_FIELD_CHOICE, AT(header),
     "of wide: whether the first row holds annotators' names, where the file leaves a doubt",
     .value = "yes|no", .names = answers_to_header, .modes = LAYOUT},
    {"id-column", SL_FIELD_WORD, AT(id_column),
     "of wide: the column of items' names by its name or number from 1, or none", .value = "COLUMN",
     .modes = LAYOUT},
    {"classes", SL_FIELD_WORD, AT(classes),
     "the classes in their order, where a file does not say; otherwise those found, sorted",
     .value = "A,B,...", .modes = CLASSES},
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
    cli_table_init(&table, "llll");
    cli_table_add(&table, "format", "in", "out", "what");
    cli_table_add(&table, native, "yes", "yes", "answers.jsonl, softlab's own");
    for (const struct sl_answer_format *f = sl_answer_formats; f->name; f++)
        cli_table_add(&table, f->name, f->import ? "yes" : "", f->write ? "yes" : "", f->summary);
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

/* The ending of a name for what --to writes; NULL where any will do. */
static const char *suffix_for(const struct import_values *values)
{
    static const struct {
        const char *format, *suffix;
    } written[] = {
        {native, ".jsonl"},     {"cifar10h-counts", ".npy"}, {"cifar10s-json", ".json"},
        {"hmix", ".csv"},       {"labelme", ".txt"},         {"long-csv", ".csv"},
        {"peerannot", ".json"},
    };
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (strcmp(values->to, written[i].format) == 0) return written[i].suffix;
    return NULL;
}

/* One import: what to read, how, and what became of it. */
struct job {
    const struct cli *cli;
    const struct import_values *values;
    struct sl_import_notes notes;
    struct sl_import_options options;
};

static enum sl_status read_set(struct job *job, struct sl_answers **out, struct sl_error *err)
{
    const char *const *paths = (const char *const *)job->cli->arguments;
    const struct sl_answer_format *format = find_format(job->values->from);
    if (!format) return sl_answers_load(paths[0], &job->options, out, err);
    const struct sl_answer_sink sink = sl_answers_sink(out);
    return format->import(paths, job->cli->n_arguments, &job->options, &sink, err);
}

static enum sl_status write_cache(struct job *job, struct sl_error *err)
{
    struct sl_votes *votes = NULL;
    struct sl_answers *answers = NULL;
    const char *from = job->values->from;
    enum sl_status status = SL_OK;
    if (strcmp(from, native) == 0 || strcmp(from, "long-csv") == 0) {
        SL_TRY_OUT(sl_votes_read(job->cli->arguments[0], &job->options, &votes, err));
    } else {
        SL_TRY_OUT(read_set(job, &answers, err));
        SL_TRY_OUT(sl_votes_from_answers(answers, 0, &votes, err));
    }
    SL_TRY_OUT(sl_votes_write_slb(votes, job->values->output, err));
out:
    sl_votes_destroy(votes);
    sl_answers_destroy(answers);
    return status;
}

static enum sl_status stream(struct job *job, struct sl_error *err)
{
    const struct sl_answer_format *format = find_format(job->values->from);
    struct sl_answer_writer *writer = NULL;
    SL_TRY(sl_answer_writer_create(job->values->output, &writer, err));
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    enum sl_status status = format->import((const char *const *)job->cli->arguments,
                                           job->cli->n_arguments, &job->options, &sink, err);
    if (status == SL_OK) status = sl_answer_writer_commit(writer, err);
    sl_answer_writer_destroy(writer);
    return status;
}

static enum sl_status convert(struct job *job, struct sl_error *err)
{
    struct sl_answers *answers = NULL;
    enum sl_status status = read_set(job, &answers, err);
    const struct sl_answer_format *format = find_format(job->values->to);
    if (status == SL_OK && format)
        status = format->write(answers, job->values->output, &job->notes, err);
    else if (status == SL_OK)
        status = cli_write_answers(answers, job->values->output, err);
    sl_answers_destroy(answers);
    return status;
}

static void say_what_became(const struct job *job)
{
    const struct sl_import_notes *notes = &job->notes;
    const struct {
        size_t count;
        const char *what;
    } parts[] = {
        {notes->n_read, "answers read"},
        {notes->n_skipped, "left out"},
        {notes->n_mended, "mended"},
        {notes->n_duplicates, "beyond a person's first to an item"},
        {notes->n_empty_items, "items without an answer"},
        {notes->n_abstained, "left out as abstentions"},
        {notes->n_left_out, "left out for their class"},
        {notes->n_rescaled, "distributions scaled to 1"},
    };
    struct sl_buffer line;
    sl_buffer_init(&line, 1024);
    char number[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count)
            sl_buffer_printf(&line, "%s%s %s", line.length ? ", " : "",
                             sl_text_count(parts[i].count, number, sizeof number), parts[i].what);
    if (line.length) sl_log(&job->cli->log, SL_LOG_INFO, "%s", line.data);
    sl_buffer_release(&line);
}

static enum sl_status run_import(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct import_values *options = values;
    if (options->list) {
        list_formats();
        return SL_OK;
    }
    if (!options->from) return sl_fail(err, SL_ERR_USAGE, "--from is missing: FORMAT");
    if (!options->output) return sl_fail(err, SL_ERR_USAGE, "--output is missing: FILE");
    if (cli->n_arguments == 0) return sl_fail(err, SL_ERR_USAGE, "FILE is missing");
    bool from_native = strcmp(options->from, native) == 0;
    bool cache = sl_path_has_suffix(options->output, ".slb");
    if (!cache && suffix_for(options))
        SL_TRY(cli_check_suffix("output", options->output, suffix_for(options), err));
    if (cli->n_arguments > 1 && (from_native || cache))
        return sl_fail(err, SL_ERR_USAGE, "one file at a time, got %zu", cli->n_arguments);
    char **classes = options->classes ? sl_text_split(options->classes) : NULL;
    struct job job = {.cli = cli, .values = options};
    struct sl_answer_reading reading = cli_answer_reading(&options->input);
    job.options = sl_answer_reading_options(&reading, &cli->workplace, &job.notes);
    job.options.classes = (const char *const *)classes;
    job.options.id_column = options->id_column;
    job.options.one_truth = true;
    if (options->header)
        job.options.header = strcmp(options->header, "yes") == 0 ? SL_PRESENT : SL_ABSENT;
    enum sl_status status;
    if (cache)
        status = write_cache(&job, err);
    else if (strcmp(options->to, native) == 0 && !from_native)
        status = stream(&job, err);
    else
        status = convert(&job, err);
    if (status == SL_OK) say_what_became(&job);
    cli_answer_reading_release(&reading);
    sl_names_destroy(classes);
    return status;
}

static const struct cli_example import_examples[] = {
    {"softlab import --from cifar10s-raw raw_human_data.csv -o answers.jsonl",
     "the screen log of CIFAR-10S, with repeats and times"},
    {"softlab import --from long-csv --columns task,worker,label votes.csv -o votes.slb",
     "a hundred million answers, for aggregation again and again"},
    {NULL, NULL},
};

const struct cli_command cmd_import = {
    .name = "import",
    .also = "convert read load",
    .group = "label",
    .summary = "published formats to answers, and back",
    .description = "Reads what annotators said in one of the formats it was published in and "
                   "writes answers.jsonl, or with --to another of them. What was skipped or mended "
                   "is counted and said. Tables are streamed in constant memory.",
    .arguments = import_arguments,
    .options = import_options,
    .examples = import_examples,
    .values_size = sizeof(struct import_values),
    .mode = import_mode,
    .samples = import_samples,
    .run = run_import,
};
