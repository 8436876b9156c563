#include "study/simulate/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

void sl_replay_order(uint64_t seed, const char *item, size_t count, size_t *out)
{
    struct sl_rng rng;
    sl_rng_init(&rng, seed, "replay", 0, sl_sim_text_number(item));
    sl_rng_permutation(&rng, out, count);
}

size_t sl_replay_part(size_t count, double share)
{
    /* .1 * 10 may be a little more than 1. */
    const double part = ceil(share * (double)count - 1e-9);
    return part < (double)count ? (size_t)part : count;
}

void sl_replay_destroy(struct sl_replay *replay)
{
    if (!replay) return;
    sl_answers_destroy(replay->recorded);
    free(replay->items);
    free(replay->item_of);
    free(replay->order);
    free(replay->state);
    free(replay);
}

void sl_replay_get(const struct sl_replay *replay, size_t position, struct sl_answer *out)
{
    sl_answers_get(replay->recorded, replay->order[position], out);
}

/* ---- Taking turns ---- */

enum sl_replay_taken sl_replay_take(struct sl_replay *replay, uint32_t sight,
                                    struct sl_replay_turn *out)
{
    const uint32_t number = sight < replay->n_sights ? replay->item_of[sight] : SL_NO_NAME;
    if (number == SL_NO_NAME) return SL_REPLAY_OTHER;
    if (replay->spent || replay->n_taken >= replay->budget) return SL_REPLAY_OVER;
    struct sl_replay_item *item = &replay->items[number];
    const size_t end = item->begin + item->n_open;
    size_t position = item->begin;
    while (position < end && replay->state[position] != SL_REPLAY_FREE)
        position++;
    if (position == end) {
        item->asked_in_vain = true;
        return SL_REPLAY_RAN_OUT;
    }
    struct sl_answer answer;
    sl_replay_get(replay, position, &answer);
    if (isfinite(replay->budget_ms) && !(replay->ms + answer.ms <= replay->budget_ms)) {
        replay->spent = true;
        return SL_REPLAY_OVER;
    }
    replay->state[position] = SL_REPLAY_SENT;
    replay->n_taken++;
    replay->ms += isnan(answer.ms) ? 0 : answer.ms;
    *out = (struct sl_replay_turn){position, replay->recorded->classes[answer.top[0].class_index],
                                   answer.ms};
    return SL_REPLAY_TAKEN;
}

void sl_replay_given(struct sl_replay *replay, const struct sl_replay_turn *turn)
{
    replay->state[turn->position] = SL_REPLAY_SAVED;
}

void sl_replay_put_back(struct sl_replay *replay, const struct sl_replay_turn *turn)
{
    replay->state[turn->position] = SL_REPLAY_FREE;
    replay->n_taken--;
    replay->ms -= isnan(turn->ms) ? 0 : turn->ms;
}

bool sl_replay_is_over(const struct sl_replay *replay)
{
    return replay->spent || replay->n_taken >= replay->budget || replay->n_taken == replay->n_open;
}

/* ---- What was given ---- */

static const char *const end_texts[SL_REPLAY_ENDS] = {
    [SL_REPLAY_BUDGET] = "the budget is spent",
    [SL_REPLAY_EXHAUSTED] = "every recorded answer was given",
    [SL_REPLAY_ANNOTATORS] = "all annotators have left",
};

const char *sl_replay_end_text(enum sl_replay_end end)
{
    return end_texts[end];
}

static void name_item(const struct sl_replay_item *item, struct sl_replay_result *out)
{
    const size_t used = strlen(out->ran_out);
    if (out->n_ran_out++ >= SL_REPLAY_NAMED) return;
    snprintf(out->ran_out + used, sizeof out->ran_out - used, "%s%.40s", used ? ", " : "",
             item->name);
}

void sl_replay_sum(const struct sl_replay *replay, struct sl_replay_result *out)
{
    *out = (struct sl_replay_result){.recorded = replay->n_open};
    for (size_t i = 0; i < replay->n_items; i++) {
        const struct sl_replay_item *item = &replay->items[i];
        if (item->asked_in_vain) name_item(item, out);
        for (size_t k = item->begin; k < item->begin + item->n_open; k++) {
            struct sl_answer answer;
            if (replay->state[k] != SL_REPLAY_SAVED) continue;
            sl_replay_get(replay, k, &answer);
            out->given++;
            out->seconds += answer.ms / 1000;
        }
    }
    out->end = replay->spent || out->given >= replay->budget ? SL_REPLAY_BUDGET
               : out->given == replay->n_open                ? SL_REPLAY_EXHAUSTED
                                                             : SL_REPLAY_ANNOTATORS;
}

static uint32_t class_of_study(const struct sl_replay *replay, uint32_t recorded)
{
    uint32_t k = 0;
    while (strcmp(replay->study->classes[k], replay->recorded->classes[recorded]) != 0)
        k++; /* sl_replay_create found every class in the study */
    return k;
}

/* The list of classes is the study's, so that files of different parts can be compared. */
static enum sl_status save_answer(const struct sl_replay *replay, size_t position,
                                  const struct sl_answer_sink *sink, struct sl_error *err)
{
    struct sl_answer recorded, answer = sl_answer_empty();
    sl_replay_get(replay, position, &recorded);
    const struct sl_belief chosen = {class_of_study(replay, recorded.top[0].class_index),
                                     recorded.top[0].probability};
    answer.item = recorded.item;
    answer.annotator = recorded.annotator;
    answer.kind = SL_ANSWER_HARD;
    answer.n_top = 1;
    answer.top = &chosen;
    answer.ms = recorded.ms;
    return sink->put(sink->context, &answer, err);
}

enum sl_status sl_replay_save(const struct sl_replay *replay, const char *path,
                              bool (*wanted)(const struct sl_replay *replay,
                                             const struct sl_replay_item *item, size_t position),
                              struct sl_error *err)
{
    struct sl_answer_writer *writer = NULL;
    SL_TRY(sl_answer_writer_create(path, &writer, err));
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    enum sl_status status;
    SL_TRY_OUT(sink.begin(sink.context, (const char *const *)replay->study->classes,
                          replay->study->n_classes, err));
    for (size_t i = 0; i < replay->n_items; i++)
        for (size_t k = replay->items[i].begin; k < replay->items[i].end; k++)
            if (wanted(replay, &replay->items[i], k))
                SL_TRY_OUT(save_answer(replay, k, &sink, err));
    SL_TRY_OUT(sl_answer_writer_commit(writer, err));
out:
    sl_answer_writer_destroy(writer);
    return status;
}

static bool was_given(const struct sl_replay *replay, const struct sl_replay_item *item,
                      size_t position)
{
    (void)item;
    return replay->state[position] == SL_REPLAY_SAVED;
}

enum sl_status sl_replay_write(const struct sl_replay *replay, const char *path,
                               struct sl_error *err)
{
    return sl_replay_save(replay, path, was_given, err);
}
