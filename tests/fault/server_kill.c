/* kill -9 of the server while simulated annotators work, and a restart on the same port: every
 * acknowledged answer is stored once, and every annotator finishes.
 *   server_kill [--kills N] [--annotators N] [--seed N] [--adaptive 1] [--postgresql 1]
 * With --adaptive items are chosen on arrival, and every decision must follow from the answers.
 * With
 * --postgresql the study is in a database of PostgreSQL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chance.h"
#include "load.h"
#include "server_process.h"
#include "shared.h"
#include "softlab/base.h"
#include "softlab/study.h"

enum { SECONDS_AT_MOST = 900, BATCH = 6, MOST_ANSWERS = 60 };

/* Kills come while answers do: after a random number of them since the last start. */
static bool kill_and_start(struct server_process *server, struct load *load, int64_t kills,
                           uint64_t chance)
{
    for (int64_t i = 0; i < kills; i++) {
        uint16_t port = server->port;
        load_wait(load, 1 + chance_below(&chance, MOST_ANSWERS));
        server_process_kill(server);
        if (!server_process_start(server, SOFTLAB_PROGRAM, load->folder, port)) return false;
    }
    return true;
}

static enum sl_status make_adaptive(const char *folder, struct sl_error *err)
{
    struct sl_json config = {0};
    char *path = sl_path_join(folder, "study.json");
    enum sl_status status = sl_json_read(path, 1 << 20, &config, err);
    if (status == SL_OK) {
        json_object_set_new(config.root, "assignment", json_string("adaptive"));
        /* Items are never closed: however many kills there are, nobody comes too late. */
        json_object_set_new(config.root, "adaptive", json_pack("{s:i}", "stop", 0));
        status = sl_json_write(config.root, path, err);
    }
    sl_json_release(&config);
    free(path);
    return status;
}

/* The servers that decided, by the words before the numbers of their boards. */
static enum sl_status note_server(const struct sl_store_row *row, void *context)
{
    struct sl_json body = {0};
    uint32_t number = 0;
    if (row->session || strcmp(row->kind, "board") != 0) return SL_OK;
    SL_TRY(sl_json_parse(row->body, strlen(row->body), row->kind, 1, &body, NULL));
    const char *name = json_string_value(json_object_get(body.root, "board"));
    const enum sl_status status =
        sl_name_table_add(context, name, strcspn(name, "-"), &number, NULL);
    sl_json_release(&body);
    return status;
}

static size_t count_servers(struct sl_store *store)
{
    struct sl_name_table *names = sl_name_table_create();
    const enum sl_status status = sl_store_each_event(store, note_server, names, NULL);
    const size_t count = status == SL_OK ? sl_name_table_count(names) : 0;
    sl_name_table_destroy(names);
    return count;
}

/* Whether every decision follows from the answers, also those made before a kill. */
static bool audit(const char *folder)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_study_audit result = {0};
    struct sl_error err;
    size_t n_servers = 0;
    enum sl_status status = sl_study_read(folder, &study, &err);
    if (status == SL_OK) status = sl_study_store(study, true, &store, &err);
    if (status == SL_OK) status = sl_study_audit(study, store, &result, &err);
    if (status == SL_OK) n_servers = count_servers(store);
    sl_store_close(store);
    sl_study_destroy(study);
    if (status != SL_OK || *result.wrong)
        fprintf(stderr, "%s\n", status == SL_OK ? result.wrong : err.message);
    printf("%zu decisions on %zu boards of %zu servers, %zu unknown\n", result.n_decisions,
           result.n_boards, n_servers, result.n_unknown);
    return status == SL_OK && !*result.wrong && result.n_unknown == 0 && n_servers > 1;
}

/* `database`: NULL for a study in a file. */
static bool run(const char *folder, int64_t kills, bool adaptive, struct postgres_process *database,
                struct load *load)
{
    struct server_process server;
    struct books_report report;
    struct sl_error err;
    char url[64];
    if (make_study(folder, "collins,bars,hard", BATCH, 100000, &err) != SL_OK ||
        (adaptive && make_adaptive(folder, &err) != SL_OK)) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    if (database && !share_study(folder, database)) return false;
    if (!server_process_start(&server, SOFTLAB_PROGRAM, folder, 0)) return false;
    snprintf(url, sizeof url, "%s", server.url);
    load->url = url;
    load->folder = folder;
    const uint64_t seed = (uint64_t)load->seed; /* the annotators continue meanwhile */
    if (!load_start(load)) return false;
    bool started = kill_and_start(&server, load, kills, seed);
    const bool finished = load_finish(load);
    bool stopped = server_process_stop(&server);
    if (books_check(load->books, folder, &report, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    printf("%lld kills: ", (long long)kills);
    load_print(load);
    books_print(&report);
    return started && stopped && finished && books_are_right(&report) &&
           report.sent == report.acknowledged && (!adaptive || audit(folder));
}

struct words {
    int64_t kills, seed, annotators, adaptive, postgresql;
};

static bool read_words(int argc, char **argv, struct words *out)
{
    const struct {
        const char *name;
        int64_t *value;
    } options[] = {{"--kills", &out->kills},
                   {"--annotators", &out->annotators},
                   {"--seed", &out->seed},
                   {"--adaptive", &out->adaptive},
                   {"--postgresql", &out->postgresql}};
    enum { COUNT = sizeof options / sizeof *options };
    for (int i = 1; i + 1 < argc; i += 2) {
        size_t k = 0;
        while (k < COUNT && strcmp(argv[i], options[k].name) != 0)
            k++;
        if (k == COUNT || !sl_text_to_integer(argv[i + 1], strlen(argv[i + 1]), options[k].value))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct words words = {.kills = 3, .seed = 1, .annotators = 20};
    struct postgres_process database = {0};
    char folder[64];
    if (!read_words(argc, argv, &words)) return 2;
    const int missing = words.postgresql ? postgres_process_missing() : 0;
    if (missing) return missing;
    alarm(SECONDS_AT_MOST);
    snprintf(folder, sizeof folder, "server-kill-%ld", (long)getpid());
    /* People arrive one after another, so that there are decisions after a kill too. */
    struct load load = {.annotators = words.annotators,
                        .at_once = words.adaptive ? 4 : 0,
                        .seed = words.seed,
                        .books = books_create()};
    const bool good =
        run(folder, words.kills, words.adaptive != 0, words.postgresql ? &database : NULL, &load);
    postgres_process_remove(&database);
    books_destroy(load.books);
    if (good) remove_folder(folder);
    return good ? 0 : 1;
}
