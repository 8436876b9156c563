/* Answers and rows for the tests of label/. */
#ifndef SOFTLAB_TESTS_LABEL_SUPPORT_H
#define SOFTLAB_TESTS_LABEL_SUPPORT_H

#include "softlab/label.h"
#include "support.h"

/* A soft answer written down: classes by index, -1 ends the impossible ones; second -1 = none. */
struct test_soft {
    int first;
    float first_percent;
    int second;
    float second_percent; /* NaN = none */
    int impossible[11];
};

struct test_answer {
    struct sl_answer answer;
    struct sl_belief top[2];
    uint32_t impossible[11];
};

static inline struct sl_field test_field(const char *text)
{
    return (struct sl_field){.text = text, .length = strlen(text)};
}

/* `out` must stay where it is: the answer points into it. */
static inline void test_fill_soft(const struct test_soft *soft, struct test_answer *out)
{
    out->answer = sl_answer_empty();
    out->answer.kind = SL_ANSWER_SOFT;
    out->answer.item = test_field("item");
    out->answer.top = out->top;
    out->answer.impossible = out->impossible;
    out->top[0] = (struct sl_belief){(uint32_t)soft->first, soft->first_percent / 100};
    out->answer.n_top = 1;
    if (soft->second >= 0)
        out->top[out->answer.n_top++] =
            (struct sl_belief){(uint32_t)soft->second, soft->second_percent / 100};
    while (soft->impossible[out->answer.n_impossible] >= 0) {
        size_t i = out->answer.n_impossible++;
        out->impossible[i] = (uint32_t)soft->impossible[i];
    }
}

static inline void test_fill_hard(int class_index, struct test_answer *out)
{
    out->answer = sl_answer_empty();
    out->answer.kind = SL_ANSWER_HARD;
    out->answer.item = test_field("item");
    out->answer.top = out->top;
    out->answer.n_top = 1;
    out->top[0] = (struct sl_belief){(uint32_t)class_index, NAN};
}

static inline struct sl_answer test_mix(unsigned a, unsigned b, float lambda, float confidence,
                                        float generated)
{
    struct sl_answer answer = sl_answer_empty();
    answer.kind = SL_ANSWER_MIX;
    answer.item = test_field("item");
    answer.mix = (struct sl_mix_answer){
        .a = a, .b = b, .lambda = lambda, .confidence = confidence, .generated = generated};
    return answer;
}

static inline struct sl_answers *test_answers(const char *const *classes, size_t n_classes)
{
    struct sl_answers *answers;
    struct sl_error err;
    assert_ok(sl_answers_create(classes, n_classes, &answers, &err), err);
    return answers;
}

static inline void test_add(struct sl_answers *answers, struct sl_answer answer, const char *item,
                            const char *annotator)
{
    struct sl_error err;
    answer.item = test_field(item);
    answer.annotator = test_field(annotator);
    assert_ok(sl_answers_add(answers, &answer, &err), err);
}

static inline void test_add_hard(struct sl_answers *answers, int class_index, const char *item,
                                 const char *annotator)
{
    struct test_answer hard;
    test_fill_hard(class_index, &hard);
    test_add(answers, hard.answer, item, annotator);
}

static inline const struct sl_label_method *test_method(const char *name)
{
    const struct sl_label_method *method = sl_label_method_find(name);
    assert_non_null(method);
    return method;
}

/* Rows from numbers; names may be NULL. */
static inline struct sl_rows *test_rows(const float *values, size_t n_rows, size_t n_classes,
                                        const char *const *items, const char *const *classes)
{
    struct sl_rows *rows;
    struct sl_error err;
    assert_ok(sl_rows_create(n_rows, n_classes, &rows, &err), err);
    memcpy(rows->values, values, n_rows * n_classes * sizeof *values);
    if (items) {
        rows->items = sl_alloc(n_rows, sizeof *rows->items);
        for (size_t i = 0; i < n_rows; i++)
            rows->items[i] = sl_string_copy(items[i]);
    }
    if (classes) {
        rows->classes = sl_alloc(n_classes, sizeof *rows->classes);
        for (size_t k = 0; k < n_classes; k++)
            rows->classes[k] = sl_string_copy(classes[k]);
    }
    return rows;
}

#endif
