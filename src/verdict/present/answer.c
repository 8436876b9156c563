/* The answer in words, as a chart and as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

enum { DISTANCE_DECIMALS = 4, SECONDS_DECIMALS = 1, GAIN_DECIMALS = 3, MODEL_DECIMALS = 3 };
/* Gains are printed per this many seconds. */
enum { GAIN_SECONDS = 100 };

static const char *measure_title(const char *column)
{
    const char *slash = strrchr(column, '/'), *name = slash ? slash + 1 : column;
    const struct sl_measure *metric = sl_measure_find(name, strlen(name));
    return metric ? metric->title : name;
}

static struct sl_estimate per_hundred(struct sl_estimate gain)
{
    gain.mean *= GAIN_SECONDS;
    gain.spread *= GAIN_SECONDS;
    return gain;
}

/* ---- In words ---- */

static void say(const struct sl_presentation *show, const char *words)
{
    sl_report_text(show->report, SL_STYLE_PLAIN, "%s", words);
}

static void say_name(const struct sl_presentation *show, const struct sl_answer_set *set)
{
    sl_report_text(show->report, SL_STYLE_STRONG, "%s", set->name);
}

/* As many decimals as the spread supports: two digits of it up to 35, else one. */
static int decimals_of(double spread, int most)
{
    enum { MOST_DECIMALS = 9 };
    if (!(spread > 0)) return most;
    const double exponent = floor(log10(spread));
    const bool is_small = spread / pow(10, exponent) < 3.55;
    const int decimals = (int)-exponent + (is_small ? 1 : 0);
    return decimals < 0 ? 0 : decimals > MOST_DECIMALS ? MOST_DECIMALS : decimals;
}

/* "0.0103 ± 0.0020"; `decimals` where there is no interval. */
static void put_estimate(struct sl_buffer *out, struct sl_estimate estimate, int decimals)
{
    /* Equal runs give a spread that is rounding error only. */
    const bool has_interval =
        isfinite(estimate.spread) && estimate.spread > 1e-9 * fabs(estimate.mean);
    if (has_interval) decimals = decimals_of(estimate.spread, decimals);
    sl_buffer_printf(out, "%s%.*f", estimate.mean < 0 ? "\u2212" : "", decimals,
                     fabs(estimate.mean));
    if (has_interval) sl_buffer_printf(out, "\u00a0±\u00a0%.*f", decimals, estimate.spread);
}

static bool is_lower_better(const char *column)
{
    const char *slash = strrchr(column, '/');
    return sl_measure_direction(slash ? slash + 1 : column) < 0;
}

/* "73 % closer", "4 % further away". */
static void say_closer(const struct sl_presentation *show, const struct sl_answer_set *set,
                       const struct sl_answer_set *against)
{
    const double part = 1 - set->distance.mean / against->distance.mean;
    if (isfinite(part))
        sl_report_text(show->report, SL_STYLE_PLAIN, "%.0f\u00a0%% ", 100 * fabs(part));
    say(show,
        part >= 0 ? "closer to the true distributions" : "further from the true distributions");
}

/* "in 1.7 times the annotator time". */
static void say_time(const struct sl_presentation *show, const struct sl_answer_set *set,
                     const struct sl_answer_set *against)
{
    static const double about = .05;
    const double ratio = set->seconds.mean / against->seconds.mean;
    if (!isfinite(ratio) || !(ratio > 0)) return;
    if (fabs(ratio - 1) < about)
        say(show, " in about the same annotator time");
    else
        sl_report_text(show->report, SL_STYLE_PLAIN, " in %.*f times the annotator time",
                       ratio < 10 ? 1 : 0, ratio);
}

static bool has_one_run(const struct sl_verdict_answer *answer)
{
    for (size_t i = 0; i < answer->n_sets; i++)
        if (answer->sets[i].distance.n_runs > 1) return false;
    return true;
}

/* After a decided gain: whether the lead over the next best set is decided too. */
static void say_first(const struct sl_presentation *show, const struct sl_verdict_answer *answer)
{
    if (answer->best_first.verdict == SL_VERDICT_NOT_RUN) {
        say(show, " This is decided.");
        return;
    }
    if (answer->best_first.verdict == SL_VERDICT_HOLDS) {
        say(show, " This is decided, and so is its lead over the next best set, ");
        say_name(show, &answer->sets[answer->next]);
        say(show, ".");
        return;
    }
    say(show, " This is decided; whether it or ");
    say_name(show, &answer->sets[answer->next]);
    sl_report_text(show->report, SL_STYLE_PLAIN, " is the best of the %zu label sets is not.",
                   answer->n_sets);
}

/* Compare the networks trained on the best set and on the baseline. */
static void say_model(const struct sl_presentation *show, const struct sl_verdict_answer *answer)
{
    const struct sl_judgement *judged = &answer->model_better;
    if (judged->verdict == SL_VERDICT_NOT_RUN) return;
    const char *slash = strrchr(answer->model, '/');
    const double difference = judged->difference.estimate;
    const double half = (judged->difference.high - judged->difference.low) / 2;
    const bool is_lower = (difference >= 0) == is_lower_better(answer->model);
    const bool is_open = judged->verdict == SL_VERDICT_UNDECIDED;
    say(show, is_open ? " Whether the network trained on " : " The network trained on ");
    say_name(show, &answer->sets[answer->best]);
    sl_report_text(show->report, SL_STYLE_PLAIN, " is %s than the one trained on ",
                   is_open           ? "better"
                   : difference >= 0 ? "significantly better"
                                     : "significantly worse");
    say_name(show, &answer->sets[answer->against]);
    say(show, is_open ? " is not decided: its " : ": its ");
    say(show, measure_title(answer->model));
    if (slash)
        sl_report_text(show->report, SL_STYLE_PLAIN, " on %.*s", (int)(slash - answer->model),
                       answer->model);
    struct sl_buffer number;
    sl_buffer_init(&number, 256);
    put_estimate(&number, (struct sl_estimate){.mean = fabs(difference), .spread = half},
                 MODEL_DECIMALS);
    sl_report_text(show->report, SL_STYLE_PLAIN, " is %s %s.", number.data,
                   is_lower ? "lower" : "higher");
    sl_buffer_release(&number);
}

static void say_better(const struct sl_presentation *show, const struct sl_verdict_answer *answer)
{
    const struct sl_answer_set *best = &answer->sets[answer->best];
    const struct sl_answer_set *against = &answer->sets[answer->against];
    const bool is_decided = answer->best_gains.verdict == SL_VERDICT_HOLDS;
    if (!is_decided)
        sl_report_text(show->report, SL_STYLE_STRONG, "%s",
                       has_one_run(answer) ? "One run per label set decides nothing."
                                           : "Nothing is decided.");
    if (!is_decided) say(show, " In these runs, ");
    say_name(show, best);
    say(show, is_decided ? " gives better labels for the annotators' time than "
                         : " gave better labels for the annotators' time than ");
    say_name(show, against);
    say(show, ": ");
    say_closer(show, best, against);
    say_time(show, best, against);
    say(show, ".");
    if (is_decided) say_first(show, answer);
}

static void say_none(const struct sl_presentation *show, const struct sl_verdict_answer *answer)
{
    const struct sl_answer_set *against = &answer->sets[answer->against];
    if (answer->best == SIZE_MAX) {
        sl_report_text(show->report, SL_STYLE_STRONG, "Nothing can be compared:");
        say(show, " no label set but ");
        say_name(show, against);
        say(show, " has runs.");
        return;
    }
    const bool is_decided = answer->best_gains.verdict == SL_VERDICT_FAILS;
    if (!is_decided)
        sl_report_text(show->report, SL_STYLE_STRONG, "%s",
                       has_one_run(answer) ? "One run per label set decides nothing."
                                           : "Nothing is decided.");
    say(show, is_decided
                  ? "No label set came closer to the true distributions than "
                  : " In these runs, no label set came closer to the true distributions than ");
    say_name(show, against);
    say(show, "; the best of the others is ");
    say_name(show, &answer->sets[answer->best]);
    say(show, ", ");
    say_closer(show, &answer->sets[answer->best], against);
    say(show, is_decided ? ". This is decided." : ".");
}

/* ---- Its basis ---- */

static void say_people(const struct sl_presentation *show)
{
    const char *people = show->outcome->source.spec->brief->people;
    if (!people) {
        say(show, "the specification does not say whether people or a simulation answered");
        return;
    }
    const bool is_simulated = strcmp(people, "simulated") == 0;
    sl_report_text(show->report, SL_STYLE_STRONG, "%s",
                   is_simulated ? "simulated people" : "real people");
    if (is_simulated) say(show, ", so this says nothing yet about real ones");
}

/* A figure that is equal in all runs, such as the number of items; NaN if they differ. */
static double common_figure(const struct sl_outcome *outcome, const char *column)
{
    double common = NAN;
    for (size_t i = 0; i < outcome->n_runs; i++) {
        const json_t *metrics = json_object_get(outcome->runs[i].result->json, "metrics");
        const json_t *value = json_object_get(metrics, column);
        if (!json_is_number(value)) return NAN;
        if (!isnan(common) && json_number_value(value) != common) return NAN;
        common = json_number_value(value);
    }
    return common;
}

/* How many items the network was scored on, from the bins of the first run; 0: not known. */
static double count_scored(const struct sl_outcome *outcome, const char *column)
{
    enum { COUNT_FIELD = 2 };
    const char *slash = strrchr(column, '/');
    if (!slash || outcome->n_runs == 0) return 0;
    char *test = sl_string_copy_n(column, (size_t)(slash - column));
    const struct sl_numbers *bins = sl_numbers_find(&outcome->runs[0].result->reliability, test);
    double count = 0;
    for (size_t i = 0; bins && bins->width > COUNT_FIELD && i < bins->count; i++)
        count += bins->values[i * bins->width + COUNT_FIELD];
    free(test);
    return isfinite(count) ? count : 0;
}

static void say_runs(const struct sl_presentation *show, const struct sl_verdict_answer *answer)
{
    size_t fewest = SIZE_MAX, most = 0;
    for (size_t i = 0; i < answer->n_sets; i++) {
        const size_t n_runs = answer->sets[i].distance.n_runs;
        fewest = n_runs < fewest ? n_runs : fewest;
        most = n_runs > most ? n_runs : most;
    }
    sl_report_text(show->report, SL_STYLE_PLAIN, "; %zu run%s of %zu label sets (%zu",
                   show->outcome->n_runs, show->outcome->n_runs == 1 ? "" : "s", answer->n_sets,
                   fewest);
    if (most > fewest) sl_report_text(show->report, SL_STYLE_PLAIN, " to %zu", most);
    say(show, " per set)");
}

static void say_basis(const struct sl_presentation *show, const struct sl_verdict_answer *answer)
{
    const double items = common_figure(show->outcome, SL_ANSWER_ITEMS);
    const double scored = count_scored(show->outcome, answer->model);
    sl_report_note(show->report, SL_TONE_BASIS);
    say(show, "What this rests on: ");
    say_people(show);
    say_runs(show, answer);
    if (items > 0) sl_report_text(show->report, SL_STYLE_PLAIN, "; labels of %.0f items", items);
    if (scored > 0)
        sl_report_text(show->report, SL_STYLE_PLAIN, "; networks scored on %.0f items", scored);
    if (show->badge) {
        say(show, "; ");
        sl_report_text(show->report, SL_STYLE_STRONG, "%s", show->badge);
    }
    say(show,
        ". \u201cDecided\u201d and \u201csignificantly\u201d mean that the 95 % interval over "
        "runs excludes zero; another study with other people may come out differently.");
}

void sl_present_answer(const struct sl_presentation *show, const struct sl_verdict_answer *answer)
{
    const bool is_better = answer->best != SIZE_MAX && answer->sets[answer->best].gain.mean > 0;
    sl_report_note(show->report, SL_TONE_ANSWER);
    if (is_better)
        say_better(show, answer);
    else
        say_none(show, answer);
    if (answer->best != SIZE_MAX && !has_one_run(answer)) say_model(show, answer);
    say_basis(show, answer);
}

/* "few: Jensen-Shannon divergence 0.0103 ± 0.0020, 24.9 ± 0.7 s of annotator time per item, gain
 * 0.111 ± 0.011 per 100 s". */
static void show_figures(const struct sl_presentation *show, const struct sl_verdict_answer *answer,
                         const char *role, size_t index)
{
    if (index == SIZE_MAX) return;
    const struct sl_answer_set *set = &answer->sets[index];
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 16);
    sl_buffer_printf(&text, "%s: %s ", set->name, measure_title(answer->distance));
    put_estimate(&text, set->distance, DISTANCE_DECIMALS);
    sl_buffer_text(&text, ", ");
    put_estimate(&text, set->seconds, SECONDS_DECIMALS);
    sl_buffer_text(&text, "\u00a0s of annotator time per item");
    if (set->has_gain) {
        sl_buffer_text(&text, ", gain ");
        put_estimate(&text, per_hundred(set->gain), GAIN_DECIMALS);
        sl_buffer_printf(&text, " per %d\u00a0s", GAIN_SECONDS);
    }
    sl_report_pair(show->report, role, text.length && !text.overflowed ? text.data : set->name);
    sl_buffer_release(&text);
}

/* ---- Charts ---- */

/* The series of the chart: the baseline, sets that no other set beats in both distance and time
 * (the front), and the others. */
enum group { AGAINST, FRONT, OTHERS, GROUPS };

static enum group group_of(const struct sl_verdict_answer *answer, size_t index)
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

static struct sl_plot_series collect_points(const struct sl_verdict_answer *answer,
                                            enum group group, bool of_model, struct points *out)
{
    static const char *const names[] = {"baseline", "unbeaten in distance and time",
                                        "beaten by another set"};
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

/* Times span two orders of magnitude, but a log scale cannot show an interval that reaches zero. */
static enum sl_plot_scale scale_of(const struct sl_verdict_answer *answer)
{
    for (size_t i = 0; i < answer->n_sets; i++) {
        const struct sl_estimate *seconds = &answer->sets[i].seconds;
        if (seconds->mean <= 0 || seconds->mean - seconds->spread <= 0) return SL_SCALE_LINEAR;
    }
    return SL_SCALE_LOG;
}

static enum sl_status show_chart(const struct sl_presentation *show,
                                 const struct sl_verdict_answer *answer, bool of_model,
                                 struct sl_error *err)
{
    struct points points[GROUPS];
    struct sl_plot_series series[GROUPS];
    size_t count = 0;
    for (enum group group = AGAINST; group < GROUPS; group++) {
        series[count] = collect_points(answer, group, of_model, &points[group]);
        count += series[count].count > 0;
    }
    char *label = sl_verdict_chart_title(of_model ? answer->model : answer->distance);
    char *title = sl_verdict_heading(sl_string_printf("%s, by annotator time", label));
    struct sl_plot plot = {
        .kind = SL_PLOT_SCATTER,
        .title = title,
        .subtitle = !of_model || is_lower_better(answer->model)
                        ? "Lower is better, and so is further to the left."
                        : "Higher is better, and so is further to the left.",
        .x = {.label = "Annotator time per item", .unit = "s", .scale = scale_of(answer)},
        .y = {.label = label},
        .note = has_one_run(answer) ? "One run per label set, so no intervals."
                                    : "Mean over runs; whiskers are 95 % intervals.",
        .series = series,
        .n_series = count};
    enum sl_status status = sl_report_chart(show->report, &plot, show->badge, err);
    free(label);
    free(title);
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

static void show_table(const struct sl_presentation *show, const struct sl_verdict_answer *answer)
{
    char *model = sl_verdict_column_title(answer->model);
    const char *const columns[] = {"Label set",
                                   measure_title(answer->distance),
                                   "Annotator time per item (s)",
                                   "Gain per 100 s",
                                   model,
                                   "Unbeaten"};
    const struct sl_table_head head = {.id = "answer",
                                       .caption = "Every label set; ± is half the 95 % "
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
            sl_report_cell(show->report, sl_cell_empty("baseline"));
        cell(show, set->model, MODEL_DECIMALS);
        sl_report_cell(show->report,
                       set->is_front ? sl_cell_mark(SL_MARK_GOOD, "yes") : sl_cell_text("no"));
    }
    free(model);
}

enum sl_status sl_present_answer_details(const struct sl_presentation *show,
                                         const struct sl_verdict_answer *answer,
                                         struct sl_error *err)
{
    sl_report_section(show->report, 2, "answer-details",
                      "Distance to the truth and annotator time");
    show_figures(show, answer, "baseline", answer->against);
    show_figures(show, answer, "best for its time", answer->best);
    show_figures(show, answer, "second best for its time", answer->next);
    if (answer->nearest != answer->best)
        show_figures(show, answer, "closest, regardless of time", answer->nearest);
    SL_TRY(show_chart(show, answer, false, err));
    SL_TRY(show_chart(show, answer, true, err));
    show_table(show, answer);
    sl_report_paragraph(show->report);
    sl_report_text(show->report, SL_STYLE_PLAIN,
                   "Gain per 100 s: in every run, the distance of the baseline (%s) minus the "
                   "distance of the set, divided by the set's annotator time in seconds, times "
                   "100. Unbeaten: no other set is both as close to the truth and as quick. The "
                   "best set is the best of %zu; its interval is not corrected for that choice.",
                   answer->sets[answer->against].name, answer->n_sets);
    return SL_OK;
}
