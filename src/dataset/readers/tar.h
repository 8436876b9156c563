/* Tar: the regular files of a tar archive, one after the other, as streams. Reads ustar
 * headers; entries of other kinds (folders, links, pax and GNU extensions) are passed over,
 * so a file whose name needs an extension appears under its short name. */
#ifndef SOFTLAB_DATASET_READERS_TAR_H
#define SOFTLAB_DATASET_READERS_TAR_H

#include <stdbool.h>

#include "base/file/stream.h"

enum { SL_TAR_NAME = 260 }; /* prefix of 155, '/', name of 100, NUL */

struct sl_tar {
    struct sl_stream entry;    /* the current file */
    struct sl_stream *archive; /* borrowed */
    uint64_t left, padding;    /* of the current entry */
    char path[SL_TAR_NAME];    /* of the current file within the archive */
    char label[SL_TAR_NAME + 512];
};

void sl_tar_init(struct sl_tar *tar, struct sl_stream *archive);

/* Go on to the next regular file; *found is false at the end of the archive. */
enum sl_status sl_tar_next(struct sl_tar *tar, bool *found, struct sl_error *err) SL_MUST_USE;

#endif
