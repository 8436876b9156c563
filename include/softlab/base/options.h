/* Options: the words of a command line to structs and back, by tables of fields. A row is an option
 * of its name: `--seed 3`, `--seed=3`, and with the row's letter `-s 3` or `-s3`. */
#ifndef SOFTLAB_BASE_OPTIONS_H
#define SOFTLAB_BASE_OPTIONS_H

#include "softlab/base/fields.h"

SL_BEGIN_DECLS

/* A table and the struct that its rows describe. */
struct sl_option_table {
    const struct sl_field_row *rows; /* borrowed; NULL: none */
    void *values;                    /* borrowed; filled in */
};

/* What words hold besides options. */
struct sl_option_words {
    char **arguments; /* borrowed: the first places of the words that were read, in their order */
    size_t n_arguments;
    uint64_t given; /* a bit for each of the first 64 rows of all tables: it was typed */
};

/* Read words into the structs of `n_tables` tables, after all defaults; what is typed is borrowed
 * from the words. Words behind "--" are arguments. SL_ERR_USAGE says what is wrong with which
 * option; `command` names the help that lists them. */
enum sl_status sl_options_read(const struct sl_option_table *tables, size_t n_tables,
                               const char *command, char **words, size_t n_words,
                               struct sl_option_words *out, struct sl_error *err) SL_MUST_USE;

/* What words ask for, of the several things that a command can do. An option whose bits are not
 * among `does` is refused rather than ignored. One whose wish is fulfilled anyway, as a line per
 * class in JSON that has all classes, belongs to the mode. */
struct sl_option_mode {
    uint64_t does;
    const char *name; /* in "has no effect with NAME" */
    bool alone;       /* takes no arguments */
    char text[80];    /* room for a name */
};
/* Whether the option of this name was typed. */
bool sl_option_is_given(const struct sl_option_table *tables, size_t n_tables, uint64_t given,
                        const char *name, size_t length);
/* SL_ERR_USAGE for what was typed and would be ignored: an option that does nothing in the mode or
 * without another, or arguments, the first of which messages call `argument` (NULL: there are
 * none). */
enum sl_status sl_options_check(const struct sl_option_table *tables, size_t n_tables,
                                uint64_t given, const struct sl_option_mode *mode,
                                const char *argument, struct sl_error *err) SL_MUST_USE;

/* The words for all values that are not as their defaults, in the order of the table; the caller
 * owns the list. */
json_t *sl_options_write(const struct sl_field_row *rows, const void *values) SL_MUST_USE;

/* A value as one types it: text, "true", "3", "0.1" or "80,120"; the caller frees it. */
char *sl_option_text(const json_t *value) SL_MUST_USE;

SL_END_DECLS

#endif
