/* JSON: jansson's values, read through cursors whose errors name the file, the
 * line and the path, as in
 *
 *     study.json:12: $.screens[2].gamma: expected a number from 0 to 1, got 3
 *
 * jansson's json_t is the one foreign type in softlab's interface: wrapping a
 * value type that is already small and well documented would only rename it
 * (docs/decisions/0003). Only this header includes <jansson.h>. */
#ifndef SOFTLAB_BASE_JSON_H
#define SOFTLAB_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/file.h"

SL_BEGIN_DECLS

/* A parsed document. Duplicate keys, NUL bytes in strings, invalid UTF-8, numbers
 * out of range, nesting beyond jansson's limit and trailing text are errors. */
struct sl_json {
    char *name; /* owned; shown in errors */
    char *text; /* owned copy, to find the line of a path */
    size_t length;
    size_t first_line; /* line number of the first byte: 1, or more within a .jsonl */
    json_t *root;      /* owned */
};

/* Read a file of at most `maximum` bytes. */
enum sl_status sl_json_read(const char *path, size_t maximum, struct sl_json *out,
                            struct sl_error *err) SL_MUST_USE;

/* Parse bytes in memory; `line` is where they begin in `name`. */
enum sl_status sl_json_parse(const char *text, size_t length, const char *name, size_t line,
                             struct sl_json *out, struct sl_error *err) SL_MUST_USE;
void sl_json_release(struct sl_json *json);

/* A place in a document. Cursors live on the stack and point at their parent, so
 * that the path exists only when an error needs it. */
struct sl_json_cursor {
    const struct sl_json *document;      /* borrowed */
    const struct sl_json_cursor *parent; /* borrowed; NULL at the root */
    const char *key;                     /* borrowed; NULL at the root and in arrays */
    size_t index;                        /* in arrays */
    json_t *value;                       /* borrowed; NULL if optional and absent */
};

struct sl_json_cursor sl_json_root(const struct sl_json *document);

/* A required member, and an optional one: its value is NULL if it is absent or null. */
enum sl_status sl_json_member(const struct sl_json_cursor *object, const char *key,
                              struct sl_json_cursor *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_json_optional(const struct sl_json_cursor *object, const char *key,
                                struct sl_json_cursor *out, struct sl_error *err) SL_MUST_USE;

/* A member of an object; its value is NULL if it is absent. */
struct sl_json_cursor sl_json_below(const struct sl_json_cursor *object, const char *key);

/* The number of elements; element `index` (asserted to exist). */
enum sl_status sl_json_array_size(const struct sl_json_cursor *array, size_t *out,
                                  struct sl_error *err) SL_MUST_USE;
struct sl_json_cursor sl_json_element(const struct sl_json_cursor *array, size_t index);

/* Typed values, range-checked; strings are borrowed from the document. */
enum sl_status sl_json_string(const struct sl_json_cursor *at, const char **out,
                              struct sl_error *err) SL_MUST_USE;
enum sl_status sl_json_integer(const struct sl_json_cursor *at, int64_t minimum, int64_t maximum,
                               int64_t *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_json_number(const struct sl_json_cursor *at, double minimum, double maximum,
                              double *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_json_boolean(const struct sl_json_cursor *at, bool *out,
                               struct sl_error *err) SL_MUST_USE;

/* Check that every key of the object is in `known` (NULL-ended); the error suggests the nearest
 * one. */
enum sl_status sl_json_only(const struct sl_json_cursor *object, const char *const *known,
                            struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT "<file>:<line>: <path>: <message>", for the caller's own checks. */
enum sl_status sl_json_fail(const struct sl_json_cursor *at, struct sl_error *err,
                            const char *format, ...) SL_PRINTF(3, 4);

/* Append a string in quotes, escaped. SL_ERR_INPUT naming `what` if it is not valid UTF-8 or
 * contains a NUL byte, which sl_json_read would refuse. */
enum sl_status sl_json_append_string(struct sl_buffer *out, const char *text, size_t length,
                                     const char *what, struct sl_error *err) SL_MUST_USE;

/* New values: a number, or null for NaN and infinity; [low, high]; {"estimate": ., "interval":
 * [low, high]}; a list of counts. */
struct sl_interval;
json_t *sl_json_real(double value) SL_MUST_USE;
json_t *sl_json_interval(const struct sl_interval *interval) SL_MUST_USE;
json_t *sl_json_estimate(const struct sl_interval *interval) SL_MUST_USE;
json_t *sl_json_counts(const size_t *counts, size_t n) SL_MUST_USE;

/* For programs: make jansson take its memory from sl_alloc, so that it gets memory or does not
 * return, instead of leaving values out silently. jansson has one allocator per process: call this
 * before the first use of JSON and before starting threads. */
void sl_json_use_memory(void);

/* Write a value atomically: indented by two spaces, keys in insertion order, newline at the end. */
enum sl_status sl_json_write(const json_t *value, const char *path,
                             struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
