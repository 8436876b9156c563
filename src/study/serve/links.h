/* Links and who may use them: the token of the test link, the signature of a participant's link,
 * and the mark by which places of one network are counted. All three are keyed hashes (BLAKE2b,
 * 128 bits) under one key of the study, which its database keeps. Private to study/. */
#ifndef SOFTLAB_STUDY_SERVE_LINKS_H
#define SOFTLAB_STUDY_SERVE_LINKS_H

#include "softlab/study.h"
#include "study/secret.h"

/* The parameters of an address that are softlab's own. */
#define SL_LINK_TEST      "test"
#define SL_LINK_SIGNATURE "sig"
/* What a name of a participant may have; longer ones are no link of ours. */
enum { SL_LINK_PARAMETER_MAX = 500 };

struct sl_links {
    uint8_t key[SL_STUDY_KEY];
};
/* The key, as sl_secret_key. */
enum sl_status sl_links_read(struct sl_store *store, struct sl_links *out,
                             struct sl_error *err) SL_MUST_USE;

void sl_links_test(const struct sl_links *links, char out[SL_STUDY_LINK_TEXT]);
void sl_links_sign(const struct sl_links *links, const char *person, char out[SL_STUDY_LINK_TEXT]);
/* The same address always has the same mark, and nobody without the key can tell which one. */
void sl_links_network(const struct sl_links *links, const char *network,
                      char out[SL_STUDY_LINK_TEXT]);
/* Whether `given` (or NULL) is `expected`, in a time that says nothing about either. */
bool sl_links_equal(const char *given, const char expected[SL_STUDY_LINK_TEXT]);

/* "/?test=...", a new JSON string; null while there is no key. */
json_t *sl_links_test_path(struct sl_store *store);
/* "/?participant=7&sig=...": heap string; without a signature where the study does not want one. */
char *sl_links_path(const struct sl_links *links, const struct sl_study *study, const char *person);

#endif
