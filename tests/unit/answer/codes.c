#include "pools.h"
#include "votes_support.h"

static struct sl_votes *make_votes(const struct sl_vote_codes *codes, struct sl_pool *pool)
{
    struct sl_error err;
    struct sl_votes *votes = NULL;
    assert_ok(sl_votes_from_codes(codes, pool, &votes, &err), err);
    return votes;
}

static const uint32_t few_items[] = {2, 0, 2, 0, 2}, few_annotators[] = {0, 1, 1, SL_NO_NAME, 0};
static const uint32_t few_labels[] = {1, 0, 2, 2, 1};
/* Five answers; nobody answered item 1. */
static const struct sl_vote_codes few = {.count = 5,
                                         .n_items = 3,
                                         .n_annotators = 2,
                                         .n_classes = 3,
                                         .item = few_items,
                                         .annotator = few_annotators,
                                         .label = few_labels};

static void test_codes_are_grouped_by_item_and_keep_their_order(void **state)
{
    (void)state;
    struct sl_votes *votes = make_votes(&few, NULL);
    assert_string_equal(votes_text(votes), "0,1,2; 0: 1=0 ?=2; 1:; 2: 0=1 1=2 0=1");
    assert_int_equal(votes->count, 5);
    assert_int_equal(votes->n_annotators, 2);
    sl_votes_destroy(votes);
}

static void test_names_are_copied(void **state)
{
    (void)state;
    char first[] = "x";
    const char *items[] = {first, "y", "z"};
    static const char *const annotators[] = {"ann", "ben"}, *const classes[] = {"cat", "dog",
                                                                                "emu"};
    struct sl_vote_codes named = few;
    named.item_names = items;
    named.annotator_names = annotators;
    named.class_names = classes;
    struct sl_votes *votes = make_votes(&named, NULL);
    first[0] = '?';
    items[1] = NULL;
    assert_string_equal(votes_text(votes),
                        "cat,dog,emu; x: ben=cat ?=emu; y:; z: ann=dog ben=emu ann=dog");
    sl_votes_destroy(votes);
}

static void assert_refused(const struct sl_vote_codes *codes, const char *message)
{
    struct sl_error err;
    struct sl_votes *votes = NULL;
    assert_fails(sl_votes_from_codes(codes, NULL, &votes, &err), SL_ERR_INPUT, err, message);
    assert_null(votes);
}

static void test_a_bad_code_is_refused_with_its_row(void **state)
{
    (void)state;
    static const uint32_t items[] = {2, 0, 2, 3, 2}, annotators[] = {0, 1, 2, 0, 0};
    static const uint32_t labels[] = {1, 0, 2, 2, 65537};
    struct sl_vote_codes bad = few;
    bad.item = items;
    assert_refused(&bad, "row 3: item 3 does not exist, expected a number below 3");
    bad.annotator = annotators;
    assert_refused(&bad, "row 2: annotator 2 does not exist, expected a number below 2");
    bad = few;
    bad.label = labels;
    assert_refused(&bad, "row 4: class 65537 does not exist, expected a number below 3");
}

static void test_an_unknown_annotator_does_not_hide_a_bad_code_in_its_row(void **state)
{
    (void)state;
    static const uint32_t labels[] = {1, 0, 2, 3, 1};
    struct sl_vote_codes bad = few;
    bad.label = labels;
    assert_refused(&bad, "row 3: class 3 does not exist");
}

static void test_sizes_and_repeated_names_are_refused(void **state)
{
    (void)state;
    static const char *const items[] = {"x", "y", "x"};
    struct sl_vote_codes bad = few;
    bad.count = 0;
    assert_refused(&bad, "no answers");
    bad = few;
    bad.n_classes = 65536;
    assert_refused(&bad, "65536 classes, expected 1 to 65535");
    bad.n_classes = 0;
    assert_refused(&bad, "0 classes");
    bad = few;
    bad.item_names = items;
    assert_refused(&bad, "item 0 and item 2 are both called \"x\"");
    bad = few;
    bad.n_items = SL_NO_NAME;
    assert_refused(&bad, "too many names");
}

/* A linear search of the answers to each item. */
static void assert_sorted(const struct sl_vote_codes *codes, const struct sl_votes *votes)
{
    size_t next = 0;
    for (uint32_t item = 0; item < codes->n_items; item++) {
        assert_int_equal(votes->begin[item], next);
        for (size_t row = 0; row < codes->count; row++) {
            if (codes->item[row] != item) continue;
            assert_int_equal(votes->annotator[next], codes->annotator[row]);
            assert_int_equal(votes->label[next++], codes->label[row]);
        }
    }
    assert_int_equal(votes->begin[codes->n_items], codes->count);
}

static void test_any_number_of_threads_sorts_the_same(void **state)
{
    struct sl_pool **pools = *state;
    enum { COUNT = 5000, ITEMS = 321 };
    uint32_t *rows = sl_alloc((size_t)3 * COUNT, sizeof *rows);
    for (uint32_t i = 0; i < COUNT; i++) {
        rows[i] = i * 2654435761u % ITEMS * (i % 3) / 2; /* few answers to the last items */
        rows[COUNT + i] = i;
        rows[2 * COUNT + i] = i % 7;
    }
    const struct sl_vote_codes codes = {.count = COUNT,
                                        .n_items = ITEMS,
                                        .n_annotators = COUNT,
                                        .n_classes = 7,
                                        .item = rows,
                                        .annotator = rows + COUNT,
                                        .label = rows + (size_t)2 * COUNT};
    for (size_t i = 0; i < N_POOLS; i++) {
        struct sl_votes *votes = make_votes(&codes, pools[i]);
        assert_sorted(&codes, votes);
        sl_votes_destroy(votes);
    }
    rows[4321] = rows[77] = ITEMS;
    for (size_t i = 0; i < N_POOLS; i++) {
        struct sl_error err;
        struct sl_votes *votes = NULL;
        assert_fails(sl_votes_from_codes(&codes, pools[i], &votes, &err), SL_ERR_INPUT, err,
                     "row 77: item 321 does not exist");
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_are_grouped_by_item_and_keep_their_order),
        cmocka_unit_test(test_names_are_copied),
        cmocka_unit_test(test_a_bad_code_is_refused_with_its_row),
        cmocka_unit_test(test_an_unknown_annotator_does_not_hide_a_bad_code_in_its_row),
        cmocka_unit_test(test_sizes_and_repeated_names_are_refused),
        cmocka_unit_test(test_any_number_of_threads_sorts_the_same),
    };
    return cmocka_run_group_tests(tests, make_pools, free_pools);
}
