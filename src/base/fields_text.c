/* Reads typed texts into fields, and describes what a field accepts. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/describe.h"
#include "softlab/base/fields.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { MOST_CHOICES = 64, CHOICES_TEXT = 2048 };

/* ---- What a value may be ---- */

const char *sl_field_choice(const struct sl_field_row *field, size_t index)
{
    if (field->names) return field->names(index);
    return field->choices ? field->choices[index] : NULL;
}

bool sl_field_is_path(enum sl_field_kind kind)
{
    return kind >= SL_FIELD_PATH && kind <= SL_FIELD_SOURCE;
}

const char *sl_field_value_name(const struct sl_field_row *field)
{
    if (field->kind == SL_FIELD_BOOLEAN || field->value) return field->value;
    switch (field->kind) {
    case SL_FIELD_PATH:
    case SL_FIELD_OUTPUT: return "FILE";
    case SL_FIELD_FOLDER: return "FOLDER";
    case SL_FIELD_INTEGER:
    case SL_FIELD_COUNT: return "N";
    case SL_FIELD_SIDES: return "HxW";
    case SL_FIELD_NUMBER: return "X";
    case SL_FIELD_REALS: return "X,...";
    case SL_FIELD_COUNTS: return "N-...";
    default: return "NAME";
    }
}

static bool is_bounded(const struct sl_field_row *field)
{
    return field->minimum != 0 || field->maximum != 0;
}

static bool is_within(const struct sl_field_row *field, double value)
{
    return !is_bounded(field) ? !isnan(value) : value >= field->minimum && value <= field->maximum;
}

static size_t most_counts(const struct sl_field_row *field)
{
    return field->most > 0 ? field->most : SL_FIELD_LIST_MAX;
}

static void describe_counts(const struct sl_field_row *field, char out[SL_DESCRIBE_SIZE])
{
    char range[64] = "";
    if (is_bounded(field))
        snprintf(range, sizeof range, " from %.0f to %.0f", field->minimum, field->maximum);
    snprintf(out, SL_DESCRIBE_SIZE,
             "at most %zu integers%s with hyphens between them, like 3-4-6-3", most_counts(field),
             range);
}

static void append_choices(const struct sl_field_row *field, struct sl_buffer *out)
{
    for (size_t i = 0; sl_field_choice(field, i); i++)
        sl_buffer_printf(out, "%s%s", i > 0 ? ", " : "", sl_field_choice(field, i));
}

/* "text of 1 to 9 bytes", "a list of at most 9 texts". */
static void append_counted(const struct sl_field_row *field, struct sl_buffer *out)
{
    const bool is_line = field->kind == SL_FIELD_LINE;
    sl_buffer_text(out, is_line ? "text of " : "a list of ");
    if (field->minimum > 0)
        sl_buffer_printf(out, "%.0f to %.0f ", field->minimum, field->maximum);
    else
        sl_buffer_printf(out, "at most %.0f ", field->maximum);
    sl_buffer_text(out, is_line ? "bytes" : field->kind == SL_FIELD_OBJECTS ? "objects" : "texts");
}

static void append_kind(const struct sl_field_row *field, struct sl_buffer *out)
{
    char words[SL_DESCRIBE_SIZE] = "text";
    /* Larger whole numbers are not exact as doubles, so no table means them as a bound. */
    const double exact = 9e15;
    const bool bounded = is_bounded(field);
    if (field->kind < SL_FIELD_WORD) sl_field_words(field, words);
    switch (field->kind) {
    case SL_FIELD_INTEGER:
    case SL_FIELD_COUNT:
        sl_describe_integers(
            bounded && field->minimum > -exact ? (int64_t)field->minimum : INT64_MIN,
            bounded && field->maximum < exact ? (int64_t)field->maximum : INT64_MAX, words);
        break;
    case SL_FIELD_NUMBER:
        sl_describe_reals(bounded ? field->minimum : -(double)INFINITY,
                          bounded ? field->maximum : (double)INFINITY, words);
        break;
    case SL_FIELD_REALS:
        snprintf(words, sizeof words, "numbers from %g to %g, at most %d, separated by commas",
                 field->minimum, field->maximum, SL_FIELD_LIST_MAX);
        break;
    case SL_FIELD_COUNTS: describe_counts(field, words); break;
    case SL_FIELD_SIDES: snprintf(words, sizeof words, "height and width like 32x48"); break;
    case SL_FIELD_NAME:
        snprintf(words, sizeof words, "at most %d bytes of text", SL_FIELD_NAME_SIZE - 1);
        break;
    case SL_FIELD_LINE:
    case SL_FIELD_LINES:
    case SL_FIELD_OBJECTS:
        if (!bounded) break;
        append_counted(field, out);
        return;
    default: break;
    }
    sl_buffer_text(out, words);
    if (field->size_max) sl_buffer_printf(out, " or %s", field->size_max);
}

char *sl_field_expected(const struct sl_field_row *field, struct sl_buffer *out)
{
    if (sl_field_choice(field, 0)) {
        sl_buffer_text(out, "one of ");
        append_choices(field, out);
    } else {
        append_kind(field, out);
    }
    return out->data;
}

static enum sl_status fail_unexpected(const struct sl_field_row *field, const char *text,
                                      struct sl_error *err)
{
    char shown[SL_DESCRIBE_SIZE];
    struct sl_buffer expected;
    sl_buffer_init(&expected, CHOICES_TEXT);
    sl_field_expected(field, &expected);
    sl_fail(err, SL_ERR_USAGE, "expected %s, got %s", expected.data,
            sl_describe_text(text, strlen(text), shown));
    sl_buffer_release(&expected);
    return SL_ERR_USAGE;
}

/* ---- Choices ---- */

/* Suggest a choice for a name from another program ("DS" is ds here) and for a misspelt one. */
static enum sl_status fail_choice(const struct sl_field_row *field, const char *text,
                                  struct sl_error *err)
{
    const char *names[MOST_CHOICES + 1] = {NULL};
    const char *here = field->known_as ? field->known_as(text) : NULL;
    for (size_t i = 0; i < MOST_CHOICES && sl_field_choice(field, i); i++) {
        names[i] = sl_field_choice(field, i);
        if (sl_text_known_as(text, names[i])) here = names[i];
    }
    char shown[SL_DESCRIBE_SIZE], ending[SL_SUGGESTION_TEXT];
    sl_describe_text(text, strlen(text), shown);
    if (here) return sl_fail(err, SL_ERR_USAGE, "%s is called %s here", shown, here);
    const char *meant = sl_text_suggestion(text, names, NULL, ending);
    if (meant) return sl_fail(err, SL_ERR_USAGE, "no %s%s", shown, meant);
    return fail_unexpected(field, text, err);
}

static bool find_choice(const struct sl_field_row *field, const char *text, size_t *out)
{
    for (size_t i = 0; sl_field_choice(field, i); i++) {
        if (strcmp(sl_field_choice(field, i), text) != 0) continue;
        *out = i;
        return true;
    }
    return false;
}

static enum sl_status set_choice(const struct sl_field_row *field, const char *text, void *out,
                                 struct sl_error *err)
{
    size_t index = 0;
    if (!find_choice(field, text, &index)) return fail_choice(field, text, err);
    const char *name = sl_field_choice(field, index);
    const int place = (int)index; /* enums have the size of int */
    if (field->kind == SL_FIELD_ENUM)
        memcpy(out, &place, sizeof place);
    else
        memcpy(out, &name, sizeof name);
    return SL_OK;
}

/* ---- Values ---- */

static enum sl_status set_boolean(const struct sl_field_row *field, const char *text, bool *out,
                                  struct sl_error *err)
{
    const bool is_true = strcmp(text, "true") == 0;
    if (!is_true && strcmp(text, "false") != 0) return fail_unexpected(field, text, err);
    *out = is_true;
    return SL_OK;
}

static enum sl_status set_integer(const struct sl_field_row *field, const char *text, int64_t *out,
                                  struct sl_error *err)
{
    int64_t value = 0;
    if (!sl_text_to_integer(text, strlen(text), &value) || !is_within(field, (double)value))
        return fail_unexpected(field, text, err);
    *out = value;
    return SL_OK;
}

/* A count with choices accepts only these numbers. */
static enum sl_status set_count(const struct sl_field_row *field, const char *text, size_t *out,
                                struct sl_error *err)
{
    int64_t value = 0;
    size_t index = 0;
    const bool chosen = sl_field_choice(field, 0) != NULL;
    if (field->size_max && strcmp(text, field->size_max) == 0) {
        *out = SIZE_MAX;
        return SL_OK;
    }
    if (chosen && !find_choice(field, text, &index)) return fail_choice(field, text, err);
    if (!sl_text_to_integer(text, strlen(text), &value) || value < 0 ||
        !(chosen || is_within(field, (double)value)))
        return fail_unexpected(field, text, err);
    *out = (size_t)value;
    return SL_OK;
}

static enum sl_status set_number(const struct sl_field_row *field, const char *text, double *out,
                                 struct sl_error *err)
{
    double value = 0;
    if (!sl_text_to_real(text, strlen(text), &value) || !is_within(field, value))
        return fail_unexpected(field, text, err);
    *out = value;
    return SL_OK;
}

/* An empty text is an empty list. */
static enum sl_status set_reals(const struct sl_field_row *field, const char *text,
                                struct sl_real_list *out, struct sl_error *err)
{
    struct sl_real_list list = {0};
    for (const char *at = text; *text; at++) {
        const size_t length = strcspn(at, ",");
        if (list.count == SL_FIELD_LIST_MAX ||
            !sl_text_to_real(at, length, &list.values[list.count]) ||
            !is_within(field, list.values[list.count]))
            return fail_unexpected(field, text, err);
        list.count++;
        at += length;
        if (*at == '\0') break;
    }
    *out = list;
    return SL_OK;
}

/* "3-4-6-3". */
static enum sl_status set_counts(const struct sl_field_row *field, const char *text,
                                 struct sl_count_list *out, struct sl_error *err)
{
    struct sl_count_list list = {0};
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, "-");
        int64_t value = 0;
        if (list.count == most_counts(field) || !sl_text_to_integer(at, length, &value) ||
            !is_within(field, (double)value))
            return fail_unexpected(field, text, err);
        list.values[list.count++] = (size_t)value;
        at += length;
        if (*at == '\0') break;
    }
    *out = list;
    return SL_OK;
}

static enum sl_status set_sides(const struct sl_field_row *field, const char *text, size_t *out,
                                struct sl_error *err)
{
    const size_t most = is_bounded(field) ? (size_t)field->maximum : SIZE_MAX;
    if (!sl_text_to_sides(text, most, &out[0], &out[1])) return fail_unexpected(field, text, err);
    return SL_OK;
}

static enum sl_status set_name(const struct sl_field_row *field, const char *text, char *out,
                               struct sl_error *err)
{
    if (strlen(text) >= SL_FIELD_NAME_SIZE) return fail_unexpected(field, text, err);
    snprintf(out, SL_FIELD_NAME_SIZE, "%s", text);
    return SL_OK;
}

static enum sl_status add_word(const struct sl_field_row *field, const char *text,
                               struct sl_word_list *out, struct sl_error *err)
{
    size_t index = 0;
    if (sl_field_choice(field, 0) && !find_choice(field, text, &index))
        return fail_choice(field, text, err);
    if (!text[0]) return sl_fail(err, SL_ERR_USAGE, "the name is empty");
    if (out->count == SL_FIELD_LIST_MAX)
        return sl_fail(err, SL_ERR_USAGE, "given more than %d times; separate names by commas",
                       SL_FIELD_LIST_MAX);
    out->values[out->count++] = text;
    return SL_OK;
}

static void set_owned(const char *text, char **out)
{
    char *copy = sl_string_copy(text);
    free(*out);
    *out = copy;
}

static enum sl_status check_line(const char *text, double minimum, double maximum,
                                 struct sl_error *err)
{
    const double length = (double)strlen(text);
    const bool any = minimum == 0 && maximum == 0;
    if (length == 0 && minimum > 0) return sl_fail(err, SL_ERR_USAGE, "must not be empty");
    if (length < minimum) return sl_fail(err, SL_ERR_USAGE, "is shorter than %.0f bytes", minimum);
    if (!any && length > maximum)
        return sl_fail(err, SL_ERR_USAGE, "is longer than %.0f bytes", maximum);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return sl_fail(err, SL_ERR_USAGE, "contains a control character");
    return SL_OK;
}

static enum sl_status set_line(const struct sl_field_row *field, const char *text, char **out,
                               struct sl_error *err)
{
    SL_TRY(check_line(text, field->minimum, field->maximum, err));
    set_owned(text, out);
    return SL_OK;
}

static enum sl_status add_line(const struct sl_field_row *field, const char *text, void *out,
                               struct sl_error *err)
{
    struct sl_text_list list;
    memcpy(&list, out, sizeof list);
    SL_TRY(check_line(text, 1, SL_FIELD_LINE_BYTES, err));
    if (sl_text_list_has(&list, text))
        return sl_fail(err, SL_ERR_USAGE, "\"%s\" occurs twice", text);
    if (is_bounded(field) && (double)list.count >= field->maximum)
        return sl_fail(err, SL_ERR_USAGE, "given more than %.0f times", field->maximum);
    sl_text_list_add(&list, text);
    memcpy(out, &list, sizeof list);
    return SL_OK;
}

enum sl_status sl_field_set(const struct sl_field_row *field, const char *text, void *of,
                            struct sl_error *err)
{
    void *out = (char *)of + field->offset;
    switch (field->kind) {
    case SL_FIELD_BOOLEAN: return set_boolean(field, text, out, err);
    case SL_FIELD_INTEGER: return set_integer(field, text, out, err);
    case SL_FIELD_COUNT: return set_count(field, text, out, err);
    case SL_FIELD_NUMBER: return set_number(field, text, out, err);
    case SL_FIELD_REALS: return set_reals(field, text, out, err);
    case SL_FIELD_SIDES: return set_sides(field, text, out, err);
    case SL_FIELD_COUNTS: return set_counts(field, text, out, err);
    case SL_FIELD_NAME: return set_name(field, text, out, err);
    case SL_FIELD_ENUM:
    case SL_FIELD_CHOICE: return set_choice(field, text, out, err);
    case SL_FIELD_WORDS: return add_word(field, text, out, err);
    case SL_FIELD_TEXT: set_owned(text, out); return SL_OK;
    case SL_FIELD_LINE: return set_line(field, text, out, err);
    case SL_FIELD_LINES: return add_line(field, text, out, err);
    default: break;
    }
    if (sl_field_is_path(field->kind) && !text[0])
        return sl_fail(err, SL_ERR_USAGE, "the path is empty");
    memcpy(out, &text, sizeof text);
    return SL_OK;
}

/* ---- Defaults ---- */

/* "nan" marks a number that nobody typed: no typed number is NaN. */
static void set_default(const struct sl_field_row *field, void *of)
{
    if (field->kind == SL_FIELD_NUMBER && strcmp(field->fallback, "nan") == 0) {
        *(double *)(void *)((char *)of + field->offset) = (double)NAN;
        return;
    }
    const enum sl_status status = sl_field_set(field, field->fallback, of, NULL);
    assert(status == SL_OK); /* a failure is a mistake in a table; tests walk all tables */
    (void)status;
}

void sl_fields_set_defaults(const struct sl_field_row *rows, void *of)
{
    for (const struct sl_field_row *row = rows; row && row->name; row++) {
        if (row->kind == SL_FIELD_GROUP || row->kind == SL_FIELD_SECTION)
            sl_fields_set_defaults(row->inner->rows, (char *)of + row->offset);
        else if (row->fallback)
            set_default(row, of);
    }
}
