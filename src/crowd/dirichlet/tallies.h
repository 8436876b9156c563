/* Tallies: items with the same counts are one tally, so that fitting does the work of distinct
 * counts only. Most items of a large crowd share theirs with many others. */
#ifndef SOFTLAB_CROWD_TALLIES_H
#define SOFTLAB_CROWD_TALLIES_H

#include "softlab/crowd.h"

/* Counts are whole numbers of units, so that few differ and their sums are exact. Trust is a
 * multiple of a sixteenth. */
enum { SL_TALLY_UNITS = 64 /* of one answer */ };

struct sl_tally_cell {
    uint64_t class_index; /* as wide as the units: cells are compared as bytes */
    uint64_t units;
};

struct sl_crowd_tallies {
    size_t n_items, n_classes, count;
    uint32_t *of_item;           /* owned; n_items: the tally of every item */
    size_t *begin;               /* owned; count + 1: items of a tally */
    uint32_t *items;             /* owned; n_items, ordered by tally */
    struct sl_name_table *cells; /* owned; the cells of every tally as the bytes of its name */
    uint64_t most;               /* the largest whole count of answers to an item */
    bool whole;                  /* all counts are whole numbers */
};

/* What one annotator's answer adds to the counts of an item. */
struct sl_tally_source {
    const size_t *begin; /* n_items + 1: answers of the items */
    size_t n_items, n_classes;
    const uint32_t *annotator; /* per answer; or SL_NO_NAME */
    const uint16_t *label;     /* per answer; or NULL: */
    const float *rows;         /* (answers, K) */
    double row_weight;         /* of a row's sum of 1 */
    const double *trust;       /* per annotator, 0 to 1; or NULL: 1 */
};
/* The weight of an answer. */
double sl_tally_weight(const struct sl_tally_source *source, size_t answer);
/* Add the units of an answer to those of the classes (K): exactly what leaving it out takes away.
 */
void sl_tally_add(const struct sl_tally_source *source, size_t answer, uint64_t *units);

enum sl_status sl_tallies_create(const struct sl_tally_source *source, struct sl_crowd_tallies *out,
                                 struct sl_error *err) SL_MUST_USE;
void sl_tallies_release(struct sl_crowd_tallies *tallies);
/* Copy the cells of a tally, classes ascending, without zeros, into room for K. Returns their
 * number. */
size_t sl_tally_read(const struct sl_crowd_tallies *tallies, size_t tally,
                     struct sl_tally_cell *out);
/* Write the counts of a tally in answers into `out` (K). `cells` is scratch, K. */
void sl_tally_counts(const struct sl_crowd_tallies *tallies, size_t tally,
                     struct sl_tally_cell *cells, double *out);

#endif
