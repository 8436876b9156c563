#include <stdlib.h>

#include "dataset/images/codec.h"
#include "dataset/images/orientation.h"
#include "fuzz.h"

enum { MOST_SIDE = 1024 };

/* Whether a frame header states a picture too large to be worth the time. */
static int states_large(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i + 9 <= length; i++) {
        if (bytes[i] != 0xff || bytes[i + 1] < 0xc0 || bytes[i + 1] > 0xcf) continue;
        unsigned height = (unsigned)bytes[i + 5] << 8 | bytes[i + 6];
        unsigned width = (unsigned)bytes[i + 7] << 8 | bytes[i + 8];
        if (height > MOST_SIDE || width > MOST_SIDE) return 1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const unsigned alone = sl_exif_orientation(bytes, length);
    if (alone < 1 || alone > 8) abort();
    if (states_large(bytes, length)) return 0;
    struct sl_image image = {0};
    struct sl_error err;
    enum sl_status status = sl_jpeg_decode(bytes, length, "fuzz", &image, &err);
    if (status == SL_OK) status = sl_image_turn(&image, sl_image_orientation(bytes, length), &err);
    (void)status;
    sl_image_release(&image);
    return 0;
}
