#include "study/serve/links.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/markup.h"
#include "softlab/base/memory.h"
#include "softlab/study/check.h"
#include "study/secret.h"
#include "study/session/session.h"

static const char key_name[] = "link-key";

enum sl_status sl_links_read(struct sl_store *store, struct sl_links *out, struct sl_error *err)
{
    return sl_secret_key(store, key_name, out->key, err);
}

/* A hash for one purpose is useless for another. */
static void hash(const struct sl_links *links, const char *purpose, const char *text,
                 char out[SL_STUDY_LINK_TEXT])
{
    uint8_t sum[crypto_generichash_BYTES_MIN];
    crypto_generichash_state state;
    crypto_generichash_init(&state, links->key, sizeof links->key, sizeof sum);
    crypto_generichash_update(&state, (const unsigned char *)purpose, strlen(purpose) + 1);
    crypto_generichash_update(&state, (const unsigned char *)text, strlen(text));
    crypto_generichash_final(&state, sum, sizeof sum);
    sodium_bin2base64(out, SL_STUDY_LINK_TEXT, sum, sizeof sum,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

void sl_links_test(const struct sl_links *links, char out[SL_STUDY_LINK_TEXT])
{
    hash(links, "test", "", out);
}

void sl_links_sign(const struct sl_links *links, const char *person, char out[SL_STUDY_LINK_TEXT])
{
    hash(links, "person", person, out);
}

void sl_links_network(const struct sl_links *links, const char *network,
                      char out[SL_STUDY_LINK_TEXT])
{
    hash(links, "network", network, out);
}

bool sl_links_equal(const char *given, const char expected[SL_STUDY_LINK_TEXT])
{
    if (!given || strnlen(given, SL_STUDY_LINK_TEXT) != SL_STUDY_LINK_TEXT - 1) return false;
    return sodium_memcmp(given, expected, SL_STUDY_LINK_TEXT - 1) == 0;
}

json_t *sl_links_test_path(struct sl_store *store)
{
    struct sl_links links;
    char token[SL_STUDY_LINK_TEXT];
    if (sl_secret_init(NULL) != SL_OK ||
        sl_secret_key_read(store, key_name, links.key, NULL) != SL_OK)
        return json_null();
    sl_links_test(&links, token);
    sodium_memzero(&links, sizeof links);
    return json_sprintf("/?" SL_LINK_TEST "=%s", token);
}

char *sl_links_path(const struct sl_links *links, const struct sl_study *study, const char *person)
{
    struct sl_buffer path;
    char signature[SL_STUDY_LINK_TEXT];
    sl_buffer_init(&path, 8192);
    sl_buffer_printf(&path, "/?%s=", study->person);
    sl_url_escape(&path, person, "");
    if (study->links == SL_LINKS_SIGNED) {
        sl_links_sign(links, person, signature);
        sl_buffer_printf(&path, "&" SL_LINK_SIGNATURE "=%s", signature);
    }
    return path.data;
}

/* ---- For programs ---- */

enum sl_status sl_study_test_token(struct sl_store *store, char out[SL_STUDY_LINK_TEXT],
                                   struct sl_error *err)
{
    struct sl_links links;
    SL_TRY(sl_links_read(store, &links, err));
    sl_links_test(&links, out);
    sodium_memzero(&links, sizeof links);
    return SL_OK;
}

static enum sl_status check_person(const struct sl_study *study, const char *person,
                                   struct sl_error *err)
{
    if (!*study->person)
        return sl_fail(err, SL_ERR_USAGE,
                       "%s is open to everybody: there are no personal links unless "
                       "recruiter.person names the URL parameter that holds the participant",
                       study->name);
    if (!*person) return sl_fail(err, SL_ERR_INPUT, "the participant has no name");
    for (const char *c = person; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return sl_fail(err, SL_ERR_INPUT,
                           "the participant's name contains a control character");
    if (strlen(person) > SL_LINK_PARAMETER_MAX)
        return sl_fail(err, SL_ERR_INPUT, "the participant's name is longer than %d bytes",
                       SL_LINK_PARAMETER_MAX);
    return SL_OK;
}

enum sl_status sl_study_link(const struct sl_study *study, struct sl_store *store,
                             const char *person, char **out, struct sl_error *err)
{
    struct sl_links links;
    SL_TRY(check_person(study, person, err));
    SL_TRY(sl_links_read(store, &links, err));
    *out = sl_links_path(&links, study, person);
    sodium_memzero(&links, sizeof links);
    return SL_OK;
}

/* ---- Links to send ---- */

/* How the recruiter fills in a parameter, and what the researcher does with the link. */
static const struct {
    const char *recruiter;
    bool is_signed;
    const char *before, *after; /* around the name of a parameter; NULL: not filled in */
    const char *how;
} senders[] = {
    {"open", false, NULL, NULL, "Send this link to everybody who may take part."},
    {"prolific", false, "{{%", "%}}",
     "Paste this link into Prolific as the URL of your study, and let Prolific record ids by URL "
     "parameters."},
    {"generic", false, NULL, NULL,
     "Replace the dots by each participant's own id, or let softlab study links write a link for "
     "each participant."},
    {"generic", true, NULL, NULL,
     "Every link is signed: softlab study links FOLDER people.csv writes one for each "
     "participant."},
};

static char *annotators_link(const struct sl_study *study, const char *address, size_t sender)
{
    struct sl_buffer link;
    const char *before = senders[sender].before, *after = senders[sender].after;
    sl_buffer_init(&link, 64 << 10);
    sl_buffer_printf(&link, "%s/", address);
    for (size_t i = 0; *study->person && i < study->n_keep + 1; i++) {
        const char *name = i == 0 ? study->person : study->keep[i - 1];
        sl_buffer_printf(&link, "%c%s=%s%s%s", i == 0 ? '?' : '&', name, before ? before : "...",
                         before ? name : "", after ? after : "");
    }
    if (study->links == SL_LINKS_SIGNED) sl_buffer_text(&link, "&" SL_LINK_SIGNATURE "=...");
    return link.data;
}

static json_t *outcomes_json(const struct sl_study *study)
{
    const struct {
        const char *outcome, *when, *code;
    } outcomes[] = {
        {"done", "the annotator finished the study", study->code_done},
        {"refused", "no consent, or the annotator gave the place back", study->code_refused},
        {"failed", "the annotator failed the comprehension check", study->code_failed},
        {"full", "no place was left", study->code_full},
    };
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        json_t *one = sl_completion_of(study, outcomes[i].code);
        json_object_set_new(one, "outcome", json_string(outcomes[i].outcome));
        json_object_set_new(one, "when", json_string(outcomes[i].when));
        json_array_append_new(list, one);
    }
    return list;
}

json_t *sl_study_links_json(const struct sl_study *study, struct sl_store *store,
                            const char *address)
{
    size_t sender = 0;
    while (strcmp(senders[sender].recruiter, study->recruiter) != 0 ||
           senders[sender].is_signed != (study->links == SL_LINKS_SIGNED))
        sender++;
    char *annotators = annotators_link(study, address, sender);
    json_t *path = sl_links_test_path(store);
    json_t *links = json_pack("{s:s, s:s, s:s}", "recruiter", study->recruiter, "annotators",
                              annotators, "how", senders[sender].how);
    json_object_set_new(links, "test",
                        json_is_string(path)
                            ? json_sprintf("%s%s", address, json_string_value(path))
                            : json_null());
    json_object_set_new(links, "outcomes", outcomes_json(study));
    json_decref(path);
    free(annotators);
    return links;
}
