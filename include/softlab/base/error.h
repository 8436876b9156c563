/* Errors: every function that can fail returns enum sl_status and, where the
 * caller passed one, fills a struct sl_error as its last argument.
 *
 * The library never prints and never exits. A failing function says what went
 * wrong once, where it is known, in one line without a full stop. Passing NULL
 * for the error is always allowed. Out-parameters are untouched on failure. */
#ifndef SOFTLAB_BASE_ERROR_H
#define SOFTLAB_BASE_ERROR_H

#include "softlab/base/declare.h"

SL_BEGIN_DECLS

enum sl_status {
    SL_OK = 0,
    SL_ERR_USAGE,     /* the caller asked for something that does not exist */
    SL_ERR_INPUT,     /* data from outside is malformed or out of range */
    SL_ERR_NOT_FOUND, /* a named thing is absent */
    SL_ERR_IO,        /* the operating system refused */
    SL_ERR_NOMEM,     /* out of memory */
    SL_ERR_BACKEND,   /* a library that softlab uses reported an error */
    SL_ERR_NUMERIC,   /* a loss, weight or fit became NaN or infinite */
    SL_ERR_BUSY,      /* another program has locked it; try again later */
    SL_ERR_STOPPED,   /* stopped early on request */
};

struct sl_error {
    enum sl_status code;
    char message[512]; /* one line, no trailing newline or full stop */
};

/* Fill *err (if not NULL) and return `code`, so that failing is one statement.
 * A message that does not fit ends in "...". */
enum sl_status sl_fail(struct sl_error *err, enum sl_status code, const char *format, ...)
    SL_PRINTF(3, 4);

/* As sl_fail with SL_ERR_IO and ": <strerror of the current errno>" appended. */
enum sl_status sl_fail_errno(struct sl_error *err, const char *format, ...) SL_PRINTF(2, 3);

/* Put "<context>: " before the message of an error that already happened and
 * return its code: for callers that know the file or the item. */
enum sl_status sl_fail_within(struct sl_error *err, enum sl_status code, const char *format, ...)
    SL_PRINTF(3, 4);

/* "input", "io", ...: for logs and --json. */
const char *sl_status_name(enum sl_status code);

/* Two ways to pass a failure on: SL_TRY while the function owns nothing yet, SL_TRY_OUT once
 * `status` and the label `out:` release what it owns. A function that has used SL_TRY_OUT must not
 * use SL_TRY after it (tools/check-source checks this). */
#define SL_TRY(expression)                                                                         \
    do {                                                                                           \
        enum sl_status sl_try_status = (expression);                                               \
        if (sl_try_status != SL_OK) return sl_try_status;                                          \
    } while (0)

#define SL_TRY_OUT(expression)                                                                     \
    do {                                                                                           \
        status = (expression);                                                                     \
        if (status != SL_OK) goto out;                                                             \
    } while (0)

SL_END_DECLS

#endif
