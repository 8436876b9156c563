/* Private to verdict/: reads figures of any program from a CSV, with a row per run and a column per
 * figure, or a row per figure. Every name is looked up in the specification, so that a misspelt one
 * is an error and not an empty cell. */
#ifndef SOFTLAB_VERDICT_FIGURES_H
#define SOFTLAB_VERDICT_FIGURES_H

#include "softlab/base.h"
#include "softlab/experiment/contract.h"
#include "softlab/verdict/results.h"

/* Columns other than figures. */
enum sl_figures_role {
    SL_ROLE_SPEC,
    SL_ROLE_SCALE,
    SL_ROLE_VARIANT,
    SL_ROLE_PART,
    SL_ROLE_SET,
    SL_ROLE_NETWORK,
    SL_ROLE_TEXTS,
    SL_ROLE_SEED = SL_ROLE_TEXTS,
    SL_ROLE_FOLD,
    SL_ROLE_METRIC,
    SL_ROLE_VALUE,
    SL_ROLES
};
extern const char *const sl_figures_roles[]; /* the names of these columns; NULL-ended */

/* A specification at a scale, read once. */
struct sl_figures_spec {
    const char *called; /* borrowed; the name or path of --spec; NULL: its own name */
    char *scale;        /* owned */
    struct sl_spec *spec;
};

struct sl_figures_table {
    struct sl_csv *csv;
    const struct sl_results *results;
    const struct sl_figures_for *purpose;
    size_t columns[SL_ROLES];      /* SIZE_MAX: there is none */
    bool is_long;                  /* a row per figure */
    struct sl_figures_spec *known; /* owned */
    size_t n_known;
    struct sl_name_table *names; /* of runs, by their coordinates */
    struct sl_result *runs;      /* owned */
    size_t *lines;               /* owned; the first line of each run */
    size_t n_runs;
};

/* The run that a row's figures belong to. */
struct sl_figures_row {
    char *texts[SL_ROLE_TEXTS]; /* owned; NULL: empty or no such column */
    int64_t seed, fold;         /* -1: none */
    size_t line;
    const struct sl_spec *spec;
};

/* figures_row.c */
/* Fail with SL_ERR_INPUT: `<what> "word"` and the nearest name, or else the first few names. */
enum sl_status sl_figures_fail_name(const struct sl_figures_table *table, size_t line,
                                    const char *what, const char *word, const char *const *names,
                                    struct sl_error *err);
/* Read the specifications of --spec at the paper's scale, to know their names. */
enum sl_status sl_figures_open_specs(struct sl_figures_table *table,
                                     struct sl_error *err) SL_MUST_USE;
/* Fills `row`, which the caller releases even after a failure. */
enum sl_status sl_figures_row_read(struct sl_figures_table *table,
                                   const struct sl_csv_record *record, struct sl_figures_row *row,
                                   struct sl_error *err) SL_MUST_USE;
void sl_figures_row_release(struct sl_figures_row *row);

#endif
