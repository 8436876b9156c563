/* What `softlab train` is made of: its options (cmd_train.c), what it reads (train_inputs.c), the
 * folder it writes (train_folder.c). */
#ifndef SOFTLAB_CLI_TRAIN_H
#define SOFTLAB_CLI_TRAIN_H

#include "cmd.h"
#include "softlab/feed.h"
#include "softlab/train.h"

struct train_values {
    const char *output, *network, *data, *split, *labels, *rest, *holdout;
    const char *recipe, *set, *weights, *teacher, *mixing, *extra, *extra_labels, *tuning, *vectors;
    const char *dev, *dev_split, *dev_labels;
    int64_t epochs, seed;
    double checkpoint_seconds;
    struct cli_images images;
    bool as_published, as_run, restart, untrained, list, keys, json;
};

/* Everything a run reads. */
struct train_inputs {
    struct sl_recipe recipe;
    struct cli_feeding data, dev; /* dev.dataset NULL: none */
    struct sl_targets *targets;
    struct sl_rows *dev_labels; /* or NULL: hard labels */
    struct sl_mixing_functions *mixing;
    struct sl_tuning *tuning;
    struct sl_vocabulary *vocabulary; /* of texts, or NULL */
    char *weights;                    /* the file of values to begin with, or NULL */
    struct sl_model *model;
    char data_hash[65]; /* SHA-256 of what is trained on */
};
enum sl_status train_inputs_read(const struct cli *cli, const struct train_values *values,
                                 struct train_inputs *out, struct sl_error *err);
void train_inputs_release(struct train_inputs *inputs);

/* Settings and hashes of all inputs, for run.json; and in words what differs between two of them,
 * which the caller frees. */
enum sl_status train_settings(const struct train_values *values, const struct train_inputs *inputs,
                              json_t **out, struct sl_error *err);
char *train_difference(json_t *was, json_t *now);

/* The run folder: run.json, log.jsonl, checkpoint.safetensors, weights.safetensors. */
struct train_folder {
    char *path, *run, *log, *checkpoint, *weights; /* owned */
    json_t *record;                                /* owned; run.json as it will be */
    bool finished;                                 /* the folder holds this very run, complete */
};
/* Make or find the folder. SL_ERR_INPUT if it holds another run; with `restart` what it holds of a
 * run goes. */
enum sl_status train_folder_open(const char *path, json_t *record, bool restart,
                                 struct train_folder *out, struct sl_error *err);
void train_folder_release(struct train_folder *folder);
/* A line for this epoch; lines of it and of later ones, left by a run that was killed, go first. */
enum sl_status train_folder_log(const struct train_folder *folder, const struct sl_epoch *epoch,
                                struct sl_error *err);
/* Weights and the result; the checkpoint is no longer needed. */
enum sl_status train_folder_finish(struct train_folder *folder, struct sl_model *model,
                                   const struct sl_train_result *result, struct sl_error *err);

#endif
