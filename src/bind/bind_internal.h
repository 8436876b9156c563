/* What the files of bind/ share. */
#ifndef SOFTLAB_BIND_INTERNAL_H
#define SOFTLAB_BIND_INTERNAL_H

#include "softlab/answer/measures.h"
#include "softlab/bind.h"
#include "softlab/dataset.h"
#include "softlab/pipeline/exchange.h"

/* A call whose work may run out of memory anywhere (sl_guard). `done` tells a work that returned
 * from one that was abandoned, after which the desk must not be touched. */
struct sl_bind_call {
    enum sl_status (*work)(void *context, struct sl_error *err);
    void *context;
    bool done;
};
enum sl_status sl_bind_guard(struct sl_bind_call *call, struct sl_error *err) SL_MUST_USE;

/* Cut joined names into `count` pointers into their text, NULL-ended, on the heap; *out is NULL
 * without a text. SL_ERR_USAGE if there are not so many. */
enum sl_status sl_bind_names(const struct sl_joined_names *joined, size_t count, const char *what,
                             char ***out, struct sl_error *err) SL_MUST_USE;

/* As sl_desk_measure. */
struct sl_bind_measuring {
    const struct sl_votes *votes;
    const char *measure;
    const double *skill;
    const uint32_t *chosen;
};
enum sl_status sl_bind_measure(const struct sl_bind_measuring *measuring,
                               struct sl_desk_result **out, struct sl_error *err) SL_MUST_USE;

/* Each takes what it is given. */
struct sl_desk_result *sl_desk_result_of_task(json_t *json, struct sl_exchange *exchange);
struct sl_desk_result *sl_desk_result_of_figures(struct sl_votes_figures *figures, double all);
struct sl_desk_result *sl_desk_result_of_dataset(struct sl_dataset *dataset);

#endif
