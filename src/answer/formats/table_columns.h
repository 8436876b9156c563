/* Tables of answers, a line per answer or per class of an answer: which column holds what. Private
 * to answer/. */
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
    size_t place[SL_LONG_ROLES]; /* SIZE_MAX: there is none */
    bool header;                 /* the first record names the columns and is no answer */
    bool bare;      /* wide probabilities: every column without a role is a class, none says p_ */
    char left[200]; /* columns that nobody reads, by name with commas between; "" if the user
                       named what to read */
};

/* Settle the columns from what the user wrote (see sl_import_options; may be NULL) and the first
 * record. A table that is not of the kind asked for is SL_ERR_INPUT; SL_TABLE_ANY takes each. */
enum sl_status sl_long_columns_find(const struct sl_csv *csv, const struct sl_csv_record *first,
                                    const char *columns, enum sl_table_kind kind,
                                    struct sl_long_columns *out, struct sl_error *err) SL_MUST_USE;

/* The same of a file, which is opened for its first record alone. */
enum sl_status sl_long_columns_look(const char *path, const char *columns, enum sl_table_kind kind,
                                    struct sl_long_columns *out, struct sl_error *err) SL_MUST_USE;

/* One warning that names what is left, also of `more` (roles that the reader has no use for). */
void sl_long_columns_warn(const struct sl_long_columns *columns, unsigned more, const char *path,
                          struct sl_import_notes *notes);

/* The column of a class's probability in a wide table: the name behind "p_"; empty if it is none.
 */
struct sl_field sl_long_column_class(struct sl_field name);

/* The field of a role, plain, a class without blanks around it; empty where there is no such
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

/* How a file called so is cut: tabs without quotes for .tsv and .tsv.gz, otherwise commas; the
 * first record is given like any other, and all are as wide as it. */
struct sl_csv_options sl_long_csv_options(const char *path);

#endif
