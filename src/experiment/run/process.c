#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "experiment/run/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/log.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/task.h"
#include "softlab/pool.h"

enum { LOG_LIMIT = 1 << 26, TAIL_LINES = 12 };

/* ---- Command lines ---- */

static bool is_printed(const struct sl_job *job)
{
    return json_is_true(json_object_get(job->step, "stdout"));
}

static char *tests_file(const struct sl_job *job)
{
    return sl_string_printf("%s.tests", job->output);
}

/* The value of --output; for a training the run's folder. */
static char *told_output(const struct sl_job *job)
{
    const char *weights = strstr(job->output, "/weights.safetensors");
    return weights ? sl_string_copy_n(job->output, (size_t)(weights - job->output))
                   : sl_string_copy(job->output);
}

static void add_word(json_t *words, const char *word)
{
    json_array_append_new(words, json_string(word));
}

static json_t *preparation_words(const struct sl_job *job)
{
    char *step = json_dumps(job->step, JSON_COMPACT);
    json_t *words = json_pack("[s, s, s]", "#", job->output, step);
    free(step);
    return words;
}

json_t *sl_job_words(const struct sl_job *job)
{
    json_t *command = json_object_get(job->step, "command");
    if (!command) return preparation_words(job);
    json_t *words = json_copy(command);
    if (json_object_get(job->step, "tests")) {
        char *path = tests_file(job);
        add_word(words, "--tests");
        add_word(words, path);
        add_word(words, "--json");
        free(path);
    }
    if (is_printed(job)) return words;
    char *output = told_output(job);
    add_word(words, "--output");
    add_word(words, output);
    free(output);
    return words;
}

/* The command line of a job, with paths that tasks cannot resolve filled in. */
static enum sl_status make_words(const struct sl_job *job,
                                 const struct sl_experiment_runner *runner, char ***out,
                                 struct sl_error *err)
{
    json_t *listed = sl_job_words(job);
    char **words = sl_alloc(json_array_size(listed) + 1, sizeof *words);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < json_array_size(listed) && status == SL_OK; i++) {
        const char *word = json_string_value(json_array_get(listed, i));
        if (word[0] == '@' && !sl_experiment_place_is_known(word))
            status = sl_experiment_place(&runner->roots, word, &words[i], err);
        else if (strcmp(word, "{scratch}") == 0)
            words[i] = sl_string_printf("%s.scratch", job->output);
        else
            words[i] = sl_string_copy(word);
    }
    json_decref(listed);
    if (status == SL_OK)
        *out = words;
    else
        sl_names_destroy(words);
    return status;
}

/* ---- The child process ---- */

static void redirect(const char *path, int flags, int descriptor)
{
    const int file = open(path, O_WRONLY | O_CREAT | flags, 0666);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(SL_CANNOT_START);
    close(file);
}

/* The child dies with the runner, even if that is killed with SIGKILL. */
static void die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(SL_CANNOT_START);
}

static void write_log_line(void *context, enum sl_log_level level, const char *line)
{
    (void)context;
    const bool plain = level == SL_LOG_INFO;
    dprintf(STDERR_FILENO, "%s%s%s\n", plain ? "" : sl_log_level_name(level), plain ? "" : ": ",
            line);
}

/* A stopped task ends by SIGTERM, so that the runner does not count it as failed. */
static void end_stopped(void)
{
    const struct sigaction action = {.sa_handler = SIG_DFL};
    if (sigaction(SIGTERM, &action, NULL) == 0) (void)raise(SIGTERM);
}

/* Print what the command prints with --json. */
static enum sl_status print_result(const json_t *result, struct sl_error *err)
{
    const bool printed =
        json_dumpfd(result, STDOUT_FILENO, JSON_INDENT(2) | JSON_ENSURE_ASCII) == 0;
    if (!printed || write(STDOUT_FILENO, "\n", 1) != 1)
        return sl_fail_errno(err, "the result cannot be written");
    return SL_OK;
}

/* Run the task that the command line names. */
static enum sl_status do_task(char **words, const struct sl_experiment_runner *runner,
                              size_t threads, struct sl_error *err)
{
    const struct sl_log log = {.level = SL_LOG_INFO, .write = write_log_line};
    struct sl_workplace workplace = {.roots = runner->roots,
                                     .log = &log,
                                     .unnamed = sl_name_table_create(),
                                     .context = runner->hooks.context,
                                     .stop = runner->hooks.stop};
    struct sl_assignment assignment;
    json_t *result = NULL;
    size_t n_words = 0;
    while (words[1 + n_words])
        n_words++;
    SL_TRY(sl_assignment_read(words[0], words + 1, n_words, &workplace.roots, &assignment, err));
    if (!assignment.task->stops) sl_temporaries_remove_on_signals();
    SL_TRY(sl_pool_create(threads, &workplace.pool, err));
    SL_TRY(sl_assignment_do(&assignment, &workplace, &result, err));
    return result ? print_result(result, err) : SL_OK;
}

void sl_shell_line(char *const *words, struct sl_buffer *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";
    for (const char *space = ""; *words; words++, space = " ") {
        const bool quoted = !**words || (*words)[strspn(*words, plain)];
        char *word = sl_text_replace(*words, "'", "'\\''");
        sl_buffer_printf(out, quoted ? "%s'%s'" : "%s%s", space, word);
        free(word);
    }
}

/* A log begins with the command line that does the job by hand. */
static void say_words(char *const *words)
{
    struct sl_buffer line;
    sl_buffer_init(&line, 1 << 20);
    sl_shell_line(words, &line);
    dprintf(STDERR_FILENO, "+ softlab %s\n", line.data);
    sl_buffer_release(&line);
}

static void run_child(const struct sl_job *job, const struct sl_experiment_runner *runner,
                      size_t threads, char **words, const char *log)
{
    if (chdir(runner->folder) != 0) _exit(SL_CANNOT_START);
    redirect(log, O_APPEND, STDERR_FILENO);
    char *printed = sl_string_printf("%s.part", job->output);
    redirect(is_printed(job) ? printed : log, is_printed(job) ? O_TRUNC : O_APPEND, STDOUT_FILENO);
    redirect("/dev/null", 0, STDIN_FILENO);
    struct sl_error err;
    if (words) say_words(words);
    const enum sl_status status = words ? do_task(words, runner, threads, &err)
                                        : sl_prepare(job->step, job->output, &runner->roots, &err);
    if (status != SL_OK && words) dprintf(STDERR_FILENO, "softlab %s: ", words[0]);
    if (status != SL_OK) dprintf(STDERR_FILENO, "%s\n", err.message);
    if (status == SL_ERR_STOPPED) end_stopped();
    _exit(status == SL_OK ? 0 : 1);
}

/* ---- The runner ---- */

/* "logs/<output>.log", with slashes replaced by dashes. */
static char *log_name(const struct sl_job *job)
{
    char *log = sl_string_printf("logs/%s.log", job->output);
    for (char *at = log + strlen("logs/"); *at; at++)
        if (*at == '/') *at = '-';
    return log;
}

static enum sl_status make_ready(const struct sl_job *job, const char *folder, struct sl_error *err)
{
    static const char *const needed[] = {"cache", "runs", "logs"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        char *path = sl_path_join(folder, needed[i]);
        const enum sl_status status = sl_folder_create(path, err);
        free(path);
        if (status != SL_OK) return status;
    }
    const json_t *tests = json_object_get(job->step, "tests");
    if (!tests) return SL_OK;
    char *name = tests_file(job), *path = sl_path_join(folder, name);
    const enum sl_status status = sl_json_write(tests, path, err);
    free(name);
    free(path);
    return status;
}

enum sl_status sl_process_start(const struct sl_job *job, const struct sl_experiment_runner *runner,
                                size_t threads, struct sl_process *out, struct sl_error *err)
{
    char **words = NULL;
    SL_TRY(make_ready(job, runner->folder, err));
    if (json_object_get(job->step, "command")) SL_TRY(make_words(job, runner, &words, err));
    char *log = log_name(job);
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        die_with(parent);
        run_child(job, runner, threads, words, log);
    }
    if (words) sl_names_destroy(words);
    if (pid < 0) {
        free(log);
        return sl_fail_errno(err, "no process can be started");
    }
    *out = (struct sl_process){
        .pid = pid,
        .log = sl_path_join(runner->folder, log),
        .started = sl_clock_seconds(),
        .threads = threads,
    };
    free(log);
    return SL_OK;
}

enum sl_status sl_process_keep(const struct sl_job *job, const struct sl_experiment_runner *runner,
                               struct sl_error *err)
{
    char *path = sl_path_join(runner->folder, job->output);
    char *part = sl_string_printf("%s.part", path);
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 30);
    enum sl_status status = SL_OK;
    if (is_printed(job)) {
        SL_TRY_OUT(sl_file_read(part, &text, err));
        SL_TRY_OUT(sl_file_write(path, text.length ? text.data : "", text.length, err));
        unlink(part);
    } else if (!sl_file_exists(path)) {
        status = sl_fail(err, SL_ERR_IO, "%s was not written", job->output);
    }
out:
    sl_buffer_release(&text);
    free(part);
    free(path);
    return status;
}

void sl_process_release(struct sl_process *process)
{
    free(process->log);
    *process = (struct sl_process){0};
}

char *sl_log_text(const char *path)
{
    struct sl_buffer text;
    sl_buffer_init(&text, LOG_LIMIT);
    const bool some = sl_file_read(path, &text, NULL) == SL_OK && text.length > 0;
    while (some && text.length > 0 && text.data[text.length - 1] == '\n')
        text.length--;
    char *log = some ? sl_string_copy_n(text.data, text.length) : sl_string_copy("");
    sl_buffer_release(&text);
    /* The log goes into JSON, which must be valid UTF-8. */
    const size_t length = strlen(log);
    for (size_t at = 0; (at += sl_utf8_valid(log + at, length - at)) < length;)
        log[at] = '?';
    return log;
}

char *sl_log_tail(const char *path)
{
    char *log = sl_log_text(path);
    size_t begin = strlen(log);
    for (size_t lines = 0; begin > 0; begin--)
        if (log[begin - 1] == '\n' && ++lines == TAIL_LINES) break;
    char *tail = sl_string_copy(log + begin);
    free(log);
    return tail;
}

struct sl_training_log sl_training_log_read(const char *path)
{
    struct sl_training_log log = {0};
    struct sl_buffer text;
    struct stat file;
    size_t last = 0;
    sl_buffer_init(&text, LOG_LIMIT);
    if (stat(path, &file) == 0 && sl_file_read(path, &text, NULL) == SL_OK && text.length > 0) {
        for (size_t i = 0; i + 1 < text.length; i++)
            if (text.data[i] == '\n') last = i + 1;
        for (size_t i = 0; i < text.length; i++)
            log.n_epochs += text.data[i] == '\n';
        json_t *line = json_loadb(text.data + last, text.length - last, 0, NULL);
        log.seconds = json_number_value(json_object_get(line, "seconds"));
        log.age = fmax(0, difftime(time(NULL), file.st_mtime));
        json_decref(line);
    }
    sl_buffer_release(&text);
    return log;
}
