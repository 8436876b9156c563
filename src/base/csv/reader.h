/* Private to base/csv/, where read.c and columns.c share it: the reader itself. */
#ifndef SOFTLAB_BASE_CSV_READER_H
#define SOFTLAB_BASE_CSV_READER_H

#include "base/csv/internal.h"

enum sl_csv_state {
    SL_CSV_PLAIN,    /* in an unquoted field, or before its first byte */
    SL_CSV_QUOTED,   /* within quotes */
    SL_CSV_CLOSED,   /* behind a quote that closes the field or is the first of two */
    SL_CSV_RETURNED, /* behind a CR that a LF must follow */
    SL_CSV_ENDED,    /* the record is whole */
};

struct sl_csv {
    char *name; /* owned */
    struct sl_csv_source source;
    struct sl_csv_options options;
    struct sl_error failure; /* what every later call repeats */

    char *window;         /* owned; SL_CSV_BLOCK bytes longer than its capacity */
    size_t capacity, end; /* size of the window, and end of its content */
    bool at_end;          /* the source has no more */

    char specials[SL_CSV_SPECIALS];
    uint64_t *masks;  /* owned; of the newest bytes */
    size_t n_blocks;  /* masks there are */
    size_t block;     /* index of the current mask */
    uint64_t mask;    /* remaining bits of the current mask */
    size_t mask_base; /* position of the first mask's first byte */

    enum sl_csv_state state;
    size_t record;     /* where the record begins */
    size_t record_end; /* where it ends, once it does: before the line break */
    size_t field;      /* where the field's text begins */
    size_t written;    /* end of the field's text with doubled quotes undone */
    size_t segment;    /* quoted text from here on is not yet at `written` */
    size_t waiting;    /* the quote or CR that waits for what follows */
    size_t line;       /* of the byte under way */
    size_t quote_line; /* where the open quote is */
    size_t record_line;
    bool blank; /* the record has no characters */

    struct sl_field *fields; /* owned */
    size_t count, field_capacity;
    size_t width;       /* fields of the first record; 0 before it */
    size_t table_width; /* the same of a table that is read in blocks */

    char **column_names; /* owned; into column_text */
    char *column_text;   /* owned */
    size_t n_columns;
};

/* Make the reader's memory; SL_ERR_USAGE if the options cannot be. */
enum sl_status sl_csv_create(const struct sl_csv_source *source,
                             const struct sl_csv_options *options, struct sl_csv **out,
                             struct sl_error *err) SL_MUST_USE;

/* Read the first record and keep its names; failures go to csv->failure. */
enum sl_status sl_csv_read_header(struct sl_csv *csv) SL_MUST_USE;

#endif
