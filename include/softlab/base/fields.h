/* Fields: one table says which members an object has, what each may be, and where it goes in a
 * struct. The same table reads and writes JSON and command lines (softlab/base/options.h), sets
 * defaults, rejects unknown names and prints documentation. Experiment specifications, study.json,
 * recipes, networks and the options of commands are such tables:
 *
 *     static const struct sl_field_row rows[] = {
 *         {"name", SL_FIELD_TEXT, offsetof(struct thing, name), .flags = SL_FIELD_REQUIRED},
 *         {"size", SL_FIELD_INTEGER, offsetof(struct thing, size), .minimum = 1, .maximum = 99},
 *         {.name = NULL},
 *     };
 *     static const struct sl_fields thing_fields = {rows, sizeof(struct thing)};
 *
 * Code that uses the struct afterwards needs neither the JSON nor a member's name. */
#ifndef SOFTLAB_BASE_FIELDS_H
#define SOFTLAB_BASE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"
#include "softlab/base/json.h"

SL_BEGIN_DECLS

/* ---- What structs hold ---- */

/* Lists. `items` is NULL if the member is absent or null; an empty list has non-NULL items. */
struct sl_text_list {
    char **items; /* owned, as is each text; NULL-ended */
    size_t count;
};
struct sl_double_list {
    double *items; /* owned */
    size_t count;
};
struct sl_integer_list {
    int64_t *items; /* owned */
    size_t count;
};
/* Lists in fixed arrays, so nothing is on the heap. */
enum { SL_FIELD_LIST_MAX = 16, SL_FIELD_NAME_SIZE = 128, SL_FIELD_LINE_BYTES = 200 };
struct sl_real_list {
    size_t count;
    double values[SL_FIELD_LIST_MAX];
};
struct sl_count_list {
    size_t count;
    size_t values[SL_FIELD_LIST_MAX];
};
struct sl_word_list {
    size_t count;
    const char *values[SL_FIELD_LIST_MAX]; /* borrowed */
};
/* Every list of structs and every map from names to structs has these members in this order; its
 * `items` may point at a type of its own. */
struct sl_object_list {
    void *items; /* owned; count structs */
    size_t count;
};
struct sl_object_map {
    char **names; /* owned, as is each name; in the order of the file */
    void *items;  /* owned; count structs */
    size_t count;
};

/* ---- Tables ---- */

enum sl_field_kind {
    SL_FIELD_BOOLEAN,  /* bool */
    SL_FIELD_INTEGER,  /* int64_t */
    SL_FIELD_NUMBER,   /* double */
    SL_FIELD_TEXT,     /* char *, owned; one of `choices` if the row has any */
    SL_FIELD_TEXTS,    /* struct sl_text_list */
    SL_FIELD_NUMBERS,  /* struct sl_double_list */
    SL_FIELD_INTEGERS, /* struct sl_integer_list */
    SL_FIELD_OBJECT,   /* pointer to a struct of inner->size bytes, owned; NULL: absent */
    SL_FIELD_OBJECTS,  /* as struct sl_object_list */
    SL_FIELD_MAP,      /* as struct sl_object_map */
    SL_FIELD_FREE,     /* json_t *, an owned reference: an object with any keys */
    SL_FIELD_ANY,      /* json_t *, an owned reference: any value */
    SL_FIELD_NULL,     /* bool: the value is null; an alternative to rows of other kinds */
    SL_FIELD_GROUP,    /* a struct within this one whose fields are members of the same object */
    SL_FIELD_SECTION,  /* a struct within this one whose fields are members of an object of this
                          name. With offset 0, its rows may also name members of this struct.
                          Absent, its fields have their fallbacks. */

    SL_FIELD_COUNT,  /* size_t; 0 if absent */
    SL_FIELD_SIDES,  /* two size_t, height and width, as 32x48; 0 if absent */
    SL_FIELD_COUNTS, /* struct sl_count_list of at least one number, as 3-4-6-3; count 0 if absent
                      */
    SL_FIELD_ENUM,   /* an enum of int's size: the index of the choice */
    SL_FIELD_REALS,  /* struct sl_real_list; typed with commas */
    SL_FIELD_NAME,   /* char[SL_FIELD_NAME_SIZE] */
    SL_FIELD_LINE,   /* char *, owned; minimum to maximum bytes without control characters */
    SL_FIELD_LINES,  /* as struct sl_text_list: minimum to maximum distinct lines of 1 to
                        SL_FIELD_LINE_BYTES bytes; each use of an option adds one line */

    /* Words of the command line: const char *, borrowed from argv, which outlives the struct; NULL
     * if absent. */
    SL_FIELD_WORD,
    SL_FIELD_WORDS, /* struct sl_word_list; each use of the option adds one word, one of the choices
                       if the row has any */
    SL_FIELD_CHOICE, /* one of the choices */
    SL_FIELD_PATH,   /* a file to read, in some commands also a folder; "-" is standard input */
    SL_FIELD_OUTPUT, /* a file to write; "-" is standard output */
    SL_FIELD_FOLDER, /* a folder; "-" is refused */
    SL_FIELD_SOURCE, /* a name that softlab knows, or a file or folder that can be read twice; "-"
                        is refused */
};
enum {
    SL_FIELD_REQUIRED = 1,
    SL_FIELD_OR_NULL = 2, /* null means absent */
    SL_FIELD_LATE = 4,    /* texts that identify networks and runs omit it while it has its default,
                             because files exist that were written without it */
    /* For files in which people read and edit every value: it is always written, as sl_field_json
     * writes it, an absent list as an empty one; null means absent. */
    SL_FIELD_SETTING = 8,
};

/* The choice number `index`, or NULL past the last. */
typedef const char *sl_choice_names(size_t index);

struct sl_fields;
/* Consecutive rows of the same name are alternatives: the first whose kind fits takes the value. A
 * table whose only row is called "" describes a value that is not an object. */
struct sl_field_row {
    const char *name; /* NULL ends a table; unused for a group */
    enum sl_field_kind kind;
    size_t offset; /* of the member in the struct */
    const char *help;
    unsigned flags;
    double minimum, maximum;       /* bounds of each number, of a line's bytes, or of the number of
                                      lines or objects in a list; both 0: none */
    size_t most;                   /* numbers of SL_FIELD_COUNTS; 0: SL_FIELD_LIST_MAX */
    const char *size_max;          /* of SL_FIELD_COUNT: a word for SIZE_MAX ("last"); NULL: none */
    const char *const *choices;    /* NULL-ended */
    const struct sl_fields *inner; /* the table of an object, a group or a section */
    const char *fallback;          /* the default: "true", "1", "nan"; NULL: zero or NULL */
    const char *expected; /* what an error says was expected; NULL: kind, range or choices */
    /* Replaces `choices` where another table lists them. */
    sl_choice_names *names;

    /* For command lines only. */
    char letter;       /* short option, or 0 */
    const char *value; /* the value's name in the help; NULL: by kind, such as FILE or N */
    /* Returns the choice that other programs call `typed`, or NULL. NULL: there are no such
     * synonyms. */
    const char *(*known_as)(const char *typed);
    uint64_t modes;       /* bits of the modes in which the option has an effect; 0: all */
    const char *needs;    /* the option has no effect without one of these ("bootstrap,against") */
    const char *suffixes; /* of SL_FIELD_OUTPUT: suffixes that can be written (".npz .csv"), the
                             first one for "-"; NULL: the command checks */
    const char *prints;   /* of SL_FIELD_OUTPUT: the option with which the command itself prints on
                             standard output, so that "-" is refused; "": it always prints */
};
struct sl_fields {
    const struct sl_field_row *rows;
    size_t size; /* of the struct */
};

/* ---- Reading and writing ---- */

/* Fill in a struct from an object; absent members get their fallback. SL_ERR_INPUT with file, line
 * and path for an unknown key, a wrong kind, a number out of range or an unknown choice; the struct
 * is then as after sl_fields_release. */
enum sl_status sl_fields_read(const struct sl_json_cursor *at, const struct sl_fields *fields,
                              void *out, struct sl_error *err) SL_MUST_USE;
/* The struct as a new object, without members that are absent or equal to their fallback, unless
 * they are settings. Whole numbers are written without a point. */
json_t *sl_fields_write(const struct sl_fields *fields, const void *from) SL_MUST_USE;
/* A deep copy. */
void sl_fields_copy(const struct sl_fields *fields, const void *from, void *out);
void sl_fields_release(const struct sl_fields *fields, void *of);

/* The row called so, in the table or in its groups; NULL if there is none. */
const struct sl_field_row *sl_fields_find(const struct sl_fields *fields, const char *name);
/* What the row and its alternatives accept: "text", "a list of numbers or an object". Returns
 * `out`. */
enum { SL_FIELD_WORDS_SIZE = 160 };
char *sl_field_words(const struct sl_field_row *field, char out[SL_FIELD_WORDS_SIZE]);

/* ---- One value ---- */

/* Choice number `index` of a row, or NULL past the last and for a row without choices. */
const char *sl_field_choice(const struct sl_field_row *field, size_t index);
/* Read a text into the row's field of a struct: numbers strictly and within bounds, choices by
 * name, a flag from "true" or "false". SL_ERR_USAGE says what was expected and what was found,
 * without the row's name; the field keeps its value. */
enum sl_status sl_field_set(const struct sl_field_row *field, const char *text, void *of,
                            struct sl_error *err) SL_MUST_USE;
/* The same from JSON: SL_ERR_INPUT with file, line and path. The row's alternatives are the rows of
 * its name that follow it. */
enum sl_status sl_field_read(const struct sl_field_row *field, const struct sl_json_cursor *at,
                             void *of, struct sl_error *err) SL_MUST_USE;
/* Set all rows to their defaults, or to zero. */
void sl_fields_set_defaults(const struct sl_field_row *rows, void *of);
/* The value as new JSON, even if it equals the fallback; null if absent. */
json_t *sl_field_json(const struct sl_field_row *field, const void *of) SL_MUST_USE;
/* Append what a value may be: "an integer from 1 to 9", "one of mean, sum", "32x48", "a list of 2
 * to 9 texts". Returns the text, which `out` owns. */
char *sl_field_expected(const struct sl_field_row *field, struct sl_buffer *out);
/* The value's name in the help: "FILE", "N"; NULL for a flag, which takes no value. */
const char *sl_field_value_name(const struct sl_field_row *field);
/* Whether fields of this kind name a file or a folder. */
bool sl_field_is_path(enum sl_field_kind kind);

/* ---- Lists and maps ---- */

void sl_text_list_add(struct sl_text_list *list, const char *text);
struct sl_text_list sl_text_list_copy(const struct sl_text_list *list);
void sl_text_list_release(struct sl_text_list *list);
bool sl_text_list_has(const struct sl_text_list *list, const char *text);
json_t *sl_text_list_json(const struct sl_text_list *list) SL_MUST_USE;
/* A new JSON number; whole numbers are integers. */
json_t *sl_number_json(double number) SL_MUST_USE;
json_t *sl_double_list_json(const struct sl_double_list *list) SL_MUST_USE;
/* The index of a name in a map; `count` if the map does not have it. */
size_t sl_names_place(char *const *names, size_t count, const char *name);

SL_END_DECLS

#endif
