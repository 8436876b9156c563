/* Import: convert answers from a published format to answers.jsonl or to another format
 * (softlab/answer.h). */
#ifndef SOFTLAB_PIPELINE_IMPORT_H
#define SOFTLAB_PIPELINE_IMPORT_H

#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* The name of answers.jsonl among the formats. */
#define SL_IMPORT_ANSWERS "answers"

/* Texts are borrowed; NULL: not given. */
struct sl_import_job {
    const char *from;   /* the format read: a name of sl_answer_formats, or SL_IMPORT_ANSWERS */
    const char *to;     /* the format written */
    char *const *paths; /* the files read; SL_IMPORT_ANSWERS reads several only for a cache */
    size_t n_paths;
    struct sl_answer_reading reading;
    enum sl_presence header; /* format wide: whether the first row holds annotators' names */
    const char *id_column;   /* format wide: the column of item names, or "none" */
    const char *classes;     /* "A,B,...", in order; NULL: the classes found, sorted */
    const char *only;   /* keep only answers to the items that this file lists, a line each, or that
                           this answers.jsonl has; not for a cache */
    const char *output; /* a name that ends in .slb makes a columnar cache of hard answers, whatever
                           `to` is */
};
struct sl_import_job sl_import_job_default(void);
extern const struct sl_field_row sl_import_job_options[];
extern const struct sl_task sl_import_task;

/* SL_ERR_USAGE if a format, the output or the files are missing, or a format is unknown. */
enum sl_status sl_import_job_check(const struct sl_import_job *job,
                                   struct sl_error *err) SL_MUST_USE;
/* The suffix that the output of a valid job needs, static; NULL: any. */
const char *sl_import_job_suffix(const struct sl_import_job *job);
/* Convert the answers; a published format is converted to answers.jsonl in constant memory. Counts
 * into *notes how many answers were read, left out or changed, and logs the counts. */
enum sl_status sl_import_job_run(const struct sl_import_job *job,
                                 const struct sl_workplace *workplace,
                                 struct sl_import_notes *notes, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
