/* Measures of votes: how much annotators agree, and how sure their votes are. Pure functions over
 * votes; formulas in docs/internals/quality.md.
 *
 * A skill is the probability of saying the true class; mistakes are spread evenly over the other
 * classes. Skills are between 0 and 1, one for each annotator; NULL: everybody has 1. An answer
 * whose annotator is unknown is SL_ERR_INPUT where skills or figures by annotator are asked for. */
#ifndef SOFTLAB_ANSWER_MEASURES_H
#define SOFTLAB_ANSWER_MEASURES_H

#include "softlab/answer.h"
#include "softlab/base/stats.h"

SL_BEGIN_DECLS

/* What a figure belongs to. */
enum sl_votes_of { SL_OF_ITEMS, SL_OF_ANNOTATORS };

/* A figure for each item or annotator, NaN without answers, and their mean over those that have
 * one; NaN if none has. */
struct sl_votes_figures {
    size_t count;
    double *values; /* owned */
    double mean;
};
void sl_votes_figures_release(struct sl_votes_figures *figures);

/* Krippendorff's alpha of nominal data, over the items with two or more answers; NaN if there are
 * none or only one class was named. */
enum sl_status sl_votes_alpha(const struct sl_votes *votes, double *out,
                              struct sl_error *err) SL_MUST_USE;

/* The same with its bootstrap interval over items; above 2,000 items, or fewer if there are many
 * classes, over groups of items. Answers of annotators in `without` (n_annotators, or NULL) do not
 * count; those of unknown annotators do. The ends are NaN where the estimate is. */
enum sl_status sl_votes_alpha_interval(const struct sl_votes *votes, const bool *without,
                                       const struct sl_bootstrap_options *bootstrap,
                                       struct sl_interval *out, struct sl_error *err) SL_MUST_USE;

/* The entropy (in nats) of the classes that the answers make likely: each answer adds its
 * annotator's skill to the class it names and shares the rest of 1 among the others. */
enum sl_status sl_votes_uncertainty(const struct sl_votes *votes, const double *skill,
                                    enum sl_votes_of of, struct sl_votes_figures *out,
                                    struct sl_error *err) SL_MUST_USE;

/* The probability of chosen[item] given the answers, under these skills and equally likely classes;
 * 0 where the answers exclude every class. */
enum sl_status sl_votes_consistency(const struct sl_votes *votes, const double *skill,
                                    const uint32_t *chosen, struct sl_votes_figures *out,
                                    struct sl_error *err) SL_MUST_USE;

/* The share of answers that name the chosen class, by item or by annotator. Items of which no class
 * is chosen (SL_NO_NAME) do not count. `all`, if not NULL, gets the share of all answers. */
enum sl_status sl_votes_accuracy(const struct sl_votes *votes, const uint32_t *chosen,
                                 enum sl_votes_of of, struct sl_votes_figures *out, double *all,
                                 struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
