#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "label/methods_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/base/text.h"

enum {
    READS_HARD = 1 << SL_ANSWER_HARD,
    READS_SOFT = 1 << SL_ANSWER_SOFT,
    READS_SELECT = 1 << SL_ANSWER_SELECT,
    READS_DIST = 1 << SL_ANSWER_DIST,
    READS_MIX = 1 << SL_ANSWER_MIX,
    READS_CLASS = READS_HARD | READS_SOFT | READS_SELECT | READS_DIST,
};

struct sl_label_options sl_label_options_default(void)
{
    return (struct sl_label_options){.gamma = (double)NAN, .beta = 0.05, .temperature = 1};
}

enum sl_status sl_label_options_check(const struct sl_label_options *options, struct sl_error *err)
{
    if (!isnan(options->gamma) && !(options->gamma >= 0 && options->gamma <= 1))
        return sl_fail(err, SL_ERR_USAGE, "gamma is %g, expected 0 to 1", options->gamma);
    if (!(options->beta >= 0 && options->beta <= 1))
        return sl_fail(err, SL_ERR_USAGE, "beta is %g, expected 0 to 1", options->beta);
    if (!(options->temperature > 0 && isfinite(options->temperature)))
        return sl_fail(err, SL_ERR_USAGE, "temperature is %g, expected more than 0",
                       options->temperature);
    return SL_OK;
}

size_t sl_first_largest(const double *values, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

bool sl_answer_is_kept(const struct sl_answer *answer, unsigned keep)
{
    if (answer->flags & SL_ANSWER_CHECK) return false;
    return (answer->flags & (SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN) & ~keep) == 0;
}

static void place_one(double *row, size_t n_classes, size_t class_index)
{
    for (size_t k = 0; k < n_classes; k++)
        row[k] = k == class_index;
}

static enum sl_status check_class(uint32_t class_index, size_t n_classes, struct sl_error *err)
{
    if (class_index >= n_classes)
        return sl_fail(err, SL_ERR_INPUT, "class %u does not exist, expected a class below %zu",
                       class_index, n_classes);
    return SL_OK;
}

/* A stated distribution, scaled to sum to 1. */
static enum sl_status row_stated(const struct sl_answer *answer, size_t n_classes, double *out,
                                 struct sl_error *err)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        double value = (double)answer->distribution[k];
        if (!(value >= 0 && isfinite(value)))
            return sl_fail(err, SL_ERR_INPUT, "class %zu: expected a probability, got %g", k,
                           value);
        out[k] = value;
        sum += value;
    }
    if (!(sum > 0)) return sl_fail(err, SL_ERR_INPUT, "the distribution sums to 0");
    for (size_t k = 0; k < n_classes; k++)
        out[k] /= sum;
    return SL_OK;
}

/* One vote; a distribution counts as one vote, split. */
static enum sl_status row_share(const struct sl_answer *answer, size_t n_classes,
                                const struct sl_label_options *options, double *out,
                                struct sl_error *err)
{
    (void)options;
    if (answer->kind == SL_ANSWER_DIST) return row_stated(answer, n_classes, out, err);
    if (answer->n_top == 0) return sl_fail(err, SL_ERR_INPUT, "the answer names no class");
    uint32_t choice = sl_answer_choice(answer, n_classes);
    SL_TRY(check_class(choice, n_classes, err));
    place_one(out, n_classes, choice);
    return SL_OK;
}

static enum sl_status row_top(const struct sl_answer *answer, size_t n_classes,
                              const struct sl_label_options *options, double *out,
                              struct sl_error *err)
{
    SL_TRY(row_share(answer, n_classes, options, out, err));
    place_one(out, n_classes, sl_first_largest(out, n_classes));
    return SL_OK;
}

/* Half for each class. A class named twice gets both halves; in the released program such a row
 * sums to one half. */
static enum sl_status row_select2(const struct sl_answer *answer, size_t n_classes,
                                  const struct sl_label_options *options, double *out,
                                  struct sl_error *err)
{
    (void)options;
    if (answer->n_top == 0) return sl_fail(err, SL_ERR_INPUT, "the answer names no class");
    SL_TRY(check_class(answer->top[0].class_index, n_classes, err));
    place_one(out, n_classes, answer->top[0].class_index);
    if (answer->n_top < 2) return SL_OK;
    SL_TRY(check_class(answer->top[1].class_index, n_classes, err));
    out[answer->top[0].class_index] -= 0.5;
    out[answer->top[1].class_index] += 0.5;
    return SL_OK;
}

static size_t class_of_item(const struct sl_label_item *item, const double *row)
{
    return item->truth >= 0 ? (size_t)item->truth : sl_first_largest(row, item->n_classes);
}

static enum sl_status item_hard(const struct sl_label_item *item,
                                const struct sl_label_options *options, double *row,
                                struct sl_error *err)
{
    (void)options, (void)err;
    place_one(row, item->n_classes, class_of_item(item, row));
    return SL_OK;
}

static enum sl_status item_smooth(const struct sl_label_item *item,
                                  const struct sl_label_options *options, double *row,
                                  struct sl_error *err)
{
    SL_TRY(item_hard(item, options, row, err));
    for (size_t k = 0; k < item->n_classes; k++)
        row[k] = (1 - options->beta) * row[k] + options->beta / (double)item->n_classes;
    return SL_OK;
}

static enum sl_status item_softmax(const struct sl_label_item *item,
                                   const struct sl_label_options *options, double *row,
                                   struct sl_error *err)
{
    (void)err;
    double largest = row[sl_first_largest(row, item->n_classes)], sum = 0;
    for (size_t k = 0; k < item->n_classes; k++) {
        row[k] = exp((row[k] - largest) / options->temperature);
        sum += row[k];
    }
    for (size_t k = 0; k < item->n_classes; k++)
        row[k] /= sum;
    return SL_OK;
}

static enum sl_status item_uniform(const struct sl_label_item *item,
                                   const struct sl_label_options *options, double *row,
                                   struct sl_error *err)
{
    (void)options, (void)err;
    for (size_t k = 0; k < item->n_classes; k++)
        row[k] = 1 / (double)item->n_classes;
    return SL_OK;
}

/* The stream is named after the item, so that its label does not depend on other items. */
static enum sl_status item_random(const struct sl_label_item *item,
                                  const struct sl_label_options *options, double *row,
                                  struct sl_error *err)
{
    (void)err;
    char *name = sl_string_copy_n(item->name.text, item->name.length);
    char *purpose = sl_string_printf("labels.random:%s", name);
    struct sl_rng rng;
    sl_rng_init(&rng, options->seed, purpose, 0, 0);
    double sum = 0;
    while (!(sum > 0)) {
        sum = 0;
        for (size_t k = 0; k < item->n_classes; k++)
            sum += row[k] = sl_rng_uniform(&rng);
    }
    for (size_t k = 0; k < item->n_classes; k++)
        row[k] /= sum;
    free(purpose);
    free(name);
    return SL_OK;
}

/* Peterson et al. 2019: every item gets the mean label of its class. */
static enum sl_status all_class(const int32_t *classes, size_t n_items, size_t n_classes,
                                float *rows, struct sl_error *err)
{
    if (n_classes && n_classes > SIZE_MAX / n_classes)
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu classes", n_classes);
    double *sums = sl_data_alloc(n_classes * n_classes, sizeof *sums, err);
    if (!sums) return SL_ERR_NOMEM;
    memset(sums, 0, n_classes * n_classes * sizeof *sums);
    double *counts = sl_alloc(n_classes, sizeof *counts);
    for (size_t i = 0; i < n_items; i++) {
        double *sum = sums + (size_t)classes[i] * n_classes;
        for (size_t k = 0; k < n_classes; k++)
            sum[k] += (double)rows[i * n_classes + k];
        counts[classes[i]]++;
    }
    for (size_t i = 0; i < n_items; i++)
        for (size_t k = 0; k < n_classes; k++)
            rows[i * n_classes + k] =
                (float)(sums[(size_t)classes[i] * n_classes + k] / counts[classes[i]]);
    free(counts);
    free(sums);
    return SL_OK;
}

const struct sl_label_method sl_label_methods[] = {
    {.name = "hard",
     .also = "one-hot argmax gold",
     .summary = "one-hot: the true class, or else the class with the most votes",
     .kinds = READS_CLASS,
     .reads = SL_LABEL_READS_TRUTH,
     .inputs = 1,
     .row = row_top,
     .item = item_hard},
    {.name = "share",
     .also = "soft proportions proportion frequency frequencies fraction mean average empirical",
     .summary = "each class's share of the votes; a distribution counts as one vote, split",
     .kinds = READS_CLASS,
     .inputs = 1,
     .row = row_share},
    {.name = "softmax",
     .summary = "softmax of the vote counts divided by the temperature",
     .kinds = READS_CLASS,
     .reads = SL_LABEL_READS_TEMPERATURE,
     .inputs = 1,
     .row = row_share,
     .item = item_softmax},
    {.name = "t1-uniform",
     .summary = "probability of the first class; the rest spread over all other classes",
     .kinds = READS_SOFT,
     .inputs = 2,
     .row = sl_row_t1_uniform},
    {.name = "t1-clamp",
     .also = "t1 top1",
     .summary = "probability of the first class; the rest spread over possible classes",
     .kinds = READS_SOFT,
     .reads = SL_LABEL_READS_GAMMA,
     .inputs = 3,
     .gamma = 0.1,
     .row = sl_row_t1_clamp},
    {.name = "t1-semantic",
     .summary = "probability of the first class; the rest by similarity to that class",
     .kinds = READS_SOFT,
     .reads = SL_LABEL_READS_SIMILARITY,
     .inputs = 2,
     .row = sl_row_t1_semantic},
    {.name = "t2-uniform",
     .summary = "probabilities of two classes; the rest spread over all other classes",
     .kinds = READS_SOFT,
     .inputs = 4,
     .row = sl_row_t2_uniform},
    {.name = "t2-clamp",
     .also = "t2 top2 collins",
     .summary = "probabilities of two classes; the rest, or gamma, over possible classes",
     .kinds = READS_SOFT,
     .reads = SL_LABEL_READS_GAMMA,
     .inputs = 5,
     .gamma = 0.1,
     .row = sl_row_t2_clamp},
    {.name = "t2-semantic",
     .summary = "probabilities of two classes; the rest by similarity to the first",
     .kinds = READS_SOFT,
     .reads = SL_LABEL_READS_SIMILARITY,
     .inputs = 4,
     .row = sl_row_t2_semantic},
    {.name = "select2",
     .summary = "one half for each of two named classes, or 1 for a single one",
     .kinds = READS_SOFT | READS_SELECT,
     .inputs = 2,
     .row = row_select2},
    {.name = "uniform", .summary = "the same probability for every class", .item = item_uniform},
    {.name = "random",
     .summary = "random: uniform numbers per class, scaled to sum to 1, by seed and item",
     .reads = SL_LABEL_READS_SEED,
     .item = item_random},
    {.name = "smooth",
     .also = "label-smoothing smoothing",
     .summary = "label smoothing: 1 - beta for the hard label, beta spread over all classes",
     .kinds = READS_CLASS,
     .reads = SL_LABEL_READS_TRUTH | SL_LABEL_READS_BETA,
     .inputs = 1,
     .row = row_top,
     .item = item_smooth},
    {.name = "class",
     .also = "class-mean peterson",
     .summary = "mean of the vote shares of all items with the item's class",
     .kinds = READS_CLASS,
     .reads = SL_LABEL_READS_TRUTH,
     .inputs = 1,
     .row = row_share,
     .all = all_class},
    {.name = "mix",
     .summary = "stated share of each of two mixed classes, smoothed by gamma^confidence",
     .kinds = READS_MIX,
     .reads = SL_LABEL_READS_GAMMA | SL_LABEL_READS_MIX,
     .inputs = 2,
     .gamma = 0.005,
     .row = sl_row_mix},
    {0},
};

const struct sl_label_method *sl_label_method_find(const char *name)
{
    for (const struct sl_label_method *method = sl_label_methods; method->name; method++)
        if (strcmp(method->name, name) == 0) return method;
    return NULL;
}

const struct sl_label_method *sl_label_method_known_as(const char *name)
{
    for (const struct sl_label_method *method = sl_label_methods; method->name; method++)
        if (sl_text_known_as(name, method->also)) return method;
    return NULL;
}

static const char *kind_name(enum sl_answer_kind kind)
{
    static const char *const names[] = {[SL_ANSWER_HARD] = "hard",
                                        [SL_ANSWER_SOFT] = "soft",
                                        [SL_ANSWER_SELECT] = "select",
                                        [SL_ANSWER_DIST] = "dist",
                                        [SL_ANSWER_MIX] = "mix"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

/* The error names the methods that read this kind. */
static enum sl_status refuse_kind(const struct sl_label_method *method, enum sl_answer_kind kind,
                                  struct sl_error *err)
{
    char others[120] = "";
    size_t used = 0;
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++)
        if (m->kinds & 1u << kind && used < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                     used ? ", " : "; these do: ", m->name);
    return sl_fail(err, SL_ERR_INPUT, "%s does not read answers of kind \"%s\"%s", method->name,
                   kind_name(kind), others);
}

enum sl_status sl_label_row(const struct sl_label_method *method, const struct sl_answer *answer,
                            size_t n_classes, const struct sl_label_options *options, double *out,
                            struct sl_error *err)
{
    if (!(method->kinds & 1u << answer->kind)) return refuse_kind(method, answer->kind, err);
    struct sl_label_options resolved = *options;
    if (isnan(resolved.gamma)) resolved.gamma = method->gamma;
    return method->row(answer, n_classes, &resolved, out, err);
}
