/* How well an answer agrees with what the others said about the item: the trust of annotators, and
 * what a stated distribution counts as. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/dirichlet/fit.h"
#include "crowd/em.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

enum {
    TRUST_STEPS = 16,    /* trust is rounded, so that most annotators have the same */
    SUM_UNITS = 1 << 20, /* of sums of logarithms, which are exact in any order */
};

/* A prior of one spammer among twenty annotators. */
static const double spammers_among = 20, spammers_before = 1;

/* Components of a smaller weight are not looked at. */
static const double least_weight = 1e-12;
static const double least_probability = 1e-12;

/* Of one annotator. */
struct evidence {
    int64_t sum;      /* of log(chance / others) */
    size_t n_answers; /* that could be compared with those of others */
};

struct looks {
    struct sl_dirichlet_fit *fit;
    struct sl_dirichlet_view *views; /* one per thread */
    uint64_t *units;                 /* (threads, K) */
    struct evidence *evidence;       /* (threads, n_annotators), or NULL */
};

/* log(Gamma(x) / Gamma(x - n)) */
static double log_fall(double x, double n)
{
    return n == 1 ? log(x - 1) : sl_log_gamma(x) - sl_log_gamma(x - n);
}

static double log_of_share(double part, double whole)
{
    return log(part / whole > least_probability ? part / whole : least_probability);
}

/* The logarithm of the probability that the others' answers give to this vote. Without a vote for c
 * of weight 1, component j has the weight w_j (A_j + N - 1) / (alpha_jc + n_c - 1). */
static double agreement_of_vote(const struct sl_dirichlet_fit *fit,
                                const struct sl_dirichlet_view *view, size_t answer)
{
    const struct sl_dirichlet *model = fit->model;
    const size_t n = model->n_components, c = fit->source.label[answer];
    const double *alphas = model->alpha + c * n, *totals = model->alpha + model->n_classes * n;
    const double own = sl_tally_weight(&fit->source, answer);
    double agreed = 0, sum = 0;
    for (size_t j = 0; j < n; j++) {
        if (view->weight[j] < least_weight) continue;
        const double alpha = alphas[j] + view->count[c], total = totals[j] + view->total;
        double factor = own == 1 ? (total - 1) / (alpha - 1) : 1;
        if (own > 0 && own < 1) factor = exp(log_fall(total, own) - log_fall(alpha, own));
        sum += view->weight[j] * factor;
        agreed += view->weight[j] * factor * (alpha - own) / (total - own);
    }
    return log_of_share(agreed, sum);
}

/* The item's label without answers that add `units` (K) to its counts: into `others` (K). */
static void label_without(const struct sl_dirichlet_fit *fit, const struct sl_dirichlet_view *view,
                          const uint64_t *units, double *others)
{
    const struct sl_dirichlet *model = fit->model;
    const size_t k = model->n_classes, n = model->n_components;
    double own = 0, sum = 0;
    for (size_t c = 0; c < k; c++) {
        others[c] = 0;
        own += (double)units[c] / SL_TALLY_UNITS;
    }
    for (size_t j = 0; j < n; j++) {
        if (view->weight[j] < least_weight) continue;
        const double total = model->alpha[k * n + j] + view->total;
        double score = own > 0 ? log_fall(total, own) : 0;
        for (size_t c = 0; c < k; c++)
            if (units[c] > 0)
                score -= log_fall(model->alpha[c * n + j] + view->count[c],
                                  (double)units[c] / SL_TALLY_UNITS);
        const double weight = view->weight[j] * exp(score);
        for (size_t c = 0; c < k; c++)
            others[c] +=
                weight *
                (model->alpha[c * n + j] + view->count[c] - (double)units[c] / SL_TALLY_UNITS) /
                (total - own);
        sum += weight;
    }
    for (size_t c = 0; c < k; c++)
        others[c] /= sum;
}

/* The logarithm of the probability that `others` (K) gives to an answer; of a stated distribution
 * the mean over its classes. */
static double agreement_with(const struct sl_tally_source *source, size_t answer,
                             const double *others)
{
    if (!source->rows) return log_of_share(others[source->label[answer]], 1);
    const float *row = source->rows + answer * source->n_classes;
    double agreed = 0;
    for (size_t c = 0; c < source->n_classes; c++)
        agreed += (double)row[c] * log_of_share(others[c], 1);
    return agreed;
}

/* An answer tells something about its annotator if somebody else has answered the item, or if its
 * class is known. */
static void judge(const struct looks *looks, size_t worker, size_t answer, double agreed,
                  bool compared)
{
    const struct sl_dirichlet_fit *fit = looks->fit;
    const uint32_t who = fit->source.annotator[answer];
    if (!looks->evidence || who == SL_NO_NAME || !compared) return;
    struct evidence *evidence = &looks->evidence[worker * fit->n_annotators + who];
    const double chance = -log((double)fit->source.n_classes);
    evidence->sum += (int64_t)floor((chance - agreed) * SUM_UNITS + 0.5);
    evidence->n_answers++;
}

/* Where an item is looked at. */
struct place {
    size_t item, worker;
    bool gold;
    double *others; /* K, scratch */
};

/* Whether the answer, `first` or one behind it about the same item, is of the annotator of `first`.
 */
static bool is_own(const struct sl_dirichlet_fit *fit, size_t first, size_t answer)
{
    const uint32_t *annotator = fit->source.annotator;
    if (answer == first) return true;
    return fit->repeat && fit->repeat[answer] && annotator[answer] == annotator[first];
}

/* Look at all answers of one annotator to an item, `first` and those behind it that are marked:
 * without them, since nobody confirms himself. Returns the sum of the agreement. */
static double look_at_own(const struct looks *looks, const struct place *place, size_t first)
{
    const struct sl_dirichlet_fit *fit = looks->fit;
    const struct sl_tally_source *source = &fit->source;
    const struct sl_dirichlet_view *view = &looks->views[place->worker];
    const size_t end = fit->repeat ? source->begin[place->item + 1] : first + 1;
    uint64_t *units = looks->units + place->worker * source->n_classes;
    double sum = 0, own = 0;
    memset(units, 0, source->n_classes * sizeof *units);
    for (size_t answer = first; answer < end; answer++)
        if (is_own(fit, first, answer)) sl_tally_add(source, answer, units);
    for (size_t c = 0; c < source->n_classes; c++)
        own += (double)units[c] / SL_TALLY_UNITS;
    label_without(fit, view, units, place->others);
    for (size_t answer = first; answer < end; answer++) {
        if (!is_own(fit, first, answer)) continue;
        const double agreed = agreement_with(source, answer, place->others);
        const bool compared = view->total > own || place->gold;
        judge(looks, place->worker, answer, agreed, compared);
        if (compared) sum += agreed;
    }
    return sum;
}

/* Look at the answers to an item: adds to the evidence about every annotator, and returns the sum
 * of the agreement. `known` (K) has what is known of votes of weight 1 by class, or NaN. */
static double look_at_item(const struct looks *looks, const struct place *place, double *known)
{
    const struct sl_dirichlet_fit *fit = looks->fit;
    const struct sl_tally_source *source = &fit->source;
    const struct sl_dirichlet_view *view = &looks->views[place->worker];
    double sum = 0;
    for (size_t answer = source->begin[place->item]; answer < source->begin[place->item + 1];
         answer++) {
        const enum sl_repeat repeat = fit->repeat ? fit->repeat[answer] : SL_REPEAT_NONE;
        if (repeat == SL_REPEAT_LATER) continue;
        if (repeat == SL_REPEAT_FIRST || source->rows) {
            sum += look_at_own(looks, place, answer);
            continue;
        }
        const double own = sl_tally_weight(source, answer);
        double agreed = own == 1 ? known[source->label[answer]] : (double)NAN;
        if (isnan(agreed)) agreed = agreement_of_vote(fit, view, answer);
        if (own == 1) known[source->label[answer]] = agreed;
        const bool compared = view->total > own || place->gold;
        judge(looks, place->worker, answer, agreed, compared);
        if (compared) sum += agreed;
    }
    return sum;
}

static void forget(double *known, size_t count)
{
    for (size_t c = 0; c < count; c++)
        known[c] = (double)NAN;
}

/* Items of a tally look alike, unless they have priors or known classes of their own. */
static void look(void *context, const struct sl_em_range *range)
{
    struct looks *looks = context;
    struct sl_dirichlet_fit *fit = looks->fit;
    const struct sl_crowd_options *options = fit->options;
    const size_t k = fit->source.n_classes;
    const bool own = options->predictions || options->gold;
    struct sl_dirichlet_view *view = &looks->views[range->worker];
    double *known = fit->work + range->worker * fit->work_apart, value = 0;
    for (size_t t = range->begin; t < range->end; t++) {
        const size_t *items = fit->tallies.begin + t;
        sl_tally_counts(&fit->tallies, t, fit->cells + range->worker * k, view->count);
        for (size_t i = items[0]; i < items[1]; i++) {
            const size_t item = fit->tallies.items[i];
            if (own || i == items[0]) {
                sl_dirichlet_expect(view,
                                    options->predictions ? options->predictions + item * k : NULL);
                sl_dirichlet_look(view, sl_em_gold(options, item));
                forget(known, k);
            }
            const struct place place = {item, range->worker, sl_em_gold(options, item) >= 0,
                                        known + k};
            value += look_at_item(looks, &place, known);
        }
    }
    fit->value[range->chunk] = value;
}

/* Run `look` over all items; *sum gets the sum of the agreement. */
static enum sl_status look_at_all(struct sl_dirichlet_fit *fit, struct evidence *evidence,
                                  double *sum, struct sl_error *err)
{
    const size_t threads = fit->threads;
    struct looks looks = {.fit = fit,
                          .views = sl_alloc(threads, sizeof *looks.views),
                          .units = sl_alloc(threads * fit->source.n_classes, sizeof *looks.units),
                          .evidence = evidence};
    enum sl_status status = SL_OK;
    for (size_t t = 0; t < threads; t++)
        SL_TRY_OUT(sl_dirichlet_view_init(&looks.views[t], fit->model, err));
    sl_em_run(fit->tallies.count, fit->options->pool, look, &looks);
    *sum = sl_em_sum(fit->value);
out:
    for (size_t t = 0; t < threads; t++)
        sl_dirichlet_view_release(&looks.views[t]);
    free(looks.views);
    free(looks.units);
    return status;
}

enum sl_status sl_dirichlet_leave_one_out(struct sl_dirichlet_fit *fit, double *out,
                                          struct sl_error *err)
{
    return look_at_all(fit, NULL, out, err);
}

/* Trust follows from the evidence of all threads; who was not compared with anybody keeps it.
 * Returns how many annotators' changed. */
static size_t set_trust(struct sl_dirichlet_fit *fit, const struct evidence *evidence)
{
    const size_t count = fit->n_annotators;
    struct sl_dirichlet *model = fit->model;
    const double odds = model->spammers / (1 - model->spammers);
    double suspected = 0;
    size_t changed = 0, n_compared = 0;
    for (size_t a = 0; a < count; a++) {
        struct evidence all = {0};
        for (size_t t = 0; t < fit->threads; t++) {
            all.sum += evidence[t * count + a].sum;
            all.n_answers += evidence[t * count + a].n_answers;
        }
        const double compared = 1 / (1 + odds * exp((double)all.sum / SUM_UNITS));
        const double trust = all.n_answers > 0 ? compared : 1;
        const double rounded = floor(trust * TRUST_STEPS + 0.5) / TRUST_STEPS;
        n_compared += all.n_answers > 0;
        suspected += 1 - trust;
        changed += rounded != fit->trust[a];
        fit->trust[a] = rounded;
    }
    model->spammers = (suspected + spammers_before) / ((double)n_compared + spammers_among);
    return changed;
}

enum sl_status sl_dirichlet_trust(struct sl_dirichlet_fit *fit, size_t *changed,
                                  struct sl_error *err)
{
    const size_t count = fit->threads * fit->n_annotators;
    struct evidence *evidence = sl_data_zeroed(count + 1, sizeof *evidence, err);
    double agreement = 0;
    if (!evidence) return SL_ERR_NOMEM;
    const enum sl_status status = look_at_all(fit, evidence, &agreement, err);
    if (status == SL_OK) *changed = set_trust(fit, evidence);
    free(evidence);
    return status;
}
