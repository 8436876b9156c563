/* Token buckets: how often one address or session may send requests. There is a fixed number of
 * buckets; a keyed hash finds one, so that nobody can choose whom they share it with. The bucket
 * unused for longest is replaced. Private to study/serve/. */
#ifndef SOFTLAB_STUDY_SERVE_LIMITS_H
#define SOFTLAB_STUDY_SERVE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

enum { SL_LIMIT_BUCKETS = 4096, SL_LIMIT_KEY = 32 };

struct sl_limit {
    const char *purpose; /* part of the name of a bucket */
    double per_second, burst;
};

struct sl_bucket {
    uint64_t name; /* 0: free */
    int64_t at;    /* ms */
    double tokens;
};
struct sl_limits {
    uint8_t key[SL_LIMIT_KEY];
    struct sl_bucket buckets[SL_LIMIT_BUCKETS];
};

/* Take a token for `who`; 0, or the seconds to wait (at least 1). */
unsigned sl_limits_take(struct sl_limits *limits, const struct sl_limit *limit, const void *who,
                        size_t length, int64_t now);

#endif
