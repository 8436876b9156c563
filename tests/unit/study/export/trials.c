#include "softlab/study.h"
#include "support.h"

enum { N_ITEMS = 25 };

static char names[N_ITEMS][16];
static const char *items[N_ITEMS];
static const char *const checks[] = {"easy1", "easy2", "easy3"};

static int name_items(void **state)
{
    (void)state;
    for (int i = 0; i < N_ITEMS; i++) {
        snprintf(names[i], sizeof names[i], "i%d", i);
        items[i] = names[i];
    }
    return 0;
}

static struct sl_study plain(void)
{
    return (struct sl_study){.n_classes = 10,
                             .batch_size = N_ITEMS,
                             .repeats = 2,
                             .shuffle_items = true,
                             .shuffle_classes = true};
}

static struct sl_trials make(const struct sl_study *study, uint64_t seed)
{
    struct sl_trials trials;
    struct sl_error err;
    assert_ok(sl_trials_make(study, &(struct sl_trial_items){items, N_ITEMS, checks, 3, NULL, 0},
                             seed, &trials, &err),
              err);
    return trials;
}

static void test_every_item_comes_once_and_the_6th_and_11th_again(void **state)
{
    (void)state;
    struct sl_study study = plain();
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct sl_trials trials = make(&study, seed);
        assert_int_equal(trials.count, N_ITEMS + 2);
        for (int i = 0; i < N_ITEMS; i++) {
            int seen = 0;
            for (int t = 0; t < N_ITEMS; t++)
                seen += trials.trials[t].item == items[i];
            assert_int_equal(seen, 1);
            assert_false(trials.trials[i].repeat || trials.trials[i].check);
        }
        assert_ptr_equal(trials.trials[25].item, trials.trials[5].item);
        assert_ptr_equal(trials.trials[26].item, trials.trials[10].item);
        assert_true(trials.trials[25].repeat && trials.trials[26].repeat);
        sl_trials_release(&trials);
    }
}

static void test_the_same_seed_shows_the_same_and_another_something_else(void **state)
{
    (void)state;
    struct sl_study study = plain();
    struct sl_trials a = make(&study, 7), b = make(&study, 7), c = make(&study, 8);
    size_t same_items = 0, same_classes = 0;
    for (size_t i = 0; i < a.count; i++) {
        assert_ptr_equal(a.trials[i].item, b.trials[i].item);
        same_items += a.trials[i].item == c.trials[i].item;
    }
    for (size_t k = 0; k < 10; k++) {
        assert_int_equal(a.class_order[k], b.class_order[k]);
        same_classes += a.class_order[k] == c.class_order[k];
    }
    assert_true(same_items < a.count && same_classes < 10);
    sl_trials_release(&a);
    sl_trials_release(&b);
    sl_trials_release(&c);
}

static void test_without_shuffling_the_order_is_the_files(void **state)
{
    (void)state;
    struct sl_study study = plain();
    study.shuffle_items = study.shuffle_classes = false;
    struct sl_trials trials = make(&study, 3);
    for (int i = 0; i < N_ITEMS; i++)
        assert_ptr_equal(trials.trials[i].item, items[i]);
    for (size_t k = 0; k < 10; k++)
        assert_int_equal(trials.class_order[k], k);
    sl_trials_release(&trials);
}

static void test_an_obvious_item_comes_every_n_trials(void **state)
{
    (void)state;
    struct sl_study study = plain();
    study.check_every = 5;
    struct sl_trials trials = make(&study, 3);
    assert_int_equal(trials.count, 27 + 5);
    size_t since = 0, n_checks = 0;
    for (size_t t = 0; t < trials.count; t++) {
        if (!trials.trials[t].check) {
            since++;
            continue;
        }
        assert_int_equal(since, 5);
        since = 0;
        n_checks++;
    }
    assert_int_equal(n_checks, 5);
    assert_ptr_not_equal(trials.trials[5].item, trials.trials[11].item);
    assert_ptr_equal(trials.trials[5].item, trials.trials[23].item);
    sl_trials_release(&trials);
}

static void test_kinds_of_checks_take_turns(void **state)
{
    (void)state;
    static const char *const cards[] = {"choose a", "choose b", "choose c"};
    char obvious[] = "obvious", instructed[] = "instructed", *kinds[] = {obvious, instructed};
    const struct sl_trial_items from = {items, N_ITEMS, checks, 3, cards, 3};
    struct sl_study study = plain();
    struct sl_error err;
    size_t first[3] = {0};
    study.check_every = 5;
    study.check_kinds = kinds;
    study.n_check_kinds = 2;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct sl_trials trials;
        assert_ok(sl_trials_make(&study, &from, seed, &trials, &err), err);
        size_t turn = 0;
        for (size_t t = 0; t < trials.count; t++) {
            if (!trials.trials[t].check) continue;
            const bool card = strncmp(trials.trials[t].item, "choose", 6) == 0;
            assert_int_equal(card, turn++ % 2);
            if (turn == 2) first[trials.trials[t].item[7] - 'a']++;
        }
        assert_int_equal(turn, 5);
        sl_trials_release(&trials);
    }
    for (size_t i = 0; i < 3; i++) /* which class follows from the seed */
        assert_true(first[i] > 5);
    const struct sl_trial_items without = {items, N_ITEMS, checks, 3, NULL, 0};
    struct sl_trials trials;
    assert_fails(sl_trials_make(&study, &without, 1, &trials, &err), SL_ERR_INPUT, err,
                 "instructed item is due every 5");
}

static void test_short_batches_repeat_what_they_have(void **state)
{
    (void)state;
    struct sl_study study = plain();
    struct sl_trials trials;
    struct sl_error err;
    study.repeats = 3;
    assert_ok(sl_trials_make(&study, &(struct sl_trial_items){items, 2, NULL, 0, NULL, 0}, 1,
                             &trials, &err),
              err);
    assert_int_equal(trials.count, 4);
    assert_ptr_equal(trials.trials[2].item, trials.trials[0].item);
    assert_ptr_equal(trials.trials[3].item, trials.trials[1].item);
    sl_trials_release(&trials);
    assert_fails(sl_trials_make(&study, &(struct sl_trial_items){items, 0, NULL, 0, NULL, 0}, 1,
                                &trials, &err),
                 SL_ERR_INPUT, err, "without items");
    study.check_every = 5;
    assert_fails(sl_trials_make(&study, &(struct sl_trial_items){items, 2, NULL, 0, NULL, 0}, 1,
                                &trials, &err),
                 SL_ERR_INPUT, err, "obvious item is due every 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item_comes_once_and_the_6th_and_11th_again),
        cmocka_unit_test(test_the_same_seed_shows_the_same_and_another_something_else),
        cmocka_unit_test(test_without_shuffling_the_order_is_the_files),
        cmocka_unit_test(test_an_obvious_item_comes_every_n_trials),
        cmocka_unit_test(test_kinds_of_checks_take_turns),
        cmocka_unit_test(test_short_batches_repeat_what_they_have),
    };
    return cmocka_run_group_tests(tests, name_items, NULL);
}
