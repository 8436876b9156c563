/* The pictures that annotators see. Each is resampled once to twice its size on the page, since
 * many screens have two pixels per pixel of a page, and once more if an annotator enlarges it.
 * Pictures are kept in memory up to a bound, which also counts those that are being sent. Private
 * to study/. */
#ifndef SOFTLAB_STUDY_SESSION_IMAGES_H
#define SOFTLAB_STUDY_SESSION_IMAGES_H

#include "softlab/base/buffer.h"
#include "softlab/study.h"

enum { SL_IMAGES_MAX_BYTES = 32 << 20 };

struct sl_picture {
    char *bytes; /* owned */
    size_t length;
    const char *type; /* "image/png" */
    uint64_t used;    /* when last asked for, in askings */
    size_t index, holders;
    struct sl_images *images;
};
struct sl_images {
    struct sl_picture **pictures; /* owned; NULL: not at hand */
    size_t count, bytes;
    uint64_t askings;
};
void sl_images_init(struct sl_images *images, size_t count);
/* Nobody may hold a picture any more. */
void sl_images_release(struct sl_images *images);
/* The picture if it is at hand, or NULL. Borrowed until the next put, unless it is held. */
struct sl_picture *sl_images_find(struct sl_images *images, size_t index);
/* Keep a copy, in the place of an earlier one; those that nobody holds and that were not asked for
 * in the longest time make room. NULL if all that is there is held and leaves no room. */
struct sl_picture *sl_images_put(struct sl_images *images, size_t index, const char *type,
                                 const struct sl_buffer *bytes);
/* A picture that is held stays; let it go once for every hold. */
void sl_picture_hold(struct sl_picture *picture);
void sl_picture_let_go(void *picture);

/* How a picture is made. "lanczos" and "nearest" give a square twice `size` pixels a side and every
 * other shape the same area (no side above four times `size`); "none" leaves the pixels as they
 * are. `large` keeps more of a file that has more, for whoever enlarges the picture. */
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
