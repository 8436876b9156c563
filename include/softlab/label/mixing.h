/* Mixing: what people see in mixed images (thesis chapters 4 and 5, appendix C): inferred shares
 * compared with the mixed ones, soft labels of mixed images, and mixing functions fitted to class
 * pairs. */
#ifndef SOFTLAB_LABEL_MIXING_H
#define SOFTLAB_LABEL_MIXING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/answer.h"
#include "softlab/base/error.h"
#include "softlab/base/json.h"
#include "softlab/base/names.h"
#include "softlab/base/rows.h"
#include "softlab/base/stats.h"

SL_BEGIN_DECLS

/* The parts of "mixed_<share of A>_<A>_<id of A>_<B>_<id of B>.png"; class names without '_'. */
struct sl_mixed_name {
    double lambda;
    struct sl_field class_a, item_a, class_b, item_b;
};
bool sl_mixed_name_parse(const char *text, size_t length, struct sl_mixed_name *out);

enum { SL_MIX_BINS = 10 };

/* Answers about one group of mixed images. */
struct sl_mix_group {
    double generated; /* share of the first class that was mixed; NaN in groups over several */
    uint32_t a, b;    /* class pair; SL_NO_NAME in groups over several */
    size_t n_answers;
    double median, mean;    /* of the inferred share */
    double lower, upper;    /* its quartiles */
    double mean_confidence; /* over answers that state one; NaN without */
    double mean_error;      /* mean |inferred - generated| */
    /* intervals of these four for other images and annotators; NaN ends unless options.bootstrap is
     * set */
    struct sl_interval median_interval, mean_interval, confidence_interval, error_interval;
    /* answers by inferred share and by confidence, in tenths; 1 is in the last */
    size_t inferred_counts[SL_MIX_BINS], confidence_counts[SL_MIX_BINS];
};

struct sl_mix_options {
    unsigned keep;                         /* as in struct sl_label_options */
    const struct sl_name_table *only;      /* items to use, or NULL: all */
    const struct sl_rows *endpoint_labels; /* or NULL; matched by the ids in item names */
    double high, low;                      /* both endpoints' entropies >= .5, or <= .1 */
    /* or NULL; for intervals of the groups by share and by entropy, resampling items and
     * annotators */
    const struct sl_bootstrap_options *bootstrap;
};
struct sl_mix_options sl_mix_options_default(void);

struct sl_mix_summary {
    size_t n_answers, n_items, n_annotators;
    double r;                      /* Pearson of inferred and generated over answers */
    struct sl_mix_group *by_share; /* owned; ascending shares */
    size_t n_by_share;
    struct sl_mix_group *by_pair; /* owned; by unordered class pair, the lower index first:
                                     shares are those of the first */
    size_t n_by_pair;
    struct sl_mix_group *by_pair_share; /* owned; by pair, then by share */
    size_t n_by_pair_share;
    struct sl_mix_group high, low; /* by endpoint entropy; empty without endpoint labels */
};
/* It is an error if an answer does not state what was mixed, or if there are no answers. */
enum sl_status sl_mix_summarise(const struct sl_answers *answers,
                                const struct sl_mix_options *options, struct sl_mix_summary *out,
                                struct sl_error *err) SL_MUST_USE;
void sl_mix_summary_release(struct sl_mix_summary *summary);

/* Soft labels over mixed images against the shares in their names: Pearson r over both endpoints
 * of every row, and the mean mass on other classes. `rows` names its items and classes. */
struct sl_mixed_agreement {
    size_t n_rows;
    double r;
    double off_endpoints;
    struct sl_interval off_interval; /* of that mean, for other images */
};
enum sl_status sl_mixed_labels_measure(const struct sl_rows *rows, struct sl_mixed_agreement *out,
                                       struct sl_error *err) SL_MUST_USE;

/* Class-pair mixing functions: tau(l) = 1 / (1 + exp(-k (l - x0))) for each unordered pair of
 * classes, l the share of the class whose name sorts first. */
struct sl_mixing_pair {
    bool fitted; /* otherwise the identity */
    struct sl_logistic curve;
    size_t n_answers;
};
struct sl_mixing_functions {
    size_t n_classes;
    char **classes;               /* owned */
    struct sl_mixing_pair *pairs; /* owned; (n_classes, n_classes), used where row sorts first */
};
enum sl_status sl_mixing_fit(const struct sl_answers *answers, const struct sl_mix_options *options,
                             struct sl_mixing_functions **out, struct sl_error *err) SL_MUST_USE;
/* The same curve for every pair: the control without human data. */
enum sl_status sl_mixing_constant(const char *const *classes, size_t n_classes,
                                  struct sl_logistic curve, struct sl_mixing_functions **out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_mixing_functions_destroy(struct sl_mixing_functions *functions);

/* The share of class i seen when `lambda` of it is mixed with class j. */
double sl_mixing_value(const struct sl_mixing_functions *functions, size_t i, size_t j,
                       double lambda);

/* {"softlab":"mixing","version":1,"classes":[...],"pairs":[{"classes":["cat","dog"],"k":..,"x0":..,
 * "answers":..}]}; the caller owns what to_json gives, NULL if
 * there is no memory for it. */
json_t *sl_mixing_to_json(const struct sl_mixing_functions *functions);
enum sl_status sl_mixing_from_json(const struct sl_json *json, struct sl_mixing_functions **out,
                                   struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
