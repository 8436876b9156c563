/* Private to experiment/: the keys of a specification and what their values may be. */
#ifndef SOFTLAB_EXPERIMENT_SPEC_FIELDS_H
#define SOFTLAB_EXPERIMENT_SPEC_FIELDS_H

#include "softlab/base/json.h"

/* What a value may be; several where a specification has a choice. */
enum sl_spec_kind {
    NOTHING = 1, /* null */
    TEXT = 2,
    NUMBER = 4,
    BOOLEAN = 8,
    TEXTS = 16,    /* a list of strings */
    NUMBERS = 32,  /* a list of numbers */
    OBJECT = 64,   /* an object with the keys of `inner` */
    MAP = 128,     /* names to such objects */
    OBJECTS = 256, /* a list of such objects */
    ANY = 512,
};
enum { REQUIRED = 1024 };

struct sl_spec_field {
    const char *name; /* NULL ends a table */
    unsigned kinds;
    const struct sl_spec_field *inner;
};

/* Those of the document itself. */
extern const struct sl_spec_field sl_spec_fields[];

/* spec_kinds.c: whether an object has these fields and no others, each of its kind. */
enum sl_status sl_spec_check_fields(const struct sl_json_cursor *at,
                                    const struct sl_spec_field *fields,
                                    struct sl_error *err) SL_MUST_USE;
bool sl_spec_is_kind(const json_t *value, unsigned kinds);
/* A member of what a cursor is at, which may be NULL. */
struct sl_json_cursor sl_spec_below(const struct sl_json_cursor *at, const char *key,
                                    json_t *value);

#endif
