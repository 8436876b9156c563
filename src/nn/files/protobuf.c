#include "nn/files/protobuf.h"

#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

void sl_nn_pb_varint(struct sl_buffer *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        sl_buffer_byte(out, (char)((value & 0x7F) | 0x80));
    sl_buffer_byte(out, (char)value);
}

static void append_tag(struct sl_buffer *out, uint32_t field, enum wire_type type)
{
    sl_nn_pb_varint(out, (uint64_t)field << 3 | type);
}

void sl_nn_pb_integer(struct sl_buffer *out, uint32_t field, int64_t value)
{
    append_tag(out, field, WIRE_VARINT);
    sl_nn_pb_varint(out, (uint64_t)value);
}

void sl_nn_pb_float(struct sl_buffer *out, uint32_t field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    append_tag(out, field, WIRE_FIXED32);
    for (unsigned shift = 0; shift < 32; shift += 8)
        sl_buffer_byte(out, (char)(bits >> shift & 0xFF));
}

void sl_nn_pb_head(struct sl_buffer *out, uint32_t field, uint64_t length)
{
    append_tag(out, field, WIRE_BYTES);
    sl_nn_pb_varint(out, length);
}

void sl_nn_pb_bytes(struct sl_buffer *out, uint32_t field, const void *bytes, size_t length)
{
    sl_nn_pb_head(out, field, length);
    sl_buffer_append(out, bytes, length);
}

void sl_nn_pb_text(struct sl_buffer *out, uint32_t field, const char *text)
{
    sl_nn_pb_bytes(out, field, text, strlen(text));
}

void sl_nn_pb_message(struct sl_buffer *out, uint32_t field, struct sl_buffer *message)
{
    sl_nn_pb_bytes(out, field, message->data, message->length);
    sl_buffer_blame(out, message);
    sl_buffer_clear(message);
}
