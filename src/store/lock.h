/* Who may have a database open beside whom. A claim is a lock on bytes of "<database>-lock" that
 * the kernel drops with the process: a crash leaves nothing to clear away. Private to store/. */
#ifndef SOFTLAB_STORE_LOCK_H
#define SOFTLAB_STORE_LOCK_H

#include "softlab/base/error.h"

enum sl_claim {
    SL_CLAIM_READ,    /* status, export, backup: beside a server and each other */
    SL_CLAIM_WRITE,   /* purge, password: likewise */
    SL_CLAIM_SERVE,   /* one server */
    SL_CLAIM_REPLACE, /* restore: nobody else at all */
};

/* *lock is for sl_store_unlock; -1 if there is nothing to hold: a reader makes no file.
 * SL_ERR_BACKEND, saying who has the database, if the claim cannot be had now. */
enum sl_status sl_store_lock(const char *database, enum sl_claim claim, int *lock,
                             struct sl_error *err) SL_MUST_USE;
void sl_store_unlock(int lock); /* -1 is fine */

#endif
