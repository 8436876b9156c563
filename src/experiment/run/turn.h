/* Private to experiment/run/: turns. The lock of a results folder keeps the processes of one
 * machine apart; some network file systems do not show it to other machines (BeeGFS, Lustre with
 * localflock, NFS with local_lock). A turn is short, and holds there too: it is a file, which only
 * one process can create. */
#ifndef SOFTLAB_EXPERIMENT_TURN_H
#define SOFTLAB_EXPERIMENT_TURN_H

#include "softlab/base/error.h"

/* Wait until no other process changes the lists of the folder. The turn of a process that was
 * killed is taken over: at once if it ran on this machine, otherwise after half a minute. */
enum sl_status sl_turn_begin(const char *folder, struct sl_error *err) SL_MUST_USE;
void sl_turn_end(const char *folder);

#endif
