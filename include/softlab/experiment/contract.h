/* Contract: the part of an experiment that judges and reports use: the specification, the planned
 * runs and the names of figures. It leaves out jobs, processes and folders, so that a verdict needs
 * no runner; verdict/ includes no other header of experiment/. */
#ifndef SOFTLAB_EXPERIMENT_CONTRACT_H
#define SOFTLAB_EXPERIMENT_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/json.h"

SL_BEGIN_DECLS

/* ---- Specifications ---- */

/* The names of the built-in specifications, NULL-ended. */
extern const char *const sl_builtin_specs[];

/* The brief: what reports need from a specification, read once. Texts are borrowed from the
 * specification. A missing text is NULL, a missing number NaN. */
struct sl_name_list {
    const char **names; /* owned; (count), NULL-ended; NULL if empty */
    size_t count;
};
bool sl_name_list_has(const struct sl_name_list *list, const char *name);

/* How the runs at a scale differ from the paper's, from least to most. */
enum sl_scale_kind {
    SL_RUNS_ALL,   /* the same runs */
    SL_RUNS_FEWER, /* fewer runs, with the paper's networks and recipe */
    SL_RUNS_OTHER, /* other networks, recipes, settings or data */
};

/* The whole specification, or one of its parts. An overlap is n_test / n_train of runs whose
 * training sets share items; it corrects the variance of their mean. 0: the training sets share no
 * items, or all. */
struct sl_brief_design {
    const char *name;                          /* NULL: the whole specification */
    const char *missing;                       /* why it cannot be run as published */
    struct sl_name_list sets, networks, tests; /* inherited where the part has none */
    double fold_overlap, seed_overlap;         /* for runs with and without a fold */
    enum sl_scale_kind scale_kind;             /* of the whole: the part that differs most */
};
enum sl_coordinate { SL_COORDINATE_PART, SL_COORDINATE_SET, SL_COORDINATE_NETWORK, SL_COORDINATES };
struct sl_brief_cell {
    char *pattern;             /* owned; coordinates joined by bars, "*" for any */
    const char *column, *cell; /* "test/metric", and the cell of expected.csv */
};
struct sl_brief_number {
    const char *name;
    double value;
};
struct sl_brief_pair {
    const char *name, *words;
};
struct sl_brief_figure {
    const char *cell;
    json_t *definition;  /* owned; how it is computed without training */
    const char *missing; /* why it cannot be computed */
};
struct sl_brief_set {
    const char *name;
    double count, annotators; /* items with labels, and answers drawn per item; NaN: all */
};
struct sl_brief_series {
    const char *name;
    struct sl_name_list sets;
    double all, seconds; /* answers per item of a set that uses them all; seconds per answer */
};
/* The question which label set is nearest to the truth for its time; NULLs: not asked. */
struct sl_brief_question {
    const char *against, *distance, *model;
};
struct sl_brief {
    const char *title, *source, *people;
    struct sl_name_list notes;
    enum sl_coordinate rows[SL_COORDINATES]; /* (n_rows) the coordinates of a row */
    size_t n_rows;
    struct sl_name_list columns;     /* "test/metric" */
    bool has_sd;                     /* the spread is a standard deviation, not a 95 % interval */
    struct sl_brief_number *factors; /* owned; by metric, our unit to the printed one */
    size_t n_factors;
    struct sl_brief_cell *cells; /* owned */
    size_t n_cells;
    struct sl_brief_number *defined; /* owned; rows whose value is fixed by definition */
    size_t n_defined;
    struct sl_brief_design *designs; /* owned; the whole specification, then its parts */
    size_t n_designs;
    struct sl_brief_set *sets; /* owned; the sets outside parts */
    size_t n_sets;
    struct sl_brief_figure *figures; /* owned; published figures first */
    size_t n_figures;
    struct sl_brief_pair *absent; /* owned; cells that cannot be filled, and why */
    size_t n_absent;
    struct sl_brief_pair *stands_for; /* owned; a network of the scale, and the paper's network
                                         whose place it takes */
    size_t n_stands_for;
    const char *plot_x;             /* "seconds", "annotators" or "count"; NULL: no plot */
    struct sl_brief_series *series; /* owned; of the plot */
    size_t n_series;
    struct sl_brief_question question;
};
/* The factor from our unit of a metric to the printed one: 100 for shares in per cent. */
double sl_brief_factor(const struct sl_brief *brief, const char *metric);
/* The design of a part; for NULL or an unknown name the design of the whole. */
const struct sl_brief_design *sl_brief_design_find(const struct sl_brief *brief, const char *part);

struct sl_spec_body;
struct sl_spec {
    char *name;              /* owned; "collins2022/table2" */
    char *scale;             /* owned; "quick", "small" or "paper" */
    struct sl_json document; /* spec.json as it was written */
    /* owned; the specification as written, and as run: scale applied and defaults filled in.
     * Private to experiment/. */
    struct sl_spec_body *written, *body;
    struct sl_brief *brief;  /* owned; what reports need */
    char *expected, *claims; /* owned; the texts of expected.csv and claims.csv, or NULL */
    char *folder;            /* owned; the folder it was read from; NULL: built in */
};
/* Read a specification by name ("collins2022/table2"), or by path if `name` is a folder or ends in
 * .json. expected.csv and claims.csv are read from the same folder. The caller owns *out.
 * SL_ERR_INPUT, with file, line and key, for an unknown key, a value of the wrong kind or a name
 * that does not exist; SL_ERR_NOT_FOUND, with the nearest name, for an unknown specification.
 *
 * A scale changes the specification: objects are merged, other values replaced, and a list of
 * `sets` keeps those sets. A key of the scale also applies to each part that has the key, before
 * the scale's changes to that part. */
enum sl_status sl_spec_read(const char *name, const char *scale, struct sl_spec **out,
                            struct sl_error *err) SL_MUST_USE;
void sl_spec_destroy(struct sl_spec *spec);
/* True if the scale trains less than the paper, so that its figures are not a reproduction. */
bool sl_spec_is_small(const struct sl_spec *spec);

/* Write a specification as a line of results.jsonl, so that results can be reported without its
 * folder, and read it back. The caller owns the result of both. */
json_t *sl_spec_record(const struct sl_spec *spec) SL_MUST_USE;
enum sl_status sl_spec_from_record(const json_t *record, const char *scale, struct sl_spec **out,
                                   struct sl_error *err) SL_MUST_USE;

/* ---- Runs ---- */

/* A planned run; borrowed from the plan. */
struct sl_planned_run {
    const char *key;                  /* SHA-256 of everything its figures depend on */
    const char *part, *set, *network; /* NULL: none */
    int64_t seed, fold;               /* -1: none */
    const json_t *renamed; /* {"test/metric scored": "test/metric of the line"}, or NULL */
    const json_t *absent;  /* {"test": "why it cannot be scored here"}, or NULL */
    const char *missing;   /* why the run cannot be made here, or NULL */
};
struct sl_planned {
    struct sl_planned_run *runs; /* owned; n_runs, in the order of results.jsonl */
    size_t n_runs;
    struct sl_experiment *plan; /* owned; the runs borrow from it */
};
/* Plan the runs of a specification without reading data. `as_published`: recipes and hold-outs as
 * in the paper's text, not as in its code. The caller owns *out. SL_ERR_INPUT if the specification
 * contradicts itself. */
enum sl_status sl_planned_create(const struct sl_spec *spec, bool as_published,
                                 struct sl_planned **out, struct sl_error *err) SL_MUST_USE;
void sl_planned_destroy(struct sl_planned *planned);

/* ---- Result lines ---- */

/* Figures of a run: seconds of annotator time per labelled item, and the number of labelled items.
 */
#define SL_ANSWER_SECONDS "labels/seconds"
#define SL_ANSWER_ITEMS   "labels/items"

/* The keys of a chart's series that hold numbers, NULL-ended. */
extern const char *const sl_exhibit_numbers[];

SL_END_DECLS

#endif
