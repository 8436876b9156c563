/* Confusion matrices of many classes, most of whose cells nobody touched: an empty cell has its
 * prior's count, so its score is known from the sum of its row. What is kept:
 *
 * 1. Per item the mass of every class in units, and up to SL_SPARSE_LISTED classes with mass.
 * 2. Per annotator and true class the score of the row's sum.
 * 3. Scores of what an annotator said about several items, one "entry" for each class that was
 *    said. An entry with one answer has the counts of its item, so nothing is stored for it.
 *
 * Every score is rounded and added as in the dense form, so the posteriors are the same to the
 * bit. Counts are sums of integers over the answers of one annotator, whoever adds them. */
#ifndef SOFTLAB_CROWD_CONFUSION_SPARSE_H
#define SOFTLAB_CROWD_CONFUSION_SPARSE_H

#include "crowd/confusion.h"

struct sl_sparse;

/* Borrows everything. */
enum sl_status sl_sparse_create(const struct sl_confusion_prior *prior,
                                const struct sl_votes *votes, struct sl_pool *pool,
                                struct sl_sparse **out, struct sl_error *err) SL_MUST_USE;
void sl_sparse_destroy(struct sl_sparse *sparse);

/* Whether this form is faster and smaller for these votes than the dense one. */
bool sl_sparse_pays(const struct sl_votes *votes);

/* Replace an item's mass, K units. */
void sl_sparse_keep(struct sl_sparse *sparse, size_t item, const int64_t *mass);

/* Scores from the mass of all items. `*penalty` gets the prior's part of the objective without the
 * entries of one answer, which sl_sparse_score returns. SL_ERR_NOMEM if the entries do not fit. */
enum sl_status sl_sparse_update(struct sl_sparse *sparse, double *penalty,
                                struct sl_error *err) SL_MUST_USE;
/* Add the scores of an item's answers to `scores`, K numbers. */
double sl_sparse_score(struct sl_sparse *sparse, size_t item, size_t worker, double *scores);

/* Fill the annotators' skills and, unless NULL, their confusion matrices, from the mass of all
 * items. */
void sl_sparse_report(struct sl_sparse *sparse, const double *class_prior, double *skill,
                      float *confusion);

#endif
