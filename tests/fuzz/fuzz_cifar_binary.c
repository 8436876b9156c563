#include "dataset/readers/reader.h"
#include "fuzz.h"

enum { RECORDS = 4 };

/* The first byte says how many records are expected. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length == 0) return 0;
    static uint8_t pixels[RECORDS * SL_CIFAR_IMAGE_BYTES];
    static int32_t labels[RECORDS];
    struct sl_memory_stream memory;
    sl_memory_stream_init(&memory, bytes + 1, length - 1, "fuzz");
    struct sl_error err;
    (void)!sl_cifar_read_binary(&memory.stream, bytes[0] % (RECORDS + 1), pixels, labels, &err);
    return 0;
}
