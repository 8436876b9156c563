/* The only training loop. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/stats.h"
#include "softlab/nn/optimiser.h"
#include "train/run.h"

/* This process's part of a run. */
struct session {
    struct sl_training *run;
    double began, epoch_began;
    uint64_t steps; /* of this process */
};

/* The plan of a step: the last, smaller batch has its own. */
static struct sl_plan *plan_at(const struct sl_training *run, size_t step)
{
    return run->last && step + 1 == run->steps_per_epoch ? run->last : run->full;
}

static struct sl_training_batch *batch_at(struct sl_training *run, size_t step)
{
    return &run->batches[step % 2];
}

/* Set which items a step presents, and how. */
static struct sl_feed_items *choose_items(struct sl_training *run, size_t step)
{
    const struct sl_targets *targets = run->options->targets;
    struct sl_training_batch *batch = batch_at(run, step);
    const size_t count = sl_plan_batch(plan_at(run, step)) / run->copies;
    const size_t *positions = run->order + step * run->batch_size;
    for (size_t i = 0; i < run->copies * count; i++)
        batch->items[i] =
            targets->items[positions[i % count]] + (i / count) * sl_feed_count(run->options->feed);
    batch->filling = (struct sl_feed_items){
        .feed = run->options->feed,
        .items = batch->items,
        .count = count,
        .augment = run->augments ? &run->augment : NULL,
        .epoch = run->recipe->frozen ? 0 : run->at.epoch,
        .batch = &batch->batch,
    };
    return &batch->filling;
}

/* Let threads that wait fill the batch of the next step of this epoch. */
static void fill_ahead(struct sl_training *run)
{
    const size_t next = run->at.step + 1;
    if (sl_pool_threads(run->options->pool) == 1 || next >= run->steps_per_epoch) return;
    sl_feed_fill_meanwhile(choose_items(run, next));
    run->filled_ahead = true;
}

static struct sl_method_batch present(struct sl_training *run)
{
    const struct sl_training_position *at = &run->at;
    if (run->filled_ahead)
        sl_run_finish_ahead(run);
    else
        sl_feed_fill(choose_items(run, at->step));
    fill_ahead(run);
    const struct sl_training_batch *batch = batch_at(run, at->step);
    const size_t *positions = run->order + at->step * run->batch_size;
    sl_targets_draw(run->options->targets, run->options->seed, at->epoch, positions,
                    batch->filling.count, run->targets);
    return (struct sl_method_batch){
        .count = batch->filling.count,
        .positions = positions,
        .pixels = batch->batch.pixels,
        .pixels_per_item = batch->batch.pixels_per_item,
        .targets = run->targets,
        .n_classes = run->n_classes,
        .epoch = at->epoch,
        .step = at->step,
    };
}

/* Clips by the norm of all gradients together, as PyTorch's clip_grad_norm_ does. */
static void update_weights(struct sl_training *run, const float *gradients)
{
    const struct sl_moment moment = {run->at.epoch, run->at.step, run->steps_per_epoch};
    struct sl_method *method = run->method;
    double scale = 1;
    if (run->recipe->clip > 0) {
        const double norm =
            sl_flat_norm(gradients, sl_model_n_values(run->model), run->options->pool);
        const double own = sl_flat_norm(method->gradients, method->n_values, run->options->pool);
        scale = sl_clip_scale(run->recipe->clip, sqrt(norm * norm + own * own));
    }
    if (sl_schedule_resets(run->recipe, moment)) {
        sl_optimiser_reset(&run->optimiser);
        sl_optimiser_reset(&run->own_optimiser);
    }
    const double rate = sl_schedule_rate(run->recipe, moment);
    sl_optimiser_step(&run->optimiser, run->recipe, rate, scale, sl_model_values(run->model),
                      gradients);
    if (method->n_values > 0)
        sl_optimiser_step(&run->own_optimiser, run->recipe, rate, scale, method->values,
                          method->gradients);
    sl_model_touch(run->model);
}

static enum sl_status run_step(struct sl_training *run, struct sl_error *err)
{
    struct sl_plan *plan = plan_at(run, run->at.step);
    const struct sl_training_batch *filled = batch_at(run, run->at.step);
    const struct sl_method_steps *method = run->method->row->steps;
    struct sl_method_batch batch = present(run);
    const size_t count = batch.count;
    if (method->prepare) method->prepare(run->method, &batch);
    sl_plan_draw_noise(plan, run->options->seed, run->at.epoch, filled->items);
    const float *logits = sl_plan_forward(plan, &filled->batch.view);
    double total = 0;
    method->loss(run->method, &batch, logits, run->gradient, &total);
    if (!isfinite(total))
        return sl_fail(err, SL_ERR_NUMERIC,
                       "the loss is not finite at step %zu of epoch %zu; a smaller learning rate "
                       "may help",
                       run->at.step + 1, run->at.epoch + 1);
    for (size_t i = 0; i < count; i++)
        run->at.correct += sl_largest(logits + i * run->n_classes, run->n_classes) ==
                           sl_largest(run->targets + i * run->n_classes, run->n_classes);
    sl_plan_backward(plan, run->gradient);
    update_weights(run, sl_plan_gradients(plan));
    run->at.loss_total += total;
    run->at.presented += count;
    run->at.step++;
    run->at.steps++;
    return SL_OK;
}

static double share(double part, uint64_t whole)
{
    return whole > 0 ? part / (double)whole : (double)NAN;
}

static void report_progress(const struct session *session)
{
    const struct sl_training *run = session->run;
    const struct sl_train_hooks *hooks = &run->options->hooks;
    if (!hooks->progress) return;
    const double elapsed = sl_clock_seconds() - session->began;
    const size_t n_epochs = (size_t)run->recipe->epochs;
    const size_t all = n_epochs * run->steps_per_epoch;
    const size_t done = run->at.epoch * run->steps_per_epoch + run->at.step;
    const double per_step = session->steps > 0 ? elapsed / (double)session->steps : (double)NAN;
    const struct sl_train_state state = {
        .epoch = run->at.epoch + 1,
        .n_epochs = n_epochs,
        .step = run->at.step,
        .n_steps = run->steps_per_epoch,
        .loss = share(run->at.loss_total, run->at.presented),
        .accuracy = share((double)run->at.correct, run->at.presented),
        .items_per_second = (double)run->batch_size / per_step,
        .seconds_left = per_step * (double)(all - done),
    };
    hooks->progress(hooks->context, &state);
}

/* Score the epoch; keep its weights if it is the best so far. */
static enum sl_status judge(struct session *session, struct sl_epoch *epoch, struct sl_error *err)
{
    struct sl_training *run = session->run;
    const struct sl_train_hooks *hooks = &run->options->hooks;
    epoch->score = NAN;
    if (!hooks->evaluate) return SL_OK;
    SL_TRY(hooks->evaluate(hooks->context, run->model, &epoch->score, err));
    epoch->best = isnan(run->at.best_score) || epoch->score > run->at.best_score;
    if (!epoch->best) return SL_OK;
    run->at.best_score = epoch->score;
    run->at.best_epoch = epoch->epoch;
    if (run->best_values) {
        memcpy(run->best_values, sl_model_values(run->model),
               sl_model_n_values(run->model) * sizeof *run->best_values);
        memcpy(run->best_state, sl_model_state(run->model),
               sl_model_n_state(run->model) * sizeof *run->best_state);
    }
    return SL_OK;
}

/* Scores and reports the epoch before writing the checkpoint, so that a run killed in between
 * repeats both and the log misses no epoch. */
static enum sl_status finish_epoch(struct session *session, struct sl_error *err)
{
    struct sl_training *run = session->run;
    struct sl_training_position *at = &run->at;
    const struct sl_train_hooks *hooks = &run->options->hooks;
    const struct sl_moment moment = {at->epoch, run->steps_per_epoch - 1, run->steps_per_epoch};
    const double seconds = at->epoch_seconds + sl_clock_seconds() - session->epoch_began;
    struct sl_epoch epoch = {
        .epoch = at->epoch + 1,
        .loss = share(at->loss_total, at->presented),
        .accuracy = share((double)at->correct, at->presented),
        .rate = sl_schedule_rate(run->recipe, moment),
        .seconds = seconds,
        .items_per_second = (double)at->presented / seconds,
    };
    SL_TRY(judge(session, &epoch, err));
    if (hooks->epoch_done) SL_TRY(hooks->epoch_done(hooks->context, &epoch, err));
    at->epoch++;
    at->step = 0;
    at->loss_total = 0;
    at->presented = at->correct = 0;
    at->epoch_seconds = 0;
    return SL_OK;
}

static bool is_over(const struct sl_training *run, enum sl_train_end *end)
{
    const struct sl_training_position *at = &run->at;
    const size_t patience = (size_t)run->recipe->patience;
    *end = SL_TRAIN_FINISHED;
    if (at->epoch >= (size_t)run->recipe->epochs) return true;
    *end = SL_TRAIN_EARLY;
    return at->step == 0 && patience > 0 && at->best_epoch > 0 &&
           at->epoch >= at->best_epoch + patience;
}

static enum sl_status save_if_due(struct session *session, bool must, struct sl_error *err)
{
    struct sl_training *run = session->run;
    const double now = sl_clock_seconds();
    if (!must && now - run->saved_at < run->options->checkpoint_seconds) return SL_OK;
    const double before = run->at.epoch_seconds;
    run->at.epoch_seconds += now - session->epoch_began;
    const enum sl_status status = sl_run_save(run, err);
    run->at.epoch_seconds = before;
    return status;
}

/* Run the remaining steps of an epoch. */
static enum sl_status run_epoch(struct session *session, bool *stopped, struct sl_error *err)
{
    struct sl_training *run = session->run;
    const struct sl_train_hooks *hooks = &run->options->hooks;
    session->epoch_began = sl_clock_seconds();
    sl_run_shuffle(run);
    while (run->at.step < run->steps_per_epoch) {
        SL_TRY(run_step(run, err));
        session->steps++;
        report_progress(session);
        *stopped = hooks->stop && hooks->stop(hooks->context);
        if (*stopped) return save_if_due(session, true, err);
        if (run->at.step < run->steps_per_epoch) SL_TRY(save_if_due(session, false, err));
    }
    SL_TRY(finish_epoch(session, err));
    session->epoch_began = sl_clock_seconds();
    return save_if_due(session, run->at.epoch >= (size_t)run->recipe->epochs, err);
}

static enum sl_status run_epochs(struct sl_training *run, struct sl_train_result *result,
                                 struct sl_error *err)
{
    struct session session = {.run = run, .began = sl_clock_seconds()};
    bool stopped = false;
    run->saved_at = session.began;
    while (!stopped && !is_over(run, &result->end))
        SL_TRY(run_epoch(&session, &stopped, err));
    if (stopped) result->end = SL_TRAIN_STOPPED;
    result->epochs = run->at.epoch;
    result->steps = run->at.steps;
    result->best_epoch = run->at.best_epoch;
    result->best_score = run->at.best_score;
    result->seconds = sl_clock_seconds() - session.began;
    return SL_OK;
}

static void take_best(struct sl_training *run)
{
    if (!run->best_values || run->at.best_epoch == 0) return;
    memcpy(sl_model_values(run->model), run->best_values,
           sl_model_n_values(run->model) * sizeof *run->best_values);
    memcpy(sl_model_state(run->model), run->best_state,
           sl_model_n_state(run->model) * sizeof *run->best_state);
    sl_model_touch(run->model);
}

enum sl_status sl_train(struct sl_model *model, const struct sl_train_options *options,
                        struct sl_train_result *out, struct sl_error *err)
{
    struct sl_training *run = NULL;
    SL_TRY(sl_run_create(model, options, &run, err));
    struct sl_train_result result = {0};
    bool resumed = false;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_run_load(run, &resumed, err));
    result.resumed_epoch = resumed ? run->at.epoch + 1 : 0;
    SL_TRY_OUT(run_epochs(run, &result, err));
    if (result.end != SL_TRAIN_STOPPED) take_best(run);
    *out = result;
out:
    sl_run_destroy(run);
    return status;
}
