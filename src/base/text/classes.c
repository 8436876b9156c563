#include "softlab/base/classes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { LISTED = 200 }; /* bytes of names in an error */

static char small(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static bool is_same_letter(char a, char b)
{
    return small(a) == small(b);
}

size_t sl_class_find(char *const *classes, size_t n_classes, const char *name, size_t length)
{
    size_t similar = SIZE_MAX;
    for (size_t k = 0; k < n_classes; k++) {
        if (strlen(classes[k]) != length) continue;
        if (memcmp(classes[k], name, length) == 0) return k;
        size_t same = 0;
        while (same < length && is_same_letter(classes[k][same], name[same]))
            same++;
        if (same == length) similar = k;
    }
    return similar;
}

static bool is_number(const char *name)
{
    return name[0] && name[strspn(name, "0123456789")] == '\0';
}

static int compare_numbers(const char *a, const char *b)
{
    a += strspn(a, "0");
    b += strspn(b, "0");
    const size_t digits = strlen(a), others = strlen(b);
    if (digits != others) return digits < others ? -1 : 1;
    return strcmp(a, b);
}

static int compare_words(const char *a, const char *b)
{
    while (*a && is_same_letter(*a, *b)) {
        a++;
        b++;
    }
    const unsigned char x = (unsigned char)small(*a), y = (unsigned char)small(*b);
    return (x > y) - (x < y);
}

static int compare_names(const char *a, const char *b)
{
    const bool number = is_number(a);
    if (number != is_number(b)) return number ? -1 : 1;
    const int by_sense = number ? compare_numbers(a, b) : compare_words(a, b);
    return by_sense ? by_sense : strcmp(a, b);
}

/* qsort passes no context, so the name is stored with its index. */
struct placed {
    const char *name;
    size_t place;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    const int by_name = compare_names(x->name, y->name);
    return by_name ? by_name : (x->place > y->place) - (x->place < y->place);
}

void sl_classes_order(char *const *classes, size_t n_classes, size_t *out)
{
    struct placed *sorted = sl_alloc(n_classes, sizeof *sorted);
    for (size_t k = 0; k < n_classes; k++)
        sorted[k] = (struct placed){classes[k], k};
    qsort(sorted, n_classes, sizeof *sorted, compare_placed);
    for (size_t k = 0; k < n_classes; k++)
        out[k] = sorted[k].place;
    free(sorted);
}

char *sl_classes_text(char *const *names, size_t count, char *out, size_t size)
{
    static const char more[] = ", ...";
    size_t used = 0;
    if (size > 0) out[0] = '\0';
    for (size_t k = 0; k < count; k++) {
        const size_t needed = strlen(names[k]) + (k ? 2 : 0);
        const size_t kept = k + 1 < count ? sizeof more : 1;
        if (used + needed + kept > size) {
            if (used + sizeof more <= size) memcpy(out + used, more, sizeof more);
            return out;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", k ? ", " : "", names[k]);
    }
    return out;
}

static enum sl_status match_by_name(const struct sl_class_list *from,
                                    const struct sl_class_list *to, size_t *out,
                                    struct sl_error *err)
{
    for (size_t k = 0; k < from->count; k++) {
        const char *name = from->names[k];
        const bool in_place = k < to->count && strcmp(to->names[k], name) == 0;
        out[k] = in_place ? k : sl_class_find(to->names, to->count, name, strlen(name));
        if (out[k] == SIZE_MAX) {
            char known[LISTED];
            return sl_fail(
                err, SL_ERR_INPUT,
                "%s: class \"%.60s\" is unknown to %s (%s); rename it, or leave its items out",
                from->owner, name, to->owner,
                sl_classes_text(to->names, to->count, known, sizeof known));
        }
        for (size_t j = 0; j < k; j++)
            if (out[j] == out[k])
                return sl_fail(
                    err, SL_ERR_INPUT,
                    "%s: classes \"%.60s\" and \"%.60s\" are both \"%.60s\" to %s; rename one",
                    from->owner, from->names[j], name, to->names[out[k]], to->owner);
    }
    return SL_OK;
}

/* Report the classes of `to` that `from` lacks. */
static enum sl_status fail_missing(const struct sl_class_list *from, const struct sl_class_list *to,
                                   const size_t *places, struct sl_error *err)
{
    char **missing = sl_alloc(to->count, sizeof *missing), listed[LISTED];
    size_t n_missing = 0;
    for (size_t k = 0; k < to->count; k++) {
        size_t at = 0;
        while (at < from->count && places[at] != k)
            at++;
        if (at == from->count) missing[n_missing++] = to->names[k];
    }
    const enum sl_status status =
        n_missing == 1
            ? sl_fail(err, SL_ERR_INPUT, "%s: class \"%.60s\" of %s is missing; give it a column",
                      from->owner, missing[0], to->owner)
            : sl_fail(err, SL_ERR_INPUT, "%s: classes %s of %s are missing; give them columns",
                      from->owner, sl_classes_text(missing, n_missing, listed, sizeof listed),
                      to->owner);
    free(missing);
    return status;
}

enum sl_status sl_classes_pair(const struct sl_class_list *from, const struct sl_class_list *to,
                               size_t *out, struct sl_error *err)
{
    const struct sl_class_list *named = from->names ? from : to;
    const struct sl_class_list *other = named == from ? to : from;
    if (named->names && other->names) {
        SL_TRY(match_by_name(from, to, out, err));
        return from->count == to->count ? SL_OK : fail_missing(from, to, out, err);
    }
    char listed[LISTED];
    if (from->count != to->count && named->names)
        return sl_fail(
            err, SL_ERR_INPUT, "%s: has %zu class%s without names; expected the %zu of %s (%s)",
            other->owner, other->count, sl_text_plural(other->count, "", "es"), named->count,
            named->owner, sl_classes_text(named->names, named->count, listed, sizeof listed));
    if (from->count != to->count)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: has %zu class%s; expected the %zu of %s, since neither has names",
                       from->owner, from->count, sl_text_plural(from->count, "", "es"), to->count,
                       to->owner);
    for (size_t k = 0; k < from->count; k++)
        out[k] = k;
    return SL_OK;
}

static bool only_counts(const struct sl_class_list *list)
{
    for (size_t k = 0; k < list->count; k++) {
        char number[32];
        snprintf(number, sizeof number, "%zu", k);
        if (strcmp(list->names[k], number) != 0) return false;
    }
    return true;
}

enum sl_status sl_classes_match(const struct sl_class_list *from, const struct sl_class_list *to,
                                size_t *out, enum sl_class_matching *how, struct sl_error *err)
{
    enum sl_status status = match_by_name(from, to, out, err);
    const bool by_number = status != SL_OK && how &&
                           ((only_counts(from) && from->count <= to->count) ||
                            (only_counts(to) && from->count == to->count));
    for (size_t k = 0; by_number && k < from->count; k++)
        out[k] = k;
    if (by_number) status = SL_OK;
    if (status == SL_OK && how) *how = by_number ? SL_CLASSES_BY_NUMBER : SL_CLASSES_BY_NAME;
    return status;
}
