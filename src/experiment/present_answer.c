/* The answer in words, as a chart and as a table. Every word that could be otherwise depends on the
 * figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/answer.h"

enum { DISTANCE_DECIMALS = 4, SECONDS_DECIMALS = 1, GAIN_DECIMALS = 3, MODEL_DECIMALS = 3 };
/* Gains are printed per so many seconds. */
enum { GAIN_SECONDS = 100 };

static const char *measure_title(const char *column)
{
    const char *slash = strrchr(column, '/'), *name = slash ? slash + 1 : column;
    const struct sl_experiment_metric *metric = sl_experiment_metric_find(name, strlen(name));
    return metric ? metric->title : name;
}

static struct sl_estimate per_hundred(struct sl_estimate gain)
{
    gain.mean *= GAIN_SECONDS;
    gain.spread *= GAIN_SECONDS;
    return gain;
}

/* ---- The paragraph ---- */

static void say(const struct sl_presentation *show, const char *words)
{
    sl_report_text(show->report, SL_STYLE_PLAIN, "%s", words);
}

static void say_name(const struct sl_presentation *show, const struct sl_answer_set *set)
{
    sl_report_text(show->report, SL_STYLE_STRONG, "%s", set->name);
}

static void say_estimate(const struct sl_presentation *show, struct sl_estimate estimate,
                         int decimals)
{
    sl_report_text(show->report, SL_STYLE_PLAIN, "%s%.*f", estimate.mean < 0 ? "\u2212" : "",
                   decimals, fabs(estimate.mean));
    if (isfinite(estimate.spread))
        sl_report_text(show->report, SL_STYLE_PLAIN, " ± %.*f", decimals, estimate.spread);
}

static void say_place(const struct sl_presentation *show, const struct sl_answer_set *set)
{
    say_estimate(show, set->distance, DISTANCE_DECIMALS);
    say(show, " for ");
    say_estimate(show, set->seconds, SECONDS_DECIMALS);
    say(show, " s per item");
}

static void say_next(const struct sl_presentation *show, const struct sl_experiment_answer *answer)
{
    if (answer->best_first.verdict == SL_VERDICT_NOT_RUN) return;
    const struct sl_answer_set *next = &answer->sets[answer->next];
    say(show, " Next is ");
    say_name(show, next);
    say(show, " with ");
    say_estimate(show, per_hundred(next->gain), GAIN_DECIMALS);
    if (answer->best_first.verdict == SL_VERDICT_HOLDS)
        say(show, ", which is less beyond the interval.");
    else
        say(show, "; which of the two is first, these runs do not decide.");
}

static void say_nearest(const struct sl_presentation *show,
                        const struct sl_experiment_answer *answer)
{
    const struct sl_answer_set *nearest = &answer->sets[answer->nearest];
    if (answer->nearest == answer->best) {
        say(show, " Nothing came nearer, whatever it took.");
        return;
    }
    say(show, " Nearest whatever it took: ");
    say_name(show, nearest);
    say(show, ", ");
    say_place(show, nearest);
    say(show, ".");
}

static void say_model(const struct sl_presentation *show, const struct sl_experiment_answer *answer)
{
    const struct sl_judgement *judged = &answer->model_better;
    if (judged->verdict == SL_VERDICT_NOT_RUN) return;
    const char *slash = strrchr(answer->model, '/');
    const double difference = judged->difference.estimate;
    const double half = (judged->difference.high - judged->difference.low) / 2;
    say(show, " The model trained on ");
    say_name(show, &answer->sets[answer->best]);
    sl_report_text(show->report, SL_STYLE_PLAIN, " has a %s of ", measure_title(answer->model));
    say_estimate(show, answer->sets[answer->best].model, MODEL_DECIMALS);
    if (slash)
        sl_report_text(show->report, SL_STYLE_PLAIN, " on %.*s", (int)(slash - answer->model),
                       answer->model);
    say(show, ", the one trained on ");
    say_name(show, &answer->sets[answer->against]);
    say(show, " ");
    say_estimate(show, answer->sets[answer->against].model, MODEL_DECIMALS);
    say(show, ": ");
    say_estimate(show, (struct sl_estimate){.mean = fabs(difference), .spread = half},
                 MODEL_DECIMALS);
    say(show, " ");
    sl_report_text(show->report, SL_STYLE_STRONG, "%s", difference >= 0 ? "better" : "worse");
    say(show, judged->verdict == SL_VERDICT_UNDECIDED
                  ? ", which is within the interval and so undecided"
                  : ", which is beyond the interval and so decided");
    if (judged->test == SL_TEST_PAIRED)
        sl_report_text(show->report, SL_STYLE_PLAIN, " (%zu pairs of runs)", judged->n_pairs);
    say(show, ".");
}

void sl_present_answer(const struct sl_presentation *show,
                       const struct sl_experiment_answer *answer)
{
    const struct sl_answer_set *against = &answer->sets[answer->against];
    sl_report_paragraph(show->report);
    if (answer->best == SIZE_MAX || !(answer->sets[answer->best].gain.mean > 0)) {
        say(show, "No other way of asking and of building labels came closer to the true "
                  "distributions than ");
        say_name(show, against);
        sl_report_text(show->report, SL_STYLE_PLAIN, " (%s ", measure_title(answer->distance));
        say_place(show, against);
        say(show, ").");
        if (answer->best != SIZE_MAX) {
            say(show, " Least behind is ");
            say_name(show, &answer->sets[answer->best]);
            say(show, ".");
            say_model(show, answer);
        }
        return;
    }
    const struct sl_answer_set *best = &answer->sets[answer->best];
    say(show, "Per second of annotators' time, ");
    say_name(show, best);
    sl_report_text(show->report, SL_STYLE_PLAIN, " came closest to the true distributions: %s ",
                   measure_title(answer->distance));
    say_place(show, best);
    say(show, ", beside ");
    say_name(show, against);
    say(show, " with ");
    say_place(show, against);
    sl_report_text(show->report, SL_STYLE_PLAIN, ". That is nearer by ");
    say_estimate(show, per_hundred(best->gain), GAIN_DECIMALS);
    sl_report_text(show->report, SL_STYLE_PLAIN, " for every %d s spent on it.", GAIN_SECONDS);
    say_next(show, answer);
    say_nearest(show, answer);
    say_model(show, answer);
}

/* ---- Charts ---- */

/* The points of a series: what is measured against, the front, or the others. */
enum group { AGAINST, FRONT, OTHERS, GROUPS };

static enum group group_of(const struct sl_experiment_answer *answer, size_t index)
{
    if (index == answer->against) return AGAINST;
    return answer->sets[index].is_front ? FRONT : OTHERS;
}

struct points {
    double *block;      /* owned; six columns of n_sets */
    const char **texts; /* owned */
};

static void put_point(double *block, size_t n, size_t at, struct sl_estimate x,
                      struct sl_estimate y)
{
    block[at] = x.mean;
    block[n + at] = x.mean - x.spread;
    block[2 * n + at] = x.mean + x.spread;
    block[3 * n + at] = y.mean;
    block[4 * n + at] = y.mean - y.spread;
    block[5 * n + at] = y.mean + y.spread;
}

static struct sl_plot_series collect_points(const struct sl_experiment_answer *answer,
                                            enum group group, bool of_model, struct points *out)
{
    static const char *const names[] = {"measured against", "no other is nearer and quicker",
                                        "others"};
    const size_t n = answer->n_sets;
    size_t count = 0;
    out->block = sl_alloc(6 * n, sizeof *out->block);
    out->texts = sl_alloc(n, sizeof *out->texts);
    for (size_t i = 0; i < n; i++) {
        const struct sl_answer_set *set = &answer->sets[i];
        if (group_of(answer, i) != group) continue;
        put_point(out->block, n, count, set->seconds, of_model ? set->model : set->distance);
        out->texts[count++] = set->name;
    }
    return (struct sl_plot_series){.name = names[group],
                                   .count = count,
                                   .x = out->block,
                                   .x_low = out->block + n,
                                   .x_high = out->block + 2 * n,
                                   .y = out->block + 3 * n,
                                   .y_low = out->block + 4 * n,
                                   .y_high = out->block + 5 * n,
                                   .texts = out->texts,
                                   .reference = group == AGAINST};
}

/* Times go over two orders of magnitude; an interval that reaches zero has no place there. */
static enum sl_plot_scale scale_of(const struct sl_experiment_answer *answer)
{
    for (size_t i = 0; i < answer->n_sets; i++) {
        const struct sl_estimate *seconds = &answer->sets[i].seconds;
        if (seconds->mean <= 0 || seconds->mean - seconds->spread <= 0) return SL_SCALE_LINEAR;
    }
    return SL_SCALE_LOG;
}

static bool is_lower_better(const char *column)
{
    const char *slash = strrchr(column, '/'), *name = slash ? slash + 1 : column;
    const struct sl_experiment_metric *metric = sl_experiment_metric_find(name, strlen(name));
    return metric && metric->better < 0;
}

static enum sl_status show_chart(const struct sl_presentation *show,
                                 const struct sl_experiment_answer *answer, bool of_model,
                                 struct sl_error *err)
{
    struct points points[GROUPS];
    struct sl_plot_series series[GROUPS];
    size_t count = 0;
    for (enum group group = AGAINST; group < GROUPS; group++) {
        series[count] = collect_points(answer, group, of_model, &points[group]);
        count += series[count].count > 0;
    }
    char *label = of_model ? sl_experiment_column_title(answer->model)
                           : sl_string_copy(measure_title(answer->distance));
    struct sl_plot plot = {
        .kind = SL_PLOT_SCATTER,
        .title = of_model ? "What it did to the model" : "How near labels came, and what it took",
        .subtitle = !of_model || is_lower_better(answer->model)
                        ? "lower is better, and so is further to the left"
                        : "higher is better, and so is further to the left",
        .x = {.label = "Annotators' time per item", .unit = "s", .scale = scale_of(answer)},
        .y = {.label = label},
        .note = "Mean over runs; whiskers are 95 % intervals.",
        .series = series,
        .n_series = count};
    enum sl_status status = sl_report_chart(show->report, &plot, show->badge, err);
    free(label);
    for (size_t i = 0; i < GROUPS; i++) {
        free(points[i].block);
        free(points[i].texts);
    }
    return status;
}

/* ---- The table ---- */

static void cell(const struct sl_presentation *show, struct sl_estimate estimate, unsigned decimals)
{
    sl_report_cell(show->report, isnan(estimate.mean)
                                     ? sl_cell_empty(NULL)
                                     : sl_cell_number(estimate.mean, estimate.spread, decimals));
}

static void show_table(const struct sl_presentation *show,
                       const struct sl_experiment_answer *answer)
{
    char *model = sl_experiment_column_title(answer->model);
    const char *const columns[] = {
        "Labels", measure_title(answer->distance), "Seconds per item", "Nearer per 100 s", model,
        "Front"};
    const struct sl_table_head head = {.id = "answer",
                                       .caption = "Every set of labels; ± is half the 95 % "
                                                  "interval of the mean",
                                       .badge = show->badge,
                                       .columns = columns,
                                       .n_columns = sizeof columns / sizeof *columns};
    sl_report_table(show->report, &head);
    for (size_t i = 0; i < answer->n_sets; i++) {
        const struct sl_answer_set *set = &answer->sets[i];
        struct sl_cell name = sl_cell_text(set->name);
        name.strong = i == answer->best;
        sl_report_cell(show->report, name);
        cell(show, set->distance, DISTANCE_DECIMALS);
        cell(show, set->seconds, SECONDS_DECIMALS);
        if (set->has_gain)
            cell(show, per_hundred(set->gain), GAIN_DECIMALS);
        else
            sl_report_cell(show->report, sl_cell_empty("measured against"));
        cell(show, set->model, MODEL_DECIMALS);
        sl_report_cell(show->report,
                       set->is_front ? sl_cell_mark(SL_MARK_GOOD, "yes") : sl_cell_text("no"));
    }
    free(model);
}

enum sl_status sl_present_answer_details(const struct sl_presentation *show,
                                         const struct sl_experiment_answer *answer,
                                         struct sl_error *err)
{
    sl_report_section(show->report, 2, "answer-details", "How near, and how quick");
    SL_TRY(show_chart(show, answer, false, err));
    SL_TRY(show_chart(show, answer, true, err));
    show_table(show, answer);
    sl_report_paragraph(show->report);
    sl_report_text(show->report, SL_STYLE_PLAIN,
                   "Nearer per 100 s: how much less the distance is than that of %s, in every run, "
                   "over the seconds that the set's own answers took, times 100. On the front are "
                   "those than which no other is both as near and as quick.",
                   answer->sets[answer->against].name);
    return SL_OK;
}
