#include "study/serve/limits.h"

#include "support.h"

static const struct sl_limit slow = {"slow", 0.5, 3}, other = {"other", 0.5, 3};
static struct sl_limits limits;

static unsigned take(const struct sl_limit *limit, const char *who, int64_t now)
{
    return sl_limits_take(&limits, limit, who, strlen(who), now);
}

static void test_a_burst_passes_and_then_the_rate(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(&slow, "a", 1000), 0);
    assert_int_equal(take(&slow, "a", 1000), 2);
    assert_int_equal(take(&slow, "a", 2000), 1);
    assert_int_equal(take(&slow, "a", 3000), 0);
    assert_int_equal(take(&slow, "a", 3000), 2);
    /* A long pause fills the bucket and not more. */
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(&slow, "a", 9000000), 0);
    assert_true(take(&slow, "a", 9000000) > 0);
}

static void test_nobody_pays_for_others(void **state)
{
    (void)state;
    while (take(&slow, "b", 1000) == 0)
        continue;
    assert_int_equal(take(&slow, "c", 1000), 0);
    assert_int_equal(take(&other, "b", 1000), 0);
}

static void test_a_clock_set_back_fills_nothing_and_locks_nobody_out(void **state)
{
    (void)state;
    while (take(&slow, "d", 100000) == 0)
        continue;
    assert_int_equal(take(&slow, "d", 1000), 2);
    assert_int_equal(take(&slow, "d", 3000), 0);
}

/* More people than buckets: nothing grows, and everybody is let in. */
static void test_a_crowd_finds_room(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3 * SL_LIMIT_BUCKETS; i++)
        assert_int_equal(sl_limits_take(&limits, &slow, &i, sizeof i, 5000 + i), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_burst_passes_and_then_the_rate),
        cmocka_unit_test(test_nobody_pays_for_others),
        cmocka_unit_test(test_a_clock_set_back_fills_nothing_and_locks_nobody_out),
        cmocka_unit_test(test_a_crowd_finds_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
