/* Sharing: labels and predictions as files that other tools read. */
#ifndef SOFTLAB_PIPELINE_SHARING_H
#define SOFTLAB_PIPELINE_SHARING_H

#include "softlab/pipeline/workplace.h"

SL_BEGIN_DECLS

enum sl_share_target {
    SL_SHARE_NONE,
    SL_SHARE_LABEL_STUDIO, /* tasks with a prediction each, to import as pre-annotations; .json */
    SL_SHARE_CLEANLAB,     /* pred_probs, and labels if they are given; .npz, or .npy alone */
};

/* From rows of labels or predictions to a file of another tool. */
struct sl_share_job {
    const char *rows; /* a file of probabilities, or of logits, which become probabilities */
    enum sl_share_target target;
    const char *output;
    /* Label Studio: the member of a task's data that holds the item's name, the name of the choices
     * control, and of the object that it labels; NULL object: as the field. */
    const char *field, *control, *object;
    const char *labels; /* cleanlab: a file of the given classes of items, or NULL */
};
/* SL_ERR_INPUT for rows of several annotators per item, and for items or classes without names
 * where the target needs them. */
enum sl_status sl_share_job_run(const struct sl_share_job *job,
                                const struct sl_workplace *workplace,
                                struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
