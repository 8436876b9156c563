/* CIFAR-10S as distributions of known annotators, and CIFAR-10H of the same images beside it. */
#ifndef SOFTLAB_BENCH_SOFT_STUDY_H
#define SOFTLAB_BENCH_SOFT_STUDY_H

#include "softlab/crowd.h"

enum { SOFT_CLASSES = 10 };

struct soft_study {
    size_t n_items, n_annotators, count;
    uint32_t *item, *annotator; /* owned; count */
    float *rows;                /* owned; (count, K): t2-clamp with gamma .1 */
    float *reference;           /* owned; (n_items, K): counts / sum of CIFAR-10H */
    uint32_t *image;            /* owned; n_items: place in CIFAR-10's test set */
};

/* Reads cifar10s/raw_human_data.csv and cifar10h/cifar10h-counts.npy below `folder`. Repeats and
 * second runs are left out; the two changes the authors made by hand are made ("8p" is 80, a
 * most probable class of 0 % is 100 %). */
enum sl_status soft_study_load(const char *folder, struct soft_study *out,
                               struct sl_error *err) SL_MUST_USE;
void soft_study_release(struct soft_study *study);

/* `n_drawn` answers per item without replacement, all where there are fewer. The arrays of the
 * votes are owned by the draw. */
struct soft_draw {
    struct sl_soft_votes votes;
    size_t *begin;
    uint32_t *annotator;
    float *rows;
};
void soft_study_draw(const struct soft_study *study, size_t n_drawn, uint64_t seed,
                     struct soft_draw *out);
void soft_draw_release(struct soft_draw *draw);

#endif
