/* Shared by the checks of a study: its items and batches in memory, and noting a finding. Private
 * to study/check/. */
#ifndef SOFTLAB_STUDY_CHECK_CHECK_H
#define SOFTLAB_STUDY_CHECK_CHECK_H

#include "softlab/study/check.h"

struct sl_check_item {
    char *id;        /* owned */
    json_t *content; /* owned; an object */
    char *truth;     /* owned, or NULL */
    bool check;      /* an obvious item */
    size_t batches;  /* number of batches that show it */
};

struct sl_check_batch {
    size_t n_items, target, finished, live;
};

struct sl_checking {
    const struct sl_study *study;          /* borrowed */
    struct sl_store *store;                /* borrowed */
    const struct sl_study_inspection *how; /* borrowed */
    struct sl_json document;               /* study.json, for the lines of keys */
    struct sl_study_effort effort;
    struct sl_check_item *items; /* owned */
    size_t n_items, capacity, n_checks, n_exercises;
    struct sl_check_batch *batches; /* owned */
    size_t n_batches;
    const char *check; /* the current row of the table; n_found counts its findings */
    size_t n_found;
    struct sl_findings *findings;
};

/* A row of the table. */
typedef void sl_check_function(struct sl_checking *checking);
sl_check_function sl_check_texts, sl_check_config_texts, sl_check_pictures, sl_check_text_items;
sl_check_function sl_check_practice, sl_check_attention, sl_check_comprehension, sl_check_places;
sl_check_function sl_check_codes, sl_check_recruiter, sl_check_lease, sl_check_pay;
sl_check_function sl_check_keep_until, sl_check_classes, sl_check_batch_size;
sl_check_function sl_check_least_time, sl_check_assignment;

/* Note a finding. `where` is taken; `remedy` is copied. */
void sl_check_note(struct sl_checking *checking, enum sl_finding_level level, char *where,
                   const char *remedy, const char *problem, ...) SL_PRINTF(5, 6);
/* The place of a key of study.json, "birds/study.json:12: $.recruiter.codes.done": heap string.
 * Numbers in `key` are positions in lists. A key that is not in the file gets the line of the
 * nearest key around it. */
char *sl_check_key(const struct sl_checking *checking, const char *key) SL_MUST_USE;
/* "birds/consent.md:26": heap string; line 0 is the whole file. */
char *sl_check_file(const struct sl_checking *checking, const char *name, size_t line) SL_MUST_USE;

/* ---- placeholders.c ---- */

struct sl_placeholder {
    size_t at, length;  /* within the text */
    const char *remedy; /* borrowed: what to do about it */
};
/* The next placeholder from `from` on: "[Name ...]", {word} that is not one of ours, "TODO" and the
 * like, lorem ipsum. False if there is none. */
bool sl_placeholder_find(const char *text, size_t length, size_t from, struct sl_placeholder *out);

#endif
