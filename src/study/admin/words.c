/* The texts of the annotators' pages, which the researcher may change before the study begins. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/admin/internal.h"
#include "study/serve/site.h"

enum { NAMED = 200 /* bytes of keys that the log names */ };

static const char has_begun[] =
    "people have answered already, and later people would read a different text: make another "
    "study "
    "with softlab study init or, if the meaning stays the same, edit words.json and restart the "
    "server";

static enum sl_status check_begun(const struct sl_site *site, bool *begun, struct sl_error *err)
{
    return sl_store_has_answers(site->store, NULL, NULL, begun, err);
}

static void send_words(const struct sl_site *site, struct sl_http_exchange *exchange, bool begun)
{
    json_t *list = json_array(), *text = NULL;
    const char *key = NULL;
    json_object_foreach(site->words.language, key, text)
    {
        json_array_append_new(list, json_pack("{s:s, s:O, s:O}", "key", key, "default", text,
                                              "text", json_object_get(site->words.texts, key)));
    }
    json_t *reply = json_pack("{s:s, s:b, s:s?, s:o}", "language", site->study->language,
                              "editable", !begun, "why", begun ? has_begun : NULL, "words", list);
    sl_admin_send_json(exchange, reply, NULL);
}

static struct sl_site *require_site(struct sl_study_admin *admin, struct sl_http_exchange *exchange)
{
    if (!admin->options.site) sl_http_fail(exchange, 404, "there is no such page");
    return admin->options.site;
}

void sl_admin_get_words(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    struct sl_error err;
    bool begun = false;
    if (!sl_admin_require(admin, exchange)) return;
    const struct sl_site *site = require_site(admin, exchange);
    if (!site) return;
    const enum sl_status status = check_begun(site, &begun, &err);
    if (status == SL_OK)
        send_words(site, exchange, begun);
    else
        sl_admin_fail(admin, exchange, status, &err);
}

/* ---- Changing them ---- */

/* Apply `changes` to the study's own texts; null restores the language's text. */
static enum sl_status merge(const struct sl_words *words, json_t *changes, json_t *own,
                            struct sl_error *err)
{
    const char *key = NULL;
    json_t *text = NULL;
    json_object_foreach(changes, key, text)
    {
        if (json_is_null(text)) {
            json_object_del(own, key);
            continue;
        }
        if (!json_is_string(text))
            return sl_fail(err, SL_ERR_INPUT, "\"%s\": expected a text or null", key);
        SL_TRY(sl_words_check(words, key, json_string_value(text), err));
        SL_TRY(sl_words_check_places(words, key, json_string_value(text), err));
        json_object_set(own, key, text);
    }
    return SL_OK;
}

static void note_changes(struct sl_study_admin *admin, struct sl_http_exchange *exchange,
                         json_t *changes)
{
    struct sl_buffer what;
    const char *key = NULL;
    json_t *text = NULL;
    sl_buffer_init(&what, 1 << 16);
    sl_buffer_text(&what, "");
    json_object_foreach(changes, key, text)
    {
        if (what.length < NAMED)
            sl_buffer_printf(&what, "%s%s", what.length ? ", " : "words changed: ", key);
    }
    sl_admin_note(admin, exchange, "admin-words", what.data);
    sl_buffer_release(&what);
}

static enum sl_status change(struct sl_site *site, json_t *changes, struct sl_error *err)
{
    bool begun = false;
    json_t *own = NULL;
    enum sl_status status = SL_OK;
    SL_TRY(check_begun(site, &begun, err));
    if (begun) return sl_fail(err, SL_ERR_INPUT, "%s", has_begun);
    own = json_deep_copy(site->words.own);
    SL_TRY_OUT(merge(&site->words, changes, own, err));
    status = sl_words_save(&site->words, site->study, own, err);
out:
    json_decref(own);
    return status;
}

/* {"words": {"end.done": "Thanks", "frame.title": null}} */
void sl_admin_post_words(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    struct sl_error err;
    size_t length = 0;
    if (!sl_admin_require_form(admin, exchange)) return;
    struct sl_site *site = require_site(admin, exchange);
    if (!site) return;
    const char *bytes = sl_http_body(exchange, &length);
    json_t *body = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL);
    json_t *changes = json_object_get(body, "words");
    if (!json_is_object(changes) || json_object_size(body) != 1) {
        sl_http_fail(exchange, 400, "expected {\"words\": {\"key\": \"text\"}}");
        json_decref(body);
        return;
    }
    const enum sl_status status = change(site, changes, &err);
    if (status == SL_OK) {
        note_changes(admin, exchange, changes);
        send_words(site, exchange, false);
    } else {
        sl_admin_fail(admin, exchange, status, &err);
    }
    json_decref(body);
}
