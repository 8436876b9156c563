/* Deferral to people: the accuracy of a classifier and a crowd together, share by share. */
#include "softlab/eval/defer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { MOST_STEPS = SL_DEFER_POINTS - 1 };

/* ---- Certainty ---- */

static double confidence(const struct sl_scored *scored, size_t row)
{
    return scored->confidence[row];
}

static double margin(const struct sl_scored *scored, size_t row)
{
    const double *p = scored->predicted + row * scored->n_classes;
    return p[scored->top[row]] - p[scored->second[row]];
}

static double negentropy(const struct sl_scored *scored, size_t row)
{
    return -scored->entropy[row];
}

const struct sl_certainty sl_certainties[] = {
    {"confidence", "the largest probability", confidence},
    {"margin", "the largest probability less the second largest", margin},
    {"entropy", "the entropy of the prediction, low where it is certain", negentropy},
    {NULL, NULL, NULL},
};

/* ---- Recorded answers ---- */

enum sl_status sl_recorded_create(size_t n, size_t n_classes, struct sl_recorded **out,
                                  struct sl_error *err)
{
    struct sl_recorded *recorded = sl_alloc(1, sizeof *recorded);
    *recorded = (struct sl_recorded){n, n_classes, .counts = NULL};
    recorded->counts = sl_data_zeroed(n, n_classes * sizeof *recorded->counts, err);
    if (!recorded->counts) {
        sl_recorded_destroy(recorded);
        return SL_ERR_NOMEM;
    }
    *out = recorded;
    return SL_OK;
}

void sl_recorded_destroy(struct sl_recorded *recorded)
{
    if (!recorded) return;
    free(recorded->counts);
    free(recorded->seconds);
    free(recorded);
}

/* ---- The curve ---- */

enum statistic { ACCURACY, GAIN, GAIN_PER_ANSWER, SHORT_OF_PEOPLE, N_STATISTICS };

/* One item, in the order in which items are sent. */
struct sendable {
    uint32_t row;
    bool asked;     /* there are enough answers */
    bool right;     /* what the classifier says */
    double decided; /* the chance that the decision is right once the item is sent */
    double seconds; /* what sending it takes */
};

struct sending {
    size_t n, n_steps, n_people;
    struct sendable *items; /* owned; (n) */
};

/* How many items are sent at a point of the curve. */
static size_t n_sent(const struct sending *sending, size_t point)
{
    return point * sending->n / sending->n_steps;
}

/* All statistics at all points, for items that are there times[row] times: (statistic, point). Also
 * an sl_eval_resamples.statistics. */
static void follow(void *context, size_t worker, const uint32_t *times, double *out)
{
    (void)worker;
    const struct sending *sending = context;
    const size_t n_points = sending->n_steps + 1;
    const double n = (double)sending->n;
    double decided = 0, kept = 0, asked = 0;
    for (size_t i = 0; i < sending->n; i++)
        if (sending->items[i].right) kept += times[sending->items[i].row];
    size_t sent = 0, used = 0; /* items so far, and how often the one at `at` was sent */
    const struct sendable *at = sending->items;
    for (size_t p = 0; p < n_points; p++) {
        for (const size_t wanted = n_sent(sending, p); sent < wanted;) {
            const size_t left = times[at->row] - used;
            const size_t taken = left < wanted - sent ? left : wanted - sent;
            decided += (double)taken * at->decided;
            if (at->right) kept -= (double)taken;
            if (at->asked) asked += (double)taken;
            sent += taken;
            used += taken;
            if (used < times[at->row]) continue;
            at++;
            used = 0;
        }
        out[ACCURACY * n_points + p] = (decided + kept) / n;
        const double answers = (double)sending->n_people * asked / n;
        const double gain = out[ACCURACY * n_points + p] - out[ACCURACY * n_points];
        out[GAIN * n_points + p] = gain;
        out[GAIN_PER_ANSWER * n_points + p] = answers > 0 ? gain / answers : (double)NAN;
    }
    for (size_t p = 0; p < n_points; p++)
        out[SHORT_OF_PEOPLE * n_points + p] =
            out[ACCURACY * n_points + n_points - 1] - out[ACCURACY * n_points + p];
}

static enum sl_status check(const struct sl_scored *scored, const struct sl_recorded *recorded,
                            const struct sl_defer_options *options, struct sl_error *err)
{
    if (options->n_people < 1 || options->n_people > SL_MOST_PEOPLE)
        return sl_fail(err, SL_ERR_USAGE, "%zu people cannot vote on an item; give 1 to %d",
                       options->n_people, SL_MOST_PEOPLE);
    if (recorded->n != scored->n || recorded->n_classes != scored->n_classes)
        return sl_fail(err, SL_ERR_USAGE,
                       "answers to (%zu, %zu) items and classes for predictions of (%zu, %zu)",
                       recorded->n, recorded->n_classes, scored->n, scored->n_classes);
    return SL_OK;
}

static enum sl_status check_answers(const struct sl_recorded *recorded, size_t n_people,
                                    struct sl_error *err)
{
    uint64_t most = 0;
    for (size_t i = 0; i < recorded->n; i++) {
        uint64_t count = 0;
        for (size_t k = 0; k < recorded->n_classes; k++)
            count += recorded->counts[i * recorded->n_classes + k];
        if (count > most) most = count;
    }
    if (most >= n_people) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "no item has the answers of %zu %s; the most that one has is %llu", n_people,
                   sl_text_plural(n_people, "person", "people"), (unsigned long long)most);
}

static struct sendable sendable(const struct sl_scored *scored, const struct sl_recorded *recorded,
                                const struct sl_defer_options *options, uint32_t row)
{
    const uint32_t *counts = recorded->counts + row * recorded->n_classes;
    const uint32_t truth = sl_eval_truth(scored, row);
    const double chance = sl_vote_chance(counts, recorded->n_classes, truth, options->n_people);
    const double seconds = options->seconds_per_answer > 0 ? options->seconds_per_answer
                           : recorded->seconds             ? recorded->seconds[row]
                                                           : (double)NAN;
    struct sendable item = {
        .row = row, .asked = !isnan(chance), .right = scored->top[row] == truth};
    item.decided = item.asked ? chance : (double)item.right;
    item.seconds = item.asked ? (double)options->n_people * seconds : 0;
    return item;
}

/* List the items in ascending certainty. */
static enum sl_status prepare(const struct sl_scored *scored, const struct sl_recorded *recorded,
                              const struct sl_defer_options *options, struct sending *sending,
                              struct sl_error *err)
{
    const struct sl_certainty *by = options->by ? options->by : sl_certainties;
    const size_t n = scored->n;
    double *values = sl_data_alloc(n, sizeof *values, err);
    uint32_t *order = sl_data_alloc(n, sizeof *order, err);
    sending->items = sl_data_alloc(n, sizeof *sending->items, err);
    enum sl_status status = values && order && sending->items ? SL_OK : SL_ERR_NOMEM;
    for (size_t i = 0; status == SL_OK && i < n; i++)
        values[i] = by->value(scored, i);
    if (status == SL_OK) status = sl_eval_rank(values, n, order, err);
    for (size_t i = 0; status == SL_OK && i < n; i++)
        sending->items[i] = sendable(scored, recorded, options, order[i]);
    free(values);
    free(order);
    return status;
}

/* The statistics of the items themselves, each once. */
static enum sl_status estimate(struct sending *sending, double *out, struct sl_error *err)
{
    uint32_t *once = sl_data_alloc(sending->n, sizeof *once, err);
    if (!once) return SL_ERR_NOMEM;
    for (size_t i = 0; i < sending->n; i++)
        once[i] = 1;
    follow(sending, 0, once, out);
    free(once);
    return SL_OK;
}

static enum sl_status find_intervals(struct sending *sending,
                                     const struct sl_defer_options *options,
                                     struct sl_interval *out, struct sl_error *err)
{
    const size_t n_values = N_STATISTICS * (sending->n_steps + 1);
    const size_t n_resamples = options->bootstrap.n_resamples;
    const struct sl_eval_resamples resamples = {.n_rows = sending->n,
                                                .n_values = n_values,
                                                .bootstrap = &options->bootstrap,
                                                .pool = options->pool,
                                                .statistics = follow,
                                                .context = sending};
    double estimates[N_STATISTICS * (MOST_STEPS + 1)], *values = NULL;
    SL_TRY(estimate(sending, estimates, err));
    SL_TRY(sl_eval_resample(&resamples, &values, err));
    for (size_t v = 0; v < n_values; v++) {
        double *own = values + v * n_resamples;
        const size_t kept = sl_eval_drop_nan(own, n_resamples);
        out[v] = sl_eval_quantiles(own, kept, options->bootstrap.level, estimates[v]);
    }
    free(values);
    return SL_OK;
}

/* The costs of each point, and the statistics that were found. */
static void fill_points(const struct sending *sending, const struct sl_interval *intervals,
                        struct sl_defer_curve *curve)
{
    const size_t n_points = curve->n_points;
    const double n = (double)sending->n;
    size_t sent = 0, asked = 0;
    double seconds = 0;
    for (size_t p = 0; p < n_points; p++) {
        for (; sent < n_sent(sending, p); sent++) {
            asked += sending->items[sent].asked;
            seconds += sending->items[sent].seconds;
        }
        curve->points[p] = (struct sl_defer_point){
            .n_sent = sent,
            .share = (double)sent / n,
            .answers = (double)(asked * sending->n_people) / n,
            .seconds = seconds / n,
            .accuracy = intervals[ACCURACY * n_points + p],
            .gain = intervals[GAIN * n_points + p],
            .gain_per_answer = intervals[GAIN_PER_ANSWER * n_points + p],
            .short_of_people = intervals[SHORT_OF_PEOPLE * n_points + p],
        };
    }
    curve->n_short = sending->n - asked;
    for (size_t p = 0; isnan(seconds) && p < n_points; p++)
        curve->points[p].seconds = NAN;
}

static void find_marks(struct sl_defer_curve *curve)
{
    curve->better = SIZE_MAX;
    curve->as_people = curve->n_points - 1;
    curve->best = 0;
    for (size_t p = curve->n_points; p-- > 0;) {
        const struct sl_defer_point *point = &curve->points[p];
        if (point->gain.low > 0) curve->better = p;
        if (point->short_of_people.low <= 0) curve->as_people = p;
        if (point->accuracy.estimate >= curve->points[curve->best].accuracy.estimate)
            curve->best = p;
    }
}

enum sl_status sl_defer(const struct sl_scored *scored, const struct sl_recorded *recorded,
                        const struct sl_defer_options *options, struct sl_defer_curve *out,
                        struct sl_error *err)
{
    SL_TRY(check(scored, recorded, options, err));
    struct sending sending = {.n = scored->n,
                              .n_steps = scored->n < MOST_STEPS ? scored->n : MOST_STEPS,
                              .n_people = options->n_people};
    struct sl_defer_curve curve = {.n_people = options->n_people,
                                   .by = options->by ? options->by : sl_certainties,
                                   .n_points = sending.n_steps + 1};
    struct sl_interval *intervals = sl_alloc(N_STATISTICS * curve.n_points, sizeof *intervals);
    enum sl_status status = SL_OK;
    curve.points = sl_alloc(curve.n_points, sizeof *curve.points);
    SL_TRY_OUT(check_answers(recorded, options->n_people, err));
    SL_TRY_OUT(prepare(scored, recorded, options, &sending, err));
    SL_TRY_OUT(find_intervals(&sending, options, intervals, err));
    fill_points(&sending, intervals, &curve);
    find_marks(&curve);
    *out = curve;
    curve.points = NULL;
out:
    free(sending.items);
    free(intervals);
    sl_defer_curve_release(&curve);
    return status;
}

void sl_defer_curve_release(struct sl_defer_curve *curve)
{
    free(curve->points);
    curve->points = NULL;
}
