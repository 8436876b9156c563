/* Copying a whole store, from any database to any other. */
#include "store/sql.h"

#include <assert.h>
#include <string.h>

enum { MAX_COLUMNS = 18 };

/* Tables in an order in which every row finds the rows that it names. A letter per column: integer,
 * real, text, blob. */
static const struct {
    enum sl_sql_statement read, write, clear;
    const char *columns;
} tables[] = {
    {SL_SQL_READ_TEXTS, SL_SQL_WRITE_TEXTS, SL_SQL_CLEAR_TEXTS, "tt"},
    {SL_SQL_READ_ITEMS, SL_SQL_WRITE_ITEMS, SL_SQL_CLEAR_ITEMS, "itttrit"},
    {SL_SQL_READ_BATCHES, SL_SQL_WRITE_BATCHES, SL_SQL_CLEAR_BATCHES, "ii"},
    {SL_SQL_READ_BATCH_ITEMS, SL_SQL_WRITE_BATCH_ITEMS, SL_SQL_CLEAR_BATCH_ITEMS, "iii"},
    {SL_SQL_READ_SESSIONS, SL_SQL_WRITE_SESSIONS, SL_SQL_CLEAR_SESSIONS, "ibbtiiitiiiiiiiitt"},
    {SL_SQL_READ_ANSWERS, SL_SQL_WRITE_ANSWERS, SL_SQL_CLEAR_ANSWERS, "ibiiiiitiii"},
    {SL_SQL_READ_EVENTS, SL_SQL_WRITE_EVENTS, SL_SQL_CLEAR_EVENTS, "iiitt"},
};

enum { N_TABLES = sizeof tables / sizeof *tables };

static struct sl_sql_value value_of(const struct sl_sql_rows *rows, int column, char kind)
{
    struct sl_sql_value value = {.kind = SL_VALUE_INTEGER};
    switch (kind) {
    case 'i': value = sl_value_integer(sl_sql_integer(rows, column)); break;
    case 'r': value = sl_value_real(sl_sql_real(rows, column)); break;
    case 't': value = sl_value_text(sl_sql_text(rows, column)); break;
    default:
        value.kind = SL_VALUE_BLOB;
        value.bytes = rows->store->driver->bytes(rows, column);
        value.length = rows->store->driver->length(rows, column);
    }
    value.absent = sl_sql_is_null(rows, column);
    return value;
}

static enum sl_status copy_table(struct sl_sql *from, struct sl_sql *to, size_t table,
                                 struct sl_error *err)
{
    struct sl_sql_rows rows;
    struct sl_sql_value values[MAX_COLUMNS];
    const char *columns = tables[table].columns;
    const size_t count = strlen(columns);
    assert(count <= MAX_COLUMNS);
    SL_TRY(sl_sql_start(from, tables[table].read, NULL, 0, &rows, err));
    enum sl_status status = SL_OK;
    for (;;) {
        bool row = false;
        SL_TRY_OUT(sl_sql_step(&rows, &row, err));
        if (!row) break;
        for (size_t i = 0; i < count; i++)
            values[i] = value_of(&rows, (int)i, columns[i]);
        SL_TRY_OUT(sl_sql_run(to, tables[table].write, values, count, err));
    }
out:
    sl_sql_finish(&rows);
    return status;
}

static enum sl_status copy_number(struct sl_sql *from, struct sl_sql *to,
                                  enum sl_sql_statement read, enum sl_sql_statement write,
                                  struct sl_error *err)
{
    int64_t last = 0;
    bool found = false;
    SL_TRY(sl_sql_number(from, read, NULL, 0, &last, &found, err));
    return sl_sql_run(to, write, SL_VALUES(sl_value_integer(found ? last : 0)), err);
}

/* A number that a purged session or answer had is not given again. */
static enum sl_status copy_numbers(struct sl_sql *from, struct sl_sql *to, struct sl_error *err)
{
    SL_TRY(copy_number(from, to, SL_SQL_LAST_SESSION, SL_SQL_SET_LAST_SESSION, err));
    return copy_number(from, to, SL_SQL_LAST_ANSWER, SL_SQL_SET_LAST_ANSWER, err);
}

enum sl_status sl_sql_keep_numbers(struct sl_sql *store, struct sl_error *err)
{
    return copy_number(store, store, SL_SQL_LAST_ANSWER, SL_SQL_SET_LAST_ANSWER, err);
}

enum sl_status sl_sql_copy_in(struct sl_store *base, struct sl_store *other, struct sl_error *err)
{
    struct sl_sql *to = sl_sql_of(base), *from = sl_sql_of(other);
    int64_t one = 0;
    bool filled = false;
    SL_TRY(sl_sql_number(to, SL_SQL_IS_FILLED, NULL, 0, &one, &filled, err));
    if (filled)
        return sl_fail(
            err, SL_ERR_INPUT,
            "%s holds a study already: give an empty database or schema, or move this one "
            "away",
            to->name);
    SL_TRY(from->driver->begin_reading(from, err));
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < N_TABLES && status == SL_OK; i++)
        status = copy_table(from, to, i, err);
    if (status == SL_OK) status = copy_numbers(from, to, err);
    from->driver->end_reading(from);
    return status;
}

enum sl_status sl_sql_clear(struct sl_store *base, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t i = N_TABLES; i > 0 && status == SL_OK; i--)
        status = sl_sql_run(sl_sql_of(base), tables[i - 1].clear, NULL, 0, err);
    return status;
}
