/* The list of removed people, study.purged. It lies beside the database, so that restoring a backup
 * does not bring them back. Lines are only appended, and are on disk before the database deletes
 * anything: if the process dies in between, the server's next start finishes the deletion.
 *
 * A line is the time up to which everything is deleted (ms since 1970), a space and the SHA-256 of
 * the person as stored: it finds a person in a backup, but not in an export. Private to study/. */
#ifndef SOFTLAB_STUDY_PURGE_LIST_H
#define SOFTLAB_STUDY_PURGE_LIST_H

#include "softlab/study.h"

enum sl_status sl_purged_add(const char *folder, const uint8_t person[SL_STORE_PERSON_BYTES],
                             int64_t until, struct sl_error *err) SL_MUST_USE;
/* Whether a person is on the list. */
enum sl_status sl_purged_has(const char *folder, const uint8_t person[SL_STORE_PERSON_BYTES],
                             bool *found, struct sl_error *err) SL_MUST_USE;
/* Delete again what listed people did up to their time; *sessions is the number deleted. */
enum sl_status sl_purged_apply(const char *folder, struct sl_store *store, int64_t now,
                               size_t *sessions, struct sl_error *err) SL_MUST_USE;

#endif
