/* Private to verdict/: one line of results.jsonl. */
#ifndef SOFTLAB_VERDICT_RESULT_LINE_H
#define SOFTLAB_VERDICT_RESULT_LINE_H

#include "base/json/scan.h"
#include "softlab/base/buffer.h"
#include "softlab/verdict/results.h"

struct sl_line_reader {
    struct sl_scan scan;
    struct sl_buffer rest; /* the members of a line that jansson parses */
    const char *path;      /* borrowed */
    size_t number;         /* of the line, from 1 */
};

enum sl_line_kind { SL_LINE_OTHER, SL_LINE_RESULT, SL_LINE_FAILURE, SL_LINE_SPEC, SL_LINE_PLAN };

/* Read a line (base/json/scan.h says what must follow it); *out is untouched if its kind is
 * SL_LINE_OTHER. */
enum sl_status sl_result_read_line(struct sl_line_reader *reader, const char *line, size_t length,
                                   struct sl_result *out, enum sl_line_kind *kind,
                                   struct sl_error *err) SL_MUST_USE;
void sl_result_release(struct sl_result *result);
/* Give a result without a key one made of its coordinates. */
void sl_result_name(struct sl_result *result);
/* Fail with SL_ERR_INPUT: a run has two results, and no keys say which counts. */
enum sl_status sl_result_fail_twice(const struct sl_result *result, struct sl_error *err);
/* True if a figure ("test/metric") can have this value: a share is from -1 to 1, never NaN. */
bool sl_figure_is_plausible(const char *figure, double value);

/* results.c: takes the result unless it fails. SL_ERR_INPUT if it has no key of its own and another
 * run has its coordinates. */
enum sl_status sl_results_add_run(struct sl_results *results, struct sl_result *result,
                                  struct sl_error *err) SL_MUST_USE;

#endif
