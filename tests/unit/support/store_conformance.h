/* The conformance tests of the store: one list of tests that runs over any backend's open
 * function. */
#ifndef SOFTLAB_TESTS_STORE_CONFORMANCE_H
#define SOFTLAB_TESTS_STORE_CONFORMANCE_H

#include "softlab/store.h"

struct store_under_test {
    const char *name;
    /* Delete the store, so that the next open makes an empty one. */
    void (*clear)(void);
    /* Open the store; several handles may be open at once. */
    enum sl_status (*open)(bool read_only, struct sl_store **out, struct sl_error *err);
};

/* The number of tests that failed. */
int store_conformance_content(const struct store_under_test *backend);
int store_conformance_sessions(const struct store_under_test *backend);
int store_conformance_choosing(const struct store_under_test *backend);
int store_conformance_answers(const struct store_under_test *backend);

#endif
