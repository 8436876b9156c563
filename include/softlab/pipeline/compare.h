/* Compare: two label sets; or mixed images, where the shares that people inferred or the labels
 * that they gave are compared with the shares that were mixed. */
#ifndef SOFTLAB_PIPELINE_COMPARE_H
#define SOFTLAB_PIPELINE_COMPARE_H

#include "softlab/answer.h"
#include "softlab/base/json.h"
#include "softlab/label/compare.h"
#include "softlab/label/mixing.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* Runs on `mixed` if given, else on `mix`, else on `a` and `b`. Texts are borrowed; NULL: not
 * given. */
struct sl_compare_job {
    const char *a, *b; /* label sets */
    const char *by;    /* a name of sl_label_distances; items are sorted by it */
    bool least;        /* sort the least different items first */
    uint64_t top;      /* items to show */
    /* Which items to show; see struct sl_comparison_filter. */
    bool same_first;
    double min_entropy, max_entropy_b;
    const char *mix;             /* answers.jsonl: inferred against generated shares */
    const char *endpoint_labels; /* with mix: labels of the unmixed images; items are split by their
                                    entropy */
    const char *only;            /* with mix: a text file of items, one per line; NULL: all */
    uint64_t bootstrap; /* with mix: resamples of items and annotators for intervals; 0: none */
    uint64_t seed;      /* of the bootstrap */
    const char *mixed;  /* labels of mixed images; compared with the shares in the images' names */
};
struct sl_compare_job sl_compare_job_default(void);

/* The options, with mode bits for the three comparisons. */
enum { SL_COMPARE_SETS = 1, SL_COMPARE_MIX = 2, SL_COMPARE_MIXED = 4 };
extern const struct sl_field_row sl_compare_job_options[];
extern const struct sl_task sl_compare_task;

/* Results; members that belong to another comparison are zero. */
struct sl_compared {
    const struct sl_compare_job *job; /* borrowed */
    struct sl_rows *a, *b;            /* owned; the two label sets */
    struct sl_comparison comparison;  /* owned; its first n_kept items in the order of `by` */
    size_t n_kept;                    /* items that pass the job's filters */
    size_t n_shown;                   /* of these, how many to show */
    struct sl_answers *answers;       /* owned; with mix */
    struct sl_mix_summary mix;        /* owned */
    struct sl_mixed_agreement mixed;
};
/* Reads the files, matches rows by item and columns by class, and compares. The log notes ties,
 * rescaled rows and classes matched without names. Errors name the file. SL_ERR_USAGE if the job
 * lacks a file or names an unknown distance. *out borrows *job. */
enum sl_status sl_compare_job_run(const struct sl_compare_job *job,
                                  const struct sl_workplace *workplace, struct sl_compared *out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_compared_release(struct sl_compared *compared);
/* The name of a class, by column of a; NULL if neither set names its classes. */
const char *sl_compared_class(const struct sl_compared *compared, size_t column);
/* All results as a new JSON object; takes `provenance`, which may be NULL. */
json_t *sl_compared_json(const struct sl_compared *compared, json_t *provenance) SL_MUST_USE;

SL_END_DECLS

#endif
