/* Private to answer: shared by the answer set, its files and votes. */
#ifndef SOFTLAB_ANSWER_ANSWER_INTERNAL_H
#define SOFTLAB_ANSWER_ANSWER_INTERNAL_H

#include "softlab/answer.h"

/* How many warnings of one kind are shown. */
enum { SL_NOTES_SHOWN = 5 };

extern const char *const sl_answer_kind_names[]; /* "hard", ...; by enum sl_answer_kind */

/* SL_ERR_INPUT if the answer has no item, names a class that does not exist or lacks what its
 * kind needs. */
enum sl_status sl_answer_check(const struct sl_answer *answer, size_t n_classes,
                               struct sl_error *err) SL_MUST_USE;

/* Forget the answers of a set, keep its classes and memory. Neither this nor sl_answers_add calls
 * sl_alloc. */
void sl_answers_clear(struct sl_answers *answers);

/* The number in one table of each name of another. */
struct sl_numbering {
    uint32_t *values; /* owned */
    size_t capacity;
};
/* Add the names of `from` to `to`. */
enum sl_status sl_numbering_of(struct sl_numbering *numbers, const struct sl_name_table *from,
                               struct sl_name_table *to, struct sl_error *err) SL_MUST_USE;

/* Add all answers of a set that has the same classes, as if one by one. `numbers` is memory that
 * calls may share; all zeros at first. */
enum sl_status sl_answers_append(struct sl_answers *answers, const struct sl_answers *from,
                                 struct sl_numbering *numbers, struct sl_error *err) SL_MUST_USE;

/* Count a skipped answer and warn about the first few. */
void sl_notes_skip(struct sl_import_notes *notes, const char *path, size_t line, const char *why);

/* Count a further answer of a person to an item and warn about the first few people and items;
 * `told`: this person's answers to this item were counted before. */
void sl_notes_duplicate(struct sl_import_notes *notes, const char *path, const char *item,
                        const char *annotator, bool told);
/* The same for all answers of a set that are not marked as repeat or second run. */
enum sl_status sl_answers_note_duplicates(const struct sl_answers *answers, const char *path,
                                          struct sl_import_notes *notes,
                                          struct sl_error *err) SL_MUST_USE;

/* The kind of an answer file, by its first bytes after unpacking. A pipe is taken for answers.jsonl
 * where one reading is enough. An export is what sl_answer_format_guess finds. */
enum sl_answer_file { SL_FILE_SLB, SL_FILE_JSONL, SL_FILE_TABLE, SL_FILE_EXPORT, SL_FILE_PIPE };
enum sl_status sl_answer_file_look(const char *path, enum sl_answer_file *out,
                                   struct sl_error *err) SL_MUST_USE;
/* SL_ERR_USAGE if columns are named for a file that has none. */
enum sl_status sl_answer_file_check(const char *path, enum sl_answer_file file,
                                    const struct sl_import_options *options,
                                    struct sl_error *err) SL_MUST_USE;

#endif
