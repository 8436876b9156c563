/* Private to experiment/: parts. A run that is started by itself (softlab run --run KEY) works in
 * parts/KEY, a results folder of its own, so that runs on many machines share no file that they
 * write. When it ends, it publishes its trainings: other parts may need them. The process that
 * holds the lock of the results folder joins finished parts to it. */
#ifndef SOFTLAB_EXPERIMENT_PARTS_H
#define SOFTLAB_EXPERIMENT_PARTS_H

#include "experiment/run/ledger.h"
#include "experiment/run/outputs.h"

/* The folder of a run's part; the caller frees it. */
char *sl_part_folder(const char *folder, const char *key) SL_MUST_USE;

enum sl_part_state {
    SL_PART_NONE,   /* there is no part, or it is not finished */
    SL_PART_DONE,   /* its result is in the ledger now */
    SL_PART_FAILED, /* its failure is in failures.jsonl now; *reason has the end of the log */
};
/* Join the part of one run: move its outputs, append its line, and delete the part. A failed part
 * keeps its folder, from which the run resumes. A part in which a process still works counts as not
 * finished. The caller frees *reason; it may be NULL. A join that is interrupted can be repeated.
 */
enum sl_status sl_part_join(struct sl_ledger *ledger, struct sl_outputs *outputs,
                            const struct sl_run *run, enum sl_part_state *out, char **reason,
                            struct sl_error *err) SL_MUST_USE;

/* Lock the runner's folder and make it ready for the experiment: finished parts are joined, earlier
 * failures of its runs are forgotten, and the specification and the plan have their lines. On
 * failure the caller closes both, too. */
enum sl_status sl_results_open(const struct sl_experiment *experiment,
                               const struct sl_experiment_runner *runner, struct sl_ledger *ledger,
                               struct sl_outputs *outputs, struct sl_error *err) SL_MUST_USE;

#endif
