#include "softlab/dataset/corruption.h"

#include "support.h"

static void test_names_choose_rows_in_the_order_of_the_table(void **state)
{
    (void)state;
    const struct sl_corruption *chosen[SL_CORRUPTIONS + 1];
    struct sl_error err;
    assert_ok(sl_corruptions_choose("snow,gaussian_noise,snow", chosen, &err), err);
    assert_string_equal(chosen[0]->name, "gaussian_noise");
    assert_string_equal(chosen[1]->name, "snow");
    assert_null(chosen[2]);
    assert_ok(sl_corruptions_choose(NULL, chosen, &err), err);
    for (size_t i = 0; i < SL_CORRUPTIONS; i++)
        assert_ptr_equal(chosen[i], &sl_corruptions[i]);
    assert_null(chosen[SL_CORRUPTIONS]);
    assert_fails(sl_corruptions_choose("fog,snoww", chosen, &err), SL_ERR_USAGE, err,
                 "no corruption is called \"snoww\", did you mean \"snow\"?");
}

static void test_severities_are_sorted_and_checked(void **state)
{
    (void)state;
    static const double good[] = {5, 2, 2}, bad[] = {0, 6, 1.5, (double)NAN};
    struct sl_corrupt_options options = sl_corrupt_options_default();
    struct sl_error err;
    assert_ok(sl_corrupt_set_severities(&options, good, 3, &err), err);
    assert_int_equal(options.n_severities, 2);
    assert_int_equal(options.severities[0], 2);
    assert_int_equal(options.severities[1], 5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(sl_corrupt_set_severities(&options, bad + i, 1, &err), SL_ERR_USAGE, err,
                     "is not");
    assert_int_equal(options.n_severities, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_choose_rows_in_the_order_of_the_table),
        cmocka_unit_test(test_severities_are_sorted_and_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
