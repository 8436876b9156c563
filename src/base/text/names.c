/* Names by number and numbers by name.
 *
 * 1. Texts lie one after another in the pool, each followed by a NUL. offsets[i] is where
 *    name i begins and offsets[count] where the next will.
 * 2. The index is open addressing with linear probing over a power of two of slots, at most
 *    three quarters full. A slot is 0 (empty) or a name's number + 1 in its low `index_bits`
 *    and, in the bits left over, the top bits of the name's hash: two names that meet in a slot
 *    are nearly always told apart without touching their texts.
 * 3. The index is built from the pool alone, so it may be dropped and rebuilt. It is
 *    behind a pointer because a search in a constant table may have to build it. */
#include "softlab/base/names.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { LEAST_SLOTS_BITS = 6, MOST_SLOTS_BITS = 32, LEAST_NAMES = 32, LEAST_POOL = 512 };
enum { BATCH = 64 };

struct index {
    uint32_t *slots; /* owned; 1 << bits; NULL before the first use */
    unsigned bits;
};

struct sl_name_table {
    struct sl_name_pool pool; /* the names, owned or borrowed */
    char *text;               /* owned; NULL when the memory is borrowed */
    uint32_t *offsets;        /* owned; capacity + 1 */
    size_t text_capacity, capacity;
    struct index *index; /* owned */
};

static void update_pool(struct sl_name_table *names, size_t count)
{
    names->pool = (struct sl_name_pool){.text = names->text,
                                        .offsets = names->offsets,
                                        .length = names->offsets[count],
                                        .count = count};
}

static uint64_t load64(const char *at)
{
    uint64_t value = 0;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t load32(const char *at)
{
    uint32_t value = 0;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Both halves of the 128-bit product: every input bit reaches every output bit. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Odd constants without structure: the fractional parts of sqrt(2), sqrt(3) and sqrt(5). */
static uint64_t hash_text(const char *text, size_t length)
{
    const uint64_t root2 = 0x6A09E667F3BCC909u, root3 = 0xBB67AE8584CAA73Bu;
    const uint64_t root5 = 0x3C6EF372FE94F82Bu;
    uint64_t state = root5 ^ length, a = 0, b = 0;
    const char *end = text + length;
    for (; end - text > 16; text += 16)
        state = fold(load64(text) ^ root2 ^ state, load64(text + 8) ^ root3);
    size_t rest = (size_t)(end - text);
    if (rest >= 8) {
        a = load64(text);
        b = load64(end - 8);
    } else if (rest >= 4) {
        a = load32(text);
        b = load32(end - 4);
    } else if (rest > 0) {
        a = (uint64_t)(unsigned char)text[0] << 16 | (uint64_t)(unsigned char)text[rest / 2] << 8 |
            (uint64_t)(unsigned char)end[-1];
    }
    return fold(fold(a ^ root2, b ^ root3 ^ state), root5);
}

struct sl_name_table *sl_name_table_create(void)
{
    struct sl_name_table *names = sl_alloc(1, sizeof *names);
    names->index = sl_alloc(1, sizeof *names->index);
    names->capacity = LEAST_NAMES;
    names->offsets = sl_alloc(names->capacity + 1, sizeof *names->offsets);
    names->text_capacity = LEAST_POOL;
    names->text = sl_alloc(names->text_capacity, 1);
    update_pool(names, 0);
    return names;
}

/* The bytes of the names "0" to count - 1, each with its NUL. */
static uint64_t bytes_of_numbers(uint64_t count)
{
    uint64_t bytes = 0, width = 1;
    for (uint64_t begin = 0, end = 10; begin < count; begin = end, end *= 10, width++)
        bytes += ((count < end ? count : end) - begin) * (width + 1);
    return bytes;
}

/* Count in decimal, so that the next name is the last one with a digit or two changed. */
static void write_numbers(struct sl_name_table *names, size_t count)
{
    char digits[] = "00000000000";
    const size_t end = sizeof digits - 1;
    size_t first = end - 1, used = 0;
    names->offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t size = end - first + 1;
        memcpy(names->text + used, digits + first, size);
        used += size;
        names->offsets[i + 1] = (uint32_t)used;
        size_t at = end - 1;
        for (; digits[at] == '9'; at--)
            digits[at] = '0';
        digits[at]++;
        if (at < first) first = at;
    }
}

enum sl_status sl_name_table_numbers(size_t count, struct sl_name_table **out, struct sl_error *err)
{
    const uint64_t bytes = count < SL_NO_NAME ? bytes_of_numbers(count) : UINT64_MAX;
    if (bytes > UINT32_MAX)
        return sl_fail(err, SL_ERR_INPUT, "too many names: %zu, or more than 4 GiB of text", count);
    char *text = sl_data_resize(NULL, (size_t)bytes + 1, 1, err);
    uint32_t *offsets = sl_data_resize(NULL, count + 1, sizeof *offsets, err);
    if (!text || !offsets) {
        free(text);
        free(offsets);
        return SL_ERR_NOMEM;
    }
    struct sl_name_table *names = sl_alloc(1, sizeof *names);
    names->index = sl_alloc(1, sizeof *names->index);
    names->text = text;
    names->offsets = offsets;
    names->text_capacity = (size_t)bytes + 1;
    names->capacity = count;
    write_numbers(names, count);
    update_pool(names, count);
    *out = names;
    return SL_OK;
}

void sl_name_table_destroy(struct sl_name_table *names)
{
    if (!names) return;
    free(names->index->slots);
    free(names->index);
    free(names->offsets);
    free(names->text);
    free(names);
}

struct sl_name_pool sl_name_table_pool(const struct sl_name_table *names)
{
    return names->pool;
}

enum sl_status sl_name_pool_check(const struct sl_name_pool *pool, size_t first, size_t last,
                                  const char *what, struct sl_error *err)
{
    if (pool->count >= SL_NO_NAME || pool->length > UINT32_MAX)
        return sl_fail(err, SL_ERR_INPUT, "%s: %zu names of %zu bytes are too many", what,
                       pool->count, pool->length);
    if (pool->offsets[0] != 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: the first name begins at byte %u, expected 0", what,
                       (unsigned)pool->offsets[0]);
    for (size_t i = first; i < last; i++) {
        uint32_t begin = pool->offsets[i], end = pool->offsets[i + 1];
        if (end <= begin || end > pool->length)
            return sl_fail(err, SL_ERR_INPUT, "%s: name %zu ends at byte %u, expected %u to %zu",
                           what, i, (unsigned)end, (unsigned)begin + 1, pool->length);
        if (memchr(pool->text + begin, '\0', end - begin) != pool->text + end - 1)
            return sl_fail(err, SL_ERR_INPUT, "%s: name %zu must have one NUL byte, at its end",
                           what, i);
    }
    if (last == pool->count && pool->offsets[last] != pool->length)
        return sl_fail(err, SL_ERR_INPUT, "%s: the names end at byte %u, expected %zu", what,
                       (unsigned)pool->offsets[last], pool->length);
    return SL_OK;
}

struct sl_name_table *sl_name_table_borrow_checked(const struct sl_name_pool *pool)
{
    struct sl_name_table *names = sl_alloc(1, sizeof *names);
    names->index = sl_alloc(1, sizeof *names->index);
    names->pool = *pool;
    return names;
}

enum sl_status sl_name_table_borrow(const struct sl_name_pool *pool, const char *what,
                                    struct sl_name_table **out, struct sl_error *err)
{
    SL_TRY(sl_name_pool_check(pool, 0, pool->count, what, err));
    *out = sl_name_table_borrow_checked(pool);
    return SL_OK;
}

size_t sl_name_table_count(const struct sl_name_table *names)
{
    return names->pool.count;
}

const char *sl_name_table_get(const struct sl_name_table *names, uint32_t index, size_t *length)
{
    const uint32_t *offsets = names->pool.offsets;
    if (length) *length = offsets[index + 1] - offsets[index] - 1;
    return names->pool.text + offsets[index];
}

void sl_name_table_clear(struct sl_name_table *names)
{
    const struct index *index = names->index;
    if (index->slots) memset(index->slots, 0, sizeof *index->slots << index->bits);
    update_pool(names, 0);
}

void sl_name_table_compact(struct sl_name_table *names)
{
    free(names->index->slots);
    names->index->slots = NULL;
    if (!names->text) return;
    const size_t count = names->pool.count;
    const size_t length = names->offsets[count];
    uint32_t *offsets = sl_data_resize(names->offsets, count + 1, sizeof *offsets, NULL);
    char *text = sl_data_resize(names->text, length, 1, NULL);
    if (offsets) { /* if shrinking fails, the block stays as it is */
        names->offsets = offsets;
        names->capacity = count;
    }
    if (text) {
        names->text = text;
        names->text_capacity = length;
    }
    update_pool(names, count);
}

/* The tag of a name in a slot, with its low bits 0. */
static uint32_t tag_of(uint64_t hash, unsigned bits)
{
    return bits < 32 ? (uint32_t)(hash >> 32) & ~(((uint32_t)1 << bits) - 1) : 0;
}

static size_t slot_mask(const struct index *index)
{
    return ((size_t)1 << index->bits) - 1;
}

static bool is_name(const struct sl_name_pool *pool, size_t name, const char *text, size_t length)
{
    uint32_t begin = pool->offsets[name];
    return pool->offsets[name + 1] - begin - 1 == length &&
           memcmp(pool->text + begin, text, length) == 0;
}

/* The slot of the name, or the empty one where it would go. */
static uint32_t *find_slot(const struct sl_name_pool *pool, const struct index *index,
                           uint64_t hash, const char *text, size_t length)
{
    const size_t mask = slot_mask(index);
    const uint32_t tag = tag_of(hash, index->bits), number_mask = (uint32_t)mask;
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        uint32_t slot = index->slots[at];
        if (slot == 0) return &index->slots[at];
        if ((slot & ~number_mask) != tag) continue;
        if (is_name(pool, (slot & number_mask) - 1, text, length)) return &index->slots[at];
    }
}

/* An index of all names in 1 << bits slots; false without memory. */
static bool build_index(const struct sl_name_pool *pool, unsigned bits, struct index *out)
{
    uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);
    if (!slots) return false;
    struct index index = {.slots = slots, .bits = bits};
    const size_t mask = slot_mask(&index);
    for (size_t i = 0; i < pool->count; i++) {
        uint32_t begin = pool->offsets[i];
        uint64_t hash = hash_text(pool->text + begin, pool->offsets[i + 1] - begin - 1);
        size_t at = (size_t)hash & mask;
        while (slots[at] != 0)
            at = (at + 1) & mask;
        slots[at] = tag_of(hash, bits) | (uint32_t)(i + 1);
    }
    free(out->slots);
    *out = index;
    return true;
}

/* The least number of slots that leaves room for one more than `count` names. */
static unsigned bits_for(size_t count)
{
    unsigned bits = LEAST_SLOTS_BITS;
    while (bits < MOST_SLOTS_BITS && ((size_t)3 << bits) / 4 <= count)
        bits++;
    return bits;
}

static enum sl_status prepare_index(struct sl_name_table *names, struct sl_error *err)
{
    const size_t count = names->pool.count;
    const struct index *index = names->index;
    if (index->slots && ((size_t)3 << index->bits) / 4 > count) return SL_OK;
    if (build_index(&names->pool, bits_for(count), names->index)) return SL_OK;
    return sl_fail(err, SL_ERR_NOMEM, "not enough memory to index %zu names", count);
}

uint32_t sl_name_table_find(const struct sl_name_table *names, const char *text, size_t length)
{
    const struct sl_name_pool *pool = &names->pool;
    if (names->index->slots ||
        (pool->count > 0 && build_index(pool, bits_for(pool->count), names->index))) {
        uint32_t slot = *find_slot(pool, names->index, hash_text(text, length), text, length);
        return slot == 0 ? SL_NO_NAME : (slot & (uint32_t)slot_mask(names->index)) - 1;
    }
    /* There is no memory for an index, so search linearly. */
    for (size_t i = 0; i < pool->count; i++)
        if (is_name(pool, i, text, length)) return (uint32_t)i;
    return SL_NO_NAME;
}

/* Room for one more name of `length` bytes. */
static enum sl_status make_room(struct sl_name_table *names, size_t length, struct sl_error *err)
{
    const size_t used = names->pool.length, count = names->pool.count;
    if (length > UINT32_MAX - 1 - used || count + 1 >= SL_NO_NAME)
        return sl_fail(err, SL_ERR_INPUT,
                       "too many names: more than %zu, or more than 4 GiB of text", count);
    if (used + length + 1 > names->text_capacity) {
        size_t capacity = names->text_capacity + names->text_capacity / 2 + length + 1;
        char *text = realloc(names->text, capacity);
        if (!text)
            return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu bytes of names", capacity);
        names->text = text;
        names->text_capacity = capacity;
    }
    if (count == names->capacity) {
        size_t capacity = names->capacity + names->capacity / 2 + 1;
        uint32_t *offsets = realloc(names->offsets, (capacity + 1) * sizeof *offsets);
        if (!offsets)
            return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu names", capacity);
        names->offsets = offsets;
        names->capacity = capacity;
    }
    update_pool(names, count);
    return SL_OK;
}

static enum sl_status add_hashed(struct sl_name_table *names, struct sl_field name, uint64_t hash,
                                 uint32_t *out, struct sl_error *err)
{
    SL_TRY(prepare_index(names, err));
    uint32_t *slot = find_slot(&names->pool, names->index, hash, name.text, name.length);
    if (*slot != 0) {
        *out = (*slot & (uint32_t)slot_mask(names->index)) - 1;
        return SL_OK;
    }
    SL_TRY(make_room(names, name.length, err));
    const size_t begin = names->pool.length, count = names->pool.count;
    if (name.length > 0) memcpy(names->text + begin, name.text, name.length);
    names->text[begin + name.length] = '\0';
    names->offsets[count + 1] = (uint32_t)(begin + name.length + 1);
    update_pool(names, count + 1);
    *slot = tag_of(hash, names->index->bits) | (uint32_t)(count + 1);
    *out = (uint32_t)count;
    return SL_OK;
}

static enum sl_status check_own(const struct sl_name_table *names, struct sl_error *err)
{
    if (names->text) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "names cannot be added to a table of borrowed memory");
}

enum sl_status sl_name_table_add(struct sl_name_table *names, const char *text, size_t length,
                                 uint32_t *out, struct sl_error *err)
{
    SL_TRY(check_own(names, err));
    return add_hashed(names, (struct sl_field){text, length}, hash_text(text, length), out, err);
}

/* Prefetch what looking up the names will touch: all slots, then all offsets, then all texts, so
 * that each round waits for memory about once and not once per name. */
static void fetch_ahead(const struct sl_name_table *names, const uint64_t *hashes, size_t count)
{
    const struct index *index = names->index;
    if (!index->slots) return;
    const size_t mask = slot_mask(index);
    uint32_t found[BATCH];
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(&index->slots[(size_t)hashes[i] & mask]);
    for (size_t i = 0; i < count; i++) {
        found[i] = index->slots[(size_t)hashes[i] & mask] & (uint32_t)mask;
        if (found[i] > 0) __builtin_prefetch(&names->pool.offsets[found[i] - 1]);
    }
    for (size_t i = 0; i < count; i++)
        if (found[i] > 0) __builtin_prefetch(names->pool.text + names->pool.offsets[found[i] - 1]);
}

enum sl_status sl_name_table_add_many(struct sl_name_table *names, const struct sl_field *texts,
                                      size_t count, uint32_t *out, struct sl_error *err)
{
    SL_TRY(check_own(names, err));
    uint64_t hashes[BATCH];
    for (size_t begin = 0; begin < count; begin += BATCH) {
        size_t n = count - begin < BATCH ? count - begin : BATCH;
        for (size_t i = 0; i < n; i++)
            hashes[i] = hash_text(texts[begin + i].text, texts[begin + i].length);
        fetch_ahead(names, hashes, n);
        for (size_t i = 0; i < n; i++)
            SL_TRY(add_hashed(names, texts[begin + i], hashes[i], &out[begin + i], err));
    }
    return SL_OK;
}

/* The number that a name is, as "%zu" writes it; SIZE_MAX if it is not a number. */
static size_t row_number(const char *name, size_t length)
{
    int64_t number;
    const bool written = sl_text_to_integer(name, length, &number) && number >= 0 &&
                         name[0] >= '0' && name[0] <= '9' && (name[0] != '0' || length == 1);
    return written ? (size_t)number : SIZE_MAX;
}

enum sl_row_matching sl_name_table_match_rows(const struct sl_name_table *names, size_t n_rows)
{
    const size_t count = sl_name_table_count(names);
    const size_t limit = n_rows > count ? n_rows : count;
    size_t least = SIZE_MAX, largest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const char *name = sl_name_table_get(names, (uint32_t)i, &length);
        const size_t number = row_number(name, length);
        if (number < least) least = number;
        if (number > largest) largest = number;
    }
    const bool from_one = least == 1 && largest == count;
    if (largest < limit && !from_one) return SL_ROWS_BY_NUMBER;
    return count == n_rows ? SL_ROWS_BY_ORDER : SL_ROWS_UNCLEAR;
}
