/* Screen logs as jsPsych writes them: a line per screen; screens with a `filename` are answers.
 * Shared by cifar10s-raw, hmix-soft and hmix. Private to answer/formats/. */
#ifndef SOFTLAB_ANSWER_FORMATS_JSPSYCH_LOG_H
#define SOFTLAB_ANSWER_FORMATS_JSPSYCH_LOG_H

#include "answer/formats/format.h"

struct sl_jspsych_log {
    const char *path;   /* borrowed */
    struct sl_csv *csv; /* owned; NULL between files */
    size_t subject, trial, rt, filename, task, condition, study;
    struct sl_name_table *subjects;  /* owned; across files */
    struct sl_subject_state *states; /* owned; one per subject */
    size_t n_states, capacity;
};

void sl_jspsych_log_init(struct sl_jspsych_log *log);
void sl_jspsych_log_release(struct sl_jspsych_log *log);

/* Open the next file; then read its answers: item (the file name), annotator, flags, time, trial,
 * batch and study. `record->count` is 0 at the end. A repeat is a screen whose task begins with
 * "rerun"; a second run begins where a subject's trials start again. */
enum sl_status sl_jspsych_log_open(struct sl_jspsych_log *log, const char *path,
                                   struct sl_error *err) SL_MUST_USE;
enum sl_status sl_jspsych_log_next(struct sl_jspsych_log *log, struct sl_csv_record *record,
                                   struct sl_answer *answer, struct sl_error *err) SL_MUST_USE;

/* Differences between the logs with the four questions of collins2022: top class, second class,
 * their probabilities, and impossible classes. */
struct sl_question_log {
    const char *item_column;  /* NULL = the file name */
    const char *truth_column; /* NULL = none */
};
enum sl_status sl_import_questions(const struct sl_question_log *log, const char *const *paths,
                                   size_t n_paths, const struct sl_import_options *options,
                                   const struct sl_answer_sink *sink,
                                   struct sl_error *err) SL_MUST_USE;

#endif
