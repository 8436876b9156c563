/* The batch and the finished items, as CSV files. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/asking/asking.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static void append_float(struct sl_buffer *line, double value)
{
    char number[SL_NUMBER_TEXT];
    const size_t length = sl_text_from_float((float)value, number);
    sl_csv_append_field(line, number, length);
}

static void append_name(struct sl_buffer *line, const struct sl_next_batch *batch, size_t item)
{
    size_t length = 0;
    const char *name = sl_name_table_get(batch->votes->items, (uint32_t)item, &length);
    sl_csv_append_text(line, name, length);
}

static void append_figures(struct sl_buffer *line, const struct sl_ask_board *board, size_t item)
{
    sl_csv_append_real(line, board->answers[item]);
    append_float(line, board->risk[item]);
    append_float(line, board->gain[item]);
}

static enum sl_status write_batch(const struct sl_next_batch *batch, struct sl_writer *writer,
                                  struct sl_error *err)
{
    uint32_t *order = sl_alloc(batch->votes->n_items + 1, sizeof *order);
    const size_t count = sl_ask_order(batch->board, order);
    struct sl_buffer line;
    sl_buffer_init(&line, SIZE_MAX);
    enum sl_status status = sl_writer_printf(writer, err, "item,times,answers,risk,gain\n");
    for (size_t i = 0; i < count && status == SL_OK; i++) {
        if (batch->times[order[i]] == 0) continue;
        append_name(&line, batch, order[i]);
        sl_csv_append_real(&line, batch->times[order[i]]);
        append_figures(&line, batch->board, order[i]);
        sl_csv_end_line(&line);
        status = sl_writer_write(writer, line.data, line.length, err);
        sl_buffer_clear(&line);
    }
    sl_buffer_release(&line);
    free(order);
    return status;
}

static enum sl_status write_finished(const struct sl_next_batch *batch, struct sl_writer *writer,
                                     struct sl_error *err)
{
    static const char *const reasons[] = {[SL_ASK_SETTLED] = "settled", [SL_ASK_FULL] = "full"};
    struct sl_buffer line;
    sl_buffer_init(&line, SIZE_MAX);
    enum sl_status status = sl_writer_printf(writer, err, "item,reason,answers,risk,gain\n");
    for (size_t i = 0; i < batch->votes->n_items && status == SL_OK; i++) {
        const enum sl_ask_state state = sl_ask_state_of(batch->board, i);
        if (state == SL_ASK_OPEN) continue;
        append_name(&line, batch, i);
        sl_csv_append_text(&line, reasons[state], strlen(reasons[state]));
        append_figures(&line, batch->board, i);
        sl_csv_end_line(&line);
        status = sl_writer_write(writer, line.data, line.length, err);
        sl_buffer_clear(&line);
    }
    sl_buffer_release(&line);
    return status;
}

typedef enum sl_status write_rows(const struct sl_next_batch *batch, struct sl_writer *writer,
                                  struct sl_error *err);

static enum sl_status write_file(const struct sl_next_batch *batch, const char *path,
                                 write_rows *rows, struct sl_error *err)
{
    struct sl_writer writer = {.descriptor = -1};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    SL_TRY_OUT(rows(batch, &writer, err));
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    return status;
}

enum sl_status sl_next_batch_write(const struct sl_next_batch *batch, struct sl_error *err)
{
    SL_TRY(write_file(batch, batch->job->output, write_batch, err));
    return batch->job->finished ? write_file(batch, batch->job->finished, write_finished, err)
                                : SL_OK;
}
