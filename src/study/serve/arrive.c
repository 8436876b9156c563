/* GET /: a person arrives, from a recruiter or by an open link. They get a new place, or the one
 * they have, and a cookie; the redirect removes every identifier from the address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/markup.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "study/serve/site.h"

enum { COOKIE_SECONDS = 30 * 24 * 3600 };
/* Lets a whole lecture hall behind one address in, but not a flood of invented people. */
static const struct sl_limit arrivals = {"arrival", 1, 200};

/* A page of two sentences, `words` and `words`_text; without `words` only the title. */
static void send_page(struct sl_site *site, struct sl_http_exchange *exchange, int status,
                      const char *words)
{
    static const char head[] =
        "<!doctype html>\n<html lang=\"{language.code}\" dir=\"{language.direction}\">\n"
        "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<title>";
    char *key = words ? sl_string_printf("%s_text", words) : NULL;
    const char *heading = words ? sl_words_say(&site->words, words) : site->study->title;
    const char *text = words ? sl_words_say(&site->words, key) : "";
    struct sl_buffer page;
    sl_buffer_init(&page, 16 << 10);
    sl_words_page(&site->words, head, sizeof head - 1, &page);
    sl_html_escape(&page, site->study->title, strlen(site->study->title));
    sl_buffer_text(&page,
                   "</title>\n<link rel=\"icon\" href=\"web/icon.svg\" type=\"image/svg+xml\">\n"
                   "<link rel=\"stylesheet\" href=\"web/style.css\">\n"
                   "<main id=\"main\"><div class=\"page\">\n<h1>");
    sl_html_escape(&page, heading, strlen(heading));
    sl_buffer_text(&page, "</h1>\n<p class=\"lead\">");
    sl_html_escape(&page, text, strlen(text));
    sl_buffer_text(&page, "</p>\n</div></main>\n</html>\n");
    sl_http_send(exchange, &(struct sl_http_reply){.status = status,
                                                   .type = "text/html; charset=utf-8",
                                                   .body = page.data,
                                                   .length = page.length});
    sl_buffer_release(&page);
    free(key);
}

static void redirect(struct sl_site *site, struct sl_http_exchange *exchange, const char *token)
{
    char *cookie =
        token ? sl_string_printf(
                    "softlab=%s; Path=%s/; HttpOnly; SameSite=Lax; "
                    "Max-Age=%d%s",
                    token, site->prefix, COOKIE_SECONDS,
                    sl_caller_secure(exchange, site->host->options.behind_proxy) ? "; Secure" : "")
              : NULL;
    const struct sl_http_header headers[] = {
        {"Location", "study"}, {cookie ? "Set-Cookie" : NULL, cookie}, {NULL, NULL}};
    sl_http_send(exchange, &(struct sl_http_reply){.status = 303, .headers = headers});
    free(cookie);
}

/* The session of the cookie; a test session counts as none. */
static bool find_cookie(const struct sl_site *site, const struct sl_http_exchange *exchange,
                        struct sl_store_session *out)
{
    uint8_t hash[SL_STORE_TOKEN_BYTES];
    if (!sl_secret_token_hash(sl_http_cookie(exchange, "softlab"), hash)) return false;
    return sl_store_find_session(site->store, hash, out, NULL) == SL_OK && !out->test;
}

/* Whether to continue the cookie's session: it is the same person, or the link names nobody. */
static bool has_session(const struct sl_site *site, const struct sl_http_exchange *exchange,
                        const uint8_t *person)
{
    struct sl_store_session session;
    if (!find_cookie(site, exchange, &session)) return false;
    if (session.state == SL_SESSION_EXPIRED) return false;
    if (session.state == SL_SESSION_ACTIVE && session.lease_until <= sl_site_now(site))
        return false;
    return !person || memcmp(person, session.person, sizeof session.person) == 0;
}

/* The key of the network's mark among the kept parameters; no parameter can have this name. */
#define NETWORK "@network"

/* The parameters that the study keeps, as JSON, with the network's mark if places are counted. */
static char *parameters_json(const struct sl_study *study, const struct sl_http_exchange *exchange,
                             const char *network)
{
    json_t *kept = json_object();
    if (network) json_object_set_new(kept, NETWORK, json_string(network));
    for (size_t i = 0; i < study->n_keep; i++) {
        const char *value = sl_http_query(exchange, study->keep[i]);
        if (value && strlen(value) <= SL_LINK_PARAMETER_MAX)
            json_object_set_new(kept, study->keep[i], json_string(value));
    }
    char *text = json_dumps(kept, JSON_COMPACT);
    json_decref(kept);
    return text;
}

/* The address itself is never stored. Everything that is no address counts as one network. */
static void mark_network(const struct sl_site *site, const struct sl_http_exchange *exchange,
                         char out[SL_STUDY_LINK_TEXT])
{
    const struct sl_caller caller = sl_caller_of(exchange, site->host->options.behind_proxy);
    sl_links_network(&site->links, caller.network, out);
}

static enum sl_status arrive(struct sl_site *site, const struct sl_http_exchange *exchange,
                             const uint8_t *person, bool test, char token[SL_TOKEN_TEXT],
                             struct sl_error *err)
{
    const struct sl_study *study = site->study;
    const bool counted = study->places_per_address > 0 && !test;
    uint8_t hash[SL_STORE_TOKEN_BYTES];
    char mark[SL_STUDY_LINK_TEXT], member[sizeof NETWORK + SL_STUDY_LINK_TEXT + 8];
    struct sl_store_session session;
    bool returning = false;
    sl_secret_token(token, hash);
    mark_network(site, exchange, mark);
    snprintf(member, sizeof member, "\"" NETWORK "\":\"%s\"", mark);
    char *parameters = parameters_json(study, exchange, counted ? mark : NULL);
    const struct sl_store_arrival arrival = {
        .person = person,
        .token_hash = hash,
        .screen = study->screens[sl_secret_number() % study->n_screens],
        .parameters = parameters,
        .seed = sl_secret_number(),
        .tie = sl_secret_number(),
        .now = sl_site_now(site),
        .lease_ms = (int64_t)study->lease_minutes * 60000,
        .test = test,
        .once = *study->person != '\0', /* a recruiter pays an id once */
        .network = counted ? member : NULL,
        .per_network = study->places_per_address,
    };
    enum sl_status status =
        site->asker ? sl_asker_arrive(site->asker, site->store, &arrival, &session, &returning, err)
                    : sl_store_arrive(site->store, &arrival, &session, &returning, err);
    free(parameters);
    return status;
}

/* People in an open study and in a test have no names: every arrival is a new person, except one
 * whose cookie shows an earlier session (an expired place brings no new attempts). */
static enum sl_status find_person(struct sl_site *site, const struct sl_http_exchange *exchange,
                                  const char *name, bool test,
                                  uint8_t person[SL_STORE_PERSON_BYTES], struct sl_error *err)
{
    struct sl_store_session session;
    if (name) return sl_study_person(site->store, name, person, err);
    sl_secret_random(person, SL_STORE_PERSON_BYTES);
    if (!test && find_cookie(site, exchange, &session))
        memcpy(person, session.person, sizeof session.person);
    return SL_OK;
}

/* Whether the link is valid; otherwise a page says what is wrong. */
static bool check_link(struct sl_site *site, struct sl_http_exchange *exchange, const char *test,
                       const char *name)
{
    char expected[SL_STUDY_LINK_TEXT];
    if (!test && site->host->options.rehearse) {
        send_page(site, exchange, 403, "server.not_begun");
        return false;
    }
    sl_links_test(&site->links, expected);
    if (test && !sl_links_equal(test, expected)) {
        send_page(site, exchange, 403, "server.test_link");
        return false;
    }
    if (test || !name || site->study->links == SL_LINKS_PLAIN) return true;
    sl_links_sign(&site->links, name, expected);
    if (sl_links_equal(sl_http_query(exchange, SL_LINK_SIGNATURE), expected)) return true;
    send_page(site, exchange, 403, "server.link");
    return false;
}

/* The reply to an arrival that has no session yet. */
static void reply_arrival(struct sl_site *site, struct sl_http_exchange *exchange,
                          enum sl_status status, const char *token, const struct sl_error *err)
{
    if (status == SL_OK) {
        redirect(site, exchange, token);
    } else if (status == SL_ERR_NOT_FOUND) {
        redirect(site, exchange, "full");
    } else if (status == SL_ERR_USAGE && site->study->places_per_address > 0) {
        send_page(site, exchange, 403, "server.network");
    } else {
        sl_log(site->host->options.log, SL_LOG_ERROR, "nobody can arrive: %s", err->message);
        send_page(site, exchange, 503, "server.busy");
    }
}

void sl_handle_arrival(struct sl_http_exchange *exchange, void *context)
{
    struct sl_site *site = context;
    const struct sl_study *study = site->study;
    const char *test = sl_http_query(exchange, SL_LINK_TEST);
    const char *name = *study->person && !test ? sl_http_query(exchange, study->person) : NULL;
    uint8_t person[SL_STORE_PERSON_BYTES];
    char token[SL_TOKEN_TEXT] = "";
    struct sl_error err;
    /* Link previews and monitors send HEAD; nobody has arrived. */
    if (sl_http_is_head(exchange)) {
        send_page(site, exchange, 200, NULL);
        return;
    }
    if (!sl_site_ready(site, exchange)) return;
    if (!sl_request_admit(site, exchange, &arrivals)) return;
    if (name && (!*name || strlen(name) > SL_LINK_PARAMETER_MAX)) name = NULL;
    if (!check_link(site, exchange, test, name)) return;
    /* Arriving has its own transaction, and so has the making of the key; outside one, looking at
     * the cookie's session does not claim it. */
    sl_site_flush(site);
    enum sl_status status = find_person(site, exchange, name, test != NULL, person, &err);
    if (status == SL_OK && !test && has_session(site, exchange, name ? person : NULL)) {
        redirect(site, exchange, NULL);
        return;
    }
    if (status == SL_OK && !test && !name && *study->person) {
        send_page(site, exchange, 400, "server.incomplete");
        return;
    }
    if (status == SL_OK) status = arrive(site, exchange, person, test != NULL, token, &err);
    reply_arrival(site, exchange, status, token, &err);
}
