/* Many annotators at once against the real server: nothing is lost, nothing is doubled.
 *   server_load [--annotators N] [--trials N] [--seed N] [--postgresql 1]
 * long: --annotators 500 --trials 38. With --postgresql the study is in a database of PostgreSQL.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "books.h"
#include "server_process.h"
#include "shared.h"
#include "softlab/base.h"

enum { SECONDS_AT_MOST = 900 };

static bool report_errors(const struct sl_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    return false;
}

/* `database`: NULL for a study in a file. */
static bool run(const char *folder, size_t annotators, size_t trials, uint64_t seed,
                struct postgres_process *database)
{
    struct server_process server;
    struct sl_study_simulation options = sl_study_simulation_default();
    struct sl_simulation_result result;
    struct books_report report;
    struct sl_error err;
    if (make_study(folder, "collins,collins+,possible,bars,fast,hard,select2", trials, annotators,
                   &err) != SL_OK)
        return report_errors(&err);
    if (database && !share_study(folder, database)) return false;
    if (!server_process_start(&server, SOFTLAB_PROGRAM, folder, 0)) return false;
    struct books *books = books_create();
    options.url = server.url;
    options.count = true;
    options.folder = folder;
    options.annotators = options.at_once = annotators;
    options.speed = 0;
    options.patience = 120;
    options.seed = seed;
    options.saved = books_note;
    options.context = books;
    bool good = sl_study_simulate(&options, &result, &err) == SL_OK;
    double megabytes = server_process_megabytes(&server);
    good = server_process_stop(&server) && good;
    if (good) good = books_check(books, folder, &report, &err) == SL_OK;
    books_destroy(books);
    if (!good) return report_errors(&err);
    printf("%zu annotators at once: %zu finished, %zu refused, %zu lost, %zu retries; %.0f s, %.0f "
           "answers/s, a save %.0f ms median, %.0f ms p99; server at most %.0f MB\n",
           annotators, result.finished, result.refused, result.lost, result.retries, result.seconds,
           (double)result.answers / result.seconds, result.p50_ms, result.p99_ms, megabytes);
    books_print(&report);
    /* Practice, trials and two repeats of everybody. */
    return books_are_right(&report) && result.finished == annotators &&
           report.stored == annotators * (trials + 3);
}

int main(int argc, char **argv)
{
    int64_t annotators = 40, trials = 5, seed = 1, postgresql = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        int64_t *option = strcmp(argv[i], "--annotators") == 0   ? &annotators
                          : strcmp(argv[i], "--trials") == 0     ? &trials
                          : strcmp(argv[i], "--seed") == 0       ? &seed
                          : strcmp(argv[i], "--postgresql") == 0 ? &postgresql
                                                                 : NULL;
        if (!option || !sl_text_to_integer(argv[i + 1], strlen(argv[i + 1]), option)) return 2;
    }
    const int missing = postgresql ? postgres_process_missing() : 0;
    if (missing) return missing;
    alarm(SECONDS_AT_MOST);
    struct postgres_process database = {0};
    char folder[64];
    snprintf(folder, sizeof folder, "server-load-%ld", (long)getpid());
    bool good = run(folder, (size_t)annotators, (size_t)trials, (uint64_t)seed,
                    postgresql ? &database : NULL);
    postgres_process_remove(&database);
    if (good) remove_folder(folder);
    return good ? 0 : 1;
}
