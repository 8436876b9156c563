/* Creating a study's folder: items are collected (items.c), grouped into batches (batches.c) and
 * written (setup.c). Private to study/setup/. */
#ifndef SOFTLAB_STUDY_SETUP_SETUP_H
#define SOFTLAB_STUDY_SETUP_SETUP_H

#include "softlab/dataset.h"
#include "softlab/study.h"
#include "study/config/config.h"

struct sl_setup_item {
    char *id;        /* owned */
    json_t *content; /* owned; as the store keeps it */
    char *truth;     /* owned, or NULL */
    char *source;    /* owned; the file to copy, or NULL */
    size_t index;    /* in the data set that has its pixels, if there is no source */
    char *target;    /* owned; within the items' folder, or NULL for texts */
    double entropy;  /* NaN: unknown */
    bool check;
};

struct sl_setup_batch {
    size_t *items; /* owned */
    size_t count;
};

struct sl_setup_plan {
    const struct sl_study_setup *setup; /* borrowed */
    const struct sl_log *log;           /* borrowed */
    struct sl_study *study;             /* owned; the configuration to write */
    struct sl_dataset *set;             /* owned, or NULL */
    struct sl_setup_item *items;        /* owned */
    size_t n_items, capacity;
    struct sl_setup_batch *batches; /* owned */
    size_t n_batches;
};

/* Fill items, classes and the kind of the study. */
enum sl_status sl_setup_gather(struct sl_setup_plan *plan, struct sl_error *err) SL_MUST_USE;
/* Group the items into batches; items in no batch that are no checks are not written. */
enum sl_status sl_setup_allocate(struct sl_setup_plan *plan, struct sl_error *err) SL_MUST_USE;
void sl_setup_plan_release(struct sl_setup_plan *plan);

/* A batches file as published, "var batches=[{"0": [{"filename": ...}, ...], ...}]", or the same as
 * plain JSON. The caller releases it. */
struct sl_setup_layout {
    struct sl_json document;
    json_t *batches; /* borrowed from `document`: an object of lists of objects with "filename" */
};
enum sl_status sl_setup_layout_read(const char *path, struct sl_setup_layout *out,
                                    struct sl_error *err) SL_MUST_USE;
void sl_setup_layout_release(struct sl_setup_layout *layout);
/* The path of the batches file: the given one, or the one beside the mixtures; NULL if there is
 * none. Heap string. */
char *sl_setup_batches_path(const struct sl_study_setup *setup) SL_MUST_USE;

/* The texts of a new study (texts.c): comprehension and debrief questions for the study, and the
 * Markdown files. `contact` goes to the consent page (NULL: a placeholder). */
void sl_setup_questions(struct sl_study *study);
enum sl_status sl_setup_write_texts(const struct sl_study *study, const char *contact,
                                    const char *folder, struct sl_error *err) SL_MUST_USE;

#endif
