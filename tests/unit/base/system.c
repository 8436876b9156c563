#include "support.h"

#include <sys/stat.h>

#include "base/limits.h"

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

/* ---- Memory ---- */

static void write_text(const char *name, const char *text)
{
    test_write(test_path(name), text, strlen(text));
}

/* The folders of a machine with 1000 kB free and a process in /job/task of version 2 and in /old of
 * version 1. */
static void make_machine(void)
{
    static const char *const folders[] = {
        "proc",          "proc/self",        "groups", "groups/job", "groups/job/task",
        "groups/memory", "groups/memory/old"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        (void)mkdir(test_path(folders[i]), 0777);
    write_text("proc/meminfo", "MemFree:  7 kB\nMemAvailable:    1000 kB\n");
    write_text("proc/self/cgroup", "4:memory:/old\n1:cpu:/\n0::/job/task\n");
}

static size_t free_here(void)
{
    char *proc = sl_string_copy(test_path("proc"));
    const size_t bytes = sl_memory_free_in(proc, test_path("groups"));
    free(proc);
    return bytes;
}

static void test_free_memory_is_the_least_of_the_machine_and_its_control_groups(void **state)
{
    (void)state;
    assert_int_equal(sl_memory_free_in("/nonexistent", "/nonexistent"), SIZE_MAX);
    make_machine();
    assert_int_equal(free_here(), 1000 << 10);
    write_text("groups/job/task/memory.max", "max\n");
    write_text("groups/job/task/memory.current", "500\n");
    assert_int_equal(free_here(), 1000 << 10);
    /* The limit of the group above counts; pages of files do not count as used. */
    write_text("groups/job/memory.max", "90000\n");
    write_text("groups/job/memory.current", "50000\n");
    assert_int_equal(free_here(), 40000);
    write_text("groups/job/memory.stat", "anon 17\ninactive_file 1000\nactive_file 200\n");
    assert_int_equal(free_here(), 41200);
    write_text("groups/memory/old/memory.limit_in_bytes", "30000\n");
    write_text("groups/memory/old/memory.usage_in_bytes", "20000\n");
    write_text("groups/memory/old/memory.stat", "inactive_file 1\ntotal_inactive_file 5000\n");
    assert_int_equal(free_here(), 15000);
    write_text("groups/memory/old/memory.usage_in_bytes", "70000\n");
    assert_int_equal(free_here(), 0);
}

static void test_this_machine_has_free_memory(void **state)
{
    (void)state;
    assert_true(sl_memory_free() > 0);
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
        cmocka_unit_test(test_free_memory_is_the_least_of_the_machine_and_its_control_groups),
        cmocka_unit_test(test_this_machine_has_free_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
