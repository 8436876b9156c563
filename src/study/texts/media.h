/* Pictures in a study's texts: files in its folder media/, by name. Private to study/. */
#ifndef SOFTLAB_STUDY_TEXTS_MEDIA_H
#define SOFTLAB_STUDY_TEXTS_MEDIA_H

#include "softlab/study.h"

#define SL_MEDIA_FOLDER "media"
enum { SL_REPLY_TAG = 24 }; /* bytes of an ETag with its quotes */

/* The type of a file that may be shown, "image/png"; NULL for any other name. A name has letters,
 * digits, '.', '_' and '-' only, no leading dot, and the ending of a picture without scripts. */
const char *sl_media_type(const char *name, size_t length);
/* The file name in the folder for an address in a text: "map.png" and "media/map.png" are the same,
 * so that Markdown editors find the file as well. Borrowed from `address`; NULL if it may not be
 * shown. */
const char *sl_media_name(const char *address, size_t length, size_t *name_length);

/* The files of the folder, read when the server starts: a request needs neither disk access nor
 * memory, however many come at once. */
struct sl_media_file {
    char *name; /* owned */
    const char *type;
    char *bytes; /* owned */
    size_t length;
    char tag[SL_REPLY_TAG];
};
struct sl_media {
    struct sl_media_file *files; /* owned */
    size_t count;
};
/* SL_ERR_INPUT naming a file that is too large. Without the folder there are no files. */
enum sl_status sl_media_read(const struct sl_study *study, struct sl_media *out,
                             struct sl_error *err) SL_MUST_USE;
void sl_media_release(struct sl_media *media);

#endif
