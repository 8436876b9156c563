/* Compare: two label sets side by side; or what people saw in mixed images beside what was mixed,
 * as shares that they inferred or as labels. */
#ifndef SOFTLAB_PIPELINE_COMPARE_H
#define SOFTLAB_PIPELINE_COMPARE_H

#include "softlab/answer.h"
#include "softlab/base/json.h"
#include "softlab/label/compare.h"
#include "softlab/label/mixing.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* One of `mixed`, `mix`, or `a` and `b`, looked for in this order. Texts are borrowed, NULL where
 * nothing is said. */
struct sl_compare_job {
    const char *a, *b; /* label sets */
    const char *by;    /* of sl_label_distances: what items are sorted by */
    bool least;        /* the least different items first */
    uint64_t top;      /* items to show */
    /* items worth showing; see struct sl_comparison_filter */
    bool same_first;
    double min_entropy, max_entropy_b;
    const char *mix;             /* answers.jsonl: inferred against generated shares */
    const char *endpoint_labels; /* of mix: labels of the images that were mixed, to split by their
                                    entropy */
    const char *only;            /* of mix: a text file of items, one per line; NULL: all */
    uint64_t bootstrap;          /* of mix: resamples of items and annotators for intervals; 0:
                                    none */
    uint64_t seed;               /* of the bootstrap */
    const char *mixed;           /* labels of mixed images, against the shares in their names */
};
struct sl_compare_job sl_compare_job_default(void);

/* What can be said, with bits for the three ways to compare. */
enum { SL_COMPARE_SETS = 1, SL_COMPARE_MIX = 2, SL_COMPARE_MIXED = 4 };
extern const struct sl_field_row sl_compare_job_options[];
extern const struct sl_task sl_compare_task;

/* What was found; the members of other ways to compare are zero. */
struct sl_compared {
    const struct sl_compare_job *job; /* borrowed */
    struct sl_rows *a, *b;            /* owned; the two sets */
    struct sl_comparison comparison;  /* owned; its first n_kept items in the order of `by` */
    size_t n_kept;                    /* items that the job does not leave out */
    size_t n_shown;                   /* of these, those that it wants to see */
    struct sl_answers *answers;       /* owned; of mix */
    struct sl_mix_summary mix;        /* owned */
    struct sl_mixed_agreement mixed;
};
/* Reads the files and matches rows by item and columns by class; ties, rows that were scaled and
 * classes without names go to the log. Errors name the file. SL_ERR_USAGE where the job lacks its
 * files or names no distance. *job outlives what it found. */
enum sl_status sl_compare_job_run(const struct sl_compare_job *job,
                                  const struct sl_workplace *workplace, struct sl_compared *out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_compared_release(struct sl_compared *compared);
/* All of it as a new JSON object; `provenance` is taken, or NULL. */
json_t *sl_compared_json(const struct sl_compared *compared, json_t *provenance) SL_MUST_USE;

SL_END_DECLS

#endif
