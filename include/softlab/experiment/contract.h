/* Contract: what judging and presenting results needs to know of an experiment: what its
 * specification says, which runs it plans, and how its figures are called. Nothing of jobs,
 * processes or folders, so that a verdict needs no runner; verdict/ includes no other header of
 * experiment/. */
#ifndef SOFTLAB_EXPERIMENT_CONTRACT_H
#define SOFTLAB_EXPERIMENT_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/json.h"

SL_BEGIN_DECLS

/* ---- Specifications ---- */

/* The names of the specifications that are built in, NULL-ended. */
extern const char *const sl_builtin_specs[];

/* What a specification says of its table and of what is to be shown, read once. Texts are borrowed
 * from the specification, and absent ones are NULL; absent numbers are NaN. */
struct sl_name_list {
    const char **names; /* owned; (count), NULL-ended; NULL if there is none */
    size_t count;
};
bool sl_name_list_has(const struct sl_name_list *list, const char *name);

/* What a scale makes of the paper's runs, from better to worse. */
enum sl_scale_kind {
    SL_RUNS_ALL,   /* all of them */
    SL_RUNS_FEWER, /* with the paper's networks and recipe, fewer */
    SL_RUNS_OTHER, /* other networks, recipes, settings or data */
};

/* The whole, or a part of it. n_test / n_train of runs whose training sets share items is what the
 * variance of their mean is corrected by; 0: they share none or all. */
struct sl_brief_design {
    const char *name;                          /* NULL: the whole */
    const char *missing;                       /* why it cannot be run as published */
    struct sl_name_list sets, networks, tests; /* a part without any of its own has the whole's */
    double fold_overlap, seed_overlap;         /* of runs of a fold, and of other runs */
    enum sl_scale_kind scale_kind;             /* the whole is as its worst part */
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
    const char *missing; /* why it cannot be */
};
struct sl_brief_set {
    const char *name;
    double count, annotators; /* items with labels, and answers drawn of each */
};
struct sl_brief_series {
    const char *name;
    struct sl_name_list sets;
    double all, seconds; /* answers per item of a set that draws none; seconds per answer */
};
/* Which label set is nearest to the truth for its time; NULLs: nothing is asked. */
struct sl_brief_question {
    const char *against, *distance, *model;
};
struct sl_brief {
    const char *title, *source, *people;
    struct sl_name_list notes;
    enum sl_coordinate rows[SL_COORDINATES]; /* (n_rows) what a row's coordinates are */
    size_t n_rows;
    struct sl_name_list columns;     /* "test/metric" */
    bool has_sd;                     /* cells have a standard deviation, not a 95 % interval */
    struct sl_brief_number *factors; /* owned; by metric, from our unit to the printed one */
    size_t n_factors;
    struct sl_brief_cell *cells; /* owned */
    size_t n_cells;
    struct sl_brief_number *defined; /* owned; rows that are a number by definition */
    size_t n_defined;
    struct sl_brief_design *designs; /* owned; the whole, then its parts */
    size_t n_designs;
    struct sl_brief_set *sets; /* owned; of the whole */
    size_t n_sets;
    struct sl_brief_figure *figures; /* owned; the published ones first */
    size_t n_figures;
    struct sl_brief_pair *absent; /* owned; cells that nothing fills, and why */
    size_t n_absent;
    struct sl_brief_pair *stands_for; /* owned; networks, and the paper's that each stands for */
    size_t n_stands_for;
    const char *plot_x;             /* "seconds", "annotators" or "count"; NULL: there is none */
    struct sl_brief_series *series; /* owned; of the plot */
    size_t n_series;
    struct sl_brief_question question;
};
/* From our unit of a metric to the printed one: 100 for shares in per cent. */
double sl_brief_factor(const struct sl_brief *brief, const char *metric);
/* The design of a part; that of the whole for NULL and for a name that no part has. */
const struct sl_brief_design *sl_brief_design_find(const struct sl_brief *brief, const char *part);

struct sl_spec_body;
struct sl_spec {
    char *name;              /* owned; "collins2022/table2" */
    char *scale;             /* owned; "quick", "small" or "paper" */
    struct sl_json document; /* spec.json as it was written */
    /* owned; as it was written and as it is to be run, with what may be left out; private to
     * experiment/ */
    struct sl_spec_body *written, *body;
    struct sl_brief *brief;  /* owned; what judging and presenting needs of it */
    char *expected, *claims; /* owned; the texts of expected.csv and claims.csv, or NULL */
    char *folder;            /* owned; where it was read; NULL: it is built in */
};
/* By name ("collins2022/table2"), or by path if it is a folder or ends in .json; expected.csv and
 * claims.csv are taken from beside it. SL_ERR_INPUT naming file, line and place of what is unknown,
 * of the wrong kind, or names something that is not there; SL_ERR_NOT_FOUND with the nearest name.
 *
 * Applying a scale: objects are merged, all else is replaced; a list of `sets` keeps those sets; a
 * key that parts have too is applied within them, before what the scale says of the part itself. */
enum sl_status sl_spec_read(const char *name, const char *scale, struct sl_spec **out,
                            struct sl_error *err) SL_MUST_USE;
void sl_spec_destroy(struct sl_spec *spec);
/* Whether what is trained is less than the paper's: such figures are no reproduction. */
bool sl_spec_is_small(const struct sl_spec *spec);

/* A specification that is not built in, as a line of results.jsonl, so that results can be reported
 * where nothing else is; and back. */
json_t *sl_spec_record(const struct sl_spec *spec) SL_MUST_USE;
enum sl_status sl_spec_from_record(const json_t *record, const char *scale, struct sl_spec **out,
                                   struct sl_error *err) SL_MUST_USE;

/* ---- Runs ---- */

/* A run as the specification plans it; borrowed from the plan. */
struct sl_planned_run {
    const char *key;                  /* SHA-256 of all that its figures depend on */
    const char *part, *set, *network; /* NULL where there is none */
    int64_t seed, fold;               /* -1: none */
    const json_t *renamed;            /* {"test/metric here": "test/metric of the line"}, or NULL */
    const json_t *absent;             /* {"test": "why it cannot be scored here"}, or NULL */
    const char *missing;              /* why the whole run cannot be made here, or NULL */
};
struct sl_planned {
    struct sl_planned_run *runs; /* owned; n_runs, in the order of results.jsonl */
    size_t n_runs;
    struct sl_experiment *plan; /* owned; what the runs are borrowed from */
};
/* The runs of a specification without a look at data; recipes and hold-outs as the paper's text has
 * them, or as its code. SL_ERR_INPUT for a specification that contradicts itself. */
enum sl_status sl_planned_create(const struct sl_spec *spec, bool as_published,
                                 struct sl_planned **out, struct sl_error *err) SL_MUST_USE;
void sl_planned_destroy(struct sl_planned *planned);

/* ---- Lines of results ---- */

/* The figure of a run that is the time of its labels' answers, in seconds per item; and how many
 * labels there are. */
#define SL_ANSWER_SECONDS "labels/seconds"
#define SL_ANSWER_ITEMS   "labels/items"

/* The keys of a chart's series that hold numbers; NULL-ended. */
extern const char *const sl_exhibit_numbers[];

SL_END_DECLS

#endif
