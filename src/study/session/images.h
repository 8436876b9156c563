/* The pictures that annotators see. Each is resampled once to twice its size on the page, since
 * many displays have two device pixels per CSS pixel, and once more if an annotator enlarges it.
 * Pictures are cached in memory up to a limit that includes those being sent. Private to study/. */
#ifndef SOFTLAB_STUDY_SESSION_IMAGES_H
#define SOFTLAB_STUDY_SESSION_IMAGES_H

#include "softlab/base/buffer.h"
#include "softlab/study.h"

enum { SL_IMAGES_MAX_BYTES = 32 << 20 };

struct sl_picture {
    char *bytes; /* owned */
    size_t length;
    const char *type; /* "image/png" */
    uint64_t used;    /* value of `askings` at the last request */
    size_t index, holders;
    struct sl_images *images;
};
struct sl_images {
    struct sl_picture **pictures; /* owned; NULL: not cached */
    size_t count, bytes;
    uint64_t askings;
};
void sl_images_init(struct sl_images *images, size_t count);
/* No picture may be held any more. */
void sl_images_release(struct sl_images *images);
/* The cached picture, or NULL. Borrowed until the next put, unless it is held. */
struct sl_picture *sl_images_find(struct sl_images *images, size_t index);
/* Cache a copy, replacing an earlier one; pictures that nobody holds make room, least recently used
 * first. NULL if held pictures leave no room. */
struct sl_picture *sl_images_put(struct sl_images *images, size_t index, const char *type,
                                 const struct sl_buffer *bytes);
/* A held picture stays; let it go once for every hold. */
void sl_picture_hold(struct sl_picture *picture);
void sl_picture_let_go(void *picture);

/* How a picture is made. "lanczos" and "nearest" make a square of twice `size` pixels a side, and
 * every other shape of the same area (no side above four times `size`); "none" keeps the pixels.
 * `large` keeps more of the file's pixels, for enlarging. */
struct sl_picture_look {
    const char *upsample; /* borrowed */
    size_t size;          /* CSS pixels */
    bool large;
};
/* Upright in every browser. Safe on any thread. */
enum sl_status sl_picture_make(const char *path, const struct sl_picture_look *look,
                               struct sl_buffer *out, const char **type,
                               struct sl_error *err) SL_MUST_USE;

#endif
