/* ds-soft: Dawid and Skene's model for annotators who state whole distributions, with items that
 * differ from others of their class. Model and equations: docs/internals/crowd-soft.md.
 *
 * EM finds the confusions; then, with these fixed, the concentration alpha is the one that best
 * predicts each annotator's vote from the others' answers. Learning both at once can end in
 * confusions that say nothing, because a small alpha removes the evidence that they are learned
 * from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/soft.h"
#include "softlab/base/memory.h"

static const double own_smoothing = .01;
static const double anchor = 10;         /* weight of the start in a row of the crowd, in answers */
static const double log_alpha_limit = 4; /* exp(4) = 55 annotators */
static const double least_evidence = 1e-300;

struct model {
    const struct sl_soft_votes *votes;      /* borrowed */
    const struct sl_crowd_options *options; /* borrowed */
    double alpha;         /* weight of the class's usual opinions in an item's, in annotators */
    double *class_share;  /* owned; K */
    double *start;        /* owned; (K, K) the confusion before any answer */
    double *crowd;        /* owned; (K true, K said) the crowd's confusion */
    double *crowd_counts; /* owned; (K, K) */
    double *counts;       /* owned; (n_annotators, K, K) */
    double *evidence;     /* owned; (count, K): log of how each class explains an answer */
    double *posterior;    /* owned; (n_items, K) of the class */
    double *loss;         /* owned; count, at least n_items: a term of a sum per item or answer */
    bool *pinned;         /* owned; n_items: gold or reference */
    double *scratch;      /* owned; 4 K per worker, apart */
    size_t n_parts;       /* of the classes, when confusions are counted */
    struct sl_crowd_state *state; /* borrowed */
    float *confusion;             /* borrowed from the state; (n_annotators, K, K) */
};

/* What a worker has for the item at hand, K each. */
struct place {
    double *row, *vote;
    double *evidence_sum, *stated_sum;
    double n_answers;
};

static struct place place_of(const struct model *model, size_t worker)
{
    const size_t n_classes = model->votes->n_classes;
    double *first = model->scratch + worker * sl_em_apart(4 * n_classes, sizeof(double));
    return (struct place){.row = first,
                          .vote = first + n_classes,
                          .evidence_sum = first + 2 * n_classes,
                          .stated_sum = first + 3 * n_classes};
}

/* n answers to one item are worth fewer independent ones, since they share the item's
 * peculiarities: the design effect of the Dirichlet-multinomial. */
static double tempering(double n_answers, double alpha)
{
    return (1 + alpha) / (n_answers + alpha);
}

static void fill_start(struct model *model)
{
    const size_t n_classes = model->votes->n_classes;
    const double right = n_classes == 1 ? 1 : model->options->start_diagonal;
    for (size_t k = 0; k < n_classes; k++)
        for (size_t l = 0; l < n_classes; l++)
            model->start[k * n_classes + l] =
                k == l ? right : (1 - right) / (double)(n_classes - 1);
}

static void start_confusions(struct model *model)
{
    const size_t n_classes = model->votes->n_classes, cells = n_classes * n_classes;
    const struct sl_crowd_state *resume = model->options->resume;
    fill_start(model);
    memcpy(model->crowd, model->start, cells * sizeof *model->crowd);
    for (size_t k = 0; k < n_classes; k++)
        model->class_share[k] = 1 / (double)n_classes;
    for (size_t a = 0; a < model->votes->n_annotators; a++) {
        bool known = resume && resume->confusion && a < resume->n_annotators;
        for (size_t c = 0; c < cells; c++)
            model->confusion[a * cells + c] =
                known ? resume->confusion[a * cells + c] : (float)model->start[c];
    }
}

/* The probability of an answer if the item is of class k: that of the vote it stands for. */
static double explain(const struct model *model, size_t answer, size_t k)
{
    const size_t n_classes = model->votes->n_classes;
    const float *row = model->votes->rows + answer * n_classes;
    const float *said =
        model->confusion + (model->votes->annotator[answer] * n_classes + k) * n_classes;
    double sum = 0;
    for (size_t l = 0; l < n_classes; l++)
        if (row[l] > 0) sum += (double)row[l] * (double)said[l];
    return fmax(sum, least_evidence);
}

/* Posterior of the class from log scores, in place; returns the logarithm of the normaliser. */
static double normalise(double *scores, size_t n_classes)
{
    double largest = scores[0], sum = 0;
    for (size_t k = 1; k < n_classes; k++)
        largest = fmax(largest, scores[k]);
    for (size_t k = 0; k < n_classes; k++) {
        scores[k] = exp(scores[k] - largest);
        sum += scores[k];
    }
    for (size_t k = 0; k < n_classes; k++)
        scores[k] /= sum;
    /* cppcheck-suppress invalidFunctionArg ; the largest adds 1 */
    return largest + log(sum);
}

/* Replace the posterior of a gold or reference item by what is known. */
static bool pin(const struct model *model, size_t item, double *row)
{
    const size_t n_classes = model->votes->n_classes;
    const float *known = sl_soft_reference(model->options->reference, item, n_classes);
    const int32_t gold = sl_em_gold(model->options, item);
    if (!known && gold < 0) return false;
    for (size_t k = 0; k < n_classes; k++)
        row[k] = gold >= 0 ? (size_t)gold == k : (double)known[k];
    return true;
}

static void expect_items(void *context, const struct sl_em_range *range)
{
    struct model *model = context;
    const struct sl_soft_votes *votes = model->votes;
    const size_t n_classes = votes->n_classes;
    for (size_t i = range->begin; i < range->end; i++) {
        double *row = model->posterior + i * n_classes;
        const size_t begin = votes->begin[i], end = votes->begin[i + 1];
        for (size_t k = 0; k < n_classes; k++) {
            row[k] = log(fmax(model->class_share[k], least_evidence));
            for (size_t j = begin; j < end; j++) {
                model->evidence[j * n_classes + k] = log(explain(model, j, k));
                row[k] += model->evidence[j * n_classes + k];
            }
        }
        model->loss[i] = normalise(row, n_classes);
        model->pinned[i] = pin(model, i, row);
    }
}

/* Fill evidence and posterior; returns the log-likelihood of the answers. */
static double expect(struct model *model)
{
    double likelihood = 0;
    sl_em_run(model->votes->n_items, model->options->pool, expect_items, model);
    for (size_t i = 0; i < model->votes->n_items; i++)
        likelihood += model->loss[i];
    return likelihood;
}

/* Distribute an answer's vote over the cells that explain it, for some classes. */
static void count_answer(struct model *model, size_t answer, const double *posterior,
                         struct sl_pool_range classes)
{
    const size_t n_classes = model->votes->n_classes;
    const size_t annotator = model->votes->annotator[answer];
    const float *row = model->votes->rows + answer * n_classes;
    for (size_t k = classes.begin; k < classes.end; k++) {
        const size_t at = (annotator * n_classes + k) * n_classes;
        const double share = posterior[k] / exp(model->evidence[answer * n_classes + k]);
        for (size_t l = 0; l < n_classes; l++) {
            if (!(row[l] > 0)) continue;
            double part = share * (double)row[l] * (double)model->confusion[at + l];
            model->counts[at + l] += part;
            model->crowd_counts[k * n_classes + l] += part;
        }
    }
}

/* Every cell of a class takes the answers in their order, so the parts are classes. */
static void count_classes(void *context, size_t part, size_t worker)
{
    struct model *model = context;
    const struct sl_soft_votes *votes = model->votes;
    const size_t n_classes = votes->n_classes;
    const struct sl_pool_range classes = sl_pool_range_of(n_classes, model->n_parts, part);
    (void)worker;
    for (size_t k = classes.begin; k < classes.end; k++)
        model->class_share[k] = 1;
    for (size_t i = 0; i < votes->n_items; i++) {
        const size_t begin = votes->begin[i], end = votes->begin[i + 1];
        const double *posterior = model->posterior + i * n_classes;
        if (begin == end && !model->pinned[i]) continue;
        for (size_t k = classes.begin; k < classes.end; k++)
            model->class_share[k] += posterior[k];
        /* A single answer fits any confusion equally well, so nothing can be learned from it. */
        if (end - begin < 2 && !model->pinned[i]) continue;
        for (size_t j = begin; j < end; j++)
            count_answer(model, j, posterior, classes);
    }
}

static void count_confusions(struct model *model)
{
    const struct sl_soft_votes *votes = model->votes;
    const size_t n_classes = votes->n_classes, cells = n_classes * n_classes;
    const size_t threads = sl_pool_threads(model->options->pool);
    memset(model->counts, 0, votes->n_annotators * cells * sizeof *model->counts);
    memset(model->crowd_counts, 0, cells * sizeof *model->crowd_counts);
    model->n_parts = threads < n_classes ? threads : n_classes;
    sl_pool_run(model->options->pool, model->n_parts, count_classes, model);
}

static void scale_to_one(double *row, size_t n_classes)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        sum += row[k];
    for (size_t k = 0; k < n_classes; k++)
        row[k] /= sum;
}

static void maximise_annotators(void *context, const struct sl_em_range *range)
{
    struct model *model = context;
    const size_t n_classes = model->votes->n_classes;
    const double smoothing = sl_crowd_or(model->options->smoothing, own_smoothing);
    const double diagonal = sl_crowd_or(model->options->diagonal, 0);
    const double *prior = model->options->prior;
    for (size_t a = range->begin; a < range->end; a++)
        for (size_t k = 0; k < n_classes; k++) {
            const size_t at = (a * n_classes + k) * n_classes;
            double *row = model->counts + at;
            for (size_t l = 0; l < n_classes; l++)
                row[l] += model->options->shrinkage * model->crowd[k * n_classes + l] + smoothing +
                          (k == l ? diagonal : 0) + (prior ? prior[at + l] : 0);
            scale_to_one(row, n_classes);
            for (size_t l = 0; l < n_classes; l++)
                model->confusion[at + l] = (float)row[l];
        }
}

static void maximise(struct model *model)
{
    const size_t n_classes = model->votes->n_classes;
    count_confusions(model);
    scale_to_one(model->class_share, n_classes);
    for (size_t k = 0; k < n_classes; k++) {
        double *row = model->crowd + k * n_classes;
        for (size_t l = 0; l < n_classes; l++)
            row[l] =
                model->crowd_counts[k * n_classes + l] + anchor * model->start[k * n_classes + l];
        scale_to_one(row, n_classes);
    }
    sl_em_run(model->votes->n_annotators, model->options->pool, maximise_annotators, model);
}

/* Add up an item's answers, so that leaving one out is a subtraction. */
static void sum_item(const struct model *model, size_t item, struct place *place)
{
    const size_t n_classes = model->votes->n_classes;
    const size_t begin = model->votes->begin[item], end = model->votes->begin[item + 1];
    for (size_t k = 0; k < n_classes; k++) {
        place->evidence_sum[k] = place->stated_sum[k] = 0;
        for (size_t j = begin; j < end; j++) {
            place->evidence_sum[k] += model->evidence[j * n_classes + k];
            place->stated_sum[k] += (double)model->votes->rows[j * n_classes + k];
        }
    }
    place->n_answers = (double)(end - begin);
}

/* The posterior of the current item's class without one answer (SIZE_MAX: with all). */
static void classify(const struct model *model, const struct place *place, size_t left_out,
                     double *row)
{
    const size_t n_classes = model->votes->n_classes;
    const bool whole = left_out == SIZE_MAX;
    const double power = tempering(place->n_answers - (whole ? 0 : 1), model->alpha);
    for (size_t k = 0; k < n_classes; k++) {
        double left = place->evidence_sum[k];
        if (!whole) left -= model->evidence[left_out * n_classes + k];
        row[k] = log(fmax(model->class_share[k], least_evidence)) + power * left;
    }
    normalise(row, n_classes);
}

/* The expected share of opinions for class l on the current item: the stated ones, and what the
 * crowd says about items of these classes with the weight of alpha annotators. */
static double opinion(const struct model *model, const struct place *place, size_t left_out,
                      const double *classes, size_t l)
{
    const size_t n_classes = model->votes->n_classes;
    double usual = 0, stated = place->stated_sum[l], n_answers = place->n_answers;
    for (size_t k = 0; k < n_classes; k++)
        usual += classes[k] * model->crowd[k * n_classes + l];
    if (left_out != SIZE_MAX) {
        stated = fmax(stated - (double)model->votes->rows[left_out * n_classes + l], 0);
        n_answers -= 1;
    }
    return (stated + model->alpha * usual) / (n_answers + model->alpha);
}

/* The loss of predicting place->vote. */
static double surprise(const struct model *model, const struct place *place, size_t left_out)
{
    const double *actual = place->vote;
    double loss = 0;
    classify(model, place, left_out, place->row);
    for (size_t l = 0; l < model->votes->n_classes; l++)
        if (actual[l] > 0)
            loss -= actual[l] * log(fmax(opinion(model, place, left_out, place->row, l), 1e-12));
    return loss;
}

/* The losses of the items' answers; one for all answers of an item with a reference, at its first
 * answer. */
static void lose_items(void *context, const struct sl_em_range *range)
{
    struct model *model = context;
    const struct sl_soft_votes *votes = model->votes;
    const size_t n_classes = votes->n_classes;
    struct place place = place_of(model, range->worker);
    for (size_t i = range->begin; i < range->end; i++) {
        const float *known = sl_soft_reference(model->options->reference, i, n_classes);
        if (!sl_soft_teaches(votes, model->options->reference, i)) continue;
        sum_item(model, i, &place);
        for (size_t k = 0; k < n_classes && known; k++)
            place.vote[k] = (double)known[k];
        if (known) model->loss[votes->begin[i]] = surprise(model, &place, SIZE_MAX);
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1] && !known; j++) {
            sl_soft_vote(votes->rows + j * n_classes, n_classes, place.vote);
            model->loss[j] = surprise(model, &place, j);
        }
    }
}

/* The loss of predicting each vote from the others' answers, or the reference from all answers; log
 * alpha has a normal prior around 0. */
static double alpha_loss(double log_alpha, void *context)
{
    struct model *model = context;
    model->alpha = exp(log_alpha);
    sl_em_run(model->votes->n_items, model->options->pool, lose_items, model);
    return sl_soft_sum(model->votes, model->options->reference, log_alpha * log_alpha / 2,
                       model->loss);
}

static void iterate(struct model *model, struct sl_crowd_state *out)
{
    const struct sl_em_stop stop = sl_em_stop_of(model->options, model->votes->count);
    while (!sl_em_step(out, expect(model), stop, false) &&
           out->n_iterations < model->options->max_iterations)
        maximise(model);
}

static void learn_alpha(struct model *model)
{
    bool taught = false;
    for (size_t i = 0; i < model->votes->n_items && !taught; i++)
        taught = sl_soft_teaches(model->votes, model->options->reference, i);
    if (!taught) return;
    double best = sl_soft_minimum(alpha_loss, model, -log_alpha_limit, log_alpha_limit, 1e-3);
    model->alpha = exp(best);
}

static void fill_items(void *context, const struct sl_em_range *range)
{
    struct model *model = context;
    const size_t n_classes = model->votes->n_classes;
    struct place place = place_of(model, range->worker);
    for (size_t i = range->begin; i < range->end; i++) {
        sum_item(model, i, &place);
        if (!pin(model, i, place.vote)) classify(model, &place, SIZE_MAX, place.vote);
        for (size_t l = 0; l < n_classes; l++)
            place.row[l] = opinion(model, &place, SIZE_MAX, place.vote, l);
        scale_to_one(place.row, n_classes);
        for (size_t l = 0; l < n_classes; l++)
            model->state->posterior[i * n_classes + l] = (float)place.row[l];
    }
}

static void fill_state(struct model *model, struct sl_crowd_state *out)
{
    const size_t n_classes = out->n_classes;
    sl_em_run(out->n_items, model->options->pool, fill_items, model);
    sl_em_finish_votes(out, model->votes->begin, model->options);
    for (size_t a = 0; a < out->n_annotators; a++) {
        out->skill[a] = 0;
        for (size_t k = 0; k < n_classes; k++)
            out->skill[a] +=
                model->class_share[k] * (double)out->confusion[(a * n_classes + k) * n_classes + k];
    }
}

static enum sl_status allocate(struct model *model, struct sl_error *err)
{
    const struct sl_soft_votes *votes = model->votes;
    const size_t n_classes = votes->n_classes, cells = n_classes * n_classes;
    model->counts = sl_crowd_confusion_alloc(votes->n_annotators, n_classes, sizeof(double), err);
    model->class_share = sl_alloc(n_classes, sizeof(double));
    model->scratch =
        sl_alloc(sl_pool_threads(model->options->pool) * sl_em_apart(4 * n_classes, sizeof(double)),
                 sizeof(double));
    const size_t n_terms = votes->count > votes->n_items ? votes->count : votes->n_items;
    model->loss = sl_data_alloc(n_terms, sizeof(double), err);
    model->pinned = sl_data_alloc(votes->n_items, sizeof *model->pinned, err);
    model->start = sl_data_alloc(cells, sizeof(double), err);
    model->crowd = sl_data_alloc(cells, sizeof(double), err);
    model->crowd_counts = sl_data_alloc(cells, sizeof(double), err);
    model->evidence = sl_data_alloc(votes->count * n_classes, sizeof(double), err);
    model->posterior = sl_data_alloc(votes->n_items * n_classes, sizeof(double), err);
    bool whole = model->counts && model->start && model->crowd && model->crowd_counts &&
                 model->evidence && model->posterior && model->loss && model->pinned;
    return whole ? SL_OK : SL_ERR_NOMEM;
}

static void release(struct model *model)
{
    free(model->counts);
    free(model->class_share);
    free(model->scratch);
    free(model->loss);
    free(model->pinned);
    free(model->start);
    free(model->crowd);
    free(model->crowd_counts);
    free(model->evidence);
    free(model->posterior);
}

enum sl_status sl_crowd_ds_soft(const struct sl_soft_votes *votes,
                                const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    const unsigned parts = SL_STATE_CONFUSION | SL_STATE_SKILL | SL_STATE_TRACE;
    struct sl_soft_votes used;
    struct model model = {.votes = &used, .options = options, .state = out, .alpha = 1};
    float *owned = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_soft_prepare(votes, options, &used, &owned, err));
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, parts, options->max_iterations, err));
    SL_TRY_OUT(allocate(&model, err));
    model.confusion = out->confusion;
    start_confusions(&model);
    iterate(&model, out);
    learn_alpha(&model);
    fill_state(&model, out);
out:
    release(&model);
    free(owned);
    return status;
}
