/* softlab run killed with -9 at random moments: it ends with the results of an undisturbed one but
 * for their times, and nothing that was finished is made twice. Then what else may happen to it: a
 * run that fails, experiments that share runs, shards, a second runner in the folder.
 *   run_kill [--kills N] [--seed N] */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "chance.h"
#include "softlab/base.h"

enum { ITEMS = 48, TEXT_LIMIT = 1 << 24 };

static int failures;

static void check(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "not so: %s\n", what);
    failures++;
}

/* ---- Files ---- */

static void write_text(const char *path, const char *text)
{
    struct sl_error err;
    if (sl_file_write(path, text, strlen(text), &err) == SL_OK) return;
    fprintf(stderr, "%s\n", err.message);
    exit(1);
}

static char *read_text(const char *path)
{
    struct sl_buffer text;
    sl_buffer_init(&text, TEXT_LIMIT);
    if (sl_file_read(path, &text, NULL) != SL_OK || text.length == 0) {
        sl_buffer_release(&text);
        return sl_string_copy("");
    }
    return text.data;
}

static void write_answers(void)
{
    static const char *const classes[] = {"circle", "square", "triangle", "star", "heart", "cross"};
    struct sl_buffer text;
    uint64_t chance = 7;
    sl_buffer_init(&text, TEXT_LIMIT);
    sl_buffer_text(&text, "item,annotator,label\n");
    for (int item = 1; item <= ITEMS; item++)
        for (int annotator = 0; annotator < 3; annotator++)
            sl_buffer_printf(&text, "shapes-%06d,a%d,%s\n", item, annotator,
                             classes[chance_below(&chance, 6)]);
    write_text("answers.csv", text.data);
    sl_buffer_release(&text);
}

/* A table of a tiny network on drawn shapes; `sets` are members of its object of sets. */
static void write_spec(const char *path, const char *name, const char *sets)
{
    char here[512];
    if (!getcwd(here, sizeof here)) exit(1);
    struct sl_buffer text;
    sl_buffer_init(&text, TEXT_LIMIT);
    sl_buffer_printf(
        &text,
        "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"%s\",\"title\":\"A small table\","
        "\"needs\":[\"train\",\"labels\"],"
        "\"files\":{\"answers.jsonl\":[\"import\",\"--from\",\"long-csv\",\"%s/answers.csv\"]},"
        "\"sets\":{%s},"
        "\"references\":{\"people\":{\"labels\":[\"labels\",\"answers.jsonl\",\"--method\","
        "\"share\"]}},"
        "\"networks\":[\"resnet:n=1,width=4\"],\"recipe\":\"quick\","
        "\"settings\":{\"epochs\":2,\"batch\":16},\"data\":\"shapes:n=%d,size=16\",\"seeds\":[1],"
        "\"parts\":{\"whole\":{\"tests\":{\"people\":{\"data\":\"shapes:n=%d,size=16\","
        "\"labels\":\"people\",\"metrics\":[\"accuracy\",\"cross_entropy\",\"fgsm_loss\"]}}},"
        "\"folds\":{\"folds\":3,\"run_folds\":[0,2],\"tests\":{\"held\":{\"data\":"
        "\"shapes:n=%d,size=16\",\"split\":\"fold\",\"labels\":\"people\","
        "\"metrics\":[\"cross_entropy\"]}}}},"
        "\"compute\":{\"answers/items\":{\"command\":[\"quality\",\"answers.jsonl\",\"--json\"],"
        "\"path\":\"$.items\"}},\"scales\":{\"quick\":{}}}\n",
        name, here, sets, ITEMS, ITEMS, ITEMS);
    write_text(path, text.data);
    sl_buffer_release(&text);
}

/* ---- The program ---- */

static pid_t start(const char *spec, const char *folder, const char *shard)
{
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const int log = open("run.log", O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (log < 0 || dup2(log, STDERR_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0) _exit(125);
    execl(SOFTLAB_PROGRAM, SOFTLAB_PROGRAM, "run", spec, "-o", folder, "-j", "2", "--shard", shard,
          (char *)NULL);
    _exit(125);
}

static int finish(pid_t pid)
{
    int how = 0;
    waitpid(pid, &how, 0);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static int run(const char *spec, const char *folder, const char *shard)
{
    return finish(start(spec, folder, shard));
}

/* ---- Results ---- */

/* The lines of a results file as objects; with `timeless` without their times. */
static json_t *results(const char *folder, bool timeless)
{
    char *path = sl_path_join(folder, "results.jsonl"), *text = read_text(path);
    json_t *lines = json_array();
    for (char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        json_t *json = json_loadb(line, length, 0, NULL);
        /* A line that is being written may be cut. */
        if (json && timeless) json_object_del(json, "time");
        if (json) json_array_append_new(lines, json);
        line += length + (line[length] == '\n');
    }
    free(path);
    free(text);
    return lines;
}

static const char *key_of(const json_t *line)
{
    const char *key = json_string_value(json_object_get(line, "key"));
    return key ? key : "";
}

static json_t *find(const json_t *lines, const char *key)
{
    for (size_t i = 0; i < json_array_size(lines); i++)
        if (strcmp(key_of(json_array_get(lines, i)), key) == 0) return json_array_get(lines, i);
    return NULL;
}

/* Every line of `some` is in `all`, to the byte: times too where they have them. */
static bool all_in(const json_t *some, const json_t *all)
{
    for (size_t i = 0; i < json_array_size(some); i++) {
        json_t *line = json_array_get(some, i);
        json_t *other = find(all, key_of(line));
        if (!other || !json_equal(line, other)) return false;
    }
    return true;
}

/* ---- What is tested ---- */

static void kill_it(const char *spec, int64_t kills, uint64_t *chance, unsigned longest_ms)
{
    json_t *before = json_array();
    size_t killed = 0;
    for (int64_t i = 0; i < kills; i++) {
        const pid_t pid = start(spec, "disturbed", "1/1");
        const unsigned ms = 1 + chance_below(chance, longest_ms);
        const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000L};
        nanosleep(&pause, NULL);
        kill(pid, SIGKILL);
        killed += finish(pid) < 0;
        json_t *now = results("disturbed", false);
        check(all_in(before, now), "what was finished before a kill is there after it, unchanged");
        json_decref(before);
        before = now;
    }
    check(run(spec, "disturbed", "1/1") == 0, "after the kills the rest is made");
    json_t *after = results("disturbed", false);
    check(all_in(before, after), "no finished run was made again");
    printf("%zu of %lld kills met it at work\n", killed, (long long)kills);
    json_decref(before);
    json_decref(after);
}

static void compare_with_undisturbed(void)
{
    json_t *calm = results("calm", true), *disturbed = results("disturbed", true);
    check(json_array_size(calm) > 0, "there are results");
    check(json_equal(calm, disturbed),
          "results of a disturbed and an undisturbed run are the same but for time, in one order");
    json_decref(calm);
    json_decref(disturbed);
}

static void share_runs(void)
{
    write_spec("other.json", "test/other",
               "\"plain\":{\"labels\":null},\"third\":{\"labels\":[\"labels\",\"answers.jsonl\","
               "\"--method\",\"mv\",\"--tie\",\"first\"]}");
    json_t *before = results("calm", false);
    check(run("other.json", "calm", "1/1") == 0, "a second experiment runs in the same folder");
    json_t *after = results("calm", false);
    check(all_in(before, after), "runs that two experiments share are made once");
    /* a set of two parts, the second of which has one line over all folds */
    check(json_array_size(after) == json_array_size(before) + 2, "and only the others are added");
    json_decref(before);
    json_decref(after);
}

static void fail_one(void)
{
    write_spec("failing.json", "test/failing",
               "\"bad\":{\"labels\":[\"labels\",\"answers.jsonl\",\"--method\",\"nonesuch\"]},"
               "\"hard\":{\"labels\":null}");
    check(run("failing.json", "failing", "1/1") == 1, "a failed run is said");
    char *failed = read_text("failing/failures.jsonl");
    check(strstr(failed, "\"set\":\"bad\"") && strstr(failed, "nonesuch"),
          "failures.jsonl has the run and its log");
    check(!strstr(failed, "\"set\":\"hard\""), "and no other");
    json_t *lines = results("failing", true);
    check(json_array_size(lines) == 3, "the others were made: two parts and the figures");
    free(failed);
    json_decref(lines);
}

static void shard(const char *spec)
{
    check(run(spec, "shard1", "1/2") == 0 && run(spec, "shard2", "2/2") == 0, "shards are made");
    char *first = read_text("shard1/results.jsonl"), *second = read_text("shard2/results.jsonl");
    char *both = sl_string_printf("%s%s", first, second);
    check(*first && *second, "each has something to do");
    mkdir("merged", 0777);
    write_text("merged/results.jsonl", both);
    check(run(spec, "merged", "1/1") == 0, "results joined by concatenation are complete");
    json_t *merged = results("merged", true), *calm = results("disturbed", true);
    check(json_equal(merged, calm), "and the same as those of one machine");
    json_decref(merged);
    json_decref(calm);
    free(first);
    free(second);
    free(both);
}

static void refuse_second(const char *spec)
{
    const pid_t pid = start(spec, "busy", "1/1");
    const struct timespec pause = {.tv_nsec = 10 * 1000000L};
    while (access("busy/lock", F_OK) != 0)
        nanosleep(&pause, NULL);
    nanosleep(&pause, NULL);
    kill(pid, SIGSTOP); /* alive, and in no hurry */
    check(run(spec, "busy", "1/1") == 2, "a second runner in the folder is refused");
    kill(pid, SIGCONT);
    check(finish(pid) == 0, "the first is not disturbed");
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
    char folder[64];
    snprintf(folder, sizeof folder, "run-kill-%ld", (long)getpid());
    if (mkdir(folder, 0777) != 0 || chdir(folder) != 0) return 1;
    uint64_t chance = (uint64_t)seed;
    write_answers();
    write_spec("spec.json", "test/small",
               "\"hard\":{\"labels\":null},\"soft\":{\"labels\":[\"labels\",\"answers.jsonl\","
               "\"--method\",\"share\",\"--per-annotator\"],\"rest\":\"hard\",\"count\":30,"
               "\"draw\":\"annotator\"}");
    const double begun = sl_clock_seconds();
    check(run("spec.json", "calm", "1/1") == 0, "an undisturbed run ends well");
    const double took = sl_clock_seconds() - begun;
    /* Together the kills leave about three quarters of the time that it takes. */
    kill_it("spec.json", kills, &chance, (unsigned)(took * 1500 / (double)kills) + 1);
    compare_with_undisturbed();
    share_runs();
    fail_one();
    shard("spec.json");
    refuse_second("spec.json");
    if (failures > 0) {
        fprintf(stderr, "%d failed; see %s\n", failures, folder);
        return 1;
    }
    if (chdir("..") != 0) return 1;
    char *clean = sl_string_printf("rm -rf %s", folder);
    const int status = system(clean); /* NOLINT(cert-env33-c): the name is ours */
    free(clean);
    return status == 0 ? 0 : 1;
}
