/* A part of a document that a test writes from the code's own tables, between two marks. */
#ifndef SOFTLAB_TESTS_DOCUMENTED_H
#define SOFTLAB_TESTS_DOCUMENTED_H

#include "softlab/base/file.h"
#include "support.h"

/* Fails unless `expected` is what `path` has between the lines `begin` and `end`; with
 * UPDATE_GOLDEN=1 it writes it there instead. */
static inline void assert_documented(const char *path, const char *begin, const char *end,
                                     const char *expected)
{
    struct sl_error err = {0};
    struct sl_buffer document;
    sl_buffer_init(&document, 1 << 20);
    assert_ok(sl_file_read(path, &document, &err), err);
    char *from = strstr(document.data, begin), *to = strstr(document.data, end);
    if (!from || !to || from > to) {
        fail_msg("%s has no place between %s and %s", path, begin, end);
        return;
    }
    from += strlen(begin);
    const char *update = getenv("UPDATE_GOLDEN");
    if (update && strcmp(update, "1") == 0) {
        char *text =
            sl_string_printf("%.*s%s%s", (int)(from - document.data), document.data, expected, to);
        assert_ok(sl_file_write(path, text, strlen(text), &err), err);
        free(text);
    } else if (strlen(expected) != (size_t)(to - from) ||
               strncmp(expected, from, strlen(expected)) != 0) {
        fail_msg("%s does not have the keys of the tables: make update-golden writes them", path);
    }
    sl_buffer_release(&document);
}

#endif
