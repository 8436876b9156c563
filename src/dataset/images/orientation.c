#include "dataset/images/orientation.h"

#include <stdbool.h>
#include <string.h>

/* ---- EXIF ---- */

/* CIPA DC-008, "Exif 2.32", 4.5 and 4.6.4: a TIFF header, then directories of 12-byte entries. */
enum {
    TIFF_HEADER = 8,
    ENTRY_SIZE = 12,
    TAG_ORIENTATION = 0x0112,
    TYPE_SHORT = 3,
    UPRIGHT = 1,
    MOST_ORIENTATIONS = 8,
};

struct tiff {
    const unsigned char *bytes; /* borrowed */
    size_t length;
    bool big_endian;
};

/* The caller has checked the bounds. */
static unsigned get16(const struct tiff *tiff, size_t at)
{
    const unsigned first = tiff->bytes[at], second = tiff->bytes[at + 1];
    return tiff->big_endian ? first << 8 | second : second << 8 | first;
}

static uint32_t get32(const struct tiff *tiff, size_t at)
{
    const uint32_t first = get16(tiff, at), second = get16(tiff, at + 2);
    return tiff->big_endian ? first << 16 | second : second << 16 | first;
}

unsigned sl_exif_orientation(const unsigned char *bytes, size_t length)
{
    struct tiff tiff = {bytes, length, length > 0 && bytes[0] == 'M'};
    if (length < TIFF_HEADER || memcmp(bytes, tiff.big_endian ? "MM\0*" : "II*\0", 4) != 0)
        return UPRIGHT;
    const size_t directory = get32(&tiff, 4);
    if (directory < TIFF_HEADER || directory > length - 2) return UPRIGHT;
    const size_t n_entries = get16(&tiff, directory), first = directory + 2;
    if (n_entries > (length - first) / ENTRY_SIZE) return UPRIGHT;
    for (size_t i = 0; i < n_entries; i++) {
        const size_t entry = first + i * ENTRY_SIZE;
        if (get16(&tiff, entry) != TAG_ORIENTATION) continue;
        const unsigned value = get16(&tiff, entry + 8);
        if (get16(&tiff, entry + 2) != TYPE_SHORT || get32(&tiff, entry + 4) != 1) return UPRIGHT;
        return value >= UPRIGHT && value <= MOST_ORIENTATIONS ? value : UPRIGHT;
    }
    return UPRIGHT;
}

/* ---- Where files keep it ---- */

enum { JPEG_APP1 = 0xe1, JPEG_START = 0xd8, JPEG_END = 0xd9, JPEG_SCAN = 0xda };

/* Whether a segment consists of its marker only. */
static bool stands_alone(unsigned marker)
{
    return marker == 0x01 || (marker >= 0xd0 && marker <= JPEG_START);
}

/* The first APP1 segment that holds EXIF, before the first scan. */
static unsigned find_in_jpeg(const unsigned char *bytes, size_t length)
{
    static const char mark[6] = "Exif\0";
    size_t at = 2;
    while (length - at >= 4 && bytes[at] == 0xff) {
        const unsigned marker = bytes[at + 1];
        if (marker == 0xff || stands_alone(marker)) {
            at += marker == 0xff ? 1 : 2;
            continue;
        }
        if (marker == JPEG_SCAN || marker == JPEG_END) break;
        const size_t size = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (size < 2 || size > length - at - 2) break;
        if (marker == JPEG_APP1 && size >= 2 + sizeof mark &&
            memcmp(bytes + at + 4, mark, sizeof mark) == 0)
            return sl_exif_orientation(bytes + at + 4 + sizeof mark, size - 2 - sizeof mark);
        at += 2 + size;
    }
    return UPRIGHT;
}

/* The chunk eXIf, wherever it stands. */
static unsigned find_in_png(const unsigned char *bytes, size_t length)
{
    enum { SIGNATURE = 8, HEAD = 8, CRC = 4 };
    size_t at = SIGNATURE;
    while (length - at >= HEAD + CRC) {
        const size_t size = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 |
                            (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (size > length - at - HEAD - CRC) break;
        if (memcmp(bytes + at + 4, "eXIf", 4) == 0)
            return sl_exif_orientation(bytes + at + HEAD, size);
        at += HEAD + size + CRC;
    }
    return UPRIGHT;
}

unsigned sl_image_orientation(const void *bytes, size_t length)
{
    if (length >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0) return find_in_jpeg(bytes, length);
    if (length >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
        return find_in_png(bytes, length);
    return UPRIGHT;
}

/* ---- Turning ---- */

enum sl_status sl_image_turn(struct sl_image *image, unsigned orientation, struct sl_error *err)
{
    /* For each orientation: whether rows and columns are exchanged, and which axes are reversed. */
    static const struct turn {
        bool transposed, from_bottom, from_right;
    } turns[MOST_ORIENTATIONS + 1] = {
        [2] = {false, false, true}, [3] = {false, true, true}, [4] = {false, true, false},
        [5] = {true, false, false}, [6] = {true, true, false}, [7] = {true, true, true},
        [8] = {true, false, true},
    };
    if (orientation <= UPRIGHT || orientation > MOST_ORIENTATIONS) return SL_OK;
    const struct turn *turn = &turns[orientation];
    const size_t channels = image->channels;
    struct sl_image turned;
    SL_TRY(sl_image_create(turn->transposed ? image->width : image->height,
                           turn->transposed ? image->height : image->width, channels, &turned,
                           err));
    uint8_t *out = turned.pixels;
    for (size_t y = 0; y < turned.height; y++) {
        for (size_t x = 0; x < turned.width; x++, out += channels) {
            size_t row = turn->transposed ? x : y, column = turn->transposed ? y : x;
            if (turn->from_bottom) row = image->height - 1 - row;
            if (turn->from_right) column = image->width - 1 - column;
            memcpy(out, image->pixels + (row * image->width + column) * channels, channels);
        }
    }
    sl_image_release(image);
    *image = turned;
    return SL_OK;
}
