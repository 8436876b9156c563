/* Answer times, compared with those of others for the same kind of answer. */
#include <math.h>
#include <stdlib.h>

#include "answer/suspicion/suspicion.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

enum { N_KINDS = SL_ANSWER_MIX + 1, ENOUGH_FOR_MEDIAN = 3, ENOUGH_FOR_SPREAD = 8 };
static const double USUAL_SPREAD =
    .4; /* of log times: that of CIFAR-10S, if there are too few annotators */
static const double MAD_TO_SPREAD = 1.4826;

/* Log times by annotator, each with its kind. */
struct clock {
    const struct sl_answers *answers;
    size_t n_annotators;
    double *logs;               /* owned; by annotator */
    enum sl_answer_kind *kinds; /* owned; of each */
    size_t *end;                /* owned; n_annotators */
    double *values;    /* owned; room for the times of one annotator, or one value per annotator */
    double resolution; /* ms: files may hold whole seconds */
    double usual[N_KINDS]; /* the quartile's log time; NaN: unknown */
};

/* The time of an answer of a known annotator, or NaN. */
static double time_of(const struct sl_answers *answers, size_t at, enum sl_answer_kind *kind)
{
    struct sl_answer answer;
    sl_answers_get(answers, at, &answer);
    *kind = answer.kind;
    if (answer.flags & SL_ANSWER_CHECK || answers->annotator[at] == SL_NO_NAME) return (double)NAN;
    return answer.ms;
}

static void gather_times(struct clock *clock)
{
    const struct sl_answers *answers = clock->answers;
    enum sl_answer_kind kind;
    size_t total = 0;
    bool seconds = true;
    for (size_t i = 0; i < answers->count; i++) {
        const double ms = time_of(answers, i, &kind);
        if (isnan(ms)) continue;
        clock->end[answers->annotator[i]]++;
        seconds = seconds && fmod(ms, 1000) == 0;
    }
    clock->resolution = seconds ? 1000 : 1;
    for (size_t a = 0; a < clock->n_annotators; a++) {
        const size_t own = clock->end[a];
        clock->end[a] = total;
        total += own;
    }
    for (size_t i = 0; i < answers->count; i++) {
        const double ms = time_of(answers, i, &kind);
        if (isnan(ms)) continue;
        const size_t place = clock->end[answers->annotator[i]]++;
        clock->logs[place] = log(fmax(ms, 1));
        clock->kinds[place] = kind;
    }
}

static size_t begin_of(const struct clock *clock, size_t annotator)
{
    return annotator ? clock->end[annotator - 1] : 0;
}

static double quartile(const double *values, size_t count)
{
    if (count < SL_SUSPECT_FEWEST) return (double)NAN;
    return sl_quantile(values, count, SL_SUSPECT_QUARTILE);
}

/* Per kind, over annotators: the upper quartile of their medians. */
static void find_usual(struct clock *clock, double *medians)
{
    for (int kind = 0; kind < N_KINDS; kind++) {
        size_t n_medians = 0;
        for (size_t a = 0; a < clock->n_annotators; a++) {
            size_t count = 0;
            for (size_t i = begin_of(clock, a); i < clock->end[a]; i++)
                if ((int)clock->kinds[i] == kind) clock->values[count++] = clock->logs[i];
            if (count >= ENOUGH_FOR_MEDIAN) medians[n_medians++] = sl_median(clock->values, count);
        }
        clock->usual[kind] = quartile(medians, n_medians);
    }
}

static void measure(struct clock *clock, size_t annotator, struct sl_suspect *suspect)
{
    const size_t begin = begin_of(clock, annotator);
    const size_t count = clock->end[annotator] - begin;
    double *values = clock->values;
    suspect->n_times = count;
    suspect->median_ms = suspect->pace = suspect->spread = suspect->evenness = (double)NAN;
    if (count < ENOUGH_FOR_MEDIAN) return;
    const double median = exp(sl_median(clock->logs + begin, count));
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        const double usual = clock->usual[clock->kinds[begin + i]];
        known = known && !isnan(usual);
        values[i] = clock->logs[begin + i] - (isnan(usual) ? 0 : usual);
    }
    const double middle = sl_median(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - middle);
    const double rounding = clock->resolution / median;
    suspect->median_ms = median;
    if (known) suspect->pace = middle;
    suspect->usual_ms = median * exp(-middle);
    suspect->spread = hypot(MAD_TO_SPREAD * sl_median(values, count), rounding / sqrt(12));
}

static void compare_spreads(const struct clock *clock, struct sl_suspect *suspects, double *spreads)
{
    size_t count = 0;
    for (size_t a = 0; a < clock->n_annotators; a++)
        if (suspects[a].n_times >= ENOUGH_FOR_SPREAD) spreads[count++] = suspects[a].spread;
    const double known = quartile(spreads, count);
    const double usual = isnan(known) ? USUAL_SPREAD : known;
    for (size_t a = 0; a < clock->n_annotators; a++)
        if (usual > 0) suspects[a].evenness = suspects[a].spread / usual;
}

enum sl_status sl_suspect_times(const struct sl_answers *answers, struct sl_suspect *suspects,
                                struct sl_error *err)
{
    struct clock clock = {.answers = answers,
                          .n_annotators = sl_name_table_count(answers->annotators)};
    double *by_annotator = sl_data_alloc(clock.n_annotators, sizeof *by_annotator, err);
    clock.logs = sl_data_alloc(answers->count, sizeof *clock.logs, err);
    clock.kinds = sl_data_alloc(answers->count, sizeof *clock.kinds, err);
    clock.end = sl_data_zeroed(clock.n_annotators, sizeof *clock.end, err);
    clock.values = sl_data_alloc(answers->count, sizeof *clock.values, err);
    const bool there = by_annotator && clock.logs && clock.kinds && clock.end && clock.values;
    if (there) {
        gather_times(&clock);
        find_usual(&clock, by_annotator);
        for (size_t a = 0; a < clock.n_annotators; a++)
            measure(&clock, a, &suspects[a]);
        compare_spreads(&clock, suspects, by_annotator);
    }
    free(by_annotator);
    free(clock.logs);
    free(clock.kinds);
    free(clock.end);
    free(clock.values);
    return there ? SL_OK : SL_ERR_NOMEM;
}
