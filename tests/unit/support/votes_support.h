/* Shared by the tests of votes: a set as one line of text, so that whole readings compare. */
#ifndef SOFTLAB_TESTS_VOTES_SUPPORT_H
#define SOFTLAB_TESTS_VOTES_SUPPORT_H

#include "softlab/answer.h"
#include "support.h"

/* "cat,dog; i1: a=cat b=dog; i2: ?=cat". Valid until the next call. */
static inline const char *votes_text(const struct sl_votes *votes)
{
    static char text[4000];
    size_t used = 0;
    text[0] = '\0';
#define ADD(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    for (size_t k = 0; k < votes->n_classes; k++)
        ADD("%s%s", k > 0 ? "," : "", votes->classes[k]);
    for (size_t item = 0; item < votes->n_items; item++) {
        ADD("; %s:", sl_name_table_get(votes->items, (uint32_t)item, NULL));
        for (size_t i = votes->begin[item]; i < votes->begin[item + 1]; i++) {
            const uint32_t annotator = votes->annotator[i];
            ADD(" %s=%s",
                annotator == SL_NO_NAME ? "?"
                                        : sl_name_table_get(votes->annotators, annotator, NULL),
                votes->classes[votes->label[i]]);
        }
    }
#undef ADD
    return text;
}

static inline struct sl_votes *read_votes(const char *path, const struct sl_import_options *options)
{
    struct sl_error err;
    struct sl_votes *votes = NULL;
    assert_ok(sl_votes_read(path, options, &votes, &err), err);
    return votes;
}

static inline const char *write_text(const char *name, const char *text)
{
    const char *path = test_path(name);
    test_write(path, text, strlen(text));
    return path;
}

#endif
