/* What in a recipe contradicts itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/describe.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/train.h"
#include "train/recipe_internal.h"

enum sl_status sl_recipe_unknown(enum sl_status code, const char *what, const char *word,
                                 size_t length, const char *const *candidates, struct sl_error *err)
{
    char shown[SL_DESCRIBE_SIZE], ending[SL_SUGGESTION_TEXT];
    char *copy = sl_string_copy_n(word, length);
    enum sl_status status =
        sl_fail(err, code, "%s %s%s", what, sl_describe_text(word, length, shown),
                sl_text_suggestion(copy, candidates, "", ending));
    free(copy);
    return status;
}

enum { WORDS_MAX = 64 };

/* The options of a family are the business of sl_model_create, which knows the items' shape. */
static enum sl_status check_network(const char *network, struct sl_error *err)
{
    const char *names[WORDS_MAX + 1] = {NULL};
    size_t count = 0, length = strcspn(network, ":");
    if (length == 0) return SL_OK;
    for (const struct sl_network *n = sl_networks; n->name && count < WORDS_MAX; n++)
        names[count++] = n->name;
    for (const struct sl_network_family *f = sl_network_families; f->name && count < WORDS_MAX; f++)
        names[count++] = f->name;
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], network, length) == 0) return SL_OK;
    return sl_recipe_unknown(SL_ERR_INPUT, "no network is called", network, length, names, err);
}

static enum sl_status check_method(const struct sl_recipe *recipe, struct sl_error *err)
{
    const char *names[WORDS_MAX + 1] = {NULL};
    for (size_t i = 0; i < WORDS_MAX && sl_train_methods[i].name; i++)
        names[i] = sl_train_methods[i].name;
    if (!sl_train_method_find(recipe->method))
        return sl_recipe_unknown(SL_ERR_INPUT, "no method is called", recipe->method,
                                 strlen(recipe->method), names, err);
    if (strcmp(recipe->method, "crowd-layer") == 0 && recipe->draw != SL_DRAW_MEAN)
        return sl_fail(err, SL_ERR_INPUT,
                       "a crowd layer reads every annotator's answer: set draw=mean");
    return SL_OK;
}

static enum sl_status check_optimiser(const struct sl_recipe *recipe, struct sl_error *err)
{
    if (recipe->nesterov && recipe->optimiser != SL_OPTIMISER_SGD)
        return sl_fail(err, SL_ERR_INPUT,
                       "nesterov works with optimiser=sgd only: set nesterov=false");
    if (recipe->nesterov && !(recipe->momentum > 0))
        return sl_fail(err, SL_ERR_INPUT, "nesterov needs a momentum above 0");
    return SL_OK;
}

static enum sl_status check_schedule(const struct sl_recipe *recipe, struct sl_error *err)
{
    const struct sl_real_list *at = &recipe->milestones;
    if (recipe->schedule == SL_SCHEDULE_COSINE && recipe->cosine_epochs > 0 &&
        recipe->cosine_epochs < (double)recipe->epochs)
        return sl_fail(err, SL_ERR_INPUT,
                       "cosine_epochs is %g: the rate would be 0 for the rest of %lld epoch%s",
                       recipe->cosine_epochs, (long long)recipe->epochs,
                       sl_text_plural((uint64_t)recipe->epochs, "", "s"));
    if (recipe->schedule != SL_SCHEDULE_STEP && recipe->schedule != SL_SCHEDULE_SEGMENT)
        return SL_OK;
    if (at->count == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "the schedule has steps, but milestones is empty: give at least one epoch");
    if (at->count != recipe->factors.count)
        return sl_fail(err, SL_ERR_INPUT,
                       "milestones has %zu epoch%s, but factors has %zu number%s", at->count,
                       sl_text_plural(at->count, "", "s"), recipe->factors.count,
                       sl_text_plural(recipe->factors.count, "", "s"));
    for (size_t i = 0; i < at->count; i++) {
        if (at->values[i] != floor(at->values[i]))
            return sl_fail(err, SL_ERR_INPUT, "milestones: %g is not the number of an epoch",
                           at->values[i]);
        if (i > 0 && !(at->values[i] > at->values[i - 1]))
            return sl_fail(err, SL_ERR_INPUT, "milestones: %g does not come after %g",
                           at->values[i], at->values[i - 1]);
    }
    return SL_OK;
}

static enum sl_status check_holdout(const struct sl_recipe *recipe, struct sl_error *err)
{
    const char *names[WORDS_MAX + 1] = {NULL};
    if (*recipe->holdout == '\0') return SL_OK;
    if (recipe->holdout_draw > 0)
        return sl_fail(
            err, SL_ERR_INPUT,
            "holdout names a list, but holdout_draw asks for %lld item%s: set one of them",
            (long long)recipe->holdout_draw,
            sl_text_plural((uint64_t)recipe->holdout_draw, "", "s"));
    for (size_t i = 0; i < WORDS_MAX && sl_holdout_lists[i].name; i++)
        names[i] = sl_holdout_lists[i].name;
    if (sl_recipe_holdout(recipe->holdout)) return SL_OK;
    return sl_recipe_unknown(SL_ERR_INPUT, "no hold-out list is called", recipe->holdout,
                             strlen(recipe->holdout), names, err);
}

enum sl_status sl_recipe_check(const struct sl_recipe *recipe, struct sl_error *err)
{
    SL_TRY(check_network(recipe->network, err));
    if (recipe->mean.count != recipe->deviation.count)
        return sl_fail(err, SL_ERR_INPUT, "mean has %zu number%s, but deviation has %zu",
                       recipe->mean.count, sl_text_plural(recipe->mean.count, "", "s"),
                       recipe->deviation.count);
    if (recipe->dev_count > 0 && strcmp(recipe->dev, "held-out") == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "dev is a whole fold, but dev_count asks for %lld item%s: set dev_count=0",
                       (long long)recipe->dev_count,
                       sl_text_plural((uint64_t)recipe->dev_count, "", "s"));
    SL_TRY(check_holdout(recipe, err));
    SL_TRY(check_method(recipe, err));
    SL_TRY(check_optimiser(recipe, err));
    return check_schedule(recipe, err);
}
