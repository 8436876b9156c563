#include "study/admin/password.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/study.h"

static const char hash_name[] = "admin-password";

/* OWASP's second choice for argon2id: 19 MiB, two passes. */
enum { PASSES = 2, MEMORY = 19 << 20 };

enum sl_status sl_study_set_password(struct sl_store *store, const char *password,
                                     struct sl_error *err)
{
    char hash[crypto_pwhash_STRBYTES];
    const size_t length = strlen(password);
    if (length < SL_PASSWORD_LEAST || length > SL_PASSWORD_MOST)
        return sl_fail(err, SL_ERR_INPUT, "the password must have %d to %d bytes; choose another",
                       SL_PASSWORD_LEAST, SL_PASSWORD_MOST);
    if (sodium_init() < 0) return sl_fail(err, SL_ERR_BACKEND, "libsodium cannot be initialised");
    if (crypto_pwhash_str_alg(hash, password, length, PASSES, MEMORY,
                              crypto_pwhash_ALG_ARGON2ID13) != 0)
        return sl_fail(err, SL_ERR_NOMEM, "no memory to hash the password: it needs 19 MiB");
    SL_TRY(sl_store_begin(store, err));
    enum sl_status status = sl_store_put_text(store, hash_name, hash, err);
    if (status == SL_OK) return sl_store_commit(store, err);
    sl_store_rollback(store);
    return status;
}

enum sl_status sl_study_password_hash(struct sl_store *store, char **out, struct sl_error *err)
{
    return sl_store_get_text(store, hash_name, out, err);
}

bool sl_study_password_matches(const char *hash, const char *password)
{
    return strlen(hash) < crypto_pwhash_STRBYTES &&
           crypto_pwhash_str_verify(hash, password, strlen(password)) == 0;
}
