/* Private to experiment/: checksums of what jobs left behind. outputs.jsonl has a line per output,
 * written once the job has ended well, so that an output is used only as it was made. */
#ifndef SOFTLAB_EXPERIMENT_OUTPUTS_H
#define SOFTLAB_EXPERIMENT_OUTPUTS_H

#include "softlab/experiment.h"

struct sl_outputs {
    char *folder, *path; /* owned */
    json_t *known;       /* owned; {"cache/...": "SHA-256"} */
};
/* What the folder says; a line that was cut off is passed over. */
enum sl_status sl_outputs_open(struct sl_outputs *outputs, const char *folder,
                               struct sl_error *err) SL_MUST_USE;
void sl_outputs_close(struct sl_outputs *outputs);

enum sl_output_state {
    SL_OUTPUT_NONE,   /* not made, or its job did not end */
    SL_OUTPUT_GOOD,   /* as it was made */
    SL_OUTPUT_SPOILT, /* there, but with other bytes */
};
enum sl_output_state sl_outputs_look(const struct sl_outputs *outputs, const struct sl_job *job);
/* Remove the output of a job, so that the job runs again. */
void sl_outputs_forget(struct sl_outputs *outputs, const struct sl_job *job);
/* Keep the checksum of a job that has ended well. */
enum sl_status sl_outputs_keep(struct sl_outputs *outputs, const struct sl_job *job,
                               struct sl_error *err) SL_MUST_USE;

#endif
