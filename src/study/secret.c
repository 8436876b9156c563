#include "study/secret.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum sl_status sl_secret_init(struct sl_error *err)
{
    if (sodium_init() < 0) return sl_fail(err, SL_ERR_BACKEND, "libsodium cannot be initialised");
    return SL_OK;
}

void sl_secret_random(void *out, size_t length)
{
    randombytes_buf(out, length);
}

uint64_t sl_secret_number(void)
{
    uint64_t number = 0;
    randombytes_buf(&number, sizeof number);
    return number;
}

void sl_secret_word(char *out, size_t length)
{
    static const char letters[] = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    for (size_t i = 0; i < length; i++)
        out[i] = letters[randombytes_uniform(sizeof letters - 1)];
    out[length] = '\0';
}

static void hash_secret(const uint8_t *secret, uint8_t *hash)
{
    crypto_generichash(hash, SL_STORE_TOKEN_BYTES, secret, SL_STORE_TOKEN_BYTES, NULL, 0);
}

void sl_secret_token(char text[SL_TOKEN_TEXT], uint8_t hash[SL_STORE_TOKEN_BYTES])
{
    uint8_t secret[SL_STORE_TOKEN_BYTES];
    randombytes_buf(secret, sizeof secret);
    sodium_bin2hex(text, SL_TOKEN_TEXT, secret, sizeof secret);
    hash_secret(secret, hash);
    sodium_memzero(secret, sizeof secret);
}

bool sl_secret_from_hex(const char *text, void *out, size_t length)
{
    size_t found = 0;
    if (strnlen(text, 2 * length + 1) != 2 * length) return false;
    return sodium_hex2bin(out, length, text, 2 * length, NULL, &found, NULL) == 0 &&
           found == length;
}

bool sl_secret_token_hash(const char *text, uint8_t hash[SL_STORE_TOKEN_BYTES])
{
    uint8_t secret[SL_STORE_TOKEN_BYTES];
    if (!text || !sl_secret_from_hex(text, secret, sizeof secret)) return false;
    hash_secret(secret, hash);
    sodium_memzero(secret, sizeof secret);
    return true;
}

enum sl_status sl_secret_key_read(struct sl_store *store, const char *name,
                                  uint8_t out[SL_STUDY_KEY], struct sl_error *err)
{
    char *text = NULL;
    SL_TRY(sl_store_get_text(store, name, &text, err));
    const bool whole = sl_secret_from_hex(text, out, SL_STUDY_KEY);
    sodium_memzero(text, strlen(text));
    free(text);
    return whole ? SL_OK : sl_fail(err, SL_ERR_INPUT, "the study's %s is damaged", name);
}

/* Inside the transaction nobody else can create the key. */
static enum sl_status make_key(struct sl_store *store, const char *name, uint8_t out[SL_STUDY_KEY],
                               struct sl_error *err)
{
    char text[2 * SL_STUDY_KEY + 1];
    enum sl_status status = sl_secret_key_read(store, name, out, err);
    if (status != SL_ERR_NOT_FOUND) return status;
    randombytes_buf(out, SL_STUDY_KEY);
    sodium_bin2hex(text, sizeof text, out, SL_STUDY_KEY);
    status = sl_store_put_text(store, name, text, err);
    sodium_memzero(text, sizeof text);
    return status;
}

enum sl_status sl_secret_key(struct sl_store *store, const char *name, uint8_t out[SL_STUDY_KEY],
                             struct sl_error *err)
{
    const bool own = !sl_store_in_transaction(store);
    SL_TRY(sl_secret_init(err));
    enum sl_status status = sl_secret_key_read(store, name, out, err);
    if (status != SL_ERR_NOT_FOUND) return status;
    status = own ? sl_store_begin(store, err) : SL_OK;
    if (status == SL_ERR_USAGE)
        return sl_fail(err, SL_ERR_NOT_FOUND, "the study has no %s yet: serve it once", name);
    if (status != SL_OK) return status;
    status = make_key(store, name, out, err);
    if (status == SL_OK && own) return sl_store_commit(store, err);
    if (status != SL_OK && own) sl_store_rollback(store);
    return status;
}

void sl_secret_opaque(const uint8_t key[SL_STUDY_KEY], const char *name, char out[SL_OPAQUE_TEXT])
{
    uint8_t hash[(SL_OPAQUE_TEXT - 1) / 2];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)name, strlen(name), key,
                       SL_STUDY_KEY);
    sodium_bin2hex(out, SL_OPAQUE_TEXT, hash, sizeof hash);
}
