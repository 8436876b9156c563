#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

/* Begin a part of the outcome's section, with a heading. */
static void section(const struct sl_presentation *show, const char *part, const char *title)
{
    char *id = sl_string_printf("%s-%s", show->id, part);
    sl_report_section(show->report, 3, id, title);
    free(id);
}

/* ---- Scales ---- */

/* The stronger warning first. */
const struct sl_scale_wording sl_scale_words[] = {
    {"quick", "quick scale", "quick scale, not a reproduction",
     "some at quick scale, not a reproduction",
     ", not a reproduction: small networks, few epochs, few seeds.",
     " come from small networks trained for few epochs with few seeds. They show that everything "
     "runs; they do not reproduce a paper."},
    {"small", "small scale", "small scale, not a reproduction",
     "some at small scale, not a reproduction",
     ", not a reproduction: a smaller network than the paper's, trained with few seeds until it "
     "fits its training set.",
     " come from ResNet-20, trained with few seeds until it fits its training set. They can show "
     "an effect; they do not reproduce a paper's figures."},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

const struct sl_scale_wording *sl_scale_words_find(const char *scale)
{
    for (const struct sl_scale_wording *words = sl_scale_words; words->scale; words++)
        if (sl_text_same(words->scale, scale)) return words;
    return sl_scale_words;
}

bool sl_scale_is_shown(const struct sl_scale_wording *words, const struct sl_presentation *shows,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (shows[i].badge && strcmp(shows[i].badge, words->badge) == 0) return true;
    return false;
}

const char *sl_present_mixed(const struct sl_presentation *shows, size_t count)
{
    for (const struct sl_scale_wording *words = sl_scale_words; words->scale; words++)
        if (sl_scale_is_shown(words, shows, count)) return words->mixed;
    return NULL;
}

/* ---- The section ---- */

static void show_reason(const struct sl_presentation *show, const char *where, const char *reason)
{
    if (!reason) return;
    sl_report_note(show->report, SL_TONE_WARNING);
    if (where) sl_report_text(show->report, SL_STYLE_CODE, "%s", where);
    sl_report_text(show->report, SL_STYLE_PLAIN, "%sNot as published: %s.", where ? ": " : "",
                   reason);
}

static void show_scale(const struct sl_presentation *show)
{
    const struct sl_brief *brief = show->outcome->source.spec->brief;
    sl_report_note(show->report, SL_TONE_WARNING);
    const struct sl_scale_wording *words = sl_scale_words_find(show->outcome->source.spec->scale);
    sl_report_text(show->report, SL_STYLE_STRONG, "%s", words->name);
    sl_report_text(show->report, SL_STYLE_PLAIN, "%s", words->means);
    for (size_t i = 0; i < brief->n_stands_for; i++)
        sl_report_text(show->report, SL_STYLE_PLAIN, " %s stands in for %s.",
                       brief->stands_for[i].name, brief->stands_for[i].words);
}

static void show_head(const struct sl_presentation *show)
{
    const struct sl_outcome *outcome = show->outcome;
    const struct sl_brief *brief = outcome->source.spec->brief;
    const char *title = brief->title ? brief->title : "";
    char *heading = show->is_alone
                        ? sl_string_printf("All figures of %s", outcome->source.spec->name)
                        : sl_string_printf("%s: %s", outcome->source.spec->name, title);
    sl_report_section(show->report, 2, show->id, heading);
    free(heading);
    if (show->badge) show_scale(show);
    for (size_t i = 0; i < brief->n_designs; i++)
        show_reason(show, brief->designs[i].name, brief->designs[i].missing);
    if (brief->source || brief->notes.count) sl_report_paragraph(show->report);
    if (brief->source) sl_report_text(show->report, SL_STYLE_PLAIN, "%s. ", brief->source);
    for (size_t i = 0; i < brief->notes.count; i++)
        sl_report_text(show->report, SL_STYLE_PLAIN, "%s ", brief->notes.names[i]);
}

static bool has_charts(const struct sl_outcome *outcome)
{
    if (outcome->n_runs && outcome->source.spec->brief->plot_x) return true;
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
    /* Without training the charts are the result, so they come before the tables. */
    const bool is_picture = show->outcome->exhibits && show->outcome->n_runs == 0;
    show_head(show);
    if (is_picture) sl_present_exhibits(show);
    sl_present_cells(show);
    SL_TRY(sl_present_forests(show, err));
    sl_present_claims(show);
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
