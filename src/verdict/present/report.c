#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/verdict.h"
#include "verdict/present/present.h"

/* A specification at one scale and in one variant: a section of the report. */
struct group {
    const char *name; /* of the specification, or its path; borrowed */
    const char *scale, *variant;
    struct sl_spec *spec;       /* owned */
    struct sl_planned *planned; /* owned; its runs, with their keys; NULL: it cannot be run */
    struct sl_outcome *outcome; /* owned */
    char *id;                   /* owned; the section's */
};
struct groups {
    struct group *items; /* owned */
    size_t count;
};

static bool has_group(const struct groups *groups, const char *name, const struct sl_result *result)
{
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *group = &groups->items[i];
        if (sl_text_same(group->name, name) &&
            (!result || (sl_text_same(group->scale, result->scale) &&
                         sl_text_same(group->variant, result->variant))))
            return true;
    }
    return false;
}

static void add_group(struct groups *groups, const char *name, const char *scale,
                      const char *variant)
{
    groups->items = sl_resize(groups->items, groups->count + 1, sizeof *groups->items);
    groups->items[groups->count++] =
        (struct group){.name = name, .scale = scale ? scale : "paper", .variant = variant};
}

/* Add a section per scale and variant of the results of `spec`, which is read as `name`. Figures
 * without training have no scale, so they get a section only if the runs made none. */
static void add_groups(struct groups *groups, const struct sl_results *results, const char *spec,
                       const char *name)
{
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < results->n_runs; i++) {
            const struct sl_result *result = &results->runs[i];
            bool is_run = result->set != NULL;
            if (!sl_text_same(result->spec, spec) || is_run != (pass == 0)) continue;
            if (!has_group(groups, name, is_run ? result : NULL))
                add_group(groups, name, is_run ? result->scale : "paper",
                          is_run ? result->variant : NULL);
        }
}

static void groups_release(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        sl_outcome_destroy(groups->items[i].outcome);
        sl_planned_destroy(groups->items[i].planned);
        sl_spec_destroy(groups->items[i].spec);
        free(groups->items[i].id);
    }
    free(groups->items);
}

/* A specification in the results wins over a built-in one of the same name: it is what was run. */
static enum sl_status read_spec(const struct sl_results *results, const char *name,
                                const char *scale, struct sl_spec **out, struct sl_error *err)
{
    const json_t *record = json_object_get(results->specs, name);
    return record ? sl_spec_from_record(record, scale, out, err)
                  : sl_spec_read(name, scale, out, err);
}

/* Add a section for each specification in the options, even if it has no results. */
static enum sl_status choose_named(struct groups *groups, const struct sl_results *results,
                                   const struct sl_report_options *options, struct sl_error *err)
{
    for (size_t i = 0; i < options->n_specs; i++) {
        struct sl_spec *spec;
        SL_TRY(read_spec(results, options->specs[i], "paper", &spec, err));
        size_t before = groups->count;
        add_groups(groups, results, spec->name, options->specs[i]);
        sl_spec_destroy(spec);
        if (groups->count == before) add_group(groups, options->specs[i], "paper", NULL);
    }
    return SL_OK;
}

/* True if a run trained a network of the specification. Without one no run can be shared, and this
 * test is cheaper than comparing all keys. */
static bool has_network(const struct sl_brief *brief, const struct sl_name_table *networks)
{
    for (size_t i = 0; i < brief->n_designs; i++)
        for (size_t n = 0; n < brief->designs[i].networks.count; n++) {
            const char *name = brief->designs[i].networks.names[n];
            if (sl_name_table_find(networks, name, strlen(name)) != SL_NO_NAME) return true;
        }
    return false;
}

/* True if the results have a run of the specification, even one made for another specification. */
static bool is_shared(const struct sl_results *results, const struct sl_name_table *networks,
                      const char *name, const struct group *scale)
{
    const bool as_published = sl_text_same(scale->variant, "as-published");
    struct sl_planned *planned = NULL;
    struct sl_spec *spec;
    bool found = false;
    if (read_spec(results, name, scale->scale, &spec, NULL) != SL_OK) return false;
    if (has_network(spec->brief, networks) &&
        sl_planned_create(spec, as_published, &planned, NULL) == SL_OK)
        for (size_t i = 0; i < planned->n_runs && !found; i++) {
            const struct sl_planned_run *run = &planned->runs[i];
            found = run->set &&
                    sl_name_table_find(results->keys, run->key, strlen(run->key)) != SL_NO_NAME;
        }
    sl_planned_destroy(planned);
    sl_spec_destroy(spec);
    return found;
}

/* List the scales and variants of the runs, each once, as sections without a name; and networks. */
static void list_scales(const struct sl_results *results, struct groups *out,
                        struct sl_name_table *networks)
{
    uint32_t index;
    for (size_t i = 0; i < results->n_runs; i++) {
        const struct sl_result *result = &results->runs[i];
        if (!result->set || !result->scale || !result->network) continue;
        if (!has_group(out, "", result)) add_group(out, "", result->scale, result->variant);
        if (sl_name_table_add(networks, result->network, strlen(result->network), &index, NULL) !=
            SL_OK)
            return;
    }
}

/* Add sections for built-in specifications that have results or share runs with one, in built-in
 * order; then for the specifications in the results file. */
static void choose_known(struct groups *groups, const struct sl_results *results)
{
    struct groups scales = {0};
    struct sl_name_table *networks = sl_name_table_create();
    list_scales(results, &scales, networks);
    for (const char *const *name = sl_builtin_specs; *name; name++) {
        add_groups(groups, results, *name, *name);
        if (has_group(groups, *name, NULL)) continue;
        for (size_t i = 0; i < scales.count; i++) {
            const struct group *scale = &scales.items[i];
            if (is_shared(results, networks, *name, scale))
                add_group(groups, *name, scale->scale, scale->variant);
        }
    }
    const char *own;
    json_t *record;
    json_object_foreach(results->specs, own, record)
    {
        if (!has_group(groups, own, NULL)) add_groups(groups, results, own, own);
    }
    free(scales.items);
    sl_name_table_destroy(networks);
}

static enum sl_status open_group(struct group *group, const struct sl_results *results,
                                 struct sl_error *err)
{
    SL_TRY(read_spec(results, group->name, group->scale, &group->spec, err));
    const bool as_published = sl_text_same(group->variant, "as-published");
    struct sl_outcome_source source = {
        .spec = group->spec, .variant = group->variant, .results = results};
    /* A specification that cannot be run is reported by the names in its results. */
    if (sl_planned_create(group->spec, as_published, &group->planned, NULL) == SL_OK) {
        source.plan = group->planned->runs;
        source.n_plan = group->planned->n_runs;
    }
    return sl_outcome_create(&source, &group->outcome, err);
}

static const char *badge_of(const struct group *group)
{
    const bool is_small = sl_spec_scale_kind(group->spec, NULL) == SL_RUNS_OTHER;
    return group->outcome->n_runs && is_small ? sl_scale_words_find(group->scale)->badge : NULL;
}

/* ---- The last sections ---- */

static void show_absent(struct sl_report *report, const struct groups *groups)
{
    static const char *const columns[] = {"Table", "Title", "Why it has no results"};
    struct sl_table_head head = {.id = "not-here",
                                 .caption = "Built-in specifications that have no results",
                                 .columns = columns,
                                 .n_columns = 3};
    bool has_begun = false;
    for (const char *const *name = sl_builtin_specs; *name; name++) {
        struct sl_spec *spec;
        if (has_group(groups, *name, NULL)) continue;
        if (sl_spec_read(*name, "paper", &spec, NULL) != SL_OK) continue;
        if (!has_begun) {
            sl_report_section(report, 2, "not-here", "Tables and figures without results");
            sl_report_table(report, &head);
            has_begun = true;
        }
        const char *missing = spec->brief->designs[0].missing, *title = spec->brief->title;
        char *reason = sl_string_printf("not run%s%s", missing ? "; " : "", missing ? missing : "");
        sl_report_cell(report, sl_cell_text(spec->name));
        sl_report_cell(report, sl_cell_text(title ? title : ""));
        sl_report_cell(report, sl_cell_text(reason));
        free(reason);
        sl_spec_destroy(spec);
    }
}

static void show_failures(struct sl_report *report, const struct sl_results *results)
{
    static const char *const columns[] = {"Table", "Set", "Network", "Seed",
                                          "Last lines of the log"};
    struct sl_table_head head = {.id = "failed-runs",
                                 .caption = "Runs that failed and have no result",
                                 .columns = columns,
                                 .n_columns = 5};
    if (results->n_failures == 0) return;
    sl_report_section(report, 2, "failures", "Failed runs");
    sl_report_table(report, &head);
    for (size_t i = 0; i < results->n_failures; i++) {
        const struct sl_result *failure = &results->failures[i];
        const char *log = json_string_value(json_object_get(failure->json, "log"));
        sl_report_cell(report, sl_cell_text(failure->spec ? failure->spec : ""));
        sl_report_cell(report, sl_cell_text(failure->set ? failure->set : ""));
        sl_report_cell(report, sl_cell_text(failure->network ? failure->network : ""));
        sl_report_cell(report, failure->seed < 0 ? sl_cell_empty(NULL)
                                                 : sl_cell_number((double)failure->seed, NAN, 0));
        struct sl_cell lines = sl_cell_text(log ? log : "");
        lines.kind = SL_CELL_CODE;
        sl_report_cell(report, lines);
    }
}

/* Warn of results whose specification is neither built in, nor in the file, nor given. */
static void show_strangers(struct sl_report *report, const struct sl_results *results,
                           const struct sl_report_options *options)
{
    struct sl_name_table *known = sl_name_table_create();
    uint32_t index;
    if (options->n_specs) goto out;
    for (const char *const *name = sl_builtin_specs; *name; name++)
        if (sl_name_table_add(known, *name, strlen(*name), &index, NULL) != SL_OK) goto out;
    for (size_t i = 0; i < results->n_runs; i++) {
        const char *name = results->runs[i].spec ? results->runs[i].spec : "(none)";
        size_t before = sl_name_table_count(known);
        if (sl_name_table_add(known, name, strlen(name), &index, NULL) != SL_OK) goto out;
        if (index < before || json_object_get(results->specs, name)) continue;
        sl_report_note(report, SL_TONE_WARNING);
        sl_report_text(report, SL_STYLE_PLAIN, "Results of ");
        sl_report_text(report, SL_STYLE_CODE, "%s", name);
        sl_report_text(report, SL_STYLE_PLAIN,
                       " are not shown: softlab has no specification of that name. Give its folder "
                       "with --spec.");
    }
out:
    sl_name_table_destroy(known);
}

static void show_making(struct sl_report *report, const struct sl_results *results,
                        const struct sl_report_options *options)
{
    char lines[64], build[128];
    sl_report_section(report, 2, "this-report", "How this report was made");
    snprintf(build, sizeof build, "softlab %s (%s)", sl_version(), sl_build_id());
    snprintf(lines, sizeof lines, "%zu", results->n_runs);
    sl_report_pair(report, "written by", build);
    if (options->command) sl_report_pair(report, "command", options->command);
    sl_report_pair(report, "results read", lines);
    snprintf(lines, sizeof lines, "%zu", results->n_repeated);
    if (results->n_repeated) sl_report_pair(report, "repeated results (the last counts)", lines);
    snprintf(lines, sizeof lines, "%zu", results->n_torn);
    if (results->n_torn) sl_report_pair(report, "incomplete last lines (ignored)", lines);
}

/* ---- The first notes ---- */

/* True if a section has published figures; an empty report counts as one about papers. */
static bool is_about_papers(const struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i].outcome->expected->count) return true;
    return groups->count == 0;
}

/* The title of the only specification, or NULL. */
static const char *own_title(const struct groups *groups)
{
    if (groups->count == 0 || is_about_papers(groups)) return NULL;
    return groups->items[0].spec->brief->title;
}

static const char *title_of(const struct groups *groups)
{
    const char *own = own_title(groups);
    return own ? own : "Soft labels: published tables and our results";
}

/* Counts over all sections. */
struct extent {
    size_t n_runs, n_rows, n_claims;
    size_t verdicts[SL_VERDICTS];
};

static struct extent measure(const struct groups *groups)
{
    struct extent extent = {0};
    for (size_t i = 0; i < groups->count; i++) {
        const struct sl_outcome *outcome = groups->items[i].outcome;
        extent.n_runs += outcome->n_runs;
        extent.n_rows += sl_name_table_count(outcome->rows);
        for (size_t c = 0; c < outcome->n_claims; c++)
            extent.verdicts[outcome->claims[c].here.verdict]++;
        extent.n_claims += outcome->n_claims;
    }
    extent.n_claims -= extent.verdicts[SL_VERDICT_NO_CLAIM];
    return extent;
}

/* The summary of a specification without a paper that has claims.csv. */
static void say_own_claims(struct sl_report *report, const struct extent *extent)
{
    const size_t n_not_run = extent->verdicts[SL_VERDICT_NOT_RUN];
    sl_report_note(report, SL_TONE_ANSWER);
    sl_report_text(report, SL_STYLE_PLAIN, "Of %zu claim%s, ", extent->n_claims,
                   extent->n_claims == 1 ? "" : "s");
    sl_present_verdicts(report, extent->verdicts);
    sl_report_text(report, SL_STYLE_PLAIN, "; %zu %s not run.", n_not_run,
                   n_not_run == 1 ? "was" : "were");
    sl_report_note(report, SL_TONE_BASIS);
    sl_report_text(report, SL_STYLE_PLAIN,
                   "What this rests on: %zu run%s in %zu row%s. The 95 %% interval of the "
                   "difference decides each claim. Verdicts \u201cafter Holm\u201d are corrected "
                   "for testing several claims at once.",
                   extent->n_runs, extent->n_runs == 1 ? "" : "s", extent->n_rows,
                   extent->n_rows == 1 ? "" : "s");
}

/* The summary of a specification that asks no question and has no claims. */
static void say_what_is_here(struct sl_report *report, const struct extent *extent)
{
    const size_t n_runs = extent->n_runs, n_sets = extent->n_rows;
    sl_report_note(report, SL_TONE_ANSWER);
    if (n_runs)
        sl_report_text(report, SL_STYLE_PLAIN,
                       "This report shows figures and no verdicts: %zu run%s in %zu row%s.", n_runs,
                       n_runs == 1 ? "" : "s", n_sets, n_sets == 1 ? "" : "s");
    else
        sl_report_text(report, SL_STYLE_PLAIN,
                       "This report shows figures computed without training and no verdicts.");
    sl_report_note(report, SL_TONE_BASIS);
    sl_report_text(report, SL_STYLE_PLAIN,
                   "The specification has neither an \u201canswer\u201d block nor a claims.csv; "
                   "add one of them to get a verdict.");
}

/* Write what precedes all sections: answers, then verdicts on the papers' claims. An element of
 * `answers` is valid if its `sets` is not NULL. */
static void show_answers(const struct groups *groups, const struct sl_presentation *shows,
                         size_t n_all, struct sl_verdict_answer *answers, struct sl_report *report)
{
    const struct extent extent = measure(groups);
    size_t n_answers = 0;
    for (size_t i = 0; i < groups->count; i++)
        if (sl_verdict_answer_find(shows[i].outcome, &answers[i])) {
            sl_present_answer(&shows[i], &answers[i]);
            n_answers++;
        }
    if (is_about_papers(groups))
        sl_present_summary(report, shows, groups->count, n_all);
    else if (extent.n_claims)
        say_own_claims(report, &extent);
    else if (n_answers == 0)
        say_what_is_here(report, &extent);
}

/* A section's id is its specification's name; further scales of the same one append theirs. */
static void name_sections(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        struct group *group = &groups->items[i];
        size_t n_before = 0;
        for (size_t j = 0; j < i; j++)
            n_before += strcmp(groups->items[j].spec->name, group->spec->name) == 0;
        group->id = n_before == 0 ? sl_string_copy(group->spec->name)
                                  : sl_string_printf("%s-%s-%zu", group->spec->name, group->scale,
                                                     n_before + 1);
    }
}

/* Write the sections of specifications that are in the results file, or of the others. */
static enum sl_status show_outcomes(const struct groups *groups, const struct sl_results *results,
                                    const struct sl_presentation *shows, bool own,
                                    struct sl_error *err)
{
    for (size_t i = 0; i < groups->count; i++)
        if ((json_object_get(results->specs, groups->items[i].name) != NULL) == own)
            SL_TRY(sl_present_outcome(&shows[i], err));
    return SL_OK;
}

static enum sl_status write_report(const struct groups *groups, const struct groups *absent,
                                   const struct sl_results *results,
                                   const struct sl_report_options *options,
                                   struct sl_report *report, struct sl_error *err)
{
    const size_t n_all = groups->count + absent->count;
    struct sl_presentation *shows = sl_alloc(n_all + 1, sizeof *shows);
    struct sl_verdict_answer *answers = sl_alloc(groups->count + 1, sizeof *answers);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < groups->count; i++)
        shows[i] =
            (struct sl_presentation){.report = report,
                                     .outcome = groups->items[i].outcome,
                                     .badge = badge_of(&groups->items[i]),
                                     .id = groups->items[i].id,
                                     .is_alone = groups->count == 1 && own_title(groups) != NULL};
    for (size_t i = 0; i < absent->count; i++)
        shows[groups->count + i] =
            (struct sl_presentation){.report = report, .outcome = absent->items[i].outcome};
    show_answers(groups, shows, n_all, answers, report);
    show_strangers(report, results, options);
    for (size_t i = 0; i < groups->count; i++)
        if (answers[i].sets) SL_TRY_OUT(sl_present_answer_details(&shows[i], &answers[i], err));
    SL_TRY_OUT(show_outcomes(groups, results, shows, true, err));
    if (is_about_papers(groups))
        SL_TRY_OUT(sl_present_overview(report, shows, groups->count, n_all, err));
    SL_TRY_OUT(show_outcomes(groups, results, shows, false, err));
    show_failures(report, results);
    if (options->n_specs == 0 && is_about_papers(groups)) show_absent(report, groups);
    show_making(report, results, options);
out:
    for (size_t i = 0; i < groups->count; i++)
        sl_verdict_answer_release(&answers[i]);
    free(answers);
    free(shows);
    return status;
}

/* Open the built-in specifications without results: their claims count as not run. */
static enum sl_status open_absent(struct groups *absent, const struct groups *groups,
                                  const struct sl_results *results, struct sl_error *err)
{
    for (const char *const *name = sl_builtin_specs; *name; name++)
        if (!has_group(groups, *name, NULL)) add_group(absent, *name, "paper", NULL);
    for (size_t i = 0; i < absent->count; i++)
        SL_TRY(open_group(&absent->items[i], results, err));
    return SL_OK;
}

/* Correct the verdicts for the number of claims of each paper. */
static void adjust(const struct groups *groups)
{
    struct sl_outcome **outcomes = sl_alloc(groups->count + 1, sizeof(struct sl_outcome *));
    for (size_t i = 0; i < groups->count; i++)
        outcomes[i] = groups->items[i].outcome;
    sl_outcomes_adjust(outcomes, groups->count);
    free(outcomes);
}

enum sl_status sl_verdict_report(const struct sl_results *results,
                                 const struct sl_report_options *options, struct sl_report **out,
                                 struct sl_error *err)
{
    struct groups groups = {0}, absent = {0};
    struct sl_report *report = NULL;
    enum sl_status status = SL_OK;
    if (options->n_specs)
        SL_TRY_OUT(choose_named(&groups, results, options, err));
    else
        choose_known(&groups, results);
    for (size_t i = 0; i < groups.count; i++)
        SL_TRY_OUT(open_group(&groups.items[i], results, err));
    if (options->n_specs == 0 && groups.count && is_about_papers(&groups))
        SL_TRY_OUT(open_absent(&absent, &groups, results, err));
    name_sections(&groups);
    adjust(&groups);
    report = sl_report_create(title_of(&groups));
    SL_TRY_OUT(write_report(&groups, &absent, results, options, report, err));
    *out = report;
    report = NULL;
out:
    groups_release(&groups);
    groups_release(&absent);
    sl_report_destroy(report);
    return status;
}
