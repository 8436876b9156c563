#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "study/admin/admin.h"

enum { LONGEST_WAIT = 15 * 60 * 1000 };

/* ---- Sessions ---- */

/* False if `token` cannot come from our cookie. */
static bool hash_token(const char *token, uint8_t out[SL_ADMIN_TOKEN_BYTES])
{
    uint8_t secret[SL_ADMIN_TOKEN_BYTES];
    size_t length = 0;
    if (!token || strlen(token) != SL_ADMIN_TOKEN_TEXT - 1 ||
        sodium_hex2bin(secret, sizeof secret, token, SL_ADMIN_TOKEN_TEXT - 1, NULL, &length,
                       NULL) != 0 ||
        length != sizeof secret)
        return false;
    crypto_generichash(out, SL_ADMIN_TOKEN_BYTES, secret, sizeof secret, NULL, 0);
    return true;
}

static struct sl_admin_session *find_session(struct sl_admin_access *access, const char *token)
{
    uint8_t hash[SL_ADMIN_TOKEN_BYTES];
    if (!hash_token(token, hash)) return NULL;
    for (size_t i = 0; i < SL_ADMIN_SESSIONS; i++)
        if (access->sessions[i].expires != 0 &&
            sodium_memcmp(access->sessions[i].hash, hash, sizeof hash) == 0)
            return &access->sessions[i];
    return NULL;
}

void sl_admin_session_open(struct sl_admin_access *access, int64_t now,
                           char token[SL_ADMIN_TOKEN_TEXT])
{
    uint8_t secret[SL_ADMIN_TOKEN_BYTES];
    struct sl_admin_session *session = access->sessions;
    for (size_t i = 1; i < SL_ADMIN_SESSIONS; i++)
        if (access->sessions[i].expires < session->expires) session = &access->sessions[i];
    randombytes_buf(secret, sizeof secret);
    sodium_bin2hex(token, SL_ADMIN_TOKEN_TEXT, secret, sizeof secret);
    crypto_generichash(session->hash, sizeof session->hash, secret, sizeof secret, NULL, 0);
    session->expires = now + (int64_t)SL_ADMIN_HOURS * 3600 * 1000;
    sodium_memzero(secret, sizeof secret);
}

bool sl_admin_session_check(struct sl_admin_access *access, const char *token, int64_t now)
{
    struct sl_admin_session *session = find_session(access, token);
    if (!session) return false;
    if (now < session->expires) return true;
    *session = (struct sl_admin_session){0};
    return false;
}

void sl_admin_session_close(struct sl_admin_access *access, const char *token)
{
    struct sl_admin_session *session = find_session(access, token);
    if (session) *session = (struct sl_admin_session){0};
}

/* Derived from the secret, so nothing more need be stored; the secret cannot be derived from it. */
void sl_admin_csrf(const char *token, char out[SL_ADMIN_TOKEN_TEXT])
{
    static const char purpose[] = "softlab admin form";
    uint8_t hash[SL_ADMIN_TOKEN_BYTES];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)token, strlen(token),
                       (const unsigned char *)purpose, sizeof purpose - 1);
    sodium_bin2hex(out, SL_ADMIN_TOKEN_TEXT, hash, sizeof hash);
}

bool sl_admin_csrf_matches(const char *token, const char *given)
{
    char expected[SL_ADMIN_TOKEN_TEXT];
    if (!given || strlen(given) != SL_ADMIN_TOKEN_TEXT - 1) return false;
    sl_admin_csrf(token, expected);
    return sodium_memcmp(expected, given, SL_ADMIN_TOKEN_TEXT - 1) == 0;
}

/* ---- Attempts ---- */

static struct sl_admin_attempts *find_network(struct sl_admin_access *access, const char *network,
                                              bool make)
{
    struct sl_admin_attempts *oldest = access->addresses;
    for (size_t i = 0; i < SL_ADMIN_ADDRESSES; i++) {
        struct sl_admin_attempts *attempts = &access->addresses[i];
        if (attempts->failures > 0 && strcmp(attempts->network, network) == 0) return attempts;
        if (attempts->last < oldest->last) oldest = attempts;
    }
    if (!make) return NULL;
    *oldest = (struct sl_admin_attempts){0};
    snprintf(oldest->network, sizeof oldest->network, "%s", network);
    return oldest;
}

/* A clock that was set back must not lock anybody out for longer than the longest wait. */
int64_t sl_admin_wait(struct sl_admin_access *access, const char *network, int64_t now)
{
    const struct sl_admin_attempts *attempts = find_network(access, network, false);
    const int64_t wait = attempts ? attempts->until - now : 0;
    if (wait <= 0) return 0;
    return wait < LONGEST_WAIT ? wait : LONGEST_WAIT;
}

/* One second after the first failure, twice as long after each further one. */
static int64_t delay_after(unsigned failures)
{
    const unsigned doublings = failures > 20 ? 20 : failures;
    const int64_t delay = failures == 0 ? 0 : (int64_t)500 << doublings;
    return delay < LONGEST_WAIT ? delay : LONGEST_WAIT;
}

void sl_admin_failed(struct sl_admin_access *access, const char *network, int64_t now)
{
    struct sl_admin_attempts *attempts = find_network(access, network, true);
    if (attempts->failures < 1000) attempts->failures++;
    attempts->until = now + delay_after(attempts->failures);
    attempts->last = now;
}

void sl_admin_succeeded(struct sl_admin_access *access, const char *network)
{
    struct sl_admin_attempts *attempts = find_network(access, network, false);
    if (attempts) *attempts = (struct sl_admin_attempts){0};
}
