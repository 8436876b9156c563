#include <signal.h>
#include <sys/wait.h>

#include "softlab/base/json.h"
#include "support.h"

/* Under a sanitizer a hopeless request ends the program unless it is told to refuse. */
/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the sanitizers'. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:detect_leaks=0"; /* memory that guarded code held is lost */
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}
/* NOLINTEND(bugprone-reserved-identifier) */

enum { TOO_MUCH = 1 << 30 }; /* of TOO_MUCH bytes each: an exabyte */

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

/* The exit status of a child that asks for too much memory. */
static int end_of_child(void (*handler)(size_t bytes))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(100);
        sl_memory_on_exhausted(handler);
        free(sl_resize(NULL, SIZE_MAX / 2, 3));
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void end_with_three(size_t bytes)
{
    _exit(bytes == SIZE_MAX ? 3 : 4);
}

static void come_back(size_t bytes)
{
    (void)bytes;
}

static void test_without_guard_the_handler_ends_the_process_or_else_an_abort(void **state)
{
    (void)state;
    int status = end_of_child(NULL);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    status = end_of_child(end_with_three);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    status = end_of_child(come_back); /* which it must not */
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* ---- Guards ---- */

static enum sl_status ask_too_much(void *context, struct sl_error *err)
{
    int *reached = context;
    (void)err;
    *reached = 1;
    free(sl_alloc(TOO_MUCH, TOO_MUCH));
    *reached = 2;
    return SL_OK;
}

static enum sl_status copy_too_much(void *context, struct sl_error *err)
{
    (void)context, (void)err;
    free(sl_string_copy_n("", (size_t)TOO_MUCH * TOO_MUCH));
    return SL_OK;
}

static enum sl_status fail_otherwise(void *context, struct sl_error *err)
{
    (void)context;
    return sl_fail(err, SL_ERR_INPUT, "something else");
}

static enum sl_status succeed(void *context, struct sl_error *err)
{
    (void)err;
    free(sl_alloc(10, 10));
    *(int *)context = 5;
    return SL_OK;
}

static void test_a_guard_turns_exhaustion_into_an_error(void **state)
{
    (void)state;
    struct sl_error err = {0};
    int reached = 0;
    for (int again = 0; again < 2; again++) {
        assert_fails(sl_guard(ask_too_much, &reached, &err), SL_ERR_NOMEM, err,
                     "not enough memory for 1152921504606846976 more bytes");
        assert_int_equal(reached, 1);
    }
    assert_fails(sl_guard(copy_too_much, NULL, &err), SL_ERR_NOMEM, err, "not enough memory");
    assert_int_equal(sl_guard(ask_too_much, &reached, NULL), SL_ERR_NOMEM);
}

static void test_a_guard_leaves_everything_else_as_it_is(void **state)
{
    (void)state;
    struct sl_error err = {0};
    int result = 0;
    assert_fails(sl_guard(fail_otherwise, NULL, &err), SL_ERR_INPUT, err, "something else");
    assert_ok(sl_guard(succeed, &result, &err), err);
    assert_int_equal(result, 5);
}

static enum sl_status guard_within(void *context, struct sl_error *err)
{
    int reached = 0;
    struct sl_error inner;
    assert_int_equal(sl_guard(ask_too_much, &reached, &inner), SL_ERR_NOMEM);
    *(int *)context = 7; /* only the inner guard was left */
    return ask_too_much(&reached, err);
}

static void test_guards_stand_within_guards(void **state)
{
    (void)state;
    struct sl_error err;
    int result = 0;
    assert_int_equal(sl_guard(guard_within, &result, &err), SL_ERR_NOMEM);
    assert_int_equal(result, 7);
    int status = end_of_child(end_with_three); /* and none is left behind */
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static size_t count_files(const char *folder)
{
    char **names = NULL;
    size_t count = 0;
    struct sl_error err;
    assert_ok(sl_folder_list(folder, &names, &count, &err), err);
    sl_names_destroy(names);
    return count;
}

static enum sl_status write_and_ask(void *context, struct sl_error *err)
{
    struct sl_writer writer;
    SL_TRY(sl_writer_open(&writer, context, err));
    SL_TRY(sl_writer_write(&writer, "half", 4, err));
    int reached;
    return ask_too_much(&reached, err);
}

static void test_no_temporary_file_is_left_by_what_was_guarded(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_writer outside;
    char *folder = sl_string_copy(test_path("written"));
    char *path = sl_path_join(folder, "file"), *other = sl_path_join(folder, "other");
    assert_ok(sl_folder_create(folder, &err), err);
    assert_ok(sl_writer_open(&outside, other, &err), err);
    assert_int_equal(sl_guard(write_and_ask, path, &err), SL_ERR_NOMEM);
    assert_int_equal(count_files(folder), 1); /* a file that was being written outside the guard */
    assert_ok(sl_writer_write(&outside, "whole", 5, &err), err);
    assert_ok(sl_writer_commit(&outside, &err), err);
    sl_writer_discard(&outside);
    assert_true(sl_file_exists(other));
    assert_int_equal(count_files(folder), 1);
    free(other);
    free(path);
    free(folder);
}

static enum sl_status make_json(void *context, struct sl_error *err)
{
    (void)context, (void)err;
    char text[] = "x";
    json_decref(json_stringn_nocheck(text, 1));
    json_t *list = json_array();
    json_decref(list);
    return SL_OK;
}

static void test_json_goes_by_the_same_rules(void **state)
{
    (void)state;
    struct sl_error err;
    json_malloc_t take;
    json_free_t give;
    json_get_alloc_funcs(&take, &give);
    sl_json_use_memory();
    assert_ok(sl_guard(make_json, NULL, &err), err);
    json_malloc_t ours;
    json_get_alloc_funcs(&ours, NULL);
    assert_true(ours != take);
    json_set_alloc_funcs(take, give);
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

static void test_lists_of_strings_are_freed_with_and_without_their_array(void **state)
{
    (void)state;
    char *here[] = {sl_string_copy("a"), NULL, sl_string_copy("c")};
    sl_strings_release(here, 3); /* the leak checker counts them */
    char **list = sl_alloc(2, sizeof *list);
    list[1] = sl_string_copy("b");
    sl_strings_destroy(list, 2);
    sl_strings_destroy(NULL, 2);
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

static void test_data_may_be_zeroed_resized_and_copied(void **state)
{
    (void)state;
    struct sl_error err = {0};
    unsigned char *zeros = sl_data_zeroed(100, 3, &err);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(zeros[i], 0);
    zeros[299] = 7;
    zeros = sl_data_resize(zeros, 1000, 3, &err);
    assert_int_equal(zeros[299], 7);
    assert_null(sl_data_resize(zeros, TOO_MUCH, TOO_MUCH, &err));
    assert_int_equal(err.code, SL_ERR_NOMEM);
    assert_non_null(strstr(err.message, "1152921504606846976 bytes"));
    assert_int_equal(zeros[299], 7); /* as it was */
    assert_null(sl_data_resize(zeros, SIZE_MAX / 2, 3, &err));
    free(zeros);
    free(sl_data_zeroed(0, 8, &err));
    assert_null(sl_data_zeroed(TOO_MUCH, TOO_MUCH, &err));
    assert_null(sl_data_zeroed(SIZE_MAX / 2, 3, NULL));
    char *text = sl_data_string("label", 3, &err);
    assert_string_equal(text, "lab");
    free(text);
    assert_null(sl_data_string("", (size_t)TOO_MUCH * TOO_MUCH, &err));
    assert_null(sl_data_string("", SIZE_MAX, &err));
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
        cmocka_unit_test(test_without_guard_the_handler_ends_the_process_or_else_an_abort),
        cmocka_unit_test(test_a_guard_turns_exhaustion_into_an_error),
        cmocka_unit_test(test_a_guard_leaves_everything_else_as_it_is),
        cmocka_unit_test(test_guards_stand_within_guards),
        cmocka_unit_test(test_no_temporary_file_is_left_by_what_was_guarded),
        cmocka_unit_test(test_json_goes_by_the_same_rules),
        cmocka_unit_test(test_strings_are_copied_whole_in_part_and_formatted),
        cmocka_unit_test(test_lists_of_strings_are_freed_with_and_without_their_array),
        cmocka_unit_test(test_data_is_aligned_to_64_bytes),
        cmocka_unit_test(test_data_beyond_the_address_space_is_an_error_not_the_end),
        cmocka_unit_test(test_data_may_be_zeroed_resized_and_copied),
        cmocka_unit_test(test_an_arena_hands_out_zeroed_aligned_separate_blocks),
        cmocka_unit_test(test_an_arena_stops_at_its_maximum),
        cmocka_unit_test(test_an_arena_without_maximum_refuses_the_impossible),
        cmocka_unit_test(test_arena_copies_are_terminated_and_count_their_nul),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
