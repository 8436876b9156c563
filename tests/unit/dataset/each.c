#include "dataset/each.h"

#include <sched.h>
#include <stdatomic.h>

#include "pools.h"

enum { ITEMS = 200, EARLY = 3, LATE = 150, PATIENCE = 1000000 };

struct visits {
    _Atomic unsigned char calls[ITEMS];
    _Atomic bool late_failed;
    bool fails, threaded;
};

/* Two items fail. The earlier one waits for the later one, so that it is the second to fail if
 * there is more than one thread. */
static enum sl_status visit(void *context, size_t item, struct sl_error *err)
{
    struct visits *visits = context;
    atomic_fetch_add(&visits->calls[item], 1);
    if (!visits->fails || (item != EARLY && item != LATE)) return SL_OK;
    for (size_t i = 0; visits->threaded && item == EARLY && i < PATIENCE; i++) {
        if (atomic_load(&visits->late_failed)) break;
        sched_yield();
    }
    sl_fail(err, SL_ERR_INPUT, "item %zu", item);
    if (item == LATE) atomic_store(&visits->late_failed, true);
    return SL_ERR_INPUT;
}

static void test_every_item_is_visited_once(void **state)
{
    (void)state;
    struct sl_error err;
    for (size_t i = 0; i <= N_POOLS; i++) {
        struct sl_pool *pool = i < N_POOLS ? test_pool(i) : NULL;
        struct visits visits = {.fails = false};
        struct sl_progress progress = {.stream = NULL};
        assert_ok(sl_each(pool, ITEMS, visit, &visits, &progress, &err), err);
        for (size_t item = 0; item < ITEMS; item++)
            assert_int_equal(visits.calls[item], 1);
        assert_ok(sl_each(pool, 0, visit, &visits, NULL, &err), err);
        sl_pool_destroy(pool);
    }
}

static void test_the_error_is_that_of_the_first_item(void **state)
{
    (void)state;
    for (size_t i = 0; i <= N_POOLS; i++) {
        struct sl_pool *pool = i < N_POOLS ? test_pool(i) : NULL;
        struct visits visits = {.fails = true, .threaded = sl_pool_threads(pool) > 1};
        struct sl_error err = {0};
        assert_int_equal(sl_each(pool, ITEMS, visit, &visits, NULL, &err), SL_ERR_INPUT);
        assert_int_equal(err.code, SL_ERR_INPUT);
        assert_string_equal(err.message, "item 3");
        for (size_t item = 0; item <= EARLY; item++)
            assert_int_equal(visits.calls[item], 1);
        assert_int_equal(sl_each(pool, ITEMS, visit, &visits, NULL, NULL), SL_ERR_INPUT);
        sl_pool_destroy(pool);
    }
}

/* With one thread, an error ends the work. */
static void test_nothing_is_done_after_an_error(void **state)
{
    (void)state;
    struct visits visits = {.fails = true};
    struct sl_error err;
    assert_fails(sl_each(NULL, ITEMS, visit, &visits, NULL, &err), SL_ERR_INPUT, err, "item 3");
    for (size_t item = EARLY + 1; item < ITEMS; item++)
        assert_int_equal(visits.calls[item], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item_is_visited_once),
        cmocka_unit_test(test_the_error_is_that_of_the_first_item),
        cmocka_unit_test(test_nothing_is_done_after_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
