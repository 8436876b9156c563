/* Import: what annotators said, from one of the formats it was published in to answers.jsonl or to
 * another of them (softlab/answer.h). */
#ifndef SOFTLAB_PIPELINE_IMPORT_H
#define SOFTLAB_PIPELINE_IMPORT_H

#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* answers.jsonl goes by this name among the formats. */
#define SL_IMPORT_ANSWERS "answers"

/* Texts are borrowed, NULL where nothing is said. */
struct sl_import_job {
    const char *from;   /* of sl_answer_formats, or SL_IMPORT_ANSWERS */
    const char *to;     /* the same, of what is written */
    char *const *paths; /* files of `from`; of SL_IMPORT_ANSWERS, and for a cache, a single one */
    size_t n_paths;
    struct sl_answer_reading reading;
    enum sl_presence header; /* of wide: whether the first row holds annotators' names */
    const char *id_column;   /* of wide: the column of items' names, or "none" */
    const char *classes;     /* "A,B,...", in their order; NULL: those found, sorted */
    const char *output;      /* a name in .slb is the columnar cache of hard answers, whatever `to`
                                says */
};
struct sl_import_job sl_import_job_default(void);
extern const struct sl_field_row sl_import_job_options[];
extern const struct sl_task sl_import_task;

/* SL_ERR_USAGE where a format, the output or the files are missing or there is no such format. */
enum sl_status sl_import_job_check(const struct sl_import_job *job,
                                   struct sl_error *err) SL_MUST_USE;
/* The ending of a name for what a job that passes writes, static; NULL where any will do. */
const char *sl_import_job_suffix(const struct sl_import_job *job);
/* The answers, to their file; a published format becomes answers.jsonl in constant memory. What
 * became of them is counted in *notes and goes to the log. */
enum sl_status sl_import_job_run(const struct sl_import_job *job,
                                 const struct sl_workplace *workplace,
                                 struct sl_import_notes *notes, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
