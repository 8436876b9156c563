/* Which processes may open a database at the same time. A claim is a lock on bytes of
 * "<database>-lock"; the kernel drops it with the process, so a crash leaves nothing to clean up.
 * Private to store/. */
#ifndef SOFTLAB_STORE_LOCK_H
#define SOFTLAB_STORE_LOCK_H

#include "softlab/base/error.h"

enum sl_claim {
    SL_CLAIM_READ,    /* status, export, backup: beside a server and each other */
    SL_CLAIM_WRITE,   /* purge, password: likewise */
    SL_CLAIM_SERVE,   /* a server: only one at a time */
    SL_CLAIM_REPLACE, /* restore: alone */
};

/* Pass *lock to sl_store_unlock; it is -1 if there is nothing to hold, since a reader creates no
 * file. SL_ERR_BACKEND, naming the holder, if the claim is not available now. */
enum sl_status sl_store_lock(const char *database, enum sl_claim claim, int *lock,
                             struct sl_error *err) SL_MUST_USE;
void sl_store_unlock(int lock); /* -1 is fine */

#endif
