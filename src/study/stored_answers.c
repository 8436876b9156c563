#include "study/stored_answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/label.h"

/* ---- Items ---- */

static int32_t find_class(const struct sl_study *study, const char *name)
{
    for (size_t k = 0; name && k < study->n_classes; k++)
        if (strcmp(study->classes[k], name) == 0) return (int32_t)k;
    return -1;
}

struct item_walk {
    const struct sl_study *study;
    struct sl_study_items items;
    struct sl_error *err;
};

static enum sl_status keep_item(const struct sl_store_item *item, void *context)
{
    struct item_walk *walk = context;
    struct sl_study_items *items = &walk->items;
    struct sl_json content = {0};
    uint32_t index = 0;
    SL_TRY(sl_json_parse(item->content, strlen(item->content), item->id, 1, &content, walk->err));
    if (items->count == items->capacity) {
        const size_t capacity = items->capacity * 2 + 64;
        struct sl_study_item *grown =
            sl_data_resize(items->items, capacity, sizeof *grown, walk->err);
        if (!grown) {
            sl_json_release(&content);
            return SL_ERR_NOMEM;
        }
        items->items = grown;
        items->capacity = capacity;
    }
    json_t *root = json_incref(content.root);
    sl_json_release(&content);
    items->items[items->count++] =
        (struct sl_study_item){.id = sl_string_copy(item->id),
                               .content = root,
                               .truth = find_class(walk->study, item->truth),
                               .entropy = item->entropy,
                               .check = item->check};
    return sl_name_table_add(items->names, item->id, strlen(item->id), &index, walk->err);
}

enum sl_status sl_study_items_read(const struct sl_study *study, struct sl_store *store,
                                   struct sl_study_items *out, struct sl_error *err)
{
    struct item_walk walk = {
        .study = study, .items = {.names = sl_name_table_create()}, .err = err};
    enum sl_status status = sl_store_each_item(store, keep_item, &walk, err);
    if (status == SL_OK)
        *out = walk.items;
    else
        sl_study_items_release(&walk.items);
    return status;
}

void sl_study_items_release(struct sl_study_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        free(items->items[i].id);
        json_decref(items->items[i].content);
    }
    free(items->items);
    sl_name_table_destroy(items->names);
    *items = (struct sl_study_items){0};
}

const struct sl_study_item *sl_study_item_find(const struct sl_study_items *items, const char *id)
{
    uint32_t index = sl_name_table_find(items->names, id, strlen(id));
    return index == SL_NO_NAME ? NULL : &items->items[index];
}

/* ---- Answers ---- */

void sl_study_annotator(const uint8_t person[SL_STORE_PERSON_BYTES],
                        char out[SL_STUDY_ANNOTATOR_TEXT])
{
    for (size_t i = 0; i < SL_STUDY_ANNOTATOR_TEXT / 2; i++)
        snprintf(out + 2 * i, 3, "%02x", person[i]);
}

const char *sl_session_state_name(enum sl_session_state state)
{
    static const char *const names[] = {[SL_SESSION_ACTIVE] = "active",
                                        [SL_SESSION_DONE] = "done",
                                        [SL_SESSION_RETURNED] = "returned",
                                        [SL_SESSION_EXPIRED] = "expired",
                                        [SL_SESSION_REFUSED] = "refused"};
    return (size_t)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

/* A row that outlives its visit, to see whether a later revision follows. */
struct held {
    struct sl_store_session session;
    struct sl_store_answer answer;
    char *item, *body; /* owned */
};

struct answer_walk {
    const struct sl_study *study;
    const struct sl_study_items *items;
    enum sl_study_extent extent;
    const char *annotator; /* or NULL: all */
    sl_study_take take;
    void *context;
    struct held held;
    struct sl_error *err;
};

static bool counts(const struct sl_store_row *row, enum sl_study_extent extent)
{
    const struct sl_store_session *session = row->session;
    return session->test == (extent == SL_STUDY_TESTS) && !row->answer->practice &&
           session->state != SL_SESSION_RETURNED && session->state != SL_SESSION_REFUSED;
}

static enum sl_status give(struct answer_walk *walk, const struct sl_store_session *session,
                           const struct sl_store_answer *answer)
{
    enum sl_status status = SL_OK;
    struct sl_json body = {0};
    char annotator[SL_STUDY_ANNOTATOR_TEXT];
    sl_study_annotator(session->person, annotator);
    SL_TRY_OUT(
        sl_json_parse(answer->body, strlen(answer->body), "a stored answer", 1, &body, walk->err));
    json_t *times = json_object_get(body.root, "times");
    const struct sl_study_given given = {
        .session = session,
        .answer = answer,
        .item = sl_study_item_find(walk->items, answer->item),
        .screen = sl_screen_find(session->screen),
        .answered = json_object_get(body.root, "answer"),
        .times = json_is_object(times) ? times : NULL,
        .annotator = annotator,
    };
    if (!given.item || !given.screen || !given.answered)
        SL_TRY_OUT(sl_fail(walk->err, SL_ERR_INPUT,
                           "answer %zu of session %lld has no item, screen or answer",
                           answer->trial, (long long)session->id));
    status = walk->take(&given, walk->context, walk->err);
out:
    sl_json_release(&body);
    return status;
}

static void drop_held(struct held *held)
{
    free(held->item);
    free(held->body);
    *held = (struct held){0};
}

static enum sl_status give_held(struct answer_walk *walk)
{
    if (!walk->held.body) return SL_OK;
    enum sl_status status = give(walk, &walk->held.session, &walk->held.answer);
    drop_held(&walk->held);
    return status;
}

static void hold(struct held *held, const struct sl_store_row *row)
{
    drop_held(held);
    held->session = *row->session;
    held->answer = *row->answer;
    held->answer.item = held->item = sl_string_copy(row->answer->item);
    held->answer.body = held->body = sl_string_copy(row->answer->body);
}

static enum sl_status visit_answer(const struct sl_store_row *row, void *context)
{
    struct answer_walk *walk = context;
    const struct held *held = &walk->held;
    char annotator[SL_STUDY_ANNOTATOR_TEXT];
    if (walk->annotator) {
        sl_study_annotator(row->session->person, annotator);
        if (strcmp(annotator, walk->annotator) != 0) return SL_OK;
    }
    if (walk->extent == SL_STUDY_EVERY) return give(walk, row->session, row->answer);
    if (!counts(row, walk->extent)) return SL_OK;
    if (held->body &&
        (held->session.id != row->session->id || held->answer.trial != row->answer->trial))
        SL_TRY(give_held(walk));
    hold(&walk->held, row);
    return SL_OK;
}

enum sl_status sl_study_each_given(const struct sl_study *study, struct sl_store *store,
                                   const struct sl_study_items *items, enum sl_study_extent extent,
                                   sl_study_take take, void *context, struct sl_error *err)
{
    struct answer_walk walk = {.study = study,
                               .items = items,
                               .extent = extent,
                               .take = take,
                               .context = context,
                               .err = err};
    enum sl_status status = sl_store_each_answer(store, visit_answer, &walk, err);
    if (status == SL_OK) status = give_held(&walk);
    drop_held(&walk.held);
    return status;
}

enum sl_status sl_study_each_given_by(const struct sl_study *study, struct sl_store *store,
                                      const struct sl_study_items *items, const char *annotator,
                                      sl_study_take take, void *context, struct sl_error *err)
{
    struct answer_walk walk = {.study = study,
                               .items = items,
                               .extent = SL_STUDY_EVERY,
                               .annotator = annotator,
                               .take = take,
                               .context = context,
                               .err = err};
    return sl_store_each_answer(store, visit_answer, &walk, err);
}

/* ---- Records ---- */

static struct sl_field field_of(const char *text)
{
    return (struct sl_field){text, text ? strlen(text) : 0};
}

static unsigned flags_of(const struct sl_study_given *given)
{
    unsigned flags = 0;
    if (given->answer->repeat) flags |= SL_ANSWER_REPEAT;
    if (given->session->second_run) flags |= SL_ANSWER_SECOND_RUN;
    if (given->item->check) flags |= SL_ANSWER_CHECK;
    return flags;
}

/* The item knows what was mixed. */
static void set_endpoints(const struct sl_study *study, const struct sl_study_item *item,
                          struct sl_mix_answer *mix)
{
    const json_t *endpoints = json_object_get(item->content, "endpoints");
    const json_t *share = json_object_get(item->content, "lambda");
    int32_t a = find_class(study, json_string_value(json_array_get(endpoints, 0)));
    int32_t b = find_class(study, json_string_value(json_array_get(endpoints, 1)));
    if (a >= 0) mix->a = (uint32_t)a;
    if (b >= 0) mix->b = (uint32_t)b;
    if (json_is_number(share)) mix->generated = (float)json_number_value(share);
}

enum sl_status sl_study_record_make(const struct sl_study *study,
                                    const struct sl_study_given *given, struct sl_study_record *out,
                                    struct sl_error *err)
{
    struct sl_answer answer = sl_answer_empty();
    SL_TRY(given->screen->convert(given->answered, study, &answer, err));
    *out = (struct sl_study_record){.answer = answer};
    if (given->times) out->inputs = json_dumps(given->times, JSON_COMPACT);
    snprintf(out->batch, sizeof out->batch, "%zu", given->session->batch);
    if (answer.kind == SL_ANSWER_MIX) set_endpoints(study, given->item, &out->answer.mix);
    out->answer.item = field_of(given->item->id);
    out->answer.annotator = field_of(given->annotator);
    out->answer.batch = field_of(out->batch);
    out->answer.study = field_of(study->name);
    out->answer.inputs = field_of(out->inputs);
    out->answer.flags = flags_of(given);
    out->answer.truth = given->item->truth;
    out->answer.ms = (double)given->answer->elapsed;
    out->answer.trial = (int64_t)given->answer->trial;
    return SL_OK;
}

void sl_study_record_release(struct sl_study_record *record)
{
    sl_screen_answer_release(&record->answer);
    free(record->inputs);
    *record = (struct sl_study_record){0};
}

struct set_walk {
    const struct sl_study *study;
    const struct sl_study_choice *choice;
    struct sl_answers *answers;
};

static enum sl_status add_to_set(const struct sl_study_given *given, void *context,
                                 struct sl_error *err)
{
    struct set_walk *walk = context;
    struct sl_study_record record;
    enum sl_status status = SL_OK;
    if (given->session->id <= walk->choice->after) return SL_OK;
    SL_TRY(sl_study_record_make(walk->study, given, &record, err));
    if (walk->choice->kinds & 1u << record.answer.kind)
        status = sl_answers_add(walk->answers, &record.answer, err);
    sl_study_record_release(&record);
    return status;
}

enum sl_status sl_study_answers(const struct sl_study *study, struct sl_store *store,
                                const struct sl_study_items *items,
                                const struct sl_study_choice *choice, struct sl_answers **out,
                                struct sl_error *err)
{
    struct set_walk walk = {.study = study, .choice = choice};
    SL_TRY(sl_answers_create((const char *const *)study->classes, study->n_classes, &walk.answers,
                             err));
    enum sl_status status =
        sl_study_each_given(study, store, items, choice->extent, add_to_set, &walk, err);
    if (status == SL_OK)
        *out = walk.answers;
    else
        sl_answers_destroy(walk.answers);
    return status;
}

int64_t sl_study_top_class(const struct sl_study *study, const struct sl_answer *answer)
{
    if (answer->n_top == 0 && answer->kind != SL_ANSWER_DIST && answer->kind != SL_ANSWER_MIX)
        return -1;
    const uint32_t choice = sl_answer_choice(answer, study->n_classes);
    return choice < study->n_classes ? (int64_t)choice : -1;
}

bool sl_study_label_of(const struct sl_answer *answer, size_t n_classes, double *row)
{
    static const char *const methods[] = {[SL_ANSWER_HARD] = "share",
                                          [SL_ANSWER_SOFT] = "t2-clamp",
                                          [SL_ANSWER_SELECT] = "select2",
                                          [SL_ANSWER_DIST] = "share",
                                          [SL_ANSWER_MIX] = "mix"};
    const struct sl_label_options options = sl_label_options_default();
    return sl_label_row(sl_label_method_find(methods[answer->kind]), answer, n_classes, &options,
                        row, NULL) == SL_OK;
}

bool sl_study_label(const struct sl_answers *answers, size_t index, double *row)
{
    struct sl_answer answer;
    sl_answers_get(answers, index, &answer);
    return answer.flags == 0 && sl_study_label_of(&answer, answers->n_classes, row);
}
