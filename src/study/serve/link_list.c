/* A list of people to a list of their links. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/study/check.h"

/* What is read and written of one list. */
struct links {
    const struct sl_study *study;
    struct sl_store *store;
    const char *address;
    struct sl_csv *csv;
    size_t column;
    struct sl_name_table *seen;
    struct sl_buffer out;
};

static enum sl_status add_link(struct links *list, const struct sl_csv_record *record,
                               struct sl_error *err)
{
    const struct sl_field field = sl_csv_plain(record->fields[list->column]);
    struct sl_error why;
    uint32_t number = 0;
    char *path = NULL;
    size_t before = sl_name_table_count(list->seen);
    SL_TRY(sl_name_table_add(list->seen, field.text, field.length, &number, err));
    if (number < before)
        return sl_csv_fail(list->csv, record->line, err,
                           "\"%.*s\" comes twice; name every participant once", (int)field.length,
                           field.text);
    char *person = sl_string_copy_n(field.text, field.length);
    enum sl_status status = sl_study_link(list->study, list->store, person, &path, &why);
    free(person);
    if (status == SL_ERR_INPUT) return sl_csv_fail(list->csv, record->line, err, "%s", why.message);
    if (status != SL_OK) return sl_fail(err, status, "%s", why.message);
    char *link = sl_string_printf("%s%s", list->address, path);
    sl_csv_append_text(&list->out, field.text, field.length);
    sl_csv_append_field(&list->out, link, strlen(link));
    sl_csv_end_line(&list->out);
    free(link);
    free(path);
    return SL_OK;
}

static enum sl_status fill_list(struct links *list, const char *ids, const char *column,
                                struct sl_error *err)
{
    const struct sl_csv_options table = sl_csv_options_default();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_open(ids, &table, &list->csv, err));
    SL_TRY_OUT(sl_csv_column(list->csv, column, &list->column, err));
    sl_buffer_text(&list->out, "id,link\n");
    for (;;) {
        struct sl_csv_record record;
        SL_TRY_OUT(sl_csv_next(list->csv, &record, err));
        if (record.count == 0) break;
        SL_TRY_OUT(add_link(list, &record, err));
    }
    if (sl_name_table_count(list->seen) == 0)
        status = sl_fail(err, SL_ERR_INPUT, "%s names no participant", ids);
    else
        status = sl_buffer_check(&list->out, "the list of links", err);
out:
    sl_csv_close(list->csv);
    return status;
}

/* A signed link is as good as the person. */
static enum sl_status write_private(const char *path, const struct sl_buffer *text,
                                    struct sl_error *err)
{
    struct sl_writer writer = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_writer_open_private(&writer, path, err));
    SL_TRY_OUT(sl_writer_write(&writer, text->data, text->length, err));
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    return status;
}

enum sl_status sl_study_write_links(const struct sl_study *study, struct sl_store *store,
                                    const struct sl_link_list *list, size_t *count,
                                    struct sl_error *err)
{
    struct links links = {.study = study, .store = store, .address = list->address};
    sl_buffer_init_data(&links.out, 1 << 30);
    links.seen = sl_name_table_create();
    enum sl_status status = fill_list(&links, list->ids, list->column, err);
    if (status == SL_OK) status = write_private(list->output, &links.out, err);
    if (status == SL_OK) *count = sl_name_table_count(links.seen);
    sl_name_table_destroy(links.seen);
    sl_buffer_release(&links.out);
    return status;
}
