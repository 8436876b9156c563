/* Shared by the screens: reading an answer's inputs, with errors that name them. Private to
 * study/. */
#ifndef SOFTLAB_STUDY_SCREENS_SCREENS_H
#define SOFTLAB_STUDY_SCREENS_SCREENS_H

#include "softlab/study.h"

enum { SL_SCREEN_MAX_RAW = 200 };

/* The check and convert of a row. */
typedef enum sl_status sl_screen_check(const json_t *answer, const struct sl_study *study,
                                       struct sl_error *err);
typedef enum sl_status sl_screen_convert(const json_t *answer, const struct sl_study *study,
                                         struct sl_answer *out, struct sl_error *err);

sl_screen_check sl_screen_check_loose, sl_screen_check_strict, sl_screen_check_possible;
sl_screen_check sl_screen_check_fast, sl_screen_check_bars, sl_screen_check_hard;
sl_screen_check sl_screen_check_select, sl_screen_check_mix, sl_screen_check_mix_touched;
sl_screen_convert sl_screen_convert_soft, sl_screen_convert_possible, sl_screen_convert_fast;
sl_screen_convert sl_screen_convert_bars, sl_screen_convert_hard, sl_screen_convert_select;
sl_screen_convert sl_screen_convert_mix;

/* `value` is an object with keys from `known` (NULL-terminated) only; errors call it `where`. */
enum sl_status sl_screen_only(const json_t *value, const char *const *known, const char *where,
                              struct sl_error *err) SL_MUST_USE;
/* The number of the class that `value` names. */
enum sl_status sl_screen_class(const json_t *value, const struct sl_study *study, const char *where,
                               uint32_t *out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_screen_number(const json_t *value, double minimum, double maximum,
                                const char *where, double *out, struct sl_error *err) SL_MUST_USE;
/* A list of distinct classes, at most `maximum`; the caller frees *out. */
enum sl_status sl_screen_classes(const json_t *value, const struct sl_study *study, size_t maximum,
                                 const char *where, uint32_t **out, size_t *count,
                                 struct sl_error *err) SL_MUST_USE;

#endif
