/* Reading answers from any supported format. */
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/exchange.h"

void sl_say_imported(const struct sl_workplace *workplace, const struct sl_import_notes *notes)
{
    const struct {
        size_t count;
        const char *one, *many;
    } parts[] = {
        {notes->n_abstained, "answer left out: an abstention", "answers left out: abstentions"},
        {notes->n_left_out, "answer left out: its class is left out",
         "answers left out: their class is left out"},
        {notes->n_rescaled, "distribution was off 1 by rounding and scaled to it",
         "distributions were off 1 by rounding and scaled to it"},
    };
    char number[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count)
            sl_log(workplace->log, SL_LOG_INFO, "%s %s",
                   sl_text_count(parts[i].count, number, sizeof number),
                   sl_text_plural(parts[i].count, parts[i].one, parts[i].many));
}

/* Join comma-separated texts into one NULL-ended list; NULL if there are none. */
static char **split_texts(const struct sl_word_list *texts)
{
    char **all = NULL;
    size_t count = 0;
    for (size_t i = 0; i < texts->count; i++) {
        char **part = sl_text_split(texts->values[i]);
        for (char **name = part; *name; name++) {
            all = sl_resize(all, count + 2, sizeof *all);
            all[count++] = *name;
            all[count] = NULL;
        }
        free(part);
    }
    return all;
}

void sl_answer_reader_init(struct sl_answer_reader *reader, const struct sl_answer_reading *reading,
                           const struct sl_workplace *workplace, struct sl_import_notes *notes)
{
    notes->log = workplace->log;
    reader->abstain = split_texts(&reading->abstain);
    reader->leave_out = split_texts(&reading->leave_out);
    reader->options =
        (struct sl_import_options){.columns = reading->columns,
                                   .abstain = (const char *const *)reader->abstain,
                                   .leave_out = (const char *const *)reader->leave_out,
                                   .notes = notes,
                                   .progress = workplace->progress,
                                   .pool = workplace->pool};
}

void sl_answer_reader_release(struct sl_answer_reader *reader)
{
    sl_names_destroy(reader->abstain);
    sl_names_destroy(reader->leave_out);
}

enum sl_status sl_votes_get_lent(const struct sl_workplace *workplace, const char *path,
                                 const struct sl_answer_reading *reading,
                                 const struct sl_votes **out, struct sl_error *err)
{
    *out = sl_lent_votes(workplace->exchange, path);
    if (*out && (reading->columns || reading->abstain.count || reading->leave_out.count))
        return sl_fail(err, SL_ERR_USAGE,
                       "--columns, --abstain and --leave-out have no effect on votes in memory; "
                       "leave them out");
    return SL_OK;
}

enum sl_status sl_answers_read_any(const struct sl_workplace *workplace, const char *path,
                                   const struct sl_answer_reading *reading, struct sl_answers **out,
                                   struct sl_error *err)
{
    const struct sl_votes *lent = NULL;
    SL_TRY(sl_votes_get_lent(workplace, path, reading, &lent, err));
    if (lent) return sl_answers_from_votes(lent, out, err);
    struct sl_import_notes notes = {0};
    struct sl_answer_reader reader;
    sl_answer_reader_init(&reader, reading, workplace, &notes);
    const enum sl_status status = sl_answers_load(path, &reader.options, out, err);
    sl_answer_reader_release(&reader);
    if (status == SL_OK) sl_say_imported(workplace, &notes);
    return status;
}

enum sl_status sl_keep_as_released(const char *path, const struct sl_answers *answers, bool asked,
                                   unsigned *keep, struct sl_error *err)
{
    const unsigned flags = SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN;
    *keep = asked ? flags : 0;
    if (!asked || sl_answers_count_flagged(answers, flags) > 0) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE,
                   "%s: no answer is marked as a repeat or a second run, so that --as-released has "
                   "no effect: leave it out",
                   path);
}
