/* What belongs to cmd_eval.c: scores as tables. */
#ifndef SOFTLAB_CLI_EVAL_H
#define SOFTLAB_CLI_EVAL_H

#include "cmd.h"

struct eval_values {
    struct sl_eval_job job; /* first, so that its offsets are those of the values */
    bool list, json;
};
_Static_assert(offsetof(struct eval_values, job) == 0, "options name fields of the job");

/* eval_weights.c: a network on test sets. */
enum sl_status eval_weights(struct cli *cli, const struct eval_values *values,
                            struct sl_error *err);

/* eval_print.c: an evaluation as tables. */
void eval_print(const struct sl_evaluation *run);
void eval_print_classes(const struct sl_evaluation *run);
enum sl_status eval_list(bool json, struct sl_error *err);
/* eval_defer.c: what people add who decide the least certain items. */
void eval_print_defer(const struct sl_evaluation *run);
/* "larger", "smaller" or "": which values of a measure are better. */
const char *eval_better(const struct sl_metric *metric);

#endif
