/* Jobs for commands, label sets and index files. */
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "experiment/spec/spec_internal.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/task.h"

/* ---- Commands ---- */

static char *fill_in(const char *word, int64_t seed)
{
    char *number = sl_string_printf("%lld", (long long)seed);
    char *seeded = sl_text_replace(word, "{seed}", number);
    char *placed = sl_text_replace(seeded, "{data}/", "@");
    free(number);
    free(seeded);
    return placed;
}

char *sl_expand_word(struct sl_planner *planner, const char *word, int64_t seed,
                     struct sl_needs *needs)
{
    if (!sl_spec_file_find(planner->body, word)) return fill_in(word, seed);
    const size_t job = sl_expand_file(planner, word, seed);
    sl_needs_add(needs, job);
    return sl_string_copy(planner->plan->jobs[job].output);
}

json_t *sl_expand_words(struct sl_planner *planner, const struct sl_text_list *words, int64_t seed,
                        struct sl_needs *needs)
{
    json_t *out = json_array();
    for (size_t i = 0; i < words->count; i++) {
        char *word = sl_expand_word(planner, words->items[i], seed, needs);
        json_array_append_new(out, json_string(word));
        free(word);
    }
    return out;
}

/* True if a file or data set of the command is not on this machine; *err names the first. */
static bool lacks_data(struct sl_planner *planner, const json_t *words, struct sl_error *err)
{
    const struct sl_data_roots *roots = planner->options->roots;
    struct sl_plan_set set;
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        char *path = NULL;
        if (roots && strchr(word, ':') && sl_plan_names_data(word) &&
            sl_plan_data(planner, word, &set, err) != SL_OK)
            return true;
        const bool file =
            word[0] == '@' ? roots != NULL : word[0] == '/' || sl_word_names_file(word);
        if (!file || sl_plan_job_of(planner, word)) continue;
        if (sl_experiment_place(roots, word, &path, err) != SL_OK) return true;
        free(path);
    }
    return false;
}

static size_t add_command(struct sl_planner *planner, json_t *words, const char *suffix,
                          const struct sl_needs *needs, const char *title)
{
    struct sl_error err;
    const bool printed = strcmp(suffix, ".printed.json") == 0;
    json_t *step = json_pack("{s:o}", "command", words);
    const char *task = json_string_value(json_array_get(words, 0));
    const bool lacking =
        lacks_data(planner, words, &err) || (task && sl_task_check(task, &err) != SL_OK);
    if (printed) json_object_set_new(step, "stdout", json_true());
    const size_t job = sl_plan_add_job(planner, step, NULL, suffix, needs, title);
    if (lacking) sl_plan_miss(planner, job, err.message);
    return job;
}

size_t sl_expand_file(struct sl_planner *planner, const char *name, int64_t seed)
{
    const struct sl_spec_file *file = sl_spec_file_find(planner->body, name);
    static const struct sl_text_list none;
    const char *suffix = strrchr(name, '.');
    struct sl_needs needs = {0};
    json_t *command = sl_expand_words(planner, file ? &file->command : &none, seed, &needs);
    return add_command(planner, command, suffix ? suffix : ".json", &needs, name);
}

size_t sl_expand_command(struct sl_planner *planner, const struct sl_text_list *words, int64_t seed,
                         bool printed, const char *title)
{
    struct sl_needs needs = {0};
    json_t *command = sl_expand_words(planner, words, seed, &needs);
    return add_command(planner, command, printed ? ".printed.json" : ".npz", &needs, title);
}

/* ---- Label sets ---- */

static const char *output(const struct sl_planner *planner, size_t job)
{
    return planner->plan->jobs[job].output;
}

size_t sl_expand_labels(struct sl_planner *planner, const char *name, const struct sl_spec_set *set,
                        int64_t seed)
{
    if (!set || !set->labels.items) return SL_NO_JOB;
    const size_t made = sl_expand_command(planner, &set->labels, seed, false, name);
    const bool filled =
        set->rest && strcmp(set->rest, "hard") != 0 && strcmp(set->rest, "none") != 0;
    if (!set->only && !filled && !set->count && !set->harden && !set->images) return made;
    struct sl_needs needs = {0};
    sl_needs_add(&needs, made);
    json_t *step = json_pack("{s:s, s:s}", "prepare", "labels", "input", output(planner, made));
    if (set->only) {
        const size_t job = sl_expand_file(planner, set->only, seed);
        sl_needs_add(&needs, job);
        json_object_set_new(step, "only", json_string(output(planner, job)));
    }
    if (set->images) {
        char *listed = fill_in(set->images, seed);
        json_object_set_new(step, "only", json_string(listed));
        free(listed);
    }
    if (filled) {
        const size_t job = sl_expand_file(planner, set->rest, seed);
        sl_needs_add(&needs, job);
        json_object_set_new(step, "rest", json_string(output(planner, job)));
    }
    if (set->harden) json_object_set_new(step, "harden", json_true());
    if (set->count) {
        json_object_set_new(step, "count", json_integer(set->count));
        json_object_set_new(step, "seed", json_integer(seed));
    }
    return sl_plan_add_job(planner, step, NULL, ".npz", &needs, name);
}

size_t sl_expand_reference(struct sl_planner *planner, const char *name, int64_t seed)
{
    if (!name || strcmp(name, "hard") == 0) return SL_NO_JOB;
    return sl_expand_labels(planner, name, sl_spec_set_find(&planner->design->references, name),
                            seed);
}

size_t sl_expand_dev_labels(struct sl_planner *planner, const struct sl_training_choice *choice)
{
    return sl_expand_reference(planner, choice->set->dev_labels, choice->seed);
}

/* ---- Items ---- */

static void set_text(json_t *step, const char *key, const char *text)
{
    if (text) json_object_set_new(step, key, json_string(text));
}

static bool is_share(const char *split)
{
    return strncmp(split, "share:", 6) == 0;
}

/* The index file of "cifar10s:train"; other splits are returned unchanged. */
static char *split_place(const char *split)
{
    const char *colon = strchr(split, ':');
    if (!colon || strchr(split, '/') || is_share(split)) return sl_string_copy(split);
    return sl_string_printf("@%.*s/%s_indices.npy", (int)(colon - split), split, colon + 1);
}

/* The step that writes the indices; for a plain split file it has exactly three keys. */
static json_t *items_step(const struct sl_item_choice *choice, const char *split, bool rest)
{
    json_t *step = json_pack("{s:s, s:s}", "prepare", "items", "data", choice->data);
    char *place = split ? split_place(split) : NULL;
    set_text(step, "split", place);
    set_text(step, "only", choice->only);
    free(place);
    if (rest) json_object_set_new(step, "rest", json_true());
    if (choice->folds > 0) {
        json_object_set_new(step, "folds", json_integer(choice->folds));
        json_object_set_new(step, "fold", json_integer(choice->fold));
        json_object_set_new(step, "held_out", json_boolean(choice->held_out));
    }
    if (choice->first > 0) json_object_set_new(step, "first", json_integer(choice->first));
    if ((split && is_share(split)) || choice->first > 0)
        json_object_set_new(step, "seed", json_integer(choice->seed));
    return step;
}

char *sl_expand_items(struct sl_planner *planner, const struct sl_item_choice *choice,
                      struct sl_needs *needs)
{
    const bool rest = choice->split && strcmp(choice->split, "rest") == 0;
    const char *split = rest ? planner->design->split : choice->split;
    if (!split && !choice->only && choice->folds == 0 && choice->first == 0) return NULL;
    json_t *step = items_step(choice, split, rest);
    struct sl_error err;
    char *found = NULL;
    const bool file = split && !is_share(split);
    const bool missing = file && planner->options->roots &&
                         sl_experiment_place(planner->options->roots, sl_plan_text(step, "split"),
                                             &found, &err) != SL_OK;
    free(found);
    /* A plain file needs a job only to report that it is missing. The path is the file's own either
     * way, so that the run's key stays the same. */
    const bool plain = file && json_object_size(step) == 3;
    char *path = plain ? sl_string_copy(sl_plan_text(step, "split")) : NULL;
    if (plain && !missing) {
        json_decref(step);
        return path;
    }
    const size_t job = sl_plan_add_job(planner, step, NULL, ".npy", NULL, "items");
    if (missing) sl_plan_miss(planner, job, err.message);
    sl_needs_add(needs, job);
    return path ? path : sl_string_copy(output(planner, job));
}

/* The number of indices in a file, read once; that of the whole set if the file cannot be read. */
static size_t count_indices(struct sl_planner *planner, const char *split, size_t whole)
{
    char *place = split_place(split), *path = NULL;
    size_t count = whole;
    struct sl_array indices;
    if (!sl_plan_has_counted(planner, place, &count) &&
        sl_experiment_place(planner->options->roots, place, &path, NULL) == SL_OK &&
        sl_npy_read(path, &indices, NULL) == SL_OK) {
        count = sl_array_count(&indices);
        sl_array_release(&indices);
        sl_plan_keep_count(planner, place, count);
    }
    free(path);
    free(place);
    return count;
}

enum sl_status sl_expand_count(struct sl_planner *planner, const struct sl_item_choice *choice,
                               size_t *out, struct sl_error *err)
{
    struct sl_plan_set set;
    SL_TRY(sl_plan_data(planner, choice->data, &set, err));
    const bool rest = choice->split && strcmp(choice->split, "rest") == 0;
    const char *split = rest ? planner->design->split : choice->split;
    size_t count = set.count;
    if (split && is_share(split)) {
        const double share = strtod(split + strlen("share:"), NULL);
        count = (size_t)((rest ? 1 - share : share) * (double)count);
    } else if (split) {
        count = count_indices(planner, split, count);
    }
    if (choice->folds > 0) {
        const size_t held_out = count / (size_t)choice->folds;
        count = choice->held_out ? held_out : count - held_out;
    }
    if (choice->first > 0 && (size_t)choice->first < count) count = (size_t)choice->first;
    *out = count;
    return SL_OK;
}

/* Items to hold out are drawn from the reference of the held-out test. */
static const char *held_out_reference(const struct sl_planner *planner)
{
    const struct sl_spec_tests *tests = &planner->design->tests;
    for (size_t i = 0; i < tests->count; i++)
        if (tests->items[i].split && strcmp(tests->items[i].split, "holdout") == 0)
            return tests->items[i].labels;
    return NULL;
}

size_t sl_expand_holdout(struct sl_planner *planner, int64_t seed)
{
    const char *reference = held_out_reference(planner);
    const struct sl_spec_set *labels =
        reference ? sl_spec_set_find(&planner->design->references, reference) : NULL;
    if (!labels) return SL_NO_JOB;
    struct sl_needs needs = {0};
    const size_t from = sl_expand_labels(planner, reference, labels, seed);
    sl_needs_add(&needs, from);
    json_t *step = json_pack("{s:s, s:s, s:i, s:I}", "prepare", "holdout", "input",
                             output(planner, from), "count", 100, "seed", (json_int_t)seed);
    return sl_plan_add_job(planner, step, NULL, ".txt", &needs, "items held out");
}

size_t sl_expand_named(struct sl_planner *planner, const char *data, size_t names)
{
    struct sl_needs needs = {0};
    sl_needs_add(&needs, names);
    json_t *step = json_pack("{s:s, s:s, s:s}", "prepare", "named", "data", data, "names",
                             output(planner, names));
    return sl_plan_add_job(planner, step, NULL, ".npy", &needs, "items");
}
