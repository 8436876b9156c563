#include "softlab/experiment/select.h"

#include "softlab/experiment/contract.h"
#include "support.h"

static size_t count_names(char *const *names)
{
    size_t count = 0;
    while (names[count])
        count++;
    return count;
}

static void test_a_paper_stands_for_its_tables(void **state)
{
    (void)state;
    char *words[] = {(char[]){"collins2022"}, (char[]){"mine"}};
    char **names = sl_experiments_asked(words, 2);
    const size_t count = count_names(names);
    size_t n_tables = 0;
    for (size_t i = 0; sl_builtin_specs[i]; i++)
        n_tables += strncmp(sl_builtin_specs[i], "collins2022/", 12) == 0;
    assert_true(n_tables > 1);
    assert_int_equal(count, n_tables + 1);
    for (size_t i = 0; i < n_tables; i++)
        assert_int_equal(strncmp(names[i], "collins2022/", 12), 0);
    assert_string_equal(names[n_tables], "mine");
    sl_names_destroy(names);
}

static void test_all_stands_for_every_table(void **state)
{
    (void)state;
    char *words[] = {(char[]){"ALL"}};
    char **names = sl_experiments_asked(words, 1);
    for (size_t i = 0; sl_builtin_specs[i]; i++)
        assert_string_equal(names[i], sl_builtin_specs[i]);
    sl_names_destroy(names);
}

static void test_other_words_stand_for_themselves(void **state)
{
    (void)state;
    /* The beginning of a paper's name is no paper. */
    char *words[] = {(char[]){"collins2022/table2"}, (char[]){"collins"},
                     (char[]){"mine/spec.json"}};
    char **names = sl_experiments_asked(words, 3);
    assert_int_equal(count_names(names), 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(names[i], words[i]);
    sl_names_destroy(names);
    names = sl_experiments_asked(NULL, 0);
    assert_null(names[0]);
    sl_names_destroy(names);
}

static void test_a_folder_stands_for_itself(void **state)
{
    (void)state;
    struct sl_error err;
    char here[4096], *words[] = {(char[]){"collins2022"}};
    assert_non_null(getcwd(here, sizeof here));
    assert_ok(sl_folder_create(test_path("collins2022"), &err), err);
    assert_int_equal(chdir(test_path("")), 0);
    char **names = sl_experiments_asked(words, 1);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(count_names(names), 1);
    assert_string_equal(names[0], "collins2022");
    sl_names_destroy(names);
}

static void test_shards_are_read(void **state)
{
    static const char *const bad[] = {"", "2", "/8", "2/", "0/8", "9/8", "2/8x", "-1/8", "1/0"};
    (void)state;
    size_t index = 7, count = 7;
    struct sl_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(sl_shard_read(bad[i], &index, &count, &err), SL_ERR_USAGE, err, "I/N");
    assert_int_equal(index, 7);
    assert_int_equal(count, 7);
    assert_ok(sl_shard_read("2/8", &index, &count, &err), err);
    assert_int_equal(index, 1);
    assert_int_equal(count, 8);
    assert_ok(sl_shard_read("1/1", &index, &count, &err), err);
    assert_int_equal(index, 0);
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_paper_stands_for_its_tables),
        cmocka_unit_test(test_all_stands_for_every_table),
        cmocka_unit_test(test_other_words_stand_for_themselves),
        cmocka_unit_test(test_a_folder_stands_for_itself),
        cmocka_unit_test(test_shards_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
