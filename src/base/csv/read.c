/* Reading CSV.
 *
 * 1. Bytes enter one window, a chunk at a time. As a chunk arrives, a scanner makes bit
 *    masks of the bytes that mean something; the masks are used up before the next chunk
 *    is read, so they only ever describe the newest one.
 * 2. Parsing visits set bits only. What depends on the byte after a quote or a CR waits
 *    in `state` for the next bit, so a record may be cut between chunks anywhere.
 * 3. Fields point into the window. A doubled quote is undone in place, which never moves
 *    the ends of the record. Sliding or growing the window moves the fields of the
 *    record under way along.
 * 4. Positions are offsets into the window and never before `record`.
 * 5. Whether a record fails, and with which message, does not depend on the chunks: where
 *    a record passes the limit no later complaint about it is made. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv/internal.h"
#include "base/csv/reader.h"
#include "base/text/describe.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { CHUNK = 256 * 1024, LEAST_CAPACITY = 4, RECORD_LIMIT = 16 << 20 };

#define NO_POSITION SIZE_MAX

static const char byte_order_mark[] = "\xEF\xBB\xBF";

struct sl_csv_options sl_csv_options_default(void)
{
    return (struct sl_csv_options){.delimiter = ',',
                                   .quoting = true,
                                   .header = true,
                                   .fixed_width = true,
                                   .record_limit = RECORD_LIMIT};
}

static enum sl_status check_options(const struct sl_csv_options *options, const char *name,
                                    struct sl_error *err)
{
    char delimiter = options->delimiter;
    if (delimiter == '\0' || delimiter == '\n' || delimiter == '\r' ||
        (options->quoting && delimiter == '"'))
        return sl_fail(err, SL_ERR_USAGE, "%s: byte 0x%02x cannot be a delimiter", name,
                       (unsigned)(unsigned char)delimiter);
    if (options->record_limit == 0 || options->record_limit > SIZE_MAX / 4)
        return sl_fail(err, SL_ERR_USAGE, "%s: record limit of %zu bytes is out of range", name,
                       options->record_limit);
    return SL_OK;
}

static enum sl_status fail_at_limit(struct sl_csv *csv)
{
    return sl_csv_fail(csv, csv->record_line, &csv->failure, "record is longer than %zu bytes",
                       csv->options.record_limit);
}

/* A complaint about the byte at `position` on `line`. */
static enum sl_status fail_at(struct sl_csv *csv, size_t position, size_t line, const char *what)
{
    if (position - csv->record > csv->options.record_limit) return fail_at_limit(csv);
    return sl_csv_fail(csv, line, &csv->failure, "field %zu: %s", csv->count + 1, what);
}

/* Put up to a chunk of new bytes behind those in the window, which has room. */
static enum sl_status read_bytes(struct sl_csv *csv)
{
    size_t room = csv->capacity - csv->end;
    if (room > csv->source.chunk) room = csv->source.chunk;
    size_t got = 0;
    if (csv->source.stream) {
        SL_TRY(
            sl_stream_read(csv->source.stream, csv->window + csv->end, room, &got, &csv->failure));
    } else if (csv->source.descriptor < 0) {
        got = room < csv->source.length ? room : csv->source.length;
        if (got > 0) { /* otherwise `bytes` may be NULL */
            memcpy(csv->window + csv->end, csv->source.bytes, got);
            csv->source.bytes += got;
            csv->source.length -= got;
        }
    } else {
        ssize_t result = 0;
        do {
            result = read(csv->source.descriptor, csv->window + csv->end, room);
        } while (result < 0 && errno == EINTR);
        if (result < 0) return sl_fail_errno(&csv->failure, "%s", csv->name);
        got = (size_t)result;
    }
    csv->end += got;
    csv->at_end = got == 0;
    return SL_OK;
}

/* Make masks of the bytes from `begin` to the end of the window. */
static void scan_from(struct sl_csv *csv, size_t begin)
{
    const size_t length = csv->end - begin, rest = length % SL_CSV_BLOCK;
    csv->block = 0;
    csv->n_blocks = length / SL_CSV_BLOCK + (rest > 0);
    csv->mask_base = begin;
    memset(csv->window + csv->end, 0, SL_CSV_BLOCK);
    csv->source.scanner->scan(csv->window + begin, csv->n_blocks, csv->specials, csv->masks);
    if (rest > 0) csv->masks[csv->n_blocks - 1] &= ((uint64_t)1 << rest) - 1;
    csv->mask = csv->n_blocks > 0 ? csv->masks[0] : 0;
}

static void slide_window(struct sl_csv *csv)
{
    const size_t shift = csv->record;
    memmove(csv->window, csv->window + shift, csv->end - shift);
    for (size_t i = 0; i < csv->count; i++)
        csv->fields[i].text -= shift;
    csv->record = 0;
    csv->end -= shift;
    csv->field -= shift;
    /* Unused positions may lie before the record; they are set before they are read. */
    csv->written -= shift < csv->written ? shift : csv->written;
    csv->segment -= shift < csv->segment ? shift : csv->segment;
    csv->waiting -= shift < csv->waiting ? shift : csv->waiting;
}

/* Room for more of a record that fills the window from its first byte. */
static enum sl_status grow_window(struct sl_csv *csv)
{
    const size_t most = csv->options.record_limit + 2; /* its CRLF */
    size_t capacity = csv->capacity > most / 2 ? most : csv->capacity * 2;
    char *window = sl_data_alloc(capacity + SL_CSV_BLOCK, 1, &csv->failure);
    if (!window) return SL_ERR_NOMEM;
    memcpy(window, csv->window, csv->end);
    for (size_t i = 0; i < csv->count; i++)
        csv->fields[i].text = window + (csv->fields[i].text - csv->window);
    free(csv->window);
    csv->window = window;
    csv->capacity = capacity;
    return SL_OK;
}

static enum sl_status refill(struct sl_csv *csv)
{
    if (csv->at_end) return SL_OK;
    if (csv->end - csv->record > csv->options.record_limit + 1) return fail_at_limit(csv);
    if (csv->end == csv->capacity) {
        if (csv->record > 0)
            slide_window(csv);
        else
            SL_TRY(grow_window(csv));
    }
    size_t begin = csv->end;
    SL_TRY(read_bytes(csv));
    scan_from(csv, begin);
    return SL_OK;
}

static enum sl_status grow_fields(struct sl_csv *csv)
{
    size_t capacity = csv->field_capacity * 2;
    struct sl_field *fields = sl_data_alloc(capacity, sizeof *fields, &csv->failure);
    if (!fields) return SL_ERR_NOMEM;
    memcpy(fields, csv->fields, csv->count * sizeof *fields);
    free(csv->fields);
    csv->fields = fields;
    csv->field_capacity = capacity;
    return SL_OK;
}

static enum sl_status push_field(struct sl_csv *csv, size_t end)
{
    if (csv->count == csv->field_capacity) SL_TRY(grow_fields(csv));
    csv->fields[csv->count++] = (struct sl_field){csv->window + csv->field, end - csv->field};
    return SL_OK;
}

/* The hot loop: take unquoted fields up to the end of the record. Returns the position of the
 * special byte that ended it or that needs the slow path, or NO_POSITION when the masks are used
 * up. */
static size_t take_plain_fields(struct sl_csv *csv)
{
    const char delimiter = csv->options.delimiter;
    const char *const window = csv->window, *field = window + csv->field, *at = NULL;
    const char *block_begin = window + csv->mask_base + csv->block * SL_CSV_BLOCK;
    struct sl_field *next = csv->fields + csv->count, *last = csv->fields + csv->field_capacity;
    size_t block = csv->block;
    uint64_t mask = csv->mask;
    for (;;) {
        while (mask == 0 && block + 1 < csv->n_blocks) {
            mask = csv->masks[++block];
            block_begin += SL_CSV_BLOCK;
        }
        at = NULL;
        if (mask == 0) break;
        at = block_begin + (unsigned)__builtin_ctzll(mask);
        mask &= mask - 1;
        const char byte = *at;
        if ((byte != delimiter && byte != '\n') || next == last) break;
        *next++ = (struct sl_field){field, (size_t)(at - field)};
        field = at + 1;
        if (byte != '\n') continue;
        csv->record_end = (size_t)(at - window);
        csv->state = SL_CSV_ENDED;
        break;
    }
    csv->mask = mask;
    csv->block = block;
    csv->count = (size_t)(next - csv->fields);
    csv->field = (size_t)(field - window);
    return at ? (size_t)(at - window) : NO_POSITION;
}

/* The same within quotes, where only a quote and a NUL stop. Lines are counted. */
static size_t skip_quoted_text(struct sl_csv *csv)
{
    uint64_t mask = csv->mask;
    size_t block = csv->block, position = NO_POSITION;
    for (;;) {
        while (mask == 0 && block + 1 < csv->n_blocks)
            mask = csv->masks[++block];
        if (mask == 0) break;
        size_t at = csv->mask_base + block * SL_CSV_BLOCK + (size_t)__builtin_ctzll(mask);
        mask &= mask - 1;
        char byte = csv->window[at];
        if (byte == '"' || byte == '\0') {
            position = at;
            break;
        }
        csv->line += byte == '\n';
    }
    csv->mask = mask;
    csv->block = block;
    return position;
}

static size_t next_special(struct sl_csv *csv)
{
    while (csv->mask == 0 && csv->block + 1 < csv->n_blocks)
        csv->mask = csv->masks[++csv->block];
    if (csv->mask == 0) return NO_POSITION;
    size_t bit = (size_t)__builtin_ctzll(csv->mask);
    csv->mask &= csv->mask - 1;
    return csv->mask_base + csv->block * SL_CSV_BLOCK + bit;
}

/* Move the text since the last doubled quote, up to `end`, to where it belongs. */
static void write_segment(struct sl_csv *csv, size_t end)
{
    const size_t length = end - csv->segment;
    if (csv->written != csv->segment)
        memmove(csv->window + csv->written, csv->window + csv->segment, length);
    csv->written += length;
}

/* The last field's text ends at `field_end`, the record at `record_end`; they differ where
 * a quote was undone or closed. */
static enum sl_status end_record(struct sl_csv *csv, size_t field_end, size_t record_end)
{
    SL_TRY(push_field(csv, field_end));
    csv->record_end = record_end;
    csv->state = SL_CSV_ENDED;
    return SL_OK;
}

static enum sl_status step_plain(struct sl_csv *csv, size_t at)
{
    const char byte = csv->window[at];
    if (byte == '\n') return end_record(csv, at, at);
    if (byte == csv->options.delimiter) {
        SL_TRY(push_field(csv, at));
        csv->field = at + 1;
    } else if (byte == '\r') {
        csv->state = SL_CSV_RETURNED;
        csv->written = csv->waiting = at;
    } else if (byte == '\0') {
        return fail_at(csv, at, csv->line, "NUL byte");
    } else if (at != csv->field) {
        if (csv->options.inner_quotes) return SL_OK;
        return fail_at(csv, at, csv->line, "quote inside an unquoted field");
    } else {
        csv->state = SL_CSV_QUOTED;
        csv->field = csv->written = csv->segment = at + 1;
        csv->quote_line = csv->line;
    }
    return SL_OK;
}

static enum sl_status step_quoted(struct sl_csv *csv, size_t at)
{
    if (csv->window[at] == '\0') return fail_at(csv, at, csv->line, "NUL byte");
    csv->state = SL_CSV_CLOSED;
    csv->waiting = at;
    return SL_OK;
}

static enum sl_status step_closed(struct sl_csv *csv, size_t at)
{
    const char byte = csv->window[at];
    if (byte == '\0') return fail_at(csv, at, csv->line, "NUL byte");
    if (byte == '"') {
        write_segment(csv, at);
        csv->segment = at + 1;
        csv->state = SL_CSV_QUOTED;
        return SL_OK;
    }
    write_segment(csv, csv->waiting);
    if (byte == '\n') return end_record(csv, csv->written, at);
    if (byte == '\r') {
        csv->state = SL_CSV_RETURNED;
        csv->waiting = at;
        return SL_OK;
    }
    SL_TRY(push_field(csv, csv->written));
    csv->field = at + 1;
    csv->state = SL_CSV_PLAIN;
    return SL_OK;
}

/* A quote or CR that waits for the byte after it may only be followed by a special byte, the first
 * of which is at `next`. */
static enum sl_status check_waiting(struct sl_csv *csv, size_t next)
{
    const size_t expected = csv->waiting + 1;
    if (csv->state == SL_CSV_CLOSED && next > expected)
        return fail_at(csv, expected, csv->line, "text after a closing quote");
    if (csv->state == SL_CSV_RETURNED && next > expected)
        return fail_at(csv, csv->waiting, csv->line, "carriage return without a line feed");
    return SL_OK;
}

/* Process one special byte; SL_CSV_ENDED stops the walk. */
static enum sl_status step(struct sl_csv *csv, size_t at)
{
    if (csv->state == SL_CSV_PLAIN) return step_plain(csv, at);
    if (csv->state == SL_CSV_QUOTED) return step_quoted(csv, at);
    SL_TRY(check_waiting(csv, at));
    if (csv->state == SL_CSV_CLOSED) return step_closed(csv, at);
    if (csv->window[at] == '\n') return end_record(csv, csv->written, csv->waiting);
    return fail_at(csv, csv->waiting, csv->line, "carriage return without a line feed");
}

/* The end of the file also ends its last line, if it has begun. */
static enum sl_status end_file(struct sl_csv *csv)
{
    const size_t end = csv->end;
    switch (csv->state) {
    case SL_CSV_PLAIN:
        if (end > csv->record) return end_record(csv, end, end);
        csv->record_end = end;
        csv->state = SL_CSV_ENDED;
        return SL_OK;
    case SL_CSV_CLOSED: write_segment(csv, csv->waiting); return end_record(csv, csv->written, end);
    case SL_CSV_QUOTED:
        return fail_at(csv, end, csv->quote_line, "quote is not closed before the end of the file");
    case SL_CSV_RETURNED:
        return fail_at(csv, csv->waiting, csv->line, "carriage return without a line feed");
    case SL_CSV_ENDED: break;
    }
    return SL_OK;
}

/* Read the rest of a record that has quotes or is cut by a chunk, from the special byte `*at`
 * on. */
static enum sl_status read_rest(struct sl_csv *csv, size_t *at)
{
    for (;;) {
        if (*at != NO_POSITION) {
            SL_TRY(step(csv, *at));
        } else {
            SL_TRY(check_waiting(csv, csv->end));
            SL_TRY(refill(csv));
            if (csv->at_end) SL_TRY(end_file(csv));
        }
        if (csv->state == SL_CSV_ENDED) return SL_OK;
        *at = csv->state == SL_CSV_PLAIN    ? take_plain_fields(csv)
              : csv->state == SL_CSV_QUOTED ? skip_quoted_text(csv)
                                            : next_special(csv);
        if (csv->state == SL_CSV_ENDED) return SL_OK;
    }
}

static enum sl_status read_record(struct sl_csv *csv)
{
    csv->field = csv->record;
    csv->count = 0;
    csv->state = SL_CSV_PLAIN;
    csv->record_line = csv->line;
    size_t at = take_plain_fields(csv);
    if (csv->state != SL_CSV_ENDED) SL_TRY(read_rest(csv, &at));
    if (csv->record_end - csv->record > csv->options.record_limit) return fail_at_limit(csv);
    csv->blank = csv->record_end == csv->record;
    csv->record = at == NO_POSITION ? csv->end : at + 1;
    csv->line++;
    return SL_OK;
}

static enum sl_status next_record(struct sl_csv *csv)
{
    do {
        SL_TRY(read_record(csv));
    } while (csv->blank && csv->count > 0 && csv->width != 1);
    if (csv->count == 0 || csv->width == csv->count) return SL_OK;
    if (csv->width == 0) {
        csv->width = csv->count;
    } else if (csv->options.fixed_width) {
        return sl_csv_fail(csv, csv->record_line, &csv->failure, "expected %zu field%s, got %zu",
                           csv->width, sl_text_plural(csv->width, "", "s"), csv->count);
    }
    return SL_OK;
}

enum sl_status sl_csv_next(struct sl_csv *csv, struct sl_csv_record *out, struct sl_error *err)
{
    enum sl_status status = csv->failure.code;
    if (status == SL_OK) status = next_record(csv);
    if (status != SL_OK) {
        if (err) *err = csv->failure;
        return status;
    }
    *out = (struct sl_csv_record){csv->fields, csv->count, csv->record_line};
    return SL_OK;
}

static enum sl_status start(struct sl_csv *csv)
{
    const size_t mark = sizeof byte_order_mark - 1;
    while (csv->end < mark && !csv->at_end)
        SL_TRY(read_bytes(csv));
    if (csv->end >= 2 &&
        (memcmp(csv->window, "\xFF\xFE", 2) == 0 || memcmp(csv->window, "\xFE\xFF", 2) == 0))
        return sl_fail(&csv->failure, SL_ERR_INPUT, "%s: the file is UTF-16 text; save it as UTF-8",
                       csv->name);
    if (csv->end >= mark && memcmp(csv->window, byte_order_mark, mark) == 0) csv->record = mark;
    scan_from(csv, csv->record);
    return csv->options.header ? sl_csv_read_header(csv) : SL_OK;
}

enum sl_status sl_csv_create(const struct sl_csv_source *source,
                             const struct sl_csv_options *options, struct sl_csv **out,
                             struct sl_error *err)
{
    struct sl_csv *csv = sl_alloc(1, sizeof *csv);
    const char specials[SL_CSV_SPECIALS] = {options->delimiter, '\n', '\r', '\0',
                                            options->quoting ? '"' : '\n'};
    csv->source = *source;
    csv->options = *options;
    csv->name = sl_string_copy(source->name);
    const enum sl_status status = check_options(options, source->name, err);
    if (status != SL_OK) {
        sl_csv_close(csv);
        return status;
    }
    memcpy(csv->specials, specials, sizeof specials);
    csv->line = 1;
    csv->capacity = csv->source.chunk < LEAST_CAPACITY ? LEAST_CAPACITY : csv->source.chunk;
    csv->field_capacity = 16;
    csv->window = sl_alloc(csv->capacity + SL_CSV_BLOCK, 1);
    csv->masks = sl_alloc(csv->capacity / SL_CSV_BLOCK + 1, sizeof *csv->masks);
    csv->fields = sl_alloc(csv->field_capacity, sizeof *csv->fields);
    *out = csv;
    return SL_OK;
}

enum sl_status sl_csv_open_source(const struct sl_csv_source *source,
                                  const struct sl_csv_options *options, struct sl_csv **out,
                                  struct sl_error *err)
{
    struct sl_csv *csv = NULL;
    SL_TRY(sl_csv_create(source, options, &csv, err));
    const enum sl_status status = start(csv);
    if (status == SL_OK) {
        *out = csv;
    } else {
        if (err) *err = csv->failure;
        sl_csv_close(csv);
    }
    return status;
}

enum sl_status sl_csv_open(const char *path, const struct sl_csv_options *options,
                           struct sl_csv **out, struct sl_error *err)
{
    struct sl_csv_source source = {.name = path, .scanner = sl_csv_best_scanner(), .chunk = CHUNK};
    SL_TRY(sl_file_open(path, &source.descriptor, NULL, err));
    if (sl_descriptor_is_gzip(source.descriptor)) {
        close(source.descriptor);
        source.descriptor = -1;
        SL_TRY(sl_file_stream_open(path, &source.stream, err));
    }
    return sl_csv_open_source(&source, options, out, err);
}

enum sl_status sl_csv_open_memory(const char *bytes, size_t length, const char *name,
                                  const struct sl_csv_options *options, struct sl_csv **out,
                                  struct sl_error *err)
{
    struct sl_csv_source source = {.name = name,
                                   .descriptor = -1,
                                   .bytes = bytes,
                                   .length = length,
                                   .scanner = sl_csv_best_scanner(),
                                   .chunk = CHUNK};
    return sl_csv_open_source(&source, options, out, err);
}

void sl_csv_close(struct sl_csv *csv)
{
    if (!csv) return;
    sl_file_stream_close(csv->source.stream);
    if (csv->source.descriptor >= 0) close(csv->source.descriptor);
    free(csv->column_names);
    free(csv->column_text);
    free(csv->fields);
    free(csv->masks);
    free(csv->window);
    free(csv->name);
    free(csv);
}
