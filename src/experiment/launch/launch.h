/* Private to experiment/launch/: what launchers share. */
#ifndef SOFTLAB_EXPERIMENT_LAUNCH_ROOM_H
#define SOFTLAB_EXPERIMENT_LAUNCH_ROOM_H

#include "experiment/run/ledger.h"
#include "softlab/base/buffer.h"
#include "softlab/experiment/launch.h"

enum { SL_LAUNCH_LINE = 1 << 20 }; /* bytes of a command, at most */

/* launcher.c: set open[i] if run i is to be made, and count and report the others. */
void sl_launch_count(const struct sl_experiment *experiment, const struct sl_ledger *ledger,
                     const struct sl_experiment_hooks *hooks, bool *open,
                     struct sl_experiment_outcome *out);
/* Append the command of a run, up to the key. */
void sl_launch_line(const struct sl_launch *launch, struct sl_buffer *out);

/* submit.c: the start of the launcher "slurm". */
enum sl_status sl_launch_slurm(const struct sl_experiment *experiment,
                               const struct sl_launch *launch, struct sl_experiment_outcome *out,
                               struct sl_error *err) SL_MUST_USE;

#endif
