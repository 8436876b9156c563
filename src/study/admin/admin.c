/* The researcher's port: pages, logging in and out. */
#include "study/admin/admin.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/admin/internal.h"
#include "study/admin/password.h"
#include "study/serve/lanes.h"
#include "study/texts/web.h"

static const char cookie_name[] = "softlab-admin";
static const char no_password[] =
    "no password is set: run \"softlab study password\" with the study's folder, then reload";

enum sl_status sl_study_admin_create(const struct sl_study_admin_options *options,
                                     struct sl_study_admin **out, struct sl_error *err)
{
    if (sodium_init() < 0) return sl_fail(err, SL_ERR_BACKEND, "libsodium cannot be initialised");
    struct sl_study_items items;
    SL_TRY(sl_study_items_read(options->study, options->store, &items, err));
    struct sl_study_admin *admin = sl_alloc(1, sizeof *admin);
    admin->options = *options;
    admin->items = items;
    *out = admin;
    return SL_OK;
}

void sl_study_admin_destroy(struct sl_study_admin *admin)
{
    if (!admin) return;
    sl_study_items_release(&admin->items);
    sl_admin_views_release(&admin->views);
    sodium_memzero(&admin->access, sizeof admin->access);
    free(admin);
}

int64_t sl_admin_now(const struct sl_study_admin *admin)
{
    return admin->options.now(admin->options.clock_context);
}

void sl_admin_note(struct sl_study_admin *admin, struct sl_http_exchange *exchange,
                   const char *kind, const char *what)
{
    struct sl_store *store = admin->options.store;
    struct sl_error err;
    const struct sl_caller caller = sl_caller_of(exchange, admin->options.behind_proxy);
    json_t *body = json_pack("{s:s, s:s}", "from", caller.network, "what", what);
    char *text = json_dumps(body, JSON_COMPACT);
    /* The server collects the writes of several requests: join an open transaction. */
    const bool own = !sl_store_in_transaction(store);
    enum sl_status status = own ? sl_store_begin_now(store, &err) : SL_OK;
    if (status == SL_OK)
        status = sl_store_put_event(store, 0, sl_admin_now(admin), kind, text ? text : "{}", &err);
    if (status == SL_OK && own) status = sl_store_commit(store, &err);
    if (status != SL_OK) {
        if (own) sl_store_rollback(store);
        sl_log(admin->options.log, SL_LOG_WARNING, "%s is missing in the log: %s", kind,
               err.message);
    }
    free(text);
    json_decref(body);
}

const char *sl_admin_require(struct sl_study_admin *admin, struct sl_http_exchange *exchange)
{
    const char *token = sl_http_cookie(exchange, cookie_name);
    if (sl_admin_session_check(&admin->access, token, sl_admin_now(admin))) return token;
    sl_http_fail(exchange, 401, "log in first");
    return NULL;
}

/* ---- Pages ---- */

/* `policy` replaces the port's own policy, unless it is NULL. */
static void send_asset(struct sl_http_exchange *exchange, const char *path, const char *policy)
{
    const struct sl_web_file *asset = sl_web_find(path);
    if (!asset) {
        sl_http_fail(exchange, 404, "there is no such page");
        return;
    }
    const struct sl_http_header headers[] = {{"Cache-Control", "no-cache"},
                                             {policy ? "Content-Security-Policy" : NULL, policy},
                                             {NULL, NULL}};
    sl_http_send(exchange, &(struct sl_http_reply){.status = 200,
                                                   .type = asset->type,
                                                   .body = asset->bytes,
                                                   .length = asset->length,
                                                   .headers = headers});
}

static void get_page(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    /* The port's policy, and frames for the previews. */
    send_asset(exchange, "admin/index.html",
               "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
               "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
               "frame-ancestors 'none'");
}

static void get_root(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    const struct sl_http_header headers[] = {{"Location", "admin"}, {NULL, NULL}};
    sl_http_send(exchange, &(struct sl_http_reply){.status = 303, .headers = headers});
}

static void get_file(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    char *path = sl_string_printf("admin/%s", sl_http_segment(exchange));
    send_asset(exchange, path, NULL);
    free(path);
}

/* ---- Logging in ---- */

void sl_admin_send_json(struct sl_http_exchange *exchange, json_t *value, const char *cookie)
{
    const struct sl_http_header headers[] = {
        {"Cache-Control", "no-store"}, {cookie ? "Set-Cookie" : NULL, cookie}, {NULL, NULL}};
    char *text = json_dumps(value, JSON_COMPACT);
    sl_http_send(exchange, &(struct sl_http_reply){.status = 200,
                                                   .type = "application/json",
                                                   .body = text,
                                                   .length = strlen(text),
                                                   .headers = headers});
    free(text);
    json_decref(value);
}

static void send_later(struct sl_http_exchange *exchange, int64_t wait_ms)
{
    static const char text[] = "{\"error\": \"too many attempts: wait, then try again\"}";
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%" PRId64, (wait_ms + 999) / 1000);
    const struct sl_http_header headers[] = {{"Retry-After", seconds}, {NULL, NULL}};
    sl_http_send(exchange, &(struct sl_http_reply){.status = 429,
                                                   .type = "application/json",
                                                   .body = text,
                                                   .length = sizeof text - 1,
                                                   .headers = headers});
}

/* Whether the researcher is logged in, the token for POSTs, and whether a password is set. */
static void get_session(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    const char *token = sl_http_cookie(exchange, cookie_name);
    char csrf[SL_ADMIN_TOKEN_TEXT], *hash = NULL;
    struct sl_error err;
    if (sl_admin_session_check(&admin->access, token, sl_admin_now(admin))) {
        sl_admin_csrf(token, csrf);
        sl_admin_send_json(exchange, json_pack("{s:b, s:s}", "in", true, "csrf", csrf), NULL);
        return;
    }
    const bool set = sl_study_password_hash(admin->options.store, &hash, &err) == SL_OK;
    free(hash);
    sl_admin_send_json(exchange,
                       json_pack("{s:b, s:b, s:s*}", "in", false, "password", set, "help",
                                 set ? NULL : no_password),
                       NULL);
}

struct attempt {
    struct sl_study_admin *admin;
    struct sl_http_exchange *exchange;
    char *slot;            /* in admin->trying; holds the caller's network */
    char *hash, *password; /* owned */
    bool compared, matches;
};

static void compare(void *context)
{
    struct attempt *attempt = context;
    attempt->matches = sl_study_password_matches(attempt->hash, attempt->password);
    attempt->compared = true;
}

/* Only the researcher's pages get the cookie, and only requests from them send it. */
static char *make_cookie(const struct sl_study_admin *admin,
                         const struct sl_http_exchange *exchange, const char *token,
                         int64_t seconds)
{
    const bool secure = sl_caller_secure(exchange, admin->options.behind_proxy);
    return sl_string_printf(
        "%s=%s; Path=%s/admin; Max-Age=%" PRId64 "; HttpOnly; SameSite=Strict%s", cookie_name,
        token, admin->options.prefix, seconds, secure ? "; Secure" : "");
}

static void welcome(struct attempt *attempt)
{
    struct sl_study_admin *admin = attempt->admin;
    char token[SL_ADMIN_TOKEN_TEXT], csrf[SL_ADMIN_TOKEN_TEXT];
    sl_admin_succeeded(&admin->access, attempt->slot);
    sl_admin_session_open(&admin->access, sl_admin_now(admin), token);
    sl_admin_csrf(token, csrf);
    sl_admin_note(admin, attempt->exchange, "admin-login", "logged in");
    char *cookie = make_cookie(admin, attempt->exchange, token, (int64_t)SL_ADMIN_HOURS * 3600);
    sl_admin_send_json(attempt->exchange, json_pack("{s:b, s:s}", "in", true, "csrf", csrf),
                       cookie);
    sodium_memzero(token, sizeof token);
    sodium_memzero(cookie, strlen(cookie));
    free(cookie);
}

static void finish_attempt(void *context)
{
    struct attempt *attempt = context;
    struct sl_study_admin *admin = attempt->admin;
    if (!attempt->compared) {
        sl_http_fail(attempt->exchange, 503, "the server is stopping");
    } else if (attempt->matches) {
        welcome(attempt);
    } else {
        sl_admin_failed(&admin->access, attempt->slot, sl_admin_now(admin));
        sl_admin_note(admin, attempt->exchange, "admin-login-failed", "wrong password");
        sl_http_fail(attempt->exchange, 401, "the password is wrong");
    }
    attempt->slot[0] = '\0';
    sodium_memzero(attempt->password, strlen(attempt->password));
    free(attempt->password);
    free(attempt->hash);
    free(attempt);
}

/* The password in a body {"password": "..."}, owned by the caller; NULL for any other body. */
static char *read_password(const struct sl_http_exchange *exchange)
{
    size_t length = 0;
    const char *bytes = sl_http_body(exchange, &length);
    json_t *body = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL);
    const char *password = json_string_value(json_object_get(body, "password"));
    char *copy = NULL;
    if (password && json_object_size(body) == 1 && strlen(password) <= SL_PASSWORD_MOST)
        copy = sl_string_copy(password);
    json_decref(body);
    return copy;
}

/* A free slot for comparing a password; NULL if all are in use or the same network already has
 * one. */
static char *find_slot(struct sl_study_admin *admin, const char *network)
{
    char *slot = NULL;
    for (size_t i = 0; i < SL_ADMIN_ATTEMPTS; i++) {
        if (strcmp(admin->trying[i], network) == 0) return NULL;
        if (!slot && !*admin->trying[i]) slot = admin->trying[i];
    }
    return slot;
}

static void start_attempt(struct sl_study_admin *admin, struct sl_http_exchange *exchange,
                          char *slot, char *password)
{
    const struct sl_caller caller = sl_caller_of(exchange, admin->options.behind_proxy);
    struct sl_error err;
    char *hash = NULL;
    if (sl_study_password_hash(admin->options.store, &hash, &err) != SL_OK) {
        free(password);
        sl_http_fail(exchange, 403, no_password);
        return;
    }
    struct attempt *attempt = sl_alloc(1, sizeof *attempt);
    *attempt = (struct attempt){
        .admin = admin, .exchange = exchange, .slot = slot, .hash = hash, .password = password};
    memcpy(slot, caller.network, sizeof caller.network);
    sl_http_work(admin->options.loop, SL_LANE_PASSWORDS, compare, finish_attempt, attempt);
}

static void post_login(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    if (!sl_http_same_origin(exchange)) {
        sl_http_fail(exchange, 403, "the request came from another site's page");
        return;
    }
    const struct sl_caller caller = sl_caller_of(exchange, admin->options.behind_proxy);
    const int64_t wait = sl_admin_wait(&admin->access, caller.network, sl_admin_now(admin));
    char *slot = find_slot(admin, caller.network);
    if (wait > 0 || !slot) {
        send_later(exchange, wait > 0 ? wait : 1000);
        return;
    }
    char *password = read_password(exchange);
    if (password)
        start_attempt(admin, exchange, slot, password);
    else
        sl_http_fail(exchange, 400, "expected {\"password\": \"...\"}");
}

bool sl_admin_require_form(struct sl_study_admin *admin, struct sl_http_exchange *exchange)
{
    if (!sl_http_same_origin(exchange)) {
        sl_http_fail(exchange, 403, "the request came from another site's page");
        return false;
    }
    const char *token = sl_admin_require(admin, exchange);
    if (!token) return false;
    if (sl_admin_csrf_matches(token, sl_http_request_header(exchange, "X-CSRF-Token"))) return true;
    sl_http_fail(exchange, 403, "the form's token is missing or wrong: reload the page");
    return false;
}

static void post_logout(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    if (!sl_admin_require_form(admin, exchange)) return;
    sl_admin_session_close(&admin->access, sl_http_cookie(exchange, cookie_name));
    sl_admin_note(admin, exchange, "admin-logout", "logged out");
    char *cookie = make_cookie(admin, exchange, "", 0);
    sl_admin_send_json(exchange, json_pack("{s:b}", "in", false), cookie);
    free(cookie);
}

const struct sl_http_route sl_study_admin_routes[] = {
    {SL_HTTP_GET, "/", get_root},
    {SL_HTTP_GET, "/admin", get_page},
    {SL_HTTP_GET, "/admin/file/", get_file},
    {SL_HTTP_GET, "/admin/session", get_session},
    {SL_HTTP_POST, "/admin/login", post_login},
    {SL_HTTP_POST, "/admin/logout", post_logout},
    {SL_HTTP_GET, "/admin/status", sl_admin_get_status},
    {SL_HTTP_GET, "/admin/person/", sl_admin_get_person},
    {SL_HTTP_GET, "/admin/item/", sl_admin_get_item},
    {SL_HTTP_GET, "/admin/comments", sl_admin_get_comments},
    {SL_HTTP_GET, "/admin/export/", sl_admin_get_export},
    {SL_HTTP_GET, "/admin/labels/", sl_admin_get_labels},
    {SL_HTTP_GET, "/admin/previews", sl_admin_get_previews},
    {SL_HTTP_GET, "/admin/preview/*", sl_admin_get_preview},
    {SL_HTTP_POST, "/admin/preview/*", sl_admin_post_preview},
    {SL_HTTP_GET, "/admin/words", sl_admin_get_words},
    {SL_HTTP_POST, "/admin/words", sl_admin_post_words},
    {SL_HTTP_GET, "/admin/image/", sl_admin_get_image},
    {.path = NULL},
};
