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

static enum sl_status print_json(const struct sl_findings *findings,
                                 const struct sl_study_effort *effort, json_t *links,
                                 struct sl_error *err)
{
    json_t *all =
        json_pack("{s:I, s:I, s:o, s:I, s:I, s:f, s:O}", "errors", (json_int_t)findings->n_errors,
                  "warnings", (json_int_t)(findings->count - findings->n_errors), "findings",
                  sl_findings_json(findings), "trials", (json_int_t)effort->n_trials, "minutes",
                  (json_int_t)effort->minutes, "seconds", effort->seconds, "links", links);
    return cli_print_json(all, err);
}

/* What is printed of one study. */
struct check_result {
    struct sl_findings findings;
    struct sl_study_effort effort;
    json_t *links;
};

static enum sl_status print_result(const struct check_values *options,
                                   const struct check_result *result, struct sl_error *err)
{
    if (options->json) return print_json(&result->findings, &result->effort, result->links, err);
    print_findings(&result->findings);
    print_effort(&result->effort);
    cli_print_links(result->links);
    return SL_OK;
}

static enum sl_status find_all(const struct sl_study *study, struct sl_store *store,
                               const char *url, struct check_result *out, struct sl_error *err)
{
    const struct sl_study_inspection how = {.now = cli_now(), .pictures = true, .texts = true};
    char token[SL_STUDY_LINK_TEXT];
    SL_TRY(sl_study_test_token(store, token, err)); /* made if there is none yet */
    SL_TRY(sl_study_effort(study, store, &out->effort, err));
    SL_TRY(sl_study_inspect(study, store, &how, &out->findings, err));
    out->links = sl_study_links_json(study, store, url);
    return SL_OK;
}

static enum sl_status run_check(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct check_values *options = values;
    struct check_result result = {0};
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    char *url = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(cli_take_url(options->url, &url, err));
    SL_TRY_OUT(sl_study_read(cli->arguments[0], &study, err));
    SL_TRY_OUT(sl_study_store(study, false, &store, err));
    SL_TRY_OUT(find_all(study, store, url, &result, err));
    SL_TRY_OUT(print_result(options, &result, err));
    fflush(stdout); /* before the error, also where both go to one file */
    if (result.findings.n_errors > 0)
        status =
            sl_fail(err, SL_ERR_INPUT, "%s is not ready for people: %zu error%s", cli->arguments[0],
                    result.findings.n_errors, sl_text_plural(result.findings.n_errors, "", "s"));
out:
    sl_findings_release(&result.findings);
    json_decref(result.links);
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
