/* Deferral: the items of which a classifier is least certain go to people, who decide by majority
 * vote; the classifier decides the rest. What accuracy that has and how many answers it costs, for
 * every share of the items. docs/internals/eval.md has the formulas. */
#ifndef SOFTLAB_EVAL_DEFER_H
#define SOFTLAB_EVAL_DEFER_H

#include "softlab/eval.h"

SL_BEGIN_DECLS

/* The most people who vote on an item, and the most points of a curve. */
enum { SL_MOST_PEOPLE = 99, SL_DEFER_POINTS = 101 };

/* The probability that `n_people` answers, drawn from counts[n_classes] without replacement, elect
 * `class_index` by majority vote; classes with equally many votes are equally likely to be elected.
 * Exact for any counts: no draws are made. NaN if there are fewer answers than people.
 * 1 <= n_people <= SL_MOST_PEOPLE. */
double sl_vote_chance(const uint32_t *counts, size_t n_classes, size_t class_index,
                      size_t n_people);

/* Ways to say how certain a classifier is of an item; a larger value is more certain. */
struct sl_certainty {
    const char *name;
    const char *summary;
    double (*value)(const struct sl_scored *scored, size_t row);
};
extern const struct sl_certainty sl_certainties[]; /* ends with a NULL name */

/* People's recorded answers, row by row as in a struct sl_scored. */
struct sl_recorded {
    size_t n, n_classes;
    uint32_t *counts; /* owned; (n, n_classes) */
    double *seconds;  /* owned; (n) mean time of an answer to the item; NULL: not known */
};
enum sl_status sl_recorded_create(size_t n, size_t n_classes, struct sl_recorded **out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_recorded_destroy(struct sl_recorded *recorded);

struct sl_defer_options {
    size_t n_people;               /* who answer each item that is sent */
    const struct sl_certainty *by; /* NULL: the first of the table */
    double seconds_per_answer;     /* 0: the times of the answers, if they have any */
    struct sl_bootstrap_options bootstrap;
    struct sl_pool *pool; /* borrowed; shares the resamples; or NULL */
};

/* One share of the items. Intervals are those of a bootstrap over items. */
struct sl_defer_point {
    size_t n_sent;               /* the least certain items */
    double share;                /* n_sent of all items */
    double answers;              /* per item of the whole set */
    double seconds;              /* of annotators' time per item of the whole set; NaN: not known */
    struct sl_interval accuracy; /* expected share of right decisions */
    struct sl_interval gain;     /* over the classifier alone */
    struct sl_interval gain_per_answer; /* NaN if nobody is asked */
    struct sl_interval short_of_people; /* the accuracy of sending everything, less this one */
};

/* The shares from 0 to 1 in steps of 1 %, or of one item if there are fewer than 100. */
struct sl_defer_curve {
    size_t n_people;
    const struct sl_certainty *by;
    size_t n_short; /* items with fewer answers than people: the classifier keeps them when sent */
    size_t n_points;
    struct sl_defer_point *points; /* owned; the first sends nothing, the last everything */
    /* Indices of points; intervals hold for one point at a time. */
    size_t better;    /* the first whose gain is above 0 with its whole interval; SIZE_MAX: none */
    size_t as_people; /* the first that is not significantly less accurate than the last */
    size_t best;      /* the first with the highest accuracy */
};

/* The curve of a classifier whose true classes are scored->hard, or else people's first choices,
 * which must then not come from the recorded answers: the caller sees to it. Items are sent in
 * ascending certainty, equally certain ones in the order of rows. An item with fewer answers than
 * people stays with the classifier and costs nothing. SL_ERR_INPUT if no item has enough answers;
 * SL_ERR_USAGE for a number of people out of range. */
enum sl_status sl_defer(const struct sl_scored *scored, const struct sl_recorded *recorded,
                        const struct sl_defer_options *options, struct sl_defer_curve *out,
                        struct sl_error *err) SL_MUST_USE;
void sl_defer_curve_release(struct sl_defer_curve *curve);

SL_END_DECLS

#endif
