#include <stdlib.h>
#include <string.h>

#include "softlab/feed/text.h"
#include "softlab/nn/tuning.h"
#include "softlab/nn/weights.h"
#include "train.h"

enum { MIXING_LIMIT = 1 << 24, TEXTS_LIMIT = 1 << 30 };
enum { LISTED = 200 }; /* bytes of names in a warning */

/* ---- Recipe ---- */

static enum sl_status read_recipe(const struct train_values *values, struct sl_recipe *out,
                                  struct sl_error *err)
{
    const char *variant = values->as_published ? "as-published" : "as-run";
    *out = sl_recipe_default();
    if (values->recipe)
        SL_TRY(sl_recipe_read_for(values->recipe, variant, values->network, out, err));
    else if (values->network)
        SL_TRY(sl_recipe_set(out, "network", values->network, err));
    if (values->set) SL_TRY(sl_recipe_set_all(out, values->set, err));
    if (values->epochs > 0) out->epochs = values->epochs;
    if (!out->network[0])
        return sl_fail(err, SL_ERR_USAGE, "name a --network (softlab models lists them)");
    return sl_recipe_check(out, err);
}

/* ---- Labels ---- */

/* `more` behind `rows`, both with item names and the classes of the data set, or of `rows`. */
static enum sl_status append_rows(struct sl_rows *rows, struct sl_rows *more, const char *what,
                                  struct sl_error *err)
{
    if (!rows->items || !more->items)
        return sl_fail(err, SL_ERR_INPUT, "%s: labels without item names cannot be joined", what);
    const struct sl_class_list classes = {"the other labels", rows->classes, rows->n_classes};
    SL_TRY(sl_rows_reorder(more, what, &classes, err));
    const size_t n = rows->n_rows + more->n_rows, k = rows->n_classes;
    struct sl_rows *both = NULL;
    SL_TRY(sl_rows_create(n, k, &both, err));
    memcpy(both->values, rows->values, rows->n_rows * k * sizeof *both->values);
    memcpy(both->values + rows->n_rows * k, more->values, more->n_rows * k * sizeof *both->values);
    both->items = sl_alloc(n, sizeof *both->items);
    if (rows->annotators || more->annotators)
        both->annotators = sl_alloc(n, sizeof *both->annotators);
    for (size_t i = 0; i < n; i++) {
        const bool first = i < rows->n_rows;
        const struct sl_rows *from = first ? rows : more;
        const size_t row = first ? i : i - rows->n_rows;
        both->items[i] = sl_string_copy(from->items[row]);
        if (both->annotators)
            both->annotators[i] = sl_string_copy(from->annotators ? from->annotators[row] : "");
    }
    both->classes = rows->classes;
    rows->classes = NULL;
    const struct sl_rows was = *rows;
    *rows = *both;
    *both = was;
    sl_rows_destroy(both);
    return SL_OK;
}

/* A label file in the classes of the items, or items without classes in those of the file. */
static enum sl_status read_label_file(const struct cli *cli, const char *path,
                                      struct cli_feeding *data, struct sl_rows **out,
                                      struct sl_error *err)
{
    SL_TRY(sl_rows_read(path, "labels", out, err));
    cli_say_rescaled(cli, path, *out);
    const struct sl_class_list classes = {path, (*out)->classes, (*out)->n_classes};
    if (data->dataset->n_classes == 0 && classes.names)
        return cli_feeding_match(cli, &classes, data, err);
    return cli_feeding_labels(cli, data, path, *out, err);
}

static enum sl_status read_labels(const struct cli *cli, const struct train_values *values,
                                  struct cli_feeding *data, struct sl_rows **out,
                                  struct sl_error *err)
{
    struct sl_rows *rows = NULL, *extra = NULL;
    enum sl_status status = SL_OK;
    if (values->labels) SL_TRY_OUT(read_label_file(cli, values->labels, data, &rows, err));
    if (values->extra_labels) {
        SL_TRY_OUT(read_label_file(cli, values->extra_labels, data, &extra, err));
        if (rows) {
            SL_TRY_OUT(append_rows(rows, extra, values->extra_labels, err));
        } else {
            rows = extra;
            extra = NULL;
        }
    }
    *out = rows;
    rows = NULL;
out:
    sl_rows_destroy(rows);
    sl_rows_destroy(extra);
    return status;
}

/* What is never trained on: a file's names, a list that the program knows, or what the recipe says.
 */
static enum sl_status read_holdout(const struct train_values *values,
                                   const struct sl_recipe *recipe, const struct sl_rows *labels,
                                   char ***out, struct sl_error *err)
{
    const char *name = values->holdout;
    if (name && strcmp(name, "none") == 0) return SL_OK;
    if (name && !sl_recipe_holdout(name)) return cli_read_lines(name, out, err);
    struct sl_recipe own = *recipe;
    if (name) {
        own.holdout_draw = 0;
        SL_TRY(sl_recipe_set(&own, "holdout", name, err));
    }
    return sl_holdout_create(&own, labels, (uint64_t)values->seed, out, err);
}

static enum sl_target_rest rest_of(const struct train_values *values)
{
    if (!values->labels || strcmp(values->rest, "hard") == 0) return SL_REST_HARD;
    return strcmp(values->rest, "drop") == 0 ? SL_REST_DROP : SL_REST_FAIL;
}

static enum sl_status read_teacher(const struct cli *cli, const struct train_values *values,
                                   double temperature, struct sl_rows **out, struct sl_error *err)
{
    char **paths = cli_split_list(values->teacher);
    size_t count = 0;
    while (paths[count])
        count++;
    const enum sl_status status = cli_read_ensemble(cli, paths, count, temperature, out, err);
    sl_names_destroy(paths);
    return status;
}

/* Training on some of the items alone must not go unsaid. */
static void say_left_out(const struct cli *cli, const struct train_inputs *inputs)
{
    const struct sl_targets *targets = inputs->targets;
    if (targets->n_left_out == 0) return;
    sl_log(&cli->log, SL_LOG_WARNING, "%s: %zu of %zu items have labels, %zu are not trained on",
           inputs->data.dataset->name, targets->n_items, targets->n_items + targets->n_left_out,
           targets->n_left_out);
}

static enum sl_status make_targets(const struct cli *cli, const struct train_values *values,
                                   struct train_inputs *inputs, struct sl_error *err)
{
    const struct sl_dataset *dataset = inputs->data.dataset;
    const struct sl_recipe *recipe = &inputs->recipe;
    struct sl_rows *labels = NULL, *teacher = NULL;
    char **holdout = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_labels(cli, values, &inputs->data, &labels, err));
    if (values->teacher && !(recipe->teacher_share > 0)) {
        status = sl_fail(err, SL_ERR_USAGE,
                         "--teacher has no effect while the recipe's teacher_share is 0: --set "
                         "teacher_share=1");
        goto out;
    }
    if (values->teacher) {
        SL_TRY_OUT(read_teacher(cli, values, recipe->temperature, &teacher, err));
        SL_TRY_OUT(cli_feeding_labels(cli, &inputs->data, values->teacher, teacher, err));
    }
    SL_TRY_OUT(read_holdout(values, recipe, labels, &holdout, err));
    const struct sl_target_items items = {dataset->count, dataset->n_classes, dataset->items,
                                          dataset->classes, dataset->labels};
    struct sl_target_options options = sl_target_options_default();
    options.labels = labels;
    options.siblings = dataset->siblings;
    options.n_siblings = dataset->n_siblings;
    options.only = inputs->data.only;
    options.n_only = inputs->data.n_only;
    options.holdout = (const char *const *)holdout;
    options.rest = rest_of(values);
    options.draw = recipe->draw;
    options.smooth = recipe->smooth;
    options.smooth_all = recipe->smooth_all;
    options.teacher = teacher;
    options.teacher_share = recipe->teacher_share;
    const bool crowd = strcmp(recipe->method, "crowd-layer") == 0;
    status = sl_targets_create(&items, &options, crowd, &inputs->targets, err);
    if (status != SL_OK && values->labels && strncmp(err->message, "labels:", 7) == 0)
        sl_fail_within(err, status, "%s", values->labels);
    if (status == SL_OK) say_left_out(cli, inputs);
out:
    sl_rows_destroy(labels);
    sl_rows_destroy(teacher);
    sl_names_destroy(holdout);
    return status;
}

/* ---- Data ---- */

/* The classes of more items are those of the data, found by name. */
static enum sl_status match_extra(const struct cli *cli, const struct sl_dataset *dataset,
                                  struct sl_dataset *extra, struct sl_error *err)
{
    const struct sl_class_list classes = {dataset->name, dataset->classes, dataset->n_classes};
    struct cli_feeding more = {.dataset = extra};
    if (classes.count == 0 || extra->n_classes == 0) return SL_OK;
    const enum sl_status status = cli_feeding_match(cli, &classes, &more, err);
    free(more.columns);
    return status;
}

static enum sl_status add_extra(const struct cli *cli, const struct train_values *values,
                                struct cli_feeding *data, struct sl_error *err)
{
    struct sl_dataset *extra = NULL, *dataset = data->dataset;
    const size_t before = dataset->count;
    SL_TRY(cli_open_set(cli, values->extra, &extra, err));
    const struct sl_load_options form = {dataset->height, dataset->width, dataset->channels,
                                         values->images.skip_broken};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_dataset_load_with(extra, &form, NULL, err));
    sl_dataset_tell(extra, &cli->log);
    SL_TRY_OUT(match_extra(cli, dataset, extra, err));
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

/* The dev set of the command line, else the recipe's own where one is needed. */
static enum sl_status read_dev(const struct cli *cli, const struct train_values *values,
                               struct train_inputs *inputs, struct sl_error *err)
{
    const struct sl_recipe *recipe = &inputs->recipe;
    const bool needed = recipe->select == SL_SELECT_BEST || recipe->patience > 0;
    const bool own = recipe->dev[0] && strcmp(recipe->dev, "held-out") != 0;
    const char *name = values->dev ? values->dev : needed && own ? recipe->dev : NULL;
    if (!name && needed)
        return sl_fail(
            err, SL_ERR_USAGE,
            "choosing the best epoch needs a --dev set; or --set select=last,patience=0");
    const char *idle = values->dev_split    ? "--dev-split"
                       : values->dev_labels ? "--dev-labels"
                                            : NULL;
    if (!name && idle) return sl_fail(err, SL_ERR_USAGE, "%s has no effect without --dev", idle);
    if (!name) return SL_OK;
    struct cli_feeding *dev = &inputs->dev;
    struct cli_images images = values->images;
    /* Grey images of the dev set alone would be read as grey. */
    images.colour = inputs->data.dataset->channels == 3;
    SL_TRY(cli_feeding_open(cli, name, values->dev_split, &images, true, dev, err));
    const size_t wanted = (size_t)recipe->dev_count;
    if (!values->dev && wanted > 0 && wanted < dev->dataset->count && !dev->only) {
        struct sl_rng rng;
        sl_rng_init(&rng, (uint64_t)values->seed, "dev", 0, 0);
        dev->only = sl_alloc(wanted, sizeof *dev->only);
        dev->n_only = wanted;
        sl_rng_sample(&rng, dev->dataset->count, wanted, dev->only);
    }
    if (values->dev_labels)
        SL_TRY(sl_rows_read(values->dev_labels, "labels", &inputs->dev_labels, err));
    cli_say_rescaled(cli, values->dev_labels, inputs->dev_labels);
    return SL_OK;
}

/* The words of texts: those of the weights to begin with, else of a file of vectors. */
static enum sl_status find_words(const struct cli *cli, const struct train_values *values,
                                 struct train_inputs *inputs, struct sl_error *err)
{
    if (inputs->weights && values->vectors)
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
    if (values->vectors)
        return sl_vocabulary_create(values->vectors, sets, n_sets, &inputs->vocabulary, err);
    char *folder = NULL;
    const char *network = inputs->recipe.network;
    const bool found = sl_fetch_locate(SL_VECTORS_SET, &cli->roots, &folder, NULL) == SL_OK;
    if (!found && !sl_network_reads_texts(network))
        return sl_fail(err, SL_ERR_INPUT, "%s: it reads no texts, and %s holds them", network,
                       inputs->data.dataset->name);
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

/* Texts are read once it is known what their words are. */
static enum sl_status read_texts(const struct cli *cli, const struct train_values *values,
                                 struct train_inputs *inputs, struct sl_error *err)
{
    const struct sl_dataset *data = inputs->data.dataset, *dev = inputs->dev.dataset;
    if (!data->texts && values->vectors)
        return sl_fail(err, SL_ERR_USAGE, "--vectors are for texts, %s holds %s", data->name,
                       cli_feeding_unit(&inputs->data));
    if (dev && (data->texts != NULL) != (dev->texts != NULL))
        return sl_fail(err, SL_ERR_INPUT, "%s holds %s, %s %s", data->name,
                       cli_feeding_unit(&inputs->data), dev->name, cli_feeding_unit(&inputs->dev));
    if (data->texts) SL_TRY(find_words(cli, values, inputs, err));
    SL_TRY(cli_feeding_read(cli, inputs->vocabulary, &inputs->data, err));
    SL_TRY(cli_feeding_read(cli, inputs->vocabulary, &inputs->dev, err));
    if (!dev) return SL_OK;
    const struct sl_input_shape a = sl_feed_shape(inputs->data.feed),
                                b = sl_feed_shape(inputs->dev.feed);
    if (a.channels == b.channels && a.height == b.height && a.width == b.width) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s has items of %zux%zux%zu, %s of %zux%zux%zu", data->name,
                   a.channels, a.height, a.width, dev->name, b.channels, b.height, b.width);
}

/* What the items are, as the network will see them but for its recipe. */
static enum sl_status hash_items(const struct cli_feeding *data, char out[65], struct sl_error *err)
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

/* Classes of the weights that nothing is trained on. */
static void say_untrained(const struct cli *cli, const struct sl_class_list *network,
                          const struct cli_feeding *data)
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
        sl_log(&cli->log, SL_LOG_WARNING,
               "%s: the network keeps its output%s for %s, which %s not a class of %s",
               network->owner, count == 1 ? "" : "s",
               sl_classes_text(untrained, count, names, sizeof names), count == 1 ? "is" : "are",
               data->dataset->name);
    free(untrained);
}

/* Classes are those of the weights to begin with, whose columns have an order already. */
static enum sl_status match_weights(const struct cli *cli, struct train_inputs *inputs,
                                    struct sl_error *err)
{
    struct sl_class_list network = {.owner = inputs->weights};
    char **names = NULL;
    SL_TRY(sl_weights_class_names(inputs->weights, &names, &network.count, err));
    network.names = names;
    if (names) {
        const enum sl_status status = cli_feeding_match(cli, &network, &inputs->data, err);
        if (status == SL_OK) say_untrained(cli, &network, &inputs->data);
        sl_names_destroy(names);
        return status;
    }
    sl_log(&cli->log, SL_LOG_WARNING,
           "%s does not name its classes: they are taken in the order of %s; name them with "
           "softlab export --class-names",
           inputs->weights, inputs->data.dataset->name);
    return SL_OK;
}

/* The dev set is scored in the classes that are trained. */
static enum sl_status match_dev(const struct cli *cli, const struct train_values *values,
                                struct train_inputs *inputs, struct sl_error *err)
{
    const struct sl_dataset *data = inputs->data.dataset;
    const struct sl_class_list classes = {data->name, data->classes, data->n_classes};
    if (!inputs->dev.dataset) return SL_OK;
    SL_TRY(cli_feeding_match(cli, &classes, &inputs->dev, err));
    if (!inputs->dev_labels) return SL_OK;
    return cli_feeding_labels(cli, &inputs->dev, values->dev_labels, inputs->dev_labels, err);
}

static enum sl_status read_data(const struct cli *cli, const struct train_values *values,
                                struct train_inputs *inputs, struct sl_error *err)
{
    SL_TRY(cli_feeding_open(cli, values->data, values->split, &values->images, false, &inputs->data,
                            err));
    if (values->extra) SL_TRY(add_extra(cli, values, &inputs->data, err));
    SL_TRY(hash_items(&inputs->data, inputs->data_hash, err));
    SL_TRY(read_dev(cli, values, inputs, err));
    SL_TRY(read_texts(cli, values, inputs, err));
    return inputs->weights ? match_weights(cli, inputs, err) : SL_OK;
}

/* ---- Model ---- */

static size_t copy_reals(const struct sl_real_list *list, float *out)
{
    for (size_t i = 0; i < list->count; i++)
        out[i] = (float)list->values[i];
    return list->count;
}

/* What words mean is part of the data. */
static enum sl_status give_words(struct train_inputs *inputs, struct sl_error *err)
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

static enum sl_status make_model(const struct train_values *values, struct train_inputs *inputs,
                                 struct sl_error *err)
{
    const struct sl_recipe *recipe = &inputs->recipe;
    float mean[SL_RECIPE_LIST_MAX], deviation[SL_RECIPE_LIST_MAX];
    struct sl_model_options options = sl_model_options_default();
    options.classes = inputs->targets->n_classes;
    options.input = sl_feed_shape(inputs->data.feed);
    options.init = recipe->init_pytorch ? SL_INIT_PYTORCH : SL_INIT_PAPER;
    options.seed = (uint64_t)values->seed;
    const size_t channels = options.input.channels;
    if (copy_reals(&recipe->mean, mean) == channels) options.mean = mean;
    if (copy_reals(&recipe->deviation, deviation) == channels) options.deviation = deviation;
    if (recipe->mean.count > 0 && recipe->mean.count != channels)
        return sl_fail(err, SL_ERR_INPUT,
                       "the recipe normalises %zu channels, the images have %zu: set mean and "
                       "deviation",
                       recipe->mean.count, channels);
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

enum sl_status train_inputs_read(const struct cli *cli, const struct train_values *values,
                                 struct train_inputs *out, struct sl_error *err)
{
    struct train_inputs inputs = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_recipe(values, &inputs.recipe, err));
    if (values->mixing) SL_TRY_OUT(read_mixing(values->mixing, &inputs.mixing, err));
    if (values->tuning) SL_TRY_OUT(sl_tuning_read(values->tuning, &inputs.tuning, err));
    if (values->weights) SL_TRY_OUT(cli_find_weights(values->weights, &inputs.weights, err));
    SL_TRY_OUT(read_data(cli, values, &inputs, err));
    SL_TRY_OUT(make_targets(cli, values, &inputs, err));
    SL_TRY_OUT(match_dev(cli, values, &inputs, err));
    SL_TRY_OUT(make_model(values, &inputs, err));
    *out = inputs;
    return SL_OK;
out:
    train_inputs_release(&inputs);
    return status;
}

void train_inputs_release(struct train_inputs *inputs)
{
    sl_model_destroy(inputs->model);
    free(inputs->weights);
    sl_vocabulary_destroy(inputs->vocabulary);
    sl_targets_destroy(inputs->targets);
    cli_feeding_release(&inputs->data);
    cli_feeding_release(&inputs->dev);
    sl_rows_destroy(inputs->dev_labels);
    sl_mixing_functions_destroy(inputs->mixing);
    sl_tuning_destroy(inputs->tuning);
    *inputs = (struct train_inputs){0};
}
