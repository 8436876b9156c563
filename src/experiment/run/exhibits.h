/* Private to experiment/: galleries and charts that need no training, from a specification's `show`
 * to the line of results.jsonl. */
#ifndef SOFTLAB_EXPERIMENT_EXHIBITS_H
#define SOFTLAB_EXPERIMENT_EXHIBITS_H

#include "experiment/plan/plan.h"

/* True if the cell has this key; a star in the pattern matches any text. */
bool sl_exhibit_cell_fits(const char *pattern, const char *cell);

/* expand_show.c: plan the exhibits. Those that can be made go to run->exhibits, the others with
 * their reason to run->absent. What they depend on is added to `named`, for the run's key. */
void sl_expand_show(struct sl_planner *planner, struct sl_run *run, json_t *named);

/* exhibits.c: add "galleries" and "charts" to the line, which has "computed" already. */
enum sl_status sl_exhibits_collect(const struct sl_run *run,
                                   const struct sl_experiment_runner *runner, json_t *line,
                                   struct sl_error *err) SL_MUST_USE;

#endif
