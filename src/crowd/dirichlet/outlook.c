/* How sure the label of an item is, and what one more answer would change. */
#include <math.h>

#include "crowd/dirichlet/dirichlet.h"
#include "softlab/base/stats.h"

/* Components of a smaller weight change no digit that is shown, and many classes have thousands of
 * them. */
static const double least_weight = 1e-9;

static double entropy(const double *shares, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        if (shares[k] > 0) sum -= shares[k] * log(shares[k]);
    return sum;
}

/* Parameter c of component j after the answers; c = K: their sum. */
static double parameter(const struct sl_dirichlet_view *view, size_t c, size_t j)
{
    const struct sl_dirichlet *model = view->model;
    const double seen = c < model->n_classes ? view->count[c] : view->total;
    return model->alpha[c * model->n_components + j] + seen;
}

/* The expected entropy of theta in component j. */
static double component_entropy(const struct sl_dirichlet_view *view, size_t j)
{
    const size_t k = view->model->n_classes;
    const double total = parameter(view, k, j);
    double sum = 0;
    for (size_t c = 0; c < k; c++) {
        const double a = parameter(view, c, j);
        if (a > 0) sum += a * sl_digamma(a + 1);
    }
    return sl_digamma(total + 1) - sum / total;
}

double sl_dirichlet_risk(const struct sl_dirichlet_view *view)
{
    const struct sl_dirichlet *model = view->model;
    double expected = 0, weights = 0;
    for (size_t j = 0; j < model->n_components; j++) {
        if (view->weight[j] < least_weight) continue;
        expected += view->weight[j] * component_entropy(view, j);
        weights += view->weight[j];
    }
    const double risk = entropy(view->label, model->n_classes) - expected / weights;
    return risk > 0 ? risk : 0; /* below 0 by rounding only */
}

/* The label after one more answer `said`. The levels of a class share its profile, so their parts
 * are summed before they are spread over the other classes. */
static void label_after(const struct sl_dirichlet_view *view, size_t said, double *out)
{
    const struct sl_dirichlet *model = view->model;
    const size_t k = model->n_classes;
    double parts = 0, sum = 0;
    for (size_t c = 0; c < k; c++)
        out[c] = 0;
    for (size_t own = 0; own < k; own++) {
        const double *profile = model->profile + own * k;
        double spread = 0;
        for (size_t t = 0; t < SL_DIRICHLET_LEVELS; t++) {
            const size_t j = own * SL_DIRICHLET_LEVELS + t;
            if (view->weight[j] < least_weight) continue;
            const double total = parameter(view, k, j);
            const double part = view->weight[j] * parameter(view, said, j) / (total * (total + 1));
            parts += part;
            spread += part * model->concentration[t] * model->spread[t];
            out[own] += part * model->concentration[t] * (1 - model->spread[t]);
        }
        if (spread == 0) continue;
        for (size_t c = 0; c < k; c++)
            out[c] += spread * profile[c];
    }
    out[said] += parts;
    for (size_t c = 0; c < k; c++) {
        out[c] += parts * view->count[c];
        sum += out[c];
    }
    for (size_t c = 0; c < k; c++)
        out[c] /= sum;
}

/* An answer says nothing about the entropy of theta on average, so the expected drop of the risk is
 * the expected drop of the label's entropy: E KL = H(label) - E H(theta), and the second term is
 * the same before and after, by the law of total expectation. */
double sl_dirichlet_gain(struct sl_dirichlet_view *view)
{
    const size_t k = view->model->n_classes;
    double after = 0;
    for (size_t said = 0; said < k; said++) {
        if (view->label[said] < least_weight) continue;
        label_after(view, said, view->scratch);
        after += view->label[said] * entropy(view->scratch, k);
    }
    const double gain = entropy(view->label, k) - after;
    return gain > 0 ? gain : 0;
}

double sl_dirichlet_disagreement(const struct sl_dirichlet_view *view)
{
    const struct sl_dirichlet *model = view->model;
    const size_t k = model->n_classes;
    double sum = 0, weights = 0;
    for (size_t j = 0; j < model->n_components; j++) {
        if (view->weight[j] < least_weight) continue;
        const double total = parameter(view, k, j);
        double squares = 0;
        for (size_t c = 0; c < k; c++) {
            const double a = parameter(view, c, j);
            squares += a * (a + 1);
        }
        sum += view->weight[j] * (1 - squares / (total * (total + 1)));
        weights += view->weight[j];
    }
    return sum / weights;
}

/* P(theta[k] <= x): a mixture of Beta distributions. */
static double share_below(const struct sl_dirichlet_view *view, size_t k, double x)
{
    const struct sl_dirichlet *model = view->model;
    double sum = 0, weights = 0;
    for (size_t j = 0; j < model->n_components; j++) {
        if (view->weight[j] < 1e-5) continue;
        const double a = parameter(view, k, j), b = parameter(view, model->n_classes, j) - a;
        sum += view->weight[j] * (a > 0 ? b > 0 ? sl_incomplete_beta(a, b, x) : 0.0 : 1.0);
        weights += view->weight[j];
    }
    return sum / weights;
}

/* Two ends, 1e-4 apart, of an interval that the quantile is in. */
static void bracket_quantile(const struct sl_dirichlet_view *view, size_t k, double probability,
                             double *low, double *high)
{
    *low = 0;
    *high = 1;
    while (*high - *low > 1e-4) {
        const double middle = (*low + *high) / 2;
        *(share_below(view, k, middle) < probability ? low : high) = middle;
    }
}

struct sl_interval sl_dirichlet_interval(const struct sl_dirichlet_view *view, size_t k,
                                         double level)
{
    const double tail = (1 - level) / 2, label = view->label[k];
    double low, high, inner;
    bracket_quantile(view, k, tail, &low, &inner);
    bracket_quantile(view, k, 1 - tail, &inner, &high);
    /* The mean of a skewed distribution may be beyond its quantiles. */
    return (struct sl_interval){label, fmin(low, label), fmax(high, label)};
}
