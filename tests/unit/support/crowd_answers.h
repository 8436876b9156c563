/* Votes written down in a test: one line per answer, items ascending. */
#ifndef SOFTLAB_TESTS_CROWD_ANSWERS_H
#define SOFTLAB_TESTS_CROWD_ANSWERS_H

#include "support.h"

#include "softlab/crowd.h"

struct answer {
    unsigned item, annotator, label;
};

static inline struct sl_votes votes_of(const struct answer *answers, size_t count, size_t n_items,
                                       size_t n_annotators, size_t n_classes)
{
    struct sl_votes votes = {
        .n_items = n_items, .n_annotators = n_annotators, .n_classes = n_classes, .count = count};
    votes.begin = sl_alloc(n_items + 1, sizeof *votes.begin);
    votes.annotator = sl_alloc(count, sizeof *votes.annotator);
    votes.label = sl_alloc(count, sizeof *votes.label);
    for (size_t j = 0; j < count; j++) {
        votes.begin[answers[j].item + 1]++;
        votes.annotator[j] = answers[j].annotator;
        votes.label[j] = (uint16_t)answers[j].label;
    }
    for (size_t i = 0; i < n_items; i++)
        votes.begin[i + 1] += votes.begin[i];
    return votes;
}
#define VOTES(answers, n_items, n_annotators, n_classes)                                           \
    votes_of(answers, sizeof(answers) / sizeof *(answers), n_items, n_annotators, n_classes)

static inline void votes_free(struct sl_votes *votes)
{
    free(votes->begin);
    free(votes->annotator);
    free(votes->label);
}

/* Annotators of skill .5 to .95 on random items, in a fixed order; the truth in `truth`. */
static inline struct sl_votes votes_random(size_t n_items, size_t n_annotators, size_t n_classes,
                                           size_t per_item, int32_t *truth)
{
    struct answer *answers = sl_alloc(n_items * per_item, sizeof *answers);
    for (size_t i = 0; i < n_items; i++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 5, "test.votes", 0, i);
        truth[i] = (int32_t)sl_rng_below(&rng, n_classes);
        for (size_t j = 0; j < per_item; j++) {
            unsigned annotator = (unsigned)((i + j * 7) % n_annotators);
            double skill = 0.5 + 0.45 * annotator / (double)n_annotators;
            bool right = sl_rng_uniform(&rng) < skill;
            unsigned label = right ? (unsigned)truth[i] : (unsigned)sl_rng_below(&rng, n_classes);
            answers[i * per_item + j] = (struct answer){(unsigned)i, annotator, label};
        }
    }
    struct sl_votes votes = votes_of(answers, n_items * per_item, n_items, n_annotators, n_classes);
    free(answers);
    return votes;
}

/* Run a method by name; the caller releases the state. */
static inline struct sl_crowd_state run_method(const char *name, const struct sl_votes *votes,
                                               const struct sl_crowd_options *options)
{
    struct sl_crowd_state state = {0};
    struct sl_error err;
    assert_ok(sl_aggregate(sl_aggregator_find(name), votes, options, &state, &err), err);
    return state;
}

static inline void assert_trace_rises(const struct sl_crowd_state *state)
{
    assert_non_null(state->trace);
    for (size_t i = 1; i < state->n_iterations; i++)
        assert_true(state->trace[i] >= state->trace[i - 1] - 1e-8 * fabs(state->trace[i]));
}

static inline double accuracy_of(const struct sl_crowd_state *state, const int32_t *truth)
{
    size_t n_right = 0;
    for (size_t i = 0; i < state->n_items; i++) {
        const float *row = state->posterior + i * state->n_classes;
        size_t best = 0;
        for (size_t k = 1; k < state->n_classes; k++)
            if (row[k] > row[best]) best = k;
        n_right += best == (size_t)truth[i];
    }
    return (double)n_right / (double)state->n_items;
}

#endif
