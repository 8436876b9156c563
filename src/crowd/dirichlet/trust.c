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

/* The looks of one thread. */
struct looks {
    struct sl_dirichlet_fit *fit;
    struct sl_dirichlet_view *views; /* one per thread */
    uint64_t *units;                 /* (threads, K) */
    int64_t *evidence;               /* (threads, n_annotators): log(chance / others), or NULL */
};

/* log(Gamma(x) / Gamma(x - n)) */
static double log_fall(double x, double n)
{
    return n == 1 ? log(x - 1) : sl_log_gamma(x) - sl_log_gamma(x - n);
}

/* Probability that the others' answers give to each class, into `out` (K): the posterior without
 * answer `answer`. */
static void leave_out(const struct sl_dirichlet_fit *fit, const struct sl_dirichlet_view *view,
                      size_t answer, double *out)
{
    const struct sl_tally_source *source = &fit->source;
    const struct sl_dirichlet *model = fit->model;
    const size_t k = model->n_classes, n = model->n_components;
    const double own = sl_tally_weight(source, answer);
    const float *row = source->rows ? source->rows + answer * k : NULL;
    double sum = 0;
    memset(out, 0, k * sizeof *out);
    for (size_t j = 0; j < n; j++) {
        if (view->weight[j] < 1e-12) continue;
        const double total = model->alpha[k * n + j] + view->total;
        double score = own > 0 ? log_fall(total, own) : 0;
        for (size_t c = row ? 0 : source->label[answer]; c < k && own > 0; c++) {
            const double part = row ? own * (double)row[c] : own;
            if (part > 0) score -= log_fall(model->alpha[c * n + j] + view->count[c], part);
            if (!row) break;
        }
        const double weight = view->weight[j] * exp(score) / (total - own);
        for (size_t c = 0; c < k; c++) {
            const double part = row ? own * (double)row[c] : c == source->label[answer] ? own : 0;
            out[c] += weight * (model->alpha[c * n + j] + view->count[c] - part);
        }
        sum += weight * (total - own);
    }
    for (size_t c = 0; c < k; c++)
        out[c] = out[c] / sum > 1e-12 ? out[c] / sum : 1e-12;
}

/* Look at the items of a chunk: the evidence about every annotator, and the sum of the
 * cross-entropy of the answers. */
static void look(void *context, const struct sl_em_range *range)
{
    struct looks *looks = context;
    struct sl_dirichlet_fit *fit = looks->fit;
    const struct sl_tally_source *source = &fit->source;
    const size_t k = source->n_classes;
    struct sl_dirichlet_view *view = &looks->views[range->worker];
    uint64_t *units = looks->units + range->worker * k;
    double *others = fit->work + range->worker * fit->work_apart, value = 0;
    for (size_t i = range->begin; i < range->end; i++) {
        if (source->begin[i] == source->begin[i + 1]) continue;
        sl_tally_item(source, i, units);
        for (size_t c = 0; c < k; c++)
            view->count[c] = (double)units[c] / SL_TALLY_UNITS;
        sl_dirichlet_expect(view,
                            fit->options->predictions ? fit->options->predictions + i * k : NULL);
        sl_dirichlet_look(view, sl_em_gold(fit->options, i));
        for (size_t answer = source->begin[i]; answer < source->begin[i + 1]; answer++) {
            const uint32_t who = source->annotator[answer];
            leave_out(fit, view, answer, others);
            double agreed = source->rows ? 0 : log(others[source->label[answer]]);
            for (size_t c = 0; source->rows && c < k; c++)
                agreed += (double)source->rows[answer * k + c] * log(others[c]);
            value += agreed;
            if (looks->evidence && who != SL_NO_NAME)
                looks->evidence[range->worker * fit->n_annotators + who] +=
                    (int64_t)floor((-log((double)k) - agreed) * SUM_UNITS + 0.5);
        }
    }
    fit->value[range->chunk] = value;
}

/* Run `look` over all items; *sum gets the sum of the agreement. */
static enum sl_status look_at_all(struct sl_dirichlet_fit *fit, int64_t *evidence, double *sum,
                                  struct sl_error *err)
{
    const size_t threads = fit->threads;
    struct looks looks = {.fit = fit,
                          .views = sl_alloc(threads, sizeof *looks.views),
                          .units = sl_alloc(threads * fit->source.n_classes, sizeof *looks.units),
                          .evidence = evidence};
    enum sl_status status = SL_OK;
    for (size_t t = 0; t < threads; t++)
        SL_TRY_OUT(sl_dirichlet_view_init(&looks.views[t], fit->model, err));
    sl_em_run(fit->source.n_items, fit->options->pool, look, &looks);
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

/* Trust follows from the evidence of all threads. Returns how many annotators' changed. */
static size_t set_trust(struct sl_dirichlet_fit *fit, const int64_t *evidence)
{
    const size_t count = fit->n_annotators;
    struct sl_dirichlet *model = fit->model;
    const double odds = model->spammers / (1 - model->spammers);
    double suspected = 0;
    size_t changed = 0;
    for (size_t a = 0; a < count; a++) {
        int64_t sum = 0;
        for (size_t t = 0; t < fit->threads; t++)
            sum += evidence[t * count + a];
        const double trust = 1 / (1 + odds * exp((double)sum / SUM_UNITS));
        const double rounded = floor(trust * TRUST_STEPS + 0.5) / TRUST_STEPS;
        suspected += 1 - trust;
        changed += rounded != fit->trust[a];
        fit->trust[a] = rounded;
    }
    model->spammers = (suspected + spammers_before) / ((double)count + spammers_among);
    return changed;
}

enum sl_status sl_dirichlet_trust(struct sl_dirichlet_fit *fit, size_t *changed,
                                  struct sl_error *err)
{
    int64_t *evidence = sl_alloc(fit->threads * fit->n_annotators + 1, sizeof *evidence);
    double agreement = 0;
    const enum sl_status status = look_at_all(fit, evidence, &agreement, err);
    if (status == SL_OK) *changed = set_trust(fit, evidence);
    free(evidence);
    return status;
}
