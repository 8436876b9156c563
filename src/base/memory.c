#include "softlab/base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/temporaries.h"
#include "softlab/base/file.h"

enum { DATA_ALIGNMENT = 64, ARENA_BLOCK = 16 * 1024, LEAST_CAPACITY = 256 };

/* ---- When memory runs out ---- */

struct guard {
    struct guard *outer;
    jmp_buf back;
};

static _Thread_local struct guard *innermost;
static _Thread_local size_t missing; /* bytes; for the error of the guard */
static _Atomic(void (*)(size_t)) on_exhausted;

unsigned sl_guard_depth(void)
{
    unsigned depth = 0;
    for (const struct guard *guard = innermost; guard; guard = guard->outer)
        depth++;
    return depth;
}

enum sl_status sl_guard(enum sl_status (*work)(void *context, struct sl_error *err), void *context,
                        struct sl_error *err)
{
    struct guard guard = {.outer = innermost};
    if (setjmp(guard.back) != 0) {
        innermost = innermost->outer;
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu more bytes", missing);
    }
    innermost = &guard;
    const enum sl_status status = work(context, err);
    innermost = guard.outer;
    return status;
}

void sl_memory_on_exhausted(void (*handler)(size_t bytes))
{
    atomic_store(&on_exhausted, handler);
}

void sl_memory_exhausted(size_t bytes)
{
    if (innermost)
        sl_temporaries_remove_own();
    else
        sl_temporaries_remove_all();
    missing = bytes;
    if (innermost) longjmp(innermost->back, 1);
    void (*handler)(size_t) = atomic_load(&on_exhausted);
    if (handler) handler(bytes);
    abort(); /* no handler was set */
}

/* count x size, or SIZE_MAX where that is more. */
static size_t product(size_t count, size_t size)
{
    return size && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

/* ---- Where our own code decides the size ---- */

void *sl_alloc(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (!block) sl_memory_exhausted(product(count, size));
    return block;
}

void *sl_resize(void *block, size_t count, size_t size)
{
    const size_t bytes = product(count, size);
    void *resized = bytes < SIZE_MAX ? realloc(block, bytes ? bytes : 1) : NULL;
    if (!resized) sl_memory_exhausted(bytes);
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

void sl_strings_release(char **strings, size_t count)
{
    for (size_t i = 0; strings && i < count; i++)
        free(strings[i]);
}

void sl_strings_destroy(char **strings, size_t count)
{
    sl_strings_release(strings, count);
    free(strings);
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

/* ---- Where a file or a user decides the size ---- */

static void *fail_data(size_t count, size_t size, struct sl_error *err)
{
    if (product(count, size) > SIZE_MAX - DATA_ALIGNMENT)
        sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu x %zu bytes", count, size);
    else
        sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu bytes", count * size);
    return NULL;
}

void *sl_data_alloc(size_t count, size_t size, struct sl_error *err)
{
    const size_t bytes = product(count, size);
    if (bytes > SIZE_MAX - DATA_ALIGNMENT) return fail_data(count, size, err);
    size_t rounded = (bytes + DATA_ALIGNMENT - 1) / DATA_ALIGNMENT * DATA_ALIGNMENT;
    void *block = aligned_alloc(DATA_ALIGNMENT, rounded ? rounded : DATA_ALIGNMENT);
    if (!block) return fail_data(count, size, err);
    return block;
}

void *sl_data_zeroed(size_t count, size_t size, struct sl_error *err)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (!block) return fail_data(count, size, err);
    return block;
}

void *sl_data_resize(void *block, size_t count, size_t size, struct sl_error *err)
{
    const size_t bytes = product(count, size);
    void *resized = bytes < SIZE_MAX ? realloc(block, bytes ? bytes : 1) : NULL;
    if (!resized) return fail_data(count, size, err);
    return resized;
}

enum sl_status sl_data_reserve(void *array, size_t count, size_t *capacity, size_t size,
                               struct sl_error *err)
{
    if (count <= *capacity) return SL_OK;
    const size_t more = count + *capacity / 2 + LEAST_CAPACITY;
    void *block = NULL;
    memcpy(&block, array, sizeof block);
    block = sl_data_resize(block, more, size, err);
    if (!block) return SL_ERR_NOMEM;
    memcpy(array, &block, sizeof block);
    *capacity = more;
    return SL_OK;
}

char *sl_data_string(const char *text, size_t length, struct sl_error *err)
{
    char *copy = length < SIZE_MAX ? malloc(length + 1) : NULL;
    if (!copy) return fail_data(length, 1, err);
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* ---- Arena ---- */

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
