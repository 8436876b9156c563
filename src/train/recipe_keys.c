/* The keys of a recipe: one table, and the ways in and out of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/describe.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "train/recipe_internal.h"

static const char *const draws[] = {"mean", "annotator", "sample", NULL};
static const char *const reductions[] = {"mean", "sum", NULL};
static const char *const crowds[] = {"mw", "vw", "vb", "vw+b", NULL};
static const char *const optimisers[] = {"sgd", "adam", "radam", NULL};
static const char *const schedules[] = {"constant", "step", "segment", "cosine", NULL};
static const char *const selections[] = {"last", "best", NULL};
static const char *const dev_metrics[] = {"accuracy", "cross-entropy", "weighted-f1", NULL};

#define AT(field)      offsetof(struct sl_recipe, field)
#define TEXT(field)    #field, SL_RECIPE_TEXT, AT(field), 0, SL_RECIPE_TEXT_MAX - 1, NULL
#define BOOLEAN(field) #field, SL_RECIPE_BOOLEAN, AT(field), 0, 1, NULL
#define INTEGER(field) #field, SL_RECIPE_INTEGER, AT(field)
#define REAL(field)    #field, SL_RECIPE_REAL, AT(field)
#define REALS(field)   #field, SL_RECIPE_REALS, AT(field)
#define CHOICE(field)  #field, SL_RECIPE_CHOICE, AT(field), 0, 0
#define MOST_EPOCHS    1e6
#define NEARLY_ONE     0.999999

const struct sl_recipe_key sl_recipe_keys[] = {
    {TEXT(network), "the network, by name; empty: to be chosen"},
    {TEXT(network_options), "options that are added to the network's, such as attention=512"},
    {BOOLEAN(init_pytorch), "draw weights by PyTorch's defaults instead of the paper's way"},
    {REALS(mean), -1e3, 1e3, NULL, "mean of each channel, to subtract; empty: none"},
    {REALS(deviation), 1e-6, 1e3, NULL, "standard deviation of each channel, to divide by"},

    {INTEGER(epochs), 1, MOST_EPOCHS, NULL, "passes over the items"},
    {INTEGER(batch), 0, 1e7, NULL, "items per step; 0: all of them"},
    {BOOLEAN(drop_last), "leave out a last, smaller batch"},
    {BOOLEAN(shuffle), "a new order of the items in every epoch"},
    {INTEGER(crop), 0, 1024, NULL, "padding of the random crop; 0: none"},
    {BOOLEAN(flip), "mirror images with probability 1/2"},
    {INTEGER(cutout), 0, 4096, NULL, "side of the square that is cut out; 0: none"},
    {BOOLEAN(frozen), "augment once for the whole run"},
    {TEXT(holdout), "list of items that are never trained on; empty: none"},
    {INTEGER(holdout_draw), 0, 1e9, NULL, "hold out this many items of the label set, by seed"},

    {CHOICE(draw), draws, "an item's target: mean of its rows, one row or one class each time"},
    {REAL(smooth), 0, 1, NULL, "label smoothing: share spread over all classes"},
    {BOOLEAN(smooth_all), "smooth every item, not only those of the label set"},
    {REAL(teacher_share), 0, 1, NULL, "share of the teacher's distribution in the target"},
    {REAL(temperature), 1e-3, 1e3, NULL, "temperature of the teacher's softmax"},

    {TEXT(method), "what is done with a batch: plain, mixup, ..."},
    {CHOICE(reduction), reductions, "reduction of the losses of a batch"},
    {REAL(alpha), 0, 1e3, NULL, "shares of mixed images come from Beta(alpha, alpha)"},
    {REAL(kappa), 0, 1, NULL, "least weight of an item in ent-wc"},
    {BOOLEAN(detach), "ent-wc: no gradient through the entropy"},
    {REAL(eta), 0, 1e3, NULL, "weight of the entropy in mix-maxent"},
    {CHOICE(crowd), crowds, "parameters of a crowd layer for each annotator"},
    {BOOLEAN(crowd_on_logits), "crowd layer on logits instead of on probabilities"},
    {BOOLEAN(crowd_masked_mean), "crowd layer: annotators without an answer count in the mean"},

    {CHOICE(optimiser), optimisers, "the optimiser"},
    {REAL(rate), 0, 1e3, NULL, "learning rate at the start"},
    {REAL(momentum), 0, NEARLY_ONE, NULL, "momentum of sgd"},
    {REAL(weight_decay), 0, 1e3, NULL,
     "weight decay: this times the weights is added to the gradient"},
    {REAL(beta1), 0, NEARLY_ONE, NULL, "decay of the first moments of adam and radam"},
    {REAL(beta2), 0, NEARLY_ONE, NULL, "decay of the second moments of adam and radam"},
    {REAL(epsilon), 1e-30, 1, NULL, "added to the divisor of adam and radam"},
    {BOOLEAN(nesterov), "Nesterov's momentum"},
    {REAL(clip), 0, 1e9, NULL, "largest norm of the gradient; 0: no clipping"},
    {CHOICE(schedule), schedules, "how the rate changes; segments also reset the optimiser"},
    {REALS(milestones), 1, MOST_EPOCHS, NULL, "epochs, from 0, at which the rate changes"},
    {REALS(factors), 1e-12, 1e3, NULL, "factor of the rate at each milestone"},
    {REAL(cosine_epochs), 0, MOST_EPOCHS, NULL, "epochs of the whole cosine; 0: epochs"},

    {CHOICE(select), selections, "the weights that are kept"},
    {TEXT(dev), "data set to choose by; held-out: the fold; empty: the caller's"},
    {INTEGER(dev_count), 0, 1e9, NULL, "items of dev to use, drawn by seed; 0: all"},
    {CHOICE(dev_metric), dev_metrics, "score that chooses the best epoch on the dev set"},
    {INTEGER(patience), 0, MOST_EPOCHS, NULL, "epochs without a better score; 0: never stop"},
    {.name = NULL},
};

struct sl_recipe sl_recipe_default(void)
{
    return (struct sl_recipe){
        .variant = "as-run",
        .epochs = 10,
        .batch = 32,
        .shuffle = true,
        .temperature = 1,
        .method = "plain",
        .alpha = 1,
        .kappa = .7,
        .eta = 1,
        .rate = .1,
        .momentum = .9,
        .beta1 = .9,
        .beta2 = .999,
        .epsilon = 1e-8,
    };
}

const struct sl_recipe_key *sl_recipe_key_find(const char *name, size_t length)
{
    for (const struct sl_recipe_key *key = sl_recipe_keys; key->name; key++)
        if (strlen(key->name) == length && memcmp(key->name, name, length) == 0) return key;
    return NULL;
}

const char **sl_recipe_key_names(const char *const *more)
{
    size_t count = sizeof sl_recipe_keys / sizeof *sl_recipe_keys;
    for (size_t i = 0; more && more[i]; i++)
        count++;
    const char **names = sl_alloc(count, sizeof *names);
    size_t filled = 0;
    for (const struct sl_recipe_key *key = sl_recipe_keys; key->name; key++)
        names[filled++] = key->name;
    for (size_t i = 0; more && more[i]; i++)
        names[filled++] = more[i];
    return names;
}

/* Enums are read and written as the ints that they are. */
static void set_choice(void *field, int index)
{
    memcpy(field, &index, sizeof index);
}

static int choice_find(const struct sl_recipe_key *key, const char *word, size_t length)
{
    for (int i = 0; key->choices[i]; i++)
        if (strlen(key->choices[i]) == length && memcmp(key->choices[i], word, length) == 0)
            return i;
    return -1;
}

static bool is_within(const struct sl_recipe_key *key, double value)
{
    return value >= key->minimum && value <= key->maximum;
}

/* "an integer from 1 to 1000000", "one of mean, sum", ... */
static void describe_key(const struct sl_recipe_key *key, char out[SL_DESCRIBE_SIZE])
{
    switch (key->kind) {
    case SL_RECIPE_TEXT:
        snprintf(out, SL_DESCRIBE_SIZE, "at most %d bytes of text", SL_RECIPE_TEXT_MAX - 1);
        break;
    case SL_RECIPE_BOOLEAN: snprintf(out, SL_DESCRIBE_SIZE, "true or false"); break;
    case SL_RECIPE_INTEGER:
        sl_describe_integers((int64_t)key->minimum, (int64_t)key->maximum, out);
        break;
    case SL_RECIPE_REAL: sl_describe_reals(key->minimum, key->maximum, out); break;
    case SL_RECIPE_REALS:
        snprintf(out, SL_DESCRIBE_SIZE, "at most %d numbers from %g to %g", SL_RECIPE_LIST_MAX,
                 key->minimum, key->maximum);
        break;
    case SL_RECIPE_CHOICE: {
        int at = snprintf(out, SL_DESCRIBE_SIZE, "one of");
        for (size_t i = 0; key->choices[i] && at < SL_DESCRIBE_SIZE; i++)
            at += snprintf(out + at, SL_DESCRIBE_SIZE - (size_t)at, "%s %s", i ? "," : "",
                           key->choices[i]);
        break;
    }
    }
}

/* ---- From JSON ---- */

static enum sl_status read_words(const struct sl_recipe_key *key, const struct sl_json_cursor *at,
                                 void *field, struct sl_error *err)
{
    const char *text = NULL;
    SL_TRY(sl_json_string(at, &text, err));
    const size_t length = strlen(text);
    char expected[SL_DESCRIBE_SIZE], shown[SL_DESCRIBE_SIZE];
    describe_key(key, expected);
    sl_describe_text(text, length, shown);
    if (key->kind == SL_RECIPE_CHOICE) {
        const int index = choice_find(key, text, length);
        if (index < 0) return sl_json_fail(at, err, "expected %s, got %s", expected, shown);
        set_choice(field, index);
        return SL_OK;
    }
    if (length >= SL_RECIPE_TEXT_MAX)
        return sl_json_fail(at, err, "expected %s, got %zu", expected, length);
    memcpy(field, text, length + 1);
    return SL_OK;
}

static enum sl_status read_reals(const struct sl_recipe_key *key, const struct sl_json_cursor *at,
                                 struct sl_real_list *out, struct sl_error *err)
{
    struct sl_real_list list = {0};
    SL_TRY(sl_json_array_size(at, &list.count, err));
    if (list.count > SL_RECIPE_LIST_MAX)
        return sl_json_fail(at, err, "expected at most %d numbers, got %zu", SL_RECIPE_LIST_MAX,
                            list.count);
    for (size_t i = 0; i < list.count; i++) {
        const struct sl_json_cursor element = sl_json_element(at, i);
        SL_TRY(sl_json_number(&element, key->minimum, key->maximum, &list.values[i], err));
    }
    *out = list;
    return SL_OK;
}

enum sl_status sl_recipe_key_read(const struct sl_recipe_key *key, const struct sl_json_cursor *at,
                                  struct sl_recipe *recipe, struct sl_error *err)
{
    void *field = (char *)recipe + key->offset;
    switch (key->kind) {
    case SL_RECIPE_BOOLEAN: return sl_json_boolean(at, field, err);
    case SL_RECIPE_INTEGER:
        return sl_json_integer(at, (int64_t)key->minimum, (int64_t)key->maximum, field, err);
    case SL_RECIPE_REAL: return sl_json_number(at, key->minimum, key->maximum, field, err);
    case SL_RECIPE_REALS: return read_reals(key, at, field, err);
    case SL_RECIPE_TEXT:
    case SL_RECIPE_CHOICE: break;
    }
    return read_words(key, at, field, err);
}

/* ---- From text ---- */

static bool parse_boolean(const char *text, size_t length, bool *out)
{
    const bool is_true = length == 4 && memcmp(text, "true", 4) == 0;
    const bool is_false = length == 5 && memcmp(text, "false", 5) == 0;
    if (is_true || is_false) *out = is_true;
    return is_true || is_false;
}

static bool parse_integer(const struct sl_recipe_key *key, const char *text, size_t length,
                          int64_t *out)
{
    int64_t value = 0;
    if (!sl_text_to_integer(text, length, &value) || !is_within(key, (double)value)) return false;
    *out = value;
    return true;
}

static bool parse_real(const struct sl_recipe_key *key, const char *text, size_t length,
                       double *out)
{
    double value = 0;
    if (!sl_text_to_real(text, length, &value) || !is_within(key, value)) return false;
    *out = value;
    return true;
}

static bool parse_reals(const struct sl_recipe_key *key, const char *text, size_t length,
                        struct sl_real_list *out)
{
    struct sl_real_list list = {0};
    const char *at = text, *end = text + length;
    while (length > 0) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        if (list.count == SL_RECIPE_LIST_MAX ||
            !parse_real(key, at, (size_t)(stop - at), &list.values[list.count]))
            return false;
        list.count++;
        if (!comma) break;
        at = comma + 1;
    }
    *out = list;
    return true;
}

static bool parse_value(const struct sl_recipe_key *key, const char *text, size_t length,
                        void *field)
{
    switch (key->kind) {
    case SL_RECIPE_BOOLEAN: return parse_boolean(text, length, field);
    case SL_RECIPE_INTEGER: return parse_integer(key, text, length, field);
    case SL_RECIPE_REAL: return parse_real(key, text, length, field);
    case SL_RECIPE_REALS: return parse_reals(key, text, length, field);
    case SL_RECIPE_CHOICE: {
        const int index = choice_find(key, text, length);
        if (index >= 0) set_choice(field, index);
        return index >= 0;
    }
    case SL_RECIPE_TEXT: break;
    }
    if (length >= SL_RECIPE_TEXT_MAX) return false;
    memcpy(field, text, length);
    ((char *)field)[length] = '\0';
    return true;
}

enum sl_status sl_recipe_key_parse(const struct sl_recipe_key *key, const char *text, size_t length,
                                   struct sl_recipe *recipe, struct sl_error *err)
{
    if (parse_value(key, text, length, (char *)recipe + key->offset)) return SL_OK;
    char expected[SL_DESCRIBE_SIZE], shown[SL_DESCRIBE_SIZE];
    describe_key(key, expected);
    return sl_fail(err, SL_ERR_USAGE, "%s: expected %s, got %s", key->name, expected,
                   sl_describe_text(text, length, shown));
}

/* ---- To JSON ---- */

json_t *sl_recipe_key_json(const struct sl_recipe_key *key, const struct sl_recipe *recipe)
{
    const void *field = (const char *)recipe + key->offset;
    switch (key->kind) {
    case SL_RECIPE_TEXT: return json_string(field);
    case SL_RECIPE_BOOLEAN: return json_boolean(*(const bool *)field);
    case SL_RECIPE_INTEGER: return json_integer(*(const int64_t *)field);
    case SL_RECIPE_REAL: return json_real(*(const double *)field);
    case SL_RECIPE_REALS: {
        const struct sl_real_list *list = field;
        json_t *array = json_array();
        for (size_t i = 0; i < list->count; i++)
            json_array_append_new(array, json_real(list->values[i]));
        return array;
    }
    case SL_RECIPE_CHOICE: {
        int index = 0;
        memcpy(&index, field, sizeof index);
        return json_string(key->choices[index]);
    }
    }
    return NULL;
}
