/* Results: what runs of softlab or of any other program left behind, as lines of results.jsonl or
 * as a CSV of figures; docs/formats.md says what both hold. Files of several machines are read one
 * after another, or concatenated before. */
#ifndef SOFTLAB_VERDICT_RESULTS_H
#define SOFTLAB_VERDICT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/json.h"
#include "softlab/base/names.h"

SL_BEGIN_DECLS

/* Numbers row by row: most of a line, and so not kept as JSON. null is NaN. */
struct sl_numbers {
    char *name;     /* owned; the test set or attack; NULL for a training curve */
    double *values; /* owned; (count, width) */
    size_t count, width;
};
struct sl_number_list {
    struct sl_numbers *items; /* owned */
    size_t count;
};

/* One line. Texts are borrowed from `json`; NULL where the line has none. */
struct sl_result {
    json_t *json; /* owned; what is not below */
    const char *key, *spec, *scale, *variant;
    const char *part, *set, *network;
    int64_t seed, fold;                /* -1: none */
    bool is_keyless;                   /* the key is made of its coordinates */
    struct sl_number_list curve;       /* at most one: epoch, loss, accuracy, development score */
    struct sl_number_list attacks;     /* loss per iteration */
    struct sl_number_list reliability; /* low, high, count, confidence, accuracy per bin */
    /* owned; JSON texts, which were checked, or NULL */
    char *gallery, *galleries, *commands;
};
/* The numbers of that name (NULL: the only ones), or NULL. */
const struct sl_numbers *sl_numbers_find(const struct sl_number_list *list, const char *name);

struct sl_results {
    struct sl_result *runs; /* owned; results, also computed ones */
    size_t n_runs;
    struct sl_result *failures; /* owned; of runs that have no result */
    size_t n_failures;
    size_t n_repeated;          /* lines whose key was there before: the last one counts */
    size_t n_torn;              /* files whose last line was not whole, which was left out */
    struct sl_name_table *keys; /* owned */
    json_t
        *specs; /* owned; {name: line} of specifications that are not built in (sl_spec_record) */
    json_t *plans; /* owned; {"spec|scale|variant": {key: 1}}, the runs that the last plan had */
};
struct sl_results *sl_results_create(void) SL_MUST_USE SL_RETURNS_NONNULL;
void sl_results_destroy(struct sl_results *results);

/* Add the lines of a file, or of results.jsonl and failures.jsonl in a folder. Lines of other kinds
 * than results, failures and specifications are passed over. SL_ERR_INPUT names file and line. */
enum sl_status sl_results_read(struct sl_results *results, const char *path,
                               struct sl_error *err) SL_MUST_USE;

/* Add the figures of a CSV, a row per run or per figure, after the results.jsonl that may hold
 * their specification. Every name is looked up in the specification: SL_ERR_INPUT with file, line
 * and the nearest name for one that is unknown, for what is no number, and for a figure that is
 * there twice. */
struct sl_figures_for {
    const char *const *specs; /* (n_specs) names or paths; a single one is what rows are for that
                                 name none themselves */
    size_t n_specs;
};
enum sl_status sl_results_read_csv(struct sl_results *results, const char *path,
                                   const struct sl_figures_for *purpose,
                                   struct sl_error *err) SL_MUST_USE;

/* The keys of the runs that a specification had when it was last run; NULL if nobody wrote that
 * down. Borrowed. */
const json_t *sl_results_plan(const struct sl_results *results, const char *spec, const char *scale,
                              const char *variant);

/* Forget failures of runs that were finished later, once all files are read. */
void sl_results_settle(struct sl_results *results);

SL_END_DECLS

#endif
