/* Memory: small allocations die loudly, data-sized ones report.
 *
 * Use sl_alloc for structs, names and tables whose size our own code decides;
 * running out there means the machine is beyond help. Use sl_data_alloc for
 * anything whose size a file or a user decides. Free both with free(). */
#ifndef SOFTLAB_BASE_MEMORY_H
#define SOFTLAB_BASE_MEMORY_H

#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* `count` zeroed elements of `size` bytes; aborts with a message if there is no
 * memory or the product overflows. */
void *sl_alloc(size_t count, size_t size) SL_MUST_USE SL_RETURNS_NONNULL;

/* Resize a block from sl_alloc; new bytes are not zeroed. Aborts like sl_alloc. */
void *sl_resize(void *block, size_t count, size_t size) SL_MUST_USE SL_RETURNS_NONNULL;

/* A heap copy of a string, or of its first `length` bytes, NUL-terminated. */
char *sl_string_copy(const char *text) SL_MUST_USE SL_RETURNS_NONNULL;
char *sl_string_copy_n(const char *text, size_t length) SL_MUST_USE SL_RETURNS_NONNULL;

/* A heap string made by printf. */
char *sl_string_printf(const char *format, ...) SL_PRINTF(1, 2) SL_MUST_USE SL_RETURNS_NONNULL;

/* `count` elements of `size` bytes, not zeroed, 64-byte aligned; NULL with
 * SL_ERR_NOMEM and the size in *err if there is no memory. A count of 0 gives a
 * block that may be freed and not read. */
void *sl_data_alloc(size_t count, size_t size, struct sl_error *err) SL_MUST_USE;

/* Arena: many small things that die together. Every arena has a maximum, so
 * that no input can make it grow without end. */
struct sl_arena_block;
struct sl_arena {
    struct sl_arena_block *newest; /* owned chain */
    size_t used;                   /* bytes handed out */
    size_t maximum;                /* bytes that may be handed out */
};

void sl_arena_init(struct sl_arena *arena, size_t maximum);
void sl_arena_release(struct sl_arena *arena);

/* `size` zeroed bytes aligned for any type, or NULL when the maximum is reached. */
void *sl_arena_alloc(struct sl_arena *arena, size_t size) SL_MUST_USE;

/* A NUL-terminated copy of `length` bytes in the arena, or NULL. */
char *sl_arena_copy(struct sl_arena *arena, const char *text, size_t length) SL_MUST_USE;

SL_END_DECLS

#endif
