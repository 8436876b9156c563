/* Texts, items and batches. */
#include "store/sql.h"

#include <math.h>
#include <stdlib.h>

#include "softlab/base/memory.h"

enum sl_status sl_sql_put_text(struct sl_store *base, const char *key, const char *value,
                               struct sl_error *err)
{
    return sl_sql_run(sl_sql_of(base), SL_SQL_PUT_TEXT,
                      SL_VALUES(sl_value_text(key), sl_value_text(value)), err);
}

enum sl_status sl_sql_get_text(struct sl_store *base, const char *key, char **value,
                               struct sl_error *err)
{
    struct sl_sql_rows statement;
    SL_TRY(sl_sql_start(sl_sql_of(base), SL_SQL_GET_TEXT, SL_VALUES(sl_value_text(key)), &statement,
                        err));
    bool row = false;
    enum sl_status status = sl_sql_step(&statement, &row, err);
    if (status == SL_OK && row)
        *value = sl_string_copy(sl_sql_text(&statement, 0));
    else if (status == SL_OK)
        status =
            sl_fail(err, SL_ERR_NOT_FOUND, "%s holds no text \"%s\"", sl_sql_of(base)->name, key);
    sl_sql_finish(&statement);
    return status;
}

static enum sl_status find_item(struct sl_sql *store, const char *id, int64_t *position,
                                bool *found, struct sl_error *err)
{
    return sl_sql_number(store, SL_SQL_FIND_ITEM, SL_VALUES(sl_value_text(id)), position, found,
                         err);
}

enum sl_status sl_sql_add_item(struct sl_store *base, const struct sl_store_item *item,
                               struct sl_error *err)
{
    struct sl_sql *store = sl_sql_of(base);
    SL_TRY(sl_sql_run(store, SL_SQL_ADD_ITEM,
                      SL_VALUES(sl_value_text(item->id), sl_value_text(item->content),
                                sl_value_text(item->truth), sl_value_real(item->entropy),
                                sl_value_integer(item->check), sl_value_text(item->hash)),
                      err));
    if (sl_sql_changes(store) > 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "the item \"%s\" exists already", item->id);
}

enum sl_status sl_sql_set_item_hash(struct sl_store *base, const char *id, const char *hash,
                                    struct sl_error *err)
{
    struct sl_sql *store = sl_sql_of(base);
    SL_TRY(sl_sql_run(store, SL_SQL_SET_ITEM_HASH,
                      SL_VALUES(sl_value_text(id), sl_value_text(hash)), err));
    if (sl_sql_changes(store) > 0) return SL_OK;
    return sl_fail(err, SL_ERR_NOT_FOUND, "there is no item \"%s\"", id);
}

enum sl_status sl_sql_has_answers(struct sl_store *base, const char *screen, const char *item,
                                  bool *found, struct sl_error *err)
{
    int64_t one = 0;
    return sl_sql_number(sl_sql_of(base), item ? SL_SQL_ANSWERED_ITEM : SL_SQL_ANSWERED_SCREEN,
                         SL_VALUES(sl_value_text(item ? item : screen)), &one, found, err);
}

enum sl_status sl_sql_version(struct sl_store *base, int64_t *out, struct sl_error *err)
{
    bool found = false;
    return sl_sql_number(sl_sql_of(base), SL_SQL_VERSION, NULL, 0, out, &found, err);
}

/* All items are looked up before the first write, so that a wrong name changes nothing. */
enum sl_status sl_sql_add_batch(struct sl_store *base, size_t batch, size_t target,
                                const char *const *items, size_t n_items, struct sl_error *err)
{
    struct sl_sql *store = sl_sql_of(base);
    int64_t before;
    bool found = false;
    SL_TRY(sl_sql_number(store, SL_SQL_FIND_BATCH, SL_VALUES(sl_value_size(batch)), &before, &found,
                         err));
    if (found) return sl_fail(err, SL_ERR_INPUT, "batch %zu exists already", batch);
    int64_t *positions = sl_data_alloc(n_items, sizeof *positions, err);
    if (!positions) return SL_ERR_NOMEM;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < n_items; i++) {
        SL_TRY_OUT(find_item(store, items[i], &positions[i], &found, err));
        if (!found) {
            status = sl_fail(err, SL_ERR_NOT_FOUND, "batch %zu names \"%s\", which is no item",
                             batch, items[i]);
            goto out;
        }
    }
    SL_TRY_OUT(sl_sql_run(store, SL_SQL_ADD_BATCH,
                          SL_VALUES(sl_value_size(batch), sl_value_size(target)), err));
    for (size_t i = 0; i < n_items; i++)
        SL_TRY_OUT(sl_sql_run(
            store, SL_SQL_ADD_BATCH_ITEM,
            SL_VALUES(sl_value_size(batch), sl_value_size(i), sl_value_integer(positions[i])),
            err));
out:
    free(positions);
    return status;
}

enum sl_status sl_sql_set_target(struct sl_store *base, size_t target, struct sl_error *err)
{
    return sl_sql_run(sl_sql_of(base), SL_SQL_SET_TARGET, SL_VALUES(sl_value_size(target)), err);
}

enum sl_status sl_sql_each_item(struct sl_store *base,
                                enum sl_status (*visit)(const struct sl_store_item *item,
                                                        void *context),
                                void *context, struct sl_error *err)
{
    struct sl_sql_rows rows;
    SL_TRY(sl_sql_start(sl_sql_of(base), SL_SQL_EACH_ITEM, NULL, 0, &rows, err));
    enum sl_status status = SL_OK;
    for (;;) {
        bool row = false;
        SL_TRY_OUT(sl_sql_step(&rows, &row, err));
        if (!row) break;
        bool known = !sl_sql_is_null(&rows, 3);
        const struct sl_store_item item = {
            .id = sl_sql_text(&rows, 0),
            .content = sl_sql_text(&rows, 1),
            .truth = sl_sql_text(&rows, 2),
            .entropy = known ? sl_sql_real(&rows, 3) : (double)NAN,
            .check = sl_sql_integer(&rows, 4) != 0,
            .hash = sl_sql_text(&rows, 5),
        };
        SL_TRY_OUT(visit(&item, context));
    }
out:
    sl_sql_finish(&rows);
    return status;
}

enum sl_status sl_sql_read_names(struct sl_sql_rows *rows, int column, char ***out, size_t *count,
                                 struct sl_error *err)
{
    size_t used = 0, capacity = 32;
    char **names = sl_alloc(capacity, sizeof *names);
    enum sl_status status = SL_OK;
    for (;;) {
        bool row = false;
        SL_TRY_OUT(sl_sql_step(rows, &row, err));
        if (!row) break;
        if (used == capacity) names = sl_resize(names, capacity *= 2, sizeof *names);
        names[used++] = sl_string_copy(sl_sql_text(rows, column));
    }
    *out = names;
    *count = used;
    return SL_OK;
out:
    sl_strings_destroy(names, used);
    return status;
}

enum sl_status sl_sql_batch_items(struct sl_store *base, size_t batch, char ***items, size_t *count,
                                  struct sl_error *err)
{
    struct sl_sql_rows rows;
    SL_TRY(sl_sql_start(sl_sql_of(base), SL_SQL_BATCH_ITEMS, SL_VALUES(sl_value_size(batch)), &rows,
                        err));
    size_t used = 0;
    char **names = NULL;
    enum sl_status status = sl_sql_read_names(&rows, 0, &names, &used, err);
    sl_sql_finish(&rows);
    if (status != SL_OK) return status;
    /* A batch has at least one item. */
    if (used == 0) {
        sl_strings_destroy(names, used);
        return sl_fail(err, SL_ERR_NOT_FOUND, "there is no batch %zu", batch);
    }
    *items = names;
    *count = used;
    return SL_OK;
}

enum sl_status sl_sql_each_batch(struct sl_store *base,
                                 enum sl_status (*visit)(const struct sl_store_batch_row *row,
                                                         void *context),
                                 void *context, struct sl_error *err)
{
    struct sl_sql_rows rows;
    SL_TRY(sl_sql_start(sl_sql_of(base), SL_SQL_EACH_BATCH, SL_VALUES(sl_value_integer(0)), &rows,
                        err));
    enum sl_status status = SL_OK;
    for (;;) {
        bool row = false;
        SL_TRY_OUT(sl_sql_step(&rows, &row, err));
        if (!row) break;
        const struct sl_store_batch_row batch = {
            .batch = (size_t)sl_sql_integer(&rows, 0),
            .target = (size_t)sl_sql_integer(&rows, 1),
            .finished = (size_t)sl_sql_integer(&rows, 2),
            .live = (size_t)sl_sql_integer(&rows, 3),
        };
        SL_TRY_OUT(visit(&batch, context));
    }
out:
    sl_sql_finish(&rows);
    return status;
}
