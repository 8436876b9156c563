/* Small networks for tests of what works on any network. */
#ifndef SOFTLAB_TESTS_NN_SAMPLE_GRAPH_H
#define SOFTLAB_TESTS_NN_SAMPLE_GRAPH_H

#include "nn/graph/model.h"

enum { SAMPLE_CLASSES = 5, SAMPLE_CHANNELS = 3, SAMPLE_SIDE = 9 };

/* Every operation of image networks, on 3 x 9 x 9: odd maps, so that pools hang over the edge. */
struct sl_model *sample_image_model(uint64_t seed);

/* Every operation of text networks. */
struct sl_model *sample_text_model(uint64_t seed);

/* Two linear layers on rows of 4 features. */
struct sl_model *sample_feature_model(uint64_t seed);

/* Names for the classes of any of these, with letters that JSON must escape. */
extern char *const sample_class_names[SAMPLE_CLASSES];

/* Means near 0 and variances near 1, as after some training, instead of exactly so. */
void sample_running_statistics(struct sl_model *model, uint64_t seed);

#endif
