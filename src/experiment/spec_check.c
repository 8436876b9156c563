#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/plan.h"
#include "experiment/spec_fields.h"
#include "experiment/spec_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/dataset/image.h"
#include "softlab/eval.h"

/* ---- What is named is there ---- */

/* The whole, and the part that stands over it or NULL. */
struct design {
    const json_t *root, *part;
};

static json_t *look_up(const struct design *design, const char *key)
{
    json_t *own = json_object_get(design->part, key);
    return own ? own : json_object_get(design->root, key);
}

static enum sl_status check_word(const struct sl_json_cursor *object, const char *key,
                                 const char *const *words, struct sl_error *err)
{
    json_t *value = json_object_get(object->value, key);
    const struct sl_json_cursor at = sl_spec_below(object, key, value);
    const char *word = json_string_value(value);
    if (!value) return SL_OK;
    if (!word) return sl_json_fail(&at, err, "expected text");
    struct sl_buffer known;
    sl_buffer_init(&known, 4096);
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) {
            sl_buffer_release(&known);
            return SL_OK;
        }
        sl_buffer_printf(&known, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    const enum sl_status status =
        sl_json_fail(&at, err, "\"%s\" is not one of: %s", word, known.data);
    sl_buffer_release(&known);
    return status;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether two lists have the same texts, in whatever order: that of options does not count. */
static bool same_texts(const json_t *a, const json_t *b)
{
    const size_t n = json_array_size(a);
    if (!json_is_array(a) || json_array_size(b) != n) return false;
    const char **texts[] = {sl_alloc(n + 1, sizeof **texts), sl_alloc(n + 1, sizeof **texts)};
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        texts[0][i] = json_string_value(json_array_get(a, i));
        texts[1][i] = json_string_value(json_array_get(b, i));
    }
    for (size_t i = 0; i < 2; i++)
        qsort(texts[i], n, sizeof *texts[i], compare_texts);
    for (size_t i = 0; i < n; i++)
        same = same && strcmp(texts[0][i], texts[1][i]) == 0;
    free(texts[0]);
    free(texts[1]);
    return same;
}

/* Words that make labels may be given beside what they are made of, if both say the same. */
static enum sl_status check_words(const struct sl_json_cursor *set, struct sl_error *err)
{
    json_t *labels = json_object_get(set->value, "labels");
    const struct sl_json_cursor at = sl_spec_below(set, "labels", labels);
    if (!labels || !json_object_get(set->value, "answers")) return SL_OK;
    json_t *words = sl_spec_label_words(set->value);
    const bool same = same_texts(labels, words);
    json_decref(words);
    if (same) return SL_OK;
    return sl_json_fail(&at, err,
                        "is not what \"answers\", \"method\" and \"options\" say; leave it out, "
                        "or them");
}

/* Labels are made by words, or of answers by a method that there is. */
static enum sl_status check_method(const struct sl_json_cursor *set, struct sl_error *err)
{
    json_t *method = json_object_get(set->value, "method");
    json_t *options = json_object_get(set->value, "options");
    const struct sl_json_cursor at = sl_spec_below(set, "method", method);
    const struct sl_json_cursor settings = sl_spec_below(set, "options", options);
    if (options && !json_is_object(options))
        return sl_json_fail(&settings, err, "expected an object");
    if (!json_object_get(set->value, "answers") != !method)
        return sl_json_fail(set, err, "\"answers\" and \"method\" go together");
    if (!method) return SL_OK;
    struct sl_error problem;
    if (!sl_spec_knows_method(json_string_value(method), &problem))
        return sl_json_fail(&at, err, "%s", problem.message);
    return check_words(set, err);
}

/* A number that is there is a whole one in this range. */
static enum sl_status check_whole(const struct sl_json_cursor *object, const char *key, int64_t low,
                                  struct sl_error *err)
{
    json_t *value = json_object_get(object->value, key);
    const struct sl_json_cursor at = sl_spec_below(object, key, value);
    int64_t number = 0;
    return json_is_number(value) ? sl_json_integer(&at, low, INT64_MAX, &number, err) : SL_OK;
}

/* What would have no effect on hard labels. */
static enum sl_status check_hard(const struct sl_json_cursor *set, struct sl_error *err)
{
    static const char *const keys[] = {"only", "count", "harden"};
    const bool soft = json_is_array(json_object_get(set->value, "labels")) ||
                      json_object_get(set->value, "answers");
    for (size_t i = 0; !soft && i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(set->value, keys[i]);
        const struct sl_json_cursor at = sl_spec_below(set, keys[i], value);
        if (value)
            return sl_json_fail(&at, err,
                                "has no effect on hard labels; give \"answers\" and a "
                                "\"method\", or leave it out");
    }
    return SL_OK;
}

/* What the public code ran: recipe keys by network. */
static enum sl_status check_as_run(const struct sl_json_cursor *set, struct sl_error *err)
{
    const struct sl_json_cursor at =
        sl_spec_below(set, "as_run", json_object_get(set->value, "as_run"));
    const char *network;
    json_t *keys;
    if (at.value && !json_is_object(at.value)) return sl_json_fail(&at, err, "expected an object");
    json_object_foreach(at.value, network, keys)
    {
        const struct sl_json_cursor entry = sl_spec_below(&at, network, keys);
        if (!json_is_object(keys)) return sl_json_fail(&entry, err, "expected an object");
    }
    return SL_OK;
}

/* A name is a reference's, or "hard". */
static enum sl_status check_reference(const struct design *design,
                                      const struct sl_json_cursor *object, const char *key,
                                      struct sl_error *err)
{
    json_t *value = json_object_get(object->value, key);
    const char *name = json_string_value(value);
    const struct sl_json_cursor at = sl_spec_below(object, key, value);
    if (name && strcmp(name, "hard") != 0 && !json_object_get(look_up(design, "references"), name))
        return sl_json_fail(&at, err, "no reference is called \"%s\"", name);
    return SL_OK;
}

static enum sl_status check_set(const struct design *design, const struct sl_json_cursor *set,
                                struct sl_error *err)
{
    static const char *const draws[] = {"mean", "annotator", "sample", "each", NULL};
    SL_TRY(check_word(set, "draw", draws, err));
    SL_TRY(check_method(set, err));
    const struct sl_json_cursor extra =
        sl_spec_below(set, "extra", json_object_get(set->value, "extra"));
    if (extra.value) SL_TRY(check_method(&extra, err));
    SL_TRY(check_whole(set, "count", 1, err));
    SL_TRY(check_as_run(set, err));
    SL_TRY(check_reference(design, set, "dev_labels", err));
    const json_t *files = json_object_get(design->root, "files");
    static const char *const keys[] = {"only", "rest", "mixing"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(set->value, keys[i]);
        const char *name = json_string_value(value);
        const bool word =
            i == 1 && name && (strcmp(name, "hard") == 0 || strcmp(name, "none") == 0);
        const struct sl_json_cursor at = sl_spec_below(set, keys[i], value);
        if (name && !word && !json_object_get(files, name))
            return sl_json_fail(&at, err, "no file of \"files\" is called \"%s\"", name);
    }
    return check_hard(set, err);
}

/* What softlab eval says of weights beside the measures of predictions. */
static const char *const other_metrics[] = {
    "fgsm_loss",           "fgsm_accuracy",    "pgd_loss",
    "pgd_accuracy",        "corruption_ce",    "corruption_ce_hard",
    "corruption_accuracy", "corruption_error",
};
enum { OTHER_METRICS = sizeof other_metrics / sizeof *other_metrics };

/* Of data sets that are joined, only what is a mean over items can be had from each. */
static enum sl_status check_metric(const struct sl_json_cursor *at, bool joined,
                                   struct sl_error *err)
{
    const char *name = json_string_value(at->value);
    const struct sl_metric *metric = sl_metric_find(name);
    size_t count = 0;
    if (metric && joined && !metric->per_item)
        return sl_json_fail(at, err, "\"%s\" is no mean over items, as sets that are joined need",
                            name);
    if (metric) return SL_OK;
    while (sl_metrics[count].name)
        count++;
    const char **known = sl_alloc(count + OTHER_METRICS + 1, sizeof *known);
    for (size_t i = 0; i < count; i++)
        known[i] = sl_metrics[i].name;
    memcpy(known + count, other_metrics, sizeof other_metrics);
    bool found = false;
    for (size_t i = 0; i < OTHER_METRICS; i++)
        found = found || strcmp(other_metrics[i], name) == 0;
    const char *near = sl_text_nearest(name, known);
    free(known);
    if (found) return SL_OK;
    return sl_json_fail(at, err, "no measure is called \"%s\"%s%s%s", name,
                        near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static enum sl_status check_attack(const struct sl_json_cursor *test, struct sl_error *err)
{
    static const char *const labels[] = {"hard", NULL};
    const struct sl_json_cursor settings =
        sl_spec_below(test, "settings", json_object_get(test->value, "settings"));
    return check_word(&settings, "attack_labels", labels, err);
}

static enum sl_status check_test(const struct design *design, const struct sl_json_cursor *test,
                                 struct sl_error *err)
{
    json_t *metrics = json_object_get(test->value, "metrics");
    const bool joined = json_array_size(json_object_get(test->value, "data")) > 1;
    const struct sl_json_cursor list = sl_spec_below(test, "metrics", metrics);
    if (metrics && json_array_size(metrics) == 0)
        return sl_json_fail(&list, err,
                            "is empty: name at least one measure of softlab eval "
                            "--list");
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const struct sl_json_cursor metric = sl_json_element(&list, i);
        SL_TRY(check_metric(&metric, joined, err));
    }
    json_t *split = json_object_get(test->value, "split");
    const struct sl_json_cursor part = sl_spec_below(test, "split", split);
    if (json_is_string(split) && strcmp(json_string_value(split), "fold") == 0 &&
        !json_is_number(look_up(design, "folds")))
        return sl_json_fail(&part, err, "\"fold\" needs \"folds\", the number of folds");
    SL_TRY(check_attack(test, err));
    return check_reference(design, test, "labels", err);
}

/* Seeds are whole numbers, each once. */
static enum sl_status check_seeds(const struct sl_json_cursor *design, struct sl_error *err)
{
    json_t *seeds = json_object_get(design->value, "seeds");
    const struct sl_json_cursor list = sl_spec_below(design, "seeds", seeds);
    for (size_t i = 0; i < json_array_size(seeds); i++) {
        const struct sl_json_cursor at = sl_json_element(&list, i);
        int64_t seed = 0;
        SL_TRY(sl_json_integer(&at, 0, INT64_MAX, &seed, err));
        for (size_t j = 0; j < i; j++)
            if (json_integer_value(json_array_get(seeds, j)) == seed)
                return sl_json_fail(&at, err, "seed %lld is listed twice", (long long)seed);
    }
    return SL_OK;
}

/* A list or object that is there and empty would make an experiment that does nothing, unless parts
 * have their own. */
static enum sl_status check_some(const struct sl_json_cursor *design, struct sl_error *err)
{
    static const char *const keys[] = {"sets", "networks", "seeds", "tests"};
    if (json_object_get(design->value, "parts")) return SL_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(design->value, keys[i]);
        const struct sl_json_cursor at = sl_spec_below(design, keys[i], value);
        const bool empty = json_is_array(value) ? json_array_size(value) == 0
                                                : json_is_object(value) && !json_object_size(value);
        if (empty) return sl_json_fail(&at, err, "is empty: name at least one, or leave it out");
    }
    return SL_OK;
}

/* "32x48": height and width. */
static enum sl_status check_size(const struct sl_json_cursor *design, struct sl_error *err)
{
    json_t *size = json_object_get(design->value, "size");
    const struct sl_json_cursor at = sl_spec_below(design, "size", size);
    const char *text = size ? json_string_value(size) : "1x1";
    const char *times = strchr(text, 'x');
    int64_t height = 0, width = 0;
    static const int64_t most = (int64_t)SL_IMAGE_MAX_PIXELS;
    if (times && sl_text_to_integer(text, (size_t)(times - text), &height) &&
        sl_text_to_integer(times + 1, strlen(times + 1), &width) && height > 0 && width > 0)
        return width <= most / height
                   ? SL_OK
                   : sl_json_fail(&at, err, "\"%s\" is more than an image may have, %lld pixels",
                                  text, (long long)most);
    return sl_json_fail(&at, err, "\"%s\" is not a size; give height and width like \"32x32\"",
                        text);
}

static enum sl_status check_channels(const struct sl_json_cursor *design, struct sl_error *err)
{
    json_t *channels = json_object_get(design->value, "channels");
    const struct sl_json_cursor at = sl_spec_below(design, "channels", channels);
    const double number = channels ? json_number_value(channels) : 1;
    if (json_is_real(channels) || (number != 1 && number != 3))
        return sl_json_fail(&at, err, "expected 1 (grey) or 3 (colour)");
    return SL_OK;
}

/* Shares are drawn by seed for splits; a hold-out is a list of names, the same in all runs. */
static enum sl_status check_holdout(const struct sl_json_cursor *design, struct sl_error *err)
{
    json_t *holdout = json_object_get(design->value, "holdout");
    const struct sl_json_cursor at = sl_spec_below(design, "holdout", holdout);
    const char *name = json_string_value(holdout);
    if (!name || strncmp(name, "share:", 6) != 0) return SL_OK;
    return sl_json_fail(&at, err,
                        "\"%s\" is for \"split\"; a hold-out is a file with an item's "
                        "name on each line, or \"collins2022\"",
                        name);
}

static enum sl_status check_counts(const struct sl_json_cursor *design, struct sl_error *err)
{
    static const char *const keys[] = {"items", "test_items", "dev_items"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        SL_TRY(check_whole(design, keys[i], 1, err));
    return check_whole(design, "folds", 2, err);
}

static enum sl_status check_design(const struct design *design, const struct sl_json_cursor *at,
                                   struct sl_error *err)
{
    const char *key;
    json_t *value;
    SL_TRY(check_size(at, err));
    SL_TRY(check_channels(at, err));
    SL_TRY(check_holdout(at, err));
    SL_TRY(check_counts(at, err));
    SL_TRY(check_seeds(at, err));
    SL_TRY(check_some(at, err));
    const struct sl_json_cursor sets =
        sl_spec_below(at, "sets", json_object_get(at->value, "sets"));
    json_object_foreach(sets.value, key, value)
    {
        const struct sl_json_cursor set = sl_spec_below(&sets, key, value);
        SL_TRY(check_set(design, &set, err));
    }
    const struct sl_json_cursor references =
        sl_spec_below(at, "references", json_object_get(at->value, "references"));
    json_object_foreach(references.value, key, value)
    {
        const struct sl_json_cursor reference = sl_spec_below(&references, key, value);
        SL_TRY(check_method(&reference, err));
    }
    const struct sl_json_cursor tests =
        sl_spec_below(at, "tests", json_object_get(at->value, "tests"));
    json_object_foreach(tests.value, key, value)
    {
        const struct sl_json_cursor test = sl_spec_below(&tests, key, value);
        SL_TRY(check_test(design, &test, err));
    }
    return SL_OK;
}

/* A small network stands for one that the table has. */
static enum sl_status check_stands_for(const struct sl_json_cursor *root,
                                       const struct sl_json_cursor *scale, struct sl_error *err)
{
    const json_t *networks = json_object_get(root->value, "networks");
    const struct sl_json_cursor at =
        sl_spec_below(scale, "stands_for", json_object_get(scale->value, "stands_for"));
    const char *key;
    json_t *value;
    if (at.value && !json_is_object(at.value)) return sl_json_fail(&at, err, "expected an object");
    json_object_foreach(at.value, key, value)
    {
        const struct sl_json_cursor entry = sl_spec_below(&at, key, value);
        const char *name = json_string_value(value);
        if (!name || !sl_plan_lists(networks, name))
            return sl_json_fail(&entry, err, "expected one of \"networks\"");
    }
    return SL_OK;
}

/* Lists of sets in a scale name sets that there are. */
static enum sl_status check_scale(const struct sl_json_cursor *root,
                                  const struct sl_json_cursor *scale, struct sl_error *err)
{
    json_t *list = json_object_get(scale->value, "sets");
    const struct sl_json_cursor at = sl_spec_below(scale, "sets", list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct sl_json_cursor entry = sl_json_element(&at, i);
        const char *name = json_string_value(entry.value);
        bool found = json_object_get(json_object_get(root->value, "sets"), name) != NULL;
        const char *key;
        json_t *part;
        json_object_foreach(json_object_get(root->value, "parts"), key, part) found =
            found || json_object_get(json_object_get(part, "sets"), name) != NULL;
        if (!found) return sl_json_fail(&entry, err, "no set is called \"%s\"", name);
    }
    return check_stands_for(root, scale, err);
}

/* A grid is searched on sets that there are and that it changes. */
static enum sl_status check_tune(const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct sl_json_cursor blocks =
        sl_spec_below(root, "tune", json_object_get(root->value, "tune"));
    json_t *sets = json_object_get(root->value, "sets");
    for (size_t i = 0; i < json_array_size(blocks.value); i++) {
        const struct sl_json_cursor block = sl_json_element(&blocks, i);
        const struct sl_json_cursor list =
            sl_spec_below(&block, "sets", json_object_get(block.value, "sets"));
        for (size_t j = 0; j < json_array_size(list.value); j++) {
            const struct sl_json_cursor at = sl_json_element(&list, j);
            const char *name = json_string_value(at.value);
            const json_t *set = json_object_get(sets, name);
            if (sets && !set) return sl_json_fail(&at, err, "no set is called \"%s\"", name);
            if (json_is_false(json_object_get(set, "train")))
                return sl_json_fail(&at, err, "set \"%s\" trains nothing: leave it out", name);
        }
    }
    return SL_OK;
}

/* A question names things that there are. */
static enum sl_status check_answer(const struct sl_json_cursor *root, struct sl_error *err)
{
    static const struct {
        const char *key, *among;
    } names[] = {{"reference", "references"}, {"against", "sets"}};
    const struct sl_json_cursor answer =
        sl_spec_below(root, "answer", json_object_get(root->value, "answer"));
    for (size_t i = 0; answer.value && i < sizeof names / sizeof *names; i++) {
        const struct sl_json_cursor at =
            sl_spec_below(&answer, names[i].key, json_object_get(answer.value, names[i].key));
        if (!json_object_get(json_object_get(root->value, names[i].among),
                             json_string_value(at.value)))
            return sl_json_fail(&at, err, "%s has no \"%s\"", names[i].among,
                                json_string_value(at.value));
    }
    const char *columns[] = {json_string_value(json_object_get(answer.value, "distance")),
                             json_string_value(json_object_get(answer.value, "model")),
                             "labels/seconds"};
    const json_t *table = json_object_get(root->value, "table");
    for (size_t i = 0; answer.value && i < sizeof columns / sizeof *columns; i++)
        if (!sl_plan_lists(json_object_get(table, "columns"), columns[i]))
            return sl_json_fail(&answer, err, "the table has no column \"%s\"", columns[i]);
    return SL_OK;
}

/* Who answered decides what an answer is worth. */
static enum sl_status check_people(const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct sl_json_cursor people =
        sl_spec_below(root, "people", json_object_get(root->value, "people"));
    const char *word = json_string_value(people.value);
    if (!word || strcmp(word, "simulated") == 0 || strcmp(word, "real") == 0) return SL_OK;
    return sl_json_fail(&people, err, "\"%s\" is not one of: simulated, real", word);
}

static enum sl_status check_files(const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct sl_json_cursor files =
        sl_spec_below(root, "files", json_object_get(root->value, "files"));
    const char *key;
    json_t *value;
    json_object_foreach(files.value, key, value)
    {
        const struct sl_json_cursor at = sl_spec_below(&files, key, value);
        if (!sl_spec_is_kind(value, TEXTS))
            return sl_json_fail(&at, err, "expected a list of texts");
    }
    return SL_OK;
}

static enum sl_status check_head(const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct sl_json_cursor kind =
        sl_spec_below(root, "softlab", json_object_get(root->value, "softlab"));
    if (strcmp(json_string_value(kind.value), "experiment") != 0)
        return sl_json_fail(&kind, err, "expected \"experiment\"");
    struct sl_json_cursor version;
    int64_t number;
    SL_TRY(sl_json_member(root, "version", &version, err));
    return sl_json_integer(&version, 1, 1, &number, err);
}

enum sl_status sl_spec_check(const struct sl_json *document, struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(document);
    const char *key;
    json_t *value;
    if (!json_is_object(root.value)) return sl_json_fail(&root, err, "expected an object");
    SL_TRY(sl_spec_check_fields(&root, sl_spec_fields, err));
    SL_TRY(check_head(&root, err));
    SL_TRY(check_files(&root, err));
    SL_TRY(check_people(&root, err));
    SL_TRY(check_answer(&root, err));
    SL_TRY(check_tune(&root, err));
    SL_TRY(sl_spec_check_figures(&root, err));
    SL_TRY(sl_spec_check_show(&root, err));
    const struct design whole = {root.value, NULL};
    SL_TRY(check_design(&whole, &root, err));
    const struct sl_json_cursor parts =
        sl_spec_below(&root, "parts", json_object_get(root.value, "parts"));
    json_object_foreach(parts.value, key, value)
    {
        const struct design design = {root.value, value};
        const struct sl_json_cursor part = sl_spec_below(&parts, key, value);
        SL_TRY(check_design(&design, &part, err));
    }
    const struct sl_json_cursor scales =
        sl_spec_below(&root, "scales", json_object_get(root.value, "scales"));
    json_object_foreach(scales.value, key, value)
    {
        const struct sl_json_cursor scale = sl_spec_below(&scales, key, value);
        SL_TRY(check_scale(&root, &scale, err));
    }
    return SL_OK;
}
