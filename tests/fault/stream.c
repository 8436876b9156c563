#include "stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"

enum { BODY_BYTES = 9000 };

struct stream *stream_create(void)
{
    return sl_alloc(1, sizeof(struct stream));
}

void stream_destroy(struct stream *stream)
{
    free(stream);
}

/* Mostly short, sometimes longer than a page. */
static void write_body(char *out, size_t number)
{
    uint64_t chance = number;
    size_t length = chance_below(&chance, 300);
    if (chance_below(&chance, 4) == 0) length += chance_below(&chance, BODY_BYTES - 400);
    int used = snprintf(out, BODY_BYTES, "{\"number\": %zu, \"filler\": \"", number);
    for (size_t i = 0; i < length; i++)
        out[(size_t)used + i] = (char)('a' + chance_below(&chance, 26));
    memcpy(out + (size_t)used + length, "\"}", 3);
}

enum sl_status stream_prepare(struct stream *stream, struct sl_store *store, struct sl_error *err)
{
    char *there = NULL;
    enum sl_status status = sl_store_get_text(store, "prepared", &there, err);
    free(there);
    if (status == SL_ERR_NOT_FOUND) {
        const struct sl_store_item item = {.id = "i0", .content = "{}", .entropy = (double)NAN};
        const char *const items[] = {"i0"};
        SL_TRY(sl_store_begin(store, err));
        SL_TRY(sl_store_add_item(store, &item, err));
        SL_TRY(sl_store_add_batch(store, 0, 1, items, 1, err));
        SL_TRY(sl_store_put_text(store, "prepared", "yes", err));
        status = sl_store_commit(store, err);
    }
    if (status != SL_OK) return status;
    const uint8_t bytes[SL_STORE_PERSON_BYTES] = {1};
    const struct sl_store_arrival arrival = {.person = bytes,
                                             .token_hash = bytes,
                                             .screen = "collins",
                                             .parameters = "{}",
                                             .now = 1000,
                                             .lease_ms = 1000};
    struct sl_store_session session;
    bool returning;
    SL_TRY(sl_store_arrive(store, &arrival, &session, &returning, err));
    stream->session = session.id;
    return SL_OK;
}

static enum sl_status put(const struct stream *stream, struct sl_store *store, size_t number,
                          struct sl_error *err)
{
    char body[BODY_BYTES];
    write_body(body, number);
    struct sl_store_answer answer = {.session = stream->session,
                                     .trial = number % 27,
                                     .item = "i0",
                                     .body = body,
                                     .received = (int64_t)number};
    memcpy(answer.client_id, &number, sizeof number);
    enum sl_put_outcome outcome = SL_PUT_CONFLICT;
    SL_TRY(sl_store_put_answer(store, &answer, &outcome, err));
    if (outcome != SL_PUT_CONFLICT) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "answer %zu is there with another body", number);
}

/* begin, numbers [from, to), commit. */
static enum sl_status send_range(struct stream *stream, struct sl_store *store, size_t from,
                                 size_t to, struct sl_error *err)
{
    SL_TRY(sl_store_begin(store, err));
    enum sl_status status = SL_OK;
    for (size_t i = from; i < to; i++) {
        stream->answers[i].group = (uint32_t)stream->n_groups;
        SL_TRY_OUT(put(stream, store, i, err));
    }
    SL_TRY_OUT(sl_store_commit(store, err));
    for (size_t i = from; i < to; i++)
        stream->answers[i].acknowledged = true;
out:
    stream->n_groups++;
    sl_store_rollback(store);
    return status;
}

enum sl_status stream_send(struct stream *stream, struct sl_store *store, size_t count,
                           struct sl_error *err)
{
    size_t from = stream->next;
    if (from + count > STREAM_CAPACITY)
        return sl_fail(err, SL_ERR_USAGE, "the stream ends at %d", STREAM_CAPACITY);
    stream->next += count;
    return send_range(stream, store, from, from + count, err);
}

enum sl_status stream_resend(struct stream *stream, struct sl_store *store, struct sl_error *err)
{
    for (size_t i = 0; i < stream->next; i++)
        if (!stream->answers[i].acknowledged) SL_TRY(send_range(stream, store, i, i + 1, err));
    return SL_OK;
}

struct check {
    const struct stream *stream;
    struct stream_report *report;
    unsigned char *times; /* each number was seen */
};

static enum sl_status see(const struct sl_store_row *row, void *context)
{
    struct check *check = context;
    char body[BODY_BYTES];
    size_t number;
    memcpy(&number, row->answer->client_id, sizeof number);
    if (number >= check->stream->next) {
        check->report->altered++;
        return SL_OK;
    }
    write_body(body, number);
    check->report->altered += strcmp(body, row->answer->body) != 0;
    check->report->doubled += check->times[number] == 1;
    if (check->times[number] < 2) check->times[number]++;
    return SL_OK;
}

/* Transactions are runs of numbers with the same group. */
static size_t count_halves(const struct stream *stream, const unsigned char *times)
{
    size_t halves = 0;
    for (size_t start = 0, end; start < stream->next; start = end) {
        size_t there = 0;
        for (end = start;
             end < stream->next && stream->answers[end].group == stream->answers[start].group;
             end++)
            there += times[end] > 0;
        halves += there > 0 && there < end - start;
    }
    return halves;
}

enum sl_status stream_check(struct stream *stream, struct sl_store *store,
                            struct stream_report *out, struct sl_error *err)
{
    struct stream_report report = {0};
    struct check check = {.stream = stream, .report = &report};
    check.times = sl_alloc(STREAM_CAPACITY, 1);
    enum sl_status status = sl_store_each_answer(store, see, &check, err);
    for (size_t i = 0; status == SL_OK && i < stream->next; i++) {
        bool there = check.times[i] > 0;
        report.acknowledged += stream->answers[i].acknowledged;
        report.lost += stream->answers[i].acknowledged && !there;
        report.extra += there && !stream->answers[i].acknowledged;
    }
    if (status == SL_OK) {
        report.half = count_halves(stream, check.times);
        for (size_t i = 0; i < stream->next; i++)
            stream->answers[i].acknowledged = check.times[i] > 0;
        *out = report;
    }
    free(check.times);
    return status;
}

bool stream_is_sound(const struct stream_report *report)
{
    return report->lost == 0 && report->doubled == 0 && report->altered == 0 && report->half == 0;
}
