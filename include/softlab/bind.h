/* Bind: softlab for programs in other languages. The functions take and give numbers, texts and
 * arrays; the only structs that a caller lays out are struct sl_error and struct sl_joined_names.
 * Nothing ends the process: running out of memory is SL_ERR_NOMEM.
 *
 *     sl_desk_create(0, NULL, "data", &desk, &err);
 *     sl_desk_lend_rows(desk, "mine", values, (size_t[]){100, 10}, no_names, &err);
 *     sl_desk_do(desk, "compare", words, 2, &result, &err);
 *     puts(sl_desk_result_json(result));
 *
 * Texts are UTF-8. */
#ifndef SOFTLAB_BIND_H
#define SOFTLAB_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* Raised when a function of this header changes, so that a caller can refuse a library of another
 * version. */
enum { SL_BIND_VERSION = 1 };
unsigned sl_bind_version(void);
const char *sl_bind_program_version(void); /* "0.1.0"; static */

/* What there is: every task with its options, methods, aggregators, measures, networks, recipes,
 * data sets and formats, as JSON. The caller frees *out with sl_bind_free. */
enum sl_status sl_bind_describe(char **out, struct sl_error *err) SL_MUST_USE;
void sl_bind_free(void *block);

/* Many names in one text, each followed by NUL. */
struct sl_joined_names {
    const char *text; /* NULL: no names */
    size_t bytes;
};
/* As sl_answer_columns. */
enum sl_status sl_bind_columns(const struct sl_joined_names *names, size_t count, size_t place[3],
                               struct sl_error *err) SL_MUST_USE;

/* ---- Desks ---- */

/* A desk has threads, folders, and what its caller lends for one task. Use it from one thread at a
 * time, but for sl_desk_stop. */
struct sl_desk;
/* `threads` 0: all cores. `environment` (or NULL) and `folder` are the roots of fetched data sets
 * (struct sl_data_roots). */
enum sl_status sl_desk_create(size_t threads, const char *environment, const char *folder,
                              struct sl_desk **out, struct sl_error *err) SL_MUST_USE;
void sl_desk_destroy(struct sl_desk *desk);

/* Messages and progress of tasks; either may be NULL. They are called on the thread that called
 * sl_desk_do. `level` is an enum sl_log_level; `total` is 0 if it is unknown. */
typedef void sl_desk_log(void *context, int level, const char *line);
typedef void sl_desk_progress(void *context, const char *label, const char *unit, uint64_t done,
                              uint64_t total, bool ended);
void sl_desk_listen(struct sl_desk *desk, sl_desk_log *log, sl_desk_progress *progress,
                    void *context);

/* From any thread or signal handler: end the running task soon, or the next one if none runs;
 * sl_desk_do then returns SL_ERR_STOPPED. */
void sl_desk_stop(struct sl_desk *desk);

/* ---- What a caller lends ---- */

/* Rows of labels or predictions that stand for the file `name`: `shape` has the numbers of rows and
 * of classes, `names` those of items and classes. `values` is borrowed until the desk is destroyed,
 * names are copied. */
enum sl_status sl_desk_lend_rows(struct sl_desk *desk, const char *name, const float *values,
                                 const size_t shape[2], const struct sl_joined_names names[2],
                                 struct sl_error *err) SL_MUST_USE;
/* Votes that stand for the file `name`: for each of `count` answers the codes of its item, its
 * annotator (UINT32_MAX: unknown) and its class. `sizes` says how many of each there are, `names`
 * what they are called; names of a kind are all different. Everything is copied. */
enum sl_status sl_desk_lend_votes(struct sl_desk *desk, const char *name, size_t count,
                                  const uint32_t *const codes[3], const size_t sizes[3],
                                  const struct sl_joined_names names[3],
                                  struct sl_error *err) SL_MUST_USE;
/* Whether to keep the annotators' confusions in the result; they can be gigabytes. */
void sl_desk_keep_confusions(struct sl_desk *desk, bool keep);

/* ---- Work ---- */

/* The outcome of a task, independent of the desk. */
struct sl_desk_result;
/* Run a task (softlab/pipeline/task.h) by the words of its command. */
enum sl_status sl_desk_do(struct sl_desk *desk, const char *task, const char *const *words,
                          size_t n_words, struct sl_desk_result **out,
                          struct sl_error *err) SL_MUST_USE;
/* Measure lent votes (softlab/answer/measures.h): "alpha", "uncertainty" or "accuracy" of items,
 * "uncertainty-of-annotators", "accuracy-of-annotators", or "consistency". `skill` is one number
 * per annotator (NULL: all 1), `chosen` a class per item (UINT32_MAX: none; NULL where it is not
 * needed). The result has the array figures (NaN without answers) and the JSON {"all": mean or
 * total}. */
enum sl_status sl_desk_measure(struct sl_desk *desk, const char *votes, const char *measure,
                               const double *skill, const uint32_t *chosen,
                               struct sl_desk_result **out, struct sl_error *err) SL_MUST_USE;
/* Open a data set and load its images: the arrays pixels or features, labels and truth, the names
 * items, classes and texts. */
enum sl_status sl_desk_open(struct sl_desk *desk, const char *dataset, struct sl_desk_result **out,
                            struct sl_error *err) SL_MUST_USE;
/* The graph of a trained network (sl_model_graph_json), by the path of its weights or run. */
enum sl_status sl_desk_network(struct sl_desk *desk, const char *weights,
                               struct sl_desk_result **out, struct sl_error *err) SL_MUST_USE;
void sl_desk_result_destroy(struct sl_desk_result *result);

/* The task's JSON; NULL if everything is in files and arrays. All results are borrowed. */
const char *sl_desk_result_json(const struct sl_desk_result *result);
/* An array in row-major order: its first element, its numpy type ("<f4", "<f8", "<i4", "|u1") and
 * shape; NULL if the result has none of this name. Names: rows, prior, confusion, skill, weight,
 * trace, ability, easiness, strategy, pixels, features, labels, truth. */
enum { SL_RESULT_DIMENSIONS = 4 };
const void *sl_desk_result_array(const struct sl_desk_result *result, const char *name,
                                 const char **type, size_t *n_dimensions,
                                 size_t shape[SL_RESULT_DIMENSIONS]);
/* Names or texts, each followed by NUL: items, classes, annotators, texts; NULL if there are none.
 */
const char *sl_desk_result_texts(const struct sl_desk_result *result, const char *name,
                                 size_t *bytes);

/* ---- Numbers for values ---- */

/* Number `count` values of 8 bytes by first appearance: codes[i] is the number of value i,
 * firsts[c] the index of the first value with number c (room for `count` each). Returns how many
 * different values there are, by the threads of the desk. Equal bytes are equal values. */
enum sl_status sl_desk_number(struct sl_desk *desk, const uint64_t *values, size_t count,
                              uint32_t *codes, uint64_t *firsts, size_t *n_different,
                              struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
