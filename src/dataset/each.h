/* Each: work on numbered items by the threads of a pool. */
#ifndef SOFTLAB_DATASET_EACH_H
#define SOFTLAB_DATASET_EACH_H

#include <stddef.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"
#include "softlab/pool.h"

/* Work on one item. It is called by any thread, and writes only what belongs to its item. It must
 * not call sl_alloc (softlab/pool.h). */
typedef enum sl_status sl_each_work(void *context, size_t item, struct sl_error *err);

/* Work on every number below `count`. If items fail, the error is that of the first of them,
 * whichever thread failed first; items after it may not have been worked on. `progress` may be
 * NULL; it is set to the number of finished items by the calling thread only. */
enum sl_status sl_each(struct sl_pool *pool, size_t count, sl_each_work *work, void *context,
                       struct sl_progress *progress, struct sl_error *err) SL_MUST_USE;

#endif
