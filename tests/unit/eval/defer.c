/* Deferral to people, share by share. */
#include "softlab/eval/defer.h"

#include "eval_support.h"
#include "pools.h"

enum { N = 137, K = 4 };

static struct sl_defer_options options_of(size_t n_people)
{
    return (struct sl_defer_options){
        .n_people = n_people,
        .bootstrap = {.n_resamples = 60, .level = 0.95, .seed = 3},
    };
}

/* A study with true classes and `n_answers` answers to every item, most of them right. */
static struct sl_scored *study(size_t n, uint32_t n_answers, struct sl_recorded **recorded)
{
    struct test_study study = test_study_create(n, K, 5);
    int32_t *hard = sl_alloc(n, sizeof *hard);
    struct sl_error err;
    assert_ok(sl_recorded_create(n, K, recorded, &err), err);
    for (size_t i = 0; i < n; i++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 1, "test.defer", 0, i);
        hard[i] = (int32_t)sl_largest(study.human + i * K, K);
        for (uint32_t a = 0; a < n_answers; a++) {
            const bool right = sl_rng_uniform(&rng) < 0.8;
            const size_t k = right ? (size_t)hard[i] : sl_rng_below(&rng, K);
            (*recorded)->counts[i * K + k]++;
        }
    }
    struct sl_rows *predictions = test_rows(study.predicted, n, K, NULL, NULL);
    struct sl_rows *labels = test_rows(study.human, n, K, NULL, NULL);
    struct sl_scored *scored =
        test_score_rows(predictions, labels, (struct sl_scored_options){.hard = hard});
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
    test_study_release(&study);
    free(hard);
    return scored;
}

/* The accuracy of sending the `n_sent` least confident rows among `rows`, counted one by one. */
static double by_hand(const struct sl_scored *scored, const struct sl_recorded *recorded,
                      const size_t *rows, size_t count, size_t n_sent, size_t n_people)
{
    bool *gone = sl_alloc(count, sizeof *gone);
    double sum = 0;
    for (size_t s = 0; s < n_sent; s++) {
        size_t least = SIZE_MAX;
        for (size_t i = 0; i < count; i++) {
            if (gone[i]) continue;
            if (least == SIZE_MAX ||
                scored->confidence[rows[i]] < scored->confidence[rows[least]] ||
                (scored->confidence[rows[i]] == scored->confidence[rows[least]] &&
                 rows[i] < rows[least]))
                least = i;
        }
        gone[least] = true;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t row = rows[i];
        const double people =
            sl_vote_chance(recorded->counts + row * K, K, (size_t)scored->hard[row], n_people);
        const bool right = scored->top[row] == (uint32_t)scored->hard[row];
        sum += gone[i] && !isnan(people) ? people : right;
    }
    free(gone);
    return sum / (double)count;
}

static void test_the_ends_are_the_classifier_and_the_people(void **state)
{
    (void)state;
    struct sl_recorded *recorded;
    struct sl_scored *scored = study(N, 7, &recorded);
    struct sl_error err;
    for (size_t people = 1; people <= 7; people += 2) {
        const struct sl_defer_options options = options_of(people);
        struct sl_defer_curve curve;
        double sum = 0;
        for (size_t i = 0; i < N; i++)
            sum += sl_vote_chance(recorded->counts + i * K, K, (size_t)scored->hard[i], people);
        assert_ok(sl_defer(scored, recorded, &options, &curve, &err), err);
        assert_int_equal(curve.n_points, 101);
        const struct sl_defer_point *first = &curve.points[0], *last = &curve.points[100];
        assert_true(first->accuracy.estimate == test_value("accuracy_hard", scored, NULL));
        assert_near(last->accuracy.estimate, sum / N, 1e-14);
        assert_near(first->answers, 0, 0);
        assert_near(last->answers, (double)people, 0);
        assert_near(last->share, 1, 0);
        assert_near(first->gain.high, 0, 0);
        assert_near(last->short_of_people.low, 0, 0);
        assert_true(isnan(first->gain_per_answer.estimate));
        assert_true(isnan(last->seconds));
        sl_defer_curve_release(&curve);
    }
    sl_recorded_destroy(recorded);
    sl_scored_destroy(scored);
}

static void test_every_point_is_counted_one_by_one(void **state)
{
    (void)state;
    struct sl_recorded *recorded;
    struct sl_scored *scored = study(N, 5, &recorded);
    const struct sl_defer_options options = options_of(3);
    struct sl_defer_curve curve;
    struct sl_error err;
    size_t rows[N];
    for (size_t i = 0; i < N; i++)
        rows[i] = i;
    assert_ok(sl_defer(scored, recorded, &options, &curve, &err), err);
    for (size_t p = 0; p < curve.n_points; p++) {
        const struct sl_defer_point *point = &curve.points[p];
        const double expected = by_hand(scored, recorded, rows, N, p * N / 100, 3);
        assert_int_equal(point->n_sent, p * N / 100);
        assert_near(point->accuracy.estimate, expected, 1e-14);
        assert_near(point->answers, 3 * (double)point->n_sent / N, 1e-14);
        assert_near(point->gain.estimate, expected - curve.points[0].accuracy.estimate, 1e-14);
        if (p > 0)
            assert_near(point->gain_per_answer.estimate, point->gain.estimate / point->answers,
                        1e-14);
        assert_true(p == 0 || point->n_sent > curve.points[p - 1].n_sent);
    }
    sl_defer_curve_release(&curve);
    sl_recorded_destroy(recorded);
    sl_scored_destroy(scored);
}

struct counting {
    const struct sl_scored *scored;
    const struct sl_recorded *recorded;
    size_t n_sent;
};

static double gain_of_rows(const size_t *indices, size_t count, void *context)
{
    const struct counting *counting = context;
    return by_hand(counting->scored, counting->recorded, indices, count, counting->n_sent, 3) -
           by_hand(counting->scored, counting->recorded, indices, count, 0, 3);
}

static void test_intervals_are_those_of_sending_within_each_resample(void **state)
{
    (void)state;
    struct sl_recorded *recorded;
    struct sl_scored *scored = study(N, 5, &recorded);
    const struct sl_defer_options options = options_of(3);
    struct sl_defer_curve curve;
    struct sl_error err;
    assert_ok(sl_defer(scored, recorded, &options, &curve, &err), err);
    for (size_t p = 10; p <= 100; p += 30) {
        struct counting counting = {scored, recorded, curve.points[p].n_sent};
        struct sl_interval rebuilt;
        assert_ok(sl_bootstrap(gain_of_rows, &counting, N, &options.bootstrap, &rebuilt, &err),
                  err);
        assert_near(curve.points[p].gain.low, rebuilt.low, 1e-12);
        assert_near(curve.points[p].gain.high, rebuilt.high, 1e-12);
    }
    sl_defer_curve_release(&curve);
    sl_recorded_destroy(recorded);
    sl_scored_destroy(scored);
}

static void test_items_with_few_answers_stay_with_the_classifier(void **state)
{
    (void)state;
    struct sl_recorded *recorded;
    struct sl_scored *scored = study(10, 5, &recorded);
    struct sl_defer_options options = options_of(5);
    struct sl_defer_curve curve;
    struct sl_error err;
    memset(recorded->counts, 0, 4 * K * sizeof *recorded->counts);
    recorded->seconds = sl_alloc(10, sizeof *recorded->seconds);
    for (size_t i = 0; i < 10; i++)
        recorded->seconds[i] = i < 4 ? (double)NAN : (double)i;
    assert_ok(sl_defer(scored, recorded, &options, &curve, &err), err);
    double sum = 0;
    for (size_t i = 0; i < 10; i++)
        sum += i < 4 ? scored->top[i] == (uint32_t)scored->hard[i]
                     : sl_vote_chance(recorded->counts + i * K, K, (size_t)scored->hard[i], 5);
    /* One step per item. */
    assert_int_equal(curve.n_points, 11);
    assert_int_equal(curve.n_short, 4);
    assert_near(curve.points[10].accuracy.estimate, sum / 10, 1e-15);
    assert_near(curve.points[10].answers, 3, 0);
    assert_near(curve.points[10].seconds, 5.0 * (4 + 5 + 6 + 7 + 8 + 9) / 10, 1e-14);
    sl_defer_curve_release(&curve);
    options.seconds_per_answer = 2;
    assert_ok(sl_defer(scored, recorded, &options, &curve, &err), err);
    assert_near(curve.points[10].seconds, 6, 1e-14);
    sl_defer_curve_release(&curve);
    options.n_people = 6;
    assert_fails(sl_defer(scored, recorded, &options, &curve, &err), SL_ERR_INPUT, err,
                 "no item has the answers of 6 people");
    options.n_people = 0;
    assert_fails(sl_defer(scored, recorded, &options, &curve, &err), SL_ERR_USAGE, err,
                 "0 people cannot vote");
    options.n_people = SL_MOST_PEOPLE + 1;
    assert_fails(sl_defer(scored, recorded, &options, &curve, &err), SL_ERR_USAGE, err,
                 "give 1 to 99");
    recorded->n = 9;
    options.n_people = 1;
    assert_fails(sl_defer(scored, recorded, &options, &curve, &err), SL_ERR_USAGE, err,
                 "answers to (9, 4)");
    sl_recorded_destroy(recorded);
    sl_scored_destroy(scored);
}

/* The classifier is unsure of the first 100 of 300 items, and wrong; people are always right. */
static void test_marks_are_where_the_wrong_items_end(void **state)
{
    (void)state;
    enum { MANY = 300 };
    float predicted[3 * MANY], human[3 * MANY] = {0};
    struct sl_recorded *recorded;
    struct sl_error err;
    assert_ok(sl_recorded_create(MANY, 3, &recorded, &err), err);
    for (size_t i = 0; i < MANY; i++) {
        const float wrong[] = {0.25F, 0.375F, 0.375F}, right[] = {0.875F, 0.0625F, 0.0625F};
        memcpy(predicted + 3 * i, i < 100 ? wrong : right, sizeof wrong);
        human[3 * i] = 1;
        recorded->counts[3 * i] = 3;
    }
    struct sl_scored *scored = test_score(predicted, human, MANY, 3);
    for (const struct sl_certainty *by = sl_certainties; by->name; by++) {
        struct sl_defer_options options = options_of(3);
        struct sl_defer_curve curve;
        options.by = by;
        assert_ok(sl_defer(scored, recorded, &options, &curve, &err), err);
        assert_near(curve.points[0].accuracy.estimate, 200.0 / 300, 0);
        assert_near(curve.points[10].accuracy.estimate, 230.0 / 300, 1e-15);
        assert_int_equal(curve.better, 1);
        /* The first share that sends all wrong items: a third, rounded down, is 99. */
        assert_int_equal(curve.best, 34);
        assert_near(curve.points[34].accuracy.estimate, 1, 0);
        assert_true(curve.as_people <= 34 && curve.as_people > 20);
        assert_near(curve.points[20].gain_per_answer.estimate, 1.0 / 3, 1e-14);
        sl_defer_curve_release(&curve);
    }
    /* People who are always wrong never help. */
    for (size_t i = 0; i < MANY; i++) {
        recorded->counts[3 * i] = 0;
        recorded->counts[3 * i + 1] = 3;
    }
    const struct sl_defer_options options = options_of(3);
    struct sl_defer_curve curve;
    assert_ok(sl_defer(scored, recorded, &options, &curve, &err), err);
    assert_true(curve.better == SIZE_MAX);
    assert_int_equal(curve.best, 0);
    assert_int_equal(curve.as_people, 0);
    assert_near(curve.points[100].accuracy.estimate, 0, 0);
    sl_defer_curve_release(&curve);
    sl_recorded_destroy(recorded);
    sl_scored_destroy(scored);
}

/* .4 .35 .25 is more confident than .39 .305 .305, has the smaller margin and, by its third class,
 * the smaller entropy. */
static void test_orders_differ(void **state)
{
    (void)state;
    static const float predicted[] = {0.4F, 0.35F, 0.25F, 0.39F, 0.305F, 0.305F};
    static const float human[] = {0, 1, 0, 0, 1, 0};
    static const size_t first_sent[] = {1, 0, 1}; /* by the rows of the table */
    struct sl_scored *scored = test_score(predicted, human, 2, 3);
    struct sl_recorded *recorded;
    struct sl_error err;
    assert_ok(sl_recorded_create(2, 3, &recorded, &err), err);
    recorded->counts[1] = 1; /* only the answer to item 0 is right */
    recorded->counts[3] = 1;
    assert_null(sl_certainties[3].name);
    for (size_t c = 0; c < 3; c++) {
        struct sl_defer_options options = options_of(1);
        struct sl_defer_curve curve;
        options.by = &sl_certainties[c];
        assert_ok(sl_defer(scored, recorded, &options, &curve, &err), err);
        assert_int_equal(curve.n_points, 3);
        assert_near(curve.points[1].accuracy.estimate, first_sent[c] == 0 ? 0.5 : 0, 0);
        assert_ptr_equal(curve.by, &sl_certainties[c]);
        sl_defer_curve_release(&curve);
    }
    sl_recorded_destroy(recorded);
    sl_scored_destroy(scored);
}

static void test_threads_change_no_bit(void **state)
{
    (void)state;
    struct sl_recorded *recorded;
    struct sl_scored *scored = study(N, 5, &recorded);
    struct sl_defer_options options = options_of(3);
    struct sl_defer_curve alone, shared;
    struct sl_error err;
    assert_ok(sl_defer(scored, recorded, &options, &alone, &err), err);
    assert_ok(sl_pool_create(3, &options.pool, &err), err);
    assert_ok(sl_defer(scored, recorded, &options, &shared, &err), err);
    for (size_t p = 1; p < alone.n_points; p++) {
        assert_memory_equal(&alone.points[p].accuracy, &shared.points[p].accuracy,
                            sizeof(struct sl_interval));
        assert_memory_equal(&alone.points[p].gain_per_answer, &shared.points[p].gain_per_answer,
                            sizeof(struct sl_interval));
    }
    sl_pool_destroy(options.pool);
    sl_defer_curve_release(&alone);
    sl_defer_curve_release(&shared);
    sl_recorded_destroy(recorded);
    sl_scored_destroy(scored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_ends_are_the_classifier_and_the_people),
        cmocka_unit_test(test_every_point_is_counted_one_by_one),
        cmocka_unit_test(test_intervals_are_those_of_sending_within_each_resample),
        cmocka_unit_test(test_items_with_few_answers_stay_with_the_classifier),
        cmocka_unit_test(test_marks_are_where_the_wrong_items_end),
        cmocka_unit_test(test_orders_differ),
        cmocka_unit_test(test_threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
