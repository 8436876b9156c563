/* Writes a report of one's own: who agrees with the others, how fast, and whose answers to look at.
 *
 *     annotator_report ANSWERS REPORT.html
 *
 * The ending of REPORT chooses the format: .html, .md, .csv or .tex. */
#include <math.h>
#include <softlab/answer/quality.h>
#include <softlab/answer/suspicion.h>
#include <softlab/base.h>
#include <softlab/report.h>
#include <stdio.h>
#include <stdlib.h>

struct findings {
    struct sl_answers *answers;
    struct sl_quality quality;
    struct sl_suspicions suspicions;
};

static const char *name_of(const struct findings *findings, size_t annotator)
{
    return sl_name_table_get(findings->answers->annotators, (uint32_t)annotator, NULL);
}

static void add_table(struct sl_report *report, const struct findings *findings)
{
    static const char *const columns[] = {"annotator", "answers", "agreement with others",
                                          "median time (s)", "what stands out"};
    const struct sl_table_head head = {
        .id = "annotators", .caption = "Annotators", .columns = columns, .n_columns = 5};
    sl_report_table(report, &head);
    for (size_t a = 0; a < findings->quality.n_annotators; a++) {
        const struct sl_annotator_quality *person = &findings->quality.annotators[a];
        const struct sl_suspicion *signs = &findings->suspicions.annotators[a];
        const char *reason = signs->n_reasons > 0 ? signs->reasons[0] : "nothing unusual";
        sl_report_cell(report, sl_cell_text(name_of(findings, a)));
        sl_report_cell(report, sl_cell_number((double)person->n_answers, NAN, 0));
        sl_report_cell(report, sl_cell_number(person->agreement, NAN, 2));
        sl_report_cell(report, sl_cell_number(person->median_ms / 1000, NAN, 1));
        sl_report_cell(report,
                       signs->flagged ? sl_cell_mark(SL_MARK_OPEN, reason) : sl_cell_text(reason));
    }
}

static enum sl_status add_chart(struct sl_report *report, const struct findings *findings,
                                struct sl_error *err)
{
    const size_t count = findings->quality.n_annotators;
    const char **names = sl_alloc(count, sizeof *names);
    double *agreement = sl_alloc(count, sizeof *agreement);
    for (size_t a = 0; a < count; a++) {
        names[a] = name_of(findings, a);
        agreement[a] = findings->quality.annotators[a].agreement;
    }
    const struct sl_plot_series series = {.count = count, .x = agreement};
    const struct sl_plot plot = {
        .kind = SL_PLOT_BARS,
        .title = "Agreement with the other annotators",
        .x = {.label = "share of the others' votes", .low = 0, .high = 1},
        .y = {.scale = SL_SCALE_CATEGORY, .categories = names, .n_categories = count},
        .series = &series,
        .n_series = 1};
    const enum sl_status status = sl_report_chart(report, &plot, NULL, err);
    free(agreement);
    free(names);
    return status;
}

static enum sl_status write_report(const struct findings *findings, const char *path,
                                   struct sl_error *err)
{
    struct sl_report *report = sl_report_create("Our annotators");
    enum sl_status status = SL_OK;
    sl_report_note(report, SL_TONE_ANSWER);
    sl_report_text(report, SL_STYLE_PLAIN, "Look at the answers of %zu of %zu annotators.",
                   findings->suspicions.n_flagged, findings->quality.n_annotators);
    add_table(report, findings);
    SL_TRY_OUT(add_chart(report, findings, err));
    SL_TRY_OUT(sl_report_write(report, path, err));
out:
    sl_report_destroy(report);
    return status;
}

static enum sl_status run(const char *answers, const char *path, struct sl_error *err)
{
    struct findings findings = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_answers_load(answers, NULL, &findings.answers, err));
    SL_TRY_OUT(sl_quality_measure(findings.answers, NULL, &findings.quality, err));
    SL_TRY_OUT(
        sl_suspicion_measure(findings.answers, &findings.quality, NULL, &findings.suspicions, err));
    SL_TRY_OUT(write_report(&findings, path, err));
    printf("%zu of %zu annotators to look at, see %s\n", findings.suspicions.n_flagged,
           findings.quality.n_annotators, path);
out:
    sl_suspicions_release(&findings.suspicions);
    sl_quality_release(&findings.quality);
    sl_answers_destroy(findings.answers);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc != 3) {
        fprintf(stderr, "annotator_report: name two files: annotator_report ANSWERS REPORT.html\n");
        return 2;
    }
    if (run(argv[1], argv[2], &err) == SL_OK) return 0;
    fprintf(stderr, "annotator_report: %s\n", err.message);
    return 1;
}
