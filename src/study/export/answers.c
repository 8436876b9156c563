/* answers.jsonl: the answers that count, for tools that read answers; and the list of items. */
#include <stdlib.h>
#include <string.h>

#include "answer/jsonl/jsonl.h"
#include "softlab/base/memory.h"
#include "study/export/export.h"

/* The context of the walks over answers. */
struct answer_lines {
    const struct sl_study *study;
    struct sl_study_out *out;
    const char *screen; /* only this one; NULL: all */
};

static enum sl_status write_answer(const struct sl_study_given *given, void *context,
                                   struct sl_error *err)
{
    struct answer_lines *lines = context;
    struct sl_study_record record;
    if (lines->screen && strcmp(given->session->screen, lines->screen) != 0) return SL_OK;
    SL_TRY(sl_study_record_make(lines->study, given, &record, err));
    enum sl_status status = SL_OK;
    char *raw[2] = {NULL, NULL};
    for (size_t i = 0; i < 2; i++) {
        if (record.answer.raw[i].length == 0) continue;
        char *typed = sl_string_copy_n(record.answer.raw[i].text, record.answer.raw[i].length);
        raw[i] = sl_study_scrub(typed);
        free(typed);
        record.answer.raw[i] = (struct sl_field){raw[i], strlen(raw[i])};
    }
    SL_TRY_OUT(sl_jsonl_append_answer(&lines->out->pending,
                                      (const char *const *)lines->study->classes,
                                      lines->study->n_classes, &record.answer, err));
    status = sl_study_out_flow(lines->out, err);
out:
    free(raw[0]);
    free(raw[1]);
    sl_study_record_release(&record);
    return status;
}

static enum sl_status write_answers(struct answer_lines *lines, struct sl_store *store,
                                    struct sl_error *err)
{
    const struct sl_study *study = lines->study;
    enum sl_status status = SL_OK;
    struct sl_study_items items = {0};
    SL_TRY_OUT(sl_study_items_read(study, store, &items, err));
    SL_TRY_OUT(sl_jsonl_append_header(&lines->out->pending, (const char *const *)study->classes,
                                      study->n_classes, err));
    SL_TRY_OUT(
        sl_study_each_given(study, store, &items, SL_STUDY_COUNTING, write_answer, lines, err));
    status = sl_study_out_finish(lines->out, err);
out:
    sl_study_items_release(&items);
    return status;
}

SL_STUDY_EXPORTER(sl_study_export_answers)
{
    struct sl_study_out out;
    struct answer_lines lines = {.study = study, .out = &out};
    sl_study_out_init(&out, sink, context);
    enum sl_status status = write_answers(&lines, store, err);
    sl_study_out_release(&out);
    return status;
}

enum sl_status sl_study_export_screen(const struct sl_study *study, struct sl_store *store,
                                      const char *screen,
                                      enum sl_status (*sink)(void *context, const void *bytes,
                                                             size_t length, struct sl_error *err),
                                      void *context, struct sl_error *err)
{
    size_t which = 0;
    while (which < study->n_screens && strcmp(study->screens[which], screen) != 0)
        which++;
    if (which == study->n_screens)
        return sl_fail(err, SL_ERR_USAGE, "%s does not ask with the screen \"%s\"", study->folder,
                       screen);
    struct sl_study_out out;
    struct answer_lines lines = {.study = study, .out = &out, .screen = screen};
    sl_study_out_init(&out, sink, context);
    enum sl_status status = write_answers(&lines, store, err);
    sl_study_out_release(&out);
    return status;
}

struct item_counts {
    const struct sl_study_items *items;
    size_t *counts; /* owned; per item */
};

static enum sl_status count_item(const struct sl_study_given *given, void *context,
                                 struct sl_error *err)
{
    struct item_counts *tally = context;
    (void)err;
    tally->counts[given->item - tally->items->items]++;
    return SL_OK;
}

static void write_item(struct sl_buffer *line, const struct sl_study *study,
                       const struct sl_study_item *item, int64_t row, size_t count)
{
    if (row >= 0)
        sl_study_cell_integer(line, row);
    else
        sl_study_cell(line, "");
    sl_study_cell(line, item->id);
    sl_study_cell(line, item->truth >= 0 ? study->classes[item->truth] : "");
    sl_study_cell_integer(line, item->check);
    sl_study_cell_real(line, item->entropy);
    sl_study_cell_integer(line, (int64_t)count);
    /* The researcher's own texts and file names: nothing in them comes from a participant. */
    char *content = json_dumps(item->content, JSON_COMPACT);
    sl_study_cell(line, content);
    free(content);
    sl_csv_end_line(line);
}

/* `row` is the item's row in the arrays; checks have none. */
SL_STUDY_EXPORTER(sl_study_export_items)
{
    static const char *const columns[] = {"row",     "item",    "truth",   "check",
                                          "entropy", "answers", "content", NULL};
    enum sl_status status = SL_OK;
    struct sl_study_items items = {0};
    struct sl_study_out out;
    struct item_counts tally = {.items = &items};
    int64_t row = 0;
    sl_study_out_init(&out, sink, context);
    SL_TRY_OUT(sl_study_items_read(study, store, &items, err));
    tally.counts = sl_alloc(items.count + 1, sizeof *tally.counts);
    SL_TRY_OUT(
        sl_study_each_given(study, store, &items, SL_STUDY_COUNTING, count_item, &tally, err));
    sl_study_header(&out.pending, columns);
    for (size_t i = 0; i < items.count; i++) {
        write_item(&out.pending, study, &items.items[i], items.items[i].check ? -1 : row++,
                   tally.counts[i]);
        SL_TRY_OUT(sl_study_out_flow(&out, err));
    }
    status = sl_study_out_finish(&out, err);
out:
    free(tally.counts);
    sl_study_items_release(&items);
    sl_study_out_release(&out);
    return status;
}
