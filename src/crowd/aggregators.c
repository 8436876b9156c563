#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { MAX_ITERATIONS = 1000000, MAX_CLASSES = 65536 };

enum {
    READS_EM = SL_CROWD_READS_ROUNDS | SL_CROWD_READS_TOLERANCE | SL_CROWD_READS_GOLD,
    READS_CONFUSION = READS_EM | SL_CROWD_READS_SMOOTHING | SL_CROWD_READS_DIAGONAL |
                      SL_CROWD_READS_START | SL_CROWD_READS_PRIOR | SL_CROWD_READS_RESUME,
    READS_TIES = SL_CROWD_READS_TIE | SL_CROWD_READS_SEED | SL_CROWD_READS_GOLD,
    READS_POOL = SL_CROWD_READS_ROUNDS | SL_CROWD_READS_GOLD | SL_CROWD_READS_CALIBRATE |
                 SL_CROWD_READS_REFERENCE,
};

/* New methods declare their function in crowd_internal.h. */
const struct sl_aggregator sl_aggregators[] = {
    {.name = "mv",
     .also = "majority majority-vote vote voting plurality mode consensus",
     .summary = "majority vote; a tie is shared, goes to the first class or is drawn",
     .source = "-",
     .needs = SL_CROWD_WEIGHTS,
     .reads = READS_TIES,
     .run = sl_crowd_mv},
    {.name = "wawa",
     .also = "weighted-majority weighted-vote worker-agreement",
     .summary = "votes weighted by each annotator's agreement with the majority",
     .source = "Appen/CrowdFlower, worker agreement with aggregate",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_WEIGHTS,
     .reads = READS_TIES,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_WEIGHT,
     .run = sl_crowd_wawa},
    {.name = "ds",
     .also = "dawid-skene dawid skene em confusion-matrix",
     .summary = "Dawid-Skene: a confusion matrix per annotator, by EM",
     .source = "Dawid and Skene 1979",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run = sl_crowd_ds},
    {.name = "ds-onecoin",
     .also = "one-coin dawid-skene-onecoin homogeneous-dawid-skene",
     .summary = "Dawid-Skene with one probability of being right per annotator",
     .source = "Zhang et al. 2016, section 2",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL,
     .run = sl_crowd_ds_onecoin},
    {.name = "ds-fast",
     .also = "fast-dawid-skene fast-ds fds hard-em",
     .summary = "Dawid-Skene by hard EM: each item counts for its most probable class only",
     .source = "Sinha, Rao and Balasubramanian 2018",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run = sl_crowd_ds_fast},
    {.name = "ds-hybrid",
     .also = "hybrid-dawid-skene hybrid",
     .summary = "Dawid-Skene by EM until the class shares settle, then by hard EM",
     .source = "Sinha, Rao and Balasubramanian 2018, section 3.3",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run = sl_crowd_ds_hybrid},
    {.name = "ibcc",
     .also = "bcc bayes bayesian dirichlet variational vb bayesian-dawid-skene",
     .summary = "variational Dawid-Skene with Dirichlet priors",
     .source = "Kim and Ghahramani 2012; Simpson et al. 2013",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run = sl_crowd_ibcc},
    {.name = "glad",
     .also = "difficulty whitehill",
     .summary = "GLAD: an ability per annotator and a difficulty per item",
     .source = "Whitehill, Ruvolo, Wu, Bergsma and Movellan 2009",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_EM | SL_CROWD_READS_RESUME,
     .learns = SL_LEARNS_SKILL,
     .run = sl_crowd_glad},
    {.name = "mace",
     .also = "spam spammer spammers hovy",
     .summary = "MACE: each annotator knows or spams; variational Bayes or EM, several starts",
     .source = "Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_EM | SL_CROWD_READS_SMOOTHING | SL_CROWD_READS_VARIATIONAL |
              SL_CROWD_READS_SEED | SL_CROWD_READS_RESUME,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run = sl_crowd_mace},
    {.name = "zencrowd",
     .also = "zen zc",
     .summary = "ZenCrowd: one reliability per annotator, classes equally likely",
     .source = "Demartini, Difallah and Cudre-Mauroux 2012",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_EM | SL_CROWD_READS_SMOOTHING | SL_CROWD_READS_PRIOR | SL_CROWD_READS_RESUME,
     .learns = SL_LEARNS_SKILL,
     .run = sl_crowd_zencrowd},
    {.name = "kos",
     .also = "karger message-passing belief-propagation",
     .summary = "KOS: message passing between items and annotators; two classes only",
     .source = "Karger, Oh and Shah 2011",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_BINARY,
     .reads = SL_CROWD_READS_ROUNDS | SL_CROWD_READS_SEED | SL_CROWD_READS_GOLD,
     .learns = SL_LEARNS_SKILL,
     .run = sl_crowd_kos},
    {.name = "catd",
     .also = "truth-discovery",
     .summary = "CATD: votes weighted by a confidence bound on each annotator's errors",
     .source = "Li, Li, Gao, Su, Zhao, Demirbas, Fan and Han 2014",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = SL_CROWD_READS_ROUNDS | SL_CROWD_READS_SMOOTHING | SL_CROWD_READS_GOLD,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_WEIGHT,
     .run = sl_crowd_catd},
    {.name = "crowdlab",
     .also = "cleanlab",
     .summary = "CROWDLAB: votes and a classifier's predictions, weighted by agreement",
     .source = "Goh, Tkachenko and Mueller 2022",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_PREDICTIONS,
     .reads = SL_CROWD_READS_GOLD,
     .learns = SL_LEARNS_WEIGHT,
     .run = sl_crowd_crowdlab},
    {.name = "ds-soft",
     .also = "soft-dawid-skene soft-ds dawid-skene-soft",
     .summary = "Dawid-Skene for stated distributions; keeps how an item differs from its class",
     .source = "docs/internals/crowd-soft.md, after Dawid and Skene 1979",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_SOFT,
     .reads = READS_EM | SL_CROWD_READS_SMOOTHING | SL_CROWD_READS_DIAGONAL | SL_CROWD_READS_PRIOR |
              SL_CROWD_READS_RESUME | SL_CROWD_READS_CALIBRATE | SL_CROWD_READS_REFERENCE,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run_soft = sl_crowd_ds_soft},
    {.name = "pool-linear",
     .also = "linear-pool linear-opinion-pool opinion-pool linop pool",
     .summary = "weighted mean of distributions; weights learned from agreement",
     .source = "Stone 1961; weights: docs/internals/crowd-soft.md",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_SOFT | SL_CROWD_WEIGHTS,
     .reads = READS_POOL,
     .learns = SL_LEARNS_WEIGHT,
     .run_soft = sl_crowd_pool_linear},
    {.name = "pool-log",
     .also = "log-pool logarithmic-pool log-opinion-pool logop geometric-mean",
     .summary = "weighted geometric mean of distributions; weights learned from agreement",
     .source = "Genest and Zidek 1986; weights: docs/internals/crowd-soft.md",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_SOFT | SL_CROWD_WEIGHTS,
     .reads = READS_POOL,
     .learns = SL_LEARNS_WEIGHT,
     .run_soft = sl_crowd_pool_log},
    {.name = NULL},
};

const struct sl_aggregator *sl_aggregator_find(const char *name)
{
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++)
        if (strcmp(method->name, name) == 0) return method;
    return NULL;
}

const struct sl_aggregator *sl_aggregator_known_as(const char *name)
{
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++)
        if (sl_text_known_as(name, method->also)) return method;
    return NULL;
}

struct sl_crowd_options sl_crowd_options_default(void)
{
    return (struct sl_crowd_options){
        .max_iterations = 100,
        .tolerance = 1e-7,
        .smoothing = SL_CROWD_OWN,
        .diagonal = SL_CROWD_OWN,
        .start_diagonal = 0.7,
        .start = SL_START_SHARES,
        .tie = SL_TIE_SHARE,
        .variational = true,
        .restarts = 10,
        .shrinkage = 10,
        .confusions = true,
    };
}

static enum sl_status check_pseudo_count(double value, const char *name, struct sl_error *err)
{
    if (value == SL_CROWD_OWN || (value >= 0 && isfinite(value))) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "%s %g is not a finite number of at least 0", name, value);
}

enum sl_status sl_crowd_options_check(const struct sl_crowd_options *options, struct sl_error *err)
{
    if (options->max_iterations < 1 || options->max_iterations > MAX_ITERATIONS)
        return sl_fail(err, SL_ERR_USAGE, "max_iterations %zu is not from 1 to %d",
                       options->max_iterations, MAX_ITERATIONS);
    if (!(options->tolerance >= 0) || !isfinite(options->tolerance))
        return sl_fail(err, SL_ERR_USAGE, "tolerance %g is not a finite number of at least 0",
                       options->tolerance);
    SL_TRY(check_pseudo_count(options->smoothing, "smoothing", err));
    SL_TRY(check_pseudo_count(options->diagonal, "diagonal", err));
    if (!(options->shrinkage > 0 && isfinite(options->shrinkage)))
        return sl_fail(err, SL_ERR_USAGE, "shrinkage %g is not a finite number above 0",
                       options->shrinkage);
    if (!(options->start_diagonal > 0 && options->start_diagonal < 1))
        return sl_fail(err, SL_ERR_USAGE, "start_diagonal %g is not between 0 and 1",
                       options->start_diagonal);
    if (options->start != SL_START_SHARES && options->start != SL_START_DIAGONAL)
        return sl_fail(err, SL_ERR_USAGE, "start %d does not exist", (int)options->start);
    if (options->tie != SL_TIE_SHARE && options->tie != SL_TIE_FIRST &&
        options->tie != SL_TIE_RANDOM)
        return sl_fail(err, SL_ERR_USAGE, "tie rule %d does not exist", (int)options->tie);
    if (options->restarts < 1)
        return sl_fail(err, SL_ERR_USAGE, "restarts is 0, expected at least 1");
    return SL_OK;
}

static enum sl_status check_size(struct sl_crowd_size size, struct sl_error *err)
{
    if (size.n_classes < 1 || size.n_classes > MAX_CLASSES)
        return sl_fail(err, SL_ERR_INPUT, "%zu classes, expected 1 to %d", size.n_classes,
                       MAX_CLASSES);
    if (size.n_items > SIZE_MAX / sizeof(double) / size.n_classes)
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu items x %zu classes",
                       size.n_items, size.n_classes);
    return SL_OK;
}

static enum sl_status check_gold(const int32_t *gold, struct sl_crowd_size size,
                                 struct sl_error *err)
{
    for (size_t i = 0; gold && i < size.n_items; i++)
        if (gold[i] < -1 || (gold[i] >= 0 && (size_t)gold[i] >= size.n_classes))
            return sl_fail(err, SL_ERR_INPUT,
                           "gold of item %zu: class %d does not exist, expected a class below %zu",
                           i, gold[i], size.n_classes);
    return SL_OK;
}

static enum sl_status check_prior(const double *prior, struct sl_crowd_size size,
                                  struct sl_error *err)
{
    const size_t cells = size.n_classes * size.n_classes;
    for (size_t a = 0; prior && a < size.n_annotators; a++)
        for (size_t i = 0; i < cells; i++)
            if (!(prior[a * cells + i] >= 0) || !isfinite(prior[a * cells + i]))
                return sl_fail(
                    err, SL_ERR_INPUT,
                    "prior of annotator %zu: count %g is not a finite number of at least 0", a,
                    prior[a * cells + i]);
    return SL_OK;
}

static enum sl_status check_rows(const float *rows, size_t count, size_t n_classes,
                                 const char *what, struct sl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t k = 0; k < n_classes; k++) {
            double value = (double)rows[i * n_classes + k];
            if (!(value >= 0))
                return sl_fail(err, SL_ERR_INPUT, "%s %zu: %g is not a probability", what, i,
                               value);
            sum += value;
        }
        if (!(fabs(sum - 1) <= 1e-3))
            return sl_fail(err, SL_ERR_INPUT, "%s %zu: the probabilities sum to %g, expected 1",
                           what, i, sum);
    }
    return SL_OK;
}

static enum sl_status check_resume(const struct sl_crowd_state *state, struct sl_crowd_size size,
                                   struct sl_error *err)
{
    if (!state) return SL_OK;
    if (state->n_classes != size.n_classes)
        return sl_fail(err, SL_ERR_INPUT, "the saved state has %zu class%s, the answers have %zu",
                       state->n_classes, sl_text_plural(state->n_classes, "", "es"),
                       size.n_classes);
    if (state->n_items > size.n_items)
        return sl_fail(
            err, SL_ERR_INPUT,
            "the saved state has %zu item%s, the answers only %zu: items may be added, not removed",
            state->n_items, sl_text_plural(state->n_items, "", "s"), size.n_items);
    if (state->n_annotators > size.n_annotators)
        return sl_fail(err, SL_ERR_INPUT,
                       "the saved state has %zu annotator%s, the answers only %zu: annotators may "
                       "be added, not removed",
                       state->n_annotators, sl_text_plural(state->n_annotators, "", "s"),
                       size.n_annotators);
    return SL_OK;
}

/* A row of zeros says that the item's distribution is unknown. */
static enum sl_status check_reference(const float *rows, struct sl_crowd_size size,
                                      struct sl_error *err)
{
    for (size_t i = 0; rows && i < size.n_items; i++) {
        const float *row = rows + i * size.n_classes;
        bool known = false;
        for (size_t k = 0; k < size.n_classes && !known; k++)
            known = !(row[k] == 0);
        if (known && check_rows(row, 1, size.n_classes, "row", NULL) != SL_OK)
            return sl_fail(err, SL_ERR_INPUT,
                           "reference of item %zu is neither a distribution nor all zeros", i);
    }
    return SL_OK;
}

/* The order of items lets a loop over the answers find the item of a bad one afterwards. */
static size_t item_of(const size_t *begin, size_t n_items, size_t answer)
{
    size_t low = 0, high = n_items;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (begin[middle] <= answer)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static enum sl_status check_begin(const size_t *begin, size_t n_items, size_t count,
                                  struct sl_error *err)
{
    if (begin[0] != 0 || begin[n_items] != count)
        return sl_fail(err, SL_ERR_INPUT, "the items hold answers %zu to %zu, expected 0 to %zu",
                       begin[0], begin[n_items], count);
    for (size_t i = 0; i < n_items; i++)
        if (begin[i] > begin[i + 1])
            return sl_fail(err, SL_ERR_INPUT, "item %zu ends before it begins", i);
    return SL_OK;
}

/* `names` are those of the items, or NULL: messages then have their numbers. */
static enum sl_status check_annotators(const uint32_t *annotator, size_t count, const size_t *begin,
                                       const struct sl_name_table *names, struct sl_crowd_size size,
                                       struct sl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (annotator[i] < size.n_annotators) continue;
        const size_t item = item_of(begin, size.n_items, i);
        char number[24];
        snprintf(number, sizeof number, "%zu", item);
        const char *name = names ? sl_name_table_get(names, (uint32_t)item, NULL) : number;
        if (annotator[i] == SL_NO_NAME)
            return sl_fail(err, SL_ERR_INPUT,
                           "item %s has an answer without an annotator; name every annotator, or "
                           "use mv or share",
                           name);
        return sl_fail(err, SL_ERR_INPUT,
                       "item %s: annotator %u does not exist, expected one below %zu", name,
                       (unsigned)annotator[i], size.n_annotators);
    }
    return SL_OK;
}

static enum sl_status check_votes(const struct sl_aggregator *method, const struct sl_votes *votes,
                                  bool weighted, struct sl_crowd_size size, struct sl_error *err)
{
    SL_TRY(check_begin(votes->begin, votes->n_items, votes->count, err));
    for (size_t i = 0; i < votes->count; i++)
        if (votes->label[i] >= size.n_classes)
            return sl_fail(
                err, SL_ERR_INPUT, "item %zu: class %u does not exist, expected a class below %zu",
                item_of(votes->begin, votes->n_items, i), votes->label[i], size.n_classes);
    if (method->needs & SL_CROWD_ANNOTATORS || weighted)
        SL_TRY(check_annotators(votes->annotator, votes->count, votes->begin, votes->items, size,
                                err));
    return SL_OK;
}

static enum sl_status check_common(const struct sl_aggregator *method,
                                   const struct sl_crowd_options *options,
                                   struct sl_crowd_size size, struct sl_error *err)
{
    SL_TRY(sl_crowd_options_check(options, err));
    SL_TRY(check_size(size, err));
    if ((method->needs & SL_CROWD_BINARY) && size.n_classes != 2)
        return sl_fail(err, SL_ERR_INPUT, "the method needs 2 classes, got %zu", size.n_classes);
    if ((method->needs & SL_CROWD_PREDICTIONS) && !options->predictions)
        return sl_fail(err, SL_ERR_USAGE, "the method needs a classifier's predictions");
    SL_TRY(check_gold(options->gold, size, err));
    SL_TRY(sl_crowd_weights_check(method, options, size.n_annotators, err));
    SL_TRY(check_prior(options->prior, size, err));
    SL_TRY(check_reference(options->reference, size, err));
    if (options->predictions)
        SL_TRY(check_rows(options->predictions, size.n_items, size.n_classes, "prediction", err));
    return check_resume(options->resume, size, err);
}

enum sl_status sl_aggregate(const struct sl_aggregator *method, const struct sl_votes *votes,
                            const struct sl_crowd_options *options, struct sl_crowd_state *out,
                            struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    struct sl_crowd_state state = {0};
    struct sl_crowd_kept kept = {0};
    enum sl_status status = SL_OK;
    if (!method->run)
        return sl_fail(err, SL_ERR_USAGE, "%s: the method needs distributions, got votes",
                       method->name);
    SL_TRY_OUT(check_common(method, options, size, err));
    SL_TRY_OUT(check_votes(method, votes, options->weights, size, err));
    struct sl_votes used = *votes;
    SL_TRY_OUT(sl_crowd_keep_votes(options->weights, &used, &kept, err));
    SL_TRY_OUT(method->run(&used, options, &state, err));
    *out = state;
    sl_crowd_kept_release(&kept);
    return SL_OK;
out:
    sl_crowd_kept_release(&kept);
    sl_crowd_state_release(&state);
    return sl_fail_within(err, status, "%s", method->name);
}

enum sl_status sl_soft_votes_check(const struct sl_soft_votes *votes, struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY(check_size(size, err));
    SL_TRY(check_begin(votes->begin, votes->n_items, votes->count, err));
    SL_TRY(check_rows(votes->rows, votes->count, votes->n_classes, "answer", err));
    return check_annotators(votes->annotator, votes->count, votes->begin, NULL, size, err);
}

enum sl_status sl_aggregate_soft(const struct sl_aggregator *method,
                                 const struct sl_soft_votes *votes,
                                 const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                 struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    struct sl_crowd_state state = {0};
    struct sl_crowd_kept kept = {0};
    enum sl_status status = SL_OK;
    if (!method->run_soft)
        return sl_fail(err, SL_ERR_USAGE, "%s: the method needs votes, got distributions",
                       method->name);
    SL_TRY_OUT(check_common(method, options, size, err));
    SL_TRY_OUT(sl_soft_votes_check(votes, err));
    struct sl_soft_votes used = *votes;
    SL_TRY_OUT(sl_crowd_keep_soft(options->weights, &used, &kept, err));
    SL_TRY_OUT(method->run_soft(&used, options, &state, err));
    *out = state;
    sl_crowd_kept_release(&kept);
    return SL_OK;
out:
    sl_crowd_kept_release(&kept);
    sl_crowd_state_release(&state);
    return sl_fail_within(err, status, "%s", method->name);
}

void *sl_crowd_confusion_alloc(size_t n_annotators, size_t n_classes, size_t cell,
                               struct sl_error *err)
{
    void *cells = NULL;
    const size_t per_annotator = n_classes * n_classes * cell;
    if (n_annotators <= SIZE_MAX / 2 / per_annotator)
        cells = sl_data_alloc(n_annotators, per_annotator, err);
    if (!cells)
        sl_fail(err, SL_ERR_NOMEM,
                "not enough memory for %zu annotators x %zu x %zu classes x %zu bytes",
                n_annotators, n_classes, n_classes, cell);
    return cells;
}

enum sl_status sl_crowd_state_alloc(struct sl_crowd_state *state, struct sl_crowd_size size,
                                    unsigned parts, size_t max_iterations, struct sl_error *err)
{
    state->n_items = size.n_items;
    state->n_annotators = size.n_annotators;
    state->n_classes = size.n_classes;
    state->posterior = sl_data_alloc(size.n_items * size.n_classes, sizeof *state->posterior, err);
    if (!state->posterior) return SL_ERR_NOMEM;
    state->class_prior = sl_alloc(size.n_classes, sizeof *state->class_prior);
    if (parts & SL_STATE_CONFUSION) {
        state->confusion = sl_crowd_confusion_alloc(size.n_annotators, size.n_classes,
                                                    sizeof *state->confusion, err);
        if (!state->confusion) return SL_ERR_NOMEM;
    }
    if (parts & SL_STATE_SKILL) {
        state->skill = sl_data_alloc(size.n_annotators, sizeof *state->skill, err);
        if (!state->skill) return SL_ERR_NOMEM;
    }
    if (parts & SL_STATE_WEIGHT) {
        state->weight = sl_data_alloc(size.n_annotators, sizeof *state->weight, err);
        if (!state->weight) return SL_ERR_NOMEM;
    }
    if (parts & SL_STATE_TRACE) state->trace = sl_alloc(max_iterations, sizeof *state->trace);
    return SL_OK;
}

void sl_crowd_state_release(struct sl_crowd_state *state)
{
    free(state->posterior);
    free(state->class_prior);
    free(state->confusion);
    free(state->skill);
    free(state->weight);
    free(state->trace);
    *state = (struct sl_crowd_state){0};
}
