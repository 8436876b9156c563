/* The claims of a table: the paper's words, our figures, the verdict and its reason. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

const char *const sl_evidence_words[SL_EVIDENCE_COUNT] = {
    [SL_EVIDENCE_FILES] = "from the authors' files",
    [SL_EVIDENCE_SMALL] = "small network",
    [SL_EVIDENCE_FEWER] = "paper's network, fewer runs",
    [SL_EVIDENCE_PAPER] = "paper's network, full scale",
};

/* The same for a specification that reproduces no paper. */
static const char *const own_evidence_words[SL_EVIDENCE_COUNT] = {
    [SL_EVIDENCE_FILES] = "computed without training",
    [SL_EVIDENCE_SMALL] = "small network",
    [SL_EVIDENCE_FEWER] = "fewer runs than specified",
    [SL_EVIDENCE_PAPER] = "as specified",
};

struct verdict_words {
    enum sl_mark mark;
    const char *here, *paper;
};
static const struct verdict_words verdicts[SL_VERDICTS] = {
    [SL_VERDICT_NOT_RUN] = {SL_MARK_NONE, "not run", "not printed"},
    [SL_VERDICT_HOLDS] = {SL_MARK_GOOD, "holds", "holds"},
    [SL_VERDICT_FAILS] = {SL_MARK_BAD, "fails", "fails"},
    [SL_VERDICT_UNDECIDED] = {SL_MARK_OPEN, "undecided", "undecided"},
    [SL_VERDICT_NO_CLAIM] = {SL_MARK_NONE, "not judged", "not judged"},
};

const char *const sl_claim_columns[SL_CLAIM_COLUMNS] = {"Claim in the paper's words",
                                                        "What is compared",
                                                        "Our figures",
                                                        "Difference in favour of the claim",
                                                        "Verdict",
                                                        "Verdict after Holm",
                                                        "Why",
                                                        "Verdict by the paper's own figures"};

/* "soft better than hard", "advantage of soft over hard larger than that of a over b". */
static char *compared_words(const struct sl_outcome_claim *claim)
{
    const struct sl_relation *relation = sl_relation_find(claim->claim);
    const char *better = strchr(claim->better, '>'), *worse = strchr(claim->worse, '>');
    if (relation->kind != SL_RELATION_GAIN)
        return sl_string_printf("%s %s %s", claim->better, relation->words, claim->worse);
    if (!better || !worse)
        return sl_string_printf("advantage of %s over %s larger in the first case than in the "
                                "second",
                                claim->better, claim->worse);
    return sl_string_printf("advantage of %.*s over %.*s larger than that of %s over %s",
                            (int)(better - claim->better), claim->better,
                            (int)(worse - claim->worse), claim->worse, better + 1, worse + 1);
}

/* ---- Why ---- */

static void say(struct sl_buffer *out, const char *words)
{
    if (out->length) sl_buffer_text(out, "; ");
    sl_buffer_text(out, words);
}

static void say_test(struct sl_buffer *out, const struct sl_judgement *judgement)
{
    if (judgement->test == SL_TEST_PAIRED)
        sl_buffer_printf(out, "paired t-test, %zu pairs", judgement->n_pairs);
    else if (judgement->test == SL_TEST_EXACT)
        say(out, "counts from a file, which have no sampling error");
    else if (judgement->n_runs)
        say(out, "Welch's t-test");
    else
        say(out, "test by the sampling errors of both figures");
    if (judgement->overlap > 0)
        sl_buffer_printf(out,
                         "; corrected for overlapping training sets (Nadeau and Bengio, "
                         "n_test/n_train = %.3g)",
                         judgement->overlap);
}

/* "alike means within 5 percentage points". */
static void say_margin(struct sl_buffer *out, const struct sl_relation *relation,
                       const struct sl_judgement *judgement, double unit)
{
    const struct sl_margin *margin = &judgement->margin;
    char words[96];
    if (isnan(margin->value)) return;
    snprintf(words, sizeof words,
             relation->kind == SL_RELATION_SIMILAR ? "alike means a difference of at most "
                                                   : "not better means an advantage of at most ");
    say(out, words);
    if (margin->is_absolute)
        sl_buffer_printf(out, "%g percentage points", 100 * margin->value / unit);
    else
        sl_buffer_printf(out, "5 %% of the larger mean, %.3g", margin->value);
}

/* Where the interval lies, by relation; relations that are not here are about the sign. */
static const struct place {
    enum sl_relation_kind kind;
    const char *holds, *fails, *open;
} places[] = {
    {SL_RELATION_SIMILAR, "the interval lies within that limit",
     "the interval lies outside that limit", "the interval crosses that limit"},
    {SL_RELATION_NOT_BETTER, "the one-sided 95 % bound is within that limit",
     "the interval lies above 0", "the one-sided 95 % bound exceeds that limit"},
};
static const struct place sign = {SL_RELATION_BETTER, "the interval lies above 0",
                                  "the interval lies below 0", "the interval contains 0"};
static const struct place counted = {SL_RELATION_BETTER, "the difference is above 0",
                                     "the difference is not above 0", ""};

static const char *place_words(const struct sl_relation *relation,
                               const struct sl_judgement *judgement)
{
    const struct place *place = judgement->test == SL_TEST_EXACT ? &counted : &sign;
    if (isnan(judgement->difference.low)) return "a side with one figure has no interval";
    if (relation->kind == SL_RELATION_NONE) return "no direction is claimed";
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].kind == relation->kind) place = &places[i];
    return judgement->verdict == SL_VERDICT_HOLDS   ? place->holds
           : judgement->verdict == SL_VERDICT_FAILS ? place->fails
                                                    : place->open;
}

static char *why(const struct sl_outcome *outcome, const struct sl_outcome_claim *claim)
{
    const char *const *evidence =
        sl_outcome_has_paper(outcome) ? sl_evidence_words : own_evidence_words;
    const struct sl_relation *relation = sl_relation_find(claim->claim);
    const struct sl_judgement *here = &claim->here;
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 12);
    if (isnan(here->difference.estimate)) {
        say(&out, "one of the rows has no figure here");
        if (relation->kind == SL_RELATION_NONE) say(&out, "no direction is claimed");
    } else {
        say_test(&out, here);
        say_margin(&out, relation, here, claim->unit);
        say(&out, place_words(relation, here));
        say(&out, evidence[here->evidence]);
        if (here->n_runs && here->n_runs < here->n_wanted)
            sl_buffer_printf(&out, " (%zu of %zu runs)", here->n_runs, here->n_wanted);
    }
    char *text = sl_string_copy_n(out.data, out.length);
    sl_buffer_release(&out);
    return text;
}

/* ---- Cells ---- */

static void show_means(struct sl_report *report, const struct sl_judgement *judgement)
{
    char words[64];
    snprintf(words, sizeof words, "%.3f and %.3f", judgement->means[0], judgement->means[1]);
    sl_report_cell(report, isnan(judgement->means[0]) ? sl_cell_empty(NULL) : sl_cell_text(words));
}

static void show_difference(struct sl_report *report, const struct sl_judgement *judgement)
{
    const double half = (judgement->difference.high - judgement->difference.low) / 2;
    sl_report_cell(report,
                   isnan(judgement->difference.estimate)
                       ? sl_cell_empty(NULL)
                       : sl_cell_number(judgement->difference.estimate,
                                        judgement->test == SL_TEST_EXACT ? (double)NAN : half, 3));
}

/* The verdict by the paper's figures; if their ± leaves it open, whether the means agree. */
static const char *paper_words(const struct sl_judgement *judgement)
{
    if (judgement->verdict != SL_VERDICT_UNDECIDED || !isnan(judgement->margin.value))
        return verdicts[judgement->verdict].paper;
    return judgement->difference.estimate > 0 ? "undecided; means agree"
                                              : "undecided; means disagree";
}

void sl_present_claim(struct sl_report *report, const struct sl_outcome *outcome,
                      const struct sl_outcome_claim *claim, size_t n_columns)
{
    const struct sl_measure *metric = sl_measure_find(claim->metric, strlen(claim->metric));
    const char *measure = metric ? metric->title : claim->metric;
    char *quoted = *claim->section
                       ? sl_string_printf("\u201c%s\u201d (%s)", claim->words, claim->section)
                       : sl_string_printf("\u201c%s\u201d", claim->words);
    char *rows = compared_words(claim);
    char *compared = *claim->test_set
                         ? sl_string_printf("%s: %s, %s", rows, measure, claim->test_set)
                         : sl_string_printf("%s: %s", rows, measure);
    char *reason = why(outcome, claim);
    const enum sl_verdict here = claim->here.verdict, holm = claim->here.holm;
    sl_report_cell(report, sl_cell_text(quoted));
    sl_report_cell(report, sl_cell_text(compared));
    show_means(report, &claim->here);
    show_difference(report, &claim->here);
    sl_report_cell(report, sl_cell_mark(verdicts[here].mark, verdicts[here].here));
    sl_report_cell(report, sl_cell_mark(verdicts[holm].mark, verdicts[holm].here));
    sl_report_cell(report, sl_cell_text(reason));
    if (n_columns == SL_CLAIM_COLUMNS)
        sl_report_cell(report, sl_outcome_has_paper(outcome)
                                   ? sl_cell_mark(verdicts[claim->paper.verdict].mark,
                                                  paper_words(&claim->paper))
                                   : sl_cell_mark(SL_MARK_NONE, "no paper"));
    free(quoted);
    free(rows);
    free(compared);
    free(reason);
}

/* "Of 3 claims, 2 hold, 0 fail and 1 is undecided; 0 were not run." */
static void say_counts(const struct sl_presentation *show)
{
    size_t counts[SL_VERDICTS] = {0};
    for (size_t i = 0; i < show->outcome->n_claims; i++)
        counts[show->outcome->claims[i].here.verdict]++;
    const size_t n_not_judged = counts[SL_VERDICT_NO_CLAIM];
    const size_t n_judged = show->outcome->n_claims - n_not_judged;
    sl_report_paragraph(show->report);
    if (n_judged) {
        sl_report_text(show->report, SL_STYLE_PLAIN, "Of %zu claim%s, ", n_judged,
                       n_judged == 1 ? "" : "s");
        sl_present_verdicts(show->report, counts);
        sl_report_text(show->report, SL_STYLE_PLAIN, "; %zu %s not run.%s",
                       counts[SL_VERDICT_NOT_RUN], counts[SL_VERDICT_NOT_RUN] == 1 ? "was" : "were",
                       n_not_judged ? " " : "");
    }
    if (n_not_judged)
        sl_report_text(show->report, SL_STYLE_PLAIN,
                       "%zu %scomparison%s shown but not judged, because no direction is claimed.",
                       n_not_judged, n_judged ? "more " : "", n_not_judged == 1 ? " is" : "s are");
}

void sl_present_claims(const struct sl_presentation *show)
{
    const struct sl_outcome *outcome = show->outcome;
    const size_t n_columns =
        sl_outcome_has_paper(outcome) ? SL_CLAIM_COLUMNS : SL_CLAIM_COLUMNS - 1;
    const char *columns[SL_CLAIM_COLUMNS];
    if (outcome->n_claims == 0) return;
    memcpy(columns, sl_claim_columns, sizeof columns);
    if (!sl_outcome_has_paper(outcome)) columns[0] = "Claim";
    char *id = sl_string_printf("%s-what-is-claimed", show->id);
    sl_report_section(show->report, 3, id,
                      sl_outcome_has_paper(outcome) ? "What the paper claims" : "Claims");
    free(id);
    say_counts(show);
    id = sl_string_printf("%s-claims", show->id);
    char *caption = sl_string_printf("%s: claims; ± is half the 95 %% interval of the difference",
                                     outcome->source.spec->name);
    struct sl_table_head head = {.id = id,
                                 .caption = caption,
                                 .badge = show->badge,
                                 .columns = columns,
                                 .n_columns = n_columns,
                                 .as_cards = true};
    sl_report_table(show->report, &head);
    for (size_t i = 0; i < outcome->n_claims; i++)
        sl_present_claim(show->report, outcome, &outcome->claims[i], n_columns);
    free(id);
    free(caption);
}
