/* A study that twelve people took part in, played into a real store: for tests of what is shown and
 * taken out. */
#ifndef SOFTLAB_TESTS_STUDY_SAMPLE_H
#define SOFTLAB_TESTS_STUDY_SAMPLE_H

#include "softlab/study.h"

/* A quarter past ten on some day. */
#define SAMPLE_NOW INT64_C(1750000500000)

/* Annotators 0 to 9 answered `collins`, 10 and 11 `bars`; each three items, a check and a repeat.
 *  0 changed an answer; 3 ticked own classes as impossible; 4 failed the check; 5 typed a formula;
 *  6 wrote an address and an id into the debrief; 7 is still at it; 8 let the lease run out after
 *  two answers; 9 gave the place back after one. Beside them a test run. */
enum { SAMPLE_PEOPLE = 12, SAMPLE_ITEMS = 6, SAMPLE_COUNTED = 50 };

struct sample {
    struct sl_study *study;
    struct sl_store *store;
};
/* In a folder of this name; `further` are more members of study.json, or "". */
struct sample sample_create(const char *name, const char *further);
void sample_destroy(struct sample *sample);

/* The recruiter's id of person `index`. */
const char *sample_person(size_t index);

/* An export as text, NUL-ended, owned by the caller; fails the test if it fails. */
char *sample_export(const struct sample *sample, const char *name, size_t *length);
enum sl_status sample_try_export(const struct sample *sample, const char *name,
                                 struct sl_buffer *out, struct sl_error *err);

#endif
