/* Private to experiment/: results.jsonl, to which finished runs are appended, and failures.jsonl.
 * Only one process at a time may write to the folder; a lock file enforces this. Where file locks
 * do not reach other machines, turns keep what several processes write whole. */
#ifndef SOFTLAB_EXPERIMENT_LEDGER_H
#define SOFTLAB_EXPERIMENT_LEDGER_H

#include <time.h>

#include "softlab/experiment.h"

struct sl_ledger_line {
    char key[65];
    char *text;   /* owned; without its newline */
    char *absent; /* owned; names of tests that could not be scored, one per line */
};
struct sl_ledger {
    char *folder, *results, *failures; /* owned */
    struct sl_ledger_line *lines;      /* owned; n_lines */
    size_t n_lines;
    bool doubled;   /* results.jsonl has lines that later lines replace */
    unsigned turns; /* turns within turns, which are one */
    struct {
        uint64_t file, bytes;
        struct timespec changed;
    } seen;   /* results.jsonl as `lines` has it */
    int lock; /* file descriptor; children inherit the lock, so it outlives a killed runner; -1:
                 none */
};

/* Append a record as one line. If the write is interrupted, the next reader drops the incomplete
 * line. */
enum sl_status sl_line_append(const char *path, const json_t *record,
                              struct sl_error *err) SL_MUST_USE;

/* Lock the folder and read its lines. SL_ERR_USAGE if another process holds the lock; SL_ERR_INPUT,
 * with the line number, for a line that is not a result. */
enum sl_status sl_ledger_open(const char *folder, struct sl_ledger *out,
                              struct sl_error *err) SL_MUST_USE;
/* Read the lines without locking the folder. */
enum sl_status sl_ledger_read(const char *folder, struct sl_ledger *out,
                              struct sl_error *err) SL_MUST_USE;
void sl_ledger_close(struct sl_ledger *ledger);
/* Begin a turn of a locked folder: until it ends, no other process changes its lists, and `lines`
 * has what others wrote. A turn within a turn is part of it. Functions that write take one
 * themselves. */
enum sl_status sl_ledger_begin_turn(struct sl_ledger *ledger, struct sl_error *err) SL_MUST_USE;
void sl_ledger_end_turn(struct sl_ledger *ledger);
/* True if the run has a line, unless a test that was absent then can be scored now. */
bool sl_ledger_has(const struct sl_ledger *ledger, const struct sl_run *run);
/* The line of a run, borrowed; NULL if there is none. */
const struct sl_ledger_line *sl_ledger_find(const struct sl_ledger *ledger, const char *key);
bool sl_ledger_has_key(const struct sl_ledger *ledger, const char *key);
/* True if a line equals this record byte for byte. */
bool sl_ledger_holds(const struct sl_ledger *ledger, const json_t *record);
enum sl_status sl_ledger_append(struct sl_ledger *ledger, const json_t *result,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_ledger_fail(struct sl_ledger *ledger, const json_t *failure,
                              struct sl_error *err) SL_MUST_USE;
/* The last line of failures.jsonl that is about a run; NULL if there is none. The caller owns it.
 */
json_t *sl_ledger_failure(const struct sl_ledger *ledger, const char *key);
/* Remove the experiment's runs from failures.jsonl, since they are tried again. */
enum sl_status sl_ledger_forget_failures(struct sl_ledger *ledger,
                                         const struct sl_experiment *experiment,
                                         struct sl_error *err) SL_MUST_USE;
/* Move the lines of this experiment's runs to the end, in the order of the plan. */
enum sl_status sl_ledger_order(struct sl_ledger *ledger, const struct sl_experiment *experiment,
                               struct sl_error *err) SL_MUST_USE;

#endif
