/* study.json as a table: reading, defaults and writing all walk sl_study_keys, so that they agree.
 * Private to study/. */
#ifndef SOFTLAB_STUDY_CONFIG_CONFIG_H
#define SOFTLAB_STUDY_CONFIG_CONFIG_H

#include "softlab/study.h"

enum sl_study_key_kind {
    SL_KEY_TEXT,   /* char *, of minimum to maximum bytes */
    SL_KEY_WORD,   /* char *, one of `choices` */
    SL_KEY_ENUM,   /* an enum, by its position in `choices` */
    SL_KEY_SECOND, /* bool: the second of two `choices` */
    SL_KEY_FLAG,   /* bool */
    SL_KEY_COUNT,  /* size_t from minimum to maximum */
    SL_KEY_REAL,   /* double from minimum to maximum */
    SL_KEY_TEXTS,  /* char **, minimum to maximum of them; the count is at `count_offset` */
};

struct sl_study_key {
    const char *section; /* "" for the root */
    const char *name;    /* NULL ends the table */
    enum sl_study_key_kind kind;
    size_t offset, count_offset; /* in struct sl_study */
    double minimum, maximum;
    const char *const *choices; /* NULL-terminated */
    const char *fallback;       /* NULL: the key is mandatory */
};
extern const struct sl_study_key sl_study_keys[];

/* Sections in the order in which they are written; `parent` is "" or another section. */
struct sl_study_section {
    const char *name, *parent;
};
extern const struct sl_study_section sl_study_sections[]; /* ends with a NULL name */

/* A configuration with every fallback set; keys without one are empty. */
struct sl_study *sl_study_create(void) SL_RETURNS_NONNULL;
/* Store a copy of `value` as the text or texts of a key. */
void sl_study_set_text(char **field, const char *value);
void sl_study_set_texts(char ***field, size_t *count, const char *const *values, size_t n_values);

/* Rules across keys: known classes and screens, screens that suit the items, parameters that suit
 * the recruiter. SL_ERR_INPUT naming the key; sl_study_read adds the line. */
enum sl_status sl_study_check(const struct sl_study *study, const char **key,
                              struct sl_error *err) SL_MUST_USE;

/* Whether every screen asks for a class; a slider between two given classes does not. */
bool sl_study_asks_classes(const struct sl_study *study);

/* Reads from bytes; `name` is their name in errors. The study has no folder. */
enum sl_status sl_study_parse(const char *text, size_t length, const char *name,
                              struct sl_study **out, struct sl_error *err) SL_MUST_USE;
/* Every key with its value, defaults included. A new object. */
json_t *sl_study_json(const struct sl_study *study);

#endif
