#include "softlab/study/check.h"

static enum sl_status fill_review(const struct sl_study *study, struct sl_store *store,
                                  const char *address, int64_t now, struct sl_study_review *out,
                                  struct sl_error *err)
{
    const struct sl_study_inspection how = {.now = now, .pictures = true, .texts = true};
    char token[SL_STUDY_LINK_TEXT];
    SL_TRY(sl_study_test_token(store, token, err)); /* made if there is none yet */
    SL_TRY(sl_study_effort(study, store, &out->effort, err));
    SL_TRY(sl_study_inspect(study, store, &how, &out->findings, err));
    out->links = sl_study_links_json(study, store, address);
    return SL_OK;
}

enum sl_status sl_study_review(const struct sl_study *study, struct sl_store *store,
                               const char *address, int64_t now, struct sl_study_review *out,
                               struct sl_error *err)
{
    struct sl_study_review review = {.links = NULL};
    const enum sl_status status = fill_review(study, store, address, now, &review, err);
    if (status == SL_OK)
        *out = review;
    else
        sl_study_review_release(&review);
    return status;
}

void sl_study_review_release(struct sl_study_review *review)
{
    sl_findings_release(&review->findings);
    json_decref(review->links);
    review->links = NULL;
}

json_t *sl_study_review_json(const struct sl_study_review *review)
{
    const struct sl_findings *findings = &review->findings;
    const struct sl_study_effort *effort = &review->effort;
    return json_pack(
        "{s:I, s:I, s:o, s:I, s:I, s:f, s:O}", "errors", (json_int_t)findings->n_errors, "warnings",
        (json_int_t)(findings->count - findings->n_errors), "findings", sl_findings_json(findings),
        "trials", (json_int_t)effort->n_trials, "minutes", (json_int_t)effort->minutes, "seconds",
        effort->seconds, "links", review->links);
}
