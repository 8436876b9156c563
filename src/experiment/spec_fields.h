/* Private to experiment/: the keys of a specification and what their values may be. */
#ifndef SOFTLAB_EXPERIMENT_SPEC_FIELDS_H
#define SOFTLAB_EXPERIMENT_SPEC_FIELDS_H

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

#endif
