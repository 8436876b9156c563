#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/confusion_sparse.h"
#include "crowd/crowd_internal.h"
#include "crowd/stream.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum {
    MAX_CLASSES = 65536,
    DIRICHLET_CLASSES = 100, /* a gain takes K^3 steps: 2 ms an item at 100 classes */
    USUAL_ROUNDS = 100,
};

static const double usual_tolerance = 1e-7;

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
     .needs = SL_CROWD_WEIGHTS | SL_CROWD_STREAMS,
     .reads = READS_TIES,
     .run = sl_crowd_mv},
    {.name = "mv-shares",
     .also = "vote-shares weighted-shares",
     .summary =
         "the share of the votes of each class, and each annotator's agreement with the most",
     .source = "-",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_WEIGHTS | SL_CROWD_STREAMS,
     .reads = READS_TIES,
     .learns = SL_LEARNS_SKILL,
     .run = sl_crowd_mv_shares},
    {.name = "gold-mv",
     .also = "gold-majority-vote golden control-questions",
     .summary = "votes weighted by each annotator's accuracy on gold items",
     .source = "-",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_GOLD,
     .reads = SL_CROWD_READS_GOLD,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_WEIGHT,
     .run = sl_crowd_gold_mv},
    {.name = "wawa",
     .also = "weighted-majority weighted-vote worker-agreement",
     .summary = "votes weighted by each annotator's agreement with the majority",
     .source = "Appen/CrowdFlower, worker agreement with aggregate",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_WEIGHTS | SL_CROWD_STREAMS,
     .reads = READS_TIES,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_WEIGHT,
     .run = sl_crowd_wawa},
    {.name = "zbs",
     .also = "zero-based-skill",
     .summary = "votes weighted by skills that follow the agreement with the weighted vote",
     .source = "Toloka, zero-based skill",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_TIES | SL_CROWD_READS_ROUNDS | SL_CROWD_READS_ZBS,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_WEIGHT,
     .run = sl_crowd_zbs},
    {.name = "ds",
     .also = "dawid-skene dawid skene em confusion-matrix",
     .summary = "Dawid-Skene: a confusion matrix per annotator, by EM",
     .source = "Dawid and Skene 1979",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_STREAMS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run = sl_crowd_ds},
    {.name = "ds-onecoin",
     .also = "one-coin dawid-skene-onecoin homogeneous-dawid-skene",
     .summary = "Dawid-Skene with one probability of being right per annotator",
     .source = "Zhang et al. 2016, section 2",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_EVEN,
     .run = sl_crowd_ds_onecoin},
    {.name = "ds-fast",
     .also = "fast-dawid-skene fast-ds fds hard-em",
     .summary = "Dawid-Skene by hard EM: each item counts for its most probable class only",
     .source = "Sinha, Rao and Balasubramanian 2018",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_STREAMS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run = sl_crowd_ds_fast},
    {.name = "ds-hybrid",
     .also = "hybrid-dawid-skene hybrid",
     .summary = "Dawid-Skene by EM until the class shares settle, then by hard EM",
     .source = "Sinha, Rao and Balasubramanian 2018, section 3.3",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_STREAMS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run = sl_crowd_ds_hybrid},
    {.name = "ibcc",
     .also = "bcc bayes bayesian variational vb bayesian-dawid-skene",
     .summary = "variational Dawid-Skene with Dirichlet priors",
     .source = "Kim and Ghahramani 2012; Simpson et al. 2013",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_STREAMS,
     .reads = READS_CONFUSION,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION,
     .run = sl_crowd_ibcc},
    {.name = "glad",
     .also = "difficulty whitehill",
     .summary = "GLAD: an ability per annotator and a difficulty per item",
     .source = "Whitehill, Ruvolo, Wu, Bergsma and Movellan 2009",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_EM | SL_CROWD_READS_RESUME | SL_CROWD_READS_GLAD,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_ABILITY,
     .run = sl_crowd_glad},
    {.name = "mace",
     .also = "spam spammer spammers hovy",
     .summary = "MACE: each annotator knows or spams; variational Bayes or EM, several starts",
     .source = "Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_EM | SL_CROWD_READS_SMOOTHING | SL_CROWD_READS_VARIATIONAL |
              SL_CROWD_READS_SEED | SL_CROWD_READS_RESUME | SL_CROWD_READS_MACE,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_CONFUSION | SL_LEARNS_STRATEGY,
     .rounds = 50,
     .run = sl_crowd_mace},
    {.name = "zencrowd",
     .also = "zen zc",
     .summary = "ZenCrowd: one reliability per annotator, classes equally likely",
     .source = "Demartini, Difallah and Cudre-Mauroux 2012",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = READS_EM | SL_CROWD_READS_SMOOTHING | SL_CROWD_READS_PRIOR | SL_CROWD_READS_RESUME,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_EVEN,
     .run = sl_crowd_zencrowd},
    {.name = "kos",
     .also = "karger message-passing belief-propagation",
     .summary = "KOS: message passing between items and annotators; two classes only",
     .source = "Karger, Oh and Shah 2011",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_BINARY,
     .reads = SL_CROWD_READS_ROUNDS | SL_CROWD_READS_SEED | SL_CROWD_READS_GOLD,
     .learns = SL_LEARNS_SKILL,
     .rounds = 10,
     .run = sl_crowd_kos},
    {.name = "mmsr",
     .also = "m-msr adversarial rank-one-completion",
     .summary = "M-MSR: skills from how often pairs of annotators agree, robust to adversaries",
     .source = "Ma and Olshevsky 2020",
     .needs = SL_CROWD_ANNOTATORS,
     .reads = SL_CROWD_READS_ROUNDS | SL_CROWD_READS_TOLERANCE | SL_CROWD_READS_GOLD,
     .learns = SL_LEARNS_SKILL | SL_LEARNS_WEIGHT | SL_LEARNS_SIGNED,
     .rounds = 10000,
     .tolerance = 1e-10,
     .trace = "change of the fitted matrix",
     .run = sl_crowd_mmsr},
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
    {.name = "dirichlet",
     .also = "dirichlet-mixture mixture-of-dirichlets hierarchical",
     .summary = "how a whole crowd would answer, with intervals: easy and hard items of each class",
     .source = "docs/internals/crowd-dirichlet.md, after Minka 2000",
     .needs = SL_CROWD_PREDICTED,
     .reads = READS_EM,
     .learns = SL_LEARNS_WEIGHT | SL_LEARNS_RISK,
     .most_classes = DIRICHLET_CLASSES,
     .rounds = 600,
     .tolerance = 1e-6,
     .run = sl_crowd_dirichlet},
    {.name = "dirichlet-soft",
     .also = "soft-dirichlet",
     .summary = "dirichlet for stated distributions, each worth a fitted number of clicks",
     .source = "docs/internals/crowd-dirichlet.md, after Minka 2000",
     .needs = SL_CROWD_SOFT | SL_CROWD_PREDICTED,
     .reads = READS_EM,
     .learns = SL_LEARNS_WEIGHT | SL_LEARNS_RISK,
     .most_classes = DIRICHLET_CLASSES,
     .rounds = 1300,
     .tolerance = 1e-6,
     .run_soft = sl_crowd_dirichlet_soft},
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
     .rounds = 50,
     .run_soft = sl_crowd_pool_linear},
    {.name = "pool-log",
     .also = "log-pool logarithmic-pool log-opinion-pool logop geometric-mean",
     .summary = "weighted geometric mean of distributions; weights learned from agreement",
     .source = "Genest and Zidek 1986; weights: docs/internals/crowd-soft.md",
     .needs = SL_CROWD_ANNOTATORS | SL_CROWD_SOFT | SL_CROWD_WEIGHTS,
     .reads = READS_POOL,
     .learns = SL_LEARNS_WEIGHT,
     .rounds = 50,
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

static enum sl_status check_ends(const size_t *begin, size_t n_items, size_t count,
                                 struct sl_error *err)
{
    if (begin[0] == 0 && begin[n_items] == count) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "the items hold answers %zu to %zu, expected 0 to %zu",
                   begin[0], begin[n_items], count);
}

static enum sl_status check_order(const size_t *begin, struct sl_pool_range items,
                                  struct sl_error *err)
{
    for (size_t i = items.begin; i < items.end; i++)
        if (begin[i] > begin[i + 1])
            return sl_fail(err, SL_ERR_INPUT, "item %zu ends before it begins", i);
    return SL_OK;
}

/* `names` are those of the items, or NULL: messages then have their numbers. */
/* Whose answers must have an annotator. */
enum naming { NAMES_IGNORED, NAMES_IF_GIVEN, NAMES_NEEDED };

static enum sl_status check_annotators(const uint32_t *annotator, struct sl_pool_range answers,
                                       const size_t *begin, const struct sl_name_table *names,
                                       enum naming naming, struct sl_crowd_size size,
                                       struct sl_error *err)
{
    for (size_t i = answers.begin; i < answers.end && naming != NAMES_IGNORED; i++) {
        if (annotator[i] < size.n_annotators) continue;
        if (annotator[i] == SL_NO_NAME && naming == NAMES_IF_GIVEN) continue;
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

/* The answers of some items. */
static enum sl_status check_items(const struct sl_votes *votes, struct sl_pool_range items,
                                  enum naming naming, struct sl_crowd_size size,
                                  struct sl_error *err)
{
    SL_TRY(check_order(votes->begin, items, err));
    const struct sl_pool_range answers = {votes->begin[items.begin], votes->begin[items.end]};
    if (answers.end > votes->count) /* a later item ends before it begins */
        return sl_fail(err, SL_ERR_INPUT, "item %zu has answers up to %zu of %zu", items.end - 1,
                       answers.end, votes->count);
    for (size_t i = answers.begin; i < answers.end; i++)
        if (votes->label[i] >= size.n_classes)
            return sl_fail(
                err, SL_ERR_INPUT, "item %zu: class %u does not exist, expected a class below %zu",
                item_of(votes->begin, votes->n_items, i), votes->label[i], size.n_classes);
    return check_annotators(votes->annotator, answers, votes->begin, votes->items, naming, size,
                            err);
}

/* The answers that this rank reads, window by window. */
static enum sl_status check_votes(const struct sl_aggregator *method, const struct sl_votes *votes,
                                  const struct sl_crowd_options *options, struct sl_crowd_size size,
                                  struct sl_error *err)
{
    const bool needed = method->needs & SL_CROWD_ANNOTATORS || options->weights;
    const enum naming naming = needed                              ? NAMES_NEEDED
                               : method->learns & SL_LEARNS_WEIGHT ? NAMES_IF_GIVEN
                                                                   : NAMES_IGNORED;
    const struct sl_pool_range items = sl_stream_items(options, size.n_items);
    const size_t window =
        options->stream ? sl_stream_window(options->stream, size.n_classes) : size.n_items;
    SL_TRY(check_ends(votes->begin, votes->n_items, votes->count, err));
    for (size_t first = items.begin; first < items.end;) {
        const size_t end = items.end - first < window ? items.end : first + window;
        SL_TRY(check_items(votes, (struct sl_pool_range){first, end}, naming, size, err));
        sl_votes_pass(votes, first, end);
        first = end;
    }
    return SL_OK;
}

void sl_aggregators_streamed(char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++)
        if (method->needs & SL_CROWD_STREAMS && used < room)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", method->name);
}

enum sl_status sl_aggregator_check_stream(const struct sl_aggregator *method, struct sl_error *err)
{
    char names[160];
    if (method->needs & SL_CROWD_STREAMS) return SL_OK;
    sl_aggregators_streamed(names, sizeof names);
    return sl_fail(err, SL_ERR_USAGE,
                   "%s needs all answers in memory and cannot be streamed; use %s", method->name,
                   names);
}

bool sl_aggregator_streams_alike(const struct sl_aggregator *method,
                                 const struct sl_votes_size *size)
{
    const struct sl_votes votes = {.n_items = size->n_items,
                                   .n_annotators = size->n_annotators,
                                   .n_classes = size->n_classes,
                                   .count = size->count};
    return method->needs & SL_CROWD_STREAMS &&
           !(method->learns & SL_LEARNS_CONFUSION && sl_sparse_pays(&votes));
}

static enum sl_status check_stream(const struct sl_aggregator *method,
                                   const struct sl_crowd_options *options, struct sl_error *err)
{
    if (!options->stream) return SL_OK;
    SL_TRY(sl_aggregator_check_stream(method, err));
    if (options->weights)
        return sl_fail(err, SL_ERR_USAGE, "given weights need all answers in memory");
    if (sl_comm_size(options->stream->comm) > SL_CROWD_CHUNKS)
        return sl_fail(err, SL_ERR_USAGE, "%zu ranks: at most %d can share the work",
                       sl_comm_size(options->stream->comm), SL_CROWD_CHUNKS);
    return SL_OK;
}

static enum sl_status check_common(const struct sl_aggregator *method,
                                   const struct sl_crowd_options *options,
                                   struct sl_crowd_size size, struct sl_error *err)
{
    SL_TRY(sl_crowd_options_check(options, err));
    SL_TRY(check_size(size, err));
    if (method->most_classes && size.n_classes > method->most_classes)
        return sl_fail(err, SL_ERR_INPUT, "the method takes at most %zu classes, got %zu",
                       method->most_classes, size.n_classes);
    if ((method->needs & SL_CROWD_BINARY) && size.n_classes != 2)
        return sl_fail(err, SL_ERR_INPUT, "the method needs 2 classes, got %zu", size.n_classes);
    if ((method->needs & SL_CROWD_PREDICTIONS) && !options->predictions)
        return sl_fail(err, SL_ERR_USAGE, "the method needs a classifier's predictions");
    SL_TRY(sl_crowd_weights_check(method, options, size.n_annotators, err));
    if ((method->needs & SL_CROWD_GOLD) && !options->gold)
        return sl_fail(err, SL_ERR_USAGE, "the method needs gold items");
    return sl_crowd_given_check(options, size, err);
}

/* The options with the method's own values where the caller left them open. */
static struct sl_crowd_options options_of(const struct sl_aggregator *method,
                                          const struct sl_crowd_options *options)
{
    struct sl_crowd_options own = *options;
    if (own.max_iterations == SL_CROWD_OWN_ROUNDS)
        own.max_iterations = method->rounds > 0 ? method->rounds : USUAL_ROUNDS;
    own.tolerance = sl_crowd_or(options->tolerance,
                                method->tolerance > 0 ? method->tolerance : usual_tolerance);
    return own;
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
    SL_TRY_OUT(check_stream(method, options, err));
    SL_TRY_OUT(check_common(method, options, size, err));
    SL_TRY_OUT(sl_stream_agree(options, check_votes(method, votes, options, size, err), err));
    struct sl_votes used = *votes;
    SL_TRY_OUT(sl_crowd_keep_votes(options->weights, &used, &kept, err));
    const struct sl_crowd_options own = options_of(method, options);
    SL_TRY_OUT(method->run(&used, &own, &state, err));
    SL_TRY_OUT(sl_stream_agree(options, sl_pool_check(options->pool, err), err));
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
    SL_TRY(check_ends(votes->begin, votes->n_items, votes->count, err));
    SL_TRY(check_order(votes->begin, (struct sl_pool_range){0, votes->n_items}, err));
    SL_TRY(sl_crowd_rows_check(votes->rows, votes->count, votes->n_classes, "answer", err));
    return check_annotators(votes->annotator, (struct sl_pool_range){0, votes->count}, votes->begin,
                            NULL, NAMES_NEEDED, size, err);
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
    const struct sl_crowd_options own = options_of(method, options);
    SL_TRY_OUT(method->run_soft(&used, &own, &state, err));
    SL_TRY_OUT(sl_pool_check(options->pool, err));
    *out = state;
    sl_crowd_kept_release(&kept);
    return SL_OK;
out:
    sl_crowd_kept_release(&kept);
    sl_crowd_state_release(&state);
    return sl_fail_within(err, status, "%s", method->name);
}
