#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/feed.h"

/* One plan runs all batches. A last, smaller batch is padded with its first item, and those rows
 * are discarded; in evaluation mode rows do not influence each other. */
struct sl_predictor {
    struct sl_model *model; /* borrowed */
    struct sl_pool *pool;   /* borrowed */
    struct sl_plan *plan;
    struct sl_feed_batch batch;
    size_t *items; /* (batch) of the current batch */
};

enum sl_status sl_predictor_create(struct sl_model *model, const struct sl_feed *feed, size_t batch,
                                   const struct sl_tuning *tuning, struct sl_pool *pool,
                                   struct sl_predictor **out, struct sl_error *err)
{
    struct sl_plan_options options = sl_plan_options_default();
    options.batch = batch;
    options.training = false;
    options.tuning = tuning;
    options.pool = pool;
    struct sl_predictor *predictor = sl_alloc(1, sizeof *predictor);
    predictor->model = model;
    predictor->pool = pool;
    predictor->items = sl_alloc(batch, sizeof *predictor->items);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_plan_create(model, &options, &predictor->plan, err));
    SL_TRY_OUT(sl_feed_batch_create(feed, batch, pool, &predictor->batch, err));
    *out = predictor;
    return SL_OK;
out:
    sl_predictor_destroy(predictor);
    return status;
}

void sl_predictor_destroy(struct sl_predictor *predictor)
{
    if (!predictor) return;
    sl_plan_destroy(predictor->plan);
    sl_feed_batch_release(&predictor->batch);
    free(predictor->items);
    free(predictor);
}

enum sl_status sl_predict(struct sl_predictor *predictor, const struct sl_feed *feed,
                          const size_t *items, size_t count, struct sl_progress *progress,
                          float *logits, struct sl_error *err)
{
    const size_t batch = sl_plan_batch(predictor->plan);
    const size_t n_classes = sl_model_classes(predictor->model);
    enum sl_status status = SL_OK;
    sl_progress_start(progress, "predicting", count, "items");
    for (size_t begin = 0; begin < count; begin += batch) {
        SL_TRY_OUT(sl_pool_check(predictor->pool, err));
        const size_t n = count - begin < batch ? count - begin : batch;
        for (size_t i = 0; i < batch; i++) {
            const size_t row = begin + (i < n ? i : 0);
            predictor->items[i] = items ? items[row] : row;
        }
        sl_feed_fill(&(struct sl_feed_items){
            .feed = feed, .items = predictor->items, .count = batch, .batch = &predictor->batch});
        const float *rows = sl_plan_forward(predictor->plan, &predictor->batch.view);
        memcpy(logits + begin * n_classes, rows, n * n_classes * sizeof *logits);
        sl_progress_set(progress, begin + n);
    }
out:
    sl_progress_finish(progress);
    return status;
}
