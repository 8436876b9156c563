/* What belongs to cmd_run.c: the board that shows where an experiment stands. */
#ifndef SOFTLAB_CLI_RUN_H
#define SOFTLAB_CLI_RUN_H

#include "cmd.h"
#include "softlab/experiment.h"

/* run_board.c: on a terminal lines that are redrawn in place; elsewhere a line per event. */
struct run_board {
    struct cli *cli;            /* borrowed */
    size_t n_drawn;             /* lines on the screen now */
    double drawn;               /* when */
    struct sl_name_table *said; /* owned; what is said once */
};
void run_board_release(struct run_board *board);
void run_board_show(void *context, const struct sl_board *board);
void run_board_event(void *context, enum sl_run_event event, const char *title, const char *reason);
/* Take the lines away, before anything else is printed. */
void run_board_clear(struct run_board *board);

#endif
