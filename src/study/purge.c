/* Participants: how they are stored, and how they are deleted. */
#include <sodium.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/study.h"
#include "study/purge_list.h"
#include "study/secret.h"
#include "study/stored_answers.h"

static const char key_name[] = "person-key";

enum sl_status sl_study_person(struct sl_store *store, const char *name,
                               uint8_t out[SL_STORE_PERSON_BYTES], struct sl_error *err)
{
    uint8_t key[SL_STUDY_KEY];
    SL_TRY(sl_secret_key(store, key_name, key, err));
    crypto_generichash(out, SL_STORE_PERSON_BYTES, (const unsigned char *)name, strlen(name), key,
                       sizeof key);
    sodium_memzero(key, sizeof key);
    return SL_OK;
}

/* A search for a person by the hash of a name, or by the name in exports. */
struct search {
    const char *annotator;
    uint8_t person[SL_STORE_PERSON_BYTES];
    bool found;          /* by the hash */
    bool found_exported; /* by the name in exports: `exported` */
    uint8_t exported[SL_STORE_PERSON_BYTES];
    int64_t last, last_exported; /* start of their last sessions */
};

static enum sl_status look_at(const struct sl_store_row *row, void *context)
{
    struct search *search = context;
    const struct sl_store_session *session = row->session;
    char name[SL_STUDY_ANNOTATOR_TEXT];
    sl_study_annotator(session->person, name);
    if (memcmp(session->person, search->person, sizeof search->person) == 0) {
        search->found = true;
        if (session->started > search->last) search->last = session->started;
    } else if (strcmp(name, search->annotator) == 0) {
        memcpy(search->exported, session->person, sizeof search->exported);
        search->found_exported = true;
        if (session->started > search->last_exported) search->last_exported = session->started;
    }
    return SL_OK;
}

/* Nobody has that name now; a person who was removed before may still have bytes in the log. */
static enum sl_status purge_again(const struct sl_study *study, struct sl_store *store,
                                  const uint8_t *person, struct sl_store_purged *out,
                                  struct sl_error *err)
{
    bool known = false, emptied = false;
    SL_TRY(sl_store_empty_log(store, &emptied, err));
    SL_TRY(sl_purged_has(study->folder, person, &known, err));
    if (!known)
        return sl_fail(err, SL_ERR_NOT_FOUND, "%s has no participant of that name", study->name);
    *out = (struct sl_store_purged){.log_in_use = !emptied};
    return SL_OK;
}

enum sl_status sl_study_purge(const struct sl_study *study, struct sl_store *store,
                              const char *person, int64_t now, struct sl_store_purged *out,
                              struct sl_error *err)
{
    struct search search = {.annotator = person};
    if (*person == '\0') return sl_fail(err, SL_ERR_USAGE, "the participant has no name");
    SL_TRY(sl_study_person(store, person, search.person, err));
    SL_TRY(sl_store_each_session(store, look_at, &search, err));
    if (!search.found && !search.found_exported)
        return purge_again(study, store, search.person, out, err);
    const uint8_t *hash = search.found ? search.person : search.exported;
    const int64_t last = search.found ? search.last : search.last_exported;
    /* The list first: a listed person is removed at the next start even if this process dies now. A
     * clock that was set back must not spare a session. */
    SL_TRY(sl_purged_add(study->folder, hash, last > now ? last : now, err));
    return sl_store_purge(store, hash, INT64_MAX, now, out, err);
}
