/* Training: data, label distributions and a recipe to a run's folder. */
#ifndef SOFTLAB_PIPELINE_TRAINING_H
#define SOFTLAB_PIPELINE_TRAINING_H

#include "softlab/pipeline/task.h"
#include "softlab/train.h"

SL_BEGIN_DECLS

/* Everything that can be said about a training; texts are borrowed, NULL where nothing is said. */
struct sl_train_job {
    const char *data, *split;      /* what is trained on; split: an index file */
    struct sl_load_options images; /* zeros: as they are */
    const char *labels;            /* label distributions; NULL: hard labels */
    enum sl_target_rest rest;      /* of items without a row in `labels` */
    const char *holdout; /* a file of names, "collins2022" or "none"; NULL: the recipe's */
    const char *extra, *extra_labels; /* more images, and their label distributions */
    const char *network;              /* NULL: the recipe's */
    const char *recipe;               /* a name or a JSON file; NULL: the defaults of the keys */
    bool as_published;                /* the recipe as the paper's text states it */
    const char *set;                  /* "key=value,...": changes of the recipe */
    size_t epochs;                    /* 0: the recipe's */
    uint64_t seed;
    const char *weights; /* to begin with: a file, or a run's folder */
    const char *teacher; /* files of predictions to distil, comma-separated */
    const char *mixing;  /* class-pair mixing functions */
    const char *vectors; /* word vectors (GloVe), for texts; NULL: those of softlab fetch */
    const char *tuning;  /* a table of kernels */
    const char *dev, *dev_split, *dev_labels; /* what every epoch is scored on */
    double checkpoint_seconds;                /* least time between two checkpoints */
    bool untrained;                           /* check everything, and write the weights as they are
                                                 before the first step */
    bool restart;                             /* forget what the folder holds of a run */
    const char *output;                       /* the run's folder */
};
struct sl_train_job sl_train_job_default(void);

/* What can be said, with bits for what it is said about: a training, or a recipe whose keys are
 * printed. */
enum { SL_TRAIN_RUNS = 1, SL_TRAIN_KEYS = 2 };
extern const struct sl_field_row sl_train_job_options[];
extern const struct sl_task sl_train_task;

/* A training that has read and checked all that it needs; nothing was trained yet. */
struct sl_train_session;
/* `provenance` goes into run.json and is borrowed; NULL: nothing is said of how the run came about.
 * SL_ERR_INPUT if the folder holds another run; *workplace outlives the session. */
enum sl_status sl_train_session_open(const struct sl_train_job *job, json_t *provenance,
                                     const struct sl_workplace *workplace,
                                     struct sl_train_session **out,
                                     struct sl_error *err) SL_MUST_USE;
void sl_train_session_destroy(struct sl_train_session *session);
/* Train to the end, from the checkpoint of an unfinished run if there is one; nothing is done if
 * the folder holds this run, finished. SL_ERR_STOPPED after workplace->stop. */
enum sl_status sl_train_session_run(struct sl_train_session *session,
                                    struct sl_error *err) SL_MUST_USE;
/* The file of the weights, and run.json; both borrowed. */
const char *sl_train_session_weights(const struct sl_train_session *session);
const json_t *sl_train_session_record(const struct sl_train_session *session);

/* All of this in one call. */
enum sl_status sl_train_job_run(const struct sl_train_job *job,
                                const struct sl_workplace *workplace,
                                struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
