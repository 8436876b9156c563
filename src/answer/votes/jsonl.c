/* Votes of an answers.jsonl: the choice of every answer. Checks, repeats and second runs give
 * their item and no vote. */
#include <stdlib.h>

#include "answer/jsonl/jsonl.h"
#include "answer/votes/votes.h"

static enum sl_status open_jsonl(const char *path, const struct sl_import_options *options,
                                 void **source, struct sl_error *err)
{
    (void)options;
    struct sl_jsonl *jsonl = NULL;
    SL_TRY(sl_jsonl_open(path, &jsonl, err));
    if (jsonl->n_classes > SL_VOTES_CLASSES) {
        size_t count = jsonl->n_classes;
        sl_jsonl_close(jsonl);
        return sl_fail(err, SL_ERR_INPUT, "%s: %zu classes, expected at most %d", path, count,
                       SL_VOTES_CLASSES);
    }
    *source = jsonl;
    return SL_OK;
}

static enum sl_status next_jsonl(void *source, struct sl_import_notes *notes, struct sl_vote *out,
                                 bool *more, struct sl_error *err)
{
    struct sl_jsonl *jsonl = source;
    const struct sl_answer *answer = NULL;
    SL_TRY(sl_jsonl_next(jsonl, notes, &answer, err));
    *more = answer != NULL;
    if (!answer) return SL_OK;
    if (notes) sl_votes_note(answer, notes);
    out->item = answer->item;
    out->annotator = answer->annotator;
    out->label = answer->flags == 0 ? sl_answer_choice(answer, jsonl->n_classes) : SL_NO_NAME;
    return SL_OK;
}

static struct sl_vote_labels jsonl_labels(const void *source)
{
    const struct sl_jsonl *jsonl = source;
    return (struct sl_vote_labels){.names = jsonl->class_names, .sorted = true};
}

static void close_jsonl(void *source)
{
    sl_jsonl_close(source);
}

const struct sl_vote_format sl_votes_jsonl = {open_jsonl, next_jsonl, jsonl_labels, close_jsonl};
