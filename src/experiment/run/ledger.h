/* Private to experiment/: results.jsonl, which only grows while runs are made, and failures.jsonl
 * beside it. One process at a time holds the folder. */
#ifndef SOFTLAB_EXPERIMENT_LEDGER_H
#define SOFTLAB_EXPERIMENT_LEDGER_H

#include "softlab/experiment.h"

struct sl_ledger_line {
    char key[65];
    char *text;   /* owned; without its newline */
    char *absent; /* owned; the names of what could not be scored, a line each */
};
struct sl_ledger {
    char *folder, *results, *failures; /* owned */
    struct sl_ledger_line *lines;      /* owned; n_lines */
    size_t n_lines;
    int lock; /* held by children too, so that none outlives it unseen; -1: not held */
};

/* A record as one more line of a file: there whole, or cut off and passed over by the next reader.
 */
enum sl_status sl_line_append(const char *path, const json_t *record,
                              struct sl_error *err) SL_MUST_USE;

/* SL_ERR_USAGE if another process works in the folder, SL_ERR_INPUT naming a line that is no
 * result. */
enum sl_status sl_ledger_open(const char *folder, struct sl_ledger *out,
                              struct sl_error *err) SL_MUST_USE;
/* What is there, without holding the folder. */
enum sl_status sl_ledger_read(const char *folder, struct sl_ledger *out,
                              struct sl_error *err) SL_MUST_USE;
void sl_ledger_close(struct sl_ledger *ledger);
/* Whether the run has a line, and not one that lacks what could be had now. */
bool sl_ledger_has(const struct sl_ledger *ledger, const struct sl_run *run);
bool sl_ledger_has_key(const struct sl_ledger *ledger, const char *key);
/* Whether a line is this record, to the byte. */
bool sl_ledger_holds(const struct sl_ledger *ledger, const json_t *record);
enum sl_status sl_ledger_append(struct sl_ledger *ledger, const json_t *result,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_ledger_fail(struct sl_ledger *ledger, const json_t *failure,
                              struct sl_error *err) SL_MUST_USE;
/* Take the experiment's runs, which are tried again, out of failures.jsonl. */
enum sl_status sl_ledger_forget_failures(struct sl_ledger *ledger,
                                         const struct sl_experiment *experiment,
                                         struct sl_error *err) SL_MUST_USE;
/* Replace the file by the lines as they are here. */
enum sl_status sl_ledger_write(const struct sl_ledger *ledger, struct sl_error *err) SL_MUST_USE;
/* The lines of this experiment's runs in its order, behind all others. */
enum sl_status sl_ledger_order(struct sl_ledger *ledger, const struct sl_experiment *experiment,
                               struct sl_error *err) SL_MUST_USE;

#endif
