/* Shared by the tests of answers: files of given text, and imports into a set. */
#ifndef SOFTLAB_TESTS_ANSWER_SUPPORT_H
#define SOFTLAB_TESTS_ANSWER_SUPPORT_H

#include "support.h"

#include "softlab/answer.h"

static inline const struct sl_answer_format *find_format(const char *name)
{
    const struct sl_answer_format *format = sl_answer_formats;
    while (format->name && strcmp(format->name, name) != 0)
        format++;
    assert_non_null(format->name);
    return format;
}

static inline enum sl_status begin_set(void *context, const char *const *classes, size_t n_classes,
                                       struct sl_error *err)
{
    return sl_answers_create(classes, n_classes, context, err);
}

static inline enum sl_status put_in_set(void *context, const struct sl_answer *answer,
                                        struct sl_error *err)
{
    return sl_answers_add(*(struct sl_answers **)context, answer, err);
}

/* Import a file into a set; *out is NULL on failure. */
static inline enum sl_status try_import(const char *format, const char *path,
                                        const struct sl_import_options *options,
                                        struct sl_answers **out, struct sl_error *err)
{
    struct sl_answers *answers = NULL;
    const struct sl_answer_sink sink = {.begin = begin_set, .put = put_in_set, .context = &answers};
    enum sl_status status = find_format(format)->import(&path, 1, options, &sink, err);
    if (status != SL_OK) {
        sl_answers_destroy(answers);
        answers = NULL;
    }
    *out = answers;
    return status;
}

static inline struct sl_answers *import_file(const char *format, const char *path,
                                             const struct sl_import_options *options)
{
    struct sl_error err;
    struct sl_answers *answers = NULL;
    assert_ok(try_import(format, path, options, &answers, &err), err);
    return answers;
}

static inline struct sl_answers *import_text(const char *format, const char *text,
                                             const struct sl_import_options *options)
{
    const char *path = test_path("in");
    test_write(path, text, strlen(text));
    return import_file(format, path, options);
}

static inline void assert_import_fails(const char *format, const char *text,
                                       const struct sl_import_options *options, const char *part)
{
    struct sl_error err;
    struct sl_answers *answers = NULL;
    const char *path = test_path("in");
    test_write(path, text, strlen(text));
    assert_fails(try_import(format, path, options, &answers, &err), SL_ERR_INPUT, err, part);
}

static inline struct sl_answer get_answer(const struct sl_answers *answers, size_t index)
{
    struct sl_answer answer;
    assert_true(index < answers->count);
    sl_answers_get(answers, index, &answer);
    return answer;
}

static inline void assert_field(struct sl_field field, const char *expected)
{
    assert_int_equal(field.length, strlen(expected));
    if (field.length) assert_memory_equal(field.text, expected, field.length);
}

/* A hard answer with a class by name. */
static inline void assert_hard(const struct sl_answers *answers, size_t index, const char *item,
                               const char *annotator, const char *label)
{
    const struct sl_answer answer = get_answer(answers, index);
    assert_int_equal(answer.kind, SL_ANSWER_HARD);
    assert_field(answer.item, item);
    assert_field(answer.annotator, annotator);
    assert_string_equal(answers->classes[answer.top[0].class_index], label);
}

static inline void assert_same_float(float value, float expected)
{
    if (isnan(value) && isnan(expected)) return;
    assert_near(value, expected, 0);
}

/* Everything but `raw` is the same. */
static inline void assert_same_answers(const struct sl_answers *a, const struct sl_answers *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct sl_answer x = get_answer(a, i), y = get_answer(b, i);
        assert_int_equal(x.kind, y.kind);
        assert_int_equal(x.flags, y.flags);
        assert_int_equal(x.item.length, y.item.length);
        assert_memory_equal(x.item.text, y.item.text, x.item.length);
        assert_int_equal(x.annotator.length, y.annotator.length);
        if (x.annotator.length)
            assert_memory_equal(x.annotator.text, y.annotator.text, x.annotator.length);
        assert_int_equal(x.n_top, y.n_top);
        for (size_t k = 0; k < x.n_top; k++) {
            assert_string_equal(a->classes[x.top[k].class_index], b->classes[y.top[k].class_index]);
            assert_same_float(x.top[k].probability, y.top[k].probability);
        }
        assert_int_equal(x.n_impossible, y.n_impossible);
        for (size_t k = 0; k < x.n_impossible; k++)
            assert_int_equal(x.impossible[k], y.impossible[k]);
        assert_same_float(x.mix.lambda, y.mix.lambda);
        assert_same_float(x.mix.confidence, y.mix.confidence);
        assert_same_float(x.mix.generated, y.mix.generated);
        assert_int_equal(x.trial, y.trial);
    }
}

/* Export, import what was written, compare. */
static inline void assert_round_trip(const char *format, const struct sl_answers *answers,
                                     const struct sl_import_options *options)
{
    struct sl_error err;
    const char *path = test_path("round-trip");
    assert_ok(find_format(format)->write(answers, path, NULL, &err), err);
    struct sl_answers *again = import_file(format, path, options);
    assert_same_answers(answers, again);
    sl_answers_destroy(again);
}

#endif
