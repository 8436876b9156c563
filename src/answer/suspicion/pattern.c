/* Whether an annotator gives the same percentages throughout. */
#include <math.h>
#include <stdlib.h>

#include "answer/suspicion/suspicion.h"
#include "softlab/base/memory.h"

/* The percentages of one answer as a number; of a distribution the largest. */
struct pattern {
    uint32_t annotator;
    int32_t code;
};

static int32_t percent(float share)
{
    return isnan(share) ? 127 : (int32_t)lround(fmin(fmax(100 * (double)share, -1), 126));
}

/* False for answers without percentages. */
static bool code_of(const struct sl_answer *answer, size_t n_classes, int32_t *code)
{
    float largest = 0;
    switch (answer->kind) {
    case SL_ANSWER_SOFT:
        *code = 128 * percent(answer->top[0].probability) +
                (answer->n_top > 1 ? percent(answer->top[1].probability) : 0);
        return true;
    case SL_ANSWER_DIST:
        for (size_t k = 0; k < n_classes; k++)
            largest = fmaxf(largest, answer->distribution[k]);
        *code = percent(largest);
        return true;
    case SL_ANSWER_MIX:
        *code = 128 * percent(answer->mix.lambda) + percent(answer->mix.confidence);
        return true;
    case SL_ANSWER_HARD:
    case SL_ANSWER_SELECT: break;
    }
    return false;
}

static int by_annotator(const void *a, const void *b)
{
    const struct pattern *left = a, *right = b;
    if (left->annotator != right->annotator) return left->annotator < right->annotator ? -1 : 1;
    return (left->code > right->code) - (left->code < right->code);
}

static int by_code(const void *a, const void *b)
{
    const struct pattern *left = a, *right = b;
    return (left->code > right->code) - (left->code < right->code);
}

/* The most frequent code of each annotator, from patterns by annotator and code. */
static void find_most(const struct pattern *patterns, size_t count, struct sl_suspect *suspects,
                      int32_t *most)
{
    for (size_t i = 0, run = 1; i < count; i++, run++) {
        struct sl_suspect *suspect = &suspects[patterns[i].annotator];
        suspect->n_patterned++;
        if (run > suspect->n_same) {
            suspect->n_same = run;
            most[patterns[i].annotator] = patterns[i].code;
        }
        if (i + 1 < count && by_annotator(&patterns[i], &patterns[i + 1]) != 0) run = 0;
    }
}

static size_t first_from(const struct pattern *patterns, size_t count, int32_t code)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (patterns[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum sl_status sl_suspect_patterns(const struct sl_answers *answers, struct sl_suspect *suspects,
                                   struct sl_error *err)
{
    const size_t n_annotators = sl_name_table_count(answers->annotators);
    struct pattern *patterns = sl_data_alloc(answers->count, sizeof *patterns, err);
    int32_t *most = sl_data_alloc(n_annotators, sizeof *most, err);
    size_t count = 0;
    for (size_t i = 0; patterns && most && i < answers->count; i++) {
        struct sl_answer answer;
        int32_t code = 0;
        sl_answers_get(answers, i, &answer);
        if (answer.flags & SL_ANSWER_CHECK || answers->annotator[i] == SL_NO_NAME) continue;
        if (code_of(&answer, answers->n_classes, &code))
            patterns[count++] = (struct pattern){answers->annotator[i], code};
    }
    if (count) {
        qsort(patterns, count, sizeof *patterns, by_annotator);
        find_most(patterns, count, suspects, most);
        qsort(patterns, count, sizeof *patterns, by_code);
        for (size_t a = 0; a < n_annotators; a++) {
            struct sl_suspect *suspect = &suspects[a];
            const size_t n_others = count - suspect->n_patterned;
            if (suspect->n_patterned == 0 || n_others == 0) continue;
            const size_t all =
                first_from(patterns, count, most[a] + 1) - first_from(patterns, count, most[a]);
            suspect->same_elsewhere = (double)(all - suspect->n_same) / (double)n_others;
        }
    }
    const bool there = patterns && most;
    free(patterns);
    free(most);
    return there ? SL_OK : SL_ERR_NOMEM;
}
