#include "cmd.h"
#include "softlab/base/text.h"
#include "softlab/study.h"

struct audit_values {
    bool json;
};

#define AT(field) .offset = offsetof(struct audit_values, field)
static const struct sl_field_row audit_options[] = {
    {"json", SL_FIELD_BOOLEAN, AT(json), "print the counts as JSON"},
    {.name = NULL},
};
#undef AT

static void say(const struct sl_study_audit *audit)
{
    if (audit->n_decisions == 0) {
        printf("no decision was made: adaptive assignment has asked nobody yet\n");
        return;
    }
    printf("%zu decision%s made on %zu board%s; %s from the answers and the rule\n",
           audit->n_decisions, sl_text_plural(audit->n_decisions, " was", "s were"),
           audit->n_boards, sl_text_plural(audit->n_boards, "", "s"),
           audit->n_unknown == 0 ? "all follow" : "those that can be checked follow");
    if (audit->n_unknown > 0)
        printf("%zu of them cannot be checked: %s\n", audit->n_unknown, audit->reason);
}

static json_t *audit_json(const struct sl_study_audit *audit)
{
    return json_pack("{s:I, s:I, s:I, s:s?}", "decisions", (json_int_t)audit->n_decisions, "boards",
                     (json_int_t)audit->n_boards, "unchecked", (json_int_t)audit->n_unknown,
                     "reason", audit->reason);
}

static enum sl_status run_audit(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct audit_values *options = values;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_study_audit audit;
    SL_TRY(sl_study_read(cli->arguments[0], &study, err));
    enum sl_status status = sl_study_store(study, true, &store, err);
    if (status == SL_OK) status = sl_study_audit(study, store, &audit, err);
    if (status == SL_OK && *audit.wrong)
        status = sl_fail(err, SL_ERR_INPUT, "%s: %s", cli->arguments[0], audit.wrong);
    if (status == SL_OK && options->json)
        status = cli_print_json(audit_json(&audit), err);
    else if (status == SL_OK)
        say(&audit);
    sl_store_close(store);
    sl_study_destroy(study);
    return status;
}

static const struct cli_example audit_examples[] = {
    {"softlab study audit birds", "whether every person was asked about the items of the rule"},
    {NULL, NULL},
};

const struct cli_command cmd_study_audit = {
    .name = "study audit",
    .also = "verify decisions adaptive",
    .group = "studies",
    .summary = "whether the items of an adaptive study were chosen by its rule",
    .description = "Makes every decision of adaptive assignment again from the stored answers and "
                   "compares it with the one that was stored, also while the study is served. Ends "
                   "with an error that names the first decision that does not follow. Decisions "
                   "that depend on answers of a purged participant cannot be checked.",
    .arguments = cli_study_argument,
    .options = audit_options,
    .examples = audit_examples,
    .values_size = sizeof(struct audit_values),
    .run = run_audit,
};
