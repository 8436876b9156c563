#include "softlab/pipeline/import.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/answers/import_cache.h"
#include "softlab/base/buffer.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/files.h"

/* A job with the format that it reads. */
struct import_work {
    const struct sl_import_job *job;       /* borrowed */
    const struct sl_workplace *workplace;  /* borrowed */
    const struct sl_answer_format *format; /* static; NULL: answers.jsonl */
    struct sl_import_options options;
    const struct sl_name_table *only; /* borrowed; NULL: all items */
    bool *found;                      /* owned; per item of `only`, whether it has an answer */
    size_t n_kept, n_elsewhere;       /* answers to these items and to others */
};

/* ---- Some of the items ---- */

static enum sl_status list_answered(const char *path, struct sl_name_table *names,
                                    struct sl_error *err)
{
    struct sl_answers *answers = NULL;
    SL_TRY(sl_answers_read(path, &answers, NULL, err));
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < sl_name_table_count(answers->items) && status == SL_OK; i++) {
        uint32_t number;
        size_t length;
        const char *name = sl_name_table_get(answers->items, i, &length);
        status = sl_name_table_add(names, name, length, &number, err);
    }
    sl_answers_destroy(answers);
    return status;
}

/* A sink that passes on the answers to some of the items. */
struct sieve {
    struct sl_answer_sink inner;
    struct import_work *work; /* borrowed */
};

static enum sl_status begin_sieve(void *context, const char *const *classes, size_t n_classes,
                                  struct sl_error *err)
{
    const struct sieve *sieve = context;
    return sieve->inner.begin(sieve->inner.context, classes, n_classes, err);
}

static enum sl_status put_sieve(void *context, const struct sl_answer *answer, struct sl_error *err)
{
    const struct sieve *sieve = context;
    const struct sl_field *item = &answer->item;
    const uint32_t place = sl_name_table_find(sieve->work->only, item->text, item->length);
    if (place == SL_NO_NAME) {
        sieve->work->n_elsewhere++;
        return SL_OK;
    }
    sieve->work->found[place] = true;
    sieve->work->n_kept++;
    return sieve->inner.put(sieve->inner.context, answer, err);
}

/* Wrap a sink for the job's items; `sieve` is the room for it. */
static struct sl_answer_sink sieve_of(struct import_work *work, const struct sl_answer_sink *sink,
                                      struct sieve *sieve)
{
    *sieve = (struct sieve){*sink, work};
    return work->only ? (struct sl_answer_sink){begin_sieve, put_sieve, sieve, NULL} : *sink;
}

static enum sl_status check_kept(const struct import_work *work, struct sl_error *err)
{
    if (!work->only || work->n_kept > 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s: it lists %zu item%s, and none of them has an answer in %s", work->job->only,
                   (size_t)sl_name_table_count(work->only),
                   sl_text_plural(sl_name_table_count(work->only), "", "s"), work->job->paths[0]);
}

static void say_unanswered(const struct import_work *work, const struct sl_workplace *workplace)
{
    const size_t count = work->only ? sl_name_table_count(work->only) : 0;
    size_t n_missing = 0, first = 0;
    for (size_t i = count; i-- > 0;) {
        if (work->found[i]) continue;
        n_missing++;
        first = i;
    }
    if (n_missing == 0) return;
    sl_log(workplace->log, SL_LOG_WARNING,
           "%s: %zu of %zu listed item%s %s no answer, the first is %.60s", work->job->only,
           n_missing, count, sl_text_plural(count, "", "s"),
           sl_text_plural(n_missing, "has", "have"),
           sl_name_table_get(work->only, (uint32_t)first, NULL));
}

static enum sl_status read_only(const char *path, struct sl_name_table **out, struct sl_error *err)
{
    if (!path) return SL_OK;
    struct sl_name_table *names = sl_name_table_create();
    const enum sl_status status = sl_path_has_suffix(path, ".jsonl")
                                      ? list_answered(path, names, err)
                                      : sl_names_add_listed(path, names, err);
    if (status == SL_OK)
        *out = names;
    else
        sl_name_table_destroy(names);
    return status;
}

static bool is_native(const char *format)
{
    return strcmp(format, SL_IMPORT_ANSWERS) == 0;
}

static bool is_cache(const struct sl_import_job *job)
{
    return sl_path_has_suffix(job->output, ".slb");
}

static enum sl_status fail_without_format(const struct sl_import_job *job, struct sl_error *err)
{
    struct sl_format_guess guess = {0};
    const bool known = job->n_paths > 0 &&
                       sl_answer_format_guess(job->paths[0], &guess, NULL) == SL_OK &&
                       guess.format && !guess.missing;
    if (!known) return sl_fail(err, SL_ERR_USAGE, "--from FORMAT is missing, see --list");
    return sl_fail(err, SL_ERR_USAGE,
                   "--from FORMAT is missing: %s looks like %s, so give --from %s", job->paths[0],
                   guess.format->name, guess.format->name);
}

enum sl_status sl_import_job_check(const struct sl_import_job *job, struct sl_error *err)
{
    if (!job->from) return fail_without_format(job, err);
    if (!job->to) return sl_fail(err, SL_ERR_USAGE, "--to FORMAT is missing, see --list");
    if (!job->output)
        return sl_fail(err, SL_ERR_USAGE, "--output FILE is missing: where the answers go");
    if (job->n_paths == 0)
        return sl_fail(err, SL_ERR_USAGE, "FILE is missing: the answers to read");
    const struct sl_answer_format *from = sl_answer_format_find(job->from);
    const struct sl_answer_format *to = sl_answer_format_find(job->to);
    if (!is_native(job->from) && !(from && from->import))
        return sl_fail(err, SL_ERR_USAGE, "no format that can be read is called \"%s\"", job->from);
    if (!is_native(job->to) && !(to && to->write))
        return sl_fail(err, SL_ERR_USAGE, "no format that can be written is called \"%s\"",
                       job->to);
    return SL_OK;
}

const char *sl_import_job_suffix(const struct sl_import_job *job)
{
    static const struct {
        const char *format, *suffix;
    } written[] = {
        {SL_IMPORT_ANSWERS, ".jsonl"}, {"answers-csv", ".csv"}, {"cifar10h-counts", ".npy"},
        {"cifar10s-json", ".json"},    {"hmix", ".csv"},        {"labelme", ".txt"},
        {"long-csv", ".csv"},          {"peerannot", ".json"},
    };
    if (is_cache(job)) return NULL;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (strcmp(job->to, written[i].format) == 0) return written[i].suffix;
    return NULL;
}

/* ---- Reading and writing ---- */

static enum sl_status read_files(struct import_work *work, const struct sl_answer_sink *sink,
                                 struct sl_error *err)
{
    struct sieve sieve;
    const struct sl_answer_sink some = sieve_of(work, sink, &sieve);
    const enum sl_status status = work->format->import(
        (const char *const *)work->job->paths, work->job->n_paths, &work->options, &some, err);
    SL_TRY(sl_answer_format_hint(status, work->job->paths[0], work->format, err));
    return check_kept(work, err);
}

static enum sl_status put_set(const struct sl_answers *answers, const struct sl_answer_sink *sink,
                              struct sl_error *err)
{
    SL_TRY(
        sink->begin(sink->context, (const char *const *)answers->classes, answers->n_classes, err));
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        SL_TRY(sink->put(sink->context, &answer, err));
    }
    return SL_OK;
}

static enum sl_status read_set(struct import_work *work, struct sl_answers **out,
                               struct sl_error *err)
{
    const struct sl_answer_sink sink = sl_answers_sink(out);
    if (work->format) return read_files(work, &sink, err);
    if (!work->only) return sl_answers_load(work->job->paths[0], &work->options, out, err);
    struct sl_answers *all = NULL;
    struct sieve sieve;
    const struct sl_answer_sink some = sieve_of(work, &sink, &sieve);
    SL_TRY(sl_answers_load(work->job->paths[0], &work->options, &all, err));
    const enum sl_status status = put_set(all, &some, err);
    sl_answers_destroy(all);
    return status == SL_OK ? check_kept(work, err) : status;
}

static enum sl_status write_cache(struct import_work *work, struct sl_error *err)
{
    struct sl_votes *votes = NULL;
    struct sl_answers *answers = NULL;
    const struct sl_import_job *job = work->job;
    enum sl_status status = SL_OK;
    if (is_native(job->from) || strcmp(job->from, "long-csv") == 0)
        return sl_import_cache(job, &work->options, work->workplace, err);
    SL_TRY_OUT(read_set(work, &answers, err));
    SL_TRY_OUT(sl_votes_from_answers(answers, 0, &votes, err));
    SL_TRY_OUT(sl_votes_write_slb(votes, job->output, err));
out:
    sl_votes_destroy(votes);
    sl_answers_destroy(answers);
    return status;
}

static enum sl_status stream(struct import_work *work, struct sl_error *err)
{
    struct sl_answer_writer *writer = NULL;
    SL_TRY(sl_answer_writer_create(work->job->output, &writer, err));
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    enum sl_status status = read_files(work, &sink, err);
    if (status == SL_OK) status = sl_answer_writer_commit(writer, err);
    sl_answer_writer_destroy(writer);
    return status;
}

static enum sl_status write_set(const struct sl_answers *answers, const char *path,
                                struct sl_error *err)
{
    struct sl_answer_writer *writer = NULL;
    SL_TRY(sl_answer_writer_create(path, &writer, err));
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    enum sl_status status = put_set(answers, &sink, err);
    if (status == SL_OK) status = sl_answer_writer_commit(writer, err);
    sl_answer_writer_destroy(writer);
    return status;
}

static enum sl_status convert(struct import_work *work, struct sl_error *err)
{
    struct sl_answers *answers = NULL;
    enum sl_status status = read_set(work, &answers, err);
    const struct sl_answer_format *format = sl_answer_format_find(work->job->to);
    if (status == SL_OK && format)
        status = format->write(answers, work->job->output, work->options.notes, err);
    else if (status == SL_OK)
        status = write_set(answers, work->job->output, err);
    sl_answers_destroy(answers);
    return status;
}

static void say_what_became(const struct sl_workplace *workplace,
                            const struct sl_import_notes *notes, size_t n_elsewhere)
{
    const struct {
        size_t count;
        const char *one, *many;
    } parts[] = {
        {notes->n_read, "answer read", "answers read"},
        {notes->n_skipped, "left out", "left out"},
        {notes->n_mended, "mended", "mended"},
        {notes->n_duplicates, "beyond a person's first to an item",
         "beyond a person's first to an item"},
        {notes->n_empty_items, "item without an answer", "items without an answer"},
        {notes->n_abstained, "left out as an abstention", "left out as abstentions"},
        {notes->n_left_out, "left out for its class", "left out for their class"},
        {n_elsewhere, "to another item left out", "to other items left out"},
        {notes->n_rescaled, "distribution scaled to 1", "distributions scaled to 1"},
    };
    struct sl_buffer line;
    sl_buffer_init(&line, 1024);
    char number[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count)
            sl_buffer_printf(&line, "%s%s %s", line.length ? ", " : "",
                             sl_text_count(parts[i].count, number, sizeof number),
                             sl_text_plural(parts[i].count, parts[i].one, parts[i].many));
    if (line.length) sl_log(workplace->log, SL_LOG_INFO, "%s", line.data);
    sl_buffer_release(&line);
}

enum sl_status sl_import_job_run(const struct sl_import_job *job,
                                 const struct sl_workplace *workplace,
                                 struct sl_import_notes *notes, struct sl_error *err)
{
    SL_TRY(sl_import_job_check(job, err));
    const char *suffix = sl_import_job_suffix(job);
    if (suffix) SL_TRY(sl_path_check_suffix("output", job->output, suffix, err));
    if (job->n_paths > 1 && is_native(job->from) && !is_cache(job))
        return sl_fail(err, SL_ERR_USAGE,
                       "one file at a time, got %zu; several become one answers.slb: give --output "
                       "a name that ends in .slb",
                       job->n_paths);
    struct sl_name_table *only = NULL;
    SL_TRY(read_only(job->only, &only, err));
    char **classes = job->classes ? sl_text_split(job->classes) : NULL;
    struct import_work work = {.job = job,
                               .workplace = workplace,
                               .format = sl_answer_format_find(job->from),
                               .only = only};
    work.found = only ? sl_alloc(sl_name_table_count(only) + 1, sizeof *work.found) : NULL;
    struct sl_answer_reader reader;
    *notes = (struct sl_import_notes){0};
    sl_answer_reader_init(&reader, &job->reading, workplace, notes);
    work.options = reader.options;
    work.options.classes = (const char *const *)classes;
    work.options.header = job->header;
    work.options.id_column = job->id_column;
    work.options.one_truth = true;
    enum sl_status status;
    if (is_cache(job))
        status = write_cache(&work, err);
    else if (is_native(job->to) && work.format)
        status = stream(&work, err);
    else
        status = convert(&work, err);
    if (status == SL_OK) say_what_became(workplace, notes, work.n_elsewhere);
    if (status == SL_OK) say_unanswered(&work, workplace);
    free(work.found);
    sl_answer_reader_release(&reader);
    sl_names_destroy(classes);
    sl_name_table_destroy(only);
    return status;
}
