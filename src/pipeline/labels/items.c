/* How sure the label of every item is, as a CSV file. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/labels/labels.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static void append_header(struct sl_buffer *line, const struct sl_known_names *names)
{
    static const char *const of_class[] = {"p", "low", "high"};
    sl_csv_append_field(line, "item", 4);
    sl_csv_append_field(line, "answers", 7);
    sl_csv_append_field(line, "risk", 4);
    sl_csv_append_field(line, "gain", 4);
    for (size_t k = 0; k < names->n_classes; k++)
        for (size_t i = 0; i < sizeof of_class / sizeof *of_class; i++) {
            char *name = sl_string_printf("%s(%s)", of_class[i], names->classes[k]);
            sl_csv_append_text(line, name, strlen(name));
            free(name);
        }
    sl_csv_end_line(line);
}

static void append_float(struct sl_buffer *line, float value)
{
    char number[SL_NUMBER_TEXT];
    const size_t length = sl_text_from_float(value, number);
    sl_csv_append_field(line, number, length);
}

static void append_item(struct sl_buffer *line, const struct sl_crowd_state *state,
                        const struct sl_known_names *names, size_t item, size_t n_answers)
{
    size_t length = 0;
    const char *name = sl_name_table_get(names->items, (uint32_t)item, &length);
    sl_csv_append_text(line, name, length);
    sl_csv_append_real(line, (double)n_answers);
    append_float(line, (float)state->risk[item]);
    append_float(line, (float)state->gain[item]);
    for (size_t k = 0; k < state->n_classes; k++) {
        const size_t cell = item * state->n_classes + k;
        append_float(line, state->posterior[cell]);
        append_float(line, state->low[cell]);
        append_float(line, state->high[cell]);
    }
    sl_csv_end_line(line);
}

enum sl_status sl_labels_items_write(const char *path, const struct sl_crowd_state *state,
                                     const struct sl_known_names *names, const size_t *begin,
                                     bool unanswered, struct sl_error *err)
{
    struct sl_writer writer = {.descriptor = -1};
    struct sl_buffer line;
    enum sl_status status = SL_OK;
    sl_buffer_init(&line, SIZE_MAX);
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    append_header(&line, names);
    for (size_t i = 0; i < state->n_items; i++) {
        const size_t n_answers = begin[i + 1] - begin[i];
        if (n_answers > 0 || unanswered) append_item(&line, state, names, i, n_answers);
        SL_TRY_OUT(sl_writer_write(&writer, line.data, line.length, err));
        sl_buffer_clear(&line);
    }
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    sl_buffer_release(&line);
    return status;
}
