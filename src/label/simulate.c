#include "softlab/label/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "label/methods_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/base/text.h"
#include "softlab/label/compare.h"

/* Beta distributions have no mass at 0 and 1, which people often state. */
static const double least_probability = 0.005, largest_probability = 0.995;

static struct sl_simulator *simulator_create(size_t n_classes, double threshold)
{
    struct sl_simulator *simulator = sl_alloc(1, sizeof *simulator);
    simulator->n_classes = n_classes;
    simulator->threshold = threshold;
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++)
        simulator->part[p].possible = sl_alloc(n_classes, sizeof *simulator->part[p].possible);
    return simulator;
}

void sl_simulator_destroy(struct sl_simulator *simulator)
{
    if (!simulator) return;
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++)
        free(simulator->part[p].possible);
    free(simulator);
}

static size_t part_of_row(const struct sl_rows *reference, size_t row, double threshold)
{
    const size_t n_classes = reference->n_classes;
    return sl_entropy_of_row(reference->values + row * n_classes, n_classes) >= threshold
               ? SL_SIMULATOR_HIGH
               : SL_SIMULATOR_LOW;
}

/* The part of every item, so that answers need no search. */
static enum sl_status route_items(const struct sl_answers *answers, const struct sl_rows *reference,
                                  double threshold, unsigned char *parts, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    size_t n_items = sl_name_table_count(answers->items);
    for (size_t i = 0; i < n_items && status == SL_OK; i++) {
        size_t length;
        const char *name = sl_name_table_get(answers->items, (uint32_t)i, &length);
        size_t row = sl_rows_find(reference, name, length);
        if (row == SIZE_MAX)
            status = sl_fail(err, SL_ERR_INPUT, "the reference labels have no item %s", name);
        else
            parts[i] = (unsigned char)part_of_row(reference, row, threshold);
    }
    return status;
}

static double clip(float probability)
{
    return fmin(fmax(sl_as_typed(probability), least_probability), largest_probability);
}

/* Classes other than the first that are not marked impossible. */
static size_t count_possible(const struct sl_answer *answer, size_t n_classes)
{
    size_t count = 0;
    for (size_t k = 0; k < n_classes; k++) {
        bool possible = k != answer->top[0].class_index;
        for (size_t i = 0; i < answer->n_impossible && possible; i++)
            possible = answer->impossible[i] != k;
        count += possible;
    }
    return count;
}

/* Probabilities of one part's answers. */
struct sample {
    double *top1, *top2; /* owned */
    size_t n_top1, n_top2;
};

static void collect_sample(const struct sl_answers *answers, const unsigned char *parts,
                           size_t part, unsigned keep, struct sample *sample, double *possible)
{
    size_t n_answers = 0;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (parts[answers->item[i]] != part || answer.kind != SL_ANSWER_SOFT) continue;
        if (!sl_answer_is_kept(&answer, keep) || answer.n_top == 0) continue;
        if (!isnan(answer.top[0].probability))
            sample->top1[sample->n_top1++] = clip(answer.top[0].probability);
        if (answer.n_top > 1 && !isnan(answer.top[1].probability))
            sample->top2[sample->n_top2++] = clip(answer.top[1].probability);
        possible[count_possible(&answer, answers->n_classes)]++;
        n_answers++;
    }
    for (size_t k = 0; k < answers->n_classes; k++)
        possible[k] /= n_answers ? (double)n_answers : 1;
}

static enum sl_status fit_part(const struct sl_answers *answers, const unsigned char *parts,
                               size_t part, unsigned keep, struct sl_simulator_part *out,
                               struct sl_error *err)
{
    struct sample sample = {0};
    enum sl_status status = SL_OK;
    sample.top1 = sl_data_alloc(answers->count, sizeof *sample.top1, err);
    sample.top2 = sample.top1 ? sl_data_alloc(answers->count, sizeof *sample.top2, err) : NULL;
    if (!sample.top2) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    collect_sample(answers, parts, part, keep, &sample, out->possible);
    SL_TRY_OUT(sl_beta_from_moments(sample.top1, sample.n_top1, &out->top1, err));
    SL_TRY_OUT(sl_beta_from_moments(sample.top2, sample.n_top2, &out->top2, err));
    out->n_answers = sample.n_top1;
    out->n_second = sample.n_top2;
out:
    free(sample.top1);
    free(sample.top2);
    if (status != SL_OK && status != SL_ERR_NOMEM)
        sl_fail_within(err, status, "soft answers to items of %s entropy",
                       part == SL_SIMULATOR_HIGH ? "high" : "low");
    return status;
}

enum sl_status sl_simulator_fit(const struct sl_answers *answers, const struct sl_rows *reference,
                                double threshold, unsigned keep, struct sl_simulator **out,
                                struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_simulator *simulator = simulator_create(answers->n_classes, threshold);
    unsigned char *parts = sl_data_zeroed(sl_name_table_count(answers->items), 1, err);
    SL_TRY_OUT(parts ? SL_OK : SL_ERR_NOMEM);
    SL_TRY_OUT(route_items(answers, reference, threshold, parts, err));
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++)
        SL_TRY_OUT(fit_part(answers, parts, p, keep, &simulator->part[p], err));
    *out = simulator;
    simulator = NULL;
out:
    sl_simulator_destroy(simulator);
    free(parts);
    return status;
}

/* The classes most similar to `top`, nearest first; equal ones by index. */
static void rank_classes(const float *similarity, size_t n_classes, size_t top, size_t *ranked)
{
    size_t count = 0;
    for (size_t k = 0; k < n_classes; k++) {
        if (k == top) continue;
        size_t place = count++;
        while (place > 0 &&
               similarity[top * n_classes + ranked[place - 1]] < similarity[top * n_classes + k]) {
            ranked[place] = ranked[place - 1];
            place--;
        }
        ranked[place] = k;
    }
}

/* One simulated answer added to `sum`. */
static void simulate_answer(const struct sl_simulator *simulator, size_t part,
                            const double *reference, const size_t *ranked, struct sl_rng *rng,
                            double *sum)
{
    const struct sl_simulator_part *model = &simulator->part[part];
    size_t n_classes = simulator->n_classes;
    size_t top = sl_rng_categorical(rng, reference, n_classes);
    double first = sl_rng_beta(rng, model->top1.a, model->top1.b);
    size_t n_possible = sl_rng_categorical(rng, model->possible, n_classes);
    double second = sl_rng_beta(rng, model->top2.a, model->top2.b);
    if (n_possible == 0) {
        sum[top]++;
        return;
    }
    const size_t *others = ranked + top * n_classes;
    double rest = 1 - first - second;
    /* If no class can take the rest, or the two exceed 1, scale the two named classes. */
    double scale = rest < 0 || n_possible == 1 ? 1 / (first + second) : 1;
    sum[top] += first * scale;
    sum[others[0]] += second * scale;
    for (size_t i = 1; i < n_possible && rest > 0; i++)
        sum[others[i]] += rest / (double)(n_possible - 1);
}

static enum sl_status check_reference(const struct sl_simulator *simulator,
                                      const struct sl_rows *reference, const float *similarity,
                                      size_t annotators, struct sl_error *err)
{
    if (annotators == 0)
        return sl_fail(err, SL_ERR_USAGE, "expected at least one simulated annotator, got 0");
    if (!similarity)
        return sl_fail(err, SL_ERR_USAGE, "simulated labels need word vectors of the classes");
    if (reference->n_classes != simulator->n_classes)
        return sl_fail(err, SL_ERR_INPUT,
                       "the reference labels have %zu class%s, the simulator %zu",
                       reference->n_classes, sl_text_plural(reference->n_classes, "", "es"),
                       simulator->n_classes);
    return sl_rows_check_distributions(reference, "reference labels", err);
}

struct simulation {
    const struct sl_simulator *simulator;
    const struct sl_rows *reference;
    const struct sl_simulate_options *options;
    size_t *ranked; /* owned; (K, K) classes by similarity to each */
    double *room;   /* owned; two rows per thread */
    float *values;  /* borrowed; of the simulated rows */
};

/* An sl_pool_part: every row has its own draws. */
static void simulate_row(void *context, size_t i, size_t worker)
{
    const struct simulation *all = context;
    const size_t n_classes = all->simulator->n_classes, annotators = all->options->annotators;
    const size_t part = part_of_row(all->reference, i, all->simulator->threshold);
    double *row = all->room + 2 * worker * n_classes, *sum = row + n_classes;
    for (size_t k = 0; k < n_classes; k++)
        row[k] = (double)all->reference->values[i * n_classes + k];
    memset(sum, 0, n_classes * sizeof *sum);
    for (size_t draw = 0; draw < annotators; draw++) {
        struct sl_rng rng;
        sl_rng_init(&rng, all->options->seed, "labels.simulate", draw, i);
        simulate_answer(all->simulator, part, row, all->ranked, &rng, sum);
    }
    for (size_t k = 0; k < n_classes; k++)
        all->values[i * n_classes + k] = (float)(sum[k] / (double)annotators);
}

enum sl_status sl_simulate(const struct sl_simulator *simulator, const struct sl_rows *reference,
                           const float *similarity, const struct sl_simulate_options *options,
                           struct sl_rows **out, struct sl_error *err)
{
    SL_TRY(check_reference(simulator, reference, similarity, options->annotators, err));
    const size_t n_classes = simulator->n_classes;
    struct sl_rows *rows;
    SL_TRY(sl_rows_create(reference->n_rows, n_classes, &rows, err));
    struct simulation all = {
        .simulator = simulator,
        .reference = reference,
        .options = options,
        .ranked = sl_alloc(n_classes * n_classes, sizeof *all.ranked),
        .room = sl_alloc(2 * sl_pool_threads(options->pool) * n_classes, sizeof *all.room),
        .values = rows->values};
    for (size_t k = 0; k < n_classes; k++)
        rank_classes(similarity, n_classes, k, all.ranked + k * n_classes);
    sl_pool_run(options->pool, reference->n_rows, simulate_row, &all);
    free(all.ranked);
    free(all.room);
    enum sl_status status = sl_names_copy(reference->items, rows->n_rows, &rows->items, err);
    if (status == SL_OK) status = sl_names_copy(reference->classes, n_classes, &rows->classes, err);
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    return status;
}

const char *const sl_simulation_statistic_names[SL_SIMULATION_COUNT] = {
    [SL_SIMULATION_ENTROPY] = "entropy",
    [SL_SIMULATION_TOP] = "largest probability",
    [SL_SIMULATION_POSSIBLE] = "classes with mass",
};

static double statistic(enum sl_simulation_statistic which, const double *row, size_t n_classes)
{
    if (which == SL_SIMULATION_ENTROPY) return sl_entropy(row, n_classes);
    if (which == SL_SIMULATION_TOP) return row[sl_first_largest(row, n_classes)];
    size_t count = 0;
    for (size_t k = 0; k < n_classes; k++)
        count += row[k] > 0;
    return (double)count;
}

/* Every statistic of the rows of one part: values (SL_SIMULATION_COUNT, n_rows), the number of
 * rows in *count. */
static enum sl_status measure_rows(const struct sl_rows *rows, const struct sl_rows *reference,
                                   double threshold, size_t part, double *values, size_t *count,
                                   struct sl_error *err)
{
    size_t found = 0;
    double *row = sl_alloc(rows->n_classes, sizeof *row);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < rows->n_rows; i++) {
        size_t place =
            rows->items ? sl_rows_find(reference, rows->items[i], strlen(rows->items[i])) : i;
        if (place >= reference->n_rows) {
            status = sl_fail(err, SL_ERR_INPUT, "the reference labels have no item %s",
                             rows->items ? rows->items[i] : "for the last rows");
            goto out;
        }
        if (part_of_row(reference, place, threshold) != part) continue;
        for (size_t k = 0; k < rows->n_classes; k++)
            row[k] = (double)rows->values[i * rows->n_classes + k];
        for (size_t s = 0; s < SL_SIMULATION_COUNT; s++)
            values[s * rows->n_rows + found] =
                statistic((enum sl_simulation_statistic)s, row, rows->n_classes);
        found++;
    }
    *count = found;
out:
    free(row);
    return status;
}

enum sl_status sl_simulation_measure(const struct sl_rows *real, const struct sl_rows *simulated,
                                     const struct sl_rows *reference, double threshold,
                                     struct sl_simulation_fit out[SL_SIMULATOR_PARTS],
                                     struct sl_error *err)
{
    struct sl_simulation_fit fits[SL_SIMULATOR_PARTS] = {0};
    enum sl_status status = SL_OK;
    double *a = sl_data_alloc(real->n_rows, SL_SIMULATION_COUNT * sizeof *a, err);
    double *b = a ? sl_data_alloc(simulated->n_rows, SL_SIMULATION_COUNT * sizeof *b, err) : NULL;
    if (!b) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++) {
        struct sl_simulation_fit *fit = &fits[p];
        SL_TRY_OUT(measure_rows(real, reference, threshold, p, a, &fit->n_real, err));
        SL_TRY_OUT(measure_rows(simulated, reference, threshold, p, b, &fit->n_simulated, err));
        for (size_t s = 0; s < SL_SIMULATION_COUNT; s++) {
            const double *x = a + s * real->n_rows, *y = b + s * simulated->n_rows;
            fit->real_mean[s] = sl_mean(x, fit->n_real);
            fit->simulated_mean[s] = sl_mean(y, fit->n_simulated);
            fit->wasserstein[s] = sl_wasserstein(x, fit->n_real, y, fit->n_simulated);
        }
    }
    memcpy(out, fits, sizeof fits);
out:
    free(a);
    free(b);
    return status;
}
