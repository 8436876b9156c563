/* Annotators who may have answered without looking. A flag asks for a look, never for less pay. */
#include <string.h>

#include "study/status/status.h"

static bool has_tests(const struct sl_status_gathering *from)
{
    for (size_t i = 0; i < from->n_sessions; i++)
        if (from->sessions[i].session.test) return true;
    return false;
}

static enum sl_status measure_tests(struct sl_status_gathering *gathered, struct sl_error *err)
{
    const struct sl_study_choice tests = {.extent = SL_STUDY_TESTS, .kinds = ~0u};
    struct sl_quality quality = {0};
    SL_TRY(sl_study_answers(gathered->study, gathered->store, &gathered->items, &tests,
                            &gathered->tests.answers, err));
    SL_TRY(sl_quality_measure(gathered->tests.answers, NULL, &quality, err));
    enum sl_status status = sl_suspicion_measure(gathered->tests.answers, &quality, NULL,
                                                 &gathered->tests.suspicions, err);
    sl_quality_release(&quality);
    return status;
}

enum sl_status sl_status_measure_suspicion(struct sl_status_gathering *gathered,
                                           struct sl_error *err)
{
    SL_TRY(sl_suspicion_measure(gathered->answers, &gathered->quality, NULL, &gathered->suspicions,
                                err));
    return has_tests(gathered) ? measure_tests(gathered, err) : SL_OK;
}

json_t *sl_status_suspicion(const struct sl_status_gathering *from, const char *annotator,
                            bool test)
{
    const struct sl_answers *answers = test ? from->tests.answers : from->answers;
    const struct sl_suspicions *all = test ? &from->tests.suspicions : &from->suspicions;
    const uint32_t index =
        answers ? sl_name_table_find(answers->annotators, annotator, strlen(annotator))
                : SL_NO_NAME;
    if (index == SL_NO_NAME) return json_null();
    const struct sl_suspicion *one = &all->annotators[index];
    json_t *reasons = json_array();
    for (size_t i = 0; i < one->n_reasons; i++)
        json_array_append_new(reasons, json_string(one->reasons[i]));
    return json_pack("{s:o, s:b, s:o}", "score", sl_status_real(one->score, 3), "flagged",
                     one->flagged, "reasons", reasons);
}

void sl_status_suspicion_release(struct sl_status_gathering *gathered)
{
    sl_suspicions_release(&gathered->suspicions);
    sl_suspicions_release(&gathered->tests.suspicions);
    sl_answers_destroy(gathered->tests.answers);
    gathered->tests.answers = NULL;
}
