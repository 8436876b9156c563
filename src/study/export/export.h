/* Shared by the exports. Private to study/export/. */
#ifndef SOFTLAB_STUDY_EXPORT_EXPORT_H
#define SOFTLAB_STUDY_EXPORT_EXPORT_H

#include "softlab/study.h"
#include "study/stored_answers.h"

#define SL_STUDY_EXPORTER(name)                                                                    \
    enum sl_status name(const struct sl_study *study, struct sl_store *store,                      \
                        enum sl_status (*sink)(void *context, const void *bytes, size_t length,    \
                                               struct sl_error *err),                              \
                        void *context, struct sl_error *err)

SL_STUDY_EXPORTER(sl_study_export_answers);
SL_STUDY_EXPORTER(sl_study_export_bonus);
SL_STUDY_EXPORTER(sl_study_export_changes);
SL_STUDY_EXPORTER(sl_study_export_cifar10h_counts);
SL_STUDY_EXPORTER(sl_study_export_cifar10h_probs);
SL_STUDY_EXPORTER(sl_study_export_cifar10h_raw);
SL_STUDY_EXPORTER(sl_study_export_cifar10s_json);
SL_STUDY_EXPORTER(sl_study_export_cifar10s_raw);
SL_STUDY_EXPORTER(sl_study_export_items);
SL_STUDY_EXPORTER(sl_study_export_payments);
SL_STUDY_EXPORTER(sl_study_export_trials);

/* The destination of an export; collects bytes into pieces of a useful size. */
struct sl_study_out {
    enum sl_status (*sink)(void *context, const void *bytes, size_t length, struct sl_error *err);
    void *context;
    struct sl_buffer pending; /* append here, then sl_study_out_flow */
};
void sl_study_out_init(struct sl_study_out *out,
                       enum sl_status (*sink)(void *context, const void *bytes, size_t length,
                                              struct sl_error *err),
                       void *context);
/* Hands over the pending bytes once there are enough. SL_ERR_INPUT if a line is far too long. */
enum sl_status sl_study_out_flow(struct sl_study_out *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_study_out_finish(struct sl_study_out *out, struct sl_error *err) SL_MUST_USE;
void sl_study_out_release(struct sl_study_out *out);

/* ---- Cells ---- */

/* Like sl_csv_append_text. NULL is an empty cell. */
void sl_study_cell(struct sl_buffer *line, const char *text);
void sl_study_cell_integer(struct sl_buffer *line, int64_t value);
void sl_study_cell_real(struct sl_buffer *line, double value); /* NaN: an empty cell */
/* For a text that people typed: scrubs it, then like sl_study_cell. */
void sl_study_cell_free_text(struct sl_buffer *line, const char *text);
/* JSON on one line, every string in it scrubbed. */
void sl_study_cell_json(struct sl_buffer *line, json_t *value);
/* The header line for a NULL-terminated list of columns. */
void sl_study_header(struct sl_buffer *line, const char *const *columns);

#endif
