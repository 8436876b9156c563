/* Text files with a name on each line. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/files.h"

enum sl_status sl_lines_read(const char *path, char ***out, struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 28);
    const enum sl_status status = sl_file_read(path, &text, err);
    if (status == SL_OK) {
        const char *at = text.length ? text.data : "", *end = at + text.length;
        size_t n_lines = 1, count = 0;
        for (const char *c = at; c < end; c++)
            n_lines += *c == '\n' || *c == '\r';
        char **lines = sl_alloc(n_lines + 1, sizeof *lines);
        while (at < end) {
            const char *from = at;
            while (at < end && *at != '\n' && *at != '\r')
                at++;
            if (at > from) lines[count++] = sl_string_copy_n(from, (size_t)(at - from));
            at++;
        }
        *out = lines;
    }
    sl_buffer_release(&text);
    return status;
}

enum sl_status sl_listed_items_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_answers *answers, struct sl_name_table **out,
                                    struct sl_error *err)
{
    if (!path) return SL_OK;
    char **lines = NULL;
    const char *stranger = NULL;
    size_t n_strangers = 0, count = 0;
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_lines_read(path, &lines, err));
    for (char **line = lines; *line; line++, count++) {
        uint32_t place;
        const size_t length = strlen(*line);
        SL_TRY_OUT(sl_name_table_add(names, *line, length, &place, err));
        if (sl_name_table_find(answers->items, *line, length) != SL_NO_NAME) continue;
        if (n_strangers++ == 0) stranger = *line;
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
    sl_names_destroy(lines);
    return status;
}
