/* softlab run killed with -9 at random moments. It ends with the results of an undisturbed run
 * except for times, and never repeats a finished job. Also: a run that fails, experiments that
 * share runs, shards, and a second runner in the folder.
 *   run_kill [--kills N] [--seed N] */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chance.h"
#include "runs.h"

/* A part that is tested whole, one of folds, and a figure. */
static void write_spec(const char *path, const char *name, const char *sets)
{
    char *others = sl_string_printf(
        "\"parts\":{\"whole\":{\"tests\":{\"people\":{\"data\":\"shapes:n=%d,size=16\","
        "\"labels\":\"people\",\"metrics\":[\"accuracy\",\"cross_entropy\",\"fgsm_loss\"]}}},"
        "\"folds\":{\"folds\":3,\"run_folds\":[0,2],\"tests\":{\"held\":{\"data\":"
        "\"shapes:n=%d,size=16\",\"split\":\"fold\",\"labels\":\"people\","
        "\"metrics\":[\"cross_entropy\"]}}}},"
        "\"compute\":{\"answers/items\":{\"command\":[\"quality\",\"answers.jsonl\",\"--json\"],"
        "\"path\":\"$.items\"}}",
        RUNS_ITEMS, RUNS_ITEMS);
    runs_write_spec(path, name, sets, others);
    free(others);
}

static pid_t start(const char *spec, const char *output)
{
    const char *const words[] = {"run", spec, "-o", output, "-j", "2", NULL};
    return runs_start(words);
}

/* ---- What is tested ---- */

static void kill_it(const char *spec, int64_t kills, uint64_t *chance, unsigned longest_ms)
{
    json_t *before = json_array();
    size_t killed = 0;
    for (int64_t i = 0; i < kills; i++) {
        const pid_t pid = start(spec, "disturbed");
        runs_rest(1 + chance_below(chance, longest_ms));
        kill(pid, SIGKILL);
        killed += runs_finish(pid) < 0;
        json_t *now = runs_results("disturbed", false);
        runs_check(runs_all_in(before, now),
                   "what was finished before a kill is there after it, unchanged");
        json_decref(before);
        before = now;
    }
    runs_check(runs_make(spec, "disturbed", "1/1") == 0, "after the kills the rest is made");
    json_t *after = runs_results("disturbed", false);
    runs_check(runs_all_in(before, after), "no finished run was made again");
    printf("%zu of %lld kills met it at work\n", killed, (long long)kills);
    json_decref(before);
    json_decref(after);
}

static void compare_with_undisturbed(void)
{
    json_t *calm = runs_results("calm", true), *disturbed = runs_results("disturbed", true);
    runs_check(json_array_size(calm) > 0, "there are results");
    runs_check(
        json_equal(calm, disturbed),
        "results of a disturbed and an undisturbed run are the same but for time, in one order");
    json_decref(calm);
    json_decref(disturbed);
}

static void share_runs(void)
{
    write_spec("other.json", "test/other",
               "\"plain\":{\"labels\":null},\"third\":{\"labels\":[\"labels\",\"answers.jsonl\","
               "\"--method\",\"mv\",\"--tie\",\"first\"]}");
    json_t *before = runs_results("calm", false);
    runs_check(runs_make("other.json", "calm", "1/1") == 0,
               "a second experiment runs in the same folder");
    json_t *after = runs_results("calm", false);
    runs_check(runs_all_in(before, after), "runs that two experiments share are made once");
    /* a set of two parts, the second of which has a line for each of its two folds */
    runs_check(json_array_size(after) == json_array_size(before) + 3,
               "and only the others are added");
    json_decref(before);
    json_decref(after);
}

static void fail_one(void)
{
    write_spec("failing.json", "test/failing",
               "\"bad\":{\"labels\":[\"labels\",\"answers.jsonl\",\"--method\",\"nonesuch\"]},"
               "\"hard\":{\"labels\":null}");
    runs_check(runs_make("failing.json", "failing", "1/1") == 1, "a failed run is said");
    char *failed = runs_read("failing/failures.jsonl");
    runs_check(strstr(failed, "\"set\":\"bad\"") && strstr(failed, "nonesuch"),
               "failures.jsonl has the run and its log");
    runs_check(!strstr(failed, "\"set\":\"hard\""), "and no other");
    json_t *lines = runs_results("failing", true);
    runs_check(json_array_size(lines) == 4,
               "the others were made: a part, two folds of another and the figures");
    free(failed);
    json_decref(lines);
}

static void shard(const char *spec)
{
    runs_check(runs_make(spec, "shard1", "1/2") == 0 && runs_make(spec, "shard2", "2/2") == 0,
               "shards are made");
    char *first = runs_read("shard1/results.jsonl"), *second = runs_read("shard2/results.jsonl");
    char *both = sl_string_printf("%s%s", first, second);
    runs_check(*first && *second, "each has something to do");
    mkdir("merged", 0777);
    runs_write("merged/results.jsonl", both);
    runs_check(runs_make(spec, "merged", "1/1") == 0,
               "results joined by concatenation are complete");
    json_t *merged = runs_results("merged", true), *calm = runs_results("disturbed", true);
    runs_check(json_equal(merged, calm), "and the same as those of one machine");
    json_decref(merged);
    json_decref(calm);
    free(first);
    free(second);
    free(both);
}

/* The seconds of all epochs of all trainings, from their logs. */
static double epochs_seconds(const char *output)
{
    char *folder = sl_path_join(output, "runs"), **names = NULL;
    size_t count = 0;
    double seconds = 0;
    struct sl_error err;
    runs_check(sl_folder_list(folder, &names, &count, &err) == SL_OK, "there are trainings");
    for (size_t i = 0; i < count; i++) {
        char *path = sl_string_printf("%s/%s/log.jsonl", folder, names[i]), *text = runs_read(path);
        for (const char *at = text; (at = strstr(at, "\"seconds\":")); at++)
            seconds += strtod(strchr(at, ':') + 1, NULL);
        free(path);
        free(text);
    }
    sl_names_destroy(names);
    free(folder);
    return seconds;
}

/* Two folds of two tests each have a training of their own, which counts once. */
static void count_times(void)
{
    runs_write_spec("timed.json", "test/timed", "\"hard\":{\"labels\":null}",
                    "\"settings\":{\"epochs\":150,\"batch\":16},\"folds\":2,\"tests\":{"
                    "\"held\":{\"data\":\"shapes:n=48,size=16\",\"split\":\"fold\","
                    "\"labels\":\"hard\",\"metrics\":[\"cross_entropy\"]},"
                    "\"people\":{\"data\":\"shapes:n=48,size=16\",\"split\":\"fold\","
                    "\"labels\":\"people\",\"metrics\":[\"cross_entropy\"]}}");
    const double begun = sl_clock_seconds(), n_processes = 2;
    runs_check(runs_make("timed.json", "timed", "1/1") == 0, "folds are made");
    const double took = sl_clock_seconds() - begun;
    json_t *lines = runs_results("timed", false);
    double seconds = 0;
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *time = json_object_get(json_array_get(lines, i), "time");
        seconds += json_number_value(json_object_get(time, "seconds"));
    }
    runs_check(json_array_size(lines) == 2, "and each is scored by itself");
    runs_check(seconds >= epochs_seconds("timed"), "the time has all trainings");
    runs_check(seconds <= n_processes * took, "and no more than there was");
    json_decref(lines);
}

static void refuse_second(const char *spec)
{
    const pid_t pid = start(spec, "busy");
    while (access("busy/lock", F_OK) != 0)
        runs_rest(10);
    runs_rest(10);
    kill(pid, SIGSTOP); /* alive, and in no hurry */
    runs_check(runs_make(spec, "busy", "1/1") == 2, "a second runner in the folder is refused");
    kill(pid, SIGCONT);
    runs_check(runs_finish(pid) == 0, "the first is not disturbed");
}

int main(int argc, char **argv)
{
    int64_t kills = 3, seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        int64_t *option = strcmp(argv[i], "--kills") == 0  ? &kills
                          : strcmp(argv[i], "--seed") == 0 ? &seed
                                                           : NULL;
        if (!option || !sl_text_to_integer(argv[i + 1], strlen(argv[i + 1]), option)) return 2;
    }
    runs_enter("run-kill");
    uint64_t chance = (uint64_t)seed;
    runs_write_answers();
    write_spec("spec.json", "test/small",
               "\"hard\":{\"labels\":null},\"soft\":{\"labels\":[\"labels\",\"answers.jsonl\","
               "\"--method\",\"share\",\"--per-annotator\"],\"rest\":\"hard\",\"count\":30,"
               "\"draw\":\"annotator\"}");
    const double begun = sl_clock_seconds();
    runs_check(runs_make("spec.json", "calm", "1/1") == 0, "an undisturbed run ends well");
    const double took = sl_clock_seconds() - begun;
    /* The kills leave the runs about three quarters of the time they need. */
    kill_it("spec.json", kills, &chance, (unsigned)(took * 1500 / (double)kills) + 1);
    compare_with_undisturbed();
    share_runs();
    fail_one();
    shard("spec.json");
    count_times();
    refuse_second("spec.json");
    return runs_leave();
}
