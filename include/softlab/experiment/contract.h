/* Contract: what those who judge and present results know of an experiment: what its specification
 * says, which runs it plans, and how its figures are called. Nothing of jobs, processes or folders,
 * so that a verdict needs no runner; verdict/ includes no other header of experiment/. */
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

struct sl_spec {
    char *name;              /* owned; "collins2022/table2" */
    char *scale;             /* owned; "quick", "small" or "paper" */
    struct sl_json document; /* spec.json as it was written */
    json_t *json;            /* owned; the same with the scale applied, also within parts */
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
