/* Which sessions are paid. A finished session counts if neither its participant nor the recruiter's
 * name for the payee was counted before. Both are compared because anybody can edit the address of
 * a page and come back under another name. Private to study/export/. */
#ifndef SOFTLAB_STUDY_EXPORT_PEOPLE_OWED_H
#define SOFTLAB_STUDY_EXPORT_PEOPLE_OWED_H

#include "softlab/base/names.h"
#include "softlab/study.h"

struct sl_due {
    int64_t session, finished;
    uint8_t person[SL_STORE_PERSON_BYTES];
    uint32_t person_name, payee; /* in `names`; payee SL_NO_NAME if none was kept */
    size_t n_finished;           /* sessions of this participant or payee; 0: not paid */
};

struct sl_dues {
    struct sl_due *rows; /* owned; finished sessions, by number */
    size_t count, capacity;
    struct sl_name_table *names; /* owned */
};

/* The session that was finished first is paid, so that later lists name the same one. */
enum sl_status sl_dues_read(const struct sl_study *study, struct sl_store *store,
                            struct sl_dues *out, struct sl_error *err) SL_MUST_USE;
/* The recruiter's name for the payee, or NULL; borrowed. */
const char *sl_due_payee(const struct sl_dues *dues, const struct sl_due *due);
void sl_dues_release(struct sl_dues *dues);

#endif
