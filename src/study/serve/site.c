#include "study/serve/site.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/study/check.h"
#include "study/config/config.h"
#include "study/config/identity.h"
#include "study/private_folder.h"
#include "study/purge_list.h"

static const double EXPIRY_SECONDS = 30;

int64_t sl_site_now(const struct sl_site *site)
{
    return site->host->options.now(site->host->options.clock_context);
}

static struct sl_flow flow_of(const struct sl_study *study, const struct sl_texts *texts)
{
    return (struct sl_flow){
        .has = {[SL_PLACE_CONSENT] = *texts->consent != '\0',
                [SL_PLACE_INSTRUCTIONS] = texts->n_instructions > 0,
                [SL_PLACE_CHECK] = study->n_comprehension > 0,
                [SL_PLACE_TRAINING] = study->training_trials > 0,
                [SL_PLACE_PRACTICE] = study->practice,
                [SL_PLACE_TRIALS] = true,
                [SL_PLACE_DEBRIEF] = study->n_debrief > 0 || *texts->debrief != '\0',
                [SL_PLACE_DONE] = true}};
}

/* Frees expired leases even while no request comes. */
static void expire(void *context)
{
    struct sl_site *site = context;
    struct sl_error err;
    size_t freed = 0;
    enum sl_status status = SL_OK;
    if (!sl_store_in_transaction(site->store)) status = sl_store_begin_now(site->store, &err);
    if (status == SL_ERR_BUSY) return; /* next time */
    if (status == SL_OK) status = sl_store_expire(site->store, sl_site_now(site), &freed, &err);
    if (status != SL_OK) sl_log(site->host->options.log, SL_LOG_ERROR, "%s", err.message);
    sl_site_flush(site);
    if (freed > 0)
        sl_log(site->host->options.log, SL_LOG_INFO, "%zu place%s free again", freed,
               sl_text_plural(freed, "", "s"));
}

/* study.json may ask for more annotators than study init did. */
static enum sl_status set_target(const struct sl_site *site, struct sl_error *err)
{
    SL_TRY(sl_store_begin(site->store, err));
    enum sl_status status = sl_store_set_target(site->store, site->study->annotators, err);
    if (status == SL_OK) return sl_store_commit(site->store, err);
    sl_store_rollback(site->store);
    return status;
}

/* Permissions that cannot be changed are only a warning: they may be intended. */
static void make_private(const struct sl_site *site)
{
    struct sl_error err;
    size_t tightened = 0;
    if (sl_private_tighten(site->study->folder, &tightened, &err) != SL_OK)
        sl_log(site->host->options.log, SL_LOG_WARNING, "%s", err.message);
    if (tightened > 0)
        sl_log(site->host->options.log, SL_LOG_WARNING,
               "%s: others on this machine could read %zu file%s: now only the owner can",
               site->study->folder, tightened, sl_text_plural(tightened, "", "s or folders"));
}

/* Opens the store for the study's one server, and finishes what a purge or an edit of study.json
 * left to do. */
static enum sl_status open_store(struct sl_site *site, struct sl_error *err)
{
    struct sl_store_options options = sl_store_options_default();
    size_t purged = 0;
    options.serve = true;
    make_private(site); /* first: logs inherit the database's permissions */
    SL_TRY(sl_study_open(site->study, &options, &site->store, err));
    SL_TRY(sl_purged_apply(site->study->folder, site->store, sl_site_now(site), &purged, err));
    if (purged > 0)
        sl_log(site->host->options.log, SL_LOG_WARNING,
               "removed %zu session%s of people who had been purged before", purged,
               sl_text_plural(purged, "", "s"));
    SL_TRY(sl_identity_pictures(site->study, site->store, true, err));
    return sl_identity_bind(site->study, site->store, err);
}

/* Findings of one kind that go to the log. */
enum { SHOWN = 5 };

static void log_findings(const struct sl_host *host, const struct sl_findings *findings,
                         const struct sl_finding *but)
{
    const struct sl_log *log = host->options.log;
    for (size_t i = 0; i < findings->count; i++) {
        const struct sl_finding *one = &findings->list[i];
        if (one == but || one->nth > SHOWN) continue;
        char *text = sl_finding_text(one);
        const bool stops = one->level == SL_FINDING_ERROR && !host->options.rehearse;
        if (one->nth < SHOWN)
            sl_log(log, stops ? SL_LOG_ERROR : SL_LOG_WARNING, "%s", text);
        else
            sl_log(log, SL_LOG_WARNING, "%s: %zu more like this", one->check,
                   sl_findings_left_out(findings, i, SHOWN));
        free(text);
    }
}

/* Whether the study may be served: an error stops it, a warning is logged. A rehearsal only logs
 * both. */
static enum sl_status judge(const struct sl_site *site, const struct sl_findings *findings,
                            struct sl_error *err)
{
    const struct sl_host *host = site->host;
    const struct sl_finding *first = findings->list;
    if (findings->n_errors == 0 || host->options.rehearse) {
        log_findings(host, findings, NULL);
        return SL_OK;
    }
    while (first->level != SL_FINDING_ERROR)
        first++;
    log_findings(host, findings, first);
    char *text = sl_finding_text(first);
    enum sl_status status = sl_fail(
        err, SL_ERR_INPUT, "%s (until then --rehearse serves the study to its test link)", text);
    free(text);
    return status;
}

static enum sl_status inspect(const struct sl_site *site, struct sl_error *err)
{
    struct sl_study_inspection how = {.now = sl_site_now(site)};
    struct sl_findings findings = {0};
    bool answered = false;
    SL_TRY(sl_store_has_answers(site->store, NULL, NULL, &answered, err));
    how.pictures = !answered;
    SL_TRY(sl_study_inspect(site->study, site->store, &how, &findings, err));
    enum sl_status status = judge(site, &findings, err);
    sl_findings_release(&findings);
    return status;
}

static enum sl_status load(struct sl_site *site, const char *folder, struct sl_error *err)
{
    const struct sl_study *study = NULL;
    SL_TRY(sl_secret_init(err));
    SL_TRY(sl_study_read(folder, &site->study, err));
    study = site->study;
    if (site->host->options.database) {
        SL_TRY(sl_store_check_url("--database", site->host->options.database, err));
        sl_study_set_text(&site->study->database, site->host->options.database);
    }
    SL_TRY(open_store(site, err));
    SL_TRY(set_target(site, err));
    SL_TRY(sl_links_read(site->store, &site->links, err));
    SL_TRY(sl_words_read(study, &site->words, err));
    SL_TRY(sl_texts_read(study, &site->words, site->store, &site->texts, err));
    SL_TRY(sl_media_read(study, &site->media, err));
    SL_TRY(sl_stimuli_add_cards(study, site->store, err));
    SL_TRY(sl_stimuli_read(site->store, &site->stimuli, err));
    SL_TRY(inspect(site, err));
    /* Every picture in its page size, followed by every picture enlarged. */
    sl_images_init(&site->images, 2 * site->stimuli.count);
    site->flow = flow_of(study, &site->texts);
    sl_secret_random(site->limits->key, sizeof site->limits->key);
    return SL_OK;
}

static enum sl_status make_admin(struct sl_site *site, struct sl_error *err)
{
    struct sl_host *host = site->host;
    const struct sl_study_admin_options options = {.site = site,
                                                   .study = site->study,
                                                   .store = site->store,
                                                   .prefix = site->prefix,
                                                   .loop = host->loop,
                                                   .behind_proxy = host->options.behind_proxy,
                                                   .now = host->options.now,
                                                   .clock_context = host->options.clock_context,
                                                   .log = host->options.log};
    return sl_study_admin_create(&options, &site->admin, err);
}

static enum sl_status make_asker(struct sl_site *site, struct sl_error *err)
{
    const struct sl_study_serve *host = &site->host->options;
    const struct sl_asker_options options = {.study = site->study,
                                             .loop = site->host->loop,
                                             .now = host->now,
                                             .clock_context = host->clock_context,
                                             .log = host->log};
    if (site->study->assignment == SL_ASSIGN_FIXED) return SL_OK;
    return sl_asker_create(&options, &site->asker, err);
}

char *sl_site_address(const struct sl_site *site)
{
    const struct sl_study_serve *options = &site->host->options;
    if (options->hosts && *options->hosts)
        return sl_string_printf("https://%s%s", *options->hosts, site->prefix);
    if (options->behind_proxy) return NULL;
    const bool any = strcmp(options->address, "0.0.0.0") == 0;
    return sl_string_printf("http://%s:%d%s", any ? "127.0.0.1" : options->address,
                            (int)site->host->port, site->prefix);
}

enum sl_status sl_site_open(struct sl_host *host, const char *folder, const char *prefix,
                            struct sl_site **out, struct sl_error *err)
{
    struct sl_site *site = sl_alloc(1, sizeof *site);
    site->host = host;
    site->prefix = sl_string_copy(prefix);
    site->limits = sl_alloc(1, sizeof *site->limits);
    site->last = &site->first;
    enum sl_status status = load(site, folder, err);
    if (status == SL_OK) status = make_admin(site, err);
    if (status == SL_OK) status = make_asker(site, err);
    if (status != SL_OK) {
        sl_site_close(site);
        return status;
    }
    site->parked = sl_parked_create(site);
    site->gathered = sl_gathered_create(site);
    sl_http_every(host->loop, EXPIRY_SECONDS, expire, site);
    *out = site;
    return SL_OK;
}

void sl_site_close(struct sl_site *site)
{
    if (!site) return;
    sl_study_admin_destroy(site->admin);
    sl_asker_destroy(site->asker);
    sl_images_release(&site->images);
    sl_media_release(&site->media);
    sl_stimuli_release(&site->stimuli);
    sl_texts_release(&site->texts);
    sl_words_release(&site->words);
    sl_store_close(site->store);
    sl_study_destroy(site->study);
    sl_parked_destroy(site->parked);
    sl_gathered_destroy(site->gathered);
    free(site->limits);
    free(site->prefix);
    free(site);
}
