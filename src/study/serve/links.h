/* Links and who may use them: the token of the test link, the signature of a participant's link,
 * and the mark that counts places per network. All three are keyed hashes (BLAKE2b, 128 bits) under
 * one key, which the study's database keeps. Private to study/. */
#ifndef SOFTLAB_STUDY_SERVE_LINKS_H
#define SOFTLAB_STUDY_SERVE_LINKS_H

#include "softlab/study.h"
#include "study/secret.h"

/* URL parameters that belong to softlab. */
#define SL_LINK_TEST      "test"
#define SL_LINK_SIGNATURE "sig"
/* The longest name of a participant; a link with a longer one is not ours. */
enum { SL_LINK_PARAMETER_MAX = 500 };

struct sl_links {
    uint8_t key[SL_STUDY_KEY];
};
/* Reads the key, as sl_secret_key does. */
enum sl_status sl_links_read(struct sl_store *store, struct sl_links *out,
                             struct sl_error *err) SL_MUST_USE;

void sl_links_test(const struct sl_links *links, char out[SL_STUDY_LINK_TEXT]);
void sl_links_sign(const struct sl_links *links, const char *person, char out[SL_STUDY_LINK_TEXT]);
/* The same address always has the same mark; without the key nobody can tell which address. */
void sl_links_network(const struct sl_links *links, const char *network,
                      char out[SL_STUDY_LINK_TEXT]);
/* Whether `given` (or NULL) is `expected`, in constant time. */
bool sl_links_equal(const char *given, const char expected[SL_STUDY_LINK_TEXT]);

/* "/?test=...", a new JSON string; null if there is no key yet. */
json_t *sl_links_test_path(struct sl_store *store);
/* "/?participant=7&sig=...": heap string; signed only if the study asks for it. */
char *sl_links_path(const struct sl_links *links, const struct sl_study *study, const char *person);

#endif
