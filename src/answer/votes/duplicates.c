/* Answers of one person to one item, beyond the first. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/votes/votes.h"
#include "softlab/base/memory.h"

enum sl_status sl_duplicates_begin(struct sl_duplicates *duplicates, struct sl_error *err)
{
    const size_t count = sl_name_table_count(duplicates->annotators);
    duplicates->seen_at = sl_data_zeroed(count, sizeof *duplicates->seen_at, err);
    return duplicates->seen_at ? SL_OK : SL_ERR_NOMEM;
}

void sl_duplicates_note(const struct sl_duplicates *duplicates, size_t item,
                        const uint32_t *annotators, size_t count)
{
    size_t *seen_at = duplicates->seen_at;
    for (size_t i = 0; i < count; i++) {
        const uint32_t annotator = annotators[i];
        if (annotator == SL_NO_NAME) continue;
        const bool again = seen_at[annotator] > 2 * item, told = seen_at[annotator] == 2 * item + 2;
        /* Finding a name may take long, and few are shown. */
        const bool shown = !told && duplicates->notes->n_twice < SL_NOTES_SHOWN;
        if (again)
            sl_notes_duplicate(duplicates->notes, duplicates->path,
                               shown ? duplicates->name_of(duplicates->context, item) : "",
                               sl_name_table_get(duplicates->annotators, annotator, NULL), told);
        seen_at[annotator] = 2 * item + 1 + again; /* once, or more often */
    }
}

static const char *name_of(const void *votes, size_t item)
{
    return sl_name_table_get(((const struct sl_votes *)votes)->items, (uint32_t)item, NULL);
}

enum sl_status sl_votes_note_duplicates(const struct sl_votes *votes, const char *path,
                                        struct sl_import_notes *notes, struct sl_error *err)
{
    struct sl_duplicates duplicates = {.notes = notes,
                                       .path = path,
                                       .annotators = votes->annotators,
                                       .name_of = name_of,
                                       .context = votes};
    if (!notes || votes->n_annotators == 0) return SL_OK;
    SL_TRY(sl_duplicates_begin(&duplicates, err));
    for (size_t item = 0; item < votes->n_items; item++) {
        const size_t begin = votes->begin[item];
        sl_duplicates_note(&duplicates, item, votes->annotator + begin,
                           votes->begin[item + 1] - begin);
        sl_votes_pass_behind(votes, item);
    }
    free(duplicates.seen_at);
    return SL_OK;
}
