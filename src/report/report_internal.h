/* Inside report: the document as blocks, and what the formats share. */
#ifndef SOFTLAB_REPORT_INTERNAL_H
#define SOFTLAB_REPORT_INTERNAL_H

#include "softlab/base.h"
#include "softlab/report.h"

enum sl_block_kind {
    SL_BLOCK_HEADING,
    SL_BLOCK_PARAGRAPH,
    SL_BLOCK_NOTE,
    SL_BLOCK_CODE,
    SL_BLOCK_FOLD,
    SL_BLOCK_FOLD_END,
    SL_BLOCK_TABLE,
    SL_BLOCK_CHART,
    SL_BLOCK_GALLERY,
    SL_BLOCK_PAIRS,
};

struct sl_styled {
    enum sl_style style;
    const char *text;
};

struct sl_pair {
    const char *name, *value;
};

/* Which fields mean something depends on the kind; every text is in the report's arena, every array
 * on the heap. */
struct sl_block {
    enum sl_block_kind kind;
    unsigned level;      /* heading */
    enum sl_tone tone;   /* note */
    const char *id;      /* heading, table, chart */
    const char *title;   /* heading, fold, table, gallery, chart */
    const char *badge;   /* table, gallery, chart */
    bool as_cards;       /* table */
    const char *content; /* code: the lines; chart: the SVG */
    const char *spoken;  /* chart: its text alternative */
    /* chart: its own style rules, in `content` */
    struct sl_plot_span style;
    const char *note;     /* gallery: below its title */
    const char **columns; /* table: column titles; gallery: classes; owned */
    size_t n_columns;
    const char *series[SL_GALLERY_MAX_SERIES]; /* gallery: whose distributions */
    size_t n_series;
    union {
        struct sl_styled *spans;
        struct sl_cell *cells;
        struct sl_gallery_item *pictures;
        struct sl_pair *pairs;
        void *elements; /* owned */
    };
    size_t count, capacity; /* of elements */
};

struct sl_report {
    struct sl_arena arena;
    const char *title;
    struct sl_block *blocks; /* owned */
    size_t count, capacity;
    const char *charts; /* the folder of charts as a reader of Markdown finds it, or NULL: none */
    bool overflowed;
};

/* number.c: "0.712", "0.712 ± 0.080" with the format's own minus and plus-minus signs; nothing for
 * NaN. */
struct sl_number_signs {
    const char *minus, *plus_minus;
};
void sl_report_put_number(struct sl_buffer *out, double value, unsigned decimals,
                          const char *minus);
void sl_report_put_estimate(struct sl_buffer *out, const struct sl_cell *cell,
                            const struct sl_number_signs *signs);

/* What stands for a mark: "✓", "\checkmark" and so on, and how marks sort. */
struct sl_mark_look {
    const char *symbol, *latex, *css, *plain;
};
extern const struct sl_mark_look sl_mark_words[SL_MARK_COUNT];

/* table.c: what the formats ask of a table, and a table as a file of CSV. */
void sl_report_csv_table(const struct sl_block *table, struct sl_buffer *out);
/* A field of CSV; text that a spreadsheet would take for a formula gets an apostrophe. */
void sl_report_csv_text(struct sl_buffer *out, const char *text);
size_t sl_report_rows(const struct sl_block *table);
/* True if a cell of the column is a number. */
bool sl_report_is_numeric(const struct sl_block *table, size_t column);
/* The cell, or an empty one where the last row is not whole. */
struct sl_cell sl_report_cell_at(const struct sl_block *table, size_t row, size_t column);

/* latex_text.c: running text, and what stands in \\texttt. Characters that pdflatex has no sign for
 * come out by their number. */
void sl_report_latex_text(struct sl_buffer *out, const char *text);
void sl_report_latex_code(struct sl_buffer *out, const char *text);
/* The width of the text in ems of ten-point letters; *longest grows to that of its longest piece
 * that no line breaks. */
double sl_report_latex_width(const char *text, bool is_code, double *longest);

/* latex_table.c: within a document, and as a file that says what it needs. */
#define SL_REPORT_LATEX_PACKAGES "amssymb,array,booktabs,longtable,pdflscape,textcomp"
void sl_report_latex_table(const struct sl_block *table, struct sl_buffer *out);
void sl_report_latex_file(const struct sl_block *table, struct sl_buffer *out);

/* "cat 0.63, dog 0.30": classes of one per cent and more, the largest first, of one series of an
 * item. */
void sl_report_put_distribution(struct sl_buffer *out, const struct sl_block *gallery,
                                const struct sl_gallery_item *item, size_t series);

void sl_report_html(const struct sl_report *report, struct sl_buffer *out);
void sl_report_markdown(const struct sl_report *report, struct sl_buffer *out);
void sl_report_csv(const struct sl_report *report, struct sl_buffer *out);
void sl_report_latex(const struct sl_report *report, struct sl_buffer *out);

/* html_table.c */
void sl_report_html_text(struct sl_buffer *out, const char *text);
void sl_report_html_badge(struct sl_buffer *out, const char *badge);
void sl_report_html_table(struct sl_buffer *out, const struct sl_block *table);

/* html_gallery.c */
void sl_report_html_gallery(struct sl_buffer *out, const struct sl_block *gallery);

/* page.c */
/* Lines, ending with NULL. */
extern const char *const sl_report_style[], *const sl_report_script[];

#endif
