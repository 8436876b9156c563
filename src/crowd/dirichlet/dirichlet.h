/* Private to crowd/dirichlet/: pieces of the model that fitting and looking share. */
#ifndef SOFTLAB_CROWD_DIRICHLET_INTERNAL_H
#define SOFTLAB_CROWD_DIRICHLET_INTERNAL_H

#include "softlab/crowd/dirichlet.h"

/* Where a level begins, and what its priors pull it to. */
struct sl_dirichlet_level {
    double spread, concentration;
};
extern const struct sl_dirichlet_level sl_dirichlet_start[SL_DIRICHLET_LEVELS];

/* Make a model of the same classes equal to another one. */
void sl_dirichlet_assign(struct sl_dirichlet *to, const struct sl_dirichlet *from);
/* Set alpha from the levels and profiles. */
void sl_dirichlet_use_levels(struct sl_dirichlet *model);
/* The bin of a classifier's confidence. */
size_t sl_dirichlet_bin(const struct sl_dirichlet *model, const float *prediction);
/* Shares of the classes (K) that follow from a classifier's probabilities. */
void sl_dirichlet_believe(const float *prediction, size_t n_classes, double sharpness, double *out);
/* weight ~ prior exp(score), of sum 1, only the components of a known class. Returns the logarithm
 * of the sum. */
double sl_dirichlet_weigh(const double *restrict score, const double *restrict prior,
                          size_t n_components, int32_t gold, double *restrict weight);
/* The label that follows from the weights. */
void sl_dirichlet_label(struct sl_dirichlet_view *view);

#endif
