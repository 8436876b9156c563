#include "softlab/eval/attack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/nn/loss.h"

enum { DEFAULT_BATCH = 100 };

/* The state of one attack, which goes batch by batch. */
struct attack {
    struct sl_model *model;
    const struct sl_attack_items *items;
    const struct sl_attack_options *options;
    struct sl_plan *plan;
    struct sl_feed_batch clean; /* the original images */
    float *moved;               /* the changed images; pixels of the whole batch */
    float *shown;         /* the network's input; `moved` itself if its own normalisation is kept */
    float *scale, *shift; /* per channel, from `moved` to `shown` */
    float *targets, *gradient, *losses;
    float *worst;       /* (batch) the largest loss so far */
    const float *slope; /* borrowed from the plan; the gradient of the losses by the images */
    size_t *indices;
    size_t restart; /* the one in work */
    size_t batch, n_classes, pixels, plane;
    struct sl_attack_result *result;
};

/* ---- Making ---- */

/* For another normalisation, show the network pixels that its own layer maps to the values of the
 * other one. */
static enum sl_status set_view(struct attack *attack, struct sl_error *err)
{
    const struct sl_attack_options *options = attack->options;
    const size_t channels = sl_model_input(attack->model).channels;
    attack->shown = attack->moved;
    if (!options->mean) return SL_OK;
    if (channels != 3)
        return sl_fail(err, SL_ERR_USAGE,
                       "this attack normalises three channels, but the images have %zu", channels);
    const float *mean = NULL, *deviation = NULL;
    const bool own = sl_model_normalisation(attack->model, &mean, &deviation);
    attack->scale = sl_alloc(channels, sizeof *attack->scale);
    attack->shift = sl_alloc(channels, sizeof *attack->shift);
    for (size_t c = 0; c < channels; c++) {
        attack->scale[c] = (own ? deviation[c] : 1) / options->deviation[c];
        attack->shift[c] = (own ? mean[c] : 0) - attack->scale[c] * options->mean[c];
    }
    attack->shown = sl_data_alloc(attack->batch, attack->pixels * sizeof *attack->shown, err);
    return attack->shown ? SL_OK : SL_ERR_NOMEM;
}

static enum sl_status make_buffers(struct attack *attack, struct sl_error *err)
{
    const size_t n = attack->batch, row = attack->n_classes * sizeof(float);
    const size_t pixels = attack->pixels * sizeof(float);
    struct sl_pool *pool = attack->options->pool;
    SL_TRY(sl_feed_batch_create(attack->items->feed, n, pool, &attack->clean, err));
    attack->moved = sl_data_alloc(n, pixels, err);
    attack->targets = sl_data_alloc(n, row, err);
    attack->gradient = sl_data_alloc(n, row, err);
    if (!attack->moved || !attack->targets || !attack->gradient) return SL_ERR_NOMEM;
    attack->losses = sl_alloc(n, sizeof *attack->losses);
    attack->worst = sl_alloc(n, sizeof *attack->worst);
    attack->indices = sl_alloc(n, sizeof *attack->indices);
    return set_view(attack, err);
}

static enum sl_status make_plan(struct attack *attack, struct sl_error *err)
{
    struct sl_plan_options options = sl_plan_options_default();
    options.batch = attack->batch;
    options.training = false;
    options.input_gradient = true;
    options.pool = attack->options->pool;
    return sl_plan_create(attack->model, &options, &attack->plan, err);
}

static void release(struct attack *attack)
{
    if (attack->shown != attack->moved) free(attack->shown);
    sl_feed_batch_release(&attack->clean);
    sl_plan_destroy(attack->plan);
    free(attack->moved);
    free(attack->scale);
    free(attack->shift);
    free(attack->targets);
    free(attack->gradient);
    free(attack->losses);
    free(attack->worst);
    free(attack->indices);
}

/* ---- Running ---- */

/* Work on one image of the batch by itself. */
typedef void image_work(struct attack *attack, size_t image);

struct image_round {
    struct attack *attack;
    image_work *work;
};

static void do_image(void *context, size_t image, size_t worker)
{
    (void)worker;
    const struct image_round *round = context;
    round->work(round->attack, image);
}

static void for_images(struct attack *attack, image_work *work)
{
    struct image_round round = {attack, work};
    sl_pool_run(attack->options->pool, attack->batch, do_image, &round);
}

static void show_image(struct attack *attack, size_t image)
{
    const float *moved = attack->moved + image * attack->pixels;
    float *shown = attack->shown + image * attack->pixels;
    for (size_t i = 0; i < attack->pixels; i++) {
        const size_t channel = i / attack->plane;
        shown[i] = moved[i] * attack->scale[channel] + attack->shift[channel];
    }
}

/* Logits of the changed images, their losses and the gradient of the summed losses. */
static const float *look(struct attack *attack)
{
    if (attack->shown != attack->moved) for_images(attack, show_image);
    const struct sl_batch batch = {.pixels = attack->shown};
    const float *logits = sl_plan_forward(attack->plan, &batch);
    const struct sl_soft_targets targets = {attack->targets, NULL, attack->batch,
                                            attack->n_classes};
    sl_soft_cross_entropy(logits, &targets, 1, attack->losses, attack->gradient);
    return logits;
}

static double total(const float *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    return sum;
}

/* One step up the loss, back into the ball and into 0..1. */
static void step_image(struct attack *attack, size_t image)
{
    const size_t first = image * attack->pixels;
    const float *slope = attack->slope + first;
    const float step = (float)attack->options->step, bound = (float)attack->options->bound;
    const float *clean = attack->clean.pixels + first;
    float *moved = attack->moved + first;
    for (size_t i = 0; i < attack->pixels; i++) {
        const float sign = (float)((slope[i] > 0) - (slope[i] < 0));
        const float low = fmaxf(clean[i] - bound, 0), high = fminf(clean[i] + bound, 1);
        moved[i] = fminf(fmaxf(moved[i] + step * sign, low), high);
    }
}

static void step_images(struct attack *attack)
{
    sl_plan_backward(attack->plan, attack->gradient);
    attack->slope = sl_plan_input_gradient(attack->plan);
    for_images(attack, step_image);
}

static void start_image(struct attack *attack, size_t image)
{
    const struct sl_attack_options *options = attack->options;
    float *row = attack->moved + image * attack->pixels;
    memcpy(row, attack->clean.pixels + image * attack->pixels, attack->pixels * sizeof *row);
    if (!options->random_start) return;
    struct sl_rng rng;
    sl_rng_init(&rng, options->seed, "attack", attack->restart, attack->indices[image]);
    for (size_t p = 0; p < attack->pixels; p++) {
        const double shift = options->bound * (2 * sl_rng_uniform(&rng) - 1);
        row[p] = fminf(fmaxf(row[p] + (float)shift, 0), 1);
    }
}

/* Keep the logits of images whose loss is the largest seen. */
static void keep_worst(struct attack *attack, const float *logits, size_t begin, size_t count)
{
    const size_t k = attack->n_classes;
    for (size_t i = 0; i < count; i++) {
        if (attack->losses[i] <= attack->worst[i]) continue;
        attack->worst[i] = attack->losses[i];
        memcpy(attack->result->logits + (begin + i) * k, logits + i * k, k * sizeof *logits);
    }
}

static void attack_once(struct attack *attack, size_t restart, size_t begin, size_t count)
{
    const struct sl_attack_options *options = attack->options;
    double *sums = attack->result->losses + restart * (options->iterations + 1);
    double before = 0;
    attack->restart = restart;
    for_images(attack, start_image);
    for (size_t i = 0;; i++) {
        const float *logits = look(attack);
        const double now = total(attack->losses, count);
        const bool settled =
            options->convergence > 0 && i > 0 && before / now > options->convergence;
        const bool last = i == options->iterations || settled;
        for (size_t rest = i; rest <= (last ? options->iterations : i); rest++)
            sums[rest] += now;
        if (last || options->keep_best) keep_worst(attack, logits, begin, count);
        if (last) return;
        before = now;
        step_images(attack);
    }
}

static void attack_batch(struct attack *attack, size_t begin, size_t count)
{
    const struct sl_attack_items *items = attack->items;
    const size_t k = attack->n_classes;
    struct sl_attack_result *result = attack->result;
    for (size_t i = 0; i < attack->batch; i++) {
        const size_t row = begin + (i < count ? i : 0);
        attack->indices[i] = items->items ? items->items[row] : row;
        attack->worst[i] = -HUGE_VALF;
        memcpy(attack->targets + i * k, items->targets + row * k, k * sizeof *attack->targets);
    }
    sl_feed_fill(&(struct sl_feed_items){.feed = items->feed,
                                         .items = attack->indices,
                                         .count = attack->batch,
                                         .batch = &attack->clean});
    memcpy(attack->moved, attack->clean.pixels,
           attack->batch * attack->pixels * sizeof *attack->moved);
    const float *logits = look(attack);
    result->clean_loss += total(attack->losses, count);
    result->clean_accuracy +=
        (double)sl_eval_n_right(attack->model, logits, items->hard + begin, count);
    for (size_t r = 0; r < result->n_restarts; r++)
        attack_once(attack, r, begin, count);
    result->loss += total(attack->worst, count);
    result->accuracy += (double)sl_eval_n_right(attack->model, result->logits + begin * k,
                                                items->hard + begin, count);
}

static void divide(struct sl_attack_result *result, size_t count)
{
    const double n = (double)count;
    for (size_t i = 0; i < result->n_restarts * (result->n_iterations + 1); i++)
        result->losses[i] /= n;
    result->clean_loss /= n;
    result->clean_accuracy /= n;
    result->loss /= n;
    result->accuracy /= n;
}

static enum sl_status check_items(const struct sl_model *model, const struct sl_attack_items *items,
                                  const struct sl_attack_options *options, struct sl_error *err)
{
    const struct sl_input_shape want = sl_model_input(model), have = sl_feed_shape(items->feed);
    if (items->count == 0)
        return sl_fail(err, SL_ERR_INPUT, "no items to attack: the choice of items is empty");
    if (want.tokens > 0)
        return sl_fail(err, SL_ERR_USAGE, "only networks that read images can be attacked");
    if (want.channels != have.channels || want.height != have.height || want.width != have.width)
        return sl_fail(
            err, SL_ERR_INPUT, "the images are %zux%zux%zu, but the network reads %zux%zux%zu",
            have.channels, have.height, have.width, want.channels, want.height, want.width);
    if (!(options->bound > 0 && options->bound <= 1) || !(options->step > 0) ||
        options->iterations == 0)
        return sl_fail(
            err, SL_ERR_USAGE,
            "an attack needs a bound above 0 and up to 1, a step above 0 and at least one "
            "iteration");
    return SL_OK;
}

enum sl_status sl_attack(struct sl_model *model, const struct sl_attack_items *items,
                         const struct sl_attack_options *options, struct sl_progress *progress,
                         struct sl_attack_result *out, struct sl_error *err)
{
    SL_TRY(check_items(model, items, options, err));
    const struct sl_input_shape input = sl_model_input(model);
    const size_t wanted = options->batch > 0 ? options->batch : DEFAULT_BATCH;
    struct sl_attack_result result = {.n_restarts = options->restarts > 0 ? options->restarts : 1,
                                      .n_iterations = options->iterations};
    struct attack attack = {
        .model = model,
        .items = items,
        .options = options,
        .batch = wanted < items->count ? wanted : items->count,
        .n_classes = sl_model_classes(model),
        .pixels = input.channels * input.height * input.width,
        .plane = input.height * input.width,
        .result = &result,
    };
    enum sl_status status = SL_OK;
    result.losses = sl_alloc(result.n_restarts * (result.n_iterations + 1), sizeof(double));
    result.logits = sl_data_alloc(items->count, attack.n_classes * sizeof(float), err);
    if (!result.logits) status = SL_ERR_NOMEM;
    if (status == SL_OK) status = make_plan(&attack, err);
    if (status == SL_OK) status = make_buffers(&attack, err);
    if (status == SL_OK) {
        sl_progress_start(progress, "attacking", items->count, "images");
        for (size_t begin = 0; begin < items->count && status == SL_OK; begin += attack.batch) {
            const size_t left = items->count - begin;
            const size_t count = left < attack.batch ? left : attack.batch;
            attack_batch(&attack, begin, count);
            sl_progress_set(progress, begin + count);
            status = sl_pool_check(options->pool, err);
        }
        sl_progress_finish(progress);
        divide(&result, items->count);
    }
    if (status == SL_OK)
        *out = result;
    else
        sl_attack_result_release(&result);
    release(&attack);
    return status;
}

void sl_attack_result_release(struct sl_attack_result *result)
{
    free(result->losses);
    free(result->logits);
    *result = (struct sl_attack_result){0};
}
