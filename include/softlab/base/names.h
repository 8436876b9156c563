/* Names: strings numbered in the order they first appear, in one pool. Ten million names of
 * ten bytes take about 220 MB, of which a third is the index that finds them. */
#ifndef SOFTLAB_BASE_NAMES_H
#define SOFTLAB_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/csv.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

#define SL_NO_NAME UINT32_MAX

struct sl_name_table; /* opaque */

struct sl_name_table *sl_name_table_create(void) SL_RETURNS_NONNULL;
void sl_name_table_destroy(struct sl_name_table *names);

/* The names "0" to count - 1. SL_ERR_NOMEM, or SL_ERR_INPUT as below. */
enum sl_status sl_name_table_numbers(size_t count, struct sl_name_table **out,
                                     struct sl_error *err) SL_MUST_USE;

/* The number of a name, added if new. SL_ERR_NOMEM or SL_ERR_INPUT (over 4 GiB of text or
 * 2^32 - 1 names). */
enum sl_status sl_name_table_add(struct sl_name_table *names, const char *text, size_t length,
                                 uint32_t *out, struct sl_error *err) SL_MUST_USE;
/* The same for many names at once, which is faster for tables too large for the cache. */
enum sl_status sl_name_table_add_many(struct sl_name_table *names, const struct sl_field *texts,
                                      size_t count, uint32_t *out,
                                      struct sl_error *err) SL_MUST_USE;
/* The number of a name; SL_NO_NAME if it is not in the table. The first call may build the index,
 * so it is not safe beside other threads. */
uint32_t sl_name_table_find(const struct sl_name_table *names, const char *text, size_t length);

size_t sl_name_table_count(const struct sl_name_table *names);
/* Name `index`, NUL-terminated, borrowed until the next add. `length` may be NULL. */
const char *sl_name_table_get(const struct sl_name_table *names, uint32_t index, size_t *length);

/* How rows without names correspond to named things. */
enum sl_row_matching {
    SL_ROWS_BY_NUMBER, /* row r belongs to the name "r": the names are row numbers from 0 */
    SL_ROWS_BY_ORDER,  /* row r belongs to name r: there are as many rows as names */
    SL_ROWS_UNCLEAR,
};
/* By number if every name is a row number, or if the names are 0 to n - 1 and there are fewer rows.
 * Names that count from 1 are not row numbers. */
enum sl_row_matching sl_name_table_match_rows(const struct sl_name_table *names, size_t n_rows);

/* Forget all names and keep the memory for others. */
void sl_name_table_clear(struct sl_name_table *names);

/* Free the index and unused memory; the next find or add builds a new index. */
void sl_name_table_compact(struct sl_name_table *names);

/* The memory of a table, for files: name i is pool[offsets[i]] up to the NUL before
 * pool[offsets[i + 1]]. Borrowed until the next add. */
struct sl_name_pool {
    const char *text;        /* `length` bytes, every name ending in NUL */
    const uint32_t *offsets; /* count + 1; the last is `length` */
    size_t length, count;
};
struct sl_name_pool sl_name_table_pool(const struct sl_name_table *names);

/* A table over memory that the caller keeps alive longer than the table (a mapped file). Adding to
 * it is SL_ERR_USAGE. SL_ERR_INPUT names the first name whose offsets or NUL are wrong; repeated
 * names are not detected. */
enum sl_status sl_name_table_borrow(const struct sl_name_pool *pool, const char *what,
                                    struct sl_name_table **out, struct sl_error *err) SL_MUST_USE;
/* The same in steps, for names larger than memory: check all names, range after range, then make
 * the table. */
enum sl_status sl_name_pool_check(const struct sl_name_pool *pool, size_t first, size_t last,
                                  const char *what, struct sl_error *err) SL_MUST_USE;
struct sl_name_table *
sl_name_table_borrow_checked(const struct sl_name_pool *pool) SL_RETURNS_NONNULL;

SL_END_DECLS

#endif
