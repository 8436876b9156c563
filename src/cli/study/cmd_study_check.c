#include <stdlib.h>

#include "cmd.h"
#include "softlab/base/text.h"
#include "softlab/study/check.h"

struct check_values {
    const char *url;
    bool json;
};

#define AT(field) .offset = offsetof(struct check_values, field)

static const struct sl_field_row check_options[] = {
    {"url", SL_FIELD_WORD, AT(url),
     "the address at which annotators reach the study, for the printed links", .letter = 'u',
     .value = "URL", .fallback = "http://127.0.0.1:8080"},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print everything as JSON"},
    {.name = NULL},
};

/* So many findings of a kind are listed; --json has all. */
enum { SHOWN = 5 };

static void print_findings(const struct sl_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct sl_finding *one = &findings->list[i];
        if (one->nth == SHOWN)
            printf("%s: %zu more like this; --json lists all\n", one->check,
                   sl_findings_left_out(findings, i, SHOWN));
        if (one->nth >= SHOWN) continue;
        char *text = sl_finding_text(one);
        printf("%s: %s\n", one->level == SL_FINDING_ERROR ? "error" : "warning", text);
        free(text);
    }
}

static void print_effort(const struct sl_study_effort *effort)
{
    printf("%zu trial%s, about %zu minute%s\n", effort->n_trials,
           sl_text_plural(effort->n_trials, "", "s"), effort->minutes,
           sl_text_plural(effort->minutes, "", "s"));
}

static enum sl_status print_review(bool json, const struct sl_study_review *review,
                                   struct sl_error *err)
{
    if (json) return cli_print_json(sl_study_review_json(review), err);
    print_findings(&review->findings);
    print_effort(&review->effort);
    cli_print_links(review->links);
    return SL_OK;
}

static enum sl_status run_check(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct check_values *options = values;
    struct sl_study_review review = {0};
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    char *url = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(cli_take_url(options->url, &url, err));
    SL_TRY_OUT(sl_study_read(cli->arguments[0], &study, err));
    SL_TRY_OUT(sl_study_store(study, false, &store, err));
    SL_TRY_OUT(sl_study_review(study, store, url, cli_now(), &review, err));
    SL_TRY_OUT(print_review(options->json, &review, err));
    fflush(stdout); /* before the error, also where both go to one file */
    if (review.findings.n_errors > 0)
        status =
            sl_fail(err, SL_ERR_INPUT, "%s is not ready for people: %zu error%s", cli->arguments[0],
                    review.findings.n_errors, sl_text_plural(review.findings.n_errors, "", "s"));
out:
    sl_study_review_release(&review);
    sl_store_close(store);
    sl_study_destroy(study);
    free(url);
    return status;
}

static const struct cli_example check_examples[] = {
    {"softlab study check birds", "what is still to be done, and the links to send"},
    {"softlab study check birds --url https://study.example.org/",
     "the links as people will need them"},
    {"softlab study check birds --json", "for a program of your own"},
    {NULL, NULL},
};

const struct cli_command cmd_study_check = {
    .name = "study check",
    .also = "validate lint ready preflight",
    .group = "studies",
    .summary = "find what is wrong with a study before people take part",
    .description =
        "Looks for placeholders in the texts, pictures and texts that people cannot judge, "
        "practice trials and checks without effect, too few places, missing or equal completion "
        "codes, and pay and dates that contradict the consent page. With an error (exit status 1) "
        "study serve does not start; a warning may be intended. Then prints the expected duration, "
        "the link to send with the recruiter's parameters, the test link and the completion codes.",
    .arguments = cli_study_argument,
    .options = check_options,
    .examples = check_examples,
    .values_size = sizeof(struct check_values),
    .run = run_check,
};
