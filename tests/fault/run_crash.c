/* softlab run when its child processes are killed or memory is short. A training that a signal
 * ended resumes from its checkpoint and gives the same result. A training that always dies is
 * reported as a failure, and the other runs finish. A job that does not fit into memory waits; one
 * that never fits is refused with the memory it needs and the memory there is. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

enum { WAIT_MS = 10, LONGEST_WAITS = 6000 };

static const char people[] =
    "\"tests\":{\"people\":{\"data\":\"shapes:n=48,size=16\",\"labels\":\"people\","
    "\"metrics\":[\"accuracy\",\"cross_entropy\"]}}";
static const char hard[] = "\"hard\":{\"labels\":null}";
static const char soft[] =
    "\"soft\":{\"labels\":[\"labels\",\"answers.jsonl\",\"--method\",\"share\"]}";

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

/* The log of the only training that a folder has, or "". */
static char *training_log(const char *folder)
{
    char *runs = sl_path_join(folder, "runs"), **names = NULL, *log = NULL;
    size_t count = 0;
    if (sl_folder_exists(runs) && sl_folder_list(runs, &names, &count, NULL) == SL_OK &&
        count > 0) {
        char *path = sl_string_printf("%s/%s/log.jsonl", runs, names[0]);
        log = runs_read(path);
        free(path);
    }
    if (names) sl_names_destroy(names);
    free(runs);
    return log ? log : sl_string_copy("");
}

/* Wait for a child other than `last` with these words; -1 if the runner ends first. */
static pid_t next_child(pid_t runner, const char *const *words, pid_t last)
{
    for (int i = 0; i < LONGEST_WAITS; i++) {
        const pid_t child = runs_child(runner, words);
        if (child > 0 && child != last) return child;
        if (runs_ended(runner)) return -1;
        runs_rest(WAIT_MS);
    }
    return -1;
}

static void await_epochs(const char *folder, size_t n_epochs)
{
    for (int i = 0; i < LONGEST_WAITS; i++) {
        char *log = training_log(folder);
        const bool enough = count_lines(log) >= n_epochs;
        free(log);
        if (enough) return;
        runs_rest(WAIT_MS);
    }
}

/* Whether a log of the folder has both words. */
static bool any_log_has(const char *folder, const char *first, const char *second)
{
    char *logs = sl_path_join(folder, "logs"), **names = NULL;
    size_t count = 0;
    bool found = false;
    if (sl_folder_exists(logs) && sl_folder_list(logs, &names, &count, NULL) == SL_OK)
        for (size_t i = 0; i < count && !found; i++) {
            char *path = sl_path_join(logs, names[i]), *text = runs_read(path);
            found = strstr(text, first) && strstr(text, second);
            free(path);
            free(text);
        }
    if (names) sl_names_destroy(names);
    free(logs);
    return found;
}

static void go_on_from_the_checkpoint(void)
{
    static const char *const train[] = {"train", NULL};
    const char *const words[] = {"run", "steady.json", "-o", "hurt", "-j", "1", NULL};
    char *others = sl_string_printf("%s,\"settings\":{\"epochs\":40,\"batch\":8}", people);
    runs_write_spec("steady.json", "test/steady", hard, others);
    runs_check(runs_make("steady.json", "steady", "1/1") == 0, "an undisturbed run ends well");
    const pid_t runner = runs_start(words);
    await_epochs("hurt", 3);
    char *before = training_log("hurt");
    const pid_t first = runs_child(runner, train);
    runs_check(first > 0 && kill(first, SIGTERM) == 0, "a training is asked to end");
    /* A checkpoint exists, and the next one is not due yet. */
    const pid_t second = next_child(runner, train, first);
    runs_check(second > 0 && kill(second, SIGKILL) == 0, "it is started again, and killed");
    runs_check(runs_finish(runner) == 0, "a run whose process was ended twice ends well");
    char *after = training_log("hurt"), *said = runs_read("run.log");
    runs_check(count_lines(before) >= 3 && strncmp(before, after, strlen(before)) == 0,
               "epochs before the checkpoint were not made again, to the digits of their seconds");
    runs_check(count_of(said, "retried") == 2, "both retries are said");
    json_t *calm = runs_results("steady", true), *hurt = runs_results("hurt", true);
    runs_check(json_array_size(calm) == 1 && json_equal(calm, hurt),
               "the result is that of an undisturbed run");
    json_decref(calm);
    json_decref(hurt);
    free(before);
    free(after);
    free(said);
    free(others);
}

static void give_up_after_three_tries(void)
{
    static const char *const train[] = {"train", "--rest", NULL};
    const char *const words[] = {"run", "doomed.json", "-o", "doomed", "-j", "1", NULL};
    char *sets = sl_string_printf("%s,%s", soft, hard);
    char *others = sl_string_printf("%s,\"settings\":{\"epochs\":40,\"batch\":8}", people);
    runs_write_spec("doomed.json", "test/doomed", sets, others);
    const pid_t runner = runs_start(words);
    size_t kills = 0;
    pid_t child = -1;
    /* The training on hard labels may run first; its epochs are not waited for. */
    for (int i = 0; i < LONGEST_WAITS; i++) {
        if (any_log_has("doomed", "48 of them with soft labels", "epoch 1/40")) break;
        runs_rest(WAIT_MS);
    }
    /* Only trainings on soft labels have the option --rest. */
    while (kills < 3 && (child = next_child(runner, train, child)) > 0)
        kills += kill(child, SIGKILL) == 0;
    runs_check(runs_finish(runner) == 1, "a failed run is said");
    runs_check(kills == 3, "it is tried three times");
    char *failed = runs_read("doomed/failures.jsonl");
    runs_check(count_lines(failed) == 1 && strstr(failed, "\"set\":\"soft\""),
               "failures.jsonl has the run");
    runs_check(strstr(failed, "killed by signal 9, tried 3 times") && strstr(failed, "epoch 1/40"),
               "and how it ended, and its log");
    json_t *lines = runs_results("doomed", true);
    json_t *other = runs_with(lines, "set", "hard");
    runs_check(json_array_size(lines) == 1 && json_array_size(other) == 1, "the other was made");
    runs_check(runs_make("doomed.json", "doomed", "1/1") == 0, "the same command makes it good");
    char *mended = runs_read("doomed/failures.jsonl");
    runs_check(*mended == '\0', "and it is no failure any more");
    json_decref(other);
    json_decref(lines);
    free(failed);
    free(mended);
    free(sets);
    free(others);
}

/* Two jobs of small networks fit beside each other, the large one only alone. */
#define SMALL "resnet:n=1,width=4"
#define LARGE "mlp:hidden=8000"

static void await_results(const char *folder, pid_t runner, size_t n_lines)
{
    for (int i = 0; i < LONGEST_WAITS && !runs_ended(runner); i++) {
        json_t *lines = runs_results(folder, true);
        const bool enough = json_array_size(lines) >= n_lines;
        json_decref(lines);
        if (enough) return;
        runs_rest(WAIT_MS);
    }
}

static void wait_for_memory(void)
{
    const char *const words[] = {"run", "sizes.json", "-o",  "sizes", "-j",
                                 "2",   "--memory",   "900", NULL};
    static const char *const first[] = {"train", SMALL, "1", NULL};
    static const char *const large[] = {"train", LARGE, NULL};
    char *others = sl_string_printf("%s,\"networks\":[\"" SMALL "\",\"" LARGE "\"],"
                                    "\"seeds\":[1,2],\"settings\":{\"epochs\":1,\"batch\":16,"
                                    "\"crop\":0,\"flip\":false}",
                                    people);
    runs_write_spec("sizes.json", "test/sizes", hard, others);
    const pid_t runner = runs_start(words);
    const pid_t held = next_child(runner, first, -1);
    runs_check(held > 0 && kill(held, SIGSTOP) == 0, "a small training takes its time");
    await_results("sizes", runner, 1);
    runs_rest(20 * WAIT_MS);
    json_t *lines = runs_results("sizes", true);
    runs_check(json_array_size(lines) == 1, "another is made beside it");
    runs_check(runs_child(runner, large) < 0, "the large ones wait, though a process is free");
    kill(held, SIGCONT);
    runs_check(runs_finish(runner) == 0, "all are made in the end");
    json_t *all = runs_results("sizes", true);
    runs_check(json_array_size(all) == 4, "the large ones too");
    char *said = runs_read("run.log");
    runs_check(strstr(said, "waits    training hard, " LARGE ", seed 1: not enough memory now"),
               "that one waits is said");
    json_decref(lines);
    json_decref(all);
    free(said);
    free(others);
}

static void refuse_what_never_fits(void)
{
    const char *const words[] = {"run", "sizes.json", "-o",  "tight", "-j",
                                 "2",   "--memory",   "500", NULL};
    runs_check(runs_program(words) == 1, "what never fits is said");
    char *failed = runs_read("tight/failures.jsonl");
    runs_check(count_lines(failed) == 2 && count_of(failed, LARGE) >= 2 &&
                   count_of(failed, "it needs about 5") == 2 &&
                   count_of(failed, "of memory, but only 500 MB may be used (--memory)") == 2,
               "with what it needs and what there is");
    json_t *lines = runs_results("tight", true);
    runs_check(json_array_size(lines) == 2, "the small ones are made");
    json_decref(lines);
    free(failed);
}

int main(void)
{
    runs_enter("run-crash");
    runs_write_answers();
    go_on_from_the_checkpoint();
    give_up_after_three_tries();
    wait_for_memory();
    refuse_what_never_fits();
    return runs_leave();
}
