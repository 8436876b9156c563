/* One item: every answer to it, and its mean label. */
#include <stdlib.h>
#include <string.h>

#include "study/status/status.h"

struct item_walk {
    const struct sl_status_gathering *from;
    const struct sl_study_item *item;
    json_t *answers;
};

static enum sl_status add_answer(const struct sl_study_given *given, void *context,
                                 struct sl_error *err)
{
    const struct item_walk *walk = context;
    const struct sl_study *study = walk->from->study;
    struct sl_study_record record;
    if (strcmp(given->item->id, walk->item->id) != 0) return SL_OK;
    SL_TRY(sl_study_record_make(study, given, &record, err));
    char *said = sl_status_said(study, &record.answer);
    const unsigned flags = record.answer.flags;
    json_t *one =
        json_pack("{s:s, s:I, s:s, s:I, s:s, s:b, s:b}", "annotator", given->annotator, "session",
                  (json_int_t)given->session->id, "screen", given->session->screen, "trial",
                  (json_int_t)given->answer->trial, "answer", said, "repeat",
                  flags & SL_ANSWER_REPEAT, "second_run", flags & SL_ANSWER_SECOND_RUN);
    json_object_set_new(one, "seconds", sl_status_real((double)given->answer->elapsed / 1000, 1));
    json_object_set_new(one, "label", sl_status_label(study, &record.answer));
    json_array_append_new(walk->answers, one);
    free(said);
    sl_study_record_release(&record);
    return SL_OK;
}

static enum sl_status describe_item(struct sl_status_gathering *from, size_t number, json_t **out,
                                    struct sl_error *err)
{
    SL_TRY(sl_status_gather(from, err));
    if (number >= from->items.count)
        return sl_fail(err, SL_ERR_NOT_FOUND, "there is no item %zu", number);
    json_t *item = NULL;
    SL_TRY(sl_status_one_item(from, number, &item, err));
    struct item_walk walk = {
        .from = from, .item = &from->items.items[number], .answers = json_array()};
    json_object_set_new(item, "each", walk.answers);
    json_object_set_new(item, "check", json_boolean(walk.item->check));
    const enum sl_status status = sl_study_each_given(from->study, from->store, &from->items,
                                                      SL_STUDY_COUNTING, add_answer, &walk, err);
    if (status == SL_OK)
        *out = item;
    else
        json_decref(item);
    return status;
}

enum sl_status sl_status_of_item(const struct sl_study *study, struct sl_store *store, int64_t now,
                                 size_t number, json_t **out, struct sl_error *err)
{
    struct sl_status_gathering from = {.study = study, .store = store, .now = now};
    const enum sl_status status = describe_item(&from, number, out, err);
    sl_status_release(&from);
    return status;
}
