#include "study/serve/limits.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

enum { PROBES = 8 };

static uint64_t hash(const struct sl_limits *limits, const char *purpose, const void *who,
                     size_t length)
{
    uint8_t sum[crypto_generichash_BYTES_MIN];
    crypto_generichash_state state;
    uint64_t name = 0;
    crypto_generichash_init(&state, limits->key, sizeof limits->key, sizeof sum);
    crypto_generichash_update(&state, (const unsigned char *)purpose, strlen(purpose) + 1);
    crypto_generichash_update(&state, who, length);
    crypto_generichash_final(&state, sum, sizeof sum);
    memcpy(&name, sum, sizeof name);
    return name ? name : 1;
}

/* The bucket of that name; if there is none, a full one replaces the one unused for longest. */
static struct sl_bucket *find(struct sl_limits *limits, uint64_t name, double burst, int64_t now)
{
    struct sl_bucket *oldest = NULL;
    for (uint64_t probe = 0; probe < PROBES; probe++) {
        struct sl_bucket *bucket = &limits->buckets[(name + probe) % SL_LIMIT_BUCKETS];
        if (bucket->name == name) return bucket;
        if (!oldest || bucket->name == 0 || (oldest->name != 0 && bucket->at < oldest->at))
            oldest = bucket;
    }
    *oldest = (struct sl_bucket){.name = name, .at = now, .tokens = burst};
    return oldest;
}

unsigned sl_limits_take(struct sl_limits *limits, const struct sl_limit *limit, const void *who,
                        size_t length, int64_t now)
{
    uint64_t name = hash(limits, limit->purpose, who, length);
    struct sl_bucket *bucket = find(limits, name, limit->burst, now);
    /* A clock that was set back adds no tokens. */
    double passed = now > bucket->at ? (double)(now - bucket->at) / 1000 : 0;
    bucket->tokens = fmin(limit->burst, bucket->tokens + passed * limit->per_second);
    bucket->at = now;
    if (bucket->tokens >= 1) {
        bucket->tokens -= 1;
        return 0;
    }
    return (unsigned)fmax(1, ceil((1 - bucket->tokens) / limit->per_second));
}
