/* answers-csv: answers of every kind as a table with a line per class of an answer. What an answer
 * says as a whole stands on each of its lines. Private to answer/formats/.
 *
 *     answer   1, 2, ...; the lines of an answer stand together
 *     item, worker (empty = unknown), kind (hard, soft, select, dist, mix)
 *     part     top, impossible, dist, or a and b, the two classes of a mix
 *     label    the class
 *     p        the probability of a top class (empty = none given) or of a dist; lambda, of part a
 *     ms, confidence, truth, trial, batch, study, generated    empty = unknown
 *     marks    repeat, second_run, check, with blanks between them */
#ifndef SOFTLAB_ANSWER_FORMATS_ANSWERS_CSV_H
#define SOFTLAB_ANSWER_FORMATS_ANSWERS_CSV_H

#include "answer/formats/format.h"

enum sl_answer_column {
    SL_COLUMN_ANSWER,
    SL_COLUMN_ITEM,
    SL_COLUMN_WORKER,
    SL_COLUMN_KIND,
    SL_COLUMN_PART,
    SL_COLUMN_LABEL,
    SL_COLUMN_P,
    SL_COLUMN_MS,
    SL_COLUMN_CONFIDENCE,
    SL_COLUMN_TRUTH,
    SL_COLUMN_TRIAL,
    SL_COLUMN_MARKS,
    SL_COLUMN_BATCH,
    SL_COLUMN_STUDY,
    SL_COLUMN_GENERATED,
    SL_ANSWER_COLUMNS
};
extern const char *const sl_answer_column_names[SL_ANSWER_COLUMNS];

enum sl_answer_part {
    SL_PART_TOP,
    SL_PART_IMPOSSIBLE,
    SL_PART_DIST,
    SL_PART_A,
    SL_PART_B,
    SL_ANSWER_PARTS
};
extern const char *const sl_answer_part_names[SL_ANSWER_PARTS];

enum { SL_ANSWER_MARKS = 3 };
extern const struct sl_answer_mark {
    const char *name;
    unsigned flag;
} sl_answer_marks[SL_ANSWER_MARKS];

#endif
