#include "answer/answer_internal.h"

void sl_notes_skip(struct sl_import_notes *notes, const char *path, size_t line, const char *why)
{
    if (!notes) return;
    notes->n_skipped++;
    if (notes->n_skipped > SL_NOTES_SHOWN) return;
    sl_log(notes->log, SL_LOG_WARNING, "%s:%zu: skipped: %s%s", path, line, why,
           notes->n_skipped == SL_NOTES_SHOWN ? "; more of this kind are only counted" : "");
}

void sl_notes_duplicate(struct sl_import_notes *notes, const char *path, const char *item,
                        const char *annotator, bool told)
{
    if (!notes) return;
    notes->n_duplicates++;
    if (told || ++notes->n_twice > SL_NOTES_SHOWN) return;
    sl_log(notes->log, SL_LOG_WARNING,
           "%s: %.60s answered item %.60s more than once; all answers are kept%s", path, annotator,
           item, notes->n_twice == SL_NOTES_SHOWN ? "; more of this kind are only counted" : "");
}
