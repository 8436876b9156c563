#include "softlab/pool.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "softlab/base/system.h"
#include "support.h"

static struct sl_pool *pool_of(size_t threads)
{
    struct sl_pool *pool = NULL;
    struct sl_error err;
    assert_int_equal(sl_pool_create(threads, &pool, &err), SL_OK);
    return pool;
}

enum { PARTS = 1000, WORKERS = 7 };
struct tally {
    _Atomic unsigned char calls[PARTS];
    _Atomic bool busy[WORKERS];
    _Atomic unsigned mistakes;
    size_t threads;
    int rounding;
};

static void count_call(void *context, size_t part, size_t worker)
{
    struct tally *tally = context;
    if (part >= PARTS || worker >= tally->threads || fegetround() != tally->rounding) {
        atomic_fetch_add(&tally->mistakes, 1);
        return;
    }
    if (atomic_exchange(&tally->busy[worker], true)) atomic_fetch_add(&tally->mistakes, 1);
    atomic_fetch_add(&tally->calls[part], 1);
    atomic_store(&tally->busy[worker], false);
}

static void check_tally(struct tally *tally, size_t count)
{
    assert_int_equal(tally->mistakes, 0);
    for (size_t i = 0; i < PARTS; i++) {
        assert_int_equal(tally->calls[i], i < count);
        tally->calls[i] = 0;
    }
}

static const size_t thread_counts[] = {1, 2, 3, WORKERS};
#define N_COUNTS (sizeof thread_counts / sizeof *thread_counts)

static void test_each_part_runs_once(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 5, 7, 64, PARTS};
    for (size_t i = 0; i < N_COUNTS; i++) {
        struct sl_pool *pool = pool_of(thread_counts[i]);
        assert_int_equal(sl_pool_threads(pool), thread_counts[i]);
        struct tally tally = {.threads = thread_counts[i], .rounding = FE_TONEAREST};
        for (size_t round = 0; round < 200; round++) {
            const size_t count = counts[round % (sizeof counts / sizeof *counts)];
            sl_pool_run(pool, count, count_call, &tally);
            check_tally(&tally, count);
        }
        sl_pool_destroy(pool);
    }
}

static void test_work_meanwhile_runs_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_COUNTS; i++) {
        struct sl_pool *pool = pool_of(thread_counts[i]);
        struct tally now = {.threads = thread_counts[i], .rounding = FE_TONEAREST};
        struct tally meanwhile = now;
        for (size_t round = 0; round < 100; round++) {
            sl_pool_begin(pool, round * 3, count_call, &meanwhile);
            for (size_t run = 0; run < round % 4; run++) {
                sl_pool_run(pool, 40, count_call, &now);
                check_tally(&now, 40);
            }
            sl_pool_finish(pool);
            check_tally(&meanwhile, round * 3);
        }
        sl_pool_destroy(pool);
    }
}

static void test_parts_have_the_settings_of_the_caller(void **state)
{
    (void)state;
    struct sl_pool *pool = pool_of(3);
    fesetround(FE_UPWARD);
    struct tally tally = {.threads = 3, .rounding = FE_UPWARD};
    for (size_t round = 0; round < 50; round++) {
        sl_pool_run(pool, PARTS, count_call, &tally);
        check_tally(&tally, PARTS);
    }
    fesetround(FE_TONEAREST);
    tally.rounding = FE_TONEAREST;
    sl_pool_run(pool, PARTS, count_call, &tally);
    check_tally(&tally, PARTS);
    sl_pool_destroy(pool);
}

static void test_no_pool_is_the_calling_thread(void **state)
{
    (void)state;
    struct tally tally = {.threads = 1, .rounding = FE_TONEAREST};
    assert_int_equal(sl_pool_threads(NULL), 1);
    sl_pool_run(NULL, 9, count_call, &tally);
    check_tally(&tally, 9);
    sl_pool_destroy(NULL);
}

static void test_a_pool_of_no_size_has_all_cores(void **state)
{
    (void)state;
    struct sl_pool *pool = pool_of(0);
    assert_true(sl_cpu_count() >= 1);
    assert_int_equal(sl_pool_threads(pool), sl_cpu_count());
    sl_pool_destroy(pool);
}

static void test_too_many_threads_are_refused(void **state)
{
    (void)state;
    struct sl_pool *pool = NULL;
    struct sl_error err;
    assert_int_equal(sl_pool_create(5000, &pool, &err), SL_ERR_USAGE);
    assert_string_equal(err.message, "5000 threads are too many; the most is 1024");
}

static void test_ranges_cover_all_items_in_order(void **state)
{
    (void)state;
    for (size_t count = 0; count < 40; count++)
        for (size_t parts = 1; parts < 12; parts++) {
            size_t next = 0;
            for (size_t part = 0; part < parts; part++) {
                const struct sl_pool_range range = sl_pool_range_of(count, parts, part);
                assert_int_equal(range.begin, next);
                assert_true(range.end - range.begin - count / parts <= 1);
                next = range.end;
            }
            assert_int_equal(next, count);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_part_runs_once),
        cmocka_unit_test(test_work_meanwhile_runs_once),
        cmocka_unit_test(test_parts_have_the_settings_of_the_caller),
        cmocka_unit_test(test_no_pool_is_the_calling_thread),
        cmocka_unit_test(test_a_pool_of_no_size_has_all_cores),
        cmocka_unit_test(test_too_many_threads_are_refused),
        cmocka_unit_test(test_ranges_cover_all_items_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
