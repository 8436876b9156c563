#include <signal.h>
#include <sys/wait.h>

#include "support.h"

static void test_allocations_are_zeroed_and_may_be_empty(void **state)
{
    (void)state;
    unsigned char *bytes = sl_alloc(1000, 1);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(bytes[i], 0);
    free(bytes);
    free(sl_alloc(0, 8));
    free(sl_alloc(8, 0));
}

static void test_resizing_keeps_the_content(void **state)
{
    (void)state;
    int *numbers = sl_alloc(2, sizeof *numbers);
    numbers[1] = 7;
    numbers = sl_resize(numbers, 1000, sizeof *numbers);
    assert_int_equal(numbers[1], 7);
    free(sl_resize(numbers, 0, sizeof *numbers));
}

static void test_a_product_that_overflows_ends_the_process(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        assert_non_null(freopen("/dev/null", "w", stderr));
        free(sl_resize(NULL, SIZE_MAX / 2, 3));
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void test_strings_are_copied_whole_in_part_and_formatted(void **state)
{
    (void)state;
    char *whole = sl_string_copy("label");
    char *part = sl_string_copy_n("label", 3);
    char *none = sl_string_copy_n(NULL, 0);
    char *made = sl_string_printf("%s-%d", "run", 12);
    char *empty = sl_string_printf("%s", "");
    assert_string_equal(whole, "label");
    assert_string_equal(part, "lab");
    assert_string_equal(none, "");
    assert_string_equal(made, "run-12");
    assert_string_equal(empty, "");
    free(whole);
    free(part);
    free(none);
    free(made);
    free(empty);
}

static void test_data_is_aligned_to_64_bytes(void **state)
{
    (void)state;
    struct sl_error err;
    for (size_t count = 0; count < 200; count += 13) {
        char *data = sl_data_alloc(count, 1, &err);
        assert_non_null(data);
        assert_int_equal((uintptr_t)data % 64, 0);
        if (count) memset(data, 1, count);
        free(data);
    }
}

static void test_data_beyond_the_address_space_is_an_error_not_the_end(void **state)
{
    (void)state;
    struct sl_error err = {0};
    assert_null(sl_data_alloc(SIZE_MAX / 2, 3, &err));
    assert_int_equal(err.code, SL_ERR_NOMEM);
    assert_non_null(strstr(err.message, "x 3 bytes"));
    assert_null(sl_data_alloc(SIZE_MAX - 10, 1, &err)); /* rounding up would overflow */
    assert_null(sl_data_alloc(SIZE_MAX, SIZE_MAX, NULL));
}

static void test_an_arena_hands_out_zeroed_aligned_separate_blocks(void **state)
{
    (void)state;
    struct sl_arena arena;
    sl_arena_init(&arena, 1 << 20);
    unsigned char *blocks[300];
    for (size_t i = 0; i < 300; i++) {
        size_t size = i * 3 + 1;
        blocks[i] = sl_arena_alloc(&arena, size);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < size; j++)
            assert_int_equal(blocks[i][j], 0);
        memset(blocks[i], (int)(i % 251) + 1, size);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t j = 0; j < i * 3 + 1; j++)
            assert_int_equal(blocks[i][j], i % 251 + 1);
    sl_arena_release(&arena);
    assert_int_equal(arena.used, 0);
}

static void test_an_arena_stops_at_its_maximum(void **state)
{
    (void)state;
    struct sl_arena arena;
    sl_arena_init(&arena, 100);
    assert_null(sl_arena_alloc(&arena, 101));
    assert_non_null(sl_arena_alloc(&arena, 60));
    assert_null(sl_arena_alloc(&arena, 41));
    assert_non_null(sl_arena_alloc(&arena, 40));
    assert_null(sl_arena_alloc(&arena, 1));
    assert_non_null(sl_arena_alloc(&arena, 0));
    sl_arena_release(&arena);
    assert_non_null(sl_arena_alloc(&arena, 100)); /* starts anew */
    sl_arena_release(&arena);
}

static void test_an_arena_without_maximum_refuses_the_impossible(void **state)
{
    (void)state;
    struct sl_arena arena;
    sl_arena_init(&arena, SIZE_MAX);
    assert_null(sl_arena_alloc(&arena, SIZE_MAX));
    assert_null(sl_arena_alloc(&arena, SIZE_MAX - 5));
    assert_null(sl_arena_copy(&arena, "x", SIZE_MAX));
    sl_arena_release(&arena);
}

static void test_arena_copies_are_terminated_and_count_their_nul(void **state)
{
    (void)state;
    struct sl_arena arena;
    sl_arena_init(&arena, 4);
    assert_null(sl_arena_copy(&arena, "abcd", 4));
    assert_string_equal(sl_arena_copy(&arena, "abcd", 3), "abc");
    sl_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocations_are_zeroed_and_may_be_empty),
        cmocka_unit_test(test_resizing_keeps_the_content),
        cmocka_unit_test(test_a_product_that_overflows_ends_the_process),
        cmocka_unit_test(test_strings_are_copied_whole_in_part_and_formatted),
        cmocka_unit_test(test_data_is_aligned_to_64_bytes),
        cmocka_unit_test(test_data_beyond_the_address_space_is_an_error_not_the_end),
        cmocka_unit_test(test_an_arena_hands_out_zeroed_aligned_separate_blocks),
        cmocka_unit_test(test_an_arena_stops_at_its_maximum),
        cmocka_unit_test(test_an_arena_without_maximum_refuses_the_impossible),
        cmocka_unit_test(test_arena_copies_are_terminated_and_count_their_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
