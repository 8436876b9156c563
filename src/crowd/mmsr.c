/* M-MSR (Ma and Olshevsky 2020): how often two annotators agree, beyond chance, is the product of
 * their skills. The skills are the factor of this rank-one matrix, found from its observed entries
 * by means that leave out the largest and smallest F quotients, so that a few adversaries cannot
 * move them. docs/internals/crowd-methods.md has the equations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/mmsr_pairs.h"
#include "crowd/named.h"
#include "softlab/base/memory.h"

enum { SIGN_ROUNDS = 1000 };

static const double lone_skill = 0.5;    /* of annotators who share no item with anybody */
static const double most_margin = 0.25;  /* few items must not make everybody ignorant */
static const double honest_part = 0.1;   /* how much everybody is taken for honest beforehand */
static const double settled_sign = 1e-9; /* the largest move that ends the search for signs */

struct mmsr {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    struct sl_crowd_state *state;
    struct sl_mmsr_pairs pairs;
    double *left, *right; /* owned; n_annotators: the factors, at least `margin` */
    double *kept;         /* owned; n_annotators: the factor before a round */
    double *quotients;    /* owned; (threads, apart) */
    double *scores;       /* owned; (threads, scores_apart) */
    size_t apart, scores_apart;
    size_t trim;   /* the paper's F */
    double margin; /* distance of skills from 0 while fitting, and from their limits */
    /* The factor that a pass updates, and the one it divides by. */
    double *updated;
    const double *divisor;
};

static void release(struct mmsr *model)
{
    sl_mmsr_pairs_release(&model->pairs);
    free(model->left);
    free(model->right);
    free(model->kept);
    free(model->quotients);
    free(model->scores);
}

/* ---- The factors ---- */

static void swap(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* Reorder so that the `first` smallest values come first (Hoare's selection). */
static void select_smallest(double *values, size_t count, size_t first)
{
    size_t low = 0, high = count;
    while (high - low > 1 && first > low && first < high) {
        const double pivot = values[low + (high - low) / 2];
        size_t less = low, next = low, more = high; /* [low, less) < pivot = [less, next) */
        while (next < more) {
            if (values[next] < pivot)
                swap(&values[less++], &values[next++]);
            else if (values[next] > pivot)
                swap(&values[next], &values[--more]);
            else
                next++;
        }
        if (first <= less)
            high = less;
        else if (first >= more)
            low = more;
        else
            return;
    }
}

/* Leave out what is smaller than `own`, or the `trim` smallest of them; returns how many. */
static size_t trim_smallest(double *values, size_t count, size_t trim, double own)
{
    size_t smaller = 0;
    for (size_t i = 0; i < count; i++)
        smaller += values[i] < own;
    const size_t left_out = smaller < trim ? smaller : trim;
    select_smallest(values, count, left_out);
    return left_out;
}

/* The mean without the extremes, on both sides of `own`; `own` if nothing is left. */
static double trimmed_mean(double *values, size_t count, size_t trim, double own)
{
    size_t left_out = trim_smallest(values, count, trim, own);
    values += left_out;
    count -= left_out;
    for (size_t i = 0; i < count; i++)
        values[i] = -values[i];
    left_out = trim_smallest(values, count, trim, -own);
    double sum = 0;
    for (size_t i = left_out; i < count; i++)
        sum -= values[i];
    return count > left_out ? sum / (double)(count - left_out) : own;
}

static void update_factor(void *context, const struct sl_em_range *range)
{
    struct mmsr *model = context;
    const struct sl_mmsr_pairs *pairs = &model->pairs;
    double *quotients = model->quotients + range->worker * model->apart;
    for (size_t a = range->begin; a < range->end; a++) {
        const size_t begin = pairs->begin[a], degree = pairs->begin[a + 1] - begin;
        if (degree == 0) continue;
        for (size_t i = 0; i < degree; i++)
            quotients[i] =
                fabs(pairs->agreement[begin + i]) / model->divisor[pairs->other[begin + i]];
        const double mean = trimmed_mean(quotients, degree, model->trim, model->updated[a]);
        model->updated[a] = fmax(mean, model->margin);
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Update one factor. `moved` gets its change's squared length, its product with the old factor and
 * the old factor's squared length. */
static void play_half(struct mmsr *model, double *updated, const double *divisor, double moved[3])
{
    const size_t count = model->votes->n_annotators;
    model->updated = updated;
    model->divisor = divisor;
    memcpy(model->kept, updated, count * sizeof *updated);
    sl_em_run(count, model->options->pool, update_factor, model);
    moved[2] = dot(model->kept, model->kept, count);
    moved[0] = moved[1] = 0;
    for (size_t a = 0; a < count; a++) {
        const double change = updated[a] - model->kept[a];
        moved[0] += change * change;
        moved[1] += change * model->kept[a];
    }
}

/* The Frobenius norm of the change of the product of both factors:
 * u v' - u0 v0' = (u - u0) v' + u0 (v - v0)'. */
static double play_round(struct mmsr *model)
{
    double of_right[3], of_left[3];
    play_half(model, model->right, model->left, of_right);
    play_half(model, model->left, model->right, of_left);
    const double right = of_right[2] + 2 * of_right[1] + of_right[0]; /* squared length of v */
    const double crossed = of_right[1] + of_right[0];                 /* of v and its change */
    const double square = of_left[0] * right + 2 * of_left[1] * crossed + of_left[2] * of_right[0];
    return square > 0 ? sqrt(square) : 0;
}

static void start_factors(struct mmsr *model)
{
    const struct sl_mmsr_pairs *pairs = &model->pairs;
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        double sum = 0;
        for (size_t i = pairs->begin[a]; i < pairs->begin[a + 1]; i++)
            sum += fabs(pairs->agreement[i]);
        const size_t degree = pairs->begin[a + 1] - pairs->begin[a];
        const double start = degree > 0 ? sqrt(sum / (double)degree) : 0;
        model->left[a] = model->right[a] = fmax(start, model->margin);
    }
}

static void fit(struct mmsr *model)
{
    struct sl_crowd_state *state = model->state;
    start_factors(model);
    while (state->n_iterations < model->options->max_iterations && !state->converged &&
           !sl_pool_is_stopped(model->options->pool)) {
        const double change = play_round(model);
        state->trace[state->n_iterations++] = change;
        state->converged = model->options->tolerance > 0 && change <= model->options->tolerance;
    }
}

/* ---- Signs ---- */

/* The mean of x over the pairs of each annotator, weighted by their agreement, with a part of 1. */
static void spread_signs(void *context, const struct sl_em_range *range)
{
    struct mmsr *model = context;
    const struct sl_mmsr_pairs *pairs = &model->pairs;
    for (size_t a = range->begin; a < range->end; a++) {
        double sum = 0, size = 0;
        for (size_t i = pairs->begin[a]; i < pairs->begin[a + 1]; i++) {
            sum += pairs->agreement[i] * model->divisor[pairs->other[i]];
            size += fabs(pairs->agreement[i]);
        }
        model->updated[a] = size > 0 ? honest_part + (1 - honest_part) * sum / size : 1;
    }
}

/* Which annotators answer worse than chance, as signs of `signs`: everybody takes the side of those
 * with whom they agree, and a little that of honesty. Without the latter, noise between groups that
 * share few items would turn a whole group into adversaries. */
static void find_signs(struct mmsr *model, double *signs, double *next)
{
    const size_t count = model->votes->n_annotators;
    double moved = HUGE_VAL;
    for (size_t a = 0; a < count; a++)
        signs[a] = 1;
    for (size_t round = 0; round < SIGN_ROUNDS && moved > settled_sign; round++) {
        model->updated = next;
        model->divisor = signs;
        sl_em_run(count, model->options->pool, spread_signs, model);
        moved = 0;
        for (size_t a = 0; a < count; a++) {
            moved = fmax(moved, fabs(next[a] - signs[a]));
            signs[a] = next[a];
        }
    }
}

/* ---- Skills and posteriors ---- */

/* Skills s of the paper, from -1 / (K - 1) to 1, in `skill`. `right` is overwritten. */
static void find_skills(struct mmsr *model, double *skill)
{
    const struct sl_mmsr_pairs *pairs = &model->pairs;
    const size_t count = model->votes->n_annotators;
    const double least = -1 / ((double)model->votes->n_classes - 1) + model->margin;
    const double scale = sqrt(sqrt(dot(model->left, model->left, count)) /
                              sqrt(dot(model->right, model->right, count)));
    double sum = 0, n_known = 0;
    find_signs(model, model->right, model->kept);
    for (size_t a = 0; a < count; a++) {
        if (pairs->begin[a] == pairs->begin[a + 1]) continue;
        const double size = model->left[a] / scale;
        skill[a] = fmin(fmax(model->right[a] < 0 ? -size : size, least), 1 - model->margin);
        sum += skill[a];
        n_known++;
    }
    for (size_t a = 0; a < count; a++)
        if (pairs->begin[a] == pairs->begin[a + 1])
            skill[a] = n_known > 0 ? fmax(sum / n_known, model->margin) : lone_skill;
}

/* The probability of being right, and the log-odds of the named class over any other one. */
static void report(struct mmsr *model)
{
    const double n_classes = (double)model->votes->n_classes;
    struct sl_crowd_state *state = model->state;
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        const double right = (state->skill[a] * (n_classes - 1) + 1) / n_classes;
        state->skill[a] = right;
        state->weight[a] = log(right * (n_classes - 1) / (1 - right));
    }
}

static void decide(void *context, const struct sl_em_range *range)
{
    struct mmsr *model = context;
    const struct sl_votes *votes = model->votes;
    const size_t n_classes = votes->n_classes;
    double *scores = model->scores + range->worker * model->scores_apart;
    for (size_t i = range->begin; i < range->end; i++) {
        memset(scores, 0, n_classes * sizeof *scores);
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++)
            scores[votes->label[v]] += model->state->weight[votes->annotator[v]];
        sl_named_posterior(scores, n_classes, sl_em_gold(model->options, i),
                           model->state->posterior + i * n_classes);
    }
}

static enum sl_status init_model(struct mmsr *model, struct sl_error *err)
{
    const struct sl_votes *votes = model->votes;
    struct sl_pool *pool = model->options->pool;
    const size_t count = votes->n_annotators, threads = sl_pool_threads(pool);
    SL_TRY(sl_mmsr_pairs_create(votes, pool, &model->pairs, err));
    model->apart = sl_em_apart(model->pairs.most, sizeof *model->quotients);
    model->scores_apart = sl_em_apart(votes->n_classes, sizeof *model->scores);
    model->left = sl_data_alloc(count, sizeof *model->left, err);
    model->right = sl_data_alloc(count, sizeof *model->right, err);
    model->kept = sl_data_alloc(count, sizeof *model->kept, err);
    model->quotients = sl_data_alloc(threads * model->apart, sizeof *model->quotients, err);
    model->scores = sl_data_alloc(threads * model->scores_apart, sizeof *model->scores, err);
    if (!model->left || !model->right || !model->kept || !model->quotients || !model->scores)
        return SL_ERR_NOMEM;
    size_t n_answered = 0;
    for (size_t i = 0; i < votes->n_items; i++)
        n_answered += votes->begin[i] < votes->begin[i + 1];
    model->margin = fmin(1 / sqrt((double)n_answered), most_margin);
    model->trim = model->pairs.fewest / 2 > 1 ? model->pairs.fewest / 2 - 1 : 0;
    return SL_OK;
}

enum sl_status sl_crowd_mmsr(const struct sl_votes *votes, const struct sl_crowd_options *options,
                             struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    struct mmsr model = {.votes = votes, .options = options, .state = out};
    const unsigned parts = SL_STATE_SKILL | SL_STATE_WEIGHT | SL_STATE_TRACE;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, parts, options->max_iterations, err));
    SL_TRY_OUT(init_model(&model, err));
    fit(&model);
    if (votes->n_classes > 1) {
        find_skills(&model, out->skill);
        report(&model);
    }
    for (size_t a = 0; votes->n_classes == 1 && a < votes->n_annotators; a++) {
        out->skill[a] = 1; /* there is nothing else to say */
        out->weight[a] = 0;
    }
    sl_em_run(votes->n_items, options->pool, decide, &model);
    sl_em_finish_votes(out, votes->begin, options);
out:
    release(&model);
    return status;
}
