/* Compares what clients sent and what the server acknowledged with the store: every acknowledged
 * answer must be there once. */
#ifndef SOFTLAB_TESTS_BOOKS_H
#define SOFTLAB_TESTS_BOOKS_H

#include "softlab/study.h"

struct books; /* not for several threads at once */
struct books *books_create(void);
void books_destroy(struct books *books);
/* For struct sl_study_simulation. */
void books_note(void *books, const char *id, bool acknowledged);

struct books_report {
    size_t sent, acknowledged; /* client ids */
    size_t stored;             /* rows of the store */
    size_t lost;               /* acknowledged and not there */
    size_t doubled;            /* two rows for one trial of a session, or one client id */
    size_t strange;            /* there, but never sent */
    size_t forgotten;          /* acknowledged, but later requested again by the server */
};
enum sl_status books_check(struct books *books, const char *folder, struct books_report *out,
                           struct sl_error *err) SL_MUST_USE;
bool books_are_right(const struct books_report *report);
void books_print(const struct books_report *report);

/* A study of the shapes, open to `annotators` per batch. */
enum sl_status make_study(const char *folder, const char *screens, size_t batch, size_t annotators,
                          struct sl_error *err) SL_MUST_USE;

#endif
