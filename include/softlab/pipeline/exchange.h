/* Exchange: arrays in place of files. A caller that has votes, labels or predictions in memory
 * lends them to a job under names, and the job leaves the arrays that it made with the caller.
 *
 *     struct sl_lent lent[] = {{.name = "mine", .rows = labels}, {.name = "theirs", .rows =
 * other}}; struct sl_exchange exchange = {.lent = lent, .n_lent = 2}; workplace.exchange =
 * &exchange; job.a = "mine"; job.b = "theirs"; */
#ifndef SOFTLAB_PIPELINE_EXCHANGE_H
#define SOFTLAB_PIPELINE_EXCHANGE_H

#include "softlab/answer.h"
#include "softlab/base/rows.h"
#include "softlab/crowd.h"

SL_BEGIN_DECLS

/* What stands for the file of this name; everything is borrowed and stays as it is. */
struct sl_lent {
    const char *name;
    const struct sl_rows *rows;   /* labels or predictions; or NULL */
    const struct sl_votes *votes; /* in place of a file of answers; or NULL */
};
struct sl_exchange {
    const struct sl_lent *lent; /* borrowed; n_lent */
    size_t n_lent;
    bool confusions; /* also keep the annotators' confusions, which can be gigabytes */

    /* What the job left, for sl_exchange_release. */
    struct sl_rows *rows;             /* labels or predictions; NULL: none */
    struct sl_crowd_state state;      /* what an aggregator learned; its posterior is in `rows` */
    struct sl_name_table *annotators; /* the names of the state's annotators; NULL: none */
};
void sl_exchange_release(struct sl_exchange *exchange);

/* Rows or votes lent under this name; NULL if there are none. `exchange` may be NULL. */
const struct sl_rows *sl_lent_rows(const struct sl_exchange *exchange, const char *name);
const struct sl_votes *sl_lent_votes(const struct sl_exchange *exchange, const char *name);

SL_END_DECLS

#endif
