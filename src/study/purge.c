/* Participants: how they are stored, and how they are forgotten. */
#include <ctype.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/buffer.h"
#include "softlab/base/memory.h"
#include "softlab/study.h"
#include "study/collect.h"

static const char key_name[] = "person-key";

enum {
    KEY_BYTES = crypto_generichash_KEYBYTES,
    KEY_TEXT = 2 * KEY_BYTES + 1,
    LONGEST_TEXT = 16 << 20,
    LEAST_ID = 20, /* hexadecimal digits; Prolific's ids have 24, our own names of people 12 */
};

static enum sl_status make_key(struct sl_store *store, struct sl_error *err)
{
    unsigned char key[KEY_BYTES];
    char text[KEY_TEXT];
    crypto_generichash_keygen(key);
    sodium_bin2hex(text, sizeof text, key, sizeof key);
    const bool own = !sl_store_in_transaction(store);
    enum sl_status status = own ? sl_store_begin(store, err) : SL_OK;
    if (status == SL_OK) status = sl_store_put_text(store, key_name, text, err);
    if (status == SL_OK && own) status = sl_store_commit(store, err);
    if (status != SL_OK && own) sl_store_rollback(store);
    sodium_memzero(key, sizeof key);
    sodium_memzero(text, sizeof text);
    return status;
}

static enum sl_status read_key(struct sl_store *store, unsigned char out[KEY_BYTES],
                               struct sl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    SL_TRY(sl_store_get_text(store, key_name, &text, err));
    const bool whole =
        sodium_hex2bin(out, KEY_BYTES, text, strlen(text), NULL, &length, NULL) == 0 &&
        length == KEY_BYTES;
    sodium_memzero(text, strlen(text));
    free(text);
    return whole ? SL_OK : sl_fail(err, SL_ERR_INPUT, "the study's key is damaged");
}

enum sl_status sl_study_person(struct sl_store *store, const char *name,
                               uint8_t out[SL_STORE_PERSON_BYTES], struct sl_error *err)
{
    unsigned char key[KEY_BYTES];
    if (sodium_init() < 0) return sl_fail(err, SL_ERR_BACKEND, "libsodium does not start");
    enum sl_status status = read_key(store, key, err);
    if (status == SL_ERR_NOT_FOUND) {
        SL_TRY(make_key(store, err));
        status = read_key(store, key, err);
    }
    if (status != SL_OK) return status;
    crypto_generichash(out, SL_STORE_PERSON_BYTES, (const unsigned char *)name, strlen(name), key,
                       sizeof key);
    sodium_memzero(key, sizeof key);
    return SL_OK;
}

/* Somebody looked for by what exports call them. */
struct search {
    const char *annotator;
    uint8_t person[SL_STORE_PERSON_BYTES];
    bool found;
};

static enum sl_status look_at(const struct sl_store_row *row, void *context)
{
    struct search *search = context;
    char name[SL_STUDY_ANNOTATOR_TEXT];
    sl_study_annotator(row->session->person, name);
    if (!search->found && strcmp(name, search->annotator) == 0) {
        memcpy(search->person, row->session->person, sizeof search->person);
        search->found = true;
    }
    return SL_OK;
}

enum sl_status sl_study_purge(const struct sl_study *study, struct sl_store *store,
                              const char *person, int64_t now, size_t *sessions,
                              struct sl_error *err)
{
    uint8_t hash[SL_STORE_PERSON_BYTES];
    if (*person == '\0') return sl_fail(err, SL_ERR_USAGE, "the participant has no name");
    SL_TRY(sl_study_person(store, person, hash, err));
    size_t removed = 0;
    SL_TRY(sl_store_purge(store, hash, now, &removed, err));
    if (removed == 0) {
        struct search search = {.annotator = person};
        SL_TRY(sl_store_each_session(store, look_at, &search, err));
        if (search.found) SL_TRY(sl_store_purge(store, search.person, now, &removed, err));
    }
    if (removed == 0)
        return sl_fail(err, SL_ERR_NOT_FOUND, "%s has no participant of that name", study->name);
    *sessions = removed;
    return SL_OK;
}

/* ---- Free text ---- */

static bool in_name(char byte)
{
    return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80 || strchr("._%+-", byte);
}

static bool in_domain(char byte)
{
    return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80 || byte == '.' ||
           byte == '-';
}

/* The length of an e-mail address that begins here, or 0. */
static size_t address_length(const char *text)
{
    size_t at = 0;
    while (text[at] && in_name(text[at]))
        at++;
    if (at == 0 || text[at] != '@') return 0;
    size_t end = at + 1;
    while (text[end] && in_domain(text[end]))
        end++;
    /* A full stop behind it ends the sentence. */
    while (end > at + 1 && (text[end - 1] == '.' || text[end - 1] == '-'))
        end--;
    for (size_t dot = at + 2; dot + 1 < end; dot++)
        if (text[dot] == '.') return end;
    return 0;
}

/* The length of a long hexadecimal number that begins here, dashes within it allowed, or 0. */
static size_t id_length(const char *text)
{
    size_t end = 0, digits = 0;
    if (!isxdigit((unsigned char)text[0])) return 0;
    while (isxdigit((unsigned char)text[end]) || text[end] == '-')
        digits += text[end++] != '-';
    while (text[end - 1] == '-')
        end--;
    return digits >= LEAST_ID ? end : 0;
}

char *sl_study_scrub(const char *text)
{
    struct sl_buffer out;
    sl_buffer_init(&out, LONGEST_TEXT);
    sl_buffer_text(&out, "");
    for (const char *at = text; *at;) {
        /* An address is looked for where a word begins only: its end part is none. */
        const bool begins = at == text || !in_name(at[-1]);
        size_t secret = begins ? address_length(at) : 0;
        if (secret == 0) secret = id_length(at);
        if (secret > 0) {
            sl_buffer_text(&out, "[removed]");
            at += secret;
        } else {
            sl_buffer_byte(&out, *at++);
        }
    }
    return out.data ? out.data : sl_string_copy("");
}
