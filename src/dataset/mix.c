#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/dataset.h"

enum { THESIS_LAMBDAS = 3, LAMBDA_LENGTH = 32 };

/* Items of class k are members[starts[k]] up to members[starts[k + 1]]. */
struct members {
    size_t *items;  /* owned */
    size_t *starts; /* owned; (n_classes + 1) */
};

/* Working memory for making the plan. */
struct scratch {
    size_t n_lambdas;
    double *lambdas; /* owned; of one pair of images */
    size_t *drawn;   /* owned; pairs of images of one class pair */
};

/* Two classes, a before b, and how many pairs of images are drawn from them. */
struct class_pair {
    size_t a, b;
    size_t n_pairs;
};

static void members_release(struct members *members)
{
    free(members->items);
    free(members->starts);
}

static size_t class_count(const struct members *members, size_t k)
{
    return members->starts[k + 1] - members->starts[k];
}

static enum sl_status members_create(const struct sl_dataset *dataset, struct members *out,
                                     struct sl_error *err)
{
    const size_t n_classes = dataset->n_classes;
    size_t *items = sl_data_alloc(dataset->count, sizeof *items, err);
    if (!items) return SL_ERR_NOMEM;
    size_t *starts = sl_alloc(n_classes + 2, sizeof *starts);
    for (size_t i = 0; i < dataset->count; i++)
        if (dataset->labels[i] >= 0) starts[dataset->labels[i] + 2]++;
    for (size_t k = 0; k < n_classes; k++)
        starts[k + 2] += starts[k + 1];
    /* starts[k + 1] is now where class k begins and moves to where it ends. */
    for (size_t i = 0; i < dataset->count; i++)
        if (dataset->labels[i] >= 0) items[starts[dataset->labels[i] + 1]++] = i;
    *out = (struct members){.items = items, .starts = starts};
    return SL_OK;
}

static enum sl_status check_options(const struct sl_dataset *dataset,
                                    const struct sl_mix_plan_options *options, struct sl_error *err)
{
    if (sl_dataset_kind_of(dataset) != SL_DATASET_IMAGES)
        return sl_fail(err, SL_ERR_USAGE, "%s holds %s; only images can be mixed", dataset->name,
                       sl_dataset_unit(dataset));
    if (options->count == 0 && options->pairs_per_class_pair == 0)
        return sl_fail(err, SL_ERR_USAGE, "expected a number of pairs to mix, got 0");
    if (options->lambdas && options->n_lambdas == 0)
        return sl_fail(err, SL_ERR_USAGE, "expected at least one lambda");
    for (size_t i = 0; options->lambdas && i < options->n_lambdas; i++) {
        if (!(options->lambdas[i] >= 0 && options->lambdas[i] <= 1))
            return sl_fail(err, SL_ERR_USAGE, "expected a lambda from 0 to 1, got %g",
                           options->lambdas[i]);
        for (size_t j = 0; j < i; j++)
            if (options->lambdas[j] == options->lambdas[i])
                return sl_fail(err, SL_ERR_USAGE, "lambda %g is given twice", options->lambdas[i]);
    }
    return SL_OK;
}

/* Every pair of classes that have images; their number. `out` has room for all. */
static size_t list_class_pairs(const struct members *members, size_t n_classes,
                               struct class_pair *out)
{
    size_t count = 0;
    for (size_t a = 0; a < n_classes; a++)
        for (size_t b = a + 1; b < n_classes; b++)
            if (class_count(members, a) > 0 && class_count(members, b) > 0)
                out[count++] = (struct class_pair){.a = a, .b = b};
    return count;
}

/* How many image pairs each class pair gives. A total is dealt in turn to the class pairs in random
 * order, so that a small total does not favour the first classes. */
static enum sl_status deal_pairs(const struct sl_dataset *dataset, const struct members *members,
                                 const struct sl_mix_plan_options *options,
                                 struct class_pair *pairs, size_t n_class_pairs,
                                 struct sl_error *err)
{
    size_t *turns = sl_alloc(n_class_pairs, sizeof *turns);
    struct sl_rng rng;
    sl_rng_init(&rng, options->seed, "mix.turns", 0, 0);
    sl_rng_permutation(&rng, turns, n_class_pairs);
    for (size_t i = 0; i < n_class_pairs; i++)
        pairs[turns[i]].n_pairs = options->count == 0 ? options->pairs_per_class_pair
                                                      : options->count / n_class_pairs +
                                                            (i < options->count % n_class_pairs);
    free(turns);
    for (size_t i = 0; i < n_class_pairs; i++) {
        size_t n_a = class_count(members, pairs[i].a), n_b = class_count(members, pairs[i].b);
        if (n_a <= SIZE_MAX / n_b && pairs[i].n_pairs > n_a * n_b)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s and %s make %zu pair%s of images, but %zu %s wanted; ask for fewer",
                           dataset->classes[pairs[i].a], dataset->classes[pairs[i].b], n_a * n_b,
                           sl_text_plural(n_a * n_b, "", "s"), pairs[i].n_pairs,
                           sl_text_plural(pairs[i].n_pairs, "is", "are"));
    }
    return SL_OK;
}

/* The shortest text that reads back as the same number, written as Python does: 0.25, 1.0. */
static void format_lambda(double lambda, char out[LAMBDA_LENGTH])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, LAMBDA_LENGTH, "%.*g", digits, lambda);
        if (strtod(out, NULL) == lambda) break;
    }
    if (!strpbrk(out, ".e")) snprintf(out, LAMBDA_LENGTH, "%.1f", lambda);
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '-' && *text != '.') return false;
    return true;
}

/* Ids become part of file names only if all of them can; otherwise indices into the data set do,
 * which then cannot be confused with ids. */
static bool ids_are_plain(const struct sl_dataset *dataset)
{
    for (size_t i = 0; i < dataset->count; i++)
        if (!is_plain(dataset->items[i])) return false;
    return true;
}

/* "airplane" as "Airplane", without characters that a file name or its fields may not contain. */
static char *class_in_name(const char *class_name)
{
    char *text = sl_string_copy(class_name);
    text[0] = (char)toupper((unsigned char)text[0]);
    for (char *at = text; *at; at++)
        if (*at == '_' || *at == '/' || *at == ' ' || iscntrl((unsigned char)*at)) *at = '-';
    return text;
}

static char *id_in_name(const struct sl_dataset *dataset, size_t item, bool plain)
{
    return plain ? sl_string_copy(dataset->items[item]) : sl_string_printf("%zu", item);
}

static char *file_name(const struct sl_dataset *dataset, const struct sl_mix_item *item, bool plain)
{
    char lambda[LAMBDA_LENGTH];
    format_lambda(item->lambda, lambda);
    char *class_a = class_in_name(dataset->classes[dataset->labels[item->a]]);
    char *class_b = class_in_name(dataset->classes[dataset->labels[item->b]]);
    char *id_a = id_in_name(dataset, item->a, plain);
    char *id_b = id_in_name(dataset, item->b, plain);
    char *name = sl_string_printf("mixed_%s_%s_%s_%s_%s.png", lambda, class_a, id_a, class_b, id_b);
    free(class_a);
    free(class_b);
    free(id_a);
    free(id_b);
    return name;
}

/* The lambdas of one pair: the requested ones, or the thesis's .5 and one on either side. If a
 * total of images is requested, one of them. */
static void draw_lambdas(const struct sl_mix_plan_options *options, struct sl_rng *rng, double *out)
{
    static const double thesis[] = {0.1, 0.25, 0.5, 0.75, 0.9};
    const double *lambdas = options->lambdas ? options->lambdas : thesis;
    size_t n_lambdas = options->lambdas ? options->n_lambdas : sizeof thesis / sizeof *thesis;
    if (options->count > 0) {
        out[0] = lambdas[sl_rng_below(rng, n_lambdas)];
    } else if (options->lambdas) {
        memcpy(out, lambdas, n_lambdas * sizeof *out);
    } else {
        out[0] = thesis[2];
        out[1] = thesis[sl_rng_below(rng, 2)];
        out[2] = thesis[3 + sl_rng_below(rng, 2)];
    }
}

/* Append the mixed images of one class pair. */
static void add_class_pair(const struct members *members, const struct sl_mix_plan_options *options,
                           const struct class_pair *pair, struct scratch *scratch,
                           struct sl_mix_plan *plan)
{
    const size_t *in_a = members->items + members->starts[pair->a];
    const size_t *in_b = members->items + members->starts[pair->b];
    const size_t n_b = class_count(members, pair->b);
    struct sl_rng rng;
    sl_rng_init(&rng, options->seed, "mix.pairs", pair->a, pair->b);
    sl_rng_sample(&rng, class_count(members, pair->a) * n_b, pair->n_pairs, scratch->drawn);
    for (size_t i = 0; i < pair->n_pairs; i++) {
        size_t a = in_a[scratch->drawn[i] / n_b], b = in_b[scratch->drawn[i] % n_b];
        draw_lambdas(options, &rng, scratch->lambdas);
        for (size_t l = 0; l < scratch->n_lambdas; l++)
            plan->items[plan->count++] =
                (struct sl_mix_item){.lambda = scratch->lambdas[l], .a = a, .b = b};
    }
}

/* Batches are taken from the plan in order, so shuffle it: a batch should not hold one class pair
 * or the mixtures of one pair of images only. */
static void shuffle_plan(struct sl_mix_plan *plan, uint64_t seed)
{
    struct sl_rng rng;
    sl_rng_init(&rng, seed, "mix.order", 0, 0);
    for (size_t i = plan->count; i > 1; i--) {
        size_t other = (size_t)sl_rng_below(&rng, i);
        struct sl_mix_item kept = plan->items[i - 1];
        plan->items[i - 1] = plan->items[other];
        plan->items[other] = kept;
    }
}

static enum sl_status fill_plan(const struct sl_dataset *dataset, const struct members *members,
                                const struct sl_mix_plan_options *options,
                                const struct class_pair *pairs, size_t n_class_pairs,
                                struct sl_mix_plan *out, struct sl_error *err)
{
    struct scratch scratch = {.n_lambdas = options->count > 0 ? 1
                                           : options->lambdas ? options->n_lambdas
                                                              : THESIS_LAMBDAS};
    size_t n_pairs = 0, most = 0;
    for (size_t i = 0; i < n_class_pairs; i++) {
        n_pairs += pairs[i].n_pairs;
        if (pairs[i].n_pairs > most) most = pairs[i].n_pairs;
    }
    struct sl_mix_plan plan = {0};
    plan.items = sl_data_alloc(n_pairs, scratch.n_lambdas * sizeof *plan.items, err);
    scratch.drawn = sl_data_alloc(most, sizeof *scratch.drawn, err);
    if (!plan.items || !scratch.drawn) {
        free(plan.items);
        free(scratch.drawn);
        return SL_ERR_NOMEM;
    }
    scratch.lambdas = sl_alloc(scratch.n_lambdas, sizeof *scratch.lambdas);
    for (size_t i = 0; i < n_class_pairs; i++)
        add_class_pair(members, options, &pairs[i], &scratch, &plan);
    free(scratch.lambdas);
    free(scratch.drawn);
    shuffle_plan(&plan, options->seed);
    const bool plain = ids_are_plain(dataset);
    for (size_t i = 0; i < plan.count; i++)
        plan.items[i].file = file_name(dataset, &plan.items[i], plain);
    *out = plan;
    return SL_OK;
}

enum sl_status sl_mix_plan_create(const struct sl_dataset *dataset,
                                  const struct sl_mix_plan_options *options,
                                  struct sl_mix_plan *out, struct sl_error *err)
{
    SL_TRY(check_options(dataset, options, err));
    struct members members;
    SL_TRY(members_create(dataset, &members, err));
    const size_t n_classes = dataset->n_classes;
    struct class_pair *pairs = sl_alloc(n_classes * n_classes / 2 + 1, sizeof *pairs);
    size_t n_class_pairs = list_class_pairs(&members, n_classes, pairs);
    enum sl_status status = SL_OK;
    if (n_class_pairs == 0)
        status =
            sl_fail(err, SL_ERR_INPUT, "%s: expected images of two classes or more", dataset->name);
    if (status == SL_OK) status = deal_pairs(dataset, &members, options, pairs, n_class_pairs, err);
    if (status == SL_OK)
        status = fill_plan(dataset, &members, options, pairs, n_class_pairs, out, err);
    free(pairs);
    members_release(&members);
    return status;
}

void sl_mix_plan_release(struct sl_mix_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        free(plan->items[i].file);
    free(plan->items);
    *plan = (struct sl_mix_plan){0};
}
