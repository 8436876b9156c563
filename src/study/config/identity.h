/* The identity of a database: the id of its study, and what its answers were given for (classes,
 * screens, framing, kind and pictures of the items). study.json is checked against it whenever both
 * are opened. Private to study/. */
#ifndef SOFTLAB_STUDY_CONFIG_IDENTITY_H
#define SOFTLAB_STUDY_CONFIG_IDENTITY_H

#include "softlab/study.h"

enum { SL_STUDY_ID_TEXT = 17 }; /* 16 hexadecimal digits and a NUL */

/* The database's id; "" if it has none. It is derived from the key of the pictures' names, which
 * every copy of the database has. */
enum sl_status sl_identity_id(struct sl_store *store, char out[SL_STUDY_ID_TEXT],
                              struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT, saying what to do, if study.json belongs to another study or contradicts stored
 * answers. */
enum sl_status sl_identity_check(const struct sl_study *study, struct sl_store *store,
                                 struct sl_error *err) SL_MUST_USE;
/* Record that answers are given for the study as it is now: for study init and the server, which
 * have checked it. In a transaction of its own. */
enum sl_status sl_identity_bind(const struct sl_study *study, struct sl_store *store,
                                struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT if the file of an item with answers has changed. With `keep` the hashes of all other
 * items are updated; a missing picture is skipped. */
enum sl_status sl_identity_pictures(const struct sl_study *study, struct sl_store *store, bool keep,
                                    struct sl_error *err) SL_MUST_USE;
/* SL_ERR_INPUT if the file has a different hash; NULL accepts any. */
enum sl_status sl_identity_picture(const char *path, const char *hash,
                                   struct sl_error *err) SL_MUST_USE;

/* sl_study_store with options for the store. */
enum sl_status sl_study_open(const struct sl_study *study, const struct sl_store_options *options,
                             struct sl_store **out, struct sl_error *err) SL_MUST_USE;

#endif
