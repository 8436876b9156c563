/* Private to the library: a strict JSON scanner (RFC 8259) for one line at a time.
 *
 * It accepts exactly what jansson accepts with JSON_REJECT_DUPLICATES: strings of valid UTF-8
 * without NUL, integers that fit 64 bits, reals that are finite, at most SL_SCAN_DEPTH nested
 * values. Functions return false with `problem` set and `at` where it was seen. Nothing here calls
 * sl_alloc, so parts of a pool may scan.
 *
 * The line must be followed by one '\n' and SL_SCAN_PADDING more bytes that may be read: no byte
 * of a JSON text may be a line break here, so that one stops every loop without a comparison. */
#ifndef SOFTLAB_BASE_JSON_SCAN_H
#define SOFTLAB_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/csv.h"

enum { SL_SCAN_PADDING = 64, SL_SCAN_DEPTH = 2048 };

struct sl_scan {
    const char *begin, *at, *end; /* borrowed */
    char problem[96];             /* what is wrong at `at` */
    bool exhausted;               /* what is wrong is that memory ran out */
    char *decoded;                /* owned; strings that had escapes, as long as any line */
    size_t decoded_used, decoded_capacity;
    struct sl_field *keys; /* owned; of the objects that are open in a walk */
    size_t n_keys, keys_capacity;
};

struct sl_scan_number {
    double value;
    int64_t integer; /* if is_integer */
    bool is_integer; /* written without a fraction and an exponent */
};

/* Callbacks of a walk, in the order of the text. */
struct sl_scan_visitor {
    void (*open)(void *context, char bracket); /* '{' or '[' */
    void (*close)(void *context, char bracket);
    void (*key)(void *context, struct sl_field key);
    void (*string)(void *context, struct sl_field text);
    void (*number)(void *context, const struct sl_scan_number *number);
    void (*literal)(void *context, char first); /* 't', 'f' or 'n' */
    void *context;
};

/* A scan of all zeros is ready for its first line. Strings of the previous line become invalid. */
void sl_scan_start(struct sl_scan *scan, const char *line, size_t length);
void sl_scan_release(struct sl_scan *scan);

/* Write the problem and return false, so that refusing is one statement. */
bool sl_scan_refuse(struct sl_scan *scan, const char *problem);
/* The same where memory ran out. */
bool sl_scan_exhaust(struct sl_scan *scan);

/* The next byte that is no white space, '\n' at the end of the line; it is not taken. */
static inline char sl_scan_peek(struct sl_scan *scan)
{
    while (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r')
        scan->at++;
    return *scan->at;
}

/* Take the byte if it is the next. */
static inline bool sl_scan_take(struct sl_scan *scan, char byte)
{
    if (sl_scan_peek(scan) != byte) return false;
    scan->at++;
    return true;
}

/* Each of these starts after white space, at the first byte of the value. Strings are borrowed from
 * the line or from the scan until the next start. */
bool sl_scan_string(struct sl_scan *scan, struct sl_field *out);
bool sl_scan_number(struct sl_scan *scan, struct sl_scan_number *out);
bool sl_scan_literal(struct sl_scan *scan, char *first);

/* Any value; the visitor may be NULL. `depth` is 1 for the value of the whole line. */
bool sl_scan_walk(struct sl_scan *scan, const struct sl_scan_visitor *visitor, unsigned depth);

/* Nothing but white space is left. */
bool sl_scan_finish(struct sl_scan *scan);

#endif
