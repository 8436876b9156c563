/* Workplace: what the calling program lends to a piece of work: the data folders, a log, a progress
 * bar, and a way to say stop. One that is zero but for its roots is silent and never stops. */
#ifndef SOFTLAB_PIPELINE_WORKPLACE_H
#define SOFTLAB_PIPELINE_WORKPLACE_H

#include "softlab/base/classes.h"
#include "softlab/base/log.h"
#include "softlab/base/names.h"
#include "softlab/base/rows.h"
#include "softlab/dataset.h"

SL_BEGIN_DECLS

struct sl_workplace {
    struct sl_data_roots roots;
    const struct sl_log *log;      /* borrowed, or NULL */
    struct sl_progress *progress;  /* borrowed, or NULL */
    struct sl_name_table *unnamed; /* borrowed; files whose missing class names were mentioned, so
                                      that each is mentioned once; or NULL */
    void *context;                 /* borrowed; of the hooks below, each of which may be NULL */
    /* What a path is called in messages, such as "standard input" for a temporary file. */
    const char *(*shown)(void *context, const char *path);
    bool (*stop)(void *context);
};

/* What a path is called in messages; borrowed. */
const char *sl_workplace_shown(const struct sl_workplace *workplace, const char *path);

/* sl_dataset_open, with the reader's notes in the log. */
enum sl_status sl_workplace_open(const struct sl_workplace *workplace, const char *name,
                                 struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;

/* Log how many rows of a file were rescaled because they were off 1 by rounding, if any. */
void sl_say_rescaled(const struct sl_workplace *workplace, const char *path,
                     const struct sl_rows *rows);
/* Log how many items have several most probable classes, if any, and which of them counts;
 * `classes` is NULL where they have no names. */
void sl_say_ties(const struct sl_workplace *workplace, const char *what, size_t n_tied,
                 size_t n_items, char *const *classes);
/* Log, once per file, how the classes of a file that does not name them are matched: `a` and `b`
 * stand side by side, in files or in something else that has classes. */
void sl_say_unnamed(const struct sl_workplace *workplace, const struct sl_class_list *a,
                    const struct sl_class_list *b);

SL_END_DECLS

#endif
