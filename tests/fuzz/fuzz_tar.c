#include "dataset/readers/tar.h"
#include "fuzz.h"

/* Read a part of every entry, so that both the rest and the padding are skipped. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_memory_stream memory;
    sl_memory_stream_init(&memory, bytes, length, "fuzz");
    struct sl_tar tar;
    sl_tar_init(&tar, &memory.stream);
    struct sl_error err;
    bool found = true;
    while (sl_tar_next(&tar, &found, &err) == SL_OK && found) {
        char part[700];
        size_t got = 0;
        if (sl_stream_read(&tar.entry, part, sizeof part, &got, &err) != SL_OK) break;
    }
    return 0;
}
