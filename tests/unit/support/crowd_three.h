/* Three items and three annotators, for tests of votes that are worked by hand. */
#ifndef SOFTLAB_TESTS_CROWD_THREE_H
#define SOFTLAB_TESTS_CROWD_THREE_H

#include "crowd_scene.h"

/* Item 0: a and b say 0, c says 1. Item 1: a and b say 1, c says 0. Item 2: a says 0, c says 1. */
static size_t begins[] = {0, 3, 6, 8};
static uint32_t annotators[] = {0, 1, 2, 0, 1, 2, 0, 2};
static uint16_t labels[] = {0, 0, 1, 1, 1, 0, 0, 1};
static const struct scene three = {.votes = {.n_items = 3,
                                             .n_annotators = 3,
                                             .n_classes = 2,
                                             .count = 8,
                                             .begin = begins,
                                             .annotator = annotators,
                                             .label = labels}};

static inline void run(const char *name, struct sl_crowd_options options,
                       struct sl_crowd_state *out)
{
    scene_run(sl_aggregator_find(name), &three, options, out);
}

#endif
