#include "study/session/stimuli.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/random.h"

struct reading {
    struct sl_stimuli *stimuli;
    struct sl_error *err;
};

static enum sl_stimulus_role role_of(const struct sl_store_item *item, const json_t *content)
{
    if (json_object_get(content, "instructed")) return SL_STIMULUS_CARD;
    if (json_object_get(content, "training")) return SL_STIMULUS_EXERCISE;
    return item->check ? SL_STIMULUS_OBVIOUS : SL_STIMULUS_ITEM;
}

static enum sl_status take_item(const struct sl_store_item *item, void *context)
{
    struct reading *reading = context;
    struct sl_stimuli *stimuli = reading->stimuli;
    struct sl_json content;
    uint32_t number = 0;
    SL_TRY(
        sl_json_parse(item->content, strlen(item->content), item->id, 1, &content, reading->err));
    if (stimuli->count == stimuli->capacity) {
        const size_t capacity = stimuli->capacity ? 2 * stimuli->capacity : 64;
        struct sl_stimulus *grown =
            sl_data_resize(stimuli->items, capacity, sizeof *grown, reading->err);
        if (!grown) {
            sl_json_release(&content);
            return SL_ERR_NOMEM;
        }
        stimuli->items = grown;
        stimuli->capacity = capacity;
    }
    struct sl_stimulus *stimulus = &stimuli->items[stimuli->count++];
    *stimulus = (struct sl_stimulus){.id = sl_string_copy(item->id),
                                     .hash = item->hash ? sl_string_copy(item->hash) : NULL,
                                     .truth = item->truth ? sl_string_copy(item->truth) : NULL,
                                     .content = json_incref(content.root),
                                     .role = role_of(item, content.root)};
    sl_json_release(&content);
    sl_secret_opaque(stimuli->key, item->id, stimulus->opaque);
    SL_TRY(sl_name_table_add(stimuli->by_id, item->id, strlen(item->id), &number, reading->err));
    return sl_name_table_add(stimuli->by_opaque, stimulus->opaque, strlen(stimulus->opaque),
                             &number, reading->err);
}

static void list_checks(struct sl_stimuli *stimuli)
{
    stimuli->checks = sl_alloc(stimuli->count + 1, sizeof *stimuli->checks);
    stimuli->exercises = sl_alloc(stimuli->count + 1, sizeof *stimuli->exercises);
    for (size_t i = 0; i < stimuli->count; i++) {
        const struct sl_stimulus *one = &stimuli->items[i];
        if (one->role == SL_STIMULUS_OBVIOUS) stimuli->checks[stimuli->n_checks++] = one->id;
        if (one->role == SL_STIMULUS_EXERCISE) stimuli->exercises[stimuli->n_exercises++] = one->id;
    }
}

enum sl_status sl_stimuli_read(struct sl_store *store, struct sl_stimuli *out, struct sl_error *err)
{
    struct sl_stimuli stimuli = {.by_id = sl_name_table_create(),
                                 .by_opaque = sl_name_table_create()};
    struct reading reading = {&stimuli, err};
    enum sl_status status = sl_secret_key(store, SL_STIMULI_KEY, stimuli.key, err);
    if (status == SL_OK) status = sl_store_each_item(store, take_item, &reading, err);
    if (status == SL_OK && stimuli.count == 0)
        status = sl_fail(err, SL_ERR_INPUT, "the study's database has no items");
    if (status != SL_OK) {
        sl_stimuli_release(&stimuli);
        return status;
    }
    list_checks(&stimuli);
    *out = stimuli;
    return SL_OK;
}

void sl_stimuli_release(struct sl_stimuli *stimuli)
{
    for (size_t i = 0; i < stimuli->count; i++) {
        free(stimuli->items[i].id);
        free(stimuli->items[i].hash);
        free(stimuli->items[i].truth);
        json_decref(stimuli->items[i].content);
    }
    free(stimuli->items);
    free(stimuli->checks);
    free(stimuli->exercises);
    for (size_t b = 0; b < stimuli->n_batches; b++)
        sl_strings_destroy(stimuli->batches[b].items, stimuli->batches[b].count);
    free(stimuli->batches);
    sl_name_table_destroy(stimuli->by_id);
    sl_name_table_destroy(stimuli->by_opaque);
    *stimuli = (struct sl_stimuli){0};
}

const struct sl_stimulus *sl_stimulus_find(const struct sl_stimuli *stimuli, const char *id)
{
    uint32_t number = sl_name_table_find(stimuli->by_id, id, strlen(id));
    return number == SL_NO_NAME ? NULL : &stimuli->items[number];
}

size_t sl_stimulus_of_opaque(const struct sl_stimuli *stimuli, const char *opaque)
{
    uint32_t number = sl_name_table_find(stimuli->by_opaque, opaque, strlen(opaque));
    return number == SL_NO_NAME ? SIZE_MAX : number;
}

static enum sl_status read_batch(struct sl_stimuli *stimuli, struct sl_store *store, size_t batch,
                                 struct sl_error *err)
{
    if (batch >= stimuli->n_batches) {
        size_t count = batch + 1;
        stimuli->batches = sl_resize(stimuli->batches, count, sizeof *stimuli->batches);
        for (size_t b = stimuli->n_batches; b < count; b++)
            stimuli->batches[b] = (struct sl_stimuli_batch){0};
        stimuli->n_batches = count;
    }
    struct sl_stimuli_batch *wanted = &stimuli->batches[batch];
    if (wanted->items) return SL_OK;
    return sl_store_batch_items(store, batch, &wanted->items, &wanted->count, err);
}

/* The cards of the study's classes that exist. The caller frees the list. */
static const char **list_cards(const struct sl_stimuli *stimuli, const struct sl_study *study,
                               size_t *count)
{
    const char **cards = sl_alloc(study->n_classes + 1, sizeof *cards);
    for (size_t k = 0; k < study->n_classes; k++) {
        char *id = sl_stimuli_card_id(study->classes[k]);
        const struct sl_stimulus *card = sl_stimulus_find(stimuli, id);
        if (card) cards[(*count)++] = card->id;
        free(id);
    }
    return cards;
}

enum sl_status sl_stimuli_trials(struct sl_stimuli *stimuli, const struct sl_study *study,
                                 struct sl_store *store, const struct sl_store_session *session,
                                 struct sl_trials *out, struct sl_error *err)
{
    SL_TRY(read_batch(stimuli, store, session->batch, err));
    const struct sl_stimuli_batch *batch = &stimuli->batches[session->batch];
    struct sl_trial_items items = {(const char *const *)batch->items,
                                   batch->count,
                                   stimuli->checks,
                                   stimuli->n_checks,
                                   NULL,
                                   0};
    const char **cards = list_cards(stimuli, study, &items.n_cards);
    items.cards = cards;
    enum sl_status status = sl_trials_make(study, &items, session->seed, out, err);
    free(cards);
    return status;
}

const struct sl_stimulus *sl_stimuli_exercise(const struct sl_stimuli *stimuli,
                                              const struct sl_study *study, uint64_t seed,
                                              size_t index)
{
    const size_t count = stimuli->n_exercises, round = index / study->training_trials;
    size_t *order = sl_alloc(count, sizeof *order);
    struct sl_rng rng;
    sl_rng_init(&rng, seed, "study.training", round, 0);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    sl_rng_shuffle(&rng, order, count);
    const char *id = stimuli->exercises[order[index % study->training_trials]];
    free(order);
    return sl_stimulus_find(stimuli, id);
}

/* Marks the stimuli among the trials: `count` flags, owned by the caller. */
static bool *mark_shown(const struct sl_stimuli *stimuli, const struct sl_trials *trials)
{
    bool *shown = sl_alloc(stimuli->count, sizeof *shown);
    for (size_t t = 0; t < trials->count; t++) {
        const char *id = trials->trials[t].item;
        uint32_t number = sl_name_table_find(stimuli->by_id, id, strlen(id));
        if (number != SL_NO_NAME) shown[number] = true;
    }
    return shown;
}

const struct sl_stimulus *sl_stimuli_practice(const struct sl_stimuli *stimuli,
                                              const struct sl_trials *trials, uint64_t seed)
{
    const struct sl_stimulus *found = NULL;
    bool *shown = mark_shown(stimuli, trials);
    struct sl_rng rng;
    sl_rng_init(&rng, seed, "study.practice", 0, 0);
    size_t start = (size_t)sl_rng_below(&rng, stimuli->count);
    for (size_t i = 0; i < stimuli->count; i++) {
        const struct sl_stimulus *one = &stimuli->items[(start + i) % stimuli->count];
        const bool obvious = one->role == SL_STIMULUS_OBVIOUS;
        if (shown[(start + i) % stimuli->count] || one->role > SL_STIMULUS_OBVIOUS) continue;
        if (!found || obvious) found = one;
        if (obvious) break;
    }
    free(shown);
    return found;
}

enum sl_status sl_stimuli_has_practice(struct sl_stimuli *stimuli, const struct sl_study *study,
                                       struct sl_store *store, size_t batch, bool *out,
                                       struct sl_error *err)
{
    const struct sl_store_session any = {.batch = batch};
    struct sl_trials trials = {0};
    SL_TRY(read_batch(stimuli, store, batch, err));
    struct sl_stimuli_batch *about = &stimuli->batches[batch];
    if (about->practice == SL_PRACTICE_UNKNOWN) {
        /* The order depends on the seed, but the number of stimuli shown does not. */
        SL_TRY(sl_stimuli_trials(stimuli, study, store, &any, &trials, err));
        about->practice =
            sl_stimuli_practice(stimuli, &trials, 0) ? SL_PRACTICE_THERE : SL_PRACTICE_NONE;
        sl_trials_release(&trials);
    }
    *out = about->practice == SL_PRACTICE_THERE;
    return SL_OK;
}

struct practice_walk {
    struct sl_stimuli *stimuli;
    const struct sl_study *study;
    struct sl_store *store;
    size_t without;
    struct sl_error *err;
};

static enum sl_status look_at_batch(const struct sl_store_batch_row *row, void *context)
{
    struct practice_walk *walk = context;
    bool there = false;
    SL_TRY(sl_stimuli_has_practice(walk->stimuli, walk->study, walk->store, row->batch, &there,
                                   walk->err));
    walk->without += !there;
    return SL_OK;
}

enum sl_status sl_stimuli_without_practice(struct sl_stimuli *stimuli, const struct sl_study *study,
                                           struct sl_store *store, size_t *out,
                                           struct sl_error *err)
{
    struct practice_walk walk = {stimuli, study, store, 0, err};
    SL_TRY(sl_store_each_batch(store, look_at_batch, &walk, err));
    *out = walk.without;
    return SL_OK;
}
