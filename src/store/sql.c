/* Running statements, whichever database runs them. */
#include "store/sql.h"

#include <string.h>

enum sl_status sl_sql_start(struct sl_sql *store, enum sl_sql_statement which,
                            const struct sl_sql_value *values, size_t n_values,
                            struct sl_sql_rows *rows, struct sl_error *err)
{
    *rows = (struct sl_sql_rows){.store = store};
    return store->driver->start(store, which, values, n_values, rows, err);
}

enum sl_status sl_sql_step(struct sl_sql_rows *rows, bool *row, struct sl_error *err)
{
    return rows->store->driver->step(rows, row, err);
}

void sl_sql_finish(struct sl_sql_rows *rows)
{
    if (rows->handle) rows->store->driver->finish(rows);
    rows->handle = NULL;
}

bool sl_sql_is_null(const struct sl_sql_rows *rows, int column)
{
    return rows->store->driver->is_null(rows, column);
}

int64_t sl_sql_integer(const struct sl_sql_rows *rows, int column)
{
    return rows->store->driver->integer(rows, column);
}

double sl_sql_real(const struct sl_sql_rows *rows, int column)
{
    return rows->store->driver->real(rows, column);
}

const char *sl_sql_text(const struct sl_sql_rows *rows, int column)
{
    return rows->store->driver->bytes(rows, column);
}

void sl_sql_blob(const struct sl_sql_rows *rows, int column, void *out, size_t size)
{
    const void *bytes = rows->store->driver->bytes(rows, column);
    const size_t length = rows->store->driver->length(rows, column);
    memset(out, 0, size);
    if (bytes) memcpy(out, bytes, length < size ? length : size);
}

size_t sl_sql_changes(const struct sl_sql *store)
{
    return store->driver->changes(store);
}

enum sl_status sl_sql_run(struct sl_sql *store, enum sl_sql_statement which,
                          const struct sl_sql_value *values, size_t n_values, struct sl_error *err)
{
    int64_t ignored;
    bool found;
    return sl_sql_number(store, which, values, n_values, &ignored, &found, err);
}

enum sl_status sl_sql_number(struct sl_sql *store, enum sl_sql_statement which,
                             const struct sl_sql_value *values, size_t n_values, int64_t *number,
                             bool *found, struct sl_error *err)
{
    struct sl_sql_rows rows;
    SL_TRY(sl_sql_start(store, which, values, n_values, &rows, err));
    bool row = false;
    enum sl_status status = sl_sql_step(&rows, &row, err);
    if (status == SL_OK && row) *number = sl_sql_integer(&rows, 0);
    if (status == SL_OK) *found = row;
    sl_sql_finish(&rows);
    return status;
}

enum sl_status sl_sql_fail_nested(struct sl_error *err)
{
    return sl_fail(err, SL_ERR_USAGE, "a visitor cannot start the walk that it is part of");
}

/* A text for one of the fixed arrays of a session, which it leaves with a NUL at its end. */
static void read_name(const struct sl_sql_rows *rows, int column, char *out, size_t size)
{
    sl_sql_blob(rows, column, out, size - 1);
    out[size - 1] = '\0';
}

void sl_sql_read_session(const struct sl_sql_rows *rows, struct sl_store_session *out)
{
    out->id = sl_sql_integer(rows, 0);
    sl_sql_blob(rows, 1, out->token_hash, sizeof out->token_hash);
    sl_sql_blob(rows, 2, out->person, sizeof out->person);
    read_name(rows, 3, out->screen, sizeof out->screen);
    out->batch = (size_t)sl_sql_integer(rows, 4);
    out->seed = (uint64_t)sl_sql_integer(rows, 5);
    out->state = (enum sl_session_state)sl_sql_integer(rows, 6);
    read_name(rows, 7, out->place, sizeof out->place);
    out->trial = (size_t)sl_sql_integer(rows, 8);
    out->started = sl_sql_integer(rows, 9);
    out->seen = sl_sql_integer(rows, 10);
    out->finished = sl_sql_integer(rows, 11);
    out->lease_until = sl_sql_integer(rows, 12);
    out->test = sl_sql_integer(rows, 13) != 0;
    out->second_run = sl_sql_integer(rows, 14) != 0;
    out->attempts = (size_t)sl_sql_integer(rows, 15);
    read_name(rows, 16, out->consent, sizeof out->consent);
}
