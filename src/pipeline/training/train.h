/* Private to pipeline/training/: the inputs of a training (inputs.c, data.c, targets.c), the run's
 * folder (folder.c), and the session that trains (train.c). */
#ifndef SOFTLAB_PIPELINE_TRAIN_H
#define SOFTLAB_PIPELINE_TRAIN_H

#include "softlab/base/json.h"
#include "softlab/pipeline/items.h"
#include "softlab/pipeline/training.h"

/* Everything a run reads. */
struct sl_train_inputs {
    struct sl_recipe recipe;
    struct sl_feeding data, dev; /* dev.dataset is NULL without a dev set */
    struct sl_targets *targets;
    struct sl_rows *dev_labels; /* NULL: hard labels */
    struct sl_mixing_functions *mixing;
    struct sl_tuning *tuning;
    struct sl_vocabulary *vocabulary; /* for texts; otherwise NULL */
    char *weights;                    /* the file of initial weights, or NULL */
    struct sl_model *model;
    char data_hash[65]; /* SHA-256 of the training items */
};
enum sl_status sl_train_inputs_read(const struct sl_workplace *workplace,
                                    const struct sl_train_job *job, struct sl_train_inputs *out,
                                    struct sl_error *err) SL_MUST_USE;
/* The steps of sl_train_inputs_read: read the training items and the dev set; make the targets;
 * then give the dev set the classes that are trained. */
enum sl_status sl_train_data(const struct sl_workplace *workplace, const struct sl_train_job *job,
                             struct sl_train_inputs *inputs, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_train_targets(const struct sl_workplace *workplace,
                                const struct sl_train_job *job, struct sl_train_inputs *inputs,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_train_match_dev(const struct sl_workplace *workplace,
                                  const struct sl_train_job *job, struct sl_train_inputs *inputs,
                                  struct sl_error *err) SL_MUST_USE;
void sl_train_inputs_release(struct sl_train_inputs *inputs);

/* The settings and the hashes of all inputs, for run.json; and a text that says how two of them
 * differ, which the caller frees. */
enum sl_status sl_train_settings(const struct sl_train_job *job,
                                 const struct sl_train_inputs *inputs, json_t **out,
                                 struct sl_error *err) SL_MUST_USE;
char *sl_train_difference(json_t *was, json_t *now);

/* The run folder: run.json, log.jsonl, checkpoint.safetensors, weights.safetensors. */
struct sl_train_folder {
    char *path, *run, *log, *checkpoint, *weights; /* owned */
    json_t *record;                                /* owned; the content of run.json */
    bool finished;                                 /* the folder holds this run, finished */
};
/* Make or reuse the folder. SL_ERR_INPUT if it holds a different run; `restart` deletes that run
 * instead. */
enum sl_status sl_train_folder_open(const char *path, json_t *record, bool restart,
                                    struct sl_train_folder *out, struct sl_error *err) SL_MUST_USE;
void sl_train_folder_release(struct sl_train_folder *folder);
/* Append the line of this epoch. Lines of this and later epochs are removed first: a killed run may
 * have written them after its last checkpoint. */
enum sl_status sl_train_folder_log(const struct sl_train_folder *folder,
                                   const struct sl_epoch *epoch, struct sl_error *err) SL_MUST_USE;
/* Write the weights and the result, and delete the checkpoint. */
enum sl_status sl_train_folder_finish(struct sl_train_folder *folder, struct sl_model *model,
                                      const struct sl_train_result *result,
                                      struct sl_error *err) SL_MUST_USE;

#endif
