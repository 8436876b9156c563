/* How many annotators a study needs: the error of labels from more or fewer annotators, estimated
 * from its answers, which are usually simulated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "study/simulate/simulate.h"
#include "study/stored_answers.h"

enum { DRAWS = 20, LEAST_ANSWERS = 2, BEYOND = 4 };
/* Rows of the table, up to BEYOND times the number of answers collected. */
static const size_t numbers[] = {1,  2,  3,  4,  5,  6,  8,   10,  12,  16,
                                 20, 25, 32, 40, 50, 64, 100, 200, 500, 1000};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

/* The labels of one item's answers. */
struct item_labels {
    const double *truth; /* borrowed */
    double *labels;      /* owned; (count, n_classes) */
    size_t count;
};

struct analysis {
    size_t n_classes;
    uint64_t seed;
    struct item_labels *items; /* owned; items with enough answers */
    size_t n_items, n_answers, most;
    double seconds;        /* of one answer, median */
    double bias, variance; /* means over items of |m - t|^2 - s^2/n and of s^2 */
};

/* ---- Collecting ---- */

static enum sl_status keep_item(struct analysis *analysis, const struct sl_answers *answers,
                                const size_t *order, size_t count, const double *truth,
                                struct sl_error *err)
{
    struct item_labels item = {.truth = truth};
    item.labels = sl_data_zeroed(count * analysis->n_classes, sizeof *item.labels, err);
    if (!item.labels) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        item.count +=
            sl_study_label(answers, order[i], item.labels + item.count * analysis->n_classes);
    if (item.count < LEAST_ANSWERS) {
        free(item.labels);
        return SL_OK;
    }
    analysis->items[analysis->n_items++] = item;
    analysis->n_answers += item.count;
    if (item.count > analysis->most) analysis->most = item.count;
    return SL_OK;
}

static double median_seconds(const struct sl_answers *answers)
{
    double *seconds = sl_alloc(answers->count + 1, sizeof *seconds);
    size_t count = 0;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (answer.ms >= 0) seconds[count++] = answer.ms / 1000;
    }
    double median = count ? sl_quantile(seconds, count, .5) : (double)NAN;
    free(seconds);
    return median;
}

static enum sl_status gather_answers(struct analysis *analysis, const struct sl_sim_world *world,
                                     struct sl_store *store, const struct sl_power_options *options,
                                     struct sl_error *err)
{
    const struct sl_study_choice choice = {.extent =
                                               options->tests ? SL_STUDY_TESTS : SL_STUDY_COUNTING,
                                           .kinds = ~0u,
                                           .after = options->after};
    const struct sl_study *study = world->study;
    struct sl_study_items items = {0};
    struct sl_answers *answers = NULL;
    struct sl_item_index index = {0};
    enum sl_status status;
    analysis->n_classes = study->n_classes;
    SL_TRY_OUT(sl_study_items_read(study, store, &items, err));
    SL_TRY_OUT(sl_study_answers(study, store, &items, &choice, &answers, err));
    SL_TRY_OUT(sl_item_index_create(answers, &index, err));
    analysis->items = sl_data_zeroed(items.count, sizeof *analysis->items, err);
    SL_TRY_OUT(analysis->items ? SL_OK : SL_ERR_NOMEM);
    for (size_t i = 0; i < items.count; i++) {
        const char *id = items.items[i].id;
        uint32_t known = sl_name_table_find(answers->items, id, strlen(id));
        if (known == SL_NO_NAME || items.items[i].check) continue;
        SL_TRY_OUT(keep_item(analysis, answers, index.order + index.begin[known],
                             index.begin[known + 1] - index.begin[known],
                             &world->truth[world->sight_of[i] * study->n_classes], err));
    }
    analysis->seconds = median_seconds(answers);
    if (analysis->n_items == 0)
        status =
            sl_fail(err, SL_ERR_INPUT,
                    "%s: no item has two answers yet; let more people answer, or simulate them",
                    study->name);
out:
    sl_item_index_release(&index);
    sl_answers_destroy(answers);
    sl_study_items_release(&items);
    return status;
}

/* ---- Measuring ---- */

static void add_mean(const struct item_labels *item, const size_t *which, size_t count,
                     size_t n_classes, double *mean)
{
    memset(mean, 0, n_classes * sizeof *mean);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < n_classes; k++)
            mean[k] += item->labels[(which ? which[i] : i) * n_classes + k] / (double)count;
}

static void measure_spread(struct analysis *analysis, double *mean)
{
    size_t n_classes = analysis->n_classes;
    for (size_t i = 0; i < analysis->n_items; i++) {
        const struct item_labels *item = &analysis->items[i];
        double count = (double)item->count, away = 0, spread = 0;
        add_mean(item, NULL, item->count, n_classes, mean);
        for (size_t k = 0; k < n_classes; k++)
            away += (mean[k] - item->truth[k]) * (mean[k] - item->truth[k]);
        for (size_t j = 0; j < item->count; j++)
            for (size_t k = 0; k < n_classes; k++) {
                double apart = item->labels[j * n_classes + k] - mean[k];
                spread += apart * apart / (count - 1);
            }
        analysis->bias += (away - spread / count) / (double)analysis->n_items;
        analysis->variance += spread / (double)analysis->n_items;
    }
}

static double expected_error(const struct analysis *analysis, double annotators)
{
    return sqrt(fmax(analysis->bias + analysis->variance / annotators, 0));
}

static size_t most_probable(const double *row, size_t n_classes)
{
    size_t best = 0, second = 0;
    sl_first_two(row, n_classes, NULL, &best, &second);
    return best;
}

/* Items with fewer answers than the row needs are left out; if they are more than half, the row has
 * no value. `order` has room for the answers of any item. */
static void draw_row(const struct analysis *analysis, struct sl_power_row *row, double *mean,
                     size_t *order)
{
    size_t n_classes = analysis->n_classes, n_used = 0;
    double variation = 0, right = 0;
    for (size_t i = 0; i < analysis->n_items; i++) {
        const struct item_labels *item = &analysis->items[i];
        struct sl_rng rng;
        if (item->count < row->annotators) continue;
        n_used++;
        sl_rng_init(&rng, analysis->seed, "study.power", row->annotators, i);
        for (size_t j = 0; j < item->count; j++)
            order[j] = j;
        for (size_t draw = 0; draw < DRAWS; draw++) {
            sl_rng_shuffle(&rng, order, item->count);
            add_mean(item, order, row->annotators, n_classes, mean);
            for (size_t k = 0; k < n_classes; k++)
                variation += fabs(mean[k] - item->truth[k]) / (2 * DRAWS);
            right +=
                (double)(most_probable(mean, n_classes) == most_probable(item->truth, n_classes)) /
                DRAWS;
        }
    }
    bool enough = 2 * n_used >= analysis->n_items;
    row->variation = enough ? variation / (double)n_used : (double)NAN;
    row->right = enough ? right / (double)n_used : (double)NAN;
}

static void fill(const struct analysis *analysis, struct sl_power *out)
{
    double *mean = sl_alloc(analysis->n_classes, sizeof *mean);
    size_t *order = sl_alloc(analysis->most, sizeof *order);
    for (size_t i = 0; i < N_NUMBERS && numbers[i] <= BEYOND * analysis->most; i++) {
        struct sl_power_row *row = &out->rows[out->n_rows++];
        *row = (struct sl_power_row){.annotators = numbers[i],
                                     .error = expected_error(analysis, (double)numbers[i]),
                                     .seconds = (double)numbers[i] * analysis->seconds};
        draw_row(analysis, row, mean, order);
    }
    free(mean);
    free(order);
}

enum sl_status sl_study_power(const char *folder, const struct sl_power_options *options,
                              struct sl_power *out, struct sl_error *err)
{
    struct sl_sim_world world = {0};
    struct sl_store *store = NULL;
    struct analysis analysis = {.seed = options->seed};
    enum sl_status status;
    SL_TRY_OUT(sl_sim_world_read(folder, options->truth, &world, err));
    SL_TRY_OUT(sl_study_store(world.study, true, &store, err));
    SL_TRY_OUT(gather_answers(&analysis, &world, store, options, err));
    double *mean = sl_alloc(analysis.n_classes, sizeof *mean);
    measure_spread(&analysis, mean);
    free(mean);
    *out = (struct sl_power){.n_items = analysis.n_items,
                             .n_answers = analysis.n_answers,
                             .floor = sqrt(fmax(analysis.bias, 0)),
                             .spread = sqrt(analysis.variance),
                             .rows = sl_alloc(N_NUMBERS, sizeof *out->rows)};
    fill(&analysis, out);
out:
    for (size_t i = 0; i < analysis.n_items; i++)
        free(analysis.items[i].labels);
    free(analysis.items);
    sl_store_close(store);
    sl_sim_world_release(&world);
    return status;
}

void sl_power_release(struct sl_power *power)
{
    free(power->rows);
    *power = (struct sl_power){0};
}

size_t sl_power_needed(const struct sl_power *power, double target)
{
    double room = target * target - power->floor * power->floor;
    if (!(room > 0)) return 0;
    double needed = ceil(power->spread * power->spread / room * (1 - 1e-12));
    return needed < 1 ? 1 : needed < 1e9 ? (size_t)needed : 0;
}

json_t *sl_power_json(const struct sl_power *power, double target)
{
    json_t *rows = json_array();
    size_t needed = sl_power_needed(power, target);
    for (size_t i = 0; i < power->n_rows; i++) {
        const struct sl_power_row *row = &power->rows[i];
        json_array_append_new(
            rows,
            json_pack("{s:I, s:o, s:o, s:o, s:o}", "annotators", (json_int_t)row->annotators,
                      "error", sl_json_real(row->error), "variation", sl_json_real(row->variation),
                      "right", sl_json_real(row->right), "seconds", sl_json_real(row->seconds)));
    }
    return json_pack("{s:I, s:I, s:f, s:f, s:f, s:o, s:o}", "items", (json_int_t)power->n_items,
                     "answers", (json_int_t)power->n_answers, "floor", power->floor, "spread",
                     power->spread, "target", target, "needed",
                     needed ? json_integer((json_int_t)needed) : json_null(), "rows", rows);
}
