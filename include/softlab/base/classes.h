/* Classes: the classes of one file found among those of another. What is class 2 here and class 0
 * there is the same class only if it has the same name. */
#ifndef SOFTLAB_BASE_CLASSES_H
#define SOFTLAB_BASE_CLASSES_H

#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* Names of classes, borrowed, and what has them: "photos", "the network". */
struct sl_class_list {
    const char *owner;
    char *const *names;
    size_t count;
};

/* Place of a class by name, letters' case aside where no name is the same; SIZE_MAX if none. */
size_t sl_class_find(char *const *classes, size_t n_classes, const char *name, size_t length);

enum sl_class_matching {
    SL_CLASSES_BY_NAME,
    SL_CLASSES_BY_NUMBER, /* one of the lists only counts its classes: "0", "1", "2" ... */
};

/* For each class of `from` its place among those of `to`, into out[from->count]; `to` may have
 * more. By name as sl_class_find does. Where that fails because one list only counts its classes
 * from 0, class k is class k: then both have as many, or `from` is the one that counts and has
 * fewer. SL_ERR_INPUT, naming the class and what has it, if neither works. A caller that does not
 * ask `how` (NULL), and so could not say it, gets matches by name only. */
enum sl_status sl_classes_match(const struct sl_class_list *from, const struct sl_class_list *to,
                                size_t *out, enum sl_class_matching *how,
                                struct sl_error *err) SL_MUST_USE;

/* The same where both must have the same classes: by name, and SL_ERR_INPUT also names those of
 * `to` that `from` lacks. Where one of them has no names (NULL), class k is class k, and both have
 * as many: whoever can speak says so. */
enum sl_status sl_classes_pair(const struct sl_class_list *from, const struct sl_class_list *to,
                               size_t *out, struct sl_error *err) SL_MUST_USE;

/* Which of equally probable classes is chosen must depend on neither the order of a file's columns
 * nor on which of two files is named first: ties go by name. Places of the classes sorted by name
 * into out[n_classes]: numbers by value, then words by the alphabet, letters' case aside. */
void sl_classes_order(char *const *classes, size_t n_classes, size_t *out);

/* "cat, dog, ship" into `out`, cut with "..." where it is too long; returns `out`. */
char *sl_classes_text(char *const *names, size_t count, char *out, size_t size);

SL_END_DECLS

#endif
