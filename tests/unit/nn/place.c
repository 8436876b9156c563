#include "nn/plan/buffer_layout.h"

#include "softlab/base/random.h"
#include "support.h"

static size_t most_in_use(const struct sl_nn_buffer *buffers, size_t count, size_t moments)
{
    size_t most = 0;
    for (size_t t = 0; t < moments; t++) {
        size_t sum = 0;
        for (size_t i = 0; i < count; i++)
            if (buffers[i].first <= t && t <= buffers[i].last) sum += buffers[i].bytes;
        if (sum > most) most = sum;
    }
    return most;
}

static void assert_no_two_collide(const struct sl_nn_buffer *buffers, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(buffers[i].offset % SL_NN_ALIGNMENT, 0);
        assert_true(buffers[i].offset + buffers[i].bytes <= size);
        for (size_t j = 0; j < i; j++) {
            const struct sl_nn_buffer *a = &buffers[i], *b = &buffers[j];
            const bool together = a->first <= b->last && b->first <= a->last;
            const bool apart =
                a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
            assert_true(!together || apart || !a->bytes || !b->bytes);
        }
    }
}

static void test_buffers_in_use_together_never_share_bytes(void **unused)
{
    (void)unused;
    enum { COUNT = 200, MOMENTS = 100 };
    struct sl_nn_buffer buffers[COUNT];
    for (size_t trial = 0; trial < 20; trial++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 7, "place", 0, trial);
        for (size_t i = 0; i < COUNT; i++) {
            const size_t first = sl_rng_below(&rng, MOMENTS);
            buffers[i] = (struct sl_nn_buffer){
                .bytes = sl_rng_below(&rng, 5000),
                .first = first,
                .last = first + sl_rng_below(&rng, MOMENTS - first),
            };
        }
        const size_t size = sl_nn_place(buffers, COUNT);
        assert_no_two_collide(buffers, COUNT, size);
        /* Alignment and fragmentation may waste at most half. */
        assert_true(size < most_in_use(buffers, COUNT, MOMENTS) * 3 / 2);
    }
}

/* In training, activations are released in the reverse order of their creation. Then no memory is
 * wasted. */
static void test_nested_lifetimes_take_no_more_than_their_sum(void **unused)
{
    (void)unused;
    struct sl_nn_buffer buffers[10];
    for (size_t i = 0; i < 10; i++)
        buffers[i] = (struct sl_nn_buffer){.bytes = 640, .first = i, .last = 20 - i};
    assert_int_equal(sl_nn_place(buffers, 10), 6400);
}

static void test_lifetimes_that_follow_each_other_share(void **unused)
{
    (void)unused;
    struct sl_nn_buffer buffers[6];
    for (size_t i = 0; i < 6; i++)
        buffers[i] = (struct sl_nn_buffer){.bytes = 100, .first = 2 * i, .last = 2 * i + 1};
    assert_int_equal(sl_nn_place(buffers, 6), 128);
    assert_int_equal(sl_nn_place(buffers, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffers_in_use_together_never_share_bytes),
        cmocka_unit_test(test_nested_lifetimes_take_no_more_than_their_sum),
        cmocka_unit_test(test_lifetimes_that_follow_each_other_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
