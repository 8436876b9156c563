/* Private to pipeline/training/: what a training is made of: what it reads (inputs.c, data.c,
 * targets.c), the folder it writes (folder.c), and both at work (train.c). */
#ifndef SOFTLAB_PIPELINE_TRAIN_H
#define SOFTLAB_PIPELINE_TRAIN_H

#include "softlab/base/json.h"
#include "softlab/pipeline/items.h"
#include "softlab/pipeline/training.h"

/* Everything a run reads. */
struct sl_train_inputs {
    struct sl_recipe recipe;
    struct sl_feeding data, dev; /* dev.dataset NULL: none */
    struct sl_targets *targets;
    struct sl_rows *dev_labels; /* or NULL: hard labels */
    struct sl_mixing_functions *mixing;
    struct sl_tuning *tuning;
    struct sl_vocabulary *vocabulary; /* of texts, or NULL */
    char *weights;                    /* the file of values to begin with, or NULL */
    struct sl_model *model;
    char data_hash[65]; /* SHA-256 of what is trained on */
};
enum sl_status sl_train_inputs_read(const struct sl_workplace *workplace,
                                    const struct sl_train_job *job, struct sl_train_inputs *out,
                                    struct sl_error *err) SL_MUST_USE;
/* Its parts: the items, with a dev set; targets of the items; then the dev set in the classes that
 * are trained. */
enum sl_status sl_train_data(const struct sl_workplace *workplace, const struct sl_train_job *job,
                             struct sl_train_inputs *inputs, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_train_targets(const struct sl_workplace *workplace,
                                const struct sl_train_job *job, struct sl_train_inputs *inputs,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_train_match_dev(const struct sl_workplace *workplace,
                                  const struct sl_train_job *job, struct sl_train_inputs *inputs,
                                  struct sl_error *err) SL_MUST_USE;
void sl_train_inputs_release(struct sl_train_inputs *inputs);

/* Settings and hashes of all inputs, for run.json; and in words what differs between two of them,
 * which the caller frees. */
enum sl_status sl_train_settings(const struct sl_train_job *job,
                                 const struct sl_train_inputs *inputs, json_t **out,
                                 struct sl_error *err) SL_MUST_USE;
char *sl_train_difference(json_t *was, json_t *now);

/* The run folder: run.json, log.jsonl, checkpoint.safetensors, weights.safetensors. */
struct sl_train_folder {
    char *path, *run, *log, *checkpoint, *weights; /* owned */
    json_t *record;                                /* owned; run.json as it will be */
    bool finished;                                 /* the folder holds this very run, complete */
};
/* Make or find the folder. SL_ERR_INPUT if it holds another run; with `restart` what it holds of a
 * run goes. */
enum sl_status sl_train_folder_open(const char *path, json_t *record, bool restart,
                                    struct sl_train_folder *out, struct sl_error *err) SL_MUST_USE;
void sl_train_folder_release(struct sl_train_folder *folder);
/* A line for this epoch; lines of it and of later ones, left by a run that was killed, go first. */
enum sl_status sl_train_folder_log(const struct sl_train_folder *folder,
                                   const struct sl_epoch *epoch, struct sl_error *err) SL_MUST_USE;
/* Weights and the result; the checkpoint is no longer needed. */
enum sl_status sl_train_folder_finish(struct sl_train_folder *folder, struct sl_model *model,
                                      const struct sl_train_result *result,
                                      struct sl_error *err) SL_MUST_USE;

#endif
