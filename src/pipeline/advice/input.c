/* The answers in the forms that the parts of an advice read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/advice/advice.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* How an answer of this kind becomes a distribution; the first kind that occurs decides. */
static const struct {
    enum sl_answer_kind kind;
    const char *method;
} row_methods[] = {
    {SL_ANSWER_SOFT, "t2-clamp"},
    {SL_ANSWER_MIX, "mix"},
    {SL_ANSWER_DIST, "share"},
    {SL_ANSWER_SELECT, "share"},
};

static const char *find_row_method(const struct sl_answers *answers)
{
    for (size_t i = 0; i < sizeof row_methods / sizeof *row_methods; i++)
        if (sl_answers_have_kind(answers, row_methods[i].kind)) return row_methods[i].method;
    return NULL;
}

static enum sl_status make_rows(struct sl_advice_input *input, const struct sl_workplace *workplace,
                                struct sl_error *err)
{
    struct sl_label_options options = sl_label_options_default();
    struct sl_label_notes notes = {0};
    struct sl_rows *rows = NULL;
    options.per_annotator = true;
    options.notes = &notes;
    SL_TRY(sl_labels_build(sl_label_method_find(input->row_method), input->answers, &options, &rows,
                           err));
    if (notes.n_unusable)
        sl_log(workplace->log, SL_LOG_WARNING, "%zu unusable answer%s, the first: %s",
               notes.n_unusable, sl_text_plural(notes.n_unusable, "", "s"),
               notes.first_unusable.message);
    const enum sl_status status = sl_soft_answers_init(&input->soft, rows, input->answers, err);
    sl_rows_destroy(rows);
    return status;
}

enum sl_status sl_advice_input_init(struct sl_advice_input *input,
                                    const struct sl_workplace *workplace,
                                    const struct sl_advice *advice, struct sl_error *err)
{
    const struct sl_quality_options options = {.truth = advice->truth};
    *input = (struct sl_advice_input){.answers = advice->answers, .pool = workplace->pool};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_votes_from_answers(advice->answers, 0, &input->votes, err));
    if (input->votes->count == 0)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "no answer counts: the file is empty or has only checks and repeats"));
    input->row_method = find_row_method(advice->answers);
    if (input->row_method) SL_TRY_OUT(make_rows(input, workplace, err));
    if (input->row_method)
        input->crowd.soft = &input->soft.votes;
    else
        input->crowd.votes = input->votes;
    SL_TRY_OUT(sl_quality_measure(advice->answers, &options, &input->quality, err));
    SL_TRY_OUT(sl_suspicion_measure(advice->answers, &input->quality, advice->truth,
                                    &input->suspicions, err));
    return SL_OK;
out:
    sl_advice_input_release(input);
    return status;
}

void sl_advice_input_release(struct sl_advice_input *input)
{
    sl_suspicions_release(&input->suspicions);
    sl_quality_release(&input->quality);
    sl_soft_answers_release(&input->soft);
    sl_votes_destroy(input->votes);
    *input = (struct sl_advice_input){0};
}
