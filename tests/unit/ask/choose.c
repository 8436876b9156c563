/* Choosing items: the order, what closes an item, waves, and what answers are expected to buy. */
#include "softlab/ask.h"

#include <math.h>

#include "crowd_scene.h"
#include "softlab/base/random.h"

/* Answers to items of which every `hard`-th is ambiguous, each in its own measure, and the others
 * are clear. Each item has `per_item` answers of different people. */
static void make_answers(struct scene *scene, size_t n_items, size_t per_item, size_t hard)
{
    const size_t n_annotators = 40;
    scene_alloc(scene, n_items, n_annotators, 4, n_items * per_item);
    for (size_t i = 0, v = 0; i < n_items; i++) {
        struct sl_rng rng;
        size_t chosen[32];
        sl_rng_init(&rng, 3, "test.answers", 0, i);
        scene->truth[i] = (int32_t)(i % 4);
        sl_rng_sample(&rng, n_annotators, per_item, chosen);
        const double right = i % hard == 0 ? 0.3 + 0.6 * sl_rng_uniform(&rng) : 0.995;
        for (size_t a = 0; a < per_item; a++, v++) {
            scene->votes.annotator[v] = (uint32_t)chosen[a];
            const size_t shift = sl_rng_uniform(&rng) < right ? 0 : 1 + sl_rng_below(&rng, 3);
            scene->votes.label[v] = (uint16_t)((i + shift) % 4);
        }
        scene->votes.begin[i + 1] = v;
    }
    scene_predict(scene);
}

struct asking {
    struct scene scene;
    struct sl_ask_fit *fit;
    struct sl_ask_board *board;
};

static void begin(struct asking *asking, size_t n_items, size_t per_item, size_t hard,
                  const struct sl_ask_rule *rule)
{
    struct sl_error err;
    make_answers(&asking->scene, n_items, per_item, hard);
    assert_ok(sl_ask_fit_create(&asking->scene.votes, NULL, NULL, NULL, &asking->fit, &err), err);
    assert_ok(sl_ask_board_create(asking->fit, &asking->scene.votes, NULL, rule, NULL,
                                  &asking->board, &err),
              err);
}

static void end(struct asking *asking)
{
    sl_ask_board_destroy(asking->board);
    sl_ask_fit_destroy(asking->fit);
    scene_release(&asking->scene);
}

static struct sl_ask_rule rule_by(enum sl_ask_way way)
{
    struct sl_ask_rule rule = sl_ask_rule_default();
    rule.way = way;
    rule.stop = 0;
    return rule;
}

/* ---- One person's list ---- */

static void test_the_list_is_that_of_a_plain_sort(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    uint32_t items[600];
    begin(&asking, 600, 3, 5, &rule);
    bool *seen = sl_alloc(600, sizeof *seen);
    for (size_t i = 0; i < 600; i += 3)
        seen[i] = true;
    /* More than one pass of the list on the stack, and fewer. */
    static const size_t lengths[] = {1, 25, 256, 300, 600};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const size_t count = sl_ask_choose(asking.board, seen, lengths[l], items);
        assert_int_equal(count, lengths[l] < 400 ? lengths[l] : 400);
        bool taken[600] = {0};
        for (size_t n = 0; n < count; n++) {
            assert_false(taken[items[n]] || seen[items[n]]);
            taken[items[n]] = true;
            if (n == 0) continue;
            const double before = asking.board->gain[items[n - 1]];
            const double here = asking.board->gain[items[n]];
            assert_true(before > here || (before == here && items[n - 1] < items[n]));
        }
        const double last = asking.board->gain[items[count - 1]];
        for (size_t i = 0; i < 600; i++)
            if (!seen[i] && !taken[i]) assert_true(asking.board->gain[i] <= last);
    }
    free(seen);
    end(&asking);
}

static void test_items_with_few_answers_come_first(void **state)
{
    (void)state;
    struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    uint32_t items[8];
    rule.first = 3;
    begin(&asking, 100, 3, 5, &rule);
    /* Pretend that three items have fewer answers; one of them was asked for again. */
    asking.board->answers[70] = 0;
    asking.board->answers[10] = 1;
    asking.board->answers[40] = 0;
    sl_ask_expect(asking.board, 40, 1);
    assert_int_equal(sl_ask_choose(asking.board, NULL, 3, items), 3);
    assert_int_equal(items[0], 70);
    assert_int_equal(items[1], 10);
    assert_int_equal(items[2], 40);
    end(&asking);
}

static void test_equal_allocation_takes_the_fewest_answers(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_EQUAL);
    struct asking asking;
    uint32_t items[60], times[60];
    begin(&asking, 60, 3, 5, &rule);
    sl_ask_expect(asking.board, 0, 1);
    assert_int_equal(sl_ask_choose(asking.board, NULL, 60, items), 60);
    assert_int_equal(items[0], 1);
    assert_int_equal(items[59], 0);
    assert_int_equal(sl_ask_wave(asking.board, 59 + 60, 0, times), 119);
    for (size_t i = 0; i < 60; i++)
        assert_int_equal(times[i] + (i == 0), 2);
    end(&asking);
}

/* ---- Gains, waves and closing ---- */

static void test_pending_answers_lower_the_gain_and_can_be_taken_back(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    begin(&asking, 100, 3, 5, &rule);
    for (size_t i = 0; i < 100; i++) {
        const double before = asking.board->gain[i];
        sl_ask_expect(asking.board, i, 2);
        assert_true(asking.board->gain[i] < before);
        sl_ask_expect(asking.board, i, -2);
        assert_true(asking.board->gain[i] == before);
        sl_ask_expect(asking.board, i, -1);
        assert_int_equal(asking.board->pending[i], 0);
    }
    end(&asking);
}

static void test_a_wave_goes_to_items_on_which_people_disagree(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    uint32_t times[400];
    begin(&asking, 400, 5, 5, &rule);
    assert_int_equal(sl_ask_wave(asking.board, 400, 3, times), 400);
    size_t hard = 0, easy = 0;
    for (size_t i = 0; i < 400; i++) {
        assert_true(times[i] <= 3);
        assert_int_equal(asking.board->pending[i], times[i]);
        *(i % 5 == 0 ? &hard : &easy) += times[i];
    }
    assert_true(hard > 2 * 80); /* a fifth of the items, so 80 if all were asked about alike */
    assert_int_equal(hard + easy, 400);
    end(&asking);
}

static void test_items_close_by_the_rule(void **state)
{
    (void)state;
    struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    uint32_t times[200];
    struct sl_ask_summary summary;
    rule.stop = 0.012;
    rule.most = 9;
    begin(&asking, 200, 3, 5, &rule);
    sl_ask_summarise(asking.board, &summary);
    assert_int_equal(summary.n_open, 200); /* three answers never close an item */
    assert_int_equal(summary.answers, 600);
    const size_t given = sl_ask_wave(asking.board, 100000, 0, times);
    sl_ask_summarise(asking.board, &summary);
    assert_true(given < 200 * 6);
    assert_int_equal(summary.pending, given);
    assert_int_equal(summary.n_open, 0);
    assert_true(summary.n_settled > 0 && summary.n_full > 0);
    for (size_t i = 0; i < 200; i++) {
        const bool full = 3 + times[i] == 9;
        assert_true(times[i] >= 1 && times[i] <= 6);
        if (!full) assert_true(asking.board->gain[i] < 0.012);
        assert_int_equal(sl_ask_state_of(asking.board, i), full ? SL_ASK_FULL : SL_ASK_SETTLED);
    }
    uint32_t items[1];
    assert_int_equal(sl_ask_choose(asking.board, NULL, 1, items), 0);
    end(&asking);
}

static void test_answers_needed_are_those_that_a_wave_gives(void **state)
{
    (void)state;
    struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    uint32_t times[100];
    rule.stop = 0.01;
    begin(&asking, 100, 4, 5, &rule);
    size_t needed[100];
    for (size_t i = 0; i < 100; i++) {
        const double gain = asking.board->gain[i];
        needed[i] = sl_ask_needed(asking.board, i, 1000);
        assert_true(asking.board->gain[i] == gain && asking.board->pending[i] == 0);
    }
    sl_ask_wave(asking.board, 100000, 0, times);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(needed[i], times[i]);
    assert_int_equal(sl_ask_needed(asking.board, 0, 3), 0);
    end(&asking);
}

/* The drop of one answer is the gain; that of several is the mean over all their sequences. */
static void test_the_expected_drop_is_that_of_all_futures(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    begin(&asking, 60, 3, 5, &rule);
    struct sl_ask_board *board = asking.board;
    for (size_t item = 0; item < 6; item++) {
        assert_near(sl_ask_expected_drop(board, item, 1, 1, 1), board->gain[item], 1e-12);
        const struct sl_dirichlet_view *view = sl_ask_look(board, item);
        double label[4], exact = board->gain[item];
        memcpy(label, view->label, sizeof label);
        for (size_t said = 0; said < 4; said++) {
            sl_ask_look(board, item);
            board->view.count[said] += 1;
            sl_dirichlet_look(&board->view, -1);
            exact += label[said] * sl_dirichlet_gain(&board->view);
        }
        const double drop = sl_ask_expected_drop(board, item, 2, 4000, 1);
        assert_near(drop, exact, 0.05 * exact);
        assert_true(drop == sl_ask_expected_drop(board, item, 2, 4000, 1));
    }
    end(&asking);
}

/* ---- Plans and futures ---- */

/* The whole order is the list of a person who has seen nothing. */
static void test_the_order_has_all_open_items(void **state)
{
    (void)state;
    struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    uint32_t items[300], order[300];
    rule.stop = 0.012;
    begin(&asking, 300, 4, 5, &rule);
    const size_t count = sl_ask_choose(asking.board, NULL, 300, items);
    assert_true(count > 0 && count < 300);
    assert_int_equal(sl_ask_order(asking.board, order), count);
    assert_memory_equal(order, items, count * sizeof *order);
    end(&asking);
}

static void test_what_is_withdrawn_was_never_asked_for(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    double gain[200];
    uint32_t times[200];
    begin(&asking, 200, 3, 5, &rule);
    memcpy(gain, asking.board->gain, sizeof gain);
    sl_ask_wave(asking.board, 300, 0, times);
    assert_memory_not_equal(gain, asking.board->gain, sizeof gain);
    sl_ask_withdraw(asking.board);
    assert_memory_equal(gain, asking.board->gain, sizeof gain);
    for (size_t i = 0; i < 200; i++)
        assert_int_equal(asking.board->pending[i], 0);
    end(&asking);
}

static void test_the_mean_drop_is_that_of_the_items(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    uint32_t times[200] = {0};
    begin(&asking, 200, 3, 5, &rule);
    assert_true(sl_ask_expected_mean_drop(asking.board, times, 1) == 0);
    times[7] = 1;
    times[50] = 1;
    const double *gain = asking.board->gain;
    assert_near(sl_ask_expected_mean_drop(asking.board, times, 1), (gain[7] + gain[50]) / 200,
                1e-15);
    times[0] = 3;
    const double three = sl_ask_expected_drop(asking.board, 0, 3, 64, 1);
    assert_near(sl_ask_expected_mean_drop(asking.board, times, 1),
                (gain[7] + gain[50] + three) / 200, 1e-15);
    /* So many answers that every third item stands for three, and nearly no risk is left. */
    double all = 0;
    for (size_t i = 0; i < 200; i++) {
        times[i] = 1500;
        all += asking.board->risk[i] / 200;
    }
    assert_near(sl_ask_expected_mean_drop(asking.board, times, 1), all, 0.25 * all);
    end(&asking);
}

/* A played future has the answers that were asked for, and the risk that the model expects. */
static void test_a_played_future_keeps_its_promise(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    struct sl_ask_summary before, after;
    begin(&asking, 400, 3, 5, &rule);
    sl_ask_summarise(asking.board, &before);
    struct sl_ask_course course = {.n_answers = 1000, .wave = 120, .target = NAN, .seed = 4};
    const struct sl_ask_outcome outcome = sl_ask_play(asking.board, &course);
    sl_ask_summarise(asking.board, &after);
    assert_int_equal(outcome.n_answers, 1000);
    assert_int_equal(after.answers, before.answers + 1000);
    assert_int_equal(after.pending, 0);
    assert_true(outcome.mean_risk < 0.8 * before.mean_risk);
    assert_near(outcome.mean_risk, after.mean_risk, 0.15 * after.mean_risk);
    /* It goes on from what is on the board, up to the target. */
    course.target = 0.9 * after.mean_risk;
    const struct sl_ask_outcome further = sl_ask_play(asking.board, &course);
    assert_true(further.n_answers > 0 && further.n_answers < 1000);
    assert_near(further.mean_risk, course.target, 1e-12);
    course.target = 1;
    assert_int_equal(sl_ask_play(asking.board, &course).n_answers, 0);
    end(&asking);
}

/* ---- Whether choosing pays ---- */

static void test_variation_says_whether_choosing_pays(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = sl_ask_rule_default();
    struct asking mixed, alike, small;
    begin(&mixed, 400, 5, 8, &rule);
    assert_true(mixed.fit->variation > 0.3 && mixed.fit->variation < 1);
    assert_true(mixed.board->by_gain);
    begin(&alike, 400, 5, 1, &rule); /* every item is ambiguous */
    assert_true(alike.fit->variation < 0.2);
    assert_false(alike.board->by_gain);
    begin(&small, 30, 5, 8, &rule);
    assert_false(small.board->by_gain);
    assert_non_null(strstr(small.board->because, "too few items"));
    end(&mixed);
    end(&alike);
    end(&small);
}

/* ---- Fits and threads ---- */

static void test_any_number_of_threads_gives_the_same_board(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    begin(&asking, 300, 4, 5, &rule);
    static const size_t threads[] = {2, 3, 7};
    for (size_t t = 0; t < 3; t++) {
        struct sl_pool *pool = scene_pool(threads[t]);
        struct sl_ask_fit *fit = NULL;
        struct sl_ask_board *board = NULL;
        struct sl_error err;
        assert_ok(sl_ask_fit_create(&asking.scene.votes, NULL, NULL, pool, &fit, &err), err);
        assert_ok(sl_ask_board_create(fit, &asking.scene.votes, NULL, &rule, pool, &board, &err),
                  err);
        assert_memory_equal(board->gain, asking.board->gain, 300 * sizeof *board->gain);
        assert_memory_equal(board->risk, asking.board->risk, 300 * sizeof *board->risk);
        sl_ask_board_destroy(board);
        sl_ask_fit_destroy(fit);
        sl_pool_destroy(pool);
    }
    end(&asking);
}

/* An earlier fit serves answers that came after it, of people and items that it has not seen. */
static void test_a_board_takes_answers_that_the_fit_has_not_seen(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    begin(&asking, 200, 3, 5, &rule);
    struct sl_votes later = asking.scene.votes;
    later.n_items = 201; /* nobody has answered the last one */
    later.n_annotators++;
    later.begin = sl_alloc(202, sizeof *later.begin);
    memcpy(later.begin, asking.scene.votes.begin, 201 * sizeof *later.begin);
    later.begin[201] = later.begin[200];
    const uint32_t who = asking.scene.votes.annotator[0];
    asking.scene.votes.annotator[0] = (uint32_t)later.n_annotators - 1;
    struct sl_ask_board *board = NULL;
    struct sl_error err;
    assert_ok(sl_ask_board_create(asking.fit, &later, NULL, &rule, NULL, &board, &err), err);
    uint32_t items[1];
    assert_int_equal(sl_ask_choose(board, NULL, 1, items), 1);
    assert_int_equal(items[0], 200);
    const float *counts = board->counts;
    assert_near((double)(counts[0] + counts[1] + counts[2] + counts[3]), 3, 1e-6);
    asking.scene.votes.annotator[0] = who;
    sl_ask_board_destroy(board);
    later.n_classes = 5;
    assert_int_equal(sl_ask_board_create(asking.fit, &later, NULL, &rule, NULL, &board, &err),
                     SL_ERR_INPUT);
    assert_string_equal(err.message, "the answers have 5 classes, those of the fit had 4");
    free(later.begin);
    end(&asking);
}

/* Stated distributions that are certain are votes. */
static void test_certain_distributions_are_votes(void **state)
{
    (void)state;
    const struct sl_ask_rule rule = rule_by(SL_ASK_GAIN);
    struct asking asking;
    begin(&asking, 60, 3, 5, &rule);
    const struct sl_votes *votes = &asking.scene.votes;
    float *rows = sl_alloc(votes->count * 4, sizeof *rows);
    for (size_t v = 0; v < votes->count; v++)
        rows[v * 4 + votes->label[v]] = 1;
    const struct sl_soft_votes soft = {60,           votes->n_annotators, 4,   votes->count,
                                       votes->begin, votes->annotator,    rows};
    struct sl_ask_board *board = NULL;
    struct sl_error err;
    assert_ok(sl_ask_board_create_soft(asking.fit, &soft, &rule, NULL, &board, &err), err);
    assert_memory_equal(board->gain, asking.board->gain, 60 * sizeof *board->gain);
    sl_ask_board_destroy(board);
    asking.fit->model->rich_weight = 2;
    assert_ok(sl_ask_board_create_soft(asking.fit, &soft, &rule, NULL, &board, &err), err);
    for (size_t i = 0; i < 60 * 4; i++)
        assert_near((double)board->counts[i], 2 * (double)asking.board->counts[i], 1e-6);
    sl_ask_board_destroy(board);
    free(rows);
    end(&asking);
}

static void test_wrong_rules_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_ask_rule rule = sl_ask_rule_default();
    rule.stop = NAN;
    assert_int_equal(sl_ask_rule_check(&rule, &err), SL_ERR_USAGE);
    assert_string_equal(err.message, "the gain at which an item is closed is nan; give 0 or more");
    rule = sl_ask_rule_default();
    rule.pays = 1.5;
    assert_int_equal(sl_ask_rule_check(&rule, &err), SL_ERR_USAGE);
    rule = sl_ask_rule_default();
    rule.most = 3;
    assert_int_equal(sl_ask_rule_check(&rule, &err), SL_ERR_USAGE);
    assert_string_equal(err.message,
                        "an item gets at most 3 answers, fewer than the 4 that it must have");
    struct sl_votes none = {.n_items = 0, .n_classes = 2};
    struct sl_ask_fit *fit = NULL;
    assert_int_equal(sl_ask_fit_create(&none, NULL, NULL, NULL, &fit, &err), SL_ERR_INPUT);
    assert_string_equal(err.message, "there are no answers yet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_list_is_that_of_a_plain_sort),
        cmocka_unit_test(test_items_with_few_answers_come_first),
        cmocka_unit_test(test_equal_allocation_takes_the_fewest_answers),
        cmocka_unit_test(test_pending_answers_lower_the_gain_and_can_be_taken_back),
        cmocka_unit_test(test_a_wave_goes_to_items_on_which_people_disagree),
        cmocka_unit_test(test_items_close_by_the_rule),
        cmocka_unit_test(test_answers_needed_are_those_that_a_wave_gives),
        cmocka_unit_test(test_the_expected_drop_is_that_of_all_futures),
        cmocka_unit_test(test_the_order_has_all_open_items),
        cmocka_unit_test(test_what_is_withdrawn_was_never_asked_for),
        cmocka_unit_test(test_the_mean_drop_is_that_of_the_items),
        cmocka_unit_test(test_a_played_future_keeps_its_promise),
        cmocka_unit_test(test_variation_says_whether_choosing_pays),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_board),
        cmocka_unit_test(test_a_board_takes_answers_that_the_fit_has_not_seen),
        cmocka_unit_test(test_certain_distributions_are_votes),
        cmocka_unit_test(test_wrong_rules_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
