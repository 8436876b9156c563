/* Counts what the library allocates, and makes it run out: for programs that are linked with --wrap
 * of sl_alloc, sl_resize and sl_data_*. */
#ifndef SOFTLAB_TESTS_ALLOCATIONS_H
#define SOFTLAB_TESTS_ALLOCATIONS_H

#include "support.h"

/* The names are the linker's. NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
 */
static size_t n_allocations;
static size_t n_data_allocations;          /* of these, those that can report */
static size_t allocations_left = SIZE_MAX; /* data-sized ones that will succeed before one fails */
static size_t n_refused;
void *__real_sl_alloc(size_t count, size_t size);
void *__real_sl_resize(void *block, size_t count, size_t size);
void *__real_sl_data_alloc(size_t count, size_t size, struct sl_error *err);
void *__real_sl_data_zeroed(size_t count, size_t size, struct sl_error *err);
void *__real_sl_data_resize(void *block, size_t count, size_t size, struct sl_error *err);
char *__real_sl_data_string(const char *text, size_t length, struct sl_error *err);
void *__wrap_sl_alloc(size_t count, size_t size);
void *__wrap_sl_resize(void *block, size_t count, size_t size);
void *__wrap_sl_data_alloc(size_t count, size_t size, struct sl_error *err);
void *__wrap_sl_data_zeroed(size_t count, size_t size, struct sl_error *err);
void *__wrap_sl_data_resize(void *block, size_t count, size_t size, struct sl_error *err);
char *__wrap_sl_data_string(const char *text, size_t length, struct sl_error *err);

void *__wrap_sl_alloc(size_t count, size_t size)
{
    n_allocations++;
    return __real_sl_alloc(count, size);
}

void *__wrap_sl_resize(void *block, size_t count, size_t size)
{
    n_allocations++;
    return __real_sl_resize(block, count, size);
}

/* A caller without an error struct has another way to handle the failure. */
static bool is_refused(struct sl_error *err)
{
    n_allocations++;
    n_data_allocations += err != NULL;
    if (!err || allocations_left-- > 0) return false;
    n_refused++;
    sl_fail(err, SL_ERR_NOMEM, "no memory left");
    return true;
}

void *__wrap_sl_data_alloc(size_t count, size_t size, struct sl_error *err)
{
    return is_refused(err) ? NULL : __real_sl_data_alloc(count, size, err);
}

void *__wrap_sl_data_zeroed(size_t count, size_t size, struct sl_error *err)
{
    return is_refused(err) ? NULL : __real_sl_data_zeroed(count, size, err);
}

void *__wrap_sl_data_resize(void *block, size_t count, size_t size, struct sl_error *err)
{
    return is_refused(err) ? NULL : __real_sl_data_resize(block, count, size, err);
}

char *__wrap_sl_data_string(const char *text, size_t length, struct sl_error *err)
{
    return is_refused(err) ? NULL : __real_sl_data_string(text, length, err);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#endif
