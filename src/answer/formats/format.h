/* Shared by the published formats: the state of one import, hard answers read in two passes, and
 * the checks of an export. Private to answer/. */
#ifndef SOFTLAB_ANSWER_FORMATS_FORMAT_H
#define SOFTLAB_ANSWER_FORMATS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer/blocks/blocks.h"
#include "answer/filter.h"
#include "softlab/answer.h"

enum { SL_CIFAR10_CLASSES = 10, SL_MOST_CLASSES = 65535 };
extern const char *const sl_cifar10_classes[];      /* "airplane", ...; NULL-ended */
extern const char *const sl_cifar10_class_titles[]; /* "Airplane", ...; NULL-ended */

struct sl_import {
    const struct sl_import_options *options; /* borrowed; NULL = none */
    const struct sl_answer_sink *sink;       /* borrowed */
    struct sl_class_filter *filter;          /* owned; NULL where no class is left out */
    struct sl_name_table *classes;           /* owned; NULL before sl_import_begin */
    bool numbered;    /* no class name is a number, so a number means a class by its index */
    bool quiet;       /* a first pass: the second pass counts skipped answers */
    const char *path; /* borrowed; file of the current answer, set by sl_import_at */
    size_t line;
    struct sl_truths_said *said; /* owned; NULL unless the options ask for one truth per item */
    size_t count;
};

void sl_import_init(struct sl_import *import, const struct sl_import_options *options,
                    const struct sl_answer_sink *sink);
void sl_import_release(struct sl_import *import);

/* Start the sink with the user's classes, or with these (NULL-ended). */
enum sl_status sl_import_begin(struct sl_import *import, const char *const *classes,
                               struct sl_error *err) SL_MUST_USE;
/* Set the place of the following answers. */
void sl_import_at(struct sl_import *import, const char *path, size_t line);
/* The same for classes that were found in files, which errors name. */
enum sl_status sl_import_begin_found(struct sl_import *import, const char *const *paths,
                                     size_t n_paths, char *const *classes, struct sl_error *err);
enum sl_status sl_import_put(struct sl_import *import, const struct sl_answer *answer,
                             struct sl_error *err) SL_MUST_USE;
/* Whether answers need no more than to be put into parts of the sink: no class is left out, and
 * where true classes are stated (`truths`), they need not agree. */
bool sl_import_takes_parts(const struct sl_import *import, bool truths);
/* Take a part of the sink that has `count` answers. */
enum sl_status sl_import_take_part(struct sl_import *import, const void *part, size_t count,
                                   struct sl_error *err) SL_MUST_USE;
/* SL_ERR_INPUT: two answers state different true classes of an item, the first on a line of `path`
 * (NULL: this file). */
enum sl_status sl_import_fail_truth(const struct sl_import *import, struct sl_field item,
                                    uint32_t before, size_t line, const char *path, uint32_t now,
                                    struct sl_error *err);
/* SL_ERR_INPUT if nothing was put. */
enum sl_status sl_import_finish(struct sl_import *import, const char *path,
                                struct sl_error *err) SL_MUST_USE;

size_t sl_import_class_count(const struct sl_import *import);
/* The class with this name (or, if `numbered`, this index); the error suggests the nearest one. */
enum sl_status sl_import_class(const struct sl_import *import, const char *text, size_t length,
                               uint32_t *out, struct sl_error *err) SL_MUST_USE;
/* The same, or SL_NO_NAME; calls no sl_alloc. */
uint32_t sl_import_find_class(const struct sl_import *import, struct sl_field name);

/* Count and report an answer that was left out or mended, and an item without answers. */
void sl_import_skip(struct sl_import *import, const char *format, ...) SL_PRINTF(2, 3);
void sl_import_mend(struct sl_import *import, const char *format, ...) SL_PRINTF(2, 3);
void sl_import_empty_item(struct sl_import *import, const char *format, ...) SL_PRINTF(2, 3);

struct sl_field sl_field_of(const char *text);
/* How much of a field fits a message: the precision for "%.*s". */
int sl_field_shown(struct sl_field field);

/* SL_ERR_USAGE unless there is one path. */
enum sl_status sl_import_one_path(const char *format, size_t n_paths,
                                  struct sl_error *err) SL_MUST_USE;

/* "<file>:<line>: " before a complaint about the input; other failures as they are. */
enum sl_status sl_at_line(enum sl_status status, const char *path, size_t line,
                          struct sl_error *err) SL_MUST_USE;

/* An optional column: SIZE_MAX if it is missing, for which sl_column_text gives an empty field. */
size_t sl_optional_column(const struct sl_csv *csv, const char *name);
struct sl_field sl_column_text(const struct sl_csv_record *record, size_t column);

/* One hard answer as a file states it. */
struct sl_hard_row {
    struct sl_field item, annotator, label;
    struct sl_field truth, ms, confidence; /* may be empty */
};

/* Fill the time and the confidence of an answer from texts that may be empty. */
enum sl_status sl_answer_measures(struct sl_field ms, struct sl_field confidence,
                                  struct sl_answer *answer, struct sl_error *err) SL_MUST_USE;

/* A reader of hard answers: calls sl_hard_row_put for each, first in a pass that only collects
 * classes, then in one that gives answers, so that only the classes are held. */
struct sl_hard_pass;
struct sl_hard_reader {
    enum sl_status (*read)(const char *path, const void *settings, struct sl_hard_pass *pass,
                           struct sl_error *err);
    const void *settings; /* borrowed; the reader's own */
};
enum sl_status sl_hard_row_put(struct sl_hard_pass *pass, const struct sl_hard_row *row,
                               struct sl_error *err) SL_MUST_USE;
/* The same for an answer that chose `n_labels` classes, at least one: several are of kind select.
 * row->label is not read. */
enum sl_status sl_chosen_row_put(struct sl_hard_pass *pass, const struct sl_hard_row *row,
                                 const struct sl_field *labels, size_t n_labels,
                                 struct sl_error *err) SL_MUST_USE;
struct sl_import *sl_hard_pass_import(struct sl_hard_pass *pass);
/* Whether this pass only collects classes, and one class of it. */
bool sl_hard_pass_collects(const struct sl_hard_pass *pass);
enum sl_status sl_hard_pass_collect(struct sl_hard_pass *pass, struct sl_field name,
                                    struct sl_error *err) SL_MUST_USE;
/* The answer that a row states; its class goes to *belief. False if something is wrong with it:
 * sl_hard_row_put then says what. Calls no sl_alloc. */
bool sl_hard_row_answer(const struct sl_import *import, const struct sl_hard_row *row,
                        struct sl_belief *belief, struct sl_answer *out);
enum sl_status sl_import_hard(const struct sl_hard_reader *reader, const char *const *paths,
                              size_t n_paths, const struct sl_import_options *options,
                              const struct sl_answer_sink *sink, struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT naming answer `index` unless it is of this kind. */
enum sl_status sl_export_kind(const struct sl_answer *answer, size_t index,
                              enum sl_answer_kind kind, const char *format,
                              struct sl_error *err) SL_MUST_USE;

/* One answer for a file that holds hard answers only; *keep is false for checks, repeats and second
 * runs, which are left out and counted as skipped. */
struct sl_hard_export {
    const struct sl_answers *answers; /* borrowed */
    const char *format;               /* borrowed; its name, for errors */
    struct sl_import_notes *notes;    /* borrowed or NULL */
    bool annotators;                  /* every answer must have an annotator */
};
enum sl_status sl_hard_export_get(const struct sl_hard_export *export, size_t index,
                                  struct sl_answer *out, bool *keep,
                                  struct sl_error *err) SL_MUST_USE;
/* The classes of one item's answers by annotator into row[n_annotators], -1 = none. */
enum sl_status sl_hard_export_row(const struct sl_hard_export *export,
                                  const struct sl_item_index *index, size_t item, int64_t *row,
                                  struct sl_error *err) SL_MUST_USE;
/* The order of names in a matrix: if all names are numbers from 0 (and not far apart), each is at
 * its number, with SL_NO_NAME in the gaps; otherwise they keep their order. The caller frees. */
enum sl_status sl_matrix_order(const struct sl_name_table *names, uint32_t **out, size_t *count,
                               struct sl_error *err) SL_MUST_USE;
/* True if every class name is a number, as in files that hold numbers. */
bool sl_classes_are_numbers(const struct sl_answers *answers);

/* A percentage as a probability from 0 to 1; sl_answer_percent is the inverse. */
float sl_from_percent(double percent);

/* The formats; each file documents how it treats bad input. */
#define SL_IMPORTER(name)                                                                          \
    enum sl_status name(const char *const *paths, size_t n_paths,                                  \
                        const struct sl_import_options *options,                                   \
                        const struct sl_answer_sink *sink, struct sl_error *err)
#define SL_EXPORTER(name)                                                                          \
    enum sl_status name(const struct sl_answers *answers, const char *path,                        \
                        struct sl_import_notes *notes, struct sl_error *err)

SL_IMPORTER(sl_import_answers_csv);
SL_IMPORTER(sl_import_cifar10h_counts);
SL_IMPORTER(sl_import_cifar10h_raw);
SL_IMPORTER(sl_import_cifar10s_json);
SL_IMPORTER(sl_import_cifar10s_raw);
SL_IMPORTER(sl_import_doccano);
SL_IMPORTER(sl_import_hmix);
SL_IMPORTER(sl_import_hmix_soft);
SL_IMPORTER(sl_import_label_studio);
SL_IMPORTER(sl_import_label_studio_min);
SL_IMPORTER(sl_import_labelme);
SL_IMPORTER(sl_import_long_csv);
SL_IMPORTER(sl_import_mturk);
SL_IMPORTER(sl_import_peerannot);
SL_IMPORTER(sl_import_pos);
SL_IMPORTER(sl_import_potato);
SL_IMPORTER(sl_import_probs_long);
SL_IMPORTER(sl_import_probs_wide);
SL_IMPORTER(sl_import_toloka);
SL_IMPORTER(sl_import_wide);

enum sl_status sl_import_long_csv_blocks(const char *const *paths, size_t n_paths,
                                         const struct sl_import_options *options,
                                         const struct sl_block_plan *plan,
                                         const struct sl_answer_sink *sink,
                                         struct sl_error *err) SL_MUST_USE;

SL_EXPORTER(sl_export_answers_csv);
SL_EXPORTER(sl_export_cifar10h_counts);
SL_EXPORTER(sl_export_cifar10s_json);
SL_EXPORTER(sl_export_hmix);
SL_EXPORTER(sl_export_labelme);
SL_EXPORTER(sl_export_long_csv);
SL_EXPORTER(sl_export_peerannot);
SL_EXPORTER(sl_export_wide);

#endif
