#include <assert.h>
#include <math.h>
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

enum sl_status cli_print_json(json_t *value, struct sl_error *err)
{
    const bool written =
        json_dumpf(value, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII) == 0 && putchar('\n') != EOF;
    const enum sl_status status = written ? SL_OK : sl_fail_errno(err, "stdout");
    json_decref(value);
    return status;
}

const char *cli_json_text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
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

static void add_row(struct cli_table *table, va_list cells)
{
    const char *texts[MOST_COLUMNS];
    assert(table->n_columns <= MOST_COLUMNS);
    for (size_t i = 0; i < table->n_columns; i++)
        texts[i] = va_arg(cells, const char *);
    cli_table_add_cells(table, texts);
}

void cli_table_begin(struct cli_table *table, const char *alignment, ...)
{
    va_list titles;
    cli_table_init(table, alignment);
    va_start(titles, alignment);
    add_row(table, titles);
    va_end(titles);
}

void cli_table_add(struct cli_table *table, ...)
{
    va_list cells;
    va_start(cells, table);
    add_row(table, cells);
    va_end(cells);
}

static const char *keep_text(struct cli_table *table, char *text)
{
    table->texts = sl_resize(table->texts, table->n_texts + 1, sizeof *table->texts);
    return table->texts[table->n_texts++] = text;
}

const char *cli_cell(struct cli_table *table, const char *format, ...)
{
    struct sl_buffer text;
    va_list arguments;
    sl_buffer_init(&text, 1 << 16);
    va_start(arguments, format);
    sl_buffer_vprintf(&text, format, arguments);
    va_end(arguments);
    const char *kept = keep_text(table, sl_string_copy(text.data));
    sl_buffer_release(&text);
    return kept;
}

const char *cli_count(struct cli_table *table, uint64_t value)
{
    char text[32];
    return keep_text(table, sl_string_copy(sl_text_count(value, text, sizeof text)));
}

const char *cli_real(struct cli_table *table, double value, int decimals, const char *unit)
{
    return isnan(value) ? "-" : cli_cell(table, "%.*f%s", decimals, value, unit);
}

/* Characters, not bytes: continuation bytes of UTF-8 take no column. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void print_spaces(size_t count)
{
    printf("%*s", (int)count, "");
}

static void print_table(const struct cli_table *table)
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
            if (column) print_spaces(2);
            if (right) print_spaces(padding);
            fputs(cell, stdout);
            if (!right && !last) print_spaces(padding);
        }
        putchar('\n');
    }
    free(widths);
}

void cli_table_release(struct cli_table *table)
{
    for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
        free(table->cells[i]);
    for (size_t i = 0; i < table->n_texts; i++)
        free(table->texts[i]);
    free(table->cells);
    free(table->texts);
    *table = (struct cli_table){0};
}

void cli_table_end(struct cli_table *table)
{
    print_table(table);
    cli_table_release(table);
}

int64_t cli_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
