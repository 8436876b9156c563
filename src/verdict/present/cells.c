#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

/* True if the table has published figures. */
static bool has_paper(const struct sl_presentation *show)
{
    return show->outcome->expected->count > 0;
}

static struct sl_cell here_cell(const struct sl_outcome_cell *cell)
{
    if (isnan(cell->here.mean)) return sl_cell_empty(cell->reason ? cell->reason : "not run");
    struct sl_cell shown = sl_cell_number(cell->here.mean, cell->here.spread, cell->decimals);
    if (cell->here.is_computed) shown.text = "computed";
    return shown;
}

/* A grid has no room for a reason; the list below it shows it. */
static struct sl_cell short_cell(const struct sl_outcome_cell *cell)
{
    return isnan(cell->here.mean) && cell->reason ? sl_cell_empty("missing") : here_cell(cell);
}

/* Where a published figure was found if not in a table or figure: the word beside it, and its
 * meaning if that is not obvious. */
static const struct published_status {
    const char *name, *word, *meaning;
} statuses[] = {
    {"text", "in the text", NULL},
    {"notebook", "notebook",
     "our copy of the paper is illegible there, so the figure comes from the authors' public "
     "notebook. It is a single training run at the learning rate, seed and epoch that scored best, "
     "so it has no ± and decides nothing alone"},
    {"illegible", "illegible",
     "our copy of the paper is illegible there, and no comparison uses the figure"},
};
enum { N_STATUSES = sizeof statuses / sizeof *statuses };

/* NULL for a figure that a table or figure prints. */
static const struct published_status *status_of(const struct sl_outcome_cell *cell)
{
    for (size_t i = 0; i < N_STATUSES && cell->status; i++)
        if (strcmp(statuses[i].name, cell->status) == 0) return &statuses[i];
    return NULL;
}

static struct sl_cell paper_cell(const struct sl_outcome_cell *cell)
{
    const struct published_status *status = status_of(cell);
    if (!cell->status) return sl_cell_empty("not printed");
    if (isnan(cell->paper)) return sl_cell_empty(status ? status->word : "illegible");
    struct sl_cell shown = sl_cell_number(cell->paper, cell->uncertainty, cell->paper_decimals);
    if (status) shown.text = status->word;
    return shown;
}

/* Explain the words beside published figures that need it. */
static void explain_statuses(const struct sl_presentation *show)
{
    for (size_t s = 0; s < N_STATUSES; s++) {
        size_t count = 0;
        for (size_t i = 0; i < show->outcome->n_cells; i++)
            count += status_of(&show->outcome->cells[i]) == &statuses[s];
        if (count == 0 || !statuses[s].meaning) continue;
        sl_report_note(show->report, SL_TONE_PLAIN);
        sl_report_text(show->report, SL_STYLE_STRONG, "%s", statuses[s].word);
        sl_report_text(show->report, SL_STYLE_PLAIN, " (%zu figure%s): %s.", count,
                       count == 1 ? "" : "s", statuses[s].meaning);
    }
}

static void show_published(struct sl_report *report, const struct sl_outcome_cell *cell)
{
    double difference = cell->here.mean - cell->paper;
    sl_report_cell(report, paper_cell(cell));
    sl_report_cell(report, cell->paper_runs ? sl_cell_number((double)cell->paper_runs, NAN, 0)
                                            : sl_cell_empty(NULL));
    sl_report_cell(report, isnan(difference) ? sl_cell_empty(NULL)
                                             : sl_cell_number(difference, NAN, cell->decimals));
}

static void show_cell(struct sl_report *report, const struct sl_outcome_cell *cell)
{
    char *column = *cell->test_set ? sl_string_printf("%s/%s", cell->test_set, cell->metric)
                                   : sl_string_copy(cell->metric);
    char *title = *cell->metric ? sl_verdict_column_title(column) : sl_string_copy(cell->column);
    sl_report_cell(report, sl_cell_text(cell->row));
    sl_report_cell(report, sl_cell_text(title));
    sl_report_cell(report, here_cell(cell));
    sl_report_cell(report, cell->here.n_runs ? sl_cell_number((double)cell->here.n_runs, NAN, 0)
                                             : sl_cell_empty(NULL));
    free(column);
    free(title);
}

/* The tables of a section: the end of their ids, and words for their captions, so that screen
 * readers can tell the tables apart. */
enum table_kind { GRID, PRINTED, FURTHER, ALONE };
static const struct {
    const char *id, *words;
} table_kinds[] = {[GRID] = {"table", ""},
                   [PRINTED] = {"figures", ", one line per figure"},
                   [FURTHER] = {"further", ", figures that the paper does not print"},
                   [ALONE] = {"figures", ""}};

static void begin_table(const struct sl_presentation *show, enum table_kind kind,
                        const char *const *columns, size_t n_columns)
{
    const struct sl_spec *spec = show->outcome->source.spec;
    char *id = sl_string_printf("%s-%s", show->id, table_kinds[kind].id);
    char *caption = sl_string_printf(
        "%s%s; %s", show->is_alone ? "All measures" : spec->name, table_kinds[kind].words,
        spec->brief->has_sd ? "± is the standard deviation over runs"
                            : "± is half the 95 % interval of the mean");
    struct sl_table_head head = {.id = id,
                                 .caption = caption,
                                 .badge = show->badge,
                                 .columns = columns,
                                 .n_columns = n_columns};
    sl_report_table(show->report, &head);
    free(id);
    free(caption);
}

/* The title of the first column. */
static const char *row_word(const struct sl_presentation *show)
{
    const struct sl_brief *brief = show->outcome->source.spec->brief;
    const bool is_set = brief->n_rows == 1 && brief->rows[0] == SL_COORDINATE_SET;
    return is_set && !has_paper(show) ? "Label set" : "Row";
}

/* One line per figure: sortable, with everything about the figure. */
static void show_list(const struct sl_presentation *show, enum table_kind kind)
{
    const bool printed = kind == PRINTED;
    const char *const columns[] = {row_word(show), "Measure",         "Here", "Runs", "Paper",
                                   "Paper's runs", "Here minus paper"};
    enum { ALL = sizeof columns / sizeof *columns, OURS = 4 };
    begin_table(show, kind, columns, printed ? ALL : OURS);
    for (size_t i = 0; i < show->outcome->n_cells; i++) {
        const struct sl_outcome_cell *cell = &show->outcome->cells[i];
        if ((cell->status != NULL) != printed) continue;
        show_cell(show->report, cell);
        if (printed) show_published(show->report, cell);
    }
}

/* First the published figures; then the others, folded if there are many. */
static void show_lists(const struct sl_presentation *show)
{
    enum { FEW = 12 };
    size_t n_further = 0;
    for (size_t i = 0; i < show->outcome->n_cells; i++)
        n_further += show->outcome->cells[i].status == NULL;
    const size_t n_printed = show->outcome->n_cells - n_further;
    const bool is_folded = n_printed && n_further > FEW;
    if (n_printed) show_list(show, PRINTED);
    if (is_folded) {
        char *title = sl_string_printf("%zu figures that the paper does not print", n_further);
        sl_report_fold(show->report, title);
        free(title);
    }
    if (n_further) show_list(show, n_printed ? FURTHER : ALONE);
    if (is_folded) sl_report_fold_end(show->report);
}

/* The shape of the paper's table: its rows, and a column per measure and test set. */
enum { MOST_COLUMNS = 12, COLUMNS_BEFORE = 3 };
struct grid {
    const struct sl_outcome_cell **rows; /* (n_rows) the first cell of each; owned */
    size_t n_rows;
    const struct sl_outcome_cell *columns[MOST_COLUMNS];
    size_t n_columns;
};

static bool in_column(const struct sl_outcome_cell *cell, const struct sl_outcome_cell *column)
{
    return strcmp(cell->metric, column->metric) == 0 &&
           strcmp(cell->test_set, column->test_set) == 0;
}

/* False if the figures fill too little of a table. */
static bool make_grid(const struct sl_outcome *outcome, struct grid *out)
{
    *out = (struct grid){.rows = sl_alloc(outcome->n_cells, sizeof *out->rows)};
    for (size_t i = 0; i < outcome->n_cells; i++) {
        const struct sl_outcome_cell *cell = &outcome->cells[i];
        size_t row = 0, column = 0;
        while (row < out->n_rows && strcmp(out->rows[row]->row, cell->row) != 0)
            row++;
        if (row == out->n_rows) out->rows[out->n_rows++] = cell;
        while (column < out->n_columns && !in_column(cell, out->columns[column]))
            column++;
        if (column == MOST_COLUMNS || *cell->metric == '\0') return false;
        if (column == out->n_columns) out->columns[out->n_columns++] = cell;
    }
    return out->n_columns >= 2 && 2 * outcome->n_cells >= out->n_rows * out->n_columns;
}

static const struct sl_outcome_cell *find_cell(const struct sl_outcome *outcome, const char *row,
                                               const struct sl_outcome_cell *column)
{
    for (size_t i = 0; i < outcome->n_cells; i++)
        if (in_column(&outcome->cells[i], column) && strcmp(outcome->cells[i].row, row) == 0)
            return &outcome->cells[i];
    return NULL;
}

/* The number of runs of a line: "15", or "3 to 15". */
static struct sl_cell runs_cell(const struct sl_outcome_cell *const *cells, size_t count,
                                bool is_paper, char *words, size_t size)
{
    size_t fewest = SIZE_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n_runs = !cells[i] ? 0 : is_paper ? cells[i]->paper_runs : cells[i]->here.n_runs;
        if (n_runs == 0) continue;
        fewest = n_runs < fewest ? n_runs : fewest;
        most = n_runs > most ? n_runs : most;
    }
    if (most == 0) return sl_cell_empty(NULL);
    struct sl_cell cell = sl_cell_number((double)fewest, NAN, 0);
    snprintf(words, size, "to %zu", most);
    if (most > fewest) cell.text = words;
    return cell;
}

static void show_line(const struct sl_presentation *show, const char *row,
                      const struct sl_outcome_cell *const *cells, size_t count, bool is_paper)
{
    char words[64];
    sl_report_cell(show->report, sl_cell_text(row));
    if (has_paper(show)) sl_report_cell(show->report, sl_cell_text(is_paper ? "paper" : "here"));
    sl_report_cell(show->report, runs_cell(cells, count, is_paper, words, sizeof words));
    for (size_t i = 0; i < count; i++)
        sl_report_cell(show->report, !cells[i]  ? sl_cell_empty(NULL)
                                     : is_paper ? paper_cell(cells[i])
                                                : short_cell(cells[i]));
}

static void show_grid(const struct sl_presentation *show, const struct grid *grid)
{
    const char *titles[COLUMNS_BEFORE + MOST_COLUMNS] = {row_word(show)};
    char *owned[MOST_COLUMNS];
    size_t before = 1;
    if (has_paper(show)) titles[before++] = "Source";
    titles[before++] = "Runs";
    for (size_t i = 0; i < grid->n_columns; i++) {
        const struct sl_outcome_cell *column = grid->columns[i];
        char *key = sl_string_printf("%s/%s", column->test_set, column->metric);
        owned[i] = sl_verdict_column_title(*column->test_set ? key : column->metric);
        titles[before + i] = owned[i];
        free(key);
    }
    begin_table(show, GRID, titles, before + grid->n_columns);
    for (size_t i = 0; i < grid->n_columns; i++)
        free(owned[i]);
    for (size_t row = 0; row < grid->n_rows; row++) {
        const struct sl_outcome_cell *cells[MOST_COLUMNS];
        bool is_published = false;
        for (size_t i = 0; i < grid->n_columns; i++) {
            cells[i] = find_cell(show->outcome, grid->rows[row]->row, grid->columns[i]);
            is_published = is_published || (cells[i] && cells[i]->status);
        }
        show_line(show, grid->rows[row]->row, cells, grid->n_columns, false);
        if (is_published) show_line(show, grid->rows[row]->row, cells, grid->n_columns, true);
    }
}

void sl_present_cells(const struct sl_presentation *show)
{
    struct grid grid;
    if (show->outcome->n_cells == 0) return;
    bool is_table = make_grid(show->outcome, &grid);
    if (is_table) show_grid(show, &grid);
    explain_statuses(show);
    if (is_table && !has_paper(show)) { /* the list would only repeat the grid */
        free(grid.rows);
        return;
    }
    if (is_table) sl_report_fold(show->report, "The same figures, one per line");
    show_lists(show);
    if (is_table) sl_report_fold_end(show->report);
    free(grid.rows);
}
