/* Weights of finished runs, and predictions with them. */
#ifndef SOFTLAB_PIPELINE_WEIGHTS_H
#define SOFTLAB_PIPELINE_WEIGHTS_H

#include "softlab/base/json.h"
#include "softlab/pipeline/items.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* The weights that a path names: a weights file, or a run's folder. SL_ERR_INPUT if the weights in
 * a folder are not those that its run wrote. The caller frees *out. */
enum sl_status sl_run_find_weights(const char *path, char **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_run_open_weights(const char *path, struct sl_model **out,
                                   struct sl_error *err) SL_MUST_USE;
/* SL_ERR_INPUT if the checksum of the weights is not the one in the run's record. */
enum sl_status sl_run_check_weights(const char *weights, const json_t *record,
                                    struct sl_error *err) SL_MUST_USE;

/* The logits of all items of sl_feeding_for, as rows with item and class names. */
enum sl_status sl_predict_items(const struct sl_workplace *workplace, struct sl_model *model,
                                const struct sl_feeding *feeding, size_t batch,
                                struct sl_rows **out, struct sl_error *err) SL_MUST_USE;

enum sl_predicted_array { SL_PREDICTED_LOGITS, SL_PREDICTED_PROBABILITIES };
/* From weights and items to a file of predictions. */
struct sl_predict_job {
    const char *weights;           /* a file, or a run's folder */
    const char *data, *split;      /* items; split: an index file, or NULL */
    struct sl_load_options images; /* zeros: as the network reads them */
    const char *vectors;           /* word vectors (GloVe) for words new to the network, or NULL */
    enum sl_predicted_array array;
    size_t batch;       /* items per pass of the network */
    const char *output; /* .npz, .npy, .csv or .json */
};
struct sl_predict_job sl_predict_job_default(void);
extern const struct sl_field_row sl_predict_job_options[];
extern const struct sl_task sl_predict_task;
enum sl_status sl_predict_job_run(const struct sl_predict_job *job,
                                  const struct sl_workplace *workplace,
                                  struct sl_error *err) SL_MUST_USE;

/* From weights, or from a network's initial ones, to weights in another form. */
struct sl_export_job {
    const char *weights;         /* a file, or a run's folder; NULL: initial weights are drawn */
    const char *network;         /* NULL: the weights name it; the next four are for it */
    struct sl_input_shape input; /* what it reads */
    size_t classes;
    struct sl_real_list mean, deviation; /* per channel; empty: it has no normalising layer */
    enum sl_init init;                   /* of initial weights */
    uint64_t seed;
    const char
        *class_names;   /* "cat,dog", in the order of the outputs; NULL: those of the weights */
    const char *output; /* .onnx, or any other ending for safetensors */
};
/* The log says what was written, and warns of weights that do not name their classes. SL_ERR_USAGE
 * if the numbers of classes or channels do not fit. */
enum sl_status sl_export_job_run(const struct sl_export_job *job,
                                 const struct sl_workplace *workplace,
                                 struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
