/* Jobs for trainings: the arguments of softlab train, and the record of what they depend on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "experiment/prepare/prepare.h"
#include "softlab/base/memory.h"
#include "softlab/base/options.h"
#include "softlab/base/text.h"
#include "softlab/nn.h"
#include "softlab/train.h"

/* ---- Recipes ---- */

/* The paper's network whose recipe and learning rate apply. A network that a scale adds uses those
 * of the paper's first network. */
static const char *paper_network(const struct sl_planner *planner, const char *network)
{
    const struct sl_spec_body *written = planner->spec->written;
    const struct sl_text_list *trained = &written->design.networks;
    for (size_t i = 0; planner->part && i < written->parts.count; i++)
        if (strcmp(written->parts.names[i], planner->part) == 0 &&
            written->parts.items[i].networks.items)
            trained = &written->parts.items[i].networks;
    return trained->count == 0 || sl_text_list_has(trained, network) ? network : trained->items[0];
}

static char *recipe_name(const struct sl_planner *planner, const char *template,
                         const char *network)
{
    const char *at = strstr(template, "{network}");
    if (!at) return sl_string_copy(template);
    return sl_string_printf("%.*s%s%s", (int)(at - template), template,
                            paper_network(planner, network), at + strlen("{network}"));
}

/* Scale the recipe's milestones and cosine schedule to a changed number of epochs. */
static void shrink(json_t *settings, const struct sl_recipe *recipe)
{
    const json_t *epochs = json_object_get(settings, "epochs");
    if (!epochs || recipe->epochs < 1) return;
    const double share = json_number_value(epochs) / (double)recipe->epochs;
    if (recipe->milestones.count > 0 && !json_object_get(settings, "milestones")) {
        json_t *list = json_array();
        double last = 0;
        for (size_t i = 0; i < recipe->milestones.count; i++) {
            const double scaled = round(recipe->milestones.values[i] * share);
            last = fmax(scaled, last + 1);
            json_array_append_new(list, json_real(last));
        }
        json_object_set_new(settings, "milestones", list);
    }
    if (recipe->cosine_epochs > 0 && !json_object_get(settings, "cosine_epochs"))
        json_object_set_new(settings, "cosine_epochs", json_real(recipe->cosine_epochs * share));
}

struct resolved {
    char *name;       /* owned */
    json_t *settings; /* owned; overrides of the recipe's keys */
    struct sl_recipe recipe;
};

static enum sl_status apply(struct resolved *resolved, struct sl_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach(resolved->settings, key, value)
    {
        char *text = sl_option_text(value);
        const enum sl_status status = sl_recipe_set(&resolved->recipe, key, text, err);
        free(text);
        if (status != SL_OK) return status;
    }
    return sl_recipe_check(&resolved->recipe, err);
}

static enum sl_status check_network(const char *network, struct sl_error *err)
{
    const char *names[64] = {NULL};
    size_t count = 0;
    for (const struct sl_network *known = sl_networks; known->name; known++) {
        if (strcmp(known->name, network) == 0) return SL_OK;
        if (count + 1 < sizeof names / sizeof *names) names[count++] = known->name;
    }
    if (strchr(network, ':')) return SL_OK; /* a family with options: softlab train checks it */
    char ending[SL_SUGGESTION_TEXT];
    return sl_fail(err, SL_ERR_NOT_FOUND, "no network is called \"%s\"%s", network,
                   sl_text_suggestion(network, names, "", ending));
}

/* The recipe with its overrides. On failure *out is incomplete, but good enough for the job's
 * arguments. */
static enum sl_status resolve(const struct sl_planner *planner, const char *template,
                              const char *network, struct resolved *out, struct sl_error *err)
{
    out->name = recipe_name(planner, template, network);
    SL_TRY(check_network(network, err));
    SL_TRY(sl_recipe_read_for(out->name, planner->variant, network, &out->recipe, err));
    shrink(out->settings, &out->recipe);
    return apply(out, err);
}

static void resolved_release(struct resolved *resolved)
{
    free(resolved->name);
    json_decref(resolved->settings);
}

/* ---- Arguments and record ---- */

/* The arguments of a training, and the record of what it depends on. */
struct words {
    json_t *list;   /* arguments of softlab train */
    json_t *record; /* owned; {option: value}, inputs by their content */
    struct sl_needs needs;
    char *split; /* owned */
};

static struct words words_begin(void)
{
    return (struct words){.list = json_pack("[s]", "train"), .record = json_object()};
}

/* Add an argument but nothing to the record, which has the value in another form. */
static void add_words(struct words *words, const char *option, const char *value)
{
    if (!value) return;
    json_array_append_new(words->list, json_string(option));
    json_array_append_new(words->list, json_string(value));
}

/* `value` is a file, another job's output or a plain word. */
static void add(struct sl_planner *planner, struct words *words, const char *option,
                const char *value)
{
    if (!value) return;
    add_words(words, option, value);
    json_object_set_new(words->record, option + 2, sl_identity_of_text(planner, value));
}

static void add_data(struct sl_planner *planner, struct words *words, const char *option,
                     const char *name)
{
    if (!name) return;
    add_words(words, option, name);
    json_object_set_new(words->record, option + 2, sl_identity_of_data(planner, name));
}

static void add_number(struct words *words, const char *option, int64_t value)
{
    char *text = sl_string_printf("%lld", (long long)value);
    add_words(words, option, text);
    json_object_set_new(words->record, option + 2, json_integer(value));
    free(text);
}

/* The record holds the recipe's values, and for taggers the word vectors, which they find without
 * an option. */
static void add_recipe(struct sl_planner *planner, struct words *words, const char *network,
                       const struct resolved *resolved)
{
    add_words(words, "--network", network);
    add_words(words, "--recipe", resolved->name);
    json_object_set_new(words->record, "network", json_string(network));
    json_object_set_new(words->record, "recipe", sl_recipe_to_json(&resolved->recipe));
    if (sl_network_reads_texts(network))
        json_object_set_new(words->record, "vectors",
                            sl_identity_of_text(planner, SL_VECTORS_PLACE));
    if (planner->options->as_published)
        json_array_append_new(words->list, json_string("--as-published"));
    struct sl_buffer set;
    sl_buffer_init(&set, 65536);
    const char *key;
    json_t *value;
    json_object_foreach(resolved->settings, key, value)
    {
        char *text = sl_option_text(value);
        sl_buffer_printf(&set, "%s%s=%s", set.length > 0 ? "," : "", key, text);
        free(text);
    }
    if (set.length > 0) add_words(words, "--set", set.data);
    sl_buffer_release(&set);
}

/* Options that are not set are not in the record either. */
static void add_images(struct sl_planner *planner, struct words *words)
{
    const struct sl_spec_design *design = planner->design;
    add(planner, words, "--size", design->size);
    if (design->channels > 0) add_number(words, "--channels", design->channels);
    if (!design->skip_broken) return;
    json_array_append_new(words->list, json_string("--skip-broken"));
    json_object_set_new(words->record, "skip-broken", json_true());
}

static const char *output(const struct sl_planner *planner, size_t job)
{
    return job == SL_NO_JOB ? NULL : planner->plan->jobs[job].output;
}

/* The number of names in a file, read once; 0 if the file cannot be read yet. */
static size_t count_names(struct sl_planner *planner, const char *place)
{
    size_t count = 0;
    const struct sl_preparation preparation = {.roots = planner->options->roots};
    struct sl_name_table *names = NULL;
    if (sl_plan_has_counted(planner, place, &count)) return count;
    if (!preparation.roots || sl_prepare_names(&preparation, place, &names, NULL) != SL_OK)
        return 0;
    count = sl_name_table_count(names);
    sl_name_table_destroy(names);
    sl_plan_keep_count(planner, place, count);
    return count;
}

/* Returns the number of added images. */
static size_t add_labels(struct sl_planner *planner, const struct sl_training_choice *choice,
                         struct words *words)
{
    const struct sl_spec_set *set = choice->set;
    const size_t labels = sl_expand_labels(planner, choice->set_name, set, choice->seed);
    struct sl_needs *needs = &words->needs;
    sl_needs_add(needs, labels);
    add(planner, words, "--labels", output(planner, labels));
    if (labels != SL_NO_JOB)
        add(planner, words, "--rest",
            set->rest && strcmp(set->rest, "hard") == 0 ? "hard" : "drop");
    if (set->mixing) {
        const size_t job = sl_expand_file(planner, set->mixing, choice->seed);
        sl_needs_add(needs, job);
        add(planner, words, "--mixing", output(planner, job));
    }
    if (!set->extra) return 0;
    char *names = sl_expand_word(planner, set->extra->images, choice->seed, needs);
    json_t *step = json_pack("{s:s, s:s, s:s}", "prepare", "mixtures", "data",
                             planner->design->data, "names", names);
    const size_t n_extra = count_names(planner, names);
    free(names);
    const size_t images = sl_plan_add_job(planner, step, NULL, ".npz", NULL, "mixed images");
    const size_t extra_labels = sl_expand_labels(planner, "mixed images", set->extra, choice->seed);
    sl_needs_add(needs, images);
    sl_needs_add(needs, extra_labels);
    add(planner, words, "--extra", output(planner, images));
    add(planner, words, "--extra-labels", output(planner, extra_labels));
    return n_extra;
}

static void add_holdout(struct sl_planner *planner, const struct sl_training_choice *choice,
                        struct words *words)
{
    const char *list = planner->design->holdout;
    if (list && planner->options->as_published) {
        const size_t drawn = sl_expand_holdout(planner, choice->seed);
        sl_needs_add(&words->needs, drawn);
        add(planner, words, "--holdout", drawn == SL_NO_JOB ? list : output(planner, drawn));
    } else {
        add(planner, words, "--holdout", list ? list : "none");
    }
}

/* The items that choose the best epoch: the held-out fold, or the design's dev set. Returns their
 * number. */
static size_t add_dev(struct sl_planner *planner, const struct sl_training_choice *choice,
                      const struct sl_recipe *recipe, struct words *words)
{
    const struct sl_spec_design *design = planner->design;
    const bool wanted = recipe->select == SL_SELECT_BEST || recipe->patience > 0;
    const bool fold = choice->fold >= 0 && strcmp(recipe->dev, "held-out") == 0;
    const char *data = fold ? design->data : design->dev;
    if (!wanted || !data) return 0;
    struct sl_item_choice items = {.data = data, .seed = choice->seed};
    if (fold) {
        items.folds = design->folds;
        items.fold = choice->fold;
        items.held_out = true;
    } else {
        items.first = design->dev_items;
        if (items.first == 0) items.first = recipe->dev_count;
    }
    char *split = sl_expand_items(planner, &items, &words->needs);
    const size_t labels = sl_expand_dev_labels(planner, choice);
    sl_needs_add(&words->needs, labels);
    add_data(planner, words, "--dev", data);
    add(planner, words, "--dev-split", split);
    add(planner, words, "--dev-labels", output(planner, labels));
    free(split);
    size_t count = 0;
    if (planner->options->roots && sl_expand_count(planner, &items, &count, NULL) != SL_OK)
        count = 0;
    return count;
}

/* ---- Jobs ---- */

/* Replace the images' own size by "HxW". */
static void apply_size(const char *size, size_t shape[3])
{
    char *end = NULL;
    if (!size) return;
    const unsigned long height = strtoul(size, &end, 10);
    const unsigned long width = *end == 'x' ? strtoul(end + 1, NULL, 10) : 0;
    if (shape[0] == 0) shape[0] = 3;
    shape[1] = height;
    shape[2] = width;
}

/* Set the job's sizes for time estimates, or the reason if the data are missing. */
static void look_at_data(struct sl_planner *planner, size_t job, const struct sl_item_choice *items)
{
    struct sl_error err;
    struct sl_plan_set set;
    struct sl_job *training = &planner->plan->jobs[job];
    size_t count = 0;
    if (!planner->options->roots || training->n_items > 0) return;
    if (sl_plan_data(planner, items->data, &set, &err) != SL_OK ||
        sl_plan_lacks_size(planner, items->data, &err) ||
        sl_expand_count(planner, items, &count, &err) != SL_OK) {
        sl_plan_miss(planner, job, err.message);
        return;
    }
    training->n_items = count;
    training->n_classes = set.n_classes;
    memcpy(training->shape, set.shape, sizeof training->shape);
    apply_size(planner->design->size, training->shape);
    if (planner->design->channels > 0) training->shape[0] = (size_t)planner->design->channels;
    training->work.seconds = set.seconds;
}

/* How many of the items are trained on, as far as the specification says it. */
static size_t items_with_labels(const struct sl_spec_set *set, size_t n_items)
{
    const size_t count = (size_t)(set->count > 0 ? set->count : set->labelled);
    const bool others_too = !set->rest || strcmp(set->rest, "none") != 0;
    return count == 0 || count > n_items || others_too ? n_items : count;
}

/* Work of a training: every item in every epoch, and the dev items after each. */
static void count_work(struct sl_job *training, const struct sl_recipe *recipe, size_t n_extra,
                       size_t n_dev)
{
    const struct sl_train_method *method = sl_train_method_find(recipe->method);
    const double epochs = (double)training->n_epochs;
    training->work.trained = (double)(training->n_items + n_extra) * epochs *
                             (double)(method ? sl_train_copies(method) : 1);
    training->work.predicted = (double)n_dev * epochs;
}

/* A path of the user's own may hold images, for which word vectors do not help; the rehearsal
 * reports what is wrong there. */
static void miss_vectors(struct sl_planner *planner, size_t job, const char *network)
{
    const char *data = planner->design->data;
    struct sl_error problem;
    char *vectors = NULL;
    if (!planner->options->roots || !sl_network_reads_texts(network)) return;
    if (data && strchr(data, '/')) return;
    if (sl_experiment_place(planner->options->roots, SL_VECTORS_PLACE, &vectors, &problem) != SL_OK)
        sl_plan_miss(planner, job, problem.message);
    free(vectors);
}

static size_t finish(struct sl_planner *planner, struct words *words, const char *network,
                     const struct resolved *resolved, enum sl_status status,
                     const struct sl_error *err)
{
    char *trained = sl_recipe_network(&resolved->recipe);
    json_t *step = json_pack("{s:o, s:s, s:o}", "command", words->list, "network", trained,
                             "recipe", sl_recipe_to_json(&resolved->recipe));
    free(trained);
    const size_t job =
        sl_plan_add_job(planner, step, words->record, "/", &words->needs, "training");
    free(words->split);
    if (status != SL_OK) sl_plan_miss(planner, job, err->message);
    miss_vectors(planner, job, network);
    struct sl_job *training = &planner->plan->jobs[job];
    training->network = sl_plan_text(training->step, "network");
    training->n_epochs = (size_t)resolved->recipe.epochs;
    return job;
}

size_t sl_expand_start(struct sl_planner *planner, const char *network)
{
    const struct sl_spec_start *start = planner->design->start;
    if (!start) return SL_NO_JOB;
    const int64_t seed = start->seeds.count > 0 ? start->seeds.items[0] : 0;
    struct words words = words_begin();
    struct resolved resolved = {.settings = json_deep_copy(start->settings),
                                .recipe = sl_recipe_default()};
    if (!resolved.settings) resolved.settings = json_object();
    struct sl_error err;
    const enum sl_status status = resolve(planner, start->recipe, network, &resolved, &err);
    const struct sl_item_choice items = {.data = start->data, .first = start->items, .seed = seed};
    add_data(planner, &words, "--data", items.data);
    add_images(planner, &words);
    words.split = sl_expand_items(planner, &items, &words.needs);
    add(planner, &words, "--split", words.split);
    add_recipe(planner, &words, network, &resolved);
    add_number(&words, "--seed", seed);
    const size_t job = finish(planner, &words, network, &resolved, status, &err);
    look_at_data(planner, job, &items);
    count_work(&planner->plan->jobs[job], &resolved.recipe, 0, 0);
    resolved_release(&resolved);
    return job;
}

/* Settings of the design, overridden by those of the set, overridden by what the authors' code ran
 * the network with. */
static json_t *settings_of(const struct sl_planner *planner,
                           const struct sl_training_choice *choice)
{
    const struct sl_spec_set *set = choice->set;
    json_t *settings = json_object();
    const json_t *as_run = planner->options->as_published ? NULL : set->as_run;
    json_t *const layers[] = {planner->design->settings, set->settings,
                              json_object_get(as_run, paper_network(planner, choice->network))};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        if (layers[i]) json_object_update(settings, layers[i]);
    const char *draw = set->extra && set->extra->draw ? set->extra->draw : set->draw;
    /* methods that keep annotators apart do `each` by default */
    if (draw && strcmp(draw, "mean") != 0 && strcmp(draw, "each") != 0)
        json_object_set_new(settings, "draw", json_string(draw));
    return settings;
}

size_t sl_expand_training(struct sl_planner *planner, const struct sl_training_choice *choice)
{
    const struct sl_spec_design *design = planner->design;
    const size_t start = sl_expand_start(planner, choice->network);
    if (!choice->set->train) return start;
    struct words words = words_begin();
    struct resolved resolved = {.settings = settings_of(planner, choice),
                                .recipe = sl_recipe_default()};
    struct sl_error err;
    const enum sl_status status =
        resolve(planner, design->recipe, choice->network, &resolved, &err);
    const struct sl_item_choice items = {
        .data = design->data,
        .split = design->split,
        .folds = choice->fold >= 0 ? design->folds : 0,
        .fold = choice->fold >= 0 ? choice->fold : 0,
        .first = design->items,
        .seed = choice->seed,
    };
    add_data(planner, &words, "--data", items.data);
    add_images(planner, &words);
    words.split = sl_expand_items(planner, &items, &words.needs);
    add(planner, &words, "--split", words.split);
    const size_t n_extra = add_labels(planner, choice, &words);
    add_holdout(planner, choice, &words);
    add_recipe(planner, &words, choice->network, &resolved);
    add_number(&words, "--seed", choice->seed);
    sl_needs_add(&words.needs, start);
    add(planner, &words, "--weights", output(planner, start));
    const size_t n_dev = add_dev(planner, choice, &resolved.recipe, &words);
    const size_t job = finish(planner, &words, choice->network, &resolved, status, &err);
    look_at_data(planner, job, &items);
    struct sl_job *training = &planner->plan->jobs[job];
    training->n_items = items_with_labels(choice->set, training->n_items);
    count_work(training, &resolved.recipe, n_extra, n_dev);
    resolved_release(&resolved);
    return job;
}
