/* A study's folder belongs to its owner alone: what people said and who they are stands in it.
 * Private to study/. */
#ifndef SOFTLAB_STUDY_PRIVATE_FOLDER_H
#define SOFTLAB_STUDY_PRIVATE_FOLDER_H

#include "softlab/study.h"

/* Folders to 0700 and files to 0600, this one and all below it; links are left alone. *tightened
 * says how many others could read or write before. What cannot be changed is SL_ERR_IO, after the
 * rest. */
enum sl_status sl_private_tighten(const char *folder, size_t *tightened,
                                  struct sl_error *err) SL_MUST_USE;

#endif
