/* Private to experiment/: checksums of job outputs. outputs.jsonl gets a line when a job succeeds,
 * so an output that changed later is detected. */
#ifndef SOFTLAB_EXPERIMENT_OUTPUTS_H
#define SOFTLAB_EXPERIMENT_OUTPUTS_H

#include "softlab/experiment.h"

struct sl_outputs {
    char *folder, *path; /* owned */
    json_t *known;       /* owned; {"cache/...": "SHA-256"} */
    size_t read;         /* bytes of outputs.jsonl that `known` has */
};
/* Read outputs.jsonl; an incomplete last line is ignored. */
enum sl_status sl_outputs_open(struct sl_outputs *outputs, const char *folder,
                               struct sl_error *err) SL_MUST_USE;
/* Read the lines that other processes have appended since. */
enum sl_status sl_outputs_update(struct sl_outputs *outputs, struct sl_error *err) SL_MUST_USE;
void sl_outputs_close(struct sl_outputs *outputs);

enum sl_output_state {
    SL_OUTPUT_NONE,   /* not there, or its job did not finish */
    SL_OUTPUT_GOOD,   /* unchanged */
    SL_OUTPUT_SPOILT, /* there, but changed */
};
/* Whether the job's output is listed; it may have changed since. */
bool sl_outputs_know(const struct sl_outputs *outputs, const struct sl_job *job);
enum sl_output_state sl_outputs_look(const struct sl_outputs *outputs, const struct sl_job *job);
/* Delete the output of a job, so that the job runs again. */
void sl_outputs_forget(struct sl_outputs *outputs, const struct sl_job *job);
/* Store the checksum of a job that succeeded. */
enum sl_status sl_outputs_keep(struct sl_outputs *outputs, const struct sl_job *job,
                               struct sl_error *err) SL_MUST_USE;

/* Take over a job's output that another results folder has, by hard links, so that the job need not
 * run again. An output that cannot be linked is left out. */
enum sl_status sl_outputs_adopt(struct sl_outputs *outputs, const struct sl_outputs *from,
                                const struct sl_job *job, struct sl_error *err) SL_MUST_USE;
/* Move all outputs of another results folder here, except those that are here already. If it is
 * interrupted, it can be repeated. */
enum sl_status sl_outputs_move(struct sl_outputs *outputs, const struct sl_outputs *from,
                               struct sl_error *err) SL_MUST_USE;

#endif
