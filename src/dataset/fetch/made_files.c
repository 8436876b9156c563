/* Files that fetch makes from downloaded ones. */
#include <stdlib.h>
#include <string.h>

#include "base/array/zip.h"
#include "dataset/fetch/internal.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"

/* Limits for data unpacked into memory. */
enum { BATCHES_BYTES = 1 << 26, UNZIPPED_BYTES = 1 << 29 };

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every text behind the key "filename". */
static enum sl_status find_names(const struct sl_buffer *text, struct sl_name_table *names,
                                 struct sl_error *err)
{
    static const char mark[] = "\"filename\": \"";
    for (const char *at = text->data; at && (at = strstr(at, mark));) {
        uint32_t number = 0;
        at += sizeof mark - 1;
        SL_TRY(sl_name_table_add(names, at, strcspn(at, "\""), &number, err));
    }
    return SL_OK;
}

enum sl_status sl_make_names(const struct sl_fetch_making *making, struct sl_error *err)
{
    struct sl_buffer text, lines;
    struct sl_name_table *names = sl_name_table_create();
    const char **sorted = NULL;
    enum sl_status status = SL_OK;
    sl_buffer_init(&text, BATCHES_BYTES);
    sl_buffer_init(&lines, BATCHES_BYTES);
    SL_TRY_OUT(sl_file_read(making->from, &text, err));
    sl_buffer_byte(&text, '\0');
    SL_TRY_OUT(sl_buffer_check(&text, "the list of batches", err));
    SL_TRY_OUT(find_names(&text, names, err));
    const size_t count = sl_name_table_count(names);
    if (count == 0)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: the file names no image", making->from));
    sorted = sl_alloc(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = sl_name_table_get(names, (uint32_t)i, NULL);
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 0; i < count; i++)
        sl_buffer_printf(&lines, "%s\n", sorted[i]);
    SL_TRY_OUT(sl_file_write(making->to, lines.data, lines.length, err));
out:
    free(sorted);
    sl_buffer_release(&text);
    sl_buffer_release(&lines);
    sl_name_table_destroy(names);
    return status;
}

enum sl_status sl_make_unzipped(const struct sl_fetch_making *making, struct sl_error *err)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    SL_TRY(sl_zip_read(making->from, making->name, UNZIPPED_BYTES, &bytes, &length, err));
    const enum sl_status status = sl_file_write(making->to, bytes, length, err);
    free(bytes);
    return status;
}
