/* Permissions of a study's folder: only its owner may read it, since it holds answers and the
 * identities of people. Private to study/. */
#ifndef SOFTLAB_STUDY_PRIVATE_FOLDER_H
#define SOFTLAB_STUDY_PRIVATE_FOLDER_H

#include "softlab/study.h"

/* Set this folder and all below it to 0700, and files to 0600; links are left alone. *tightened is
 * the number of entries that others could read or write before. SL_ERR_IO if one could not be
 * changed, after all others were. */
enum sl_status sl_private_tighten(const char *folder, size_t *tightened,
                                  struct sl_error *err) SL_MUST_USE;

#endif
