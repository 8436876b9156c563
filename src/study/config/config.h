/* study.json as tables of fields (keys.c): reading, defaults, writing and documentation walk them.
 * Private to study/. */
#ifndef SOFTLAB_STUDY_CONFIG_CONFIG_H
#define SOFTLAB_STUDY_CONFIG_CONFIG_H

#include "softlab/base/fields.h"
#include "softlab/study.h"

extern const struct sl_fields sl_study_fields;

/* A configuration with every fallback set; keys without one are empty. */
struct sl_study *sl_study_create(void) SL_RETURNS_NONNULL;
/* Store a copy of `value` as the text or texts of a key. */
void sl_study_set_text(char **field, const char *value);
void sl_study_set_texts(char ***field, size_t *count, const char *const *values, size_t n_values);

/* Rules across keys: known classes and screens, screens that suit the items, parameters that suit
 * the recruiter. SL_ERR_INPUT naming the key; sl_study_read adds the line. */
enum sl_status sl_study_check(const struct sl_study *study, const char **key,
                              struct sl_error *err) SL_MUST_USE;

/* The model of adaptive assignment takes K^3 steps for K classes and item. At 20, the decision for
 * a person with 25 items takes 3 ms of the server's loop; at 100 it would be 100 ms. */
enum { SL_STUDY_ASKING_CLASSES = 20 };
/* How an adaptive study chooses items. */
struct sl_ask_rule sl_study_rule(const struct sl_study_adaptive *adaptive);
/* What a finished session costs at most: the base, and the bonus if there is a rule for it. */
double sl_study_cost(const struct sl_study *study);

/* Whether every screen asks for a class; a slider between two given classes does not. */
bool sl_study_asks_classes(const struct sl_study *study);

/* Reads from bytes; `name` is their name in errors. The study has no folder. */
enum sl_status sl_study_parse(const char *text, size_t length, const char *name,
                              struct sl_study **out, struct sl_error *err) SL_MUST_USE;
/* Every key with its value, defaults included. A new object. */
json_t *sl_study_json(const struct sl_study *study);

#endif
