/* CSV: every scanner and every way to cut the text must give the same records or the same
 * error, and what is written must be read back. */
#include <stdlib.h>
#include <string.h>

#include "base/csv/internal.h"
#include "fuzz.h"
#include "softlab/base.h"

enum { OUTPUT_LIMIT = 64 << 20, RECORD_LIMIT = 300 };

/* Records as text that two readings must share: lines, lengths, bytes; then the error. */
static void read_all(const struct sl_csv_source *source, const struct sl_csv_options *options,
                     struct sl_buffer *out)
{
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {0};
    struct sl_error err;
    sl_buffer_clear(out);
    sl_buffer_text(out, "");
    enum sl_status status = sl_csv_open_source(source, options, &csv, &err);
    while (status == SL_OK) {
        status = sl_csv_next(csv, &record, &err);
        if (status != SL_OK || record.count == 0) break;
        sl_buffer_printf(out, "%zu:", record.line);
        for (size_t i = 0; i < record.count; i++) {
            sl_buffer_printf(out, "%zu=", record.fields[i].length);
            sl_buffer_append(out, record.fields[i].text, record.fields[i].length);
        }
    }
    if (status != SL_OK) sl_buffer_printf(out, "!%s", err.message);
    sl_csv_close(csv);
}

static void compare_readings(const char *bytes, size_t length, const struct sl_csv_options *options)
{
    static const size_t chunks[] = {1, 2, 3, 7, 64, 65, 100, 1 << 16};
    struct sl_buffer expected, found;
    sl_buffer_init(&expected, OUTPUT_LIMIT);
    sl_buffer_init(&found, OUTPUT_LIMIT);
    struct sl_csv_source source = {
        .name = "fuzz", .descriptor = -1, .bytes = bytes, .length = length};
    source.scanner = &sl_csv_scanners[0];
    source.chunk = length + 1;
    read_all(&source, options, &expected);
    for (const struct sl_csv_scanner *scanner = sl_csv_scanners; scanner->name; scanner++) {
        if (!scanner->runs_here()) continue;
        source.scanner = scanner;
        for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
            source.chunk = chunks[i];
            read_all(&source, options, &found);
            if (found.length != expected.length) abort();
            if (memcmp(found.data, expected.data, found.length) != 0) abort();
        }
    }
    sl_buffer_release(&expected);
    sl_buffer_release(&found);
}

/* Copy a table record by record through sl_csv_append_field; false if it cannot be read. */
static bool copy_table(const char *bytes, size_t length, const struct sl_csv_options *options,
                       struct sl_buffer *out)
{
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {0};
    if (sl_csv_open_memory(bytes, length, "fuzz", options, &csv, NULL) != SL_OK) return false;
    enum sl_status status = SL_OK;
    while ((status = sl_csv_next(csv, &record, NULL)) == SL_OK && record.count > 0) {
        for (size_t i = 0; i < record.count; i++)
            sl_csv_append_field(out, record.fields[i].text, record.fields[i].length);
        sl_csv_end_line(out);
    }
    sl_csv_close(csv);
    return status == SL_OK;
}

/* A copy, and the copy of a copy, are the same text. A record of our own comes first: a copy leaves
 * out empty lines, and what then stood at the beginning could look like another kind of file. */
static void check_round_trip(const char *bytes, size_t length)
{
    struct sl_csv_options options = sl_csv_options_default();
    options.header = options.fixed_width = false;
    struct sl_buffer whole, first, second;
    sl_buffer_init(&whole, OUTPUT_LIMIT);
    sl_buffer_init(&first, OUTPUT_LIMIT);
    sl_buffer_init(&second, OUTPUT_LIMIT);
    sl_buffer_text(&whole, "x\n");
    sl_buffer_append(&whole, bytes, length);
    if (copy_table(whole.data, whole.length, &options, &first)) {
        if (!copy_table(first.data, first.length, &options, &second)) abort();
        if (first.length != second.length) abort();
        if (first.length && memcmp(first.data, second.data, first.length) != 0) abort();
    }
    sl_buffer_release(&whole);
    sl_buffer_release(&first);
    sl_buffer_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    /* The first byte chooses the options, so that the corpus reaches all of them. */
    if (length == 0) return 0;
    const char *text = (const char *)bytes + 1;
    struct sl_csv_options options = sl_csv_options_default();
    options.delimiter = bytes[0] & 1 ? '\t' : ',';
    options.quoting = !(bytes[0] & 2);
    options.header = !(bytes[0] & 4);
    options.fixed_width = !(bytes[0] & 8);
    if (bytes[0] & 16) options.record_limit = RECORD_LIMIT;
    compare_readings(text, length - 1, &options);
    check_round_trip(text, length - 1);
    return 0;
}
