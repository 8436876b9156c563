/* The researcher's password. Private to study/admin/. */
#ifndef SOFTLAB_STUDY_ADMIN_PASSWORD_H
#define SOFTLAB_STUDY_ADMIN_PASSWORD_H

#include <stdbool.h>

#include "softlab/store.h"

enum { SL_PASSWORD_LEAST = 8, SL_PASSWORD_MOST = 1000 };

/* The hash in the store, owned by the caller; SL_ERR_NOT_FOUND if no password was set. */
enum sl_status sl_study_password_hash(struct sl_store *store, char **out,
                                      struct sl_error *err) SL_MUST_USE;
/* Takes a few hundredths of a second and 19 MiB: not on the loop's thread. */
bool sl_study_password_matches(const char *hash, const char *password);

#endif
