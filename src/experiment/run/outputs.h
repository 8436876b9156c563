/* Private to experiment/: checksums of job outputs. outputs.jsonl gets a line when a job succeeds,
 * so an output that changed later is detected. */
#ifndef SOFTLAB_EXPERIMENT_OUTPUTS_H
#define SOFTLAB_EXPERIMENT_OUTPUTS_H

#include "softlab/experiment.h"

struct sl_outputs {
    char *folder, *path; /* owned */
    json_t *known;       /* owned; {"cache/...": "SHA-256"} */
};
/* Read outputs.jsonl; an incomplete last line is ignored. */
enum sl_status sl_outputs_open(struct sl_outputs *outputs, const char *folder,
                               struct sl_error *err) SL_MUST_USE;
void sl_outputs_close(struct sl_outputs *outputs);

enum sl_output_state {
    SL_OUTPUT_NONE,   /* not there, or its job did not finish */
    SL_OUTPUT_GOOD,   /* unchanged */
    SL_OUTPUT_SPOILT, /* there, but changed */
};
enum sl_output_state sl_outputs_look(const struct sl_outputs *outputs, const struct sl_job *job);
/* Delete the output of a job, so that the job runs again. */
void sl_outputs_forget(struct sl_outputs *outputs, const struct sl_job *job);
/* Store the checksum of a job that succeeded. */
enum sl_status sl_outputs_keep(struct sl_outputs *outputs, const struct sl_job *job,
                               struct sl_error *err) SL_MUST_USE;

#endif
