#include "nn/layers/lstm_pack.h"
#include "support.h"

enum { ITEMS = 5, STEPS = 4 };

static const int32_t counts[ITEMS] = {2, 4, 0, 4, 1};
static const int32_t ids[ITEMS * STEPS] = {7, 8, 0, 0, 1, 2, 3, 4, 5, 5,
                                           5, 5, 1, 2, 3, 4, 7, 8, 9, 9};

static void assert_sizes(const size_t *found, const size_t *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(found[i], expected[i]);
}

static void test_longer_rows_come_first_and_equals_keep_their_order(void **state)
{
    (void)state;
    const struct sl_nn_lstm_request request = {.counts = counts, .everywhere = true};
    const size_t active[] = {4, 3, 2, 2, 0}, start[] = {0, 4, 7, 9, 11}, first[] = {1, 3, 0, 4};
    for (int reverse = 0; reverse < 2; reverse++) {
        struct sl_nn_lstm_pack pack;
        sl_nn_lstm_pack_init(&pack, ITEMS, STEPS, reverse);
        sl_nn_lstm_pack_fill(&pack, &request);
        assert_int_equal(pack.n_steps, 4);
        assert_int_equal(pack.total, 11);
        assert_sizes(pack.active, active, 5);
        assert_sizes(pack.start, start, 5);
        assert_sizes(pack.first, first, 4);
        for (size_t item = 0; item < ITEMS; item++)
            assert_int_equal(pack.next[item], SL_NN_CHAIN_END);
        assert_int_equal(sl_nn_lstm_place(&pack, 0, 0), reverse ? 1 : 0);
        assert_int_equal(sl_nn_lstm_place(&pack, 1, 3), reverse ? 0 : 3);
        sl_nn_lstm_pack_release(&pack);
    }
}

static void test_no_direction_runs_past_the_place_that_is_read(void **state)
{
    (void)state;
    const int32_t positions[ITEMS] = {1, 0, 0, 2, 0};
    const struct sl_nn_lstm_request request = {.counts = counts, .positions = positions};
    const size_t forward[] = {2, 1, 0, 3, 1}, backward[] = {1, 4, 0, 2, 1};
    for (int reverse = 0; reverse < 2; reverse++) {
        struct sl_nn_lstm_pack pack;
        sl_nn_lstm_pack_init(&pack, ITEMS, STEPS, reverse);
        sl_nn_lstm_pack_fill(&pack, &request);
        assert_sizes(pack.run, reverse ? backward : forward, ITEMS);
        assert_int_equal(pack.total, reverse ? 8 : 7);
        assert_int_equal(pack.n_steps, reverse ? 4 : 3);
        sl_nn_lstm_pack_release(&pack);
    }
}

static void test_a_step_beyond_the_end_needs_nothing(void **state)
{
    (void)state;
    const struct sl_nn_lstm_request request = {.counts = counts, .step = 1};
    const size_t forward[] = {2, 2, 0, 2, 0}, backward[] = {1, 3, 0, 3, 0};
    for (int reverse = 0; reverse < 2; reverse++) {
        struct sl_nn_lstm_pack pack;
        sl_nn_lstm_pack_init(&pack, ITEMS, STEPS, reverse);
        sl_nn_lstm_pack_fill(&pack, &request);
        assert_sizes(pack.run, reverse ? backward : forward, ITEMS);
        sl_nn_lstm_pack_release(&pack);
    }
}

static void test_rows_of_equal_ids_share_a_rank_and_the_longest_run(void **state)
{
    (void)state;
    /* The only id of item 4 is the first of item 0's two. The items are not equal. */
    const int32_t positions[ITEMS] = {1, 0, 0, 2, 0};
    const struct sl_nn_lstm_request request = {
        .ids = ids, .counts = counts, .positions = positions};
    const size_t run[] = {2, 3, 0, 0, 1}, first[] = {1, 0, 4};
    struct sl_nn_lstm_pack pack;
    sl_nn_lstm_pack_init(&pack, ITEMS, STEPS, false);
    sl_nn_lstm_pack_fill(&pack, &request);
    assert_sizes(pack.run, run, ITEMS);
    assert_sizes(pack.first, first, 3);
    assert_int_equal(pack.total, 6);
    assert_int_equal(pack.next[1], 3);
    assert_int_equal(pack.next[3], SL_NN_CHAIN_END);
    assert_int_equal(pack.next[0], SL_NN_CHAIN_END);
    /* Fill the pack a second time, over the first content. */
    sl_nn_lstm_pack_fill(&pack, &request);
    assert_sizes(pack.run, run, ITEMS);
    sl_nn_lstm_pack_release(&pack);
}

/* Two items have a table of four slots, so some of these pairs collide. */
static void test_a_row_that_begins_like_a_longer_one_is_not_it(void **state)
{
    (void)state;
    const int32_t lengths[2] = {1, 2};
    struct sl_nn_lstm_pack pack;
    sl_nn_lstm_pack_init(&pack, 2, STEPS, false);
    for (int32_t id = 0; id < 40; id++) {
        const int32_t pair[2 * STEPS] = {id, 1, 0, 0, id, 1, 0, 0};
        const struct sl_nn_lstm_request request = {
            .ids = pair, .counts = lengths, .everywhere = true};
        sl_nn_lstm_pack_fill(&pack, &request);
        assert_int_equal(pack.active[0], 2);
        assert_int_equal(pack.active[1], 1);
    }
    sl_nn_lstm_pack_release(&pack);
}

static void test_chains_hold_every_item_in_order(void **state)
{
    (void)state;
    enum { MANY = 300 };
    int32_t many[MANY * STEPS];
    for (size_t i = 0; i < MANY * STEPS; i++)
        many[i] = (int32_t)(i / STEPS * 7 % 60);
    const struct sl_nn_lstm_request request = {.ids = many, .everywhere = true};
    struct sl_nn_lstm_pack pack;
    sl_nn_lstm_pack_init(&pack, MANY, STEPS, true);
    sl_nn_lstm_pack_fill(&pack, &request);
    assert_int_equal(pack.active[0], 60);
    bool seen[MANY] = {false};
    for (size_t rank = 0; rank < 60; rank++) {
        const size_t first = pack.first[rank];
        size_t before = 0, links = 0;
        for (size_t item = first; item != SL_NN_CHAIN_END; item = pack.next[item], links++) {
            assert_true(item == first || item > before);
            assert_int_equal(many[item * STEPS], many[first * STEPS]);
            assert_false(seen[item]);
            seen[item] = true;
            before = item;
        }
        assert_int_equal(links, MANY / 60);
    }
    sl_nn_lstm_pack_release(&pack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longer_rows_come_first_and_equals_keep_their_order),
        cmocka_unit_test(test_no_direction_runs_past_the_place_that_is_read),
        cmocka_unit_test(test_a_step_beyond_the_end_needs_nothing),
        cmocka_unit_test(test_rows_of_equal_ids_share_a_rank_and_the_longest_run),
        cmocka_unit_test(test_a_row_that_begins_like_a_longer_one_is_not_it),
        cmocka_unit_test(test_chains_hold_every_item_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
