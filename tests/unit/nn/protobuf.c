#include "nn/files/protobuf.h"

#include "support.h"

static void expect(const struct sl_buffer *buffer, const char *bytes, size_t length)
{
    assert_int_equal(buffer->length, length);
    assert_memory_equal(buffer->data, bytes, length);
    assert_false(buffer->overflowed);
}
#define EXPECT(buffer, literal) expect(&(buffer), "" literal, sizeof(literal) - 1)

/* The examples of protobuf's documentation of its encoding. */
static void test_varints_are_those_of_the_specification(void **state)
{
    (void)state;
    struct sl_buffer out;
    sl_buffer_init(&out, 1000);
    sl_nn_pb_varint(&out, 0);
    sl_nn_pb_varint(&out, 1);
    sl_nn_pb_varint(&out, 127);
    sl_nn_pb_varint(&out, 128);
    sl_nn_pb_varint(&out, 150);
    sl_nn_pb_varint(&out, 300);
    EXPECT(out, "\x00\x01\x7f\x80\x01\x96\x01\xac\x02");
    sl_buffer_clear(&out);
    sl_nn_pb_varint(&out, UINT64_MAX);
    EXPECT(out, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    sl_buffer_release(&out);
}

static void test_fields_carry_their_number_and_wire_type(void **state)
{
    (void)state;
    struct sl_buffer out;
    sl_buffer_init(&out, 1000);
    sl_nn_pb_integer(&out, 1, 150);
    EXPECT(out, "\x08\x96\x01");
    sl_buffer_clear(&out);
    sl_nn_pb_integer(&out, 1, -2);
    EXPECT(out, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    sl_buffer_clear(&out);
    sl_nn_pb_text(&out, 2, "testing");
    EXPECT(out, "\x12\x07testing");
    sl_buffer_clear(&out);
    sl_nn_pb_bytes(&out, 20, "a\0b", 3); /* field numbers from 16 on take two bytes */
    EXPECT(out, "\xa2\x01\x03"
                "a\0b");
    sl_buffer_clear(&out);
    sl_nn_pb_float(&out, 2, 1e-5F);
    EXPECT(out, "\x15\xac\xc5\x27\x37");
    sl_buffer_clear(&out);
    sl_nn_pb_head(&out, 7, 300);
    EXPECT(out, "\x3a\xac\x02");
    sl_buffer_release(&out);
}

static void test_messages_nest_and_leave_their_buffer_empty(void **state)
{
    (void)state;
    struct sl_buffer out, inner;
    sl_buffer_init(&out, 1000);
    sl_buffer_init(&inner, 1000);
    sl_nn_pb_integer(&inner, 1, 150);
    sl_nn_pb_message(&out, 3, &inner);
    EXPECT(out, "\x1a\x03\x08\x96\x01");
    assert_int_equal(inner.length, 0);
    sl_nn_pb_message(&out, 3, &inner); /* an empty message is written too */
    EXPECT(out, "\x1a\x03\x08\x96\x01\x1a\x00");
    sl_buffer_release(&out);
    sl_buffer_release(&inner);
}

static void test_an_overflow_inside_reaches_the_outer_message(void **state)
{
    (void)state;
    struct sl_buffer out, inner;
    struct sl_error err;
    sl_buffer_init(&out, 1000);
    sl_buffer_init(&inner, 4);
    sl_nn_pb_text(&inner, 1, "too long");
    sl_nn_pb_message(&out, 1, &inner);
    assert_fails(sl_buffer_check(&out, "the message", &err), SL_ERR_INPUT, err, "the message");
    sl_buffer_release(&out);
    sl_buffer_release(&inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varints_are_those_of_the_specification),
        cmocka_unit_test(test_fields_carry_their_number_and_wire_type),
        cmocka_unit_test(test_messages_nest_and_leave_their_buffer_empty),
        cmocka_unit_test(test_an_overflow_inside_reaches_the_outer_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
