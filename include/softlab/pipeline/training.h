/* Training: from data, label distributions and a recipe to a run's folder. */
#ifndef SOFTLAB_PIPELINE_TRAINING_H
#define SOFTLAB_PIPELINE_TRAINING_H

#include "softlab/pipeline/task.h"
#include "softlab/train.h"

SL_BEGIN_DECLS

/* The options of a training. Texts are borrowed; NULL: not given. */
struct sl_train_job {
    const char *data, *split;      /* the training data; split: an index file */
    struct sl_load_options images; /* zeros: as they are */
    const char *labels;            /* label distributions; NULL: hard labels */
    enum sl_target_rest rest;      /* what to do with items without a row in `labels` */
    const char *holdout; /* a file of names, "collins2022" or "none"; NULL: the recipe's */
    const char *extra, *extra_labels; /* more images, and their label distributions */
    const char *network;              /* NULL: the recipe's */
    const char *recipe;               /* a name or a JSON file; NULL: the defaults of the keys */
    bool as_published;                /* use the recipe as the paper's text states it */
    const char *set;                  /* "key=value,...": changes of the recipe */
    size_t epochs;                    /* 0: the recipe's */
    uint64_t seed;
    const char *weights; /* initial weights: a file, or a run's folder */
    const char *teacher; /* files of predictions to distil, comma-separated */
    const char *mixing;  /* a file of class-pair mixing functions */
    const char *vectors; /* word vectors (GloVe), for texts; NULL: those of softlab fetch */
    const char *tuning;  /* a table of kernels */
    const char *dev, *dev_split, *dev_labels; /* the dev set, on which every epoch is scored */
    double checkpoint_seconds;                /* least time between two checkpoints */
    bool untrained;     /* check everything and write the initial weights, but do not train */
    bool restart;       /* delete the run that the folder holds */
    const char *output; /* the run's folder */
};
struct sl_train_job sl_train_job_default(void);

/* The options, with mode bits: train, or print the keys of a recipe. */
enum { SL_TRAIN_RUNS = 1, SL_TRAIN_KEYS = 2 };
extern const struct sl_field_row sl_train_job_options[];
extern const struct sl_task sl_train_task;

/* A training that has read and checked its inputs but not yet trained. */
struct sl_train_session;
/* `provenance` goes into run.json; borrowed, may be NULL. SL_ERR_INPUT if the folder holds a
 * different run. The session borrows *workplace. */
enum sl_status sl_train_session_open(const struct sl_train_job *job, json_t *provenance,
                                     const struct sl_workplace *workplace,
                                     struct sl_train_session **out,
                                     struct sl_error *err) SL_MUST_USE;
void sl_train_session_destroy(struct sl_train_session *session);
/* Train to the end. An unfinished run resumes from its checkpoint; a finished run is left as it is.
 * SL_ERR_STOPPED after workplace->stop. */
enum sl_status sl_train_session_run(struct sl_train_session *session,
                                    struct sl_error *err) SL_MUST_USE;
/* The path of the weights, and the content of run.json; both borrowed. */
const char *sl_train_session_weights(const struct sl_train_session *session);
const json_t *sl_train_session_record(const struct sl_train_session *session);

/* Open a session, run it and destroy it. */
enum sl_status sl_train_job_run(const struct sl_train_job *job,
                                const struct sl_workplace *workplace,
                                struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
