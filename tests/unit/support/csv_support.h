/* Shared by the CSV tests: a table as one line of text, so that whole readings compare. */
#ifndef SOFTLAB_TESTS_CSV_SUPPORT_H
#define SOFTLAB_TESTS_CSV_SUPPORT_H

#include "base/csv/internal.h"
#include "support.h"

/* "1[a|b]2[c|d]" for records with their lines, then "!message" if reading failed. The
 * result belongs to `out`, which is cleared first. */
static inline const char *read_all(const struct sl_csv_source *source,
                                   const struct sl_csv_options *options, struct sl_buffer *out)
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
        sl_buffer_printf(out, "%zu[", record.line);
        for (size_t i = 0; i < record.count; i++) {
            if (i > 0) sl_buffer_byte(out, '|');
            sl_buffer_append(out, record.fields[i].text, record.fields[i].length);
        }
        sl_buffer_byte(out, ']');
    }
    if (status != SL_OK) sl_buffer_printf(out, "!%s", err.message);
    sl_csv_close(csv);
    return out->data;
}

static inline struct sl_csv_source memory_source(const char *bytes, size_t length)
{
    return (struct sl_csv_source){.name = "t.csv",
                                  .descriptor = -1,
                                  .bytes = bytes,
                                  .length = length,
                                  .scanner = sl_csv_best_scanner(),
                                  .chunk = 1 << 16};
}

#endif
