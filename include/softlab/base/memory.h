/* Memory, and what happens when it runs out (docs/decisions/0014).
 *
 * Where a file or a user decides the size, sl_data_alloc and its relatives report SL_ERR_NOMEM.
 * Where our own code decides it (structs, names, tables), sl_alloc and its relatives never return
 * NULL: on a thread inside sl_guard the guarded work ends with SL_ERR_NOMEM; elsewhere the handler
 * of sl_memory_on_exhausted is called, and without a handler the process aborts. Free all blocks
 * with free(). */
#ifndef SOFTLAB_BASE_MEMORY_H
#define SOFTLAB_BASE_MEMORY_H

#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* ---- Where our own code decides the size ---- */

/* `count` zeroed elements of `size` bytes. */
void *sl_alloc(size_t count, size_t size) SL_MUST_USE SL_RETURNS_NONNULL;

/* Resize a block from sl_alloc; new bytes are not zeroed. */
void *sl_resize(void *block, size_t count, size_t size) SL_MUST_USE SL_RETURNS_NONNULL;

/* A heap copy of a string, or of its first `length` bytes, NUL-terminated. */
char *sl_string_copy(const char *text) SL_MUST_USE SL_RETURNS_NONNULL;
char *sl_string_copy_n(const char *text, size_t length) SL_MUST_USE SL_RETURNS_NONNULL;

/* A heap string made by printf. */
char *sl_string_printf(const char *format, ...) SL_PRINTF(1, 2) SL_MUST_USE SL_RETURNS_NONNULL;

/* Free `count` strings of the caller's array, or an array on the heap with them; strings and the
 * array may be NULL. */
void sl_strings_release(char **strings, size_t count);
void sl_strings_destroy(char **strings, size_t count);

/* ---- Where a file or a user decides the size ---- */

/* `count` elements of `size` bytes, not zeroed, 64-byte aligned; NULL with SL_ERR_NOMEM and the
 * size in *err if memory runs out. A count of 0 gives a block that may be freed but not read. */
void *sl_data_alloc(size_t count, size_t size, struct sl_error *err) SL_MUST_USE;

/* The same, zeroed, aligned for any type. */
void *sl_data_zeroed(size_t count, size_t size, struct sl_error *err) SL_MUST_USE;

/* Resize a block from sl_data_zeroed, sl_data_resize or sl_alloc, or NULL; new bytes are not
 * zeroed. On failure NULL, and the block is as it was. */
void *sl_data_resize(void *block, size_t count, size_t size, struct sl_error *err) SL_MUST_USE;
/* Room for `count` elements in a block for sl_data_resize, which grows by half at least. `array` is
 * the address of the pointer to it. On failure nothing changes. */
enum sl_status sl_data_reserve(void *array, size_t count, size_t *capacity, size_t size,
                               struct sl_error *err) SL_MUST_USE;

/* As sl_string_copy_n, but reports SL_ERR_NOMEM: for strings whose number the data decide. */
char *sl_data_string(const char *text, size_t length, struct sl_error *err) SL_MUST_USE;

/* ---- When memory runs out ---- */

/* Run `work`. If sl_alloc or a relative runs out of memory on this thread, the work is abandoned at
 * once and this returns SL_ERR_NOMEM. The memory, open files and locks of the work are then lost,
 * and objects that it was changing must not be used again, not even to destroy them. Temporary
 * files of sl_writer are removed. For a process that must survive, such as a notebook. Guards may
 * be nested. Threads that the work starts are not guarded. */
enum sl_status sl_guard(enum sl_status (*work)(void *context, struct sl_error *err), void *context,
                        struct sl_error *err) SL_MUST_USE;

/* For programs: the handler is called on the thread that ran out of memory for `bytes` bytes
 * outside a guard. It must end the process and may not allocate. NULL removes it. One handler per
 * process. */
void sl_memory_on_exhausted(void (*handler)(size_t bytes));

/* For allocators of other libraries that cannot report failure: behave as if sl_alloc had run out
 * of memory. */
void sl_memory_exhausted(size_t bytes) SL_NORETURN;

/* ---- Arena ---- */

/* Many small blocks that are freed together. Every arena has a maximum, so that no input can make
 * it grow without limit. */
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
