/* The questions of collins2022, figure 7: top class, second class, their percentages, and the
 * impossible classes (or, reversed, the possible ones). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/screens/screens.h"

static const double MAX_PERCENT = 1e9;

/* One class with its percentage, as sent. */
struct choice {
    bool given; /* a class is chosen */
    uint32_t class_index;
    double percent;  /* NaN: none, or unreadable */
    const char *raw; /* borrowed; the typed text, or NULL */
};

struct questions {
    struct choice top, second;
    uint32_t *listed; /* owned; `impossible` or `possible` */
    size_t n_listed;
};

static enum sl_status read_raw(const json_t *choice, const char *where, const char **out,
                               struct sl_error *err)
{
    const json_t *raw = json_object_get(choice, "raw");
    *out = NULL;
    if (!raw || json_is_null(raw)) return SL_OK;
    if (!json_is_string(raw) || json_string_length(raw) > SL_SCREEN_MAX_RAW)
        return sl_fail(err, SL_ERR_INPUT, "%s.raw: expected a text of at most %d bytes", where,
                       SL_SCREEN_MAX_RAW);
    *out = json_string_value(raw);
    return SL_OK;
}

/* Reads the structure; the strict screens check whether it makes sense. */
static enum sl_status read_choice(const json_t *value, const struct sl_study *study,
                                  const char *where, struct choice *out, struct sl_error *err)
{
    static const char *const known[] = {"class", "percent", "raw", NULL};
    *out = (struct choice){.percent = (double)NAN};
    SL_TRY(sl_screen_only(value, known, where, err));
    const json_t *class_name = json_object_get(value, "class");
    const json_t *percent = json_object_get(value, "percent");
    SL_TRY(read_raw(value, where, &out->raw, err));
    if (percent && !json_is_null(percent)) {
        if (!json_is_number(percent))
            return sl_fail(err, SL_ERR_INPUT, "%s.percent: expected a number or null", where);
        double number = json_number_value(percent);
        /* A larger number is no percentage, and a float could not hold it. */
        if (fabs(number) <= MAX_PERCENT) out->percent = number;
    }
    if (!class_name || json_is_null(class_name)) return SL_OK;
    SL_TRY(sl_screen_class(class_name, study, where, &out->class_index, err));
    out->given = true;
    return SL_OK;
}

static enum sl_status read_questions(const json_t *answer, const struct sl_study *study,
                                     const char *list, struct questions *out, struct sl_error *err)
{
    const char *const known[] = {"top", "second", list, NULL};
    *out = (struct questions){.second.percent = (double)NAN};
    SL_TRY(sl_screen_only(answer, known, "answer", err));
    SL_TRY(read_choice(json_object_get(answer, "top"), study, "top", &out->top, err));
    if (!out->top.given) return sl_fail(err, SL_ERR_INPUT, "top: choose the most probable class");
    const json_t *second = json_object_get(answer, "second");
    if (second && !json_is_null(second))
        SL_TRY(read_choice(second, study, "second", &out->second, err));
    const json_t *listed = json_object_get(answer, list);
    if (!listed) return SL_OK;
    return sl_screen_classes(listed, study, study->n_classes, list, &out->listed, &out->n_listed,
                             err);
}

static bool lists(const struct questions *questions, uint32_t class_index)
{
    for (size_t i = 0; i < questions->n_listed; i++)
        if (questions->listed[i] == class_index) return true;
    return false;
}

/* NaN, which means no number, fails every comparison. */
static enum sl_status check_percents(const struct questions *questions, struct sl_error *err)
{
    const struct choice *top = &questions->top, *second = &questions->second;
    if (!(top->percent > 0 && top->percent <= 100))
        return sl_fail(err, SL_ERR_INPUT, "top.percent: expected a number above 0, at most 100");
    if (!second->given && !isnan(second->percent))
        return sl_fail(err, SL_ERR_INPUT, "second: has a percentage, but no class");
    if (!second->given) return SL_OK;
    if (second->class_index == top->class_index)
        return sl_fail(err, SL_ERR_INPUT, "second: choose a class other than the first");
    if (!(second->percent > 0 && second->percent <= 100))
        return sl_fail(err, SL_ERR_INPUT, "second.percent: expected a number above 0, at most 100");
    if (!(second->percent <= top->percent))
        return sl_fail(err, SL_ERR_INPUT, "second.percent: is higher than that of the first class");
    if (!(top->percent + second->percent <= 100))
        return sl_fail(err, SL_ERR_INPUT, "second.percent: both together are more than 100");
    return SL_OK;
}

static enum sl_status check_impossible(const struct questions *questions, struct sl_error *err)
{
    if (lists(questions, questions->top.class_index))
        return sl_fail(err, SL_ERR_INPUT, "impossible: contains the most probable class");
    if (questions->second.given && lists(questions, questions->second.class_index))
        return sl_fail(err, SL_ERR_INPUT, "impossible: contains the second class");
    return SL_OK;
}

enum sl_status sl_screen_check_loose(const json_t *answer, const struct sl_study *study,
                                     struct sl_error *err)
{
    struct questions questions = {0};
    enum sl_status status = read_questions(answer, study, "impossible", &questions, err);
    free(questions.listed);
    return status;
}

enum sl_status sl_screen_check_strict(const json_t *answer, const struct sl_study *study,
                                      struct sl_error *err)
{
    struct questions questions = {0};
    enum sl_status status = read_questions(answer, study, "impossible", &questions, err);
    if (status == SL_OK) status = check_percents(&questions, err);
    if (status == SL_OK) status = check_impossible(&questions, err);
    free(questions.listed);
    return status;
}

enum sl_status sl_screen_check_possible(const json_t *answer, const struct sl_study *study,
                                        struct sl_error *err)
{
    struct questions questions = {0};
    enum sl_status status = read_questions(answer, study, "possible", &questions, err);
    if (status == SL_OK) status = check_percents(&questions, err);
    free(questions.listed);
    return status;
}

enum sl_status sl_screen_check_fast(const json_t *answer, const struct sl_study *study,
                                    struct sl_error *err)
{
    static const char *const known[] = {"certain", NULL};
    const json_t *certain = json_object_get(answer, "certain");
    uint32_t class_index = 0;
    if (!certain) return sl_screen_check_strict(answer, study, err);
    SL_TRY(sl_screen_only(answer, known, "answer", err));
    return sl_screen_class(certain, study, "certain", &class_index, err);
}

static void set_raw(struct sl_answer *out, size_t index, const char *raw)
{
    if (!raw) return;
    out->raw[index] = (struct sl_field){.text = raw, .length = strlen(raw)};
}

/* Takes the list of impossible classes. */
static void give_answer(const struct questions *questions, uint32_t *impossible,
                        size_t n_impossible, struct sl_answer *out)
{
    const struct choice *top = &questions->top, *second = &questions->second;
    struct sl_belief *beliefs = sl_alloc(2, sizeof *beliefs);
    beliefs[0] = (struct sl_belief){top->class_index, (float)(top->percent / 100)};
    beliefs[1] = (struct sl_belief){second->class_index, (float)(second->percent / 100)};
    *out = sl_answer_empty();
    out->kind = SL_ANSWER_SOFT;
    out->top = beliefs;
    out->n_top = second->given ? 2 : 1;
    out->impossible = impossible;
    out->n_impossible = n_impossible;
    set_raw(out, 0, top->raw);
    set_raw(out, 1, second->raw);
}

enum sl_status sl_screen_convert_soft(const json_t *answer, const struct sl_study *study,
                                      struct sl_answer *out, struct sl_error *err)
{
    struct questions questions = {0};
    enum sl_status status = read_questions(answer, study, "impossible", &questions, err);
    if (status == SL_OK)
        give_answer(&questions, questions.listed, questions.n_listed, out);
    else
        free(questions.listed);
    return status;
}

/* Every class that is neither named nor listed. */
static uint32_t *the_rest(const struct questions *questions, const struct sl_study *study,
                          size_t *count)
{
    uint32_t *rest = sl_alloc(study->n_classes, sizeof *rest);
    *count = 0;
    for (uint32_t k = 0; k < study->n_classes; k++) {
        bool named = k == questions->top.class_index ||
                     (questions->second.given && k == questions->second.class_index);
        if (!named && !lists(questions, k)) rest[(*count)++] = k;
    }
    return rest;
}

enum sl_status sl_screen_convert_possible(const json_t *answer, const struct sl_study *study,
                                          struct sl_answer *out, struct sl_error *err)
{
    struct questions questions = {0};
    size_t n_rest = 0;
    enum sl_status status = read_questions(answer, study, "possible", &questions, err);
    if (status == SL_OK) {
        uint32_t *rest = the_rest(&questions, study, &n_rest);
        give_answer(&questions, rest, n_rest, out);
    }
    free(questions.listed);
    return status;
}

enum sl_status sl_screen_convert_fast(const json_t *answer, const struct sl_study *study,
                                      struct sl_answer *out, struct sl_error *err)
{
    const json_t *certain = json_object_get(answer, "certain");
    if (!certain) return sl_screen_convert_soft(answer, study, out, err);
    struct questions questions = {.top = {.given = true, .percent = 100}};
    size_t n_rest = 0;
    SL_TRY(sl_screen_class(certain, study, "certain", &questions.top.class_index, err));
    /* The key means: this class and no other. */
    uint32_t *rest = the_rest(&questions, study, &n_rest);
    give_answer(&questions, rest, n_rest, out);
    return SL_OK;
}
