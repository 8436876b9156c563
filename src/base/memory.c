#include "softlab/base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_ALIGNMENT = 64, ARENA_BLOCK = 16 * 1024 };

/* The one place in the library that ends the process: there is nothing sensible
 * left to do without memory for a name or a table. */
static void die_without_memory(size_t count, size_t size)
{
    fprintf(stderr, "softlab: out of memory (%zu x %zu bytes)\n", count, size);
    abort();
}

void *sl_alloc(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (!block) die_without_memory(count, size);
    return block;
}

void *sl_resize(void *block, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) die_without_memory(count, size);
    size_t bytes = count * size;
    void *resized = realloc(block, bytes ? bytes : 1);
    if (!resized) die_without_memory(count, size);
    return resized;
}

char *sl_string_copy(const char *text)
{
    return sl_string_copy_n(text, strlen(text));
}

char *sl_string_copy_n(const char *text, size_t length)
{
    char *copy = sl_alloc(length + 1, 1);
    if (length) memcpy(copy, text, length);
    return copy;
}

char *sl_string_printf(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = sl_alloc(length < 0 ? 1 : (size_t)length + 1, 1);
    if (length > 0) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void *sl_data_alloc(size_t count, size_t size, struct sl_error *err)
{
    if (size && count > (SIZE_MAX - DATA_ALIGNMENT) / size) {
        sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu x %zu bytes", count, size);
        return NULL;
    }
    size_t bytes = count * size;
    size_t rounded = (bytes + DATA_ALIGNMENT - 1) / DATA_ALIGNMENT * DATA_ALIGNMENT;
    void *block = aligned_alloc(DATA_ALIGNMENT, rounded ? rounded : DATA_ALIGNMENT);
    if (!block) sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu bytes", bytes);
    return block;
}

struct sl_arena_block {
    struct sl_arena_block *older;
    size_t size, used;
    _Alignas(max_align_t) char bytes[];
};

void sl_arena_init(struct sl_arena *arena, size_t maximum)
{
    *arena = (struct sl_arena){.maximum = maximum};
}

void sl_arena_release(struct sl_arena *arena)
{
    while (arena->newest) {
        struct sl_arena_block *block = arena->newest;
        arena->newest = block->older;
        free(block);
    }
    arena->used = 0;
}

void *sl_arena_alloc(struct sl_arena *arena, size_t size)
{
    const size_t alignment = _Alignof(max_align_t);
    if (size > arena->maximum - arena->used || size > SIZE_MAX / 2) return NULL;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    struct sl_arena_block *block = arena->newest;
    if (!block || rounded > block->size - block->used) {
        size_t capacity = rounded > ARENA_BLOCK ? rounded : ARENA_BLOCK;
        block = sl_alloc(1, sizeof *block + capacity);
        block->size = capacity;
        block->older = arena->newest;
        arena->newest = block;
    }
    void *result = block->bytes + block->used;
    block->used += rounded;
    arena->used += size;
    return result;
}

char *sl_arena_copy(struct sl_arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? sl_arena_alloc(arena, length + 1) : NULL;
    if (copy && length) memcpy(copy, text, length);
    return copy;
}
