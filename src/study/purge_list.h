/* The list of people who were removed, study.purged: beside the database, so that a backup that is
 * restored does not bring them back. Lines are only ever added, and are on disk before the database
 * forgets anybody: if the process dies in between, the server's next start finishes it.
 *
 * A line is the time up to which everything goes (ms since 1970), a space and the SHA-256 of the
 * person as stored: it finds somebody in a backup, but not in an export. Private to study/. */
#ifndef SOFTLAB_STUDY_PURGE_LIST_H
#define SOFTLAB_STUDY_PURGE_LIST_H

#include "softlab/study.h"

enum sl_status sl_purged_add(const char *folder, const uint8_t person[SL_STORE_PERSON_BYTES],
                             int64_t until, struct sl_error *err) SL_MUST_USE;
/* Whether somebody is on the list. */
enum sl_status sl_purged_has(const char *folder, const uint8_t person[SL_STORE_PERSON_BYTES],
                             bool *found, struct sl_error *err) SL_MUST_USE;
/* Remove again from the store what those on the list did until then; *sessions says how many. */
enum sl_status sl_purged_apply(const char *folder, struct sl_store *store, int64_t now,
                               size_t *sessions, struct sl_error *err) SL_MUST_USE;

#endif
