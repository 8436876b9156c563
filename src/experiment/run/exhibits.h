/* Private to experiment/: galleries and charts that need no training, from a specification's `show`
 * to the line of results.jsonl. */
#ifndef SOFTLAB_EXPERIMENT_EXHIBITS_H
#define SOFTLAB_EXPERIMENT_EXHIBITS_H

#include "experiment/plan/plan.h"

/* Whether a cell is the one of this key; where the key has a star, which stands for any text, one
 * of them. */
bool sl_exhibit_cell_fits(const char *pattern, const char *cell);

/* expand_show.c: the exhibits as jobs. What can be made goes to run->exhibits, the rest with its
 * reason to run->absent; what the run is called after is added to `named`. */
void sl_expand_show(struct sl_planner *planner, struct sl_run *run, json_t *named);

/* exhibits.c: "galleries" and "charts" of the line, which has "computed" already. */
enum sl_status sl_exhibits_collect(const struct sl_run *run,
                                   const struct sl_experiment_runner *runner, json_t *line,
                                   struct sl_error *err) SL_MUST_USE;

#endif
