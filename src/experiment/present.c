#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/outcome_internal.h"

static const char *text_at(const struct sl_outcome *outcome, const char *key)
{
    return json_string_value(json_object_get(outcome->source.spec->json, key));
}

/* A heading of its own within the outcome's section. */
static void section(const struct sl_presentation *show, const char *part, const char *title)
{
    char *id = sl_string_printf("%s-%s", show->id, part);
    sl_report_section(show->report, 3, id, title);
    free(id);
}

/* ---- Claims ---- */

struct verdict_words {
    enum sl_mark mark;
    const char *here, *paper;
};
static const struct verdict_words verdicts[] = {
    [SL_VERDICT_NOT_RUN] = {SL_MARK_NONE, "not run", "not printed"},
    [SL_VERDICT_HOLDS] = {SL_MARK_GOOD, "holds here", "holds"},
    [SL_VERDICT_FAILS] = {SL_MARK_BAD, "fails", "fails"},
    [SL_VERDICT_UNDECIDED] = {SL_MARK_OPEN, "undecided", "undecided"},
};

/* "soft better than hard", "soft over hard, more on far than on near". */
static char *claim_words(const struct sl_outcome_claim *claim)
{
    static const struct {
        const char *relation, *words;
    } relations[] = {{"better:", "better than"},
                     {"similar:", "like"},
                     {"more:", "more than"},
                     {"less:", "less than"},
                     {"gain:", "over"}};
    const char *between = "against";
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (strncmp(claim->claim, relations[i].relation, strlen(relations[i].relation)) == 0)
            between = relations[i].words;
    const char *better = strchr(claim->better, '>'), *worse = strchr(claim->worse, '>');
    if (strcmp(between, "over") != 0)
        return sl_string_printf("%s %s %s", claim->better, between, claim->worse);
    if (!better || !worse)
        return sl_string_printf("%s over %s, more in the first case than in the second",
                                claim->better, claim->worse);
    return sl_string_printf("%.*s over %.*s more than %s over %s", (int)(better - claim->better),
                            claim->better, (int)(worse - claim->worse), claim->worse, better + 1,
                            worse + 1);
}

/* The difference, and what its interval comes from. */
static void show_difference(struct sl_report *report, const struct sl_judgement *judgement)
{
    char words[48];
    double half = (judgement->difference.high - judgement->difference.low) / 2;
    if (isnan(judgement->difference.estimate)) {
        sl_report_cell(report, sl_cell_empty(NULL));
        sl_report_cell(report, sl_cell_empty(NULL));
        return;
    }
    if (judgement->test == SL_TEST_PAIRED)
        snprintf(words, sizeof words, "%zu pairs", judgement->n_pairs);
    else
        snprintf(words, sizeof words, "%s",
                 judgement->test == SL_TEST_WELCH ? "Welch" : "computed");
    sl_report_cell(report,
                   sl_cell_number(judgement->difference.estimate,
                                  judgement->test == SL_TEST_EXACT ? (double)NAN : half, 3));
    sl_report_cell(report, sl_cell_text(words));
}

/* What the paper's figures say; where their ± leaves it open, which way they point. */
static const char *paper_words(const struct sl_judgement *judgement)
{
    if (judgement->verdict != SL_VERDICT_UNDECIDED || !isnan(judgement->margin))
        return verdicts[judgement->verdict].paper;
    return judgement->difference.estimate > 0 ? "holds, within its ±" : "fails, within its ±";
}

void sl_present_claim(struct sl_report *report, const struct sl_outcome_claim *claim)
{
    const struct sl_experiment_metric *metric =
        sl_experiment_metric_find(claim->metric, strlen(claim->metric));
    const char *measure = metric ? metric->title : claim->metric;
    char *words = claim_words(claim);
    char *where = *claim->test_set ? sl_string_printf("%s, %s", measure, claim->test_set)
                                   : sl_string_copy(measure);
    sl_report_cell(report, sl_cell_text(words));
    sl_report_cell(report, sl_cell_text(where));
    sl_report_cell(report, sl_cell_mark(verdicts[claim->here.verdict].mark,
                                        verdicts[claim->here.verdict].here));
    show_difference(report, &claim->here);
    sl_report_cell(report,
                   sl_cell_mark(verdicts[claim->paper.verdict].mark, paper_words(&claim->paper)));
    free(words);
    free(where);
}

static void show_claim(struct sl_report *report, const struct sl_outcome_claim *claim)
{
    char *quoted = sl_string_printf("\u201c%s\u201d (%s)", claim->words, claim->section);
    sl_present_claim(report, claim);
    sl_report_cell(report, sl_cell_text(quoted));
    free(quoted);
}

static void show_claims(const struct sl_presentation *show)
{
    static const char *const columns[] = {"Claim",
                                          "Measure",
                                          "Here",
                                          "Difference in its favour",
                                          "Test",
                                          "In the paper's own figures",
                                          "In the paper's words"};
    const struct sl_outcome *outcome = show->outcome;
    size_t counts[SL_VERDICTS] = {0};
    if (outcome->n_claims == 0) return;
    for (size_t i = 0; i < outcome->n_claims; i++)
        counts[outcome->claims[i].here.verdict]++;
    section(show, "what-is-claimed", "What the paper claims");
    sl_report_paragraph(show->report);
    sl_report_text(show->report, SL_STYLE_PLAIN, "Of %zu claims, ", outcome->n_claims);
    sl_present_verdicts(show->report, counts, show->badge ? "at quick scale" : "here", 0);
    char *id = sl_string_printf("%s-claims", show->id);
    char *caption = sl_string_printf("%s: the claims; ± is half the 95 %% interval",
                                     outcome->source.spec->name);
    struct sl_table_head head = {.id = id,
                                 .caption = caption,
                                 .badge = show->badge,
                                 .columns = columns,
                                 .n_columns = sizeof columns / sizeof *columns};
    sl_report_table(show->report, &head);
    for (size_t i = 0; i < outcome->n_claims; i++)
        show_claim(show->report, &outcome->claims[i]);
    free(id);
    free(caption);
}

/* ---- The section ---- */

static void show_reason(const struct sl_presentation *show, const char *where, const json_t *reason)
{
    const char *text = json_string_value(reason);
    if (!text) return;
    sl_report_note(show->report, SL_TONE_WARNING);
    if (where) sl_report_text(show->report, SL_STYLE_CODE, "%s", where);
    sl_report_text(show->report, SL_STYLE_PLAIN, "%sNot as published: %s.", where ? ": " : "",
                   text);
}

static void show_scale(const struct sl_presentation *show)
{
    json_t *roles = json_object_get(show->outcome->source.spec->json, "stands_for");
    const char *network;
    json_t *role;
    sl_report_note(show->report, SL_TONE_WARNING);
    sl_report_text(show->report, SL_STYLE_STRONG, "quick scale");
    sl_report_text(show->report, SL_STYLE_PLAIN,
                   ", not a reproduction: small networks, few epochs, few seeds.");
    json_object_foreach(roles, network, role)
    {
        sl_report_text(show->report, SL_STYLE_PLAIN, " %s stands for %s.", network,
                       json_string_value(role));
    }
}

static void show_head(const struct sl_presentation *show)
{
    const struct sl_outcome *outcome = show->outcome;
    const json_t *spec = outcome->source.spec->json, *notes = json_object_get(spec, "notes");
    const char *source = text_at(outcome, "source"), *title = text_at(outcome, "title"), *part;
    json_t *value;
    char *heading =
        show->is_alone ? sl_string_printf("All figures of %s", outcome->source.spec->name)
                       : sl_string_printf("%s: %s", outcome->source.spec->name, title ? title : "");
    sl_report_section(show->report, 2, show->id, heading);
    free(heading);
    if (show->badge) show_scale(show);
    show_reason(show, NULL, json_object_get(spec, "missing"));
    json_object_foreach(json_object_get(spec, "parts"), part, value)
    {
        show_reason(show, part, json_object_get(value, "missing"));
    }
    if (source || json_array_size(notes)) sl_report_paragraph(show->report);
    if (source) sl_report_text(show->report, SL_STYLE_PLAIN, "%s. ", source);
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const char *note = json_string_value(json_array_get(notes, i));
        if (note) sl_report_text(show->report, SL_STYLE_PLAIN, "%s ", note);
    }
}

static bool has_charts(const struct sl_outcome *outcome)
{
    if (outcome->n_runs && json_object_get(outcome->source.spec->json, "plot")) return true;
    for (size_t i = 0; i < outcome->n_runs; i++) {
        const struct sl_result *result = outcome->runs[i].result;
        if (result->curve.count || result->attacks.count || result->reliability.count ||
            result->gallery)
            return true;
    }
    return false;
}

enum sl_status sl_present_outcome(const struct sl_presentation *show, struct sl_error *err)
{
    /* Where nothing was trained the picture is the point, and tables only say it in numbers. */
    const bool is_picture = show->outcome->exhibits && show->outcome->n_runs == 0;
    show_head(show);
    if (is_picture) sl_present_exhibits(show);
    sl_present_cells(show);
    SL_TRY(sl_present_forests(show, err));
    show_claims(show);
    const bool is_chart = show->outcome->exhibits && !is_picture;
    if (is_chart || has_charts(show->outcome)) section(show, "charts", "Charts");
    if (is_chart) sl_present_exhibits(show);
    SL_TRY(sl_present_series(show, err));
    SL_TRY(sl_present_reliability(show, err));
    SL_TRY(sl_present_curves(show, err));
    sl_present_galleries(show);
    sl_present_provenance(show);
    return SL_OK;
}
