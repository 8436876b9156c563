/* Results: figures of runs of softlab or of any other program, read from results.jsonl or from a
 * CSV; docs/formats.md describes both. Files of several machines are read one after another, or as
 * one concatenated file. */
#ifndef SOFTLAB_VERDICT_RESULTS_H
#define SOFTLAB_VERDICT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/json.h"
#include "softlab/base/names.h"

SL_BEGIN_DECLS

/* A table of numbers; null is NaN. Not kept as JSON, because numbers are most of a line. */
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
    json_t *json; /* owned; all members but the lists below */
    const char *key, *spec, *scale, *variant;
    const char *part, *set, *network;
    int64_t seed, fold;                /* -1: none */
    bool is_keyless;                   /* the line has no key; `key` is made of its coordinates */
    struct sl_number_list curve;       /* at most one: epoch, loss, accuracy, development score */
    struct sl_number_list attacks;     /* loss per iteration */
    struct sl_number_list reliability; /* low, high, count, confidence, accuracy per bin */
    /* owned; valid JSON texts, or NULL */
    char *gallery, *galleries, *commands;
};
/* The table of that name (NULL: the first), or NULL. */
const struct sl_numbers *sl_numbers_find(const struct sl_number_list *list, const char *name);

struct sl_results {
    struct sl_result *runs; /* owned; results, including computed ones */
    size_t n_runs;
    struct sl_result *failures; /* owned; runs that failed */
    size_t n_failures;
    size_t n_repeated;          /* lines with the key of an earlier line, which they replace */
    size_t n_torn;              /* files whose incomplete last line was ignored */
    struct sl_name_table *keys; /* owned */
    json_t *specs; /* owned; {name: line} of specifications in the files (sl_spec_record) */
    json_t *plans; /* owned; {"spec|scale|variant": {key: 1}}, the runs of the last plan */
};
struct sl_results *sl_results_create(void) SL_MUST_USE SL_RETURNS_NONNULL;
void sl_results_destroy(struct sl_results *results);

/* Add the lines of a file, or of results.jsonl and failures.jsonl in a folder. Lines of unknown
 * kinds are ignored. SL_ERR_INPUT names file and line. */
enum sl_status sl_results_read(struct sl_results *results, const char *path,
                               struct sl_error *err) SL_MUST_USE;

/* Add the figures of a CSV with a row per run or per figure. Read a results.jsonl that holds their
 * specification first. SL_ERR_INPUT, with file and line, for a name that the specification lacks
 * (with the nearest one), for a value that is not a number and for a figure given twice. */
struct sl_figures_for {
    const char *const *specs; /* (n_specs) names or paths; if there is one, it is the specification
                                 of rows that name none */
    size_t n_specs;
};
enum sl_status sl_results_read_csv(struct sl_results *results, const char *path,
                                   const struct sl_figures_for *purpose,
                                   struct sl_error *err) SL_MUST_USE;

/* The keys of the runs in the last plan of a specification; NULL if the files have no plan.
 * Borrowed. */
const json_t *sl_results_plan(const struct sl_results *results, const char *spec, const char *scale,
                              const char *variant);

/* Drop failures of runs that have a result. Call it once all files are read. */
void sl_results_settle(struct sl_results *results);
/* All of these: read files and folders, then each .csv, as a results.jsonl may bring the
 * specification that it is for, and settle. */
enum sl_status sl_results_read_all(struct sl_results *results, char *const *paths, size_t n_paths,
                                   const struct sl_figures_for *purpose,
                                   struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
