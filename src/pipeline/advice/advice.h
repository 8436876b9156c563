/* Private to pipeline/advice/: the parts of an advice, in the order in which they are measured. */
#ifndef SOFTLAB_PIPELINE_ADVICE_INTERNAL_H
#define SOFTLAB_PIPELINE_ADVICE_INTERNAL_H

#include "pipeline/soft_answers.h"
#include "softlab/answer/quality.h"
#include "softlab/answer/suspicion.h"
#include "softlab/pipeline/advice.h"

/* The variation V from which choosing items pays. */
#define SL_ADVICE_PAYS .2

/* What all parts read. */
struct sl_advice_input {
    const struct sl_answers *answers; /* borrowed */
    struct sl_votes *votes;           /* owned; the first choice of every answer */
    struct sl_soft_answers soft;      /* owned; of answers that state distributions */
    struct sl_crowd_answers crowd;    /* the votes, or the stated distributions */
    const char *row_method;           /* static; how an answer became a distribution, or NULL */
    struct sl_quality quality;        /* owned */
    struct sl_suspicions suspicions;  /* owned */
    struct sl_pool *pool;             /* borrowed */
};
enum sl_status sl_advice_input_init(struct sl_advice_input *input,
                                    const struct sl_workplace *workplace,
                                    const struct sl_advice *advice,
                                    struct sl_error *err) SL_MUST_USE;
void sl_advice_input_release(struct sl_advice_input *input);

/* Each fills one part of the advice from the input and from earlier parts. */
typedef enum sl_status sl_advice_part(const struct sl_advice_input *input, struct sl_advice *advice,
                                      struct sl_error *err);
sl_advice_part sl_advice_measure_crowd;
sl_advice_part sl_advice_fit_model;
sl_advice_part sl_advice_judge_people;
sl_advice_part sl_advice_compare_methods;
sl_advice_part sl_advice_choose_items;
sl_advice_part sl_advice_plan_next;

struct sl_bootstrap_options sl_advice_bootstrap(const struct sl_advise_job *job);

/* model.c: put the answers to an item into a view of the model, each times the trust in its
 * annotator, and look. */
void sl_advice_look(const struct sl_advice_input *input, const struct sl_crowd_state *state,
                    size_t item, struct sl_dirichlet_view *view);

/* items.c: what is to be said about one item. `view` may be NULL if there is no model. */
struct sl_advice_item sl_advice_describe(const struct sl_advice_input *input,
                                         const struct sl_advice *advice,
                                         struct sl_dirichlet_view *view, size_t item);
/* The at most `most` items of the greatest keys, the greatest first, without those of key NaN; the
 * caller frees *out. */
enum sl_status sl_advice_greatest(const double *keys, size_t n_items, size_t most, uint32_t **out,
                                  size_t *count, struct sl_error *err) SL_MUST_USE;

/* plan.c: how many answers to ask for about which item. */
struct sl_advice_plan {
    uint32_t *answers; /* owned; n_items */
    double drop;       /* of the sum of all risks, expected */
    double equal_drop; /* the same if all items get equally many */
};
enum sl_status sl_advice_plan_init(struct sl_advice_plan *plan, const struct sl_advice_input *input,
                                   const struct sl_crowd_state *state, size_t n_answers,
                                   struct sl_error *err) SL_MUST_USE;
void sl_advice_plan_release(struct sl_advice_plan *plan);

/* words_*.c: one paragraph each. */
typedef void sl_advice_words(const struct sl_advice *advice, struct sl_buffer *out);
sl_advice_words sl_advice_say_crowd, sl_advice_say_people, sl_advice_say_methods,
    sl_advice_say_items, sl_advice_say_next;
/* "1,234 items" */
void sl_advice_say_count(struct sl_buffer *out, uint64_t count, const char *one, const char *many);
/* "0.84 (95 % interval 0.82 to 0.86)", with the digits that the width of the interval supports. */
void sl_advice_say_interval(struct sl_buffer *out, const struct sl_interval *interval);
const char *sl_advice_item_name(const struct sl_advice *advice, uint32_t item);
const char *sl_advice_person_name(const struct sl_advice *advice, uint32_t annotator);

#endif
