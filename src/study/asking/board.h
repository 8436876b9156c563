/* The board of a study: what its answers say at a moment, and what to ask next. A board follows
 * from the answers and its moment alone, so it can be made again later. Private to study/. */
#ifndef SOFTLAB_STUDY_ASKING_BOARD_H
#define SOFTLAB_STUDY_ASKING_BOARD_H

#include "softlab/ask.h"
#include "study/asking/ledger.h"

/* What was known. Sessions are ascending by id. */
struct sl_asking_moment {
    int64_t last_answer; /* answers with this id and lower ones */
    int64_t *live;       /* owned; sessions that were asked and may still answer */
    size_t n_live;
    int64_t *gone; /* owned; sessions with answers that do not count */
    size_t n_gone;
    size_t n_finished; /* sessions that cost money, beside the live ones */
};
void sl_asking_moment_release(struct sl_asking_moment *moment);
/* Whether answers of this session (NULL: it was removed) do not count any more. */
bool sl_asking_is_gone(const struct sl_asking_log_session *session);
/* The moment of the ledger's last update. */
enum sl_status sl_asking_moment_now(const struct sl_asking_log *ledger, int64_t now,
                                    struct sl_asking_moment *out, struct sl_error *err) SL_MUST_USE;

/* The rule and the limits of study.json, which may change while there are answers. */
struct sl_asking_terms {
    struct sl_study_adaptive adaptive;
    size_t batch_size;
    double cost;          /* of a session */
    double trial_seconds; /* expected of an answer before there is one */
};
struct sl_asking_terms sl_asking_terms_of(const struct sl_study *study);

struct sl_asking_board {
    struct sl_asking_moment moment;
    struct sl_asking_terms terms;
    struct sl_ask_fit *fit;   /* owned */
    struct sl_ask_board *ask; /* owned */
    size_t n_answers;         /* that count */
    size_t n_pending;
    double seconds;       /* that they took */
    double *item_seconds; /* owned; the same for each item */
    double mean_risk;     /* of the items, without pending answers */
    size_t fit_answers;   /* of these, the fit has seen the first so many, */
    int64_t fit_last;     /* up to this id; 0: none */
    uint32_t fit_sum;     /* checksum of what it has seen */
    size_t turns;         /* decisions that were made on it */
};

/* A fit is made from the first n answers, where n is the largest of 32, 39, 47, ... (each a fifth
 * more than the one before) that is not above the number of answers. So a server that starts again
 * makes the same fit. The board shares the fit of `before` (NULL: none) if that is still right, and
 * then replaces it with sl_asking_board_replace. Takes the moment, also on failure. */
enum sl_status
sl_asking_board_create(const struct sl_asking_log *ledger, const struct sl_asking_terms *terms,
                       struct sl_asking_moment *moment, const struct sl_asking_board *before,
                       struct sl_asking_board **out, struct sl_error *err) SL_MUST_USE;
void sl_asking_board_destroy(struct sl_asking_board *board);
/* Destroy *board and put `by` (taken) in its place. */
void sl_asking_board_replace(struct sl_asking_board **board, struct sl_asking_board *by);
/* One more live session, which has not answered: all items of its batch are pending. */
void sl_asking_board_add_live(struct sl_asking_board *board, int64_t session, const uint32_t *items,
                              size_t n_items);
/* {"board": name, "answers": ..., "last_answer": ..., "live": [...], ...}: a new object from which
 * the board can be made again. `shared`: several servers may store answers at the same time. */
json_t *sl_asking_board_json(const struct sl_asking_board *board, const char *name, bool shared);
/* The moment and the terms of such an object. SL_ERR_INPUT if it lacks something. */
enum sl_status sl_asking_board_parse(const json_t *object, struct sl_asking_moment *moment,
                                     struct sl_asking_terms *terms,
                                     struct sl_error *err) SL_MUST_USE;

/* ---- Decisions ---- */

/* Why nobody new is asked; SL_ASKING_OPEN: people are asked. */
enum sl_asking_end {
    SL_ASKING_OPEN,
    SL_ASKING_ANSWERS, /* the budgets */
    SL_ASKING_SECONDS,
    SL_ASKING_MONEY,
    SL_ASKING_TARGET, /* the mean risk */
    SL_ASKING_ITEMS,  /* no item is open */
    SL_ASKING_ENDS
};
/* "open", "answers", "seconds", "money", "target", "items". */
extern const char *const sl_asking_end_names[SL_ASKING_ENDS];
/* How many items the next person may get by budgets and target: batch.size, or fewer, or 0. */
size_t sl_asking_allowance(const struct sl_asking_board *board, enum sl_asking_end *why);
/* Items for one person, in the order of urgency; `seen` (n_items) marks those that the person has
 * seen. Returns their number, at most batch.size. Changes nothing. */
size_t sl_asking_choose(const struct sl_asking_board *board, const bool *seen, uint32_t *out);
/* {"board": name, "turn": n, "way": ..., "items": [...]}: a new object. */
json_t *sl_asking_decision_json(const struct sl_asking_log *ledger,
                                const struct sl_asking_board *board, const char *name,
                                const uint32_t *items, size_t n_items);
/* The session was made: it is live, and its items are pending. */
void sl_asking_decided(struct sl_asking_board *board, int64_t session, const uint32_t *items,
                       size_t n_items);

#endif
