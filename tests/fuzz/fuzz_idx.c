#include "dataset/readers/reader.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_memory_stream memory;
    sl_memory_stream_init(&memory, bytes, length, "fuzz");
    struct sl_idx idx = {0};
    struct sl_error err;
    enum sl_status status = sl_idx_begin(&memory.stream, &idx, &err);
    if (status == SL_OK) status = sl_idx_finish(&memory.stream, &idx, &err);
    (void)status;
    sl_idx_release(&idx);
    return 0;
}
