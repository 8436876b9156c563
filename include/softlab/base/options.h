/* Options: the words of a command line to structs and back, by tables of fields. A row called
 * "seed" with the letter s is the option `--seed 3`, `--seed=3`, `-s 3` or `-s3`. */
#ifndef SOFTLAB_BASE_OPTIONS_H
#define SOFTLAB_BASE_OPTIONS_H

#include "softlab/base/fields.h"

SL_BEGIN_DECLS

/* A table and the struct that its rows describe. */
struct sl_option_table {
    const struct sl_field_row *rows; /* borrowed; NULL: none */
    void *values;                    /* borrowed; filled in */
};

/* What sl_options_read found besides the values of options. */
struct sl_option_words {
    char **arguments; /* borrowed: words that are not options, moved to the front */
    size_t n_arguments;
    uint64_t given; /* bit i is set if row i was typed, counted over all tables up to 64 */
};

/* Set the structs of all tables to their defaults, then read the words into them. Texts are
 * borrowed from the words. All words after "--" are arguments. SL_ERR_USAGE says what is wrong with
 * which option and names the help of `command`. */
enum sl_status sl_options_read(const struct sl_option_table *tables, size_t n_tables,
                               const char *command, char **words, size_t n_words,
                               struct sl_option_words *out, struct sl_error *err) SL_MUST_USE;

/* Which of several things a command is asked to do. An option is refused, rather than ignored, if
 * none of its mode bits is in `does`. An option whose effect the mode has anyway (per-class lines
 * in JSON that always has all classes) is allowed. */
struct sl_option_mode {
    uint64_t does;
    const char *name; /* for the message "has no effect with NAME" */
    bool alone;       /* arguments are refused */
    char text[80];    /* storage for a name that is put together */
};
/* Whether the option of this name was typed. */
bool sl_option_is_given(const struct sl_option_table *tables, size_t n_tables, uint64_t given,
                        const char *name, size_t length);
/* SL_ERR_USAGE for an option that has no effect in this mode, an option that lacks one it needs,
 * and an argument that the mode refuses. `argument` is the first argument, or NULL if there is
 * none. */
enum sl_status sl_options_check(const struct sl_option_table *tables, size_t n_tables,
                                uint64_t given, const struct sl_option_mode *mode,
                                const char *argument, struct sl_error *err) SL_MUST_USE;

/* The words for all values that differ from their defaults, in the order of the table, as a new
 * list. */
json_t *sl_options_write(const struct sl_field_row *rows, const void *values) SL_MUST_USE;

/* A value as a user types it: text, "true", "3", "0.1" or "80,120"; the caller frees it. */
char *sl_option_text(const json_t *value) SL_MUST_USE;

SL_END_DECLS

#endif
