/* Report: a document of sections, texts, tables, charts and pictures, rendered as one HTML file, as
 * Markdown, CSV or LaTeX. It knows nothing of experiments. The caller fills it from the top down
 * and renders it.
 *
 * Filling never fails: the report remembers the first call that does not fit, such as a cell
 * without a table, a text that is NULL or a share that is NaN, and rendering fails with it.
 *
 * Texts are plain text; they are copied, and escaped for every format. The same document gives the
 * same bytes: nothing depends on the clock or the machine. */
#ifndef SOFTLAB_REPORT_H
#define SOFTLAB_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"
#include "softlab/plot.h"

SL_BEGIN_DECLS

struct sl_report;

struct sl_report *sl_report_create(const char *title) SL_MUST_USE SL_RETURNS_NONNULL;
void sl_report_destroy(struct sl_report *report);

/* A heading; level 2 is listed in the contents, 3 and 4 are not. `id` is for links (NULL: the
 * title): its letters, digits, '-' and '_' are kept, and a number makes it unique. */
void sl_report_section(struct sl_report *report, unsigned level, const char *id, const char *title);

/* Texts: begin a paragraph or a note, then append to it. SL_TONE_ANSWER is the main finding;
 * SL_TONE_BASIS follows it and says what it is based on. */
enum sl_tone { SL_TONE_PLAIN, SL_TONE_WARNING, SL_TONE_ANSWER, SL_TONE_BASIS, SL_TONE_COUNT };
enum sl_style { SL_STYLE_PLAIN, SL_STYLE_STRONG, SL_STYLE_CODE };
void sl_report_paragraph(struct sl_report *report);
void sl_report_note(struct sl_report *report, enum sl_tone tone);
void sl_report_text(struct sl_report *report, enum sl_style style, const char *format, ...)
    SL_PRINTF(3, 4);

/* Lines shown as they are, such as commands. */
void sl_report_code(struct sl_report *report, const char *lines);

/* Blocks between these two calls can be folded if the format allows it. */
void sl_report_fold(struct sl_report *report, const char *title);
void sl_report_fold_end(struct sl_report *report);

/* A verdict; shown by a sign and words, never by colour alone. */
enum sl_mark { SL_MARK_NONE, SL_MARK_GOOD, SL_MARK_BAD, SL_MARK_OPEN, SL_MARK_COUNT };

enum sl_cell_kind {
    SL_CELL_EMPTY,  /* `text` gives the reason, or is NULL */
    SL_CELL_TEXT,   /* `text`; NULL: an empty cell */
    SL_CELL_CODE,   /* `text`, as code */
    SL_CELL_NUMBER, /* value ± spread with `decimals` digits; `text` follows it, or is NULL. A value
                       that is not finite is an empty cell, with `text` for the reason */
    SL_CELL_MARK,   /* `mark` with the words `text` */
};
struct sl_cell {
    enum sl_cell_kind kind;
    const char *text;
    double value;
    double spread;     /* half the interval, not negative; or NaN */
    unsigned decimals; /* the least; a spread that would show as zero gets more */
    enum sl_mark mark;
    bool strong;
    const char *link; /* the id of a section, as given to sl_report_section; or NULL */
};

/* Shorthands. */
struct sl_cell sl_cell_text(const char *text);
struct sl_cell sl_cell_number(double value, double spread, unsigned decimals);
struct sl_cell sl_cell_mark(enum sl_mark mark, const char *words);
struct sl_cell sl_cell_empty(const char *why);

struct sl_table_head {
    const char *id; /* of the table, and the name of its downloads; NULL: the caption */
    const char *caption;
    const char *badge; /* a warning in bold before the caption, and a column of its CSV; or NULL */
    const char *const *columns; /* (n_columns) titles; cells of the first are row headings */
    size_t n_columns;
    bool as_cards; /* for long texts: on a phone a row is a card, each cell below its title */
};

/* Begin a table, then append its cells row by row. An incomplete last row gets empty cells. */
void sl_report_table(struct sl_report *report, const struct sl_table_head *head);
void sl_report_cell(struct sl_report *report, struct sl_cell cell);

/* A chart; the report sets its id. `badge` as for tables. Consecutive charts are side by side if
 * there is room. */
enum sl_status sl_report_chart(struct sl_report *report, const struct sl_plot *plot,
                               const char *badge, struct sl_error *err) SL_MUST_USE;

/* Write all charts so far as SVG files to a folder, creating it if needed. Markdown rendered after
 * this call shows these files; `link` is the folder as seen from the document. */
enum sl_status sl_report_write_charts(struct sl_report *report, const char *folder,
                                      const char *link, struct sl_error *err) SL_MUST_USE;

/* Pictures with one to four distributions each. `png` is base64, or NULL; anything that is not the
 * base64 of a PNG is ignored. Classes below one per cent in every series are shown as one sum. */
enum { SL_GALLERY_MAX_SERIES = 4 };
#define SL_SHARE_ROUNDING 1e-3 /* a share of an item may be this far below 0 or above 1 */
struct sl_gallery_head {
    const char *title;
    const char *badge;
    const char *note;           /* below the title, or NULL */
    const char *const *series;  /* (n_series) names of the distributions: "people", "model" */
    size_t n_series;            /* at least 1; series beyond the fourth are ignored */
    const char *const *classes; /* (n_classes) */
    size_t n_classes;
};
struct sl_gallery_item {
    const char *name;
    const char *truth; /* NULL: not known */
    const char *png;
    const double *values; /* (n_series, n_classes), 0 to 1 within SL_SHARE_ROUNDING */
};
void sl_report_gallery(struct sl_report *report, const struct sl_gallery_head *head);
void sl_report_picture(struct sl_report *report, const struct sl_gallery_item *item);

/* A name with its value: append it to the current list, or begin one. */
void sl_report_pair(struct sl_report *report, const char *name, const char *value);

/* All formats, ending with a NULL name. */
struct sl_report_format {
    const char *name;
    const char *suffix; /* of files: ".html" */
    const char *summary;
    void (*write)(const struct sl_report *report, struct sl_buffer *out);
};
extern const struct sl_report_format sl_report_formats[];
const struct sl_report_format *sl_report_format_find(const char *name);
/* The format whose suffix the path ends in, or NULL. */
const struct sl_report_format *sl_report_format_of(const char *path);

/* Write the document to a file, in the format of its ending. SL_ERR_USAGE, listing the endings, for
 * any other ending. */
enum sl_status sl_report_write(const struct sl_report *report, const char *path,
                               struct sl_error *err) SL_MUST_USE;

/* Append the document to `out`. SL_ERR_INPUT if it exceeds the buffer's maximum; the error of the
 * first call that did not fit, in which case nothing is appended. */
enum sl_status sl_report_render(const struct sl_report *report,
                                const struct sl_report_format *format, struct sl_buffer *out,
                                struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
