/* What the server shows: the store's items in memory, with the opaque names that pages use. Private
 * to study/. */
#ifndef SOFTLAB_STUDY_SESSION_STIMULI_H
#define SOFTLAB_STUDY_SESSION_STIMULI_H

#include "softlab/base/names.h"
#include "softlab/study.h"
#include "study/secret.h"

/* The key of the opaque names (sl_secret_key); study init creates it for read-only commands. */
#define SL_STIMULI_KEY "image-key"

/* The purpose of a stimulus. */
enum sl_stimulus_role {
    SL_STIMULUS_ITEM,
    SL_STIMULUS_OBVIOUS, /* an attention check */
    SL_STIMULUS_CARD,    /* an attention check that says which class to choose */
    SL_STIMULUS_EXERCISE,
};

struct sl_stimulus {
    char *id;                    /* owned */
    char *hash;                  /* owned; of the picture's file, or NULL */
    char *truth;                 /* owned; class name, or NULL */
    json_t *content;             /* owned; an object */
    char opaque[SL_OPAQUE_TEXT]; /* the image's name in addresses */
    enum sl_stimulus_role role;
};

struct sl_stimuli {
    struct sl_stimulus *items; /* owned */
    size_t count, capacity;
    struct sl_name_table *by_id, *by_opaque; /* owned; numbered like the items */
    const char **checks;                     /* owned; ids, borrowed from the items */
    size_t n_checks;
    const char **exercises; /* owned; ids, borrowed likewise */
    size_t n_exercises;
    struct sl_stimuli_batch {
        char **items; /* owned */
        size_t count;
        enum { SL_PRACTICE_UNKNOWN, SL_PRACTICE_THERE, SL_PRACTICE_NONE } practice;
    } * batches; /* owned; read when first needed */
    size_t n_batches;
    uint8_t key[SL_STUDY_KEY];
};

/* Read the items; creates the key of the opaque names if the store has none. */
enum sl_status sl_stimuli_read(struct sl_store *store, struct sl_stimuli *out,
                               struct sl_error *err) SL_MUST_USE;
void sl_stimuli_release(struct sl_stimuli *stimuli);
const struct sl_stimulus *sl_stimulus_find(const struct sl_stimuli *stimuli, const char *id);
/* Its number; SIZE_MAX if there is none. */
size_t sl_stimulus_of_opaque(const struct sl_stimuli *stimuli, const char *opaque);
/* Whether the study has checks of a kind: "obvious", "instructed". */
bool sl_study_checks_by(const struct sl_study *study, const char *kind);
/* The id of the card that says to choose a class. A heap string. */
char *sl_stimuli_card_id(const char *class_name) SL_MUST_USE;
/* Add missing cards to the store, one for every class, if the study has instructed checks. */
enum sl_status sl_stimuli_add_cards(const struct sl_study *study, struct sl_store *store,
                                    struct sl_error *err) SL_MUST_USE;
/* The trials of a session. The caller releases them. */
enum sl_status sl_stimuli_trials(struct sl_stimuli *stimuli, const struct sl_study *study,
                                 struct sl_store *store, const struct sl_store_session *session,
                                 struct sl_trials *out, struct sl_error *err) SL_MUST_USE;
/* The session's exercise number `index`, counted over all rounds: every round has its own order.
 * The study has as many exercises as a round needs. */
const struct sl_stimulus *sl_stimuli_exercise(const struct sl_stimuli *stimuli,
                                              const struct sl_study *study, uint64_t seed,
                                              size_t index);
/* The item of the practice trial, which is never one of the trials: an obvious one if one is left,
 * else one of another batch; NULL if the trials show every item of the study. */
const struct sl_stimulus *sl_stimuli_practice(const struct sl_stimuli *stimuli,
                                              const struct sl_trials *trials, uint64_t seed);
/* Whether the sessions of a batch have a practice item; and the number of batches without one. */
enum sl_status sl_stimuli_has_practice(struct sl_stimuli *stimuli, const struct sl_study *study,
                                       struct sl_store *store, size_t batch, bool *out,
                                       struct sl_error *err) SL_MUST_USE;
enum sl_status sl_stimuli_without_practice(struct sl_stimuli *stimuli, const struct sl_study *study,
                                           struct sl_store *store, size_t *out,
                                           struct sl_error *err) SL_MUST_USE;

#endif
