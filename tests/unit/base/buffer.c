#include "support.h"

/* Under a sanitizer a hopeless request ends the program unless it is told to refuse. */
/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the sanitizers'. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}
/* NOLINTEND(bugprone-reserved-identifier) */

static const size_t too_much = (size_t)1 << 60;

static void test_data_beyond_memory_is_remembered(void **state)
{
    (void)state;
    struct sl_buffer buffer, part;
    struct sl_error err;
    sl_buffer_init_data(&buffer, SIZE_MAX);
    sl_buffer_init(&part, SIZE_MAX);
    sl_buffer_text(&buffer, "kept");
    sl_buffer_append(&buffer, "", too_much); /* not read, because there is no room */
    assert_fails(sl_buffer_check(&buffer, "the text", &err), SL_ERR_NOMEM, err,
                 "not enough memory for the text beyond 4 bytes");
    assert_string_equal(buffer.data, "kept");
    sl_buffer_clear(&buffer);
    assert_ok(sl_buffer_check(&buffer, "the text", &err), err);
    assert_null(sl_buffer_reserve(&part, too_much)); /* the caller that reserves gets the error */
    sl_buffer_blame(&buffer, &part);
    assert_int_equal(sl_buffer_check(&buffer, "the text", &err), SL_ERR_NOMEM);
    sl_buffer_release(&part);
    sl_buffer_release(&buffer);
}

static enum sl_status append_too_much(void *context, struct sl_error *err)
{
    (void)err;
    sl_buffer_append(context, "", too_much);
    return SL_OK;
}

static void test_small_texts_beyond_memory_end_the_guarded_work(void **state)
{
    (void)state;
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, SIZE_MAX);
    assert_int_equal(sl_guard(append_too_much, &buffer, &err), SL_ERR_NOMEM);
    sl_buffer_release(&buffer);
}

static void test_appends_follow_one_another(void **state)
{
    (void)state;
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, 100);
    sl_buffer_text(&buffer, "one");
    sl_buffer_byte(&buffer, ' ');
    sl_buffer_append(&buffer, "two\0three", 9);
    sl_buffer_printf(&buffer, " %d%s", 4, "!");
    assert_ok(sl_buffer_check(&buffer, "text", &err), err);
    assert_int_equal(buffer.length, 16);
    assert_memory_equal(buffer.data, "one two\0three 4!", 17); /* with the NUL at the end */
    sl_buffer_release(&buffer);
    assert_null(buffer.data);
}

static void test_appending_nothing_makes_an_empty_string(void **state)
{
    (void)state;
    struct sl_buffer buffer;
    sl_buffer_init(&buffer, 0);
    sl_buffer_append(&buffer, NULL, 0);
    assert_string_equal(buffer.data, "");
    assert_false(buffer.overflowed);
    sl_buffer_release(&buffer);
}

static void test_a_buffer_holds_exactly_its_maximum(void **state)
{
    (void)state;
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, 5);
    sl_buffer_text(&buffer, "12345");
    assert_ok(sl_buffer_check(&buffer, "text", &err), err);
    sl_buffer_byte(&buffer, '6');
    assert_fails(sl_buffer_check(&buffer, "title", &err), SL_ERR_INPUT, err,
                 "title is longer than 5 bytes");
    assert_string_equal(buffer.data, "12345");
    sl_buffer_release(&buffer);
}

static void test_what_does_not_fit_is_remembered_until_cleared(void **state)
{
    (void)state;
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, 4);
    sl_buffer_text(&buffer, "ab");
    sl_buffer_printf(&buffer, "%d", 12345);
    sl_buffer_byte(&buffer, 'c');
    assert_string_equal(buffer.data, "abc");
    assert_int_equal(sl_buffer_check(&buffer, "text", NULL), SL_ERR_INPUT);
    sl_buffer_clear(&buffer);
    assert_ok(sl_buffer_check(&buffer, "text", &err), err);
    assert_string_equal(buffer.data, "");
    sl_buffer_release(&buffer);
}

static void test_a_buffer_grows_over_many_appends(void **state)
{
    (void)state;
    struct sl_buffer buffer;
    sl_buffer_init(&buffer, 100000);
    for (int i = 0; i < 100001; i++)
        sl_buffer_byte(&buffer, (char)('a' + i % 26));
    assert_true(buffer.overflowed);
    assert_int_equal(buffer.length, 100000);
    assert_true(buffer.capacity <= 100001);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(buffer.data[i], 'a' + i % 26);
    sl_buffer_release(&buffer);
}

static void test_reserved_room_is_written_by_the_caller(void **state)
{
    (void)state;
    struct sl_buffer buffer;
    sl_buffer_init(&buffer, 10);
    sl_buffer_text(&buffer, "ab");
    char *room = sl_buffer_reserve(&buffer, 8);
    assert_ptr_equal(room, buffer.data + 2);
    memset(room, 'x', 8);
    buffer.length += 8;
    assert_null(sl_buffer_reserve(&buffer, 1));
    assert_memory_equal(buffer.data, "abxxxxxxxx", 10);
    sl_buffer_release(&buffer);
}

static void test_a_maximum_of_size_max_is_no_maximum(void **state)
{
    (void)state;
    struct sl_buffer buffer;
    sl_buffer_init(&buffer, SIZE_MAX);
    sl_buffer_text(&buffer, "fits");
    assert_false(buffer.overflowed);
    assert_string_equal(buffer.data, "fits");
    assert_null(sl_buffer_reserve(&buffer, SIZE_MAX - 4));
    assert_null(sl_buffer_reserve(&buffer, SIZE_MAX));
    sl_buffer_release(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_beyond_memory_is_remembered),
        cmocka_unit_test(test_small_texts_beyond_memory_end_the_guarded_work),
        cmocka_unit_test(test_appends_follow_one_another),
        cmocka_unit_test(test_appending_nothing_makes_an_empty_string),
        cmocka_unit_test(test_a_buffer_holds_exactly_its_maximum),
        cmocka_unit_test(test_what_does_not_fit_is_remembered_until_cleared),
        cmocka_unit_test(test_a_buffer_grows_over_many_appends),
        cmocka_unit_test(test_reserved_room_is_written_by_the_caller),
        cmocka_unit_test(test_a_maximum_of_size_max_is_no_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
