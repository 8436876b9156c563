/* Answers in any file that holds them. */
#include "softlab/base/text.h"
#include "softlab/pipeline/answers.h"

void sl_say_imported(const struct sl_workplace *workplace, const struct sl_import_notes *notes)
{
    const struct {
        size_t count;
        const char *what;
    } parts[] = {
        {notes->n_abstained, "answers left out: abstentions"},
        {notes->n_left_out, "answers left out: their class is left out"},
        {notes->n_rescaled, "distributions were off 1 by rounding and scaled to it"},
    };
    char number[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count)
            sl_log(workplace->log, SL_LOG_INFO, "%s %s",
                   sl_text_count(parts[i].count, number, sizeof number), parts[i].what);
}

struct sl_import_options sl_answer_reading_options(const struct sl_answer_reading *reading,
                                                   const struct sl_workplace *workplace,
                                                   struct sl_import_notes *notes)
{
    notes->log = workplace->log;
    return (struct sl_import_options){.columns = reading->columns,
                                      .abstain = (const char *const *)reading->abstain,
                                      .leave_out = (const char *const *)reading->leave_out,
                                      .notes = notes,
                                      .progress = workplace->progress};
}

enum sl_status sl_answers_read_any(const struct sl_workplace *workplace, const char *path,
                                   const struct sl_answer_reading *reading, struct sl_answers **out,
                                   struct sl_error *err)
{
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = sl_answer_reading_options(reading, workplace, &notes);
    SL_TRY(sl_answers_load(path, &options, out, err));
    sl_say_imported(workplace, &notes);
    return SL_OK;
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
