#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/outcome_internal.h"

static const char mixed_badge[] = "some at quick scale, not a reproduction";

/* Where figures and verdicts come from: what each is worth. */
enum source { SOURCE_DATA, SOURCE_QUICK, SOURCE_PAPER, N_SOURCES };
static const char *const source_titles[N_SOURCES] = {
    [SOURCE_DATA] = "published data, without training",
    [SOURCE_QUICK] = "runs at quick scale",
    [SOURCE_PAPER] = "runs at the papers' scale",
};

struct tally {
    size_t n_tables, n_runs, n_published, n_filled, n_claims;
    size_t verdicts[SL_VERDICTS];
};
struct tallies {
    struct tally all, sources[N_SOURCES];
};

/* Runs of several tables count once. */
static size_t count_runs(const struct sl_presentation *shows, size_t count, bool is_quick)
{
    struct sl_name_table *keys = sl_name_table_create();
    uint32_t index;
    for (size_t i = 0; i < count; i++) {
        const struct sl_outcome *outcome = shows[i].outcome;
        for (size_t r = 0; r < outcome->n_runs && (shows[i].badge != NULL) == is_quick; r++) {
            const char *key = outcome->runs[r].result->key;
            if (sl_name_table_add(keys, key, strlen(key), &index, NULL) != SL_OK) break;
        }
    }
    size_t n_runs = sl_name_table_count(keys);
    sl_name_table_destroy(keys);
    return n_runs;
}

static void add_outcome(const struct sl_presentation *show, struct tallies *tallies)
{
    const struct sl_outcome *outcome = show->outcome;
    enum source trained = show->badge           ? SOURCE_QUICK
                          : outcome->n_runs > 0 ? SOURCE_PAPER
                                                : SOURCE_DATA;
    bool is_in[N_SOURCES] = {false};
    is_in[trained] = true;
    for (size_t i = 0; i < outcome->n_cells; i++) {
        const struct sl_outcome_cell *cell = &outcome->cells[i];
        struct tally *source = &tallies->sources[cell->here.is_computed ? SOURCE_DATA : trained];
        if (isnan(cell->here.mean)) continue;
        is_in[SOURCE_DATA] = is_in[SOURCE_DATA] || cell->here.is_computed;
        source->n_filled += cell->status != NULL;
        tallies->all.n_filled += cell->status != NULL;
    }
    for (size_t i = 0; i < outcome->n_cells; i++)
        tallies->all.n_published += outcome->cells[i].status != NULL;
    for (size_t i = 0; i < outcome->n_claims; i++) {
        const struct sl_judgement *here = &outcome->claims[i].here;
        bool is_computed = here->verdict != SL_VERDICT_NOT_RUN && here->test == SL_TEST_EXACT;
        struct tally *source = &tallies->sources[is_computed ? SOURCE_DATA : trained];
        source->verdicts[here->verdict]++;
        source->n_claims++;
        tallies->all.verdicts[here->verdict]++;
        tallies->all.n_claims++;
        is_in[SOURCE_DATA] = is_in[SOURCE_DATA] || is_computed;
    }
    for (size_t i = 0; i < N_SOURCES; i++)
        tallies->sources[i].n_tables += is_in[i];
    tallies->all.n_tables++;
}

static struct tallies count_all(const struct sl_presentation *shows, size_t count)
{
    struct tallies tallies = {.all = {0}};
    for (size_t i = 0; i < count; i++)
        add_outcome(&shows[i], &tallies);
    tallies.sources[SOURCE_QUICK].n_runs = count_runs(shows, count, true);
    tallies.sources[SOURCE_PAPER].n_runs = count_runs(shows, count, false);
    tallies.all.n_runs =
        tallies.sources[SOURCE_QUICK].n_runs + tallies.sources[SOURCE_PAPER].n_runs;
    return tallies;
}

/* ---- In words ---- */

static const char *plural(size_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

/* "37 hold here, 0 fail and 0 are undecided; 1 was not run". */
void sl_present_verdicts(struct sl_report *report, const size_t verdicts[SL_VERDICTS],
                         const char *where, size_t n_quick)
{
    sl_report_text(report, SL_STYLE_STRONG, "%zu %s %s", verdicts[SL_VERDICT_HOLDS],
                   plural(verdicts[SL_VERDICT_HOLDS], "holds", "hold"), where);
    if (n_quick)
        sl_report_text(report, SL_STYLE_PLAIN, " (%zu of them at quick scale only)", n_quick);
    sl_report_text(report, SL_STYLE_PLAIN, ", ");
    sl_report_text(report, SL_STYLE_STRONG, "%zu %s", verdicts[SL_VERDICT_FAILS],
                   plural(verdicts[SL_VERDICT_FAILS], "fails", "fail"));
    sl_report_text(
        report, SL_STYLE_PLAIN, " and %zu %s undecided; %zu %s not run.",
        verdicts[SL_VERDICT_UNDECIDED], plural(verdicts[SL_VERDICT_UNDECIDED], "is", "are"),
        verdicts[SL_VERDICT_NOT_RUN], plural(verdicts[SL_VERDICT_NOT_RUN], "was", "were"));
}

/* Whether no row has a second run that could give it an interval. */
static bool has_one_run(const struct sl_presentation *shows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < shows[i].outcome->n_cells; c++)
            if (shows[i].outcome->cells[c].here.n_runs > 1) return false;
    return true;
}

static size_t count_judged(const struct tally *tally)
{
    return tally->n_claims - tally->verdicts[SL_VERDICT_NOT_RUN];
}

/* How many of the papers' claims held, in a sentence that says no more than the runs do. */
static void say_claims(struct sl_report *report, const struct sl_presentation *shows, size_t count,
                       const struct tallies *tallies)
{
    const size_t *verdicts = tallies->all.verdicts, n_claims = tallies->all.n_claims;
    const size_t n_judged = count_judged(&tallies->all);
    const size_t n_decided = verdicts[SL_VERDICT_HOLDS] + verdicts[SL_VERDICT_FAILS];
    const size_t n_quick = tallies->sources[SOURCE_QUICK].verdicts[SL_VERDICT_HOLDS];
    const bool is_quick = count_judged(&tallies->sources[SOURCE_QUICK]) == n_judged;
    sl_report_note(report, SL_TONE_ANSWER);
    if (count == 0) {
        sl_report_text(report, SL_STYLE_PLAIN, "There is nothing to report: no result was read.");
    } else if (n_claims == 0) {
        sl_report_text(report, SL_STYLE_PLAIN,
                       "These tables make no claim to test: %zu of %zu published figures have a "
                       "value here.",
                       tallies->all.n_filled, tallies->all.n_published);
    } else if (n_judged == 0) {
        sl_report_text(report, SL_STYLE_STRONG, "Nothing is decided.");
        sl_report_text(report, SL_STYLE_PLAIN,
                       " None of the %zu claims of the papers could be tested with these results.",
                       n_claims);
    } else if (n_decided == 0) {
        sl_report_text(report, SL_STYLE_STRONG, "Nothing is decided.");
        sl_report_text(report, SL_STYLE_PLAIN,
                       " Of the papers' %zu claims, %zu could be tested, and %s undecided%s.",
                       n_claims, n_judged, plural(n_judged, "it is", "all are"),
                       has_one_run(shows, count) ? ", since one run per row has no interval" : "");
    } else {
        sl_report_text(report, SL_STYLE_PLAIN, "Of the papers' %zu claims, ", n_claims);
        sl_present_verdicts(report, verdicts, is_quick ? "at quick scale" : "here",
                            is_quick ? 0 : n_quick);
    }
}

/* "60 runs at the papers' scale, 39 runs at quick scale, 3 figures computed from published data".
 */
static void say_sources(struct sl_report *report, const struct tallies *tallies)
{
    const char *before = "What this rests on: ";
    for (size_t i = N_SOURCES; i-- > 0;) {
        const struct tally *source = &tallies->sources[i];
        if (source->n_filled + source->n_runs == 0) continue;
        if (i == SOURCE_DATA) {
            sl_report_text(report, SL_STYLE_PLAIN,
                           "%s%zu figure%s computed from published data, without training", before,
                           source->n_filled, plural(source->n_filled, "", "s"));
        } else {
            sl_report_text(report, SL_STYLE_PLAIN, "%s%zu run%s at ", before, source->n_runs,
                           plural(source->n_runs, "", "s"));
            sl_report_text(report, SL_STYLE_STRONG, "%s",
                           i == SOURCE_QUICK ? "quick scale" : "the papers' scale");
        }
        before = ", ";
    }
    if (*before == 'W') sl_report_text(report, SL_STYLE_PLAIN, "%sno run and no figure", before);
}

/* How many runs are behind a figure that was trained for: "2 to 15 runs per figure". */
static void say_depth(struct sl_report *report, const struct sl_presentation *shows, size_t count)
{
    size_t fewest = SIZE_MAX, most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < shows[i].outcome->n_cells; c++) {
            const size_t n_runs = shows[i].outcome->cells[c].here.n_runs;
            if (n_runs == 0) continue;
            fewest = n_runs < fewest ? n_runs : fewest;
            most = n_runs > most ? n_runs : most;
        }
    if (most == 0) return;
    sl_report_text(report, SL_STYLE_PLAIN, "; %zu", fewest);
    if (most > fewest) sl_report_text(report, SL_STYLE_PLAIN, " to %zu", most);
    sl_report_text(report, SL_STYLE_PLAIN, " run%s per figure", plural(most, "", "s"));
}

/* Many claims at once: some are decided although nothing differs. */
static void say_chance(struct sl_report *report, const struct tallies *tallies)
{
    const size_t count = count_judged(&tallies->sources[SOURCE_QUICK]) +
                         count_judged(&tallies->sources[SOURCE_PAPER]);
    const double by_chance = (double)count / 20;
    if (by_chance < 1) return;
    sl_report_text(
        report, SL_STYLE_PLAIN,
        " Chance decides some of them: where nothing differs, one 95\u00a0%% interval in "
        "twenty excludes zero, which is up to about %.0f of the %zu judged by runs.",
        by_chance, count);
}

void sl_present_summary(struct sl_report *report, const struct sl_presentation *shows, size_t count)
{
    struct tallies tallies = count_all(shows, count);
    say_claims(report, shows, count, &tallies);
    if (count == 0) return;
    sl_report_note(report, SL_TONE_BASIS);
    say_sources(report, &tallies);
    say_depth(report, shows, count);
    sl_report_text(
        report, SL_STYLE_PLAIN,
        ". %zu of %zu published figures in %zu table%s have a value here. A claim is one "
        "comparison that a paper draws, on one measure and test set; runs decide "
        "it by the 95 %% interval of the difference.",
        tallies.all.n_filled, tallies.all.n_published, count, plural(count, "", "s"));
    say_chance(report, &tallies);
    if (tallies.sources[SOURCE_QUICK].n_runs == 0) return;
    sl_report_note(report, SL_TONE_WARNING);
    sl_report_text(report, SL_STYLE_PLAIN, "Figures at ");
    sl_report_text(report, SL_STYLE_STRONG, "quick scale");
    sl_report_text(report, SL_STYLE_PLAIN,
                   " come from small networks trained for few epochs on few seeds. They show that "
                   "everything runs and are no reproduction of a paper.");
}

/* ---- As tables ---- */

static void show_counts(struct sl_report *report, const struct tally *tally)
{
    static const enum sl_verdict order[] = {SL_VERDICT_HOLDS, SL_VERDICT_FAILS,
                                            SL_VERDICT_UNDECIDED, SL_VERDICT_NOT_RUN};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        struct sl_cell cell = sl_cell_number((double)tally->verdicts[order[i]], NAN, 0);
        cell.strong = tally->verdicts[order[i]] > 0 && order[i] != SL_VERDICT_NOT_RUN;
        sl_report_cell(report, tally->n_claims ? cell : sl_cell_empty(NULL));
    }
}

static void show_runs(struct sl_report *report, const struct tally *tally)
{
    sl_report_cell(report, tally->n_runs ? sl_cell_number((double)tally->n_runs, NAN, 0)
                                         : sl_cell_empty(NULL));
}

/* What was judged by which kind of figures. */
static void show_sources(struct sl_report *report, const struct tallies *tallies)
{
    static const char *const columns[] = {"Judged by", "Hold",   "Fail", "Undecided",
                                          "Not run",   "Tables", "Runs", "Figures here"};
    struct sl_table_head head = {.id = "overview-sources",
                                 .caption = "Claims by what they were judged by",
                                 .columns = columns,
                                 .n_columns = sizeof columns / sizeof *columns};
    sl_report_table(report, &head);
    for (size_t i = 0; i < N_SOURCES; i++) {
        const struct tally *source = &tallies->sources[i];
        if (source->n_tables == 0) continue;
        struct sl_cell title = sl_cell_text(source_titles[i]);
        title.strong = i == SOURCE_QUICK;
        sl_report_cell(report, title);
        show_counts(report, source);
        sl_report_cell(report, sl_cell_number((double)source->n_tables, NAN, 0));
        show_runs(report, source);
        sl_report_cell(report, sl_cell_number((double)source->n_filled, NAN, 0));
    }
}

/* The name of a table, which leads to its section. */
static struct sl_cell link_to(const struct sl_presentation *show)
{
    struct sl_cell cell = sl_cell_text(show->outcome->source.spec->name);
    cell.link = show->id;
    return cell;
}

static void show_tables(struct sl_report *report, const struct sl_presentation *shows, size_t count)
{
    static const char *const columns[] = {"Table", "Scale",        "Hold",
                                          "Fail",  "Undecided",    "Not run",
                                          "Runs",  "Figures here", "Figures in the paper"};
    struct sl_table_head head = {.id = "overview-tables",
                                 .caption = "Claims by table",
                                 .columns = columns,
                                 .n_columns = sizeof columns / sizeof *columns};
    sl_report_table(report, &head);
    for (size_t i = 0; i < count; i++) {
        struct tallies tallies = count_all(&shows[i], 1);
        const struct tally *all = &tallies.all;
        struct sl_cell scale = sl_cell_text(shows[i].badge ? "quick scale"
                                            : all->n_runs  ? shows[i].outcome->source.spec->scale
                                                           : "computed");
        scale.strong = shows[i].badge != NULL;
        sl_report_cell(report, link_to(&shows[i]));
        sl_report_cell(report, scale);
        show_counts(report, all);
        show_runs(report, all);
        sl_report_cell(report, all->n_published ? sl_cell_number((double)all->n_filled, NAN, 0)
                                                : sl_cell_empty(NULL));
        sl_report_cell(report, all->n_published ? sl_cell_number((double)all->n_published, NAN, 0)
                                                : sl_cell_empty("none"));
    }
}

/* Every comparison that came out one way or the other, those that fail first. */
static void show_decided(struct sl_report *report, const struct sl_presentation *shows,
                         size_t count, const struct tally *all)
{
    static const char *const columns[] = {"Table",
                                          "Claim",
                                          "Measure",
                                          "Here",
                                          "Difference in its favour",
                                          "Test",
                                          "In the paper's own figures"};
    static const enum sl_verdict order[] = {SL_VERDICT_FAILS, SL_VERDICT_HOLDS};
    size_t n_fail = all->verdicts[SL_VERDICT_FAILS], n_hold = all->verdicts[SL_VERDICT_HOLDS];
    if (n_fail + n_hold == 0) return;
    bool is_quick = false;
    for (size_t i = 0; i < count; i++)
        is_quick = is_quick || shows[i].badge;
    char *title = sl_string_printf("The %zu claims that were decided: %zu fail, %zu hold",
                                   n_fail + n_hold, n_fail, n_hold);
    struct sl_table_head head = {.id = "overview-decided",
                                 .caption = "Claims that were decided; ± is half the 95 % "
                                            "interval",
                                 .badge = is_quick ? mixed_badge : NULL,
                                 .columns = columns,
                                 .n_columns = sizeof columns / sizeof *columns};
    sl_report_fold(report, title);
    sl_report_table(report, &head);
    for (size_t v = 0; v < 2; v++)
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < shows[i].outcome->n_claims; c++) {
                const struct sl_outcome_claim *claim = &shows[i].outcome->claims[c];
                if (claim->here.verdict != order[v]) continue;
                sl_report_cell(report, link_to(&shows[i]));
                sl_present_claim(report, claim);
            }
    sl_report_fold_end(report);
    free(title);
}

/* ---- As a chart ---- */

/* How the comparisons of each paper came out, as far as they were judged. */
enum { MOST_PAPERS = 12, N_BARS = 3 };
struct bars {
    char *papers[MOST_PAPERS]; /* owned */
    double values[N_BARS][MOST_PAPERS];
    size_t count;
};

static void add_bar(struct bars *bars, const struct sl_outcome *outcome)
{
    const char *name = outcome->source.spec->name;
    size_t length = strcspn(name, "/"), paper = 0;
    while (paper < bars->count &&
           (strncmp(bars->papers[paper], name, length) != 0 || bars->papers[paper][length] != '\0'))
        paper++;
    if (paper == MOST_PAPERS) return;
    if (paper == bars->count) bars->papers[bars->count++] = sl_string_copy_n(name, length);
    for (size_t i = 0; i < outcome->n_claims; i++) {
        enum sl_verdict verdict = outcome->claims[i].here.verdict;
        if (verdict != SL_VERDICT_NOT_RUN) bars->values[verdict - SL_VERDICT_HOLDS][paper]++;
    }
}

static enum sl_status show_bars(struct sl_report *report, const struct sl_presentation *shows,
                                size_t count, struct sl_error *err)
{
    static const char *const names[N_BARS] = {"hold here", "fail", "undecided"};
    struct bars bars = {.count = 0};
    struct sl_plot_series series[N_BARS];
    const char *categories[MOST_PAPERS], *badge = NULL;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count; i++) {
        add_bar(&bars, shows[i].outcome);
        if (shows[i].badge) badge = mixed_badge;
    }
    for (size_t i = 0; i < bars.count; i++)
        categories[i] = bars.papers[i];
    for (size_t i = 0; i < N_BARS; i++)
        series[i] =
            (struct sl_plot_series){.name = names[i], .count = bars.count, .x = bars.values[i]};
    struct sl_plot plot = {
        .kind = SL_PLOT_BARS,
        .title = "Claims that were judged, by paper",
        .x = {.label = "Number of claims"},
        .y = {.scale = SL_SCALE_CATEGORY, .categories = categories, .n_categories = bars.count},
        .series = series,
        .n_series = N_BARS};
    if (bars.count >= 2) status = sl_report_chart(report, &plot, badge, err);
    for (size_t i = 0; i < bars.count; i++)
        free(bars.papers[i]);
    return status;
}

enum sl_status sl_present_overview(struct sl_report *report, const struct sl_presentation *shows,
                                   size_t count, struct sl_error *err)
{
    struct tallies tallies = count_all(shows, count);
    sl_report_section(report, 2, "overview", "Overview");
    if (count > 1) {
        show_sources(report, &tallies);
        if (tallies.all.n_claims > tallies.all.verdicts[SL_VERDICT_NOT_RUN])
            SL_TRY(show_bars(report, shows, count, err));
        show_decided(report, shows, count, &tallies.all);
    }
    show_tables(report, shows, count);
    return count > 1 ? sl_present_figures(report, shows, count, err) : SL_OK;
}
