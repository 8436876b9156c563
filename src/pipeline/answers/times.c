/* How long answers took. */
#include "softlab/pipeline/answers.h"

size_t sl_answers_seconds(const struct sl_answers *answers, unsigned kinds, double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (!answer.flags && answer.ms > 0 && kinds & 1U << answer.kind)
            out[count++] = answer.ms / 1000;
    }
    return count;
}
