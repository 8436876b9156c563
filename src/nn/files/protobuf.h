/* Protobuf: the wire format, writing only, as far as ONNX needs it. Messages are built from the
 * inside out: a nested message is built in its own buffer, then appended with its length. Buffers
 * remember overflow, so one sl_buffer_check at the end suffices. Private to nn/files/. */
#ifndef SOFTLAB_NN_FILES_PROTOBUF_H
#define SOFTLAB_NN_FILES_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/base/buffer.h"

/* Seven bits per byte, lowest first; the top bit is set if more bytes follow. */
void sl_nn_pb_varint(struct sl_buffer *out, uint64_t value);

/* Fields of a message: int64 and enums, float, string, bytes. A repeated field is written once per
 * element, as proto2 (and so onnx.proto) does. */
void sl_nn_pb_integer(struct sl_buffer *out, uint32_t field, int64_t value);
void sl_nn_pb_float(struct sl_buffer *out, uint32_t field, float value);
void sl_nn_pb_text(struct sl_buffer *out, uint32_t field, const char *text);
void sl_nn_pb_bytes(struct sl_buffer *out, uint32_t field, const void *bytes, size_t length);

/* The head of a field of `length` bytes. The caller writes these bytes, such as tensor data. */
void sl_nn_pb_head(struct sl_buffer *out, uint32_t field, uint64_t length);

/* Append a nested message and empty its buffer. If it has overflowed, `out` overflows too. */
void sl_nn_pb_message(struct sl_buffer *out, uint32_t field, struct sl_buffer *message);

#endif
