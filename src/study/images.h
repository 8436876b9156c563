/* The pictures that annotators see: resampled once to twice their size on the page, since screens
 * have two pixels where a page has one, and kept in memory up to a bound. Private to study/. */
#ifndef SOFTLAB_STUDY_IMAGES_H
#define SOFTLAB_STUDY_IMAGES_H

#include "softlab/base/buffer.h"
#include "softlab/study.h"

enum { SL_IMAGES_MAX_BYTES = 32 << 20 };

struct sl_picture {
    char *bytes; /* owned; NULL: not at hand */
    size_t length;
    const char *type; /* "image/png" */
    uint64_t used;    /* when last asked for, in askings */
};
struct sl_images {
    struct sl_picture *pictures; /* owned; numbered as the stimuli */
    size_t count, bytes;
    uint64_t askings;
};
void sl_images_init(struct sl_images *images, size_t count);
void sl_images_release(struct sl_images *images);
/* The picture if it is at hand, or NULL. Borrowed until the next put. */
const struct sl_picture *sl_images_find(struct sl_images *images, size_t index);
/* Keep a copy; those not asked for in the longest time make room. */
void sl_images_put(struct sl_images *images, size_t index, const char *type,
                   const struct sl_buffer *bytes);

/* Make the picture of a file: "lanczos" and "nearest" bring its longer side to twice `size`,
 * "none" leaves it as it is. Safe on any thread. */
enum sl_status sl_picture_make(const char *path, const char *upsample, size_t size,
                               struct sl_buffer *out, const char **type,
                               struct sl_error *err) SL_MUST_USE;

#endif
