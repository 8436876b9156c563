#include "train/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/nn/tuning.h"

/* Padding of crops is black before the normalisation, as in the papers' programs; cutout fills with
 * the value that the normalising layer maps to 0. */
static void set_augment(struct sl_training *run)
{
    const struct sl_recipe *recipe = run->recipe;
    run->augment = (struct sl_augment){
        .crop_padding = (size_t)recipe->crop,
        .flip = recipe->flip,
        .cutout = (size_t)recipe->cutout,
        .seed = run->options->seed,
    };
    for (size_t c = 0; c < recipe->mean.count && c < 3; c++)
        run->augment.fill[c] = (uint8_t)lrint(recipe->mean.values[c] * 255);
    run->augments = recipe->crop > 0 || recipe->flip || recipe->cutout > 0;
}

static enum sl_status check_options(const struct sl_train_options *options,
                                    const struct sl_model *model, struct sl_error *err)
{
    const struct sl_targets *targets = options->targets;
    const struct sl_recipe *recipe = options->recipe;
    const struct sl_input_shape want = sl_model_input(model), have = sl_feed_shape(options->feed);
    if (targets->n_items == 0) return sl_fail(err, SL_ERR_INPUT, "there are no items to train on");
    if (targets->n_classes != sl_model_classes(model))
        return sl_fail(err, SL_ERR_INPUT, "the targets have %zu class%s, but the network has %zu",
                       targets->n_classes, sl_text_plural(targets->n_classes, "", "es"),
                       sl_model_classes(model));
    if (want.tokens != have.tokens || want.letters != have.letters ||
        want.vocabulary != have.vocabulary || want.alphabet != have.alphabet)
        return sl_fail(
            err, SL_ERR_INPUT,
            "the texts have %zu word%s and %zu letter%s, but the network knows %zu and %zu",
            have.vocabulary, sl_text_plural(have.vocabulary, "", "s"), have.alphabet,
            sl_text_plural(have.alphabet, "", "s"), want.vocabulary, want.alphabet);
    if (want.channels != have.channels || want.height != have.height || want.width != have.width)
        return sl_fail(
            err, SL_ERR_INPUT, "the items are %zux%zux%zu, but the network reads %zux%zux%zu",
            have.channels, have.height, have.width, want.channels, want.height, want.width);
    if (have.height * have.width <= 1 && (recipe->crop > 0 || recipe->flip || recipe->cutout > 0))
        return sl_fail(
            err, SL_ERR_INPUT,
            "the recipe crops, flips or cuts images, but the items are not images: set crop=0, "
            "flip=false, cutout=0");
    for (size_t i = 0; i < targets->n_items; i++)
        if (targets->items[i] >= sl_feed_count(options->feed))
            return sl_fail(err, SL_ERR_INPUT, "a target is for item %zu, but there %s %zu item%s",
                           targets->items[i],
                           sl_text_plural(sl_feed_count(options->feed), "is", "are"),
                           sl_feed_count(options->feed),
                           sl_text_plural(sl_feed_count(options->feed), "", "s"));
    return SL_OK;
}

/* A SHA-256 of everything that the weights depend on, so that a checkpoint of another run is
 * refused. */
static enum sl_status identify(struct sl_training *run, struct sl_error *err)
{
    const struct sl_train_options *options = run->options;
    char targets[SL_SHA256_TEXT], tuning[SL_SHA256_TEXT];
    sl_targets_hash(options->targets, targets);
    sl_tuning_hash(options->tuning, tuning);
    json_t *json = json_pack("{s:o, s:s, s:I, s:s, s:s, s:s}", "recipe",
                             sl_recipe_to_json(run->recipe), "network", sl_model_spec(run->model),
                             "seed", (json_int_t)options->seed, "targets", targets, "tuning",
                             tuning, "caller", options->identity ? options->identity : "");
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(json);
    if (!text) return sl_fail(err, SL_ERR_NOMEM, "no memory to describe the run");
    sl_sha256(text, strlen(text), run->identity);
    free(text);
    return SL_OK;
}

static enum sl_status make_plan(struct sl_training *run, size_t items, struct sl_plan **out,
                                struct sl_error *err)
{
    struct sl_plan_options options = sl_plan_options_default();
    options.batch = items * run->copies;
    options.tuning = run->options->tuning;
    options.memory_of = run->full;
    options.pool = run->options->pool;
    return sl_plan_create(run->model, &options, out, err);
}

static enum sl_status make_plans(struct sl_training *run, struct sl_error *err)
{
    const size_t left_over = run->n_items % run->batch_size;
    SL_TRY(make_plan(run, run->batch_size, &run->full, err));
    if (left_over == 0 || run->recipe->drop_last) return SL_OK;
    return make_plan(run, left_over, &run->last, err);
}

static enum sl_status make_buffers(struct sl_training *run, struct sl_error *err)
{
    const size_t rows = run->copies * run->batch_size;
    run->order = sl_data_alloc(run->n_items, sizeof *run->order, err);
    run->targets = sl_data_alloc(rows, run->n_classes * sizeof *run->targets, err);
    run->gradient = sl_data_alloc(rows, run->n_classes * sizeof *run->gradient, err);
    if (!run->order || !run->targets || !run->gradient) return SL_ERR_NOMEM;
    for (size_t i = 0; i < 2; i++) {
        struct sl_training_batch *batch = &run->batches[i];
        batch->items = sl_data_alloc(rows, sizeof *batch->items, err);
        if (!batch->items) return SL_ERR_NOMEM;
        SL_TRY(
            sl_feed_batch_create(run->options->feed, rows, run->options->pool, &batch->batch, err));
    }
    if (run->recipe->select == SL_SELECT_BEST) {
        const size_t n_values = sl_model_n_values(run->model);
        const size_t n_state = sl_model_n_state(run->model);
        run->best_values = sl_data_alloc(n_values, sizeof *run->best_values, err);
        run->best_state = sl_data_alloc(n_state, sizeof *run->best_state, err);
        if (!run->best_values || !run->best_state) return SL_ERR_NOMEM;
        memset(run->best_values, 0, n_values * sizeof *run->best_values);
        memset(run->best_state, 0, n_state * sizeof *run->best_state);
    }
    return SL_OK;
}

static void count_steps(struct sl_training *run)
{
    const size_t n = run->n_items;
    const size_t wanted = (size_t)run->recipe->batch;
    run->batch_size = wanted == 0 || wanted > n ? n : wanted;
    run->steps_per_epoch = n / run->batch_size;
    if (n % run->batch_size != 0 && !run->recipe->drop_last) run->steps_per_epoch++;
}

enum sl_status sl_train_check(const struct sl_model *model, const struct sl_train_options *options,
                              struct sl_error *err)
{
    struct sl_method *method = NULL;
    SL_TRY(sl_recipe_check(options->recipe, err));
    SL_TRY(check_options(options, model, err));
    SL_TRY(sl_method_create(options, options->targets->n_classes, &method, err));
    sl_method_destroy(method);
    return SL_OK;
}

enum sl_status sl_run_create(struct sl_model *model, const struct sl_train_options *options,
                             struct sl_training **out, struct sl_error *err)
{
    SL_TRY(sl_recipe_check(options->recipe, err));
    SL_TRY(check_options(options, model, err));
    struct sl_training *run = sl_alloc(1, sizeof *run);
    *run = (struct sl_training){
        .model = model,
        .options = options,
        .recipe = options->recipe,
        .n_items = options->targets->n_items,
        .n_classes = options->targets->n_classes,
        .at.best_score = NAN,
    };
    enum sl_status status = SL_OK;
    set_augment(run);
    count_steps(run);
    SL_TRY_OUT(identify(run, err));
    SL_TRY_OUT(sl_method_create(options, run->n_classes, &run->method, err));
    run->copies = run->method->row->steps->copies;
    SL_TRY_OUT(make_plans(run, err));
    SL_TRY_OUT(make_buffers(run, err));
    SL_TRY_OUT(sl_optimiser_create(run->recipe, sl_model_n_values(model), &run->optimiser, err));
    SL_TRY_OUT(sl_optimiser_create(run->recipe, run->method->n_values, &run->own_optimiser, err));
    run->optimiser.pool = run->own_optimiser.pool = options->pool;
    *out = run;
    return SL_OK;
out:
    sl_run_destroy(run);
    return status;
}

void sl_run_finish_ahead(struct sl_training *run)
{
    if (run->filled_ahead) sl_pool_finish(run->options->pool);
    run->filled_ahead = false;
}

void sl_run_destroy(struct sl_training *run)
{
    if (!run) return;
    sl_run_finish_ahead(run);
    sl_plan_destroy(run->last);
    sl_plan_destroy(run->full);
    sl_method_destroy(run->method);
    sl_optimiser_release(&run->optimiser);
    sl_optimiser_release(&run->own_optimiser);
    for (size_t i = 0; i < 2; i++) {
        sl_feed_batch_release(&run->batches[i].batch);
        free(run->batches[i].items);
    }
    free(run->order);
    free(run->targets);
    free(run->gradient);
    free(run->best_values);
    free(run->best_state);
    free(run);
}

void sl_run_shuffle(struct sl_training *run)
{
    if (!run->recipe->shuffle) {
        for (size_t i = 0; i < run->n_items; i++)
            run->order[i] = i;
        return;
    }
    struct sl_rng rng;
    sl_rng_init(&rng, run->options->seed, "order", run->at.epoch, 0);
    sl_rng_permutation(&rng, run->order, run->n_items);
}
