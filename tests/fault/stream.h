/* A stream of answers in which the number of an answer determines its bytes, and the record of
 * which answers the store acknowledged. The fault tests write and check it. */
#ifndef SOFTLAB_TESTS_STREAM_H
#define SOFTLAB_TESTS_STREAM_H

#include "softlab/base.h"
#include "softlab/store.h"

enum { STREAM_CAPACITY = 1 << 15, STREAM_MAX_GROUP = 8 };

struct stream {
    int64_t session;
    size_t next; /* the first number not sent yet */
    size_t n_groups;
    struct {
        bool acknowledged;
        uint32_t group; /* of the transaction it was sent in */
    } answers[STREAM_CAPACITY];
};

struct stream_report {
    size_t acknowledged; /* answers that must be there */
    size_t lost;         /* of these */
    size_t doubled;      /* there twice */
    size_t altered;      /* there with another body, or never sent */
    size_t half;         /* transactions of which only a part is there */
    size_t extra;        /* there though not acknowledged: allowed */
};

struct stream *stream_create(void);
void stream_destroy(struct stream *stream);

/* Make the study (one item, one batch, one session) unless it exists. */
enum sl_status stream_prepare(struct stream *stream, struct sl_store *store,
                              struct sl_error *err) SL_MUST_USE;

/* Send the next `count` answers in one transaction; they are acknowledged if it commits. On a
 * failure the transaction is rolled back. */
enum sl_status stream_send(struct stream *stream, struct sl_store *store, size_t count,
                           struct sl_error *err) SL_MUST_USE;
/* Send every unacknowledged answer again, one per transaction: each is replayed or stored. */
enum sl_status stream_resend(struct stream *stream, struct sl_store *store,
                             struct sl_error *err) SL_MUST_USE;

/* Compare the store with the record. Answers found in the store count as acknowledged from now
 * on. */
enum sl_status stream_check(struct stream *stream, struct sl_store *store,
                            struct stream_report *out, struct sl_error *err) SL_MUST_USE;
bool stream_is_sound(const struct stream_report *report);

#endif
