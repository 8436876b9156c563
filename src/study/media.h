/* Pictures in a study's texts: files of its folder media/, by their names alone. Private to study/.
 */
#ifndef SOFTLAB_STUDY_MEDIA_H
#define SOFTLAB_STUDY_MEDIA_H

#include <stddef.h>

#define SL_MEDIA_FOLDER "media"

/* The type of a file that may be shown, "image/png"; NULL for a name that is not one: letters,
 * digits, '.', '_' and '-' only, no dot first, and the ending of a picture that holds no scripts.
 */
const char *sl_media_type(const char *name, size_t length);
/* The name within the folder that an address in a text means: "map.png" and "media/map.png" are the
 * same, so that editors of Markdown find the file as well. Borrowed from `address`; NULL if it is
 * nothing that may be shown. */
const char *sl_media_name(const char *address, size_t length, size_t *name_length);

#endif
