/* Hash: SHA-256 of bytes and files, for downloads and provenance; CRC-32 of parts of files, to find
 * accidental damage. */
#ifndef SOFTLAB_BASE_HASH_H
#define SOFTLAB_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

enum { SL_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

void sl_sha256(const void *bytes, size_t length, char out[SL_SHA256_TEXT]);
enum sl_status sl_sha256_file(const char *path, char out[SL_SHA256_TEXT],
                              struct sl_error *err) SL_MUST_USE;

/* SHA-256 of data that arrives in pieces: create, add, finish. */
struct sl_hasher;
struct sl_hasher *sl_hasher_create(void) SL_MUST_USE SL_RETURNS_NONNULL;
void sl_hasher_add(struct sl_hasher *hasher, const void *bytes, size_t length);
/* Add a text, preceded by its length, so that "ab", "c" differs from "a", "bc". NULL differs from
 * "". */
void sl_hasher_text(struct sl_hasher *hasher, const char *text);
/* Add a number as 64 bits. */
void sl_hasher_number(struct sl_hasher *hasher, uint64_t number);
/* Write the hash of everything that was added, and destroy the hasher. */
void sl_hasher_finish(struct sl_hasher *hasher, char out[SL_SHA256_TEXT]);

/* The CRC-32 of zip. `crc` is the CRC of the bytes before these; 0 at the start. */
uint32_t sl_crc32(uint32_t crc, const void *bytes, size_t length);

SL_END_DECLS

#endif
