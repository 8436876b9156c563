/* Fields: which members an object has, what each may be, and where it goes in a struct. One table
 * serves JSON and command lines (softlab/base/options.h), in and out, with defaults, unknown names,
 * and documentation. Specifications, studies, recipes and the options of commands are such tables:
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

/* Lists: items are NULL where none was given, also where it was null; an empty list has items. */
struct sl_text_list {
    char **items; /* owned, each too; ends with NULL */
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
/* Lists with room of their own, of which nothing is on the heap. */
enum { SL_FIELD_LIST_MAX = 16, SL_FIELD_NAME_SIZE = 128, SL_FIELD_LINE_BYTES = 200 };
struct sl_real_list {
    size_t count;
    double values[SL_FIELD_LIST_MAX];
};
struct sl_word_list {
    size_t count;
    const char *values[SL_FIELD_LIST_MAX]; /* borrowed */
};
/* The shape of every list of structs and of every map from names to structs: a struct of these
 * members in this order, whose `items` may point at a type of its own. */
struct sl_object_list {
    void *items; /* owned; count structs */
    size_t count;
};
struct sl_object_map {
    char **names; /* owned, each too; in the order of the file */
    void *items;  /* owned; count structs */
    size_t count;
};

/* ---- Tables ---- */

enum sl_field_kind {
    SL_FIELD_BOOLEAN,  /* bool */
    SL_FIELD_INTEGER,  /* int64_t */
    SL_FIELD_NUMBER,   /* double */
    SL_FIELD_TEXT,     /* char *, owned; one of `choices`, if there are any */
    SL_FIELD_TEXTS,    /* struct sl_text_list */
    SL_FIELD_NUMBERS,  /* struct sl_double_list */
    SL_FIELD_INTEGERS, /* struct sl_integer_list */
    SL_FIELD_OBJECT,   /* pointer to a struct of inner->size bytes, owned; NULL: absent */
    SL_FIELD_OBJECTS,  /* as struct sl_object_list */
    SL_FIELD_MAP,      /* as struct sl_object_map */
    SL_FIELD_FREE,     /* json_t *, a reference of its own: an object whose keys are not ours */
    SL_FIELD_ANY,      /* the same, of any kind */
    SL_FIELD_NULL,     /* bool: whether it is null; beside rows of other kinds */
    SL_FIELD_GROUP,    /* a struct within this one whose fields are members of the same object */
    SL_FIELD_SECTION,  /* a struct within this one whose fields are members of an object of this
                          name. With offset 0, its rows may also name members of this struct.
                          Absent, its fields have their fallbacks. */

    SL_FIELD_COUNT, /* size_t; 0 where nothing was given */
    SL_FIELD_SIDES, /* two size_t, height and width, as 32x48; 0 where nothing was given */
    SL_FIELD_ENUM,  /* an enum of int's size: the place among the choices */
    SL_FIELD_REALS, /* struct sl_real_list; typed with commas between them */
    SL_FIELD_NAME,  /* char[SL_FIELD_NAME_SIZE] */
    SL_FIELD_LINE,  /* char *, owned; minimum to maximum bytes without control characters */
    SL_FIELD_LINES, /* as struct sl_text_list: minimum to maximum lines of 1 to SL_FIELD_LINE_BYTES
                       bytes, no two of them equal; typed, each time one line more */

    /* Typed words, which outlive the struct: const char *, borrowed, NULL where nothing was
     * given. */
    SL_FIELD_WORD,
    SL_FIELD_WORDS,  /* struct sl_word_list; may be given again, each time one word more */
    SL_FIELD_CHOICE, /* one of the choices */
    SL_FIELD_PATH,   /* a file to read, or a folder where both are taken; "-" is standard input */
    SL_FIELD_OUTPUT, /* a file to write; "-" is standard output */
    SL_FIELD_FOLDER, /* a folder, which "-" is not */
    SL_FIELD_SOURCE, /* a name that softlab knows, or a file or folder that may be read again; "-"
                        is neither */
};
enum {
    SL_FIELD_REQUIRED = 1,
    SL_FIELD_OR_NULL = 2, /* null is as good as nothing */
    /* Of files in which people read and edit every value: always written, as sl_field_json has it,
     * a list that is absent as an empty one; null is as good as nothing. */
    SL_FIELD_SETTING = 4,
};

/* The choice number `index`, or NULL past the last. */
typedef const char *sl_choice_names(size_t index);

struct sl_fields;
/* Rows of the same name that follow each other are alternatives: the first whose kind fits takes
 * the value. A table whose only row is called "" is of values that are no objects. */
struct sl_field_row {
    const char *name; /* NULL ends a table; that of a group is not used */
    enum sl_field_kind kind;
    size_t offset; /* in the struct */
    const char *help;
    unsigned flags;
    double minimum, maximum;       /* of numbers, one by one; of a line's bytes; of how many lines
                                      or objects a list has; both 0: any */
    const char *const *choices;    /* ends with NULL */
    const struct sl_fields *inner; /* of objects, lists and maps of them, groups and sections */
    const char *fallback;          /* "true", "1", "nan"; NULL: zero, or NULL */
    const char *expected;          /* said of values that do not fit; NULL: kind, range, choices */
    /* Choices that a table elsewhere lists, in place of `choices`. */
    sl_choice_names *names;

    /* Of command lines. */
    char letter;       /* short form, or 0 */
    const char *value; /* what the value is called in the help; NULL: FILE, N ... by its kind */
    /* The choice that a word means which other programs use for it, or NULL; NULL: there is
     * none. */
    const char *(*known_as)(const char *typed);
    uint64_t modes;       /* bits of the modes in which it does something; 0: all */
    const char *needs;    /* options without one of which it does nothing ("bootstrap,against") */
    const char *suffixes; /* of SL_FIELD_OUTPUT: endings of what can be written (".npz .csv"), the
                             first for "-"; NULL: the command knows */
    const char *prints;   /* of SL_FIELD_OUTPUT: with this option the command prints on standard
                             output itself, which "-" then cannot be; "": always */
};
struct sl_fields {
    const struct sl_field_row *rows;
    size_t size; /* of the struct */
};

/* ---- Reading and writing ---- */

/* Fill in a struct from an object; what is not there gets its fallback. Unknown keys, wrong kinds,
 * numbers out of range and words that are no choice are SL_ERR_INPUT with file, line and path, and
 * the struct is as after sl_fields_release. */
enum sl_status sl_fields_read(const struct sl_json_cursor *at, const struct sl_fields *fields,
                              void *out, struct sl_error *err) SL_MUST_USE;
/* The object, which the caller owns, without members that are absent or as their fallback, unless
 * they are settings. Whole numbers are written without a point. */
json_t *sl_fields_write(const struct sl_fields *fields, const void *from) SL_MUST_USE;
/* A copy that shares nothing with what it is a copy of. */
void sl_fields_copy(const struct sl_fields *fields, const void *from, void *out);
void sl_fields_release(const struct sl_fields *fields, void *of);

/* The row of a name, also within groups, or NULL. */
const struct sl_field_row *sl_fields_find(const struct sl_fields *fields, const char *name);
/* "text", "a list of numbers or an object": what the row and its alternatives may be. Returns
 * `out`. */
enum { SL_FIELD_WORDS_SIZE = 160 };
char *sl_field_words(const struct sl_field_row *field, char out[SL_FIELD_WORDS_SIZE]);

/* ---- One value ---- */

/* Choice number `index` of a row, or NULL past the last; NULL if the row has no choices. */
const char *sl_field_choice(const struct sl_field_row *field, size_t index);
/* Read a text into the row's field of a struct: numbers strictly and within bounds, choices by
 * name. SL_ERR_USAGE says what was expected and what was there, without the row's name, and leaves
 * the field as it was. A flag takes "true" or "false". */
enum sl_status sl_field_set(const struct sl_field_row *field, const char *text, void *of,
                            struct sl_error *err) SL_MUST_USE;
/* The same from JSON: SL_ERR_INPUT with file, line and path. The alternatives of the row are the
 * rows of its name that follow it. */
enum sl_status sl_field_read(const struct sl_field_row *field, const struct sl_json_cursor *at,
                             void *of, struct sl_error *err) SL_MUST_USE;
/* The defaults of all rows; what has none is zero. */
void sl_fields_set_defaults(const struct sl_field_row *rows, void *of);
/* The value, also where it is as its fallback, which the caller owns; null where nothing was
 * given. */
json_t *sl_field_json(const struct sl_field_row *field, const void *of) SL_MUST_USE;
/* "an integer from 1 to 9", "one of mean, sum", "32x48", "a list of 2 to 9 texts": what a value may
 * be, in full. */
char *sl_field_expected(const struct sl_field_row *field, struct sl_buffer *out);
/* What the value is called in the help: "FILE", "N"; NULL of a flag, which takes none. */
const char *sl_field_value_name(const struct sl_field_row *field);
/* Whether it names a file or a folder. */
bool sl_field_is_path(enum sl_field_kind kind);

/* ---- Lists and maps ---- */

void sl_text_list_add(struct sl_text_list *list, const char *text);
struct sl_text_list sl_text_list_copy(const struct sl_text_list *list);
void sl_text_list_release(struct sl_text_list *list);
bool sl_text_list_has(const struct sl_text_list *list, const char *text);
json_t *sl_text_list_json(const struct sl_text_list *list) SL_MUST_USE;
/* Whole numbers without a point. */
json_t *sl_number_json(double number) SL_MUST_USE;
json_t *sl_double_list_json(const struct sl_double_list *list) SL_MUST_USE;
/* The place of a name in a map; `count` if it is not there. */
size_t sl_names_place(char *const *names, size_t count, const char *name);

SL_END_DECLS

#endif
