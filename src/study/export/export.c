#include "study/export/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct sl_study_export sl_study_exports[] = {
    {"answers", "answers.jsonl", "every answer that counts, softlab's own format",
     sl_study_export_answers},
    {"items", "items.csv", "the items, their class, and how often each was answered",
     sl_study_export_items},
    {"trials", "trials.csv", "one line per trial with every time stamp", sl_study_export_trials},
    {"changes", "changes.csv", "every event: revisions, practice, tests, page events",
     sl_study_export_changes},
    {"cifar10s-raw", "raw_human_data.csv", "CIFAR-10S screen log: top two classes and impossible",
     sl_study_export_cifar10s_raw},
    {"cifar10s-json", "human_soft_labels.json", "CIFAR-10S release: top two classes per item",
     sl_study_export_cifar10s_json},
    {"cifar10h-raw", "cifar10h-raw.csv", "CIFAR-10H raw CSV: the chosen class of every trial",
     sl_study_export_cifar10h_raw},
    {"cifar10h-counts", "cifar10h-counts.npy", "votes (items, classes), rows as in items.csv",
     sl_study_export_cifar10h_counts},
    {"cifar10h-probs", "cifar10h-probs.npy", "votes as shares; an item without votes has zeros",
     sl_study_export_cifar10h_probs},
    {"payments", "payments.csv", "what the study owes everybody who finished: base and bonus",
     sl_study_export_payments},
    {"bonus", "bonus.csv", "bonuses in Prolific's format: id,amount", sl_study_export_bonus},
    {0},
};

/* ---- Pieces ---- */

enum { PIECE = 64 * 1024, LONGEST = 16 << 20 };

void sl_study_out_init(struct sl_study_out *out,
                       enum sl_status (*sink)(void *context, const void *bytes, size_t length,
                                              struct sl_error *err),
                       void *context)
{
    *out = (struct sl_study_out){.sink = sink, .context = context};
    sl_buffer_init_data(&out->pending, LONGEST);
}

static enum sl_status hand_over(struct sl_study_out *out, struct sl_error *err)
{
    SL_TRY(sl_buffer_check(&out->pending, "a line of the export", err));
    if (out->pending.length > 0)
        SL_TRY(out->sink(out->context, out->pending.data, out->pending.length, err));
    sl_buffer_clear(&out->pending);
    return SL_OK;
}

enum sl_status sl_study_out_flow(struct sl_study_out *out, struct sl_error *err)
{
    return out->pending.length < PIECE && !out->pending.overflowed ? SL_OK : hand_over(out, err);
}

enum sl_status sl_study_out_finish(struct sl_study_out *out, struct sl_error *err)
{
    return hand_over(out, err);
}

void sl_study_out_release(struct sl_study_out *out)
{
    sl_buffer_release(&out->pending);
}

/* ---- Cells ---- */

void sl_study_cell(struct sl_buffer *line, const char *text)
{
    if (!text) text = "";
    sl_csv_append_text(line, text, strlen(text));
}

void sl_study_cell_integer(struct sl_buffer *line, int64_t value)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%lld", (long long)value);
    sl_csv_append_field(line, text, (size_t)length);
}

void sl_study_cell_real(struct sl_buffer *line, double value)
{
    if (isfinite(value))
        sl_csv_append_real(line, value);
    else
        sl_csv_append_field(line, "", 0);
}

void sl_study_cell_free_text(struct sl_buffer *line, const char *text)
{
    char *scrubbed = sl_study_scrub(text ? text : "");
    sl_study_cell(line, scrubbed);
    free(scrubbed);
}

/* A copy with every string scrubbed. Keys stay: the program named them. */
static json_t *scrub_json(json_t *value)
{
    json_t *copy = NULL, *member = NULL;
    const char *key = NULL;
    size_t index = 0;
    if (json_is_string(value)) {
        char *text = sl_study_scrub(json_string_value(value));
        copy = json_string(text);
        free(text);
        return copy;
    }
    if (json_is_array(value)) {
        copy = json_array();
        json_array_foreach(value, index, member)
        {
            json_array_append_new(copy, scrub_json(member));
        }
        return copy;
    }
    if (!json_is_object(value)) return json_deep_copy(value);
    copy = json_object();
    json_object_foreach(value, key, member)
    {
        json_object_set_new(copy, key, scrub_json(member));
    }
    return copy;
}

void sl_study_cell_json(struct sl_buffer *line, json_t *value)
{
    json_t *safe = value ? scrub_json(value) : NULL;
    char *text = safe ? json_dumps(safe, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    sl_study_cell(line, text);
    free(text);
    json_decref(safe);
}

void sl_study_header(struct sl_buffer *line, const char *const *columns)
{
    for (; *columns; columns++)
        sl_study_cell(line, *columns);
    sl_csv_end_line(line);
}

const struct sl_study_export *sl_study_export_find(const char *name)
{
    const struct sl_study_export *export = sl_study_exports;
    while (export->name && strcmp(export->name, name) != 0)
        export ++;
    return export->name ? export : NULL;
}

static enum sl_status to_file(void *context, const void *bytes, size_t length, struct sl_error *err)
{
    return sl_writer_write(context, bytes, length, err);
}

enum sl_status sl_study_export_write(const struct sl_study *study, struct sl_store *store,
                                     const struct sl_study_export *what, const char *screen,
                                     const char *path, struct sl_error *err)
{
    struct sl_writer writer = {0};
    SL_TRY(sl_writer_open_private(&writer, path, err));
    enum sl_status status =
        screen ? sl_study_export_screen(study, store, screen, to_file, &writer, err)
               : what->write(study, store, to_file, &writer, err);
    if (status == SL_OK) status = sl_writer_commit(&writer, err);
    sl_writer_discard(&writer);
    return status;
}
