/* Secrets of a study: random bytes, the hash of a cookie, opaque names of images. Private to
 * study/. */
#ifndef SOFTLAB_STUDY_SECRET_H
#define SOFTLAB_STUDY_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/store.h"

enum {
    SL_TOKEN_TEXT = 2 * SL_STORE_TOKEN_BYTES + 1, /* a cookie's value and a NUL */
    SL_OPAQUE_TEXT = 33,                          /* 32 hexadecimal digits and a NUL */
    SL_STUDY_KEY = 32,
};

enum sl_status sl_secret_init(struct sl_error *err) SL_MUST_USE;
void sl_secret_random(void *out, size_t length);
uint64_t sl_secret_number(void);
/* `length` letters and digits that are hard to confuse, and a NUL. */
void sl_secret_word(char *out, size_t length);

/* A new cookie: its text, and the hash for the store. */
void sl_secret_token(char text[SL_TOKEN_TEXT], uint8_t hash[SL_STORE_TOKEN_BYTES]);
/* The hash of a cookie's text; false if it cannot be a cookie of ours. */
bool sl_secret_token_hash(const char *text, uint8_t hash[SL_STORE_TOKEN_BYTES]);

/* `length` bytes from exactly 2 * length hexadecimal digits. */
bool sl_secret_from_hex(const char *text, void *out, size_t length);

/* One of the study's keys, which its database keeps under `name` as hexadecimal digits. A missing
 * key is created, in the open transaction or in one of its own; SL_ERR_NOT_FOUND if the store is
 * open for reading only. */
enum sl_status sl_secret_key(struct sl_store *store, const char *name, uint8_t out[SL_STUDY_KEY],
                             struct sl_error *err) SL_MUST_USE;
/* The same, but never creates a key. */
enum sl_status sl_secret_key_read(struct sl_store *store, const char *name,
                                  uint8_t out[SL_STUDY_KEY], struct sl_error *err) SL_MUST_USE;

/* Keyed hash of a name: without the key it reveals nothing about the name. */
void sl_secret_opaque(const uint8_t key[SL_STUDY_KEY], const char *name, char out[SL_OPAQUE_TEXT]);

#endif
