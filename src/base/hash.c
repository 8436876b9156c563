#include "softlab/base/hash.h"

#include <errno.h>
#include <libdeflate.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"

enum { READ_CHUNK = 256 * 1024 };

static void finish_digest(crypto_hash_sha256_state *state, char out[SL_SHA256_TEXT])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_final(state, digest);
    sodium_bin2hex(out, SL_SHA256_TEXT, digest, sizeof digest);
}

void sl_sha256(const void *bytes, size_t length, char out[SL_SHA256_TEXT])
{
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    if (length) crypto_hash_sha256_update(&state, bytes, length);
    finish_digest(&state, out);
}

struct sl_hasher {
    crypto_hash_sha256_state state;
};

struct sl_hasher *sl_hasher_create(void)
{
    struct sl_hasher *hasher = sl_alloc(1, sizeof *hasher);
    crypto_hash_sha256_init(&hasher->state);
    return hasher;
}

void sl_hasher_add(struct sl_hasher *hasher, const void *bytes, size_t length)
{
    if (length) crypto_hash_sha256_update(&hasher->state, bytes, length);
}

void sl_hasher_number(struct sl_hasher *hasher, uint64_t number)
{
    sl_hasher_add(hasher, &number, sizeof number);
}

void sl_hasher_text(struct sl_hasher *hasher, const char *text)
{
    sl_hasher_number(hasher, text ? strlen(text) : UINT64_MAX);
    if (text) sl_hasher_add(hasher, text, strlen(text));
}

void sl_hasher_finish(struct sl_hasher *hasher, char out[SL_SHA256_TEXT])
{
    finish_digest(&hasher->state, out);
    free(hasher);
}

/* Until the end rather than for the file's size, so that pipes can be hashed too. */
enum sl_status sl_sha256_file(const char *path, char out[SL_SHA256_TEXT], struct sl_error *err)
{
    int descriptor = -1;
    SL_TRY(sl_file_open(path, &descriptor, NULL, err));
    unsigned char *chunk = sl_alloc(READ_CHUNK, 1);
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    enum sl_status status = SL_OK;
    for (;;) {
        ssize_t got = read(descriptor, chunk, READ_CHUNK);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = sl_fail_errno(err, "%s", path);
        if (got <= 0) break;
        crypto_hash_sha256_update(&state, chunk, (size_t)got);
    }
    if (status == SL_OK) finish_digest(&state, out);
    free(chunk);
    close(descriptor);
    return status;
}

uint32_t sl_crc32(uint32_t crc, const void *bytes, size_t length)
{
    return libdeflate_crc32(crc, bytes, length);
}
