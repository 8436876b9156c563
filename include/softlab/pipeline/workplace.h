/* Workplace: what a program lends to a job: data folders, a log, a progress bar, threads and a way
 * to stop. With only `roots` set, a job is silent and cannot be stopped. */
#ifndef SOFTLAB_PIPELINE_WORKPLACE_H
#define SOFTLAB_PIPELINE_WORKPLACE_H

#include "softlab/base/classes.h"
#include "softlab/base/log.h"
#include "softlab/base/names.h"
#include "softlab/base/rows.h"
#include "softlab/comm.h"
#include "softlab/dataset.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

struct sl_exchange;
struct sl_workplace {
    struct sl_data_roots roots;
    const struct sl_log *log;      /* borrowed, or NULL */
    struct sl_progress *progress;  /* borrowed, or NULL */
    struct sl_pool *pool;          /* borrowed; NULL: the calling thread alone */
    struct sl_comm *comm;          /* borrowed; NULL: this process alone */
    struct sl_exchange *exchange;  /* borrowed, or NULL; arrays in place of files */
    struct sl_name_table *unnamed; /* borrowed, or NULL; files already reported as lacking class
                                      names, so that each is reported once */
    size_t memory;                 /* bytes that a job should keep to; 0: those that are free */
    void *context;                 /* borrowed; for the hooks below, each of which may be NULL */
    /* The name of a path in messages, such as "standard input" for a temporary file. */
    const char *(*shown)(void *context, const char *path);
    bool (*stop)(void *context);
};

/* The name of a path in messages; borrowed. */
const char *sl_workplace_shown(const struct sl_workplace *workplace, const char *path);

/* sl_dataset_open; the reader's notes go to the log. */
enum sl_status sl_workplace_open(const struct sl_workplace *workplace, const char *name,
                                 struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;

/* The same with only the items of an index file (sl_split_read), in its order; NULL: all items. */
enum sl_status sl_workplace_open_split(const struct sl_workplace *workplace, const char *name,
                                       const char *split, struct sl_dataset **out,
                                       struct sl_error *err) SL_MUST_USE;

/* Log how many rows of a file were rescaled because rounding kept their sum from being 1; nothing
 * if there are none. */
void sl_say_rescaled(const struct sl_workplace *workplace, const char *path,
                     const struct sl_rows *rows);
/* Log how many items have several most probable classes and which class counts; nothing if there
 * are none. `classes` is NULL if classes have no names. */
void sl_say_ties(const struct sl_workplace *workplace, const char *what, size_t n_tied,
                 size_t n_items, char *const *classes);
/* Log, once per file, that class names are missing in `a` or `b` and how their classes are
 * matched. */
void sl_say_unnamed(const struct sl_workplace *workplace, const struct sl_class_list *a,
                    const struct sl_class_list *b);

SL_END_DECLS

#endif
