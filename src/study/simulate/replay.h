/* Recorded answers, item by item in the order in which they are given. Private to
 * study/simulate/. */
#ifndef SOFTLAB_STUDY_SIMULATE_REPLAY_H
#define SOFTLAB_STUDY_SIMULATE_REPLAY_H

#include "softlab/answer.h"
#include "study/simulate/simulate.h"

enum sl_replay_state { SL_REPLAY_FREE, SL_REPLAY_SENT, SL_REPLAY_SAVED };

struct sl_replay_item {
    const char *name;  /* borrowed from the world */
    size_t begin, end; /* its answers in `order`; those from `n_open` on are held out */
    size_t n_open;
    bool asked_in_vain; /* it was shown when no answer was left */
};

struct sl_replay {
    const struct sl_study *study; /* borrowed */
    struct sl_answers *recorded;  /* owned */
    struct sl_replay_item *items; /* owned; those of the store that need recorded answers */
    size_t n_items;
    uint32_t *item_of; /* owned; by sight; SL_NO_NAME: a check or an exercise */
    size_t n_sights;
    size_t *order;    /* owned; answers of `recorded`, by position */
    uint8_t *state;   /* owned; enum sl_replay_state, by position */
    size_t n_open;    /* answers that can be given, of all items */
    size_t n_taken;   /* of these: sent or saved */
    double ms;        /* of the taken answers; used with a budget of time, where all have one */
    size_t budget;    /* SIZE_MAX: none */
    double budget_ms; /* INFINITY: none */
    bool spent;       /* an answer did not fit into budget_ms */
};

/* The recorded answer at a position. */
void sl_replay_get(const struct sl_replay *replay, size_t position, struct sl_answer *out);
/* Writes the answers at positions in [begin, end) of every item that are `wanted`. */
enum sl_status sl_replay_save(const struct sl_replay *replay, const char *path,
                              bool (*wanted)(const struct sl_replay *replay,
                                             const struct sl_replay_item *item, size_t position),
                              struct sl_error *err) SL_MUST_USE;

#endif
