/* Classes: match the classes of one file with those of another. Class 2 here and class 0 there are
 * the same class only if they have the same name. */
#ifndef SOFTLAB_BASE_CLASSES_H
#define SOFTLAB_BASE_CLASSES_H

#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* Class names, borrowed, and what they belong to: "photos", "the network". */
struct sl_class_list {
    const char *owner;
    char *const *names;
    size_t count;
};

/* Index of a class by name; case is ignored if no name is exactly the same. SIZE_MAX if there is
 * none. */
size_t sl_class_find(char *const *classes, size_t n_classes, const char *name, size_t length);

enum sl_class_matching {
    SL_CLASSES_BY_NAME,
    SL_CLASSES_BY_NUMBER, /* one list has only numbers for names: "0", "1", "2" ... */
};

/* For each class of `from`, write its index in `to` into out[from->count]; `to` may have more
 * classes. Classes are matched by name as in sl_class_find. If that fails because the names of one
 * list are only numbers from 0, class k matches class k; then both lists have the same length, or
 * `from` is the numbered one and shorter. SL_ERR_INPUT naming the class and its owner if neither
 * works. With `how` NULL only matches by name are accepted, since the caller could not report the
 * other kind. */
enum sl_status sl_classes_match(const struct sl_class_list *from, const struct sl_class_list *to,
                                size_t *out, enum sl_class_matching *how,
                                struct sl_error *err) SL_MUST_USE;

/* The same where both must have the same classes: SL_ERR_INPUT also names classes of `to` that
 * `from` lacks. If one list has no names (NULL), class k matches class k and both must have the
 * same length; the caller should tell the user. */
enum sl_status sl_classes_pair(const struct sl_class_list *from, const struct sl_class_list *to,
                               size_t *out, struct sl_error *err) SL_MUST_USE;

/* Write the indices of the classes sorted by name into out[n_classes]: numbers by value, then words
 * alphabetically, ignoring case. Ties between equally probable classes are broken in this order, so
 * that neither the order of columns nor the order of files matters. */
void sl_classes_order(char *const *classes, size_t n_classes, size_t *out);

/* Write "cat, dog, ship" into `out`, cut with "..." if it is too long; returns `out`. */
char *sl_classes_text(char *const *names, size_t count, char *out, size_t size);

SL_END_DECLS

#endif
