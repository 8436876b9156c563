/* Public sets of crowd answers with the truth, as votes. */
#ifndef SOFTLAB_BENCH_CROWD_SETS_H
#define SOFTLAB_BENCH_CROWD_SETS_H

#include "softlab/crowd.h"

struct crowd_set {
    const char *name;
    const char *answers, *truth; /* below the data folder */
    enum sl_status (*load)(const struct crowd_set *set, const char *folder, struct sl_votes *votes,
                           int32_t **truth, struct sl_error *err);
    /* Published, or computed with another program; 0 = not known. Majority votes differ by what
     * ties are given: equal parts (or the mean of random winners), or the first class. */
    double mv, mv_first, ds, ibcc;
};
extern const struct crowd_set crowd_sets[]; /* ends with a NULL name */

/* The row of a set; NULL if there is none of that name. */
const struct crowd_set *crowd_set_find(const char *name);
/* Read a set; release with crowd_set_release. `truth` holds a class or -1 per item. Answers of
 * nobody known have SL_NO_NAME, and the set then has no annotators. */
enum sl_status crowd_set_load(const struct crowd_set *set, const char *folder,
                              struct sl_votes *votes, int32_t **truth,
                              struct sl_error *err) SL_MUST_USE;
void crowd_set_release(struct sl_votes *votes, int32_t *truth);

/* 1 if the most probable class of an item is the truth; 1/n if it is one of n tied classes. */
double crowd_item_right(const struct sl_crowd_state *state, size_t item, int32_t truth);
/* The mean of that over the items with a known truth. */
double crowd_accuracy(const struct sl_crowd_state *state, const int32_t *truth);

#endif
