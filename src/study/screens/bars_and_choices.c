/* Bars, single classes, pairs of classes and mixing coefficients. */
#include <math.h>
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "study/screens/screens.h"

/* Bars move in whole percent; thirds leave a remainder below this. */
static const double SUM_TOLERANCE = 0.05;

static enum sl_status read_percents(const json_t *answer, const struct sl_study *study, float *out,
                                    struct sl_error *err)
{
    static const char *const known[] = {"percents", NULL};
    SL_TRY(sl_screen_only(answer, known, "answer", err));
    const json_t *percents = json_object_get(answer, "percents");
    if (!json_is_array(percents) || json_array_size(percents) != study->n_classes)
        return sl_fail(err, SL_ERR_INPUT, "percents: expected a list of %zu numbers",
                       study->n_classes);
    double sum = 0;
    for (size_t k = 0; k < study->n_classes; k++) {
        double percent = 0;
        SL_TRY(sl_screen_number(json_array_get(percents, k), 0, 100, "percents", &percent, err));
        sum += percent;
        if (out) out[k] = (float)(percent / 100);
    }
    if (!(fabs(sum - 100) <= SUM_TOLERANCE))
        return sl_fail(err, SL_ERR_INPUT, "percents: they sum to %g, not to 100", sum);
    return SL_OK;
}

enum sl_status sl_screen_check_bars(const json_t *answer, const struct sl_study *study,
                                    struct sl_error *err)
{
    return read_percents(answer, study, NULL, err);
}

enum sl_status sl_screen_convert_bars(const json_t *answer, const struct sl_study *study,
                                      struct sl_answer *out, struct sl_error *err)
{
    float *distribution = sl_alloc(study->n_classes, sizeof *distribution);
    enum sl_status status = read_percents(answer, study, distribution, err);
    if (status != SL_OK) {
        free(distribution);
        return status;
    }
    *out = sl_answer_empty();
    out->kind = SL_ANSWER_DIST;
    out->distribution = distribution;
    return SL_OK;
}

static void give_classes(enum sl_answer_kind kind, const uint32_t *classes, size_t count,
                         struct sl_answer *out)
{
    struct sl_belief *beliefs = sl_alloc(count, sizeof *beliefs);
    for (size_t i = 0; i < count; i++)
        beliefs[i] = (struct sl_belief){classes[i], NAN};
    *out = sl_answer_empty();
    out->kind = kind;
    out->top = beliefs;
    out->n_top = count;
}

static enum sl_status read_class(const json_t *answer, const struct sl_study *study, uint32_t *out,
                                 struct sl_error *err)
{
    static const char *const known[] = {"class", NULL};
    SL_TRY(sl_screen_only(answer, known, "answer", err));
    return sl_screen_class(json_object_get(answer, "class"), study, "class", out, err);
}

enum sl_status sl_screen_check_hard(const json_t *answer, const struct sl_study *study,
                                    struct sl_error *err)
{
    uint32_t class_index = 0;
    return read_class(answer, study, &class_index, err);
}

enum sl_status sl_screen_convert_hard(const json_t *answer, const struct sl_study *study,
                                      struct sl_answer *out, struct sl_error *err)
{
    uint32_t class_index = 0;
    SL_TRY(read_class(answer, study, &class_index, err));
    give_classes(SL_ANSWER_HARD, &class_index, 1, out);
    return SL_OK;
}

static enum sl_status read_pair(const json_t *answer, const struct sl_study *study, uint32_t **out,
                                struct sl_error *err)
{
    static const char *const known[] = {"classes", NULL};
    uint32_t *classes = NULL;
    size_t count = 0;
    SL_TRY(sl_screen_only(answer, known, "answer", err));
    SL_TRY(sl_screen_classes(json_object_get(answer, "classes"), study, 2, "classes", &classes,
                             &count, err));
    if (count == 2) {
        *out = classes;
        return SL_OK;
    }
    free(classes);
    return sl_fail(err, SL_ERR_INPUT, "classes: choose two classes");
}

enum sl_status sl_screen_check_select(const json_t *answer, const struct sl_study *study,
                                      struct sl_error *err)
{
    uint32_t *classes = NULL;
    SL_TRY(read_pair(answer, study, &classes, err));
    free(classes);
    return SL_OK;
}

enum sl_status sl_screen_convert_select(const json_t *answer, const struct sl_study *study,
                                        struct sl_answer *out, struct sl_error *err)
{
    uint32_t *classes = NULL;
    SL_TRY(read_pair(answer, study, &classes, err));
    give_classes(SL_ANSWER_SELECT, classes, 2, out);
    free(classes);
    return SL_OK;
}

struct sliders {
    double mixing, confidence;
    bool touched[2];
};

static enum sl_status read_sliders(const json_t *answer, struct sliders *out, struct sl_error *err)
{
    static const char *const known[] = {"mixing", "confidence", "touched", NULL};
    SL_TRY(sl_screen_only(answer, known, "answer", err));
    SL_TRY(
        sl_screen_number(json_object_get(answer, "mixing"), 0, 100, "mixing", &out->mixing, err));
    SL_TRY(sl_screen_number(json_object_get(answer, "confidence"), 0, 100, "confidence",
                            &out->confidence, err));
    const json_t *touched = json_object_get(answer, "touched");
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = json_array_get(touched, i);
        if (!json_is_boolean(one) || json_array_size(touched) != 2)
            return sl_fail(err, SL_ERR_INPUT, "touched: expected true or false for each slider");
        out->touched[i] = json_is_true(one);
    }
    return SL_OK;
}

enum sl_status sl_screen_check_mix(const json_t *answer, const struct sl_study *study,
                                   struct sl_error *err)
{
    (void)study;
    struct sliders sliders;
    return read_sliders(answer, &sliders, err);
}

enum sl_status sl_screen_check_mix_touched(const json_t *answer, const struct sl_study *study,
                                           struct sl_error *err)
{
    (void)study;
    struct sliders sliders;
    SL_TRY(read_sliders(answer, &sliders, err));
    if (!sliders.touched[0]) return sl_fail(err, SL_ERR_INPUT, "mixing: move the slider");
    if (!sliders.touched[1]) return sl_fail(err, SL_ERR_INPUT, "confidence: move the slider");
    return SL_OK;
}

enum sl_status sl_screen_convert_mix(const json_t *answer, const struct sl_study *study,
                                     struct sl_answer *out, struct sl_error *err)
{
    (void)study;
    struct sliders sliders;
    SL_TRY(read_sliders(answer, &sliders, err));
    *out = sl_answer_empty();
    out->kind = SL_ANSWER_MIX;
    /* The slider's left end stands for the first endpoint alone. */
    out->mix.lambda = (float)(1 - sliders.mixing / 100);
    out->mix.confidence = (float)(sliders.confidence / 100);
    return SL_OK;
}
