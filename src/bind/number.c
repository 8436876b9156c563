/* Numbers for values, by first appearance. Parts of the values are numbered by themselves, by all
 * threads; the parts' different values then get their numbers in the order of the parts, and last
 * every code is translated. The borders of parts depend on the count only, and the numbers do not
 * depend on the borders. */
#include "bind/number.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

enum { PART_VALUES = 1 << 18, LEAST_SLOTS = 1 << 10, MOST_FULL_PERCENT = 50 };

/* A hash table of values with open addressing; a slot holds number + 1, or 0. */
struct table {
    uint32_t *slots; /* owned; a power of two */
    size_t n_slots;
    uint64_t *values; /* owned; the different values in order, room for half of the slots */
    uint64_t *firsts; /* owned; where each was first */
    size_t count;
};

static void table_release(struct table *table)
{
    free(table->slots);
    free(table->values);
    free(table->firsts);
}

static uint64_t mix(uint64_t value)
{
    value ^= value >> 32;
    value *= UINT64_C(0xd6e8feb86659fd93);
    value ^= value >> 32;
    return value * UINT64_C(0xd6e8feb86659fd93);
}

static size_t slot_of(const struct table *table, uint64_t value)
{
    size_t slot = mix(value) >> 20 & (table->n_slots - 1);
    while (table->slots[slot] && table->values[table->slots[slot] - 1] != value)
        slot = (slot + 1) & (table->n_slots - 1);
    return slot;
}

/* Called on any thread, so it reports and does not call sl_alloc. */
static bool table_grow(struct table *table)
{
    const size_t n_slots = table->n_slots ? 4 * table->n_slots : LEAST_SLOTS;
    const size_t room = n_slots * MOST_FULL_PERCENT / 100;
    uint32_t *slots = calloc(n_slots, sizeof *slots);
    uint64_t *values = realloc(table->values, room * sizeof *values);
    if (values) table->values = values;
    uint64_t *firsts = realloc(table->firsts, room * sizeof *firsts);
    if (firsts) table->firsts = firsts;
    if (!slots || !values || !firsts) {
        free(slots);
        return false;
    }
    free(table->slots);
    table->slots = slots;
    table->n_slots = n_slots;
    for (size_t i = 0; i < table->count; i++)
        slots[slot_of(table, values[i])] = (uint32_t)(i + 1);
    return true;
}

/* The number of a value that was first at `index`; false if memory runs out. */
static bool table_add(struct table *table, uint64_t value, uint64_t index, uint32_t *out)
{
    if (table->count >= table->n_slots * MOST_FULL_PERCENT / 100 && !table_grow(table))
        return false;
    const size_t slot = slot_of(table, value);
    if (!table->slots[slot]) {
        table->values[table->count] = value;
        table->firsts[table->count] = index;
        table->slots[slot] = (uint32_t)++table->count;
    }
    *out = table->slots[slot] - 1;
    return true;
}

struct numbering {
    const uint64_t *values;
    size_t count, n_parts;
    uint32_t *codes;
    struct table *parts; /* owned; n_parts */
    uint32_t **numbers;  /* owned, as is each: a part's number to the number in the whole */
    _Atomic bool exhausted;
};

static void number_part(void *context, size_t part, size_t worker)
{
    (void)worker;
    struct numbering *numbering = context;
    const struct sl_pool_range range = sl_pool_range_of(numbering->count, numbering->n_parts, part);
    uint64_t before = 0;
    uint32_t number = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        const uint64_t value = numbering->values[i];
        if (i == range.begin || value != before) {
            if (!table_add(&numbering->parts[part], value, i, &number)) {
                atomic_store(&numbering->exhausted, true);
                return;
            }
            before = value;
        }
        numbering->codes[i] = number;
    }
}

static void translate_part(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct numbering *numbering = context;
    const struct sl_pool_range range = sl_pool_range_of(numbering->count, numbering->n_parts, part);
    for (size_t i = range.begin; i < range.end; i++)
        numbering->codes[i] = numbering->numbers[part][numbering->codes[i]];
}

static enum sl_status join(struct numbering *numbering, struct table *whole, struct sl_error *err)
{
    for (size_t p = 0; p < numbering->n_parts; p++) {
        const struct table *part = &numbering->parts[p];
        numbering->numbers[p] = sl_data_alloc(part->count, sizeof **numbering->numbers, err);
        if (!numbering->numbers[p]) return SL_ERR_NOMEM;
        for (size_t i = 0; i < part->count; i++)
            if (!table_add(whole, part->values[i], part->firsts[i], &numbering->numbers[p][i]))
                return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu values", whole->count);
    }
    return SL_OK;
}

enum sl_status sl_bind_number(struct sl_pool *pool, const uint64_t *values, size_t count,
                              uint32_t *codes, uint64_t *firsts, size_t *n_different,
                              struct sl_error *err)
{
    if (count >= UINT32_MAX)
        return sl_fail(err, SL_ERR_INPUT, "%zu values are too many, expected fewer than %u", count,
                       UINT32_MAX);
    struct numbering numbering = {
        .values = values, .count = count, .n_parts = count / PART_VALUES + 1, .codes = codes};
    struct table whole = {0};
    enum sl_status status = SL_OK;
    numbering.parts = sl_alloc(numbering.n_parts, sizeof *numbering.parts);
    numbering.numbers = sl_alloc(numbering.n_parts, sizeof *numbering.numbers);
    sl_pool_run(pool, numbering.n_parts, number_part, &numbering);
    if (atomic_load(&numbering.exhausted))
        SL_TRY_OUT(sl_fail(err, SL_ERR_NOMEM, "not enough memory to number %zu values", count));
    SL_TRY_OUT(join(&numbering, &whole, err));
    sl_pool_run(pool, numbering.n_parts, translate_part, &numbering);
    if (whole.count) memcpy(firsts, whole.firsts, whole.count * sizeof *firsts);
    *n_different = whole.count;
out:
    for (size_t p = 0; p < numbering.n_parts; p++) {
        table_release(&numbering.parts[p]);
        free(numbering.numbers[p]);
    }
    free(numbering.parts);
    free(numbering.numbers);
    table_release(&whole);
    return status;
}
