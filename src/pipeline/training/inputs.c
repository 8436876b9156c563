/* Reads and checks all inputs of a training. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/training/train.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/feed/text.h"
#include "softlab/nn/tuning.h"
#include "softlab/nn/weights.h"
#include "softlab/pipeline/weights.h"

enum { MIXING_LIMIT = 1 << 24 };

/* ---- Recipe ---- */

static enum sl_status read_recipe(const struct sl_train_job *job, struct sl_recipe *out,
                                  struct sl_error *err)
{
    const char *variant = job->as_published ? "as-published" : "as-run";
    *out = sl_recipe_default();
    if (job->recipe)
        SL_TRY(sl_recipe_read_for(job->recipe, variant, job->network, out, err));
    else if (job->network)
        SL_TRY(sl_recipe_set(out, "network", job->network, err));
    if (job->set) SL_TRY(sl_recipe_set_all(out, job->set, err));
    if (job->epochs > 0) out->epochs = (int64_t)job->epochs;
    if (!out->network[0])
        return sl_fail(err, SL_ERR_USAGE, "name a --network (softlab models lists them)");
    return sl_recipe_check(out, err);
}

/* ---- Model ---- */

static size_t copy_reals(const struct sl_real_list *list, float *out)
{
    for (size_t i = 0; i < list->count; i++)
        out[i] = (float)list->values[i];
    return list->count;
}

/* The vocabulary is hashed with the data because it decides what the texts mean to the network. */
static enum sl_status give_words(struct sl_train_inputs *inputs, struct sl_error *err)
{
    char vectors[65], words[65];
    const struct sl_model *model = inputs->model;
    SL_TRY(sl_vocabulary_give(inputs->vocabulary, inputs->model, err));
    sl_sha256(sl_model_state(inputs->model), sl_model_n_state(model) * sizeof(float), vectors);
    sl_sha256(sl_model_vocabulary(model), strlen(sl_model_vocabulary(model)), words);
    char *all = sl_string_printf("%s %s %s", inputs->data_hash, vectors, words);
    sl_sha256(all, strlen(all), inputs->data_hash);
    free(all);
    return SL_OK;
}

static enum sl_status make_model(const struct sl_train_job *job, struct sl_train_inputs *inputs,
                                 struct sl_error *err)
{
    const struct sl_recipe *recipe = &inputs->recipe;
    float mean[SL_RECIPE_LIST_MAX], deviation[SL_RECIPE_LIST_MAX];
    struct sl_model_options options = sl_model_options_default();
    options.classes = inputs->targets->n_classes;
    options.input = sl_feed_shape(inputs->data.feed);
    options.init = recipe->init_pytorch ? SL_INIT_PYTORCH : SL_INIT_PAPER;
    options.seed = job->seed;
    const size_t channels = options.input.channels;
    if (copy_reals(&recipe->mean, mean) == channels) options.mean = mean;
    if (copy_reals(&recipe->deviation, deviation) == channels) options.deviation = deviation;
    if (recipe->mean.count > 0 && recipe->mean.count != channels)
        return sl_fail(
            err, SL_ERR_INPUT,
            "the recipe normalises %zu channel%s, the images have %zu: set mean and deviation",
            recipe->mean.count, sl_text_plural(recipe->mean.count, "", "s"), channels);
    char *named = sl_recipe_network(recipe);
    char *network = inputs->vocabulary ? sl_vocabulary_network(inputs->vocabulary, named)
                                       : sl_string_copy(named);
    options.network = network;
    const enum sl_status status = sl_model_create(&options, &inputs->model, err);
    free(network);
    free(named);
    if (status != SL_OK) return status;
    SL_TRY(sl_model_set_class_names(inputs->model, inputs->data.dataset->classes, err));
    if (inputs->vocabulary) SL_TRY(give_words(inputs, err));
    return inputs->weights ? sl_weights_read(inputs->weights, inputs->model, err) : SL_OK;
}

static enum sl_status read_mixing(const char *path, struct sl_mixing_functions **out,
                                  struct sl_error *err)
{
    struct sl_json json = {0};
    SL_TRY(sl_json_read(path, MIXING_LIMIT, &json, err));
    const enum sl_status status = sl_mixing_from_json(&json, out, err);
    sl_json_release(&json);
    return status;
}

enum sl_status sl_train_inputs_read(const struct sl_workplace *workplace,
                                    const struct sl_train_job *job, struct sl_train_inputs *out,
                                    struct sl_error *err)
{
    struct sl_train_inputs inputs = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_recipe(job, &inputs.recipe, err));
    if (job->mixing) SL_TRY_OUT(read_mixing(job->mixing, &inputs.mixing, err));
    if (job->tuning) SL_TRY_OUT(sl_tuning_read(job->tuning, &inputs.tuning, err));
    if (job->weights) SL_TRY_OUT(sl_run_find_weights(job->weights, &inputs.weights, err));
    SL_TRY_OUT(sl_train_data(workplace, job, &inputs, err));
    SL_TRY_OUT(sl_train_targets(workplace, job, &inputs, err));
    SL_TRY_OUT(sl_train_match_dev(workplace, job, &inputs, err));
    SL_TRY_OUT(make_model(job, &inputs, err));
    *out = inputs;
    return SL_OK;
out:
    sl_train_inputs_release(&inputs);
    return status;
}

void sl_train_inputs_release(struct sl_train_inputs *inputs)
{
    sl_model_destroy(inputs->model);
    free(inputs->weights);
    sl_vocabulary_destroy(inputs->vocabulary);
    sl_targets_destroy(inputs->targets);
    sl_feeding_release(&inputs->data);
    sl_feeding_release(&inputs->dev);
    sl_rows_destroy(inputs->dev_labels);
    sl_mixing_functions_destroy(inputs->mixing);
    sl_tuning_destroy(inputs->tuning);
    *inputs = (struct sl_train_inputs){0};
}
