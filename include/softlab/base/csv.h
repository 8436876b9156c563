/* CSV: RFC 4180 as a stream of records, in constant memory and at memory speed.
 *
 * Quoted fields may hold delimiters, doubled quotes and line breaks; lines end in
 * LF or CRLF; a UTF-8 byte order mark is skipped; a last line without a line break
 * counts; a gzip file is unpacked on the way. Text after a closing quote, a quote inside an
 * unquoted field, a lone CR outside quotes, a NUL byte, an unclosed quote at the end and a record
 * over the limit are errors that name file and line, and that later calls repeat. */
#ifndef SOFTLAB_BASE_CSV_H
#define SOFTLAB_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/file.h"

SL_BEGIN_DECLS

struct sl_csv_options {
    char delimiter;    /* ',' by default */
    bool quoting;      /* true by default; false: quotes are ordinary bytes */
    bool inner_quotes; /* false by default; true: a quote that does not begin a field is one too */
    bool header;       /* true by default: the first record names the columns */
    bool fixed_width;  /* true by default: every record has as many fields as the first */
    size_t record_limit; /* bytes; 16 MiB by default */
};
struct sl_csv_options sl_csv_options_default(void);

struct sl_field {
    const char *text; /* borrowed, not NUL-terminated */
    size_t length;
};

struct sl_csv_record {
    const struct sl_field *fields; /* borrowed until the next sl_csv_next */
    size_t count;                  /* 0 at the end of the file */
    size_t line;                   /* the line the record begins on, from 1 */
};

struct sl_csv;

/* Open a file, or bytes in memory (borrowed until close) called `name` in errors. */
enum sl_status sl_csv_open(const char *path, const struct sl_csv_options *options,
                           struct sl_csv **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_csv_open_memory(const char *bytes, size_t length, const char *name,
                                  const struct sl_csv_options *options, struct sl_csv **out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_csv_close(struct sl_csv *csv);

/* The next record; `count` 0 at the end. A line without any character is skipped
 * unless the table (by its first record) has one column. */
enum sl_status sl_csv_next(struct sl_csv *csv, struct sl_csv_record *out,
                           struct sl_error *err) SL_MUST_USE;

/* The columns of the header (none without one), and the index of a column. If no column has exactly
 * this name, capitals and surrounding blanks are ignored. SL_ERR_INPUT names the file and its
 * columns, or says that several match. */
size_t sl_csv_column_count(const struct sl_csv *csv);
const char *sl_csv_column_name(const struct sl_csv *csv, size_t column);
bool sl_csv_column_is(const struct sl_csv *csv, size_t column, const char *name);
enum sl_status sl_csv_column(const struct sl_csv *csv, const char *name, size_t *out,
                             struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT "<file>:<line>: <message>". */
enum sl_status sl_csv_fail(const struct sl_csv *csv, size_t line, struct sl_error *err,
                           const char *format, ...) SL_PRINTF(4, 5);

/* A field's number, or an error that names file, line and column. */
enum sl_status sl_csv_integer(const struct sl_csv *csv, const struct sl_csv_record *record,
                              size_t column, int64_t minimum, int64_t maximum, int64_t *out,
                              struct sl_error *err) SL_MUST_USE;
enum sl_status sl_csv_real(const struct sl_csv *csv, const struct sl_csv_record *record,
                           size_t column, double minimum, double maximum, double *out,
                           struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT if the first record is a single field that contains semicolons or tabs: the file is
 * not separated by commas. Headers are checked when they are read. */
enum sl_status sl_csv_check_commas(const struct sl_csv *csv, const struct sl_csv_record *first,
                                   struct sl_error *err) SL_MUST_USE;

/* Append one field, quoted if necessary, after a separator unless it is the first of its line; end
 * the line with sl_csv_end_line. */
void sl_csv_append_field(struct sl_buffer *line, const char *text, size_t length);
/* Append text from outside. Text that a spreadsheet would run as a formula (it begins with = + - @,
 * a tab or a line break and is not a negative number) gets an apostrophe in front. Such text that
 * already begins with apostrophes gets one more, so that sl_csv_plain restores it. */
void sl_csv_append_text(struct sl_buffer *line, const char *text, size_t length);
bool sl_csv_is_formula(const char *text, size_t length); /* ignoring leading apostrophes */
static inline struct sl_field sl_csv_plain(struct sl_field field)
{
    if (field.length < 2 || field.text[0] != '\'' || !sl_csv_is_formula(field.text, field.length))
        return field;
    field.text++;
    field.length--;
    return field;
}
/* A cell as a class name: plain and without surrounding blanks, so that "cat" and "cat " are one
 * class. */
static inline struct sl_field sl_csv_class(struct sl_field field)
{
    field = sl_csv_plain(field);
    while (field.length > 0 && (field.text[0] == ' ' || field.text[0] == '\t')) {
        field.text++;
        field.length--;
    }
    while (field.length > 0 &&
           (field.text[field.length - 1] == ' ' || field.text[field.length - 1] == '\t'))
        field.length--;
    return field;
}
void sl_csv_append_real(struct sl_buffer *line, double value);
void sl_csv_end_line(struct sl_buffer *line);

SL_END_DECLS

#endif
