#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

unsigned cli_terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

enum sl_status cli_print_json(const json_t *value, struct sl_error *err)
{
    if (json_dumpf(value, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII) != 0 || putchar('\n') == EOF)
        return sl_fail_errno(err, "stdout");
    return SL_OK;
}

void cli_table_init(struct cli_table *table, const char *alignment)
{
    *table = (struct cli_table){.alignment = alignment, .n_columns = strlen(alignment)};
}

void cli_table_add_cells(struct cli_table *table, const char *const *cells)
{
    const size_t first = table->n_rows * table->n_columns;
    table->cells = sl_resize(table->cells, first + table->n_columns, sizeof *table->cells);
    for (size_t i = 0; i < table->n_columns; i++)
        table->cells[first + i] = sl_string_copy(cells[i]);
    table->n_rows++;
}

enum { MOST_COLUMNS = 16 };

void cli_table_add(struct cli_table *table, ...)
{
    const char *texts[MOST_COLUMNS];
    assert(table->n_columns <= MOST_COLUMNS);
    va_list cells;
    va_start(cells, table);
    for (size_t i = 0; i < table->n_columns; i++)
        texts[i] = va_arg(cells, const char *);
    va_end(cells);
    cli_table_add_cells(table, texts);
}

/* Characters, not bytes: continuation bytes of UTF-8 take no column. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void print_spaces(size_t count, FILE *out)
{
    fprintf(out, "%*s", (int)count, "");
}

void cli_table_print(const struct cli_table *table, FILE *out)
{
    size_t *widths = sl_alloc(table->n_columns, sizeof *widths);
    for (size_t i = 0; i < table->n_rows * table->n_columns; i++) {
        size_t width = width_of(table->cells[i]);
        size_t *widest = &widths[i % table->n_columns];
        if (width > *widest) *widest = width;
    }
    for (size_t row = 0; row < table->n_rows; row++) {
        for (size_t column = 0; column < table->n_columns; column++) {
            const char *cell = table->cells[row * table->n_columns + column];
            size_t padding = widths[column] - width_of(cell);
            bool last = column + 1 == table->n_columns, right = table->alignment[column] == 'r';
            if (column) print_spaces(2, out);
            if (right) print_spaces(padding, out);
            fputs(cell, out);
            if (!right && !last) print_spaces(padding, out);
        }
        fputc('\n', out);
    }
    free(widths);
}

void cli_table_release(struct cli_table *table)
{
    for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct cli_table){0};
}

int64_t cli_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
