/* Tables with a line per answer or per class of an answer: the roles of their columns. Private to
 * answer/. */
#ifndef SOFTLAB_ANSWER_FORMATS_TABLE_COLUMNS_H
#define SOFTLAB_ANSWER_FORMATS_TABLE_COLUMNS_H

#include "softlab/answer.h"

enum sl_long_role {
    SL_LONG_ITEM,
    SL_LONG_WORKER,
    SL_LONG_LABEL,
    SL_LONG_P,
    SL_LONG_MS,
    SL_LONG_CONFIDENCE,
    SL_LONG_TRUTH,
    SL_LONG_ROLES
};

enum sl_table_kind {
    SL_TABLE_ANY,        /* to be found out */
    SL_TABLE_VOTES,      /* item, worker, label */
    SL_TABLE_PROBS_LONG, /* item, worker, label, p: a line per class */
    SL_TABLE_PROBS_WIDE, /* item, worker, p_<class>...: a line per answer */
};

struct sl_long_columns {
    enum sl_table_kind kind;
    size_t place[SL_LONG_ROLES]; /* SIZE_MAX = none */
    bool header;                 /* the first record names the columns and is no answer */
    bool bare; /* probs-wide: every column without a role is a class, and none begins with p_ */
    char left[200]; /* names of columns that are not read, separated by commas; "" if the user named
                       the columns */
};

/* Find the columns from the user's text (see sl_import_options; may be NULL) and the first record.
 * A table of another kind than requested is SL_ERR_INPUT; SL_TABLE_ANY accepts all. */
enum sl_status sl_long_columns_find(const struct sl_csv *csv, const struct sl_csv_record *first,
                                    const char *columns, enum sl_table_kind kind,
                                    struct sl_long_columns *out, struct sl_error *err) SL_MUST_USE;

/* The columns of item, worker and label among names that come from no file. `columns` gives pairs
 * or is NULL. SL_ERR_INPUT unless each is found once. */
enum sl_status sl_columns_place(const struct sl_field *names, size_t count, const char *columns,
                                size_t place[SL_LONG_ROLES], struct sl_error *err) SL_MUST_USE;

/* sl_long_columns_find for a file, which is opened for its first record only. */
enum sl_status sl_long_columns_look(const char *path, const char *columns, enum sl_table_kind kind,
                                    struct sl_long_columns *out, struct sl_error *err) SL_MUST_USE;

/* Warn once about the columns that are not read, including the roles in `more`, which the reader
 * does not use. */
void sl_long_columns_warn(const struct sl_long_columns *columns, unsigned more, const char *path,
                          struct sl_import_notes *notes);

/* Whether a name stands for the label: label, answer, class, ... */
bool sl_is_label_word(struct sl_field word);

/* The class name in the heading of a probability column: the text after "p_"; empty for other
 * columns. */
struct sl_field sl_long_column_class(struct sl_field name);

/* The field of a role, plain; class names without surrounding blanks; empty if there is no such
 * column. */
static inline struct sl_field sl_long_field(const struct sl_long_columns *columns,
                                            const struct sl_csv_record *record,
                                            enum sl_long_role role)
{
    const size_t place = columns->place[role];
    const bool is_class = role == SL_LONG_LABEL || role == SL_LONG_TRUTH;
    if (place >= record->count) return (struct sl_field){"", 0};
    return is_class ? sl_csv_class(record->fields[place]) : sl_csv_plain(record->fields[place]);
}

/* How a file with this name is split: at tabs without quotes for .tsv and .tsv.gz, otherwise at
 * commas. The first record is returned like any other, and all have its width. */
struct sl_csv_options sl_long_csv_options(const char *path);

#endif
