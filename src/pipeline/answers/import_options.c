/* The options of softlab import. */
#include <stdio.h>

#include "softlab/base/file.h"
#include "softlab/pipeline/import.h"
#include "softlab/pipeline/options.h"

static const char *readable_formats(size_t index)
{
    if (index == 0) return SL_IMPORT_ANSWERS;
    for (const struct sl_answer_format *f = sl_answer_formats; f->name; f++)
        if (f->import && --index == 0) return f->name;
    return NULL;
}

static const char *writable_formats(size_t index)
{
    if (index == 0) return SL_IMPORT_ANSWERS;
    for (const struct sl_answer_format *f = sl_answer_formats; f->name; f++)
        if (f->write && --index == 0) return f->name;
    return NULL;
}

static const char *presence_names(size_t index)
{
    static const char *const names[] = {"guess", "yes", "no", NULL}; /* enum sl_presence */
    return names[index];
}

enum {
    CONVERTS = 2,
    CACHES = 4,
    CLASSES = 8,
    COLUMNS = 16,
    LAYOUT = 32,
    WRITES = CONVERTS | CACHES
};

#define FIELD(name) .offset = offsetof(struct sl_import_job, name)
const struct sl_field_row sl_import_job_options[] = {
    {"from", SL_FIELD_CHOICE, FIELD(from), "format of the files", .letter = 'f', .value = "FORMAT",
     .names = readable_formats, .modes = WRITES},
    {"to", SL_FIELD_CHOICE, FIELD(to), "what to write", .letter = 't', .value = "FORMAT",
     .fallback = SL_IMPORT_ANSWERS, .names = writable_formats, .modes = CONVERTS},
    {"output", SL_FIELD_OUTPUT, FIELD(output),
     "the file to write; a name that ends in .slb makes a columnar cache of hard answers",
     .letter = 'o', .modes = WRITES},
    SL_OPTION_ANSWERS(struct sl_import_job, COLUMNS, WRITES),
    {"only", SL_FIELD_PATH, FIELD(only),
     "keep only answers to the items of this file: a text file with an item per line, a .csv with "
     "a column item, or answers.jsonl",
     .modes = CONVERTS},
    {"header", SL_FIELD_ENUM, FIELD(header),
     "of wide: whether the first row holds annotators' names, if the file does not show it",
     .value = "yes|no", .fallback = "guess", .names = presence_names, .modes = LAYOUT},
    {"id-column", SL_FIELD_WORD, FIELD(id_column),
     "of wide: the column of item names, by its name or its number from 1, or none",
     .value = "COLUMN", .modes = LAYOUT},
    {"classes", SL_FIELD_WORD, FIELD(classes),
     "the classes in their order, if the file does not list them (default: those found, sorted)",
     .value = "A,B,...", .modes = CLASSES},
    {.name = NULL},
};
#undef FIELD

struct sl_import_job sl_import_job_default(void)
{
    struct sl_import_job job = {0};
    sl_fields_set_defaults(sl_import_job_options, &job);
    return job;
}

static void find_mode(const void *raw, char *const *arguments, size_t n_arguments,
                      struct sl_option_mode *out)
{
    (void)arguments;
    (void)n_arguments;
    const struct sl_import_job *job = raw;
    if (!job->from) return;
    const struct sl_answer_format *format = sl_answer_format_find(job->from);
    const unsigned takes = format ? format->takes : 0;
    const bool cache = job->output && sl_path_has_suffix(job->output, ".slb");
    out->does = cache ? CACHES : CONVERTS;
    if (cache || format) out->does |= CLASSES;
    if (takes & SL_IMPORT_COLUMNS) out->does |= COLUMNS;
    if (takes & SL_IMPORT_LAYOUT) out->does |= LAYOUT;
    snprintf(out->text, sizeof out->text, "--from %s%s", job->from,
             cache ? " to a name in .slb" : "");
    out->name = out->text;
}

static enum sl_status run_import(const void *raw, const struct sl_task_call *call, json_t **result,
                                 struct sl_error *err)
{
    (void)result;
    struct sl_import_job job = *(const struct sl_import_job *)raw;
    struct sl_import_notes notes;
    job.paths = call->arguments;
    job.n_paths = call->n_arguments;
    return sl_import_job_run(&job, call->workplace, &notes, err);
}

const struct sl_task sl_import_task = {
    .name = "import",
    .options = sl_import_job_options,
    .size = sizeof(struct sl_import_job),
    .mode = find_mode,
    .most_arguments = SIZE_MAX,
    .run = run_import,
};
