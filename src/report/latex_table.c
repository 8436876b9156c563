#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

/* In points: the text width of an A4 page with margins of 2 cm, portrait and landscape, and the
 * gaps of a column. In ems: the slack of a column. */
static const double upright = 483, turned = 731, gaps = 8, slack = .1;

/* Layouts of a table; the first that fits is used. Without wrapping, columns are as wide as their
 * content. `em` is the width in points of an em of ten-point letters at this size: small sizes have
 * relatively wider letters. */
struct layout {
    const char *size;
    double em;
    bool wraps, is_turned;
};
static const struct layout layouts[] = {
    {"normalsize", 10, false, false},    {"small", 9.25, false, false},
    {"footnotesize", 8.5, false, false}, {"footnotesize", 8.5, true, false},
    {"scriptsize", 8, true, false},      {"footnotesize", 8.5, true, true},
    {"scriptsize", 8, true, true},
};
enum { N_LAYOUTS = sizeof layouts / sizeof *layouts };

/* In ems. */
struct column {
    double natural; /* on one line */
    double least;   /* without breaking a word or a number */
    double broken;  /* with numbers broken after their ± */
    double width;
    bool is_numeric;
};

static void put_cell(struct sl_buffer *out, const struct sl_cell *cell)
{
    static const struct sl_number_signs signs = {"-", " \\pm "};
    if (cell->strong) sl_buffer_text(out, "\\textbf{");
    if (cell->kind == SL_CELL_NUMBER && isfinite(cell->value)) {
        sl_buffer_byte(out, '$');
        sl_report_put_estimate(out, cell, &signs);
        sl_buffer_byte(out, '$');
        if (cell->text) sl_buffer_byte(out, ' ');
    }
    if (cell->kind == SL_CELL_MARK) sl_buffer_printf(out, "%s ", sl_mark_words[cell->mark].latex);
    if (cell->kind == SL_CELL_CODE) {
        sl_buffer_text(out, "\\texttt{");
        if (cell->text) sl_report_latex_code(out, cell->text);
        sl_buffer_byte(out, '}');
    } else if (cell->text) {
        sl_report_latex_text(out, cell->text);
    }
    if (cell->strong) sl_buffer_byte(out, '}');
}

static void measure_cell(struct column *column, const struct sl_cell *cell)
{
    static const double space = .333, mark = .9, bold = 1.16;
    double width = 0, least = 0, broken = 0;
    if (cell->text) width = sl_report_latex_width(cell->text, cell->kind == SL_CELL_CODE, &broken);
    least = broken;
    if (cell->kind == SL_CELL_NUMBER && isfinite(cell->value)) {
        static const struct sl_number_signs signs = {"\u2212", "\u00a0\u00b1 "};
        struct sl_buffer number;
        sl_buffer_init(&number, 256);
        sl_report_put_estimate(&number, cell, &signs);
        const double whole = sl_report_latex_width(number.data, false, &broken);
        width += whole + (cell->text ? space : 0);
        least = fmax(least, whole);
        sl_buffer_release(&number);
    }
    if (cell->kind == SL_CELL_MARK) width += mark + space;
    const double weight = cell->strong ? bold : 1;
    column->natural = fmax(column->natural, weight * width + slack);
    column->least = fmax(column->least, weight * least + slack);
    column->broken = fmax(column->broken, weight * broken + slack);
}

static struct column *measure(const struct sl_block *table)
{
    struct column *columns = sl_alloc(table->n_columns + 1, sizeof *columns);
    for (size_t i = 0; i < table->n_columns; i++) {
        struct sl_cell title = sl_cell_text(table->columns[i]);
        columns[i].is_numeric = sl_report_is_numeric(table, i);
        measure_cell(&columns[i], &title);
        for (size_t row = 0; row < sl_report_rows(table); row++) {
            struct sl_cell cell = sl_report_cell_at(table, row, i);
            measure_cell(&columns[i], &cell);
        }
    }
    return columns;
}

static double room(const struct layout *layout, size_t n_columns)
{
    double points = (layout->is_turned ? turned : upright) - gaps * (double)n_columns;
    return points / layout->em;
}

static const struct layout *choose_layout(const struct column *columns, size_t count)
{
    double natural = 0, least = 0;
    for (size_t i = 0; i < count; i++) {
        natural += columns[i].natural;
        least += columns[i].least;
    }
    size_t chosen = 0;
    while (chosen + 1 < N_LAYOUTS &&
           (layouts[chosen].wraps ? least : natural) > room(&layouts[chosen], count))
        chosen++;
    return &layouts[chosen];
}

/* If the least widths do not fit, break numbers first, then shrink all columns. */
static void press(struct column *columns, size_t count, double all)
{
    double least = 0, broken = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        least += columns[i].least;
        broken += columns[i].broken;
    }
    if (least <= all) return;
    const double part = least > broken ? fmin((least - all) / (least - broken), 1) : 0;
    for (size_t i = 0; i < count; i++) {
        columns[i].width -= part * (columns[i].least - columns[i].broken);
        sum += columns[i].width;
    }
    for (size_t i = 0; i < count && sum > all; i++)
        columns[i].width *= all / sum;
}

/* Every column gets its least width. The rest goes to columns that need more, by the square root of
 * their need, so that one long text does not squeeze all others. */
static void share_out(struct column *columns, size_t count, double all)
{
    double left = all;
    for (size_t i = 0; i < count; i++)
        columns[i].width = columns[i].least;
    press(columns, count, all);
    for (size_t i = 0; i < count; i++)
        left -= columns[i].width;
    /* Columns that have enough leave their share to the others. */
    for (size_t round = 0; round < count && left > .1; round++) {
        double weights = 0, given = 0;
        for (size_t i = 0; i < count; i++)
            weights += sqrt(fmax(columns[i].natural - columns[i].width, 0));
        if (!(weights > 0)) return;
        for (size_t i = 0; i < count; i++) {
            double lacks = fmax(columns[i].natural - columns[i].width, 0);
            double more = fmin(left * sqrt(lacks) / weights, lacks);
            columns[i].width += more;
            given += more;
        }
        left -= given;
    }
}

static void put_columns(struct sl_buffer *out, struct column *columns, size_t count,
                        const struct layout *layout)
{
    double all = room(layout, count), page = layout->is_turned ? turned : upright;
    if (layout->wraps) share_out(columns, count, all);
    for (size_t i = 0; i < count; i++) {
        if (!layout->wraps) {
            sl_buffer_byte(out, columns[i].is_numeric ? 'r' : 'l');
            continue;
        }
        double share = (columns[i].width * layout->em + gaps) / page;
        sl_buffer_printf(out, "\n  >{\\ragged%s\\arraybackslash}",
                         columns[i].is_numeric ? "left" : "right");
        /* Rounded down, so that the sum never exceeds the line. */
        sl_buffer_printf(out, "p{\\dimexpr%.4f\\linewidth-2\\tabcolsep}", share - 5e-5);
    }
}

static void put_badge(struct sl_buffer *out, const struct sl_block *table)
{
    if (!table->badge) return;
    sl_buffer_text(out, "\\textbf{");
    sl_report_latex_text(out, table->badge);
    sl_buffer_text(out, ".} ");
}

static void put_titles(struct sl_buffer *out, const struct sl_block *table)
{
    sl_buffer_text(out, "\\toprule\n");
    for (size_t column = 0; column < table->n_columns; column++) {
        if (column) sl_buffer_text(out, " & ");
        sl_report_latex_text(out, table->columns[column]);
    }
    sl_buffer_text(out, " \\\\\n\\midrule\n");
}

/* Every page of the table repeats the warning. */
static void put_head(struct sl_buffer *out, const struct sl_block *table)
{
    sl_buffer_text(out, "\\caption{");
    put_badge(out, table);
    sl_report_latex_text(out, table->title);
    sl_buffer_printf(out, "}\\label{%s}\\\\\n", table->id);
    put_titles(out, table);
    sl_buffer_printf(out, "\\endfirsthead\n\\multicolumn{%zu}{l}{", table->n_columns);
    put_badge(out, table);
    sl_buffer_text(out, "Table \\thetable, continued} \\\\\n");
    put_titles(out, table);
    sl_buffer_text(out, "\\endhead\n\\bottomrule\n\\endfoot\n");
}

void sl_report_latex_table(const struct sl_block *table, struct sl_buffer *out)
{
    struct column *columns = measure(table);
    const struct layout *layout = choose_layout(columns, table->n_columns);
    if (layout->is_turned) sl_buffer_text(out, "\\begin{landscape}\n");
    /* longtable, because some tables are longer than a page. */
    sl_buffer_printf(out,
                     "\\begingroup\\%s\\setlength{\\tabcolsep}{4pt}"
                     "\\setlength{\\LTcapwidth}{\\linewidth}\n\\begin{longtable}{",
                     layout->size);
    put_columns(out, columns, table->n_columns, layout);
    sl_buffer_text(out, "}\n");
    put_head(out, table);
    for (size_t row = 0; row < sl_report_rows(table); row++) {
        for (size_t column = 0; column < table->n_columns; column++) {
            struct sl_cell cell = sl_report_cell_at(table, row, column);
            if (column) sl_buffer_text(out, " & ");
            put_cell(out, &cell);
        }
        sl_buffer_text(out, " \\\\\n");
    }
    sl_buffer_text(out, "\\end{longtable}\\endgroup\n");
    if (layout->is_turned) sl_buffer_text(out, "\\end{landscape}\n");
    free(columns);
}

void sl_report_latex_file(const struct sl_block *table, struct sl_buffer *out)
{
    sl_buffer_text(out,
                   "% \\usepackage[T1]{fontenc}\n% \\usepackage{" SL_REPORT_LATEX_PACKAGES "}\n");
    sl_report_latex_table(table, out);
}
