#include "dataset/reader.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_memory_stream memory;
    sl_memory_stream_init(&memory, bytes, length, "fuzz");
    struct sl_idx idx;
    struct sl_error err;
    if (sl_idx_read(&memory.stream, &idx, &err) == SL_OK) sl_idx_release(&idx);
    return 0;
}
