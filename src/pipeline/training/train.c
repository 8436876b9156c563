/* A training session: opens inputs and folder, trains, and reports progress. */
#include <math.h>
#include <stdlib.h>

#include "pipeline/training/train.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/eval.h"

/* The dev set: predictions after every epoch, and the labels they are scored against. */
struct dev_set {
    struct sl_predictor *predictor;
    struct sl_rows *predictions, *reference;
    size_t *items;
    int32_t *hard;
    const struct sl_metric *metric;
};

struct sl_train_session {
    struct sl_train_job job; /* its texts are valid only while the session is opened */
    const struct sl_workplace *workplace;
    struct sl_train_inputs inputs;
    struct sl_train_folder folder;
    struct dev_set dev;
    char label[80]; /* for the progress bar */
    bool drawing;
};

/* ---- Hooks ---- */

static enum sl_status score_dev(void *context, struct sl_model *model, double *score,
                                struct sl_error *err)
{
    (void)model;
    struct sl_train_session *session = context;
    const struct dev_set *dev = &session->dev;
    SL_TRY(sl_predict(dev->predictor, session->inputs.dev.feed, dev->items,
                      dev->predictions->n_rows, NULL, dev->predictions->values, err));
    /* --dev-labels may have rows of all items of --dev although --dev-split selects some. */
    const struct sl_scored_options options = {.logits = true, .hard = dev->hard, .subset = true};
    const struct sl_metric_options settings = sl_metric_options_default();
    struct sl_scored *scored = NULL;
    SL_TRY(sl_scored_create(dev->predictions, dev->reference, &options, &scored, err));
    *score = sl_measure_direction(dev->metric->name) * dev->metric->value(scored, &settings);
    sl_scored_destroy(scored);
    return SL_OK;
}

static enum sl_status log_epoch(void *context, const struct sl_epoch *epoch, struct sl_error *err)
{
    struct sl_train_session *session = context;
    SL_TRY(sl_train_folder_log(&session->folder, epoch, err));
    char score[40] = "";
    if (!isnan(epoch->score))
        snprintf(score, sizeof score, "  dev %.4f%s", fabs(epoch->score), epoch->best ? " *" : "");
    sl_log(session->workplace->log, SL_LOG_INFO,
           "epoch %zu/%lld  loss %.4f  accuracy %.3f  rate %.3g%s  %.0f %s/s", epoch->epoch,
           (long long)session->inputs.recipe.epochs, epoch->loss, epoch->accuracy, epoch->rate,
           score, epoch->items_per_second, sl_feeding_unit(&session->inputs.data));
    return SL_OK;
}

static void show_progress(void *context, const struct sl_train_state *state)
{
    struct sl_train_session *session = context;
    struct sl_progress *progress = session->workplace->progress;
    snprintf(session->label, sizeof session->label, "epoch %zu/%zu loss %.3f acc %.3f",
             state->epoch, state->n_epochs, state->loss, state->accuracy);
    const size_t all = state->n_epochs * state->n_steps;
    const size_t batch = (size_t)session->inputs.recipe.batch;
    const size_t per_step = batch > 0 ? batch : session->inputs.targets->n_items;
    if (!session->drawing)
        sl_progress_start(progress, session->label, all * per_step,
                          sl_feeding_unit(&session->inputs.data));
    session->drawing = true;
    sl_progress_set(progress, ((state->epoch - 1) * state->n_steps + state->step) * per_step);
}

static bool should_stop(void *context)
{
    const struct sl_train_session *session = context;
    return session->workplace->stop && session->workplace->stop(session->workplace->context);
}

/* ---- Opening ---- */

/* One-hot rows of the dev items' classes. */
static enum sl_status make_reference(const struct sl_feeding *feeding, struct dev_set *dev,
                                     struct sl_error *err)
{
    const size_t n = sl_feeding_count(feeding), n_classes = feeding->dataset->n_classes;
    SL_TRY(sl_rows_create(n, n_classes, &dev->reference, err));
    for (size_t i = 0; i < n; i++) {
        if (dev->hard[i] == SL_NO_LABEL)
            return sl_fail(err, SL_ERR_INPUT, "%s: item %s has no label to score the epoch by",
                           feeding->dataset->name, feeding->dataset->items[dev->items[i]]);
        dev->reference->values[i * n_classes + (size_t)dev->hard[i]] = 1;
    }
    return SL_OK;
}

static enum sl_status prepare_dev(struct sl_train_inputs *inputs, struct sl_pool *pool,
                                  struct dev_set *dev, struct sl_error *err)
{
    static const char *const names[] = {"accuracy", "cross_entropy", "weighted_f1"};
    const struct sl_feeding *feeding = &inputs->dev;
    if (!feeding->dataset) return SL_OK;
    const size_t n = sl_feeding_count(feeding), n_classes = sl_model_classes(inputs->model);
    dev->metric = sl_metric_find(names[inputs->recipe.dev_metric]);
    dev->items = sl_alloc(n, sizeof *dev->items);
    dev->hard = sl_alloc(n, sizeof *dev->hard);
    SL_TRY(sl_rows_create(n, n_classes, &dev->predictions, err));
    dev->predictions->items = sl_alloc(n, sizeof(char *));
    for (size_t i = 0; i < n; i++) {
        dev->items[i] = sl_feeding_item(feeding, i);
        dev->hard[i] = feeding->dataset->labels[dev->items[i]];
        dev->predictions->items[i] = sl_string_copy(feeding->dataset->items[dev->items[i]]);
    }
    if (inputs->dev_labels) {
        dev->reference = inputs->dev_labels;
        inputs->dev_labels = NULL;
    } else {
        SL_TRY(make_reference(feeding, dev, err));
    }
    return sl_predictor_create(inputs->model, feeding->feed, n < 100 ? n : 100, inputs->tuning,
                               pool, &dev->predictor, err);
}

static struct sl_train_options train_options_of(struct sl_train_session *session)
{
    const struct sl_train_inputs *inputs = &session->inputs;
    return (struct sl_train_options){
        .recipe = &inputs->recipe,
        .feed = inputs->data.feed,
        .targets = inputs->targets,
        .mixing = inputs->mixing,
        .tuning = inputs->tuning,
        .seed = session->job.seed,
        .checkpoint = session->folder.checkpoint,
        .identity = inputs->data_hash,
        .checkpoint_seconds = session->job.checkpoint_seconds,
        .pool = session->workplace->pool,
        .hooks = {.context = session,
                  .evaluate = session->dev.predictor ? score_dev : NULL,
                  .epoch_done = log_epoch,
                  .progress = show_progress,
                  .stop = should_stop},
    };
}

/* Everything that can fail on wrong input, so that a refused run leaves no folder. */
static enum sl_status read_and_check(struct sl_train_session *session, struct sl_error *err)
{
    SL_TRY(sl_train_inputs_read(session->workplace, &session->job, &session->inputs, err));
    SL_TRY(prepare_dev(&session->inputs, session->workplace->pool, &session->dev, err));
    const struct sl_train_options options = train_options_of(session);
    return sl_train_check(session->inputs.model, &options, err);
}

static enum sl_status open_folder(struct sl_train_session *session, json_t *provenance,
                                  struct sl_error *err)
{
    const struct sl_train_job *job = &session->job;
    json_t *settings = NULL;
    SL_TRY(sl_train_settings(job, &session->inputs, &settings, err));
    json_t *record =
        json_pack("{s:s, s:i, s:o, s:o, s:b}", "softlab", "run", "version", 1, "settings", settings,
                  "provenance", provenance ? json_incref(provenance) : json_null(), "finished", 0);
    const enum sl_status status =
        sl_train_folder_open(job->output, record, job->restart, &session->folder, err);
    json_decref(record);
    return status;
}

enum sl_status sl_train_session_open(const struct sl_train_job *job, json_t *provenance,
                                     const struct sl_workplace *workplace,
                                     struct sl_train_session **out, struct sl_error *err)
{
    if (!job->data) return sl_fail(err, SL_ERR_USAGE, "say what to train on with --data");
    if (!job->output) return sl_fail(err, SL_ERR_USAGE, "say where the run goes with -o FOLDER");
    struct sl_train_session *session = sl_alloc(1, sizeof *session);
    enum sl_status status = SL_OK;
    session->job = *job;
    session->workplace = workplace;
    SL_TRY_OUT(read_and_check(session, err));
    SL_TRY_OUT(open_folder(session, provenance, err));
    if (session->folder.finished)
        sl_log(workplace->log, SL_LOG_INFO,
               "%s: this run is finished already; --restart trains it again", session->folder.path);
    *out = session;
    return SL_OK;
out:
    sl_train_session_destroy(session);
    return status;
}

void sl_train_session_destroy(struct sl_train_session *session)
{
    if (!session) return;
    sl_predictor_destroy(session->dev.predictor);
    sl_rows_destroy(session->dev.predictions);
    sl_rows_destroy(session->dev.reference);
    free(session->dev.items);
    free(session->dev.hard);
    sl_train_folder_release(&session->folder);
    sl_train_inputs_release(&session->inputs);
    free(session);
}

/* ---- Running ---- */

static enum sl_status train(struct sl_train_session *session, struct sl_train_result *result,
                            struct sl_error *err)
{
    const struct sl_train_options options = train_options_of(session);
    /* There are no epochs, so the log is empty. */
    if (session->job.untrained) return sl_file_write(session->folder.log, "", 0, err);
    const enum sl_status status = sl_train(session->inputs.model, &options, result, err);
    sl_progress_finish(session->workplace->progress);
    return status;
}

enum sl_status sl_train_session_run(struct sl_train_session *session, struct sl_error *err)
{
    const struct sl_train_inputs *inputs = &session->inputs;
    struct sl_train_result result = {.best_score = NAN};
    char count[32];
    if (session->folder.finished) return SL_OK;
    sl_log(session->workplace->log, SL_LOG_INFO, "%s: %s item%s, %zu of them with soft labels; %s",
           session->folder.path, sl_text_count(inputs->targets->n_items, count, sizeof count),
           sl_text_plural(inputs->targets->n_items, "", "s"), inputs->targets->n_soft,
           sl_model_spec(inputs->model));
    SL_TRY(train(session, &result, err));
    if (result.end != SL_TRAIN_STOPPED)
        return sl_train_folder_finish(&session->folder, inputs->model, &result, err);
    sl_log(session->workplace->log, SL_LOG_WARNING,
           "stopped after step %zu; the same command continues from there (%s)", result.steps,
           session->folder.checkpoint);
    return sl_fail(err, SL_ERR_STOPPED, "stopped before the end");
}

const char *sl_train_session_weights(const struct sl_train_session *session)
{
    return session->folder.weights;
}

const json_t *sl_train_session_record(const struct sl_train_session *session)
{
    return session->folder.record;
}

enum sl_status sl_train_job_run(const struct sl_train_job *job,
                                const struct sl_workplace *workplace, struct sl_error *err)
{
    struct sl_train_session *session = NULL;
    SL_TRY(sl_train_session_open(job, NULL, workplace, &session, err));
    const enum sl_status status = sl_train_session_run(session, err);
    sl_train_session_destroy(session);
    return status;
}
