#include "runs.h"

#include <dirent.h>
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

static int failures;
static char folder[64];

void runs_enter(const char *name)
{
    snprintf(folder, sizeof folder, "%.30s-%ld", name, (long)getpid());
    if (mkdir(folder, 0777) != 0 || chdir(folder) != 0) exit(1);
}

int runs_leave(void)
{
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

void runs_check(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "not so: %s\n", what);
    failures++;
}

/* ---- Files ---- */

void runs_write(const char *path, const char *text)
{
    struct sl_error err;
    if (sl_file_write(path, text, strlen(text), &err) == SL_OK) return;
    fprintf(stderr, "%s\n", err.message);
    exit(1);
}

char *runs_read(const char *path)
{
    struct sl_buffer text;
    sl_buffer_init(&text, RUNS_TEXT_LIMIT);
    if (sl_file_read(path, &text, NULL) != SL_OK || text.length == 0) {
        sl_buffer_release(&text);
        return sl_string_copy("");
    }
    return text.data;
}

void runs_write_answers(void)
{
    static const char *const classes[] = {"circle", "square", "triangle", "star", "heart", "cross"};
    struct sl_buffer text;
    uint64_t chance = 7;
    sl_buffer_init(&text, RUNS_TEXT_LIMIT);
    sl_buffer_text(&text, "item,annotator,label\n");
    for (int item = 1; item <= RUNS_ITEMS; item++)
        for (int annotator = 0; annotator < 3; annotator++)
            sl_buffer_printf(&text, "shapes-%06d,a%d,%s\n", item, annotator,
                             classes[chance_below(&chance, 6)]);
    runs_write("answers.csv", text.data);
    sl_buffer_release(&text);
}

void runs_write_spec(const char *path, const char *name, const char *sets, const char *others)
{
    char here[512];
    if (!getcwd(here, sizeof here)) exit(1);
    char *base = sl_string_printf(
        "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"%s\",\"title\":\"A small table\","
        "\"needs\":[\"train\",\"labels\"],"
        "\"files\":{\"answers.jsonl\":[\"import\",\"--from\",\"long-csv\",\"%s/answers.csv\"]},"
        "\"sets\":{%s},"
        "\"references\":{\"people\":{\"labels\":[\"labels\",\"answers.jsonl\",\"--method\","
        "\"share\"]}},"
        "\"networks\":[\"resnet:n=1,width=4\"],\"recipe\":\"quick\","
        "\"settings\":{\"epochs\":2,\"batch\":16},\"data\":\"shapes:n=%d,size=16\",\"seeds\":[1],"
        "\"scales\":{\"quick\":{}}}\n",
        name, here, sets, RUNS_ITEMS);
    char *over = sl_string_printf("{%s}", others);
    json_t *spec = json_loads(base, 0, NULL), *more = json_loads(over, 0, NULL);
    if (!spec || !more) {
        fprintf(stderr, "%s: not JSON: %s %s\n", path, base, over);
        exit(1);
    }
    json_object_update(spec, more);
    char *text = json_dumps(spec, JSON_INDENT(1));
    runs_write(path, text);
    free(text);
    json_decref(spec);
    json_decref(more);
    free(over);
    free(base);
}

/* ---- The program ---- */

pid_t runs_start(const char *const *words)
{
    const char *arguments[16] = {SOFTLAB_PROGRAM};
    for (size_t i = 0; i < 14 && words[i]; i++)
        arguments[i + 1] = words[i];
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const int log = open("run.log", O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (log < 0 || dup2(log, STDERR_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0) _exit(125);
    char *copies[16] = {NULL};
    for (size_t i = 0; i < 15 && arguments[i]; i++)
        copies[i] = sl_string_copy(arguments[i]);
    execv(SOFTLAB_PROGRAM, copies);
    _exit(125);
}

bool runs_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

int runs_finish(pid_t pid)
{
    int how = 0;
    waitpid(pid, &how, 0);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

int runs_program(const char *const *words)
{
    return runs_finish(runs_start(words));
}

int runs_make(const char *spec, const char *output, const char *shard)
{
    const char *const words[] = {"run", spec, "-o", output, "-j", "2", "--shard", shard, NULL};
    return runs_program(words);
}

/* ---- Its children ---- */

static pid_t parent_of(long pid)
{
    char *path = sl_string_printf("/proc/%ld/stat", pid), *text = runs_read(path);
    /* "pid (name) state parent ..." */
    const char *end = strrchr(text, ')');
    const pid_t parent = end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : -1;
    free(path);
    free(text);
    return parent;
}

/* The last line of a process's log that says what it does, or "". The caller frees it. */
static char *words_of(long pid)
{
    char *link = sl_string_printf("/proc/%ld/fd/2", pid), path[512], *last = NULL;
    const ssize_t length = readlink(link, path, sizeof path - 1);
    free(link);
    if (length <= 0) return sl_string_copy("");
    path[length] = '\0';
    char *text = runs_read(path);
    for (char *at = text; (at = strstr(at, "+ softlab ")) != NULL; at++)
        last = at;
    char *words = last ? sl_string_copy_n(last, strcspn(last, "\n")) : sl_string_copy("");
    free(text);
    return words;
}

/* Whether all these are among them. */
static bool has_words(long pid, const char *const *words)
{
    char *all = words_of(pid);
    bool has = *all != '\0';
    for (size_t i = 0; has && words[i]; i++) {
        char *word = sl_string_printf(" %s ", words[i]);
        has = strstr(all, word) != NULL;
        free(word);
    }
    free(all);
    return has;
}

pid_t runs_child(pid_t parent, const char *const *words)
{
    DIR *all = opendir("/proc");
    pid_t found = -1;
    if (!all) exit(1);
    for (const struct dirent *entry = readdir(all); entry && found < 0; entry = readdir(all)) {
        const long pid = strtol(entry->d_name, NULL, 10);
        if (pid > 0 && parent_of(pid) == parent && has_words(pid, words)) found = (pid_t)pid;
    }
    closedir(all);
    return found;
}

void runs_rest(unsigned ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000L};
    nanosleep(&pause, NULL);
}

/* ---- Results ---- */

/* Lines about the experiment as a whole are no runs. */
static bool is_run(const json_t *line)
{
    const char *kind = json_string_value(json_object_get(line, "softlab"));
    return !kind || (strcmp(kind, "spec") != 0 && strcmp(kind, "plan") != 0);
}

json_t *runs_results(const char *output, bool timeless)
{
    char *path = sl_path_join(output, "results.jsonl"), *text = runs_read(path);
    json_t *lines = json_array();
    for (char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        json_t *json = json_loadb(line, length, 0, NULL);
        /* A line that is being written may be cut. */
        if (json && timeless) json_object_del(json, "time");
        if (json && is_run(json)) json_array_append(lines, json);
        json_decref(json);
        line += length + (line[length] == '\n');
    }
    free(path);
    free(text);
    return lines;
}

json_t *runs_with(json_t *lines, const char *key, const char *text)
{
    json_t *some = json_array();
    for (size_t i = 0; i < json_array_size(lines); i++) {
        json_t *line = json_array_get(lines, i);
        const char *value = json_string_value(json_object_get(line, key));
        if (value && strcmp(value, text) == 0) json_array_append(some, line);
    }
    return some;
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

bool runs_all_in(const json_t *some, const json_t *all)
{
    for (size_t i = 0; i < json_array_size(some); i++) {
        json_t *line = json_array_get(some, i);
        json_t *other = find(all, key_of(line));
        if (!other || !json_equal(line, other)) return false;
    }
    return true;
}
