/* The data of the researcher's page as JSON: the whole study, one person, one item, comments.
 *
 * Pages ask every few seconds. One thread computes all views from one read-only connection and
 * caches them; a view is computed again only after a commit, so however many pages look, a commit
 * costs at most one view. The views of a large study take longer and are computed less often. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/log.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/study/check.h"
#include "study/admin/internal.h"
#include "study/secret.h"
#include "study/serve/lanes.h"
#include "study/serve/site.h"
#include "study/status/status.h"
#include "study/texts/web.h"

/* The oldest view that is used: leases run and hours pass without a commit. */
static const int64_t oldest_ms = 60000;
/* A view takes at most a tenth of the thread's time. */
static const int64_t rest_of_cost = 10, longest_rest_ms = 30000;

struct view {
    const char *name;
    enum sl_status (*make)(struct sl_study_admin *admin, struct sl_store *store, const char *of,
                           int64_t now, json_t **out, struct sl_error *err);
};

/* `kind` is "link", or "code" for codes that people enter elsewhere. */
static void add_link(json_t *list, const char *kind, const char *name, const char *url,
                     const char *note)
{
    if (url && *url)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "kind", kind, "name", name,
                                              "url", url, "note", note));
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The links and codes to send, for copying. */
static json_t *links_json(const struct sl_study_admin *admin, struct sl_store *store)
{
    char *address = sl_site_address(admin->options.site);
    json_t *known = sl_study_links_json(admin->options.study, store, address ? address : "");
    json_t *list = json_array(), *outcome = NULL;
    size_t place = 0;
    char *how = sl_string_printf("%s%s", text_of(known, "how"),
                                 address ? "" : " Append it to the address of your proxy.");
    add_link(list, "link", "Link to send", text_of(known, "annotators"), how);
    add_link(list, "link", "Test link", text_of(known, "test"),
             "Test runs never count and are not paid: their codes begin with TEST-.");
    json_array_foreach(json_object_get(known, "outcomes"), place, outcome)
    {
        add_link(list, "code", text_of(outcome, "outcome"), text_of(outcome, "code"),
                 text_of(outcome, "when"));
    }
    free(how);
    json_decref(known);
    free(address);
    return list;
}

static enum sl_status make_status(struct sl_study_admin *admin, struct sl_store *store,
                                  const char *of, int64_t now, json_t **out, struct sl_error *err)
{
    (void)of;
    SL_TRY(sl_study_status(admin->options.study, store, now, out, err));
    json_object_set_new(json_object_get(*out, "study"), "labels",
                        sl_admin_label_methods(admin->options.study));
    if (admin->options.site) json_object_set_new(*out, "links", links_json(admin, store));
    return SL_OK;
}

static enum sl_status make_person(struct sl_study_admin *admin, struct sl_store *store,
                                  const char *of, int64_t now, json_t **out, struct sl_error *err)
{
    return sl_status_of_person(admin->options.study, store, now, of, out, err);
}

static enum sl_status make_item(struct sl_study_admin *admin, struct sl_store *store,
                                const char *of, int64_t now, json_t **out, struct sl_error *err)
{
    int64_t number = -1;
    if (!sl_text_to_integer(of, strlen(of), &number) || number < 0)
        return sl_fail(err, SL_ERR_NOT_FOUND, "there is no such item");
    return sl_status_of_item(admin->options.study, store, now, (size_t)number, out, err);
}

static enum sl_status make_comments(struct sl_study_admin *admin, struct sl_store *store,
                                    const char *of, int64_t now, json_t **out, struct sl_error *err)
{
    (void)of, (void)now;
    return sl_status_comments(admin->options.study, store, out, err);
}

static const struct view status_view = {"status", make_status};
static const struct view person_view = {"person", make_person};
static const struct view item_view = {"item", make_item};
static const struct view comments_view = {"comments", make_comments};

/* ---- The cache ---- */

static void forget(struct sl_admin_kept *kept)
{
    free(kept->name);
    free(kept->text);
    *kept = (struct sl_admin_kept){0};
}

void sl_admin_views_release(struct sl_admin_views *views)
{
    for (size_t i = 0; i < SL_ADMIN_KEPT; i++)
        forget(&views->kept[i]);
    sl_store_close(views->store);
    views->store = NULL;
}

/* The entry of this name, or the one to replace. */
static struct sl_admin_kept *find_kept(struct sl_admin_views *views, const char *name)
{
    struct sl_admin_kept *oldest = views->kept;
    for (size_t i = 0; i < SL_ADMIN_KEPT; i++) {
        struct sl_admin_kept *kept = &views->kept[i];
        if (kept->name && strcmp(kept->name, name) == 0) return kept;
        if (kept->made < oldest->made) oldest = kept;
    }
    return oldest;
}

static bool is_fresh(const struct sl_admin_kept *kept, const char *name, int64_t version,
                     int64_t now)
{
    if (!kept->name || strcmp(kept->name, name) != 0) return false;
    const int64_t age = now - kept->made;
    const int64_t rest = kept->cost_ms * rest_of_cost;
    const int64_t enough = rest < longest_rest_ms ? rest : longest_rest_ms;
    return age >= 0 && age < (kept->version == version ? oldest_ms : enough);
}

/* ---- Computing a view, on the status thread ---- */

struct view_job {
    struct sl_study_admin *admin;
    struct sl_http_exchange *exchange;
    const struct view *view;
    char *of;    /* owned; which person or item, or "" */
    char *known; /* owned; the tag of the page's version, or NULL */
    int64_t now;
    enum sl_status status;
    struct sl_error err;
    char *text; /* owned; NULL: the page is up to date */
    char tag[SL_ADMIN_TAG];
};

static enum sl_status open_store(struct sl_study_admin *admin, int64_t *version,
                                 struct sl_error *err)
{
    struct sl_admin_views *views = &admin->views;
    if (!views->store) SL_TRY(sl_admin_open_store(admin, &views->store, err));
    return sl_store_version(views->store, version, err);
}

static enum sl_status make_view(struct view_job *job, const char *name, int64_t version,
                                struct sl_admin_kept *kept)
{
    json_t *value = NULL;
    const double begun = sl_clock_seconds();
    SL_TRY(
        job->view->make(job->admin, job->admin->views.store, job->of, job->now, &value, &job->err));
    char *text = sl_web_json(value);
    json_decref(value);
    if (!text) return sl_fail(&job->err, SL_ERR_NOMEM, "no memory for the %s", name);
    forget(kept);
    *kept = (struct sl_admin_kept){.name = sl_string_copy(name),
                                   .text = text,
                                   .version = version,
                                   .made = job->now,
                                   .cost_ms = (int64_t)(1000 * (sl_clock_seconds() - begun))};
    char word[17];
    sl_secret_word(word, sizeof word - 1);
    snprintf(kept->tag, sizeof kept->tag, "\"%s\"", word);
    return SL_OK;
}

static enum sl_status look(struct view_job *job)
{
    int64_t version = 0;
    SL_TRY(open_store(job->admin, &version, &job->err));
    char *name = sl_string_printf("%s/%s", job->view->name, job->of);
    struct sl_admin_kept *kept = find_kept(&job->admin->views, name);
    enum sl_status status = SL_OK;
    if (!is_fresh(kept, name, version, job->now)) status = make_view(job, name, version, kept);
    if (status == SL_OK) {
        memcpy(job->tag, kept->tag, sizeof job->tag);
        if (!job->known || strcmp(job->known, kept->tag) != 0)
            job->text = sl_string_copy(kept->text);
    }
    free(name);
    return status;
}

/* A connection that failed is closed and not used again. */
static void work_view(void *context)
{
    struct view_job *job = context;
    job->status = look(job);
    if (job->status == SL_OK || job->status == SL_ERR_NOT_FOUND) return;
    sl_store_close(job->admin->views.store);
    job->admin->views.store = NULL;
}

static void done_view(void *context)
{
    struct view_job *job = context;
    const struct sl_http_header headers[] = {
        {"Cache-Control", "no-store"}, {"ETag", job->tag}, {NULL, NULL}};
    if (job->status != SL_OK)
        sl_admin_fail(job->admin, job->exchange, job->status, &job->err);
    else
        sl_http_send(job->exchange,
                     &(struct sl_http_reply){.status = job->text ? 200 : 304,
                                             .type = "application/json",
                                             .body = job->text ? job->text : "",
                                             .length = job->text ? strlen(job->text) : 0,
                                             .headers = headers});
    free(job->of);
    free(job->known);
    free(job->text);
    free(job);
}

static void ask(struct sl_http_exchange *exchange, struct sl_study_admin *admin,
                const struct view *view)
{
    if (!sl_admin_require(admin, exchange)) return;
    const char *known = sl_http_request_header(exchange, "If-None-Match");
    struct view_job *job = sl_alloc(1, sizeof *job);
    *job = (struct view_job){.admin = admin,
                             .exchange = exchange,
                             .view = view,
                             .of = sl_string_copy(sl_http_segment(exchange)),
                             .known = known ? sl_string_copy(known) : NULL,
                             .now = sl_admin_now(admin)};
    /* This status remains if the server stops before the work begins. */
    job->status = sl_fail(&job->err, SL_ERR_STOPPED, "the server is stopping");
    sl_http_work(admin->options.loop, SL_LANE_STATUS, work_view, done_view, job);
}

void sl_admin_get_status(struct sl_http_exchange *exchange, void *context)
{
    ask(exchange, context, &status_view);
}

void sl_admin_get_person(struct sl_http_exchange *exchange, void *context)
{
    ask(exchange, context, &person_view);
}

void sl_admin_get_item(struct sl_http_exchange *exchange, void *context)
{
    ask(exchange, context, &item_view);
}

void sl_admin_get_comments(struct sl_http_exchange *exchange, void *context)
{
    ask(exchange, context, &comments_view);
}
