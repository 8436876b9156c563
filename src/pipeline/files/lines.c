/* Lists of names: text files with one on each line, and columns of tables. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/files/columns.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/files.h"

/* Some editors begin a file with it; it is no part of the first name. */
static const char byte_order_mark[] = "\xEF\xBB\xBF";

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The non-empty lines of a text, without blanks at their ends. */
static char **split_lines(const char *at, const char *end)
{
    size_t n_lines = 1, count = 0;
    for (const char *c = at; c < end; c++)
        n_lines += *c == '\n' || *c == '\r';
    char **lines = sl_alloc(n_lines + 1, sizeof *lines);
    while (at < end) {
        const char *from = at;
        while (at < end && *at != '\n' && *at != '\r')
            at++;
        const char *to = at++;
        while (to > from && is_blank(to[-1]))
            to--;
        if (to > from) lines[count++] = sl_string_copy_n(from, (size_t)(to - from));
    }
    return lines;
}

enum sl_status sl_lines_read(const char *path, char ***out, struct sl_error *err)
{
    struct sl_buffer text;
    size_t mark = strlen(byte_order_mark);
    if (sl_path_has_suffix(path, ".gz"))
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: a list of names is read from a plain text file or from .csv.gz; unpack "
                       "it with gunzip",
                       path);
    sl_buffer_init(&text, (size_t)1 << 28);
    const enum sl_status status = sl_file_read(path, &text, err);
    if (status == SL_OK) {
        const char *start = text.length ? text.data : "";
        if (text.length < mark || memcmp(start, byte_order_mark, mark) != 0) mark = 0;
        *out = split_lines(start + mark, start + text.length);
    }
    sl_buffer_release(&text);
    return status;
}

static enum sl_status add_column(const char *path, struct sl_name_table *names,
                                 struct sl_error *err)
{
    static const char *const item_names[] = {"item", "task", "question", NULL};
    const struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record;
    size_t column = 0;
    enum sl_status status = SL_OK;
    SL_TRY(sl_csv_open(path, &options, &csv, err));
    SL_TRY_OUT(sl_csv_find_column(csv, item_names, item_names[0], &column, err));
    for (;;) {
        uint32_t number;
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        const struct sl_field name = sl_csv_plain(record.fields[column]);
        if (name.length == 0)
            SL_TRY_OUT(sl_csv_fail(csv, record.line, err, "the item has no name"));
        SL_TRY_OUT(sl_name_table_add(names, name.text, name.length, &number, err));
    }
out:
    sl_csv_close(csv);
    return status;
}

static enum sl_status add_lines(const char *path, struct sl_name_table *names, struct sl_error *err)
{
    char **lines = NULL;
    uint32_t number;
    enum sl_status status = SL_OK;
    SL_TRY(sl_lines_read(path, &lines, err));
    for (char **line = lines; *line && status == SL_OK; line++)
        status = sl_name_table_add(names, *line, strlen(*line), &number, err);
    sl_names_destroy(lines);
    return status;
}

enum sl_status sl_names_add_listed(const char *path, struct sl_name_table *names,
                                   struct sl_error *err)
{
    const bool table = sl_path_has_suffix(path, ".csv") || sl_path_has_suffix(path, ".csv.gz");
    return table ? add_column(path, names, err) : add_lines(path, names, err);
}

enum sl_status sl_listed_items_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_answers *answers, struct sl_name_table **out,
                                    struct sl_error *err)
{
    if (!path) return SL_OK;
    const char *stranger = NULL;
    size_t n_strangers = 0;
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_names_add_listed(path, names, err));
    const size_t count = sl_name_table_count(names);
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *name = sl_name_table_get(names, (uint32_t)i, &length);
        if (sl_name_table_find(answers->items, name, length) != SL_NO_NAME) continue;
        if (n_strangers++ == 0) stranger = name;
    }
    if (n_strangers == count)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "%s: of its %zu line%s, none is an item that has answers; give an "
                           "item's name on each line",
                           sl_workplace_shown(workplace, path), count,
                           sl_text_plural(count, "", "s")));
    if (n_strangers)
        sl_log(workplace->log, SL_LOG_WARNING,
               "%s: %zu of %zu item%s %s no answers, the first is %.60s",
               sl_workplace_shown(workplace, path), n_strangers, count,
               sl_text_plural(count, "", "s"), sl_text_plural(n_strangers, "has", "have"),
               stranger);
    *out = names;
    names = NULL;
out:
    sl_name_table_destroy(names);
    return status;
}
