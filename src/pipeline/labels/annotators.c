/* Annotators' weights and skills: writes those that a method estimated, reads those that the user
 * gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/files/columns.h"
#include "pipeline/labels/labels.h"
#include "softlab/base/array.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { WINDOW = 1 << 20 }; /* items of streamed votes that stay in memory */

static void append_header(struct sl_buffer *line, const struct sl_aggregator *method,
                          const struct sl_known_names *names)
{
    sl_csv_append_field(line, "annotator", 9);
    sl_csv_append_field(line, "answers", 7);
    if (method->learns & SL_LEARNS_SKILL) sl_csv_append_field(line, "skill", 5);
    if (method->learns & SL_LEARNS_WEIGHT) sl_csv_append_field(line, "weight", 6);
    if (method->learns & SL_LEARNS_ABILITY) sl_csv_append_field(line, "ability", 7);
    for (size_t k = 0; k < names->n_classes && method->learns & SL_LEARNS_STRATEGY; k++) {
        char *name = sl_string_printf("spam(%s)", names->classes[k]);
        sl_csv_append_text(line, name, strlen(name));
        free(name);
    }
    for (size_t k = 0; k < names->n_classes && method->learns & SL_LEARNS_CONFUSION; k++)
        for (size_t l = 0; l < names->n_classes; l++) {
            char *name = sl_string_printf("p(%s|%s)", names->classes[l], names->classes[k]);
            sl_csv_append_text(line, name, strlen(name));
            free(name);
        }
    sl_csv_end_line(line);
}

static void append_annotator(struct sl_buffer *line, const struct sl_aggregator *method,
                             const struct sl_crowd_state *state, const struct sl_known_names *names,
                             size_t a, size_t n_answers)
{
    const size_t cells = state->n_classes * state->n_classes;
    size_t length = 0;
    const char *name = sl_name_table_get(names->annotators, (uint32_t)a, &length);
    sl_csv_append_text(line, name, length);
    sl_csv_append_real(line, (double)n_answers);
    if (method->learns & SL_LEARNS_SKILL) sl_csv_append_real(line, state->skill[a]);
    if (method->learns & SL_LEARNS_WEIGHT) sl_csv_append_real(line, state->weight[a]);
    if (method->learns & SL_LEARNS_ABILITY) sl_csv_append_real(line, state->ability[a]);
    for (size_t k = 0; k < state->n_classes && method->learns & SL_LEARNS_STRATEGY; k++)
        sl_csv_append_real(line, state->strategy[a * state->n_classes + k]);
    for (size_t c = 0; c < cells && method->learns & SL_LEARNS_CONFUSION; c++) {
        char number[SL_NUMBER_TEXT];
        length = sl_text_from_float(state->confusion[a * cells + c], number);
        sl_csv_append_field(line, number, length);
    }
    sl_csv_end_line(line);
}

/* Answers from `first` up to `last`. */
static void count_range(const struct sl_labels_asked *asked, size_t first, size_t last,
                        size_t *n_answers)
{
    for (size_t i = first; i < last; i++)
        if (asked->annotator[i] != SL_NO_NAME) n_answers[asked->annotator[i]]++;
}

static void count_answers(const struct sl_labels_asked *asked, size_t *n_answers)
{
    const struct sl_votes *votes = asked->streamed;
    if (!votes) count_range(asked, 0, asked->count, n_answers);
    for (size_t item = 0; votes && item < votes->n_items;) {
        const size_t left = votes->n_items - item;
        const size_t end = item + (left < WINDOW ? left : WINDOW);
        count_range(asked, votes->begin[item], votes->begin[end], n_answers);
        sl_votes_pass(votes, item, end);
        item = end;
    }
}

enum sl_status sl_labels_annotators_write(const char *path, const struct sl_aggregator *method,
                                          const struct sl_crowd_state *state,
                                          const struct sl_labels_asked *asked, struct sl_error *err)
{
    const struct sl_known_names *names = asked->names;
    const size_t n_annotators = sl_name_table_count(names->annotators);
    size_t *n_answers = sl_alloc(n_annotators + 1, sizeof *n_answers);
    struct sl_writer writer = {.descriptor = -1};
    struct sl_buffer line;
    enum sl_status status = SL_OK;
    sl_buffer_init(&line, SIZE_MAX);
    count_answers(asked, n_answers);
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    append_header(&line, method, names);
    for (size_t a = 0; a < n_annotators; a++) {
        append_annotator(&line, method, state, names, a, n_answers[a]);
        SL_TRY_OUT(sl_writer_write(&writer, line.data, line.length, err));
        sl_buffer_clear(&line);
    }
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    sl_buffer_release(&line);
    free(n_answers);
    return status;
}

enum sl_status sl_labels_weights_read(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_name_table *annotators, double **out,
                                      struct sl_error *err)
{
    const size_t count = sl_name_table_count(annotators);
    double *weights = NULL, sum = 0;
    SL_TRY(sl_labels_numbers_read(workplace, path, &sl_labels_weights, annotators, &weights, err));
    for (size_t a = 0; a < count; a++)
        sum += weights[a];
    if (!(sum > 0)) {
        free(weights);
        return sl_fail(err, SL_ERR_INPUT, "%s: every weight is 0", path);
    }
    *out = weights;
    return SL_OK;
}

void sl_labels_say_weightless(const struct sl_workplace *workplace, const double *weights,
                              const struct sl_labels_asked *asked)
{
    size_t count = 0;
    for (size_t i = 0; weights && i < asked->count; i++)
        count += asked->annotator[i] != SL_NO_NAME && weights[asked->annotator[i]] == 0;
    if (count)
        sl_log(workplace->log, SL_LOG_INFO, "%zu %s weight 0", count,
               sl_text_plural(count, "answer left out: its annotator has",
                              "answers left out: their annotators have"));
}
