#include "dataset/images/codec.h"
#include "fuzz_png.h"

static enum sl_status take(void *context, size_t row, const uint8_t *pixels, struct sl_error *err)
{
    (void)err;
    unsigned *sum = context;
    *sum += (unsigned)row + pixels[0] + pixels[11];
    return SL_OK;
}

/* Rows of four pixels, three of them; and the same bytes as a picture of any kind. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint8_t *repaired = fuzz_png_repair(bytes, length);
    if (!repaired) return 0;
    struct sl_memory_stream memory;
    sl_memory_stream_init(&memory, repaired, length, "fuzz");
    unsigned sum = 0;
    struct sl_error err;
    (void)!sl_png_read_rows(&memory.stream, 4, 3, take, &sum, &err);
    struct sl_image image;
    if (sl_png_decode(repaired, length, "fuzz", &image, &err) == SL_OK) sl_image_release(&image);
    free(repaired);
    return 0;
}
