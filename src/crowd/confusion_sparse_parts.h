/* The parts of struct sl_sparse, shared by confusion_sparse.c, which makes them, and
 * confusion_sparse_read.c, which scores items and reports with them. */
#ifndef SOFTLAB_CROWD_CONFUSION_SPARSE_PARTS_H
#define SOFTLAB_CROWD_CONFUSION_SPARSE_PARTS_H

#include "crowd/confusion_sparse.h"
#include "crowd/em.h"

enum { SL_SPARSE_LISTED = 31, SL_SPARSE_UNLISTED = UINT16_MAX };

/* The classes with mass of an item, if they are few. A cache line. */
struct sl_sparse_support {
    uint16_t count; /* SL_SPARSE_UNLISTED: more than SL_SPARSE_LISTED */
    uint16_t classes[SL_SPARSE_LISTED];
};

/* What an annotator said: one class, about items[first] and those up to the next entry's. */
struct sl_sparse_entry {
    size_t first;
    size_t at;        /* of its scores in `values`, counted from the annotator's first */
    uint32_t n_cells; /* K: scores of all classes; less: pairs of a class and its score */
    uint16_t said;
};

/* A class beside its score; as large as two scores. */
struct sl_sparse_cell {
    uint32_t class_index;
    float score;
};

/* What a worker needs for one annotator or item. */
struct sl_sparse_scratch {
    double *numerators; /* K: score(count) of the item's cells; all `empty` between items */
    double *later;      /* K */
    int64_t *units;     /* K; all 0 between uses */
    uint32_t *touched;  /* K */
};

struct sl_sparse {
    const struct sl_confusion_prior *prior; /* borrowed */
    const struct sl_votes *votes;           /* borrowed */
    struct sl_pool *pool;                   /* borrowed */
    size_t n_classes, n_entries;
    size_t *begin;                     /* owned; n_annotators + 1: entries of each annotator */
    struct sl_sparse_entry *entries;   /* owned; n_entries + 1 */
    uint32_t *items;                   /* owned; count: items of the answers, entry after entry */
    uint32_t *entry_of;                /* owned; count: the entry of each answer */
    uint32_t *mass;                    /* owned; (n_items, K) in units */
    struct sl_sparse_support *support; /* owned; n_items */
    double *totals;    /* owned; (n_annotators, K true): score of the sum of a row */
    size_t *start;     /* owned; n_annotators + 1: first place in `values` */
    float *values;     /* owned; scores of entries with several answers */
    size_t room;       /* of `values` */
    double *numbers;   /* owned; scratch of all workers */
    int64_t *units;    /* owned; K per worker, apart */
    uint32_t *touched; /* owned; K per worker, apart */
    /* Of the update at hand: */
    double empty, empty_total; /* the scores of a cell and of a row without counts */
    double penalty[SL_CROWD_CHUNKS];
    /* Of the report at hand: */
    const double *class_prior;
    double *skill;
    float *confusion;
};

static inline struct sl_sparse_scratch sl_sparse_scratch_of(const struct sl_sparse *sparse,
                                                            size_t worker)
{
    const size_t apart = sl_em_apart(sparse->n_classes, sizeof(double));
    double *numbers = sparse->numbers + worker * 2 * apart;
    return (struct sl_sparse_scratch){numbers, numbers + apart, sparse->units + worker * apart,
                                      sparse->touched + worker * 2 * apart};
}

static inline size_t sl_sparse_n_answers(const struct sl_sparse_entry *entry)
{
    return entry[1].first - entry->first;
}

static inline double sl_sparse_pseudo(const struct sl_sparse *sparse, bool right)
{
    return sparse->prior->smoothing + (right ? sparse->prior->diagonal : 0);
}

/* What a cell adds to the objective beside the score of its row's sum, over a cell without counts;
 * `numerator` is score(count). */
static inline double sl_sparse_gain(const struct sl_sparse *sparse, double count, double numerator,
                                    bool right)
{
    const struct sl_confusion_model *model = sparse->prior->model;
    const double pseudo = sl_sparse_pseudo(sparse, right);
    const double none = right ? model->score(pseudo) : sparse->empty;
    return model->penalty(count, pseudo, numerator) - model->penalty(pseudo, pseudo, none);
}

/* The sums of the mass of answers first .. end - 1 into scratch->units, which are 0 before. Returns
 * how many classes have mass, which are listed in scratch->touched. */
size_t sl_sparse_gather(const struct sl_sparse *sparse, size_t first, size_t end,
                        const struct sl_sparse_scratch *scratch);
/* Set the units that were gathered to 0. */
void sl_sparse_clear(const struct sl_sparse_scratch *scratch, size_t n_touched);

#endif
