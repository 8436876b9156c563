/* Private to report/: the document as blocks, and functions that the formats share. */
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

/* The kind decides which fields are used. Texts are in the report's arena, arrays on the heap. */
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
    const char *series[SL_GALLERY_MAX_SERIES]; /* gallery: names of the distributions */
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
    const char *charts; /* the folder of charts as seen from the Markdown file; NULL: none */
    size_t open_folds;
    struct sl_error mistake; /* the first call that did not fit; SL_OK: none */
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

/* The signs of a mark, "✓", "\checkmark" and so on, and its sort key. */
struct sl_mark_look {
    const char *symbol, *latex, *css, *plain;
};
extern const struct sl_mark_look sl_mark_words[SL_MARK_COUNT];

/* table.c: queries about a table, and a table as CSV. */
void sl_report_csv_table(const struct sl_block *table, struct sl_buffer *out);
/* A CSV field; text that a spreadsheet would run as a formula gets an apostrophe. */
void sl_report_csv_text(struct sl_buffer *out, const char *text);
size_t sl_report_rows(const struct sl_block *table);
/* True if a cell of the column is a number. */
bool sl_report_is_numeric(const struct sl_block *table, size_t column);
/* The cell, or an empty one if the last row is incomplete. */
struct sl_cell sl_report_cell_at(const struct sl_block *table, size_t row, size_t column);

/* latex_text.c: running text, and text in \\texttt. Characters that the fonts lack are printed as
 * their code points. */
void sl_report_latex_text(struct sl_buffer *out, const char *text);
void sl_report_latex_code(struct sl_buffer *out, const char *text);
/* The width of the text in ems of ten-point letters; raises *longest to the width of its longest
 * unbreakable piece. */
double sl_report_latex_width(const char *text, bool is_code, double *longest);

/* latex_table.c: a table in a document, and as a file that names the packages it needs. */
#define SL_REPORT_LATEX_PACKAGES "amssymb,array,booktabs,longtable,pdflscape,textcomp"
void sl_report_latex_table(const struct sl_block *table, struct sl_buffer *out);
void sl_report_latex_file(const struct sl_block *table, struct sl_buffer *out);

/* "cat 0.63, dog 0.30": one distribution of an item, classes from one per cent on, largest first.
 */
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
