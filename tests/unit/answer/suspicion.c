#include "softlab/answer/suspicion.h"

#include "answer_support.h"
#include "softlab/base/random.h"

enum { CLASSES = 8, ITEMS = 50, TRIALS = 25, EACH = 20 };
static const char *const class_names[] = {"a", "b", "c", "d", "e", "f", "g", "h", NULL};

/* How a simulated annotator chooses a class and takes time. */
enum habit { CAREFUL, FIRST, RANDOM, IN_TURN };
struct person {
    enum habit habit;
    size_t first;             /* the class of FIRST and IN_TURN */
    double seconds, spread;   /* median, and standard deviation of the logarithm */
    double accuracy;          /* of CAREFUL */
    enum sl_answer_kind kind; /* HARD or SOFT */
    size_t trials;
};

static const struct person careful = {CAREFUL, 0, 1.8, .4, .85, SL_ANSWER_HARD, TRIALS};
static const struct person script = {FIRST, 0, 1.3, .03, 0, SL_ANSWER_HARD, TRIALS};

static struct sl_answers *answers_create(void)
{
    struct sl_error err;
    struct sl_answers *answers = NULL;
    assert_ok(sl_answers_create(class_names, CLASSES, &answers, &err), err);
    return answers;
}

static uint32_t choose(const struct person *person, size_t truth, size_t trial, struct sl_rng *rng)
{
    switch (person->habit) {
    case CAREFUL:
        return (uint32_t)(sl_rng_uniform(rng) < person->accuracy ? truth
                                                                 : sl_rng_below(rng, CLASSES));
    case FIRST: return (uint32_t)person->first;
    case IN_TURN: return (uint32_t)((person->first + trial % 2) % CLASSES);
    case RANDOM: break;
    }
    return (uint32_t)sl_rng_below(rng, CLASSES);
}

static void add(struct sl_answers *answers, const char *item, const char *who,
                enum sl_answer_kind kind, uint32_t class_index, float probability, double seconds)
{
    struct sl_error err;
    struct sl_answer answer = sl_answer_empty();
    const struct sl_belief top = {class_index, kind == SL_ANSWER_SOFT ? probability : NAN};
    answer.item = (struct sl_field){item, strlen(item)};
    answer.annotator = (struct sl_field){who, strlen(who)};
    answer.kind = kind;
    answer.top = &top;
    answer.n_top = 1;
    answer.ms = 1000 * seconds;
    assert_ok(sl_answers_add(answers, &answer, &err), err);
}

/* Item i of all has the class i % CLASSES, or everything is of class 2. */
static void add_person(struct sl_answers *answers, const struct person *person, size_t number,
                       bool one_class)
{
    struct sl_rng rng;
    char who[32];
    snprintf(who, sizeof who, "p%zu", number);
    sl_rng_init(&rng, 1, "test.suspicion", person->habit, number);
    for (size_t trial = 0; trial < person->trials; trial++) {
        const size_t item = (trial + TRIALS * (number % 2)) % ITEMS;
        char name[32];
        snprintf(name, sizeof name, "i%zu", item);
        const uint32_t said = choose(person, one_class ? 2 : item % CLASSES, trial, &rng);
        const double seconds = person->seconds * exp(person->spread * sl_rng_normal(&rng));
        add(answers, name, who, person->kind, said, (float)(.5 + .05 * (double)(trial % 10)),
            seconds);
    }
}

static struct sl_suspicions measure(const struct sl_answers *answers)
{
    struct sl_error err;
    struct sl_quality quality;
    struct sl_suspicions suspicions;
    assert_ok(sl_quality_measure(answers, NULL, &quality, &err), err);
    assert_ok(sl_suspicion_measure(answers, &quality, NULL, &suspicions, &err), err);
    sl_quality_release(&quality);
    for (size_t a = 0; a < suspicions.n_annotators; a++) {
        const struct sl_suspicion *one = &suspicions.annotators[a];
        assert_true(one->score >= 0 && one->score <= 1);
        assert_int_equal(one->flagged, one->score >= SL_SUSPICION_FLAG);
        assert_true(!one->flagged || one->n_reasons > 0);
    }
    return suspicions;
}

static size_t count_flagged(const struct sl_suspicions *suspicions, size_t from, size_t to)
{
    size_t count = 0;
    for (size_t a = from; a < to; a++)
        count += suspicions->annotators[a].flagged;
    return count;
}

/* Twenty careful people, then twenty of the other kind, whose class is their own or the same. */
static struct sl_suspicions measure_half(const struct person *other,
                                         const struct person *careful_one, bool same_class)
{
    struct sl_answers *answers = answers_create();
    for (size_t i = 0; i < EACH; i++)
        add_person(answers, careful_one, i, false);
    for (size_t i = 0; i < EACH; i++) {
        struct person one = *other;
        one.first = same_class ? 0 : i % CLASSES;
        add_person(answers, &one, EACH + i, false);
    }
    struct sl_suspicions suspicions = measure(answers);
    assert_int_equal(suspicions.n_annotators, 2 * EACH);
    sl_answers_destroy(answers);
    return suspicions;
}

static void test_who_presses_one_key_is_flagged_and_who_looks_is_not(void **state)
{
    (void)state;
    struct person slow = script;
    slow.seconds = 1.8;
    slow.spread = .4;
    const struct person *const others[] = {&script, &slow};
    for (size_t i = 0; i < 2; i++)
        for (int same_class = 0; same_class < 2; same_class++) {
            struct sl_suspicions found = measure_half(others[i], &careful, same_class);
            assert_int_equal(count_flagged(&found, 0, EACH), 0);
            assert_int_equal(count_flagged(&found, EACH, 2 * EACH), EACH);
            assert_int_equal(found.n_flagged, EACH);
            assert_non_null(strstr(found.annotators[EACH].reasons[0], "always the same class"));
            sl_suspicions_release(&found);
        }
}

static void test_classes_in_turn_and_at_random_are_found(void **state)
{
    (void)state;
    const struct person in_turn = {IN_TURN, 0, 1.8, .4, 0, SL_ANSWER_HARD, TRIALS};
    const struct person random = {RANDOM, 0, 1.8, .4, 0, SL_ANSWER_HARD, TRIALS};
    const struct person *const others[] = {&in_turn, &random};
    for (size_t i = 0; i < 2; i++) {
        struct sl_suspicions found = measure_half(others[i], &careful, false);
        assert_int_equal(count_flagged(&found, 0, EACH), 0);
        assert_true(count_flagged(&found, EACH, 2 * EACH) >= 15); /* 25 answers of 8 classes */
        assert_non_null(
            strstr(found.annotators[EACH].reasons[0], "hardly more often than by chance"));
        sl_suspicions_release(&found);
    }
}

/* Impossible times are suspicious even if the classes are right; being quick is not. */
static void test_times_alone_flag_only_if_they_are_fast_and_even(void **state)
{
    (void)state;
    struct person slow = careful, hasty = careful, quick = careful;
    slow.seconds = 32;
    slow.kind = hasty.kind = quick.kind = SL_ANSWER_SOFT;
    hasty.seconds = 1.3;
    hasty.spread = .03;
    quick.seconds = 1.3;
    struct sl_suspicions found = measure_half(&hasty, &slow, false);
    assert_int_equal(count_flagged(&found, 0, EACH), 0);
    assert_int_equal(count_flagged(&found, EACH, 2 * EACH), EACH);
    assert_non_null(strstr(found.annotators[EACH].reasons[0], "1.3 s"));
    sl_suspicions_release(&found);
    found = measure_half(&quick, &slow, false);
    assert_int_equal(found.n_flagged, 0);
    sl_suspicions_release(&found);
}

/* If all annotators of a batch choose its only class, none is suspicious. */
static void test_a_batch_of_one_class_makes_nobody_suspicious(void **state)
{
    (void)state;
    struct sl_answers *answers = answers_create();
    for (size_t i = 0; i < 6; i++)
        add_person(answers, &careful, i, true);
    struct sl_suspicions found = measure(answers);
    assert_int_equal(found.n_flagged, 0);
    sl_suspicions_release(&found);
    sl_answers_destroy(answers);
}

/* Three answers are too few to judge; so is one class on items that nobody else answered. */
static void test_little_is_not_enough(void **state)
{
    (void)state;
    struct sl_answers *answers = answers_create();
    struct person few = script;
    few.trials = 3;
    for (size_t i = 0; i < 6; i++)
        add_person(answers, &careful, i, false);
    add_person(answers, &few, 6, false);
    for (size_t i = 0; i < TRIALS; i++) {
        char item[32];
        snprintf(item, sizeof item, "own%zu", i);
        add(answers, item, "alone", SL_ANSWER_HARD, 3, NAN, 1 + (double)(i % 7));
    }
    struct sl_suspicions found = measure(answers);
    assert_int_equal(found.n_annotators, 8);
    assert_int_equal(found.n_flagged, 0);
    assert_true(found.annotators[7].evidence[SL_SUSPECT_HABIT] > 1);
    sl_suspicions_release(&found);
    sl_answers_destroy(answers);
}

/* Times in whole seconds are often equal by rounding, which is not suspicious. */
static void test_rounded_times_are_not_even(void **state)
{
    (void)state;
    struct sl_answers *answers = answers_create();
    for (size_t i = 0; i < 8; i++)
        for (size_t trial = 0; trial < TRIALS; trial++) {
            char item[32], who[32];
            snprintf(item, sizeof item, "i%zu", trial);
            snprintf(who, sizeof who, "p%zu", i);
            add(answers, item, who, SL_ANSWER_HARD, (uint32_t)trial % CLASSES, NAN,
                i == 0 ? 2 : 1 + (double)(trial % 5));
        }
    struct sl_suspicions found = measure(answers);
    assert_true(found.annotators[0].evidence[SL_SUSPECT_EVEN] < 2);
    assert_int_equal(found.n_flagged, 0);
    sl_suspicions_release(&found);
    sl_answers_destroy(answers);
}

static void add_flagged(struct sl_answers *answers, const char *item, unsigned flags,
                        uint32_t class_index, int32_t truth)
{
    struct sl_error err;
    struct sl_answer answer = sl_answer_empty();
    const struct sl_belief top = {class_index, NAN};
    answer.item = (struct sl_field){item, strlen(item)};
    answer.annotator = (struct sl_field){"p0", 2};
    answer.kind = SL_ANSWER_HARD;
    answer.top = &top;
    answer.n_top = 1;
    answer.flags = flags;
    answer.truth = truth;
    assert_ok(sl_answers_add(answers, &answer, &err), err);
}

static void test_checks_and_repeats_count_for_and_against(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct sl_answers *answers = answers_create();
        const struct person noisy = {CAREFUL, 0, 1.8, .4, 1, SL_ANSWER_HARD, TRIALS};
        for (size_t i = 0; i < 6; i++)
            add_person(answers, &noisy, i, false);
        for (uint32_t i = 0; i < 3; i++) {
            char item[32];
            snprintf(item, sizeof item, "i%u", i);
            add_flagged(answers, item, SL_ANSWER_REPEAT, wrong ? i + 1 : i, -1);
            add_flagged(answers, "check", SL_ANSWER_CHECK, wrong ? 1 : 0, 0);
        }
        struct sl_suspicions found = measure(answers);
        const struct sl_suspicion *first = &found.annotators[0];
        assert_true((first->evidence[SL_SUSPECT_CHECKS] > 0) == wrong);
        assert_true((first->evidence[SL_SUSPECT_REPEATS] > 0) == wrong);
        if (wrong) assert_string_equal(first->reasons[0], "3 of 3 checks wrong");
        if (wrong) assert_string_equal(first->reasons[1], "a different class in 3 of 3 repeats");
        assert_false(first->flagged);
        sl_suspicions_release(&found);
        sl_answers_destroy(answers);
    }
}

static void test_nobody_is_nobody(void **state)
{
    (void)state;
    struct sl_answers *answers = answers_create();
    struct sl_suspicions found = measure(answers);
    assert_int_equal(found.n_annotators, 0);
    sl_suspicions_release(&found);
    add(answers, "i", "p", SL_ANSWER_HARD, 0, NAN, 1);
    found = measure(answers);
    assert_int_equal(found.n_annotators, 1);
    assert_int_equal(found.n_flagged, 0);
    sl_suspicions_release(&found);
    sl_answers_destroy(answers);
    for (size_t s = 0; s < SL_SUSPECT_COUNT; s++)
        assert_non_null(sl_suspicion_names[s]);
}

/* All of them were paid and kept: at most one in fifty may be suspicious. */
static void test_few_of_cifar10s_s_annotators_are_flagged(void **state)
{
    (void)state;
    const char *path = test_data("cifar10s/raw_human_data.csv");
    if (!path) skip();
    struct sl_answers *answers = import_file("cifar10s-raw", path, NULL);
    struct sl_suspicions found = measure(answers);
    assert_int_equal(found.n_annotators, 248);
    assert_true(found.n_flagged <= 4);
    sl_suspicions_release(&found);
    sl_answers_destroy(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_presses_one_key_is_flagged_and_who_looks_is_not),
        cmocka_unit_test(test_classes_in_turn_and_at_random_are_found),
        cmocka_unit_test(test_times_alone_flag_only_if_they_are_fast_and_even),
        cmocka_unit_test(test_a_batch_of_one_class_makes_nobody_suspicious),
        cmocka_unit_test(test_little_is_not_enough),
        cmocka_unit_test(test_rounded_times_are_not_even),
        cmocka_unit_test(test_checks_and_repeats_count_for_and_against),
        cmocka_unit_test(test_nobody_is_nobody),
        cmocka_unit_test(test_few_of_cifar10s_s_annotators_are_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
