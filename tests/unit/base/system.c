#include "support.h"

static void test_the_version_has_three_numbers(void **state)
{
    (void)state;
    const char *at = sl_version();
    for (int number = 0; number < 3; number++) {
        size_t digits = strspn(at, "0123456789");
        assert_true(digits > 0);
        at += digits;
        assert_int_equal(*at, number < 2 ? '.' : '\0');
        at += number < 2;
    }
}

static void test_the_build_id_is_a_commit_or_unknown(void **state)
{
    (void)state;
    const char *id = sl_build_id();
    if (strcmp(id, "unknown") == 0) return;
    size_t digits = strspn(id, "0123456789abcdef");
    assert_true(digits >= 12);
    assert_true(id[digits] == '\0' || strcmp(id + digits, "+") == 0);
}

static void test_the_compiler_is_named(void **state)
{
    (void)state;
    assert_true(strncmp(sl_compiler(), "gcc ", 4) == 0 || strncmp(sl_compiler(), "clang ", 6) == 0);
    assert_true(strlen(sl_compiler()) > 6);
}

static void test_every_dependency_has_a_version(void **state)
{
    (void)state;
    struct sl_dependency all[32];
    size_t count = sl_dependencies(all, 32);
    assert_in_range(count, 10, 11); /* libpq may be left out */
    for (size_t i = 0; i < count; i++) {
        assert_true(all[i].version[0] >= '0' && all[i].version[0] <= '9');
        assert_non_null(strchr(all[i].version, '.'));
        if (i > 0) assert_true(strcmp(all[i - 1].name, all[i].name) < 0);
    }
}

static void test_a_small_capacity_is_respected(void **state)
{
    (void)state;
    struct sl_dependency some[3] = {{"", ""}, {"", ""}, {"kept", "kept"}};
    const size_t count = sl_dependencies(NULL, 0);
    assert_int_equal(sl_dependencies(some, 2), count);
    assert_string_equal(some[1].name, "libcurl");
    assert_string_equal(some[2].name, "kept");
    assert_in_range(count, 10, 11);
}

static void test_the_processor_is_consistent_with_itself(void **state)
{
    (void)state;
    struct sl_cpu cpu, again;
    sl_cpu_detect(&cpu);
    sl_cpu_detect(&again);
    assert_string_equal(cpu.model, again.model);
    assert_true(!cpu.avx2 || cpu.avx);
    assert_true(!cpu.avx || cpu.sse42);
    size_t length = strlen(cpu.model);
    assert_true(length == 0 || (cpu.model[0] != ' ' && cpu.model[length - 1] != ' '));
    print_message("%s: sse4.2 %d, avx %d, avx2 %d, fma %d, avx512f %d\n", cpu.model, cpu.sse42,
                  cpu.avx, cpu.avx2, cpu.fma, cpu.avx512f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_version_has_three_numbers),
        cmocka_unit_test(test_the_build_id_is_a_commit_or_unknown),
        cmocka_unit_test(test_the_compiler_is_named),
        cmocka_unit_test(test_every_dependency_has_a_version),
        cmocka_unit_test(test_a_small_capacity_is_respected),
        cmocka_unit_test(test_the_processor_is_consistent_with_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
