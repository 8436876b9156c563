#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

static const char *plural(size_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

/* The verdicts that concern a paper's training: with its own network, all of its runs or fewer. */
static struct sl_tally headline_of(const struct sl_tallies *tallies)
{
    return sl_tally_sum(&tallies->sources[SL_EVIDENCE_FEWER], &tallies->sources[SL_EVIDENCE_PAPER]);
}

/* ---- In words ---- */

void sl_present_verdicts(struct sl_report *report, const size_t verdicts[SL_VERDICTS])
{
    const size_t n_hold = verdicts[SL_VERDICT_HOLDS], n_fail = verdicts[SL_VERDICT_FAILS],
                 n_open = verdicts[SL_VERDICT_UNDECIDED];
    sl_report_text(report, SL_STYLE_STRONG, "%zu %s", n_hold, plural(n_hold, "holds", "hold"));
    sl_report_text(report, SL_STYLE_PLAIN, ", ");
    sl_report_text(report, SL_STYLE_STRONG, "%zu %s", n_fail, plural(n_fail, "fails", "fail"));
    sl_report_text(report, SL_STYLE_PLAIN, " and %zu %s undecided", n_open,
                   plural(n_open, "is", "are"));
}

/* True if no row has a second run, without which it has no interval. */
static bool has_one_run(const struct sl_presentation *shows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < shows[i].outcome->n_cells; c++)
            if (shows[i].outcome->cells[c].here.n_runs > 1) return false;
    return true;
}

/* Say how many of the papers' claims were decided with the papers' own networks. */
static void say_claims(struct sl_report *report, const struct sl_presentation *shows, size_t count,
                       const struct sl_tallies *tallies)
{
    const struct sl_tally headline = headline_of(tallies);
    const size_t n_judged = sl_tally_judged(&headline);
    const size_t n_decided =
        headline.verdicts[SL_VERDICT_HOLDS] + headline.verdicts[SL_VERDICT_FAILS];
    sl_report_note(report, SL_TONE_ANSWER);
    if (count == 0) {
        sl_report_text(
            report, SL_STYLE_PLAIN,
            "There is nothing to report: no results of a known specification were read.");
    } else if (tallies->n_claims == 0) {
        sl_report_text(report, SL_STYLE_PLAIN,
                       "These tables make no claim that could be tested. %zu of %zu published "
                       "figures %s a value here.",
                       tallies->n_filled, tallies->n_published,
                       plural(tallies->n_filled, "has", "have"));
    } else if (n_judged == 0) {
        sl_report_text(report, SL_STYLE_STRONG, "No claim is decided with a paper's own network.");
        sl_report_text(report, SL_STYLE_PLAIN,
                       " None of the papers' %zu claims could be tested with it.",
                       tallies->n_claims);
    } else if (n_decided == 0) {
        sl_report_text(report, SL_STYLE_STRONG, "No claim is decided with a paper's own network.");
        sl_report_text(report, SL_STYLE_PLAIN,
                       " Of the papers' %zu claims, %zu could be tested with it, and %s "
                       "undecided%s.",
                       tallies->n_claims, n_judged, plural(n_judged, "it is", "all are"),
                       has_one_run(shows, count) ? ", because one run per row gives no interval"
                                                 : "");
    } else {
        sl_report_text(report, SL_STYLE_PLAIN,
                       "Of the papers' %zu claims, %zu %s tested with the paper's own network: ",
                       tallies->n_claims, n_judged, plural(n_judged, "was", "were"));
        sl_present_verdicts(report, headline.verdicts);
        sl_report_text(report, SL_STYLE_PLAIN, ".");
    }
}

/* Verdicts from other kinds of evidence, which the headline leaves out. */
static void say_others(struct sl_report *report, const struct sl_tallies *tallies)
{
    static const struct {
        enum sl_evidence evidence;
        const char *words;
    } others[] = {{SL_EVIDENCE_FILES, "From the authors' files, without training: "},
                  {SL_EVIDENCE_SMALL, "With small networks (not a reproduction): "}};
    for (size_t i = 0; i < 2; i++) {
        const struct sl_tally *tally = &tallies->sources[others[i].evidence];
        if (sl_tally_judged(tally) == 0) continue;
        sl_report_text(report, SL_STYLE_PLAIN, " %s", others[i].words);
        sl_present_verdicts(report, tally->verdicts);
        sl_report_text(report, SL_STYLE_PLAIN, ".");
    }
}

/* "What this rests on: 15 runs (paper's network, fewer runs), 3 figures from the authors' files".
 */
static void say_sources(struct sl_report *report, const struct sl_tallies *tallies)
{
    const char *before = "What this rests on: ";
    for (size_t i = SL_EVIDENCE_COUNT; i-- > 0;) {
        const struct sl_tally *source = &tallies->sources[i];
        const size_t n = i == SL_EVIDENCE_FILES ? source->n_filled : source->n_runs;
        if (n == 0) continue;
        if (i == SL_EVIDENCE_FILES)
            sl_report_text(report, SL_STYLE_PLAIN, "%s%zu figure%s %s", before, n,
                           plural(n, "", "s"), sl_evidence_words[i]);
        else
            sl_report_text(report, SL_STYLE_PLAIN, "%s%zu run%s (%s)", before, n,
                           plural(n, "", "s"), sl_evidence_words[i]);
        before = ", ";
    }
    if (*before == 'W') sl_report_text(report, SL_STYLE_PLAIN, "%sno run and no figure", before);
}

/* "; 2 to 15 runs per figure", of figures that needed training. */
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

/* Say what the figures of each small scale are worth. */
static void say_scales(struct sl_report *report, const struct sl_presentation *shows, size_t count)
{
    for (const struct sl_scale_wording *words = sl_scale_words; words->scale; words++) {
        if (!sl_scale_is_shown(words, shows, count)) continue;
        sl_report_note(report, SL_TONE_WARNING);
        sl_report_text(report, SL_STYLE_PLAIN, "Figures at ");
        sl_report_text(report, SL_STYLE_STRONG, "%s", words->name);
        sl_report_text(report, SL_STYLE_PLAIN, "%s", words->about);
    }
}

void sl_present_summary(struct sl_report *report, const struct sl_presentation *shows, size_t count,
                        size_t n_all)
{
    const struct sl_tallies tallies = sl_tallies_count(shows, n_all);
    say_claims(report, shows, count, &tallies);
    if (count == 0) return;
    say_others(report, &tallies);
    sl_report_note(report, SL_TONE_BASIS);
    say_sources(report, &tallies);
    say_depth(report, shows, count);
    sl_report_text(
        report, SL_STYLE_PLAIN,
        ". %zu of %zu published figures in %zu table%s %s a value here. A claim is one "
        "comparison that a paper makes on one measure and test set; the 95 %% interval of the "
        "difference decides it. ",
        tallies.n_filled, tallies.n_published, tallies.n_tables, plural(tallies.n_tables, "", "s"),
        plural(tallies.n_filled, "has", "have"));
    if (tallies.n_repeated)
        sl_report_text(report, SL_STYLE_PLAIN,
                       "%zu more place%s a claim about the same runs, which counts once. ",
                       tallies.n_repeated, plural(tallies.n_repeated, " repeats", "s repeat"));
    if (tallies.n_no_claims)
        sl_report_text(
            report, SL_STYLE_PLAIN,
            "%zu comparison%s shown but not judged, because the paper claims no direction. ",
            tallies.n_no_claims, plural(tallies.n_no_claims, " is", "s are"));
    sl_report_text(report, SL_STYLE_PLAIN, "%zu %s not tested: nothing was run for %s.",
                   tallies.n_claims - tallies.n_judged,
                   plural(tallies.n_claims - tallies.n_judged, "claim was", "claims were"),
                   plural(tallies.n_claims - tallies.n_judged, "it", "them"));
    say_scales(report, shows, count);
}

/* ---- As tables ---- */

static struct sl_cell count_cell(size_t count, bool is_known)
{
    return is_known ? sl_cell_number((double)count, NAN, 0) : sl_cell_empty(NULL);
}

static void show_counts(struct sl_report *report, const struct sl_tally *tally)
{
    static const enum sl_verdict order[] = {SL_VERDICT_HOLDS, SL_VERDICT_FAILS,
                                            SL_VERDICT_UNDECIDED};
    const bool is_judged = sl_tally_judged(tally) > 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        struct sl_cell cell = count_cell(tally->verdicts[order[i]], is_judged);
        cell.strong = tally->verdicts[order[i]] > 0;
        sl_report_cell(report, cell);
    }
    sl_report_cell(report, count_cell(tally->holm[SL_VERDICT_HOLDS], is_judged));
    sl_report_cell(report, count_cell(tally->holm[SL_VERDICT_FAILS], is_judged));
}

/* The table of verdicts by kind of evidence. */
static void show_sources(struct sl_report *report, const struct sl_tallies *tallies)
{
    static const char *const columns[] = {
        "Evidence",        "Hold",   "Fail", "Undecided",  "Hold after Holm",
        "Fail after Holm", "Tables", "Runs", "Our figures"};
    struct sl_table_head head = {.id = "overview-sources",
                                 .caption = "Verdicts on claims, by kind of evidence",
                                 .columns = columns,
                                 .n_columns = sizeof columns / sizeof *columns};
    sl_report_table(report, &head);
    for (size_t i = 0; i < SL_EVIDENCE_COUNT; i++) {
        const struct sl_tally *source = &tallies->sources[i];
        if (source->n_tables == 0) continue;
        sl_report_cell(report, sl_cell_text(sl_evidence_words[i]));
        show_counts(report, source);
        sl_report_cell(report, count_cell(source->n_tables, true));
        sl_report_cell(report, count_cell(source->n_runs, source->n_runs > 0));
        sl_report_cell(report, count_cell(source->n_filled, true));
    }
}

/* "4 of 12": decided claims of those tested. */
static void show_decided_of(struct sl_report *report, const struct sl_tally *tally)
{
    char words[64];
    snprintf(words, sizeof words, "%zu of %zu",
             tally->verdicts[SL_VERDICT_HOLDS] + tally->verdicts[SL_VERDICT_FAILS],
             sl_tally_judged(tally));
    sl_report_cell(report, sl_tally_judged(tally) ? sl_cell_text(words) : sl_cell_empty(NULL));
}

/* Gather the outcomes of a paper; 0 if `first` is not its first. */
static size_t gather_paper(const struct sl_presentation *shows, size_t count, size_t first,
                           struct sl_presentation *out)
{
    const char *paper = shows[first].outcome->source.spec->name;
    const size_t length = strcspn(paper, "/");
    size_t n_shows = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = shows[i].outcome->source.spec->name;
        if (strcspn(name, "/") != length || memcmp(name, paper, length) != 0) continue;
        if (i < first) return 0;
        out[n_shows++] = shows[i];
    }
    return n_shows;
}

/* The table of decided claims by paper and kind of evidence. */
static void show_papers(struct sl_report *report, const struct sl_presentation *shows, size_t count)
{
    const char *columns[3 + SL_EVIDENCE_COUNT] = {"Paper", "Claims"};
    for (size_t e = 0; e < SL_EVIDENCE_COUNT; e++)
        columns[2 + e] = sl_evidence_words[e];
    columns[2 + SL_EVIDENCE_COUNT] = "Not run";
    struct sl_table_head head = {.id = "overview-papers",
                                 .caption = "Decided claims, of those tested, by paper and kind of "
                                            "evidence",
                                 .columns = columns,
                                 .n_columns = 3 + SL_EVIDENCE_COUNT};
    struct sl_presentation *own = sl_alloc(count + 1, sizeof *own);
    sl_report_table(report, &head);
    for (size_t i = 0; i < count; i++) {
        const size_t n_own = gather_paper(shows, count, i, own);
        if (n_own == 0) continue;
        const struct sl_tallies tallies = sl_tallies_count(own, n_own);
        const char *name = shows[i].outcome->source.spec->name;
        char *paper = sl_string_copy_n(name, strcspn(name, "/"));
        sl_report_cell(report, sl_cell_text(paper));
        free(paper);
        sl_report_cell(report, count_cell(tallies.n_claims, true));
        for (size_t e = 0; e < SL_EVIDENCE_COUNT; e++)
            show_decided_of(report, &tallies.sources[e]);
        sl_report_cell(report, count_cell(tallies.n_claims - tallies.n_judged, true));
    }
    free(own);
}

/* The name of a table, linked to its section. */
static struct sl_cell link_to(const struct sl_presentation *show)
{
    struct sl_cell cell = sl_cell_text(show->outcome->source.spec->name);
    cell.link = show->id;
    return cell;
}

static void show_tables(struct sl_report *report, const struct sl_presentation *shows, size_t count)
{
    static const char *const columns[] = {
        "Table",           "Scale",   "Hold", "Fail",        "Undecided",        "Hold after Holm",
        "Fail after Holm", "Not run", "Runs", "Our figures", "Published figures"};
    struct sl_table_head head = {.id = "overview-tables",
                                 .caption = "Verdicts on claims, by table",
                                 .columns = columns,
                                 .n_columns = sizeof columns / sizeof *columns};
    sl_report_table(report, &head);
    for (size_t i = 0; i < count; i++) {
        const struct sl_tallies tallies = sl_tallies_count(&shows[i], 1);
        struct sl_tally all = {0};
        for (size_t e = 0; e < SL_EVIDENCE_COUNT; e++)
            all = sl_tally_sum(&all, &tallies.sources[e]);
        char words[64];
        snprintf(words, sizeof words, "%s scale", shows[i].outcome->source.spec->scale);
        struct sl_cell scale = sl_cell_text(tallies.n_runs ? words : "computed");
        scale.strong = shows[i].badge != NULL;
        sl_report_cell(report, link_to(&shows[i]));
        sl_report_cell(report, scale);
        show_counts(report, &all);
        sl_report_cell(report, count_cell(tallies.n_claims - tallies.n_judged, true));
        sl_report_cell(report, count_cell(tallies.n_runs, tallies.n_runs > 0));
        sl_report_cell(report, count_cell(tallies.n_filled, tallies.n_published > 0));
        sl_report_cell(report, tallies.n_published
                                   ? sl_cell_number((double)tallies.n_published, NAN, 0)
                                   : sl_cell_empty("none"));
    }
}

/* Explain Holm's correction where there are many comparisons. */
static void say_chance(struct sl_report *report, const struct sl_tallies *tallies)
{
    size_t count = 0;
    for (size_t i = 0; i < SL_EVIDENCE_COUNT; i++)
        count += sl_tally_judged(&tallies->sources[i]);
    if (count < 20) return;
    sl_report_paragraph(report);
    sl_report_text(report, SL_STYLE_PLAIN,
                   "Some claims are decided by chance: where nothing differs, about one in twenty "
                   "95 %% intervals still excludes zero. Holm's correction takes all claims of one "
                   "paper with one kind of evidence together and keeps the chance of any wrong "
                   "decision among them at 5 %% or less. Columns \u201cafter Holm\u201d show the "
                   "corrected verdicts.");
}

/* The table of all decided claims, failed ones first. */
static void show_decided(struct sl_report *report, const struct sl_presentation *shows,
                         size_t count)
{
    static const enum sl_verdict order[] = {SL_VERDICT_FAILS, SL_VERDICT_HOLDS};
    const char *columns[1 + SL_CLAIM_COLUMNS] = {"Paper and table"};
    for (size_t i = 0; i < SL_CLAIM_COLUMNS; i++)
        columns[1 + i] = sl_claim_columns[i];
    size_t n_decided = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < shows[i].outcome->n_claims; c++)
            for (size_t v = 0; v < 2; v++)
                n_decided += shows[i].outcome->claims[c].here.verdict == order[v];
    if (n_decided == 0) return;
    struct sl_table_head head = {.id = "overview-decided",
                                 .caption = "Decided claims; ± is half the 95 % interval of the "
                                            "difference",
                                 .badge = sl_present_mixed(shows, count),
                                 .columns = columns,
                                 .n_columns = 1 + SL_CLAIM_COLUMNS,
                                 .as_cards = true};
    sl_report_fold(report, "All decided claims, failed ones first");
    sl_report_table(report, &head);
    for (size_t v = 0; v < 2; v++)
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < shows[i].outcome->n_claims; c++) {
                const struct sl_outcome_claim *claim = &shows[i].outcome->claims[c];
                if (claim->here.verdict != order[v]) continue;
                sl_report_cell(report, link_to(&shows[i]));
                sl_present_claim(report, shows[i].outcome, claim, SL_CLAIM_COLUMNS);
            }
    sl_report_fold_end(report);
}

/* ---- As a chart ---- */

/* Verdicts by paper and kind of evidence. */
enum { MOST_BARS = 16, N_BARS = 3 };
struct bars {
    char *names[MOST_BARS]; /* owned */
    double values[N_BARS][MOST_BARS];
    size_t count;
};

static void add_bars(struct bars *bars, const struct sl_presentation *own, size_t n_own)
{
    static const enum sl_verdict order[N_BARS] = {SL_VERDICT_HOLDS, SL_VERDICT_FAILS,
                                                  SL_VERDICT_UNDECIDED};
    const struct sl_tallies tallies = sl_tallies_count(own, n_own);
    const char *name = own[0].outcome->source.spec->name;
    for (size_t e = 0; e < SL_EVIDENCE_COUNT && bars->count < MOST_BARS; e++) {
        if (sl_tally_judged(&tallies.sources[e]) == 0) continue;
        bars->names[bars->count] =
            sl_string_printf("%.*s, %s", (int)strcspn(name, "/"), name, sl_evidence_words[e]);
        for (size_t v = 0; v < N_BARS; v++)
            bars->values[v][bars->count] = (double)tallies.sources[e].verdicts[order[v]];
        bars->count++;
    }
}

static enum sl_status show_bars(struct sl_report *report, const struct sl_presentation *shows,
                                size_t count, struct sl_error *err)
{
    static const char *const names[N_BARS] = {"hold", "fail", "undecided"};
    struct bars bars = {.count = 0};
    struct sl_plot_series series[N_BARS];
    const char *categories[MOST_BARS];
    enum sl_status status = SL_OK;
    struct sl_presentation *own = sl_alloc(count + 1, sizeof *own);
    for (size_t i = 0; i < count; i++) {
        const size_t n_own = gather_paper(shows, count, i, own);
        if (n_own) add_bars(&bars, own, n_own);
    }
    free(own);
    for (size_t i = 0; i < bars.count; i++)
        categories[i] = bars.names[i];
    for (size_t i = 0; i < N_BARS; i++)
        series[i] =
            (struct sl_plot_series){.name = names[i], .count = bars.count, .x = bars.values[i]};
    struct sl_plot plot = {
        .kind = SL_PLOT_BARS,
        .title = "Verdicts on claims, by paper and kind of evidence",
        .x = {.label = "Number of claims"},
        .y = {.scale = SL_SCALE_CATEGORY, .categories = categories, .n_categories = bars.count},
        .series = series,
        .n_series = N_BARS};
    if (bars.count >= 2)
        status = sl_report_chart(report, &plot, sl_present_mixed(shows, count), err);
    for (size_t i = 0; i < bars.count; i++)
        free(bars.names[i]);
    return status;
}

enum sl_status sl_present_overview(struct sl_report *report, const struct sl_presentation *shows,
                                   size_t count, size_t n_all, struct sl_error *err)
{
    const struct sl_tallies tallies = sl_tallies_count(shows, n_all);
    sl_report_section(report, 2, "overview", "Overview");
    if (n_all > 1) show_papers(report, shows, n_all);
    if (count > 1) {
        show_sources(report, &tallies);
        if (tallies.n_judged) SL_TRY(show_bars(report, shows, count, err));
        say_chance(report, &tallies);
        show_decided(report, shows, count);
    }
    show_tables(report, shows, count);
    return count > 1 ? sl_present_figures(report, shows, count, err) : SL_OK;
}
