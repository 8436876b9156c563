/* The items of a training: the data, the extra data and the dev set. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/training/train.h"
#include "softlab/base/memory.h"
#include "softlab/feed/text.h"
#include "softlab/nn/weights.h"

enum { TEXTS_LIMIT = 1 << 30 };
enum { LISTED = 200 }; /* bytes of names in a warning */

/* Give the extra items the classes of the data, matched by name. */
static enum sl_status match_extra(const struct sl_workplace *workplace,
                                  const struct sl_dataset *dataset, struct sl_dataset *extra,
                                  struct sl_error *err)
{
    const struct sl_class_list classes = {dataset->name, dataset->classes, dataset->n_classes};
    struct sl_feeding more = {.dataset = extra};
    if (classes.count == 0 || extra->n_classes == 0) return SL_OK;
    const enum sl_status status = sl_feeding_match(workplace, &classes, &more, err);
    free(more.columns);
    return status;
}

static enum sl_status add_extra(const struct sl_workplace *workplace,
                                const struct sl_train_job *job, struct sl_feeding *data,
                                struct sl_error *err)
{
    struct sl_dataset *extra = NULL, *dataset = data->dataset;
    const size_t before = dataset->count;
    SL_TRY(sl_workplace_open(workplace, job->extra, &extra, err));
    const struct sl_load_options form = {dataset->height, dataset->width, dataset->channels,
                                         job->images.skip_broken, workplace->pool};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_dataset_load_with(extra, &form, NULL, err));
    sl_dataset_tell(extra, workplace->log);
    SL_TRY_OUT(match_extra(workplace, dataset, extra, err));
    SL_TRY_OUT(sl_dataset_append(dataset, extra, err));
    sl_feed_destroy(data->feed);
    data->feed = NULL;
    SL_TRY_OUT(sl_feed_images(dataset, &data->feed, err));
    if (data->only) {
        data->only = sl_resize(data->only, data->n_only + extra->count, sizeof *data->only);
        for (size_t i = before; i < dataset->count; i++)
            data->only[data->n_only++] = i;
    }
out:
    sl_dataset_destroy(extra);
    return status;
}

/* Open --dev, or the recipe's dev set if the recipe needs one. */
static enum sl_status read_dev(const struct sl_workplace *workplace, const struct sl_train_job *job,
                               struct sl_train_inputs *inputs, struct sl_error *err)
{
    const struct sl_recipe *recipe = &inputs->recipe;
    const bool needed = recipe->select == SL_SELECT_BEST || recipe->patience > 0;
    const bool own = recipe->dev[0] && strcmp(recipe->dev, "held-out") != 0;
    const char *name = job->dev ? job->dev : needed && own ? recipe->dev : NULL;
    if (!name && needed)
        return sl_fail(
            err, SL_ERR_USAGE,
            "choosing the best epoch needs a --dev set; or --set select=last,patience=0");
    const char *idle = job->dev_split ? "--dev-split" : job->dev_labels ? "--dev-labels" : NULL;
    if (!name && idle) return sl_fail(err, SL_ERR_USAGE, "%s has no effect without --dev", idle);
    if (!name) return SL_OK;
    struct sl_feeding *dev = &inputs->dev;
    struct sl_load_options images = job->images;
    /* A dev set with only grey images would otherwise be read as grey. */
    if (images.channels == 0 && inputs->data.dataset->channels == 3) images.channels = 3;
    SL_TRY(sl_feeding_open(workplace, name, job->dev_split, &images, true, dev, err));
    const size_t wanted = (size_t)recipe->dev_count;
    if (!job->dev && wanted > 0 && wanted < dev->dataset->count && !dev->only) {
        struct sl_rng rng;
        sl_rng_init(&rng, job->seed, "dev", 0, 0);
        dev->only = sl_alloc(wanted, sizeof *dev->only);
        dev->n_only = wanted;
        sl_rng_sample(&rng, dev->dataset->count, wanted, dev->only);
    }
    if (job->dev_labels) SL_TRY(sl_rows_read(job->dev_labels, "labels", &inputs->dev_labels, err));
    sl_say_rescaled(workplace, job->dev_labels, inputs->dev_labels);
    return SL_OK;
}

/* Take the vocabulary from the initial weights, or else from a file of word vectors. */
static enum sl_status find_words(const struct sl_workplace *workplace,
                                 const struct sl_train_job *job, struct sl_train_inputs *inputs,
                                 struct sl_error *err)
{
    if (inputs->weights && job->vectors)
        return sl_fail(
            err, SL_ERR_USAGE,
            "--vectors has no effect with --weights, which have their own: leave it out");
    if (inputs->weights) {
        struct sl_model *model = NULL;
        SL_TRY(sl_weights_open(inputs->weights, &model, err));
        const enum sl_status status = sl_vocabulary_of_model(model, &inputs->vocabulary, err);
        sl_model_destroy(model);
        return status == SL_OK ? status : sl_fail_within(err, status, "%s", inputs->weights);
    }
    const struct sl_dataset *const sets[] = {inputs->data.dataset, inputs->dev.dataset};
    const size_t n_sets = inputs->dev.dataset ? 2 : 1;
    if (job->vectors)
        return sl_vocabulary_create(job->vectors, sets, n_sets, &inputs->vocabulary, err);
    char *folder = NULL;
    const char *network = inputs->recipe.network;
    const bool found = sl_fetch_locate(SL_VECTORS_SET, &workplace->roots, &folder, NULL) == SL_OK;
    if (!found && !sl_network_reads_texts(network))
        return sl_fail(err, SL_ERR_INPUT, "%s: the network reads no texts, but %s holds texts",
                       network, inputs->data.dataset->name);
    if (!found)
        return sl_fail(err, SL_ERR_USAGE,
                       "%s: texts need vectors of their words: softlab fetch " SL_VECTORS_SET
                       ", or name a GloVe file with --vectors",
                       inputs->data.dataset->name);
    char *path = sl_path_join(folder, SL_VECTORS_FILE);
    const enum sl_status status =
        sl_vocabulary_create(path, sets, n_sets, &inputs->vocabulary, err);
    free(path);
    free(folder);
    return status;
}

/* Texts are read once the vocabulary is known. */
static enum sl_status read_texts(const struct sl_workplace *workplace,
                                 const struct sl_train_job *job, struct sl_train_inputs *inputs,
                                 struct sl_error *err)
{
    const struct sl_dataset *data = inputs->data.dataset, *dev = inputs->dev.dataset;
    if (!data->texts && job->vectors)
        return sl_fail(err, SL_ERR_USAGE,
                       "--vectors has no effect: %s holds %s, not texts; leave it out", data->name,
                       sl_feeding_unit(&inputs->data));
    if (dev && (data->texts != NULL) != (dev->texts != NULL))
        return sl_fail(err, SL_ERR_INPUT, "%s holds %s, %s %s", data->name,
                       sl_feeding_unit(&inputs->data), dev->name, sl_feeding_unit(&inputs->dev));
    if (data->texts) SL_TRY(find_words(workplace, job, inputs, err));
    SL_TRY(sl_feeding_read(workplace, inputs->vocabulary, &inputs->data, err));
    SL_TRY(sl_feeding_read(workplace, inputs->vocabulary, &inputs->dev, err));
    if (!dev) return SL_OK;
    const struct sl_input_shape a = sl_feed_shape(inputs->data.feed),
                                b = sl_feed_shape(inputs->dev.feed);
    if (a.channels == b.channels && a.height == b.height && a.width == b.width) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s has items of %zux%zux%zu, %s of %zux%zux%zu", data->name,
                   a.channels, a.height, a.width, dev->name, b.channels, b.height, b.width);
}

/* Hash the items as the network sees them, before the recipe augments or normalises them. */
static enum sl_status hash_items(const struct sl_feeding *data, char out[65], struct sl_error *err)
{
    const struct sl_dataset *dataset = data->dataset;
    if (dataset->pixels) {
        sl_sha256(dataset->pixels,
                  dataset->count * dataset->height * dataset->width * dataset->channels, out);
        return SL_OK;
    }
    if (dataset->features) {
        sl_sha256(dataset->features,
                  dataset->count * dataset->n_features * sizeof *dataset->features, out);
        return SL_OK;
    }
    struct sl_buffer all;
    sl_buffer_init_data(&all, TEXTS_LIMIT);
    for (size_t i = 0; i < dataset->count; i++) {
        const struct sl_span span = dataset->spans ? dataset->spans[i] : (struct sl_span){0};
        sl_buffer_printf(&all, "%zu %zu %s\n", span.begin, span.end, dataset->texts[i]);
    }
    const enum sl_status status = sl_buffer_check(&all, dataset->name, err);
    if (status == SL_OK) sl_sha256(all.data, all.length, out);
    sl_buffer_release(&all);
    return status;
}

/* Warn of classes of the weights that the data do not have. */
static void say_untrained(const struct sl_workplace *workplace, const struct sl_class_list *network,
                          const struct sl_feeding *data)
{
    char **untrained = sl_alloc(network->count, sizeof *untrained), names[LISTED];
    size_t count = 0;
    for (size_t k = 0; k < network->count; k++) {
        size_t own = 0;
        while (own < data->n_own && data->columns[own] != k)
            own++;
        if (own == data->n_own) untrained[count++] = network->names[k];
    }
    if (count > 0 && data->n_own > 0)
        sl_log(workplace->log, SL_LOG_WARNING,
               "%s: the network keeps its output%s for %s, which %s not a class of %s",
               network->owner, count == 1 ? "" : "s",
               sl_classes_text(untrained, count, names, sizeof names), count == 1 ? "is" : "are",
               data->dataset->name);
    free(untrained);
}

/* Use the classes of the initial weights, because their output columns have a fixed order. */
static enum sl_status match_weights(const struct sl_workplace *workplace,
                                    struct sl_train_inputs *inputs, struct sl_error *err)
{
    struct sl_class_list network = {.owner = inputs->weights};
    char **names = NULL;
    SL_TRY(sl_weights_class_names(inputs->weights, &names, &network.count, err));
    network.names = names;
    if (names) {
        const enum sl_status status = sl_feeding_match(workplace, &network, &inputs->data, err);
        if (status == SL_OK) say_untrained(workplace, &network, &inputs->data);
        sl_names_destroy(names);
        return status;
    }
    sl_log(workplace->log, SL_LOG_WARNING,
           "%s does not name its classes: they are taken in the order of %s; name them with "
           "softlab export --class-names",
           inputs->weights, inputs->data.dataset->name);
    return SL_OK;
}

/* Give the dev set the classes that are trained, so that it can be scored. */
enum sl_status sl_train_match_dev(const struct sl_workplace *workplace,
                                  const struct sl_train_job *job, struct sl_train_inputs *inputs,
                                  struct sl_error *err)
{
    const struct sl_dataset *data = inputs->data.dataset;
    const struct sl_class_list classes = {data->name, data->classes, data->n_classes};
    if (!inputs->dev.dataset) return SL_OK;
    SL_TRY(sl_feeding_match(workplace, &classes, &inputs->dev, err));
    if (!inputs->dev_labels) return SL_OK;
    return sl_feeding_labels(workplace, &inputs->dev, job->dev_labels, inputs->dev_labels, err);
}

enum sl_status sl_train_data(const struct sl_workplace *workplace, const struct sl_train_job *job,
                             struct sl_train_inputs *inputs, struct sl_error *err)
{
    SL_TRY(
        sl_feeding_open(workplace, job->data, job->split, &job->images, false, &inputs->data, err));
    if (job->extra) SL_TRY(add_extra(workplace, job, &inputs->data, err));
    SL_TRY(hash_items(&inputs->data, inputs->data_hash, err));
    SL_TRY(read_dev(workplace, job, inputs, err));
    SL_TRY(read_texts(workplace, job, inputs, err));
    return inputs->weights ? match_weights(workplace, inputs, err) : SL_OK;
}
