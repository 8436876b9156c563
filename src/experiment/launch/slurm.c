#include "experiment/launch/slurm.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "softlab/base/command.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

extern char **environ;

enum { PRINTED_LIMIT = 1 << 28 };

/* Variables that change what Slurm's commands do: SQUEUE_PARTITION hides tasks, SBATCH_WAIT makes
 * sbatch wait. Those that a user may give to sbatch, such as SBATCH_ACCOUNT, stay. */
static bool disturbs(const char *variable)
{
    static const char *const prefixes[] = {"SQUEUE_", "SCANCEL_", "SCONTROL_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0) return true;
    return sl_slurm_words_disturb(variable);
}

/* The caller frees the list; its words are borrowed. */
static const char **make_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    const char **words = sl_alloc(count + 1, sizeof *words);
    for (size_t i = 0; i < count; i++)
        if (!disturbs(environ[i])) words[kept++] = environ[i];
    return words;
}

/* Run one of Slurm's commands; the caller releases `printed` in any case. Those that change
 * something are kept apart from Ctrl-C: a submission that is cut off could leave a job unseen. */
static enum sl_status ask(const char *const *words, bool apart, struct sl_buffer *printed,
                          struct sl_error *err)
{
    const char **environment = make_environment();
    const struct sl_command command = {.words = words, .environment = environment, .apart = apart};
    sl_buffer_init(printed, PRINTED_LIMIT);
    sl_buffer_text(printed, "");
    struct sl_error problem;
    const enum sl_status status = sl_command_run(&command, printed, &problem);
    free(environment);
    if (status == SL_ERR_NOT_FOUND)
        return sl_fail(err, status,
                       "%s is not in PATH: log in where Slurm is installed, or use --launcher "
                       "print, which prints the commands for any scheduler",
                       words[0]);
    if (status != SL_OK) return sl_fail(err, status, "%s", problem.message);
    return sl_buffer_check(printed, words[0], err);
}

/* ---- Submitting ---- */

/* The first question to Slurm, so it is here that a cluster which is not there is noticed. */
static enum sl_status ask_config(struct sl_buffer *printed, struct sl_error *err)
{
    static const char *const words[] = {"scontrol", "show", "config", NULL};
    struct sl_error problem;
    const enum sl_status status = ask(words, false, printed, &problem);
    if (status == SL_OK) return SL_OK;
    if (status == SL_ERR_NOT_FOUND) return sl_fail(err, status, "%s", problem.message);
    return sl_fail(err, status,
                   "Slurm does not answer: check that slurmctld runs and that SLURM_CONF names the "
                   "cluster's slurm.conf (%s)",
                   problem.message);
}

enum sl_status sl_slurm_array_limit(size_t *out, struct sl_error *err)
{
    static const char name[] = "MaxArraySize";
    struct sl_buffer printed;
    int64_t size = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(ask_config(&printed, err));
    const char *line = strstr(printed.data, name);
    const char *digits = line ? line + strcspn(line, "0123456789\n") : "";
    if (!sl_text_to_integer(digits, strspn(digits, "0123456789"), &size))
        status = sl_fail(err, SL_ERR_BACKEND, "scontrol show config names no %s", name);
    else if (size < 2)
        status = sl_fail(err, SL_ERR_BACKEND,
                         "this cluster allows no job arrays (%s is %lld): use --launcher print",
                         name, (long long)size);
    else
        *out = (size_t)size - 1; /* numbers of tasks are smaller than MaxArraySize */
out:
    sl_buffer_release(&printed);
    return status;
}

struct word_list {
    const char **words; /* owned; NULL-ended; borrows texts */
    char **made;        /* owned; texts that were put together */
    size_t n_words, n_made;
};

static void add_word(struct word_list *list, const char *word)
{
    list->words = sl_resize(list->words, list->n_words + 2, sizeof *list->words);
    list->words[list->n_words++] = word;
    list->words[list->n_words] = NULL;
}

/* Takes `word`. */
static void add_made(struct word_list *list, char *word)
{
    list->made = sl_resize(list->made, list->n_made + 1, sizeof *list->made);
    list->made[list->n_made++] = word;
    add_word(list, word);
}

static void word_list_release(struct word_list *list)
{
    for (size_t i = 0; i < list->n_made; i++)
        free(list->made[i]);
    free(list->made);
    free(list->words);
}

static void add_request(struct word_list *list, const struct sl_slurm_request *request)
{
    /* A log is appended to when a task is requeued. softlab takes the place of the script's shell,
     * so that the signal before the time limit reaches it. */
    static const char *const fixed[] = {"sbatch",
                                        "--parsable",
                                        "--requeue",
                                        "--open-mode=append",
                                        "--signal=B:TERM@60",
                                        "--job-name=softlab"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add_word(list, fixed[i]);
    /* sbatch replaces %a in names of files by the task. */
    char *folder = sl_text_replace(request->folder, "%", "%%");
    add_made(list, sl_string_printf("--output=%s/%%a.log", folder));
    free(folder);
    add_made(list, sl_string_printf("--array=1-%zu", request->n_tasks));
    add_made(list, sl_string_printf("--cpus-per-task=%zu", request->threads));
    if (request->megabytes > 0) add_made(list, sl_string_printf("--mem=%zuM", request->megabytes));
    if (request->minutes > 0) add_made(list, sl_string_printf("--time=%zu", request->minutes));
    for (size_t i = 0; request->words[i]; i++)
        add_word(list, request->words[i]);
    /* Last, so that it wins over the user's: the tasks that it names have waited for those. */
    if (request->after)
        add_made(list, sl_string_printf("--dependency=afterany:%s", request->after));
    add_word(list, request->script);
}

/* Run sbatch; *job is the number that it prints. */
static enum sl_status submit(const struct sl_slurm_request *request, char **job,
                             struct sl_error *err)
{
    struct word_list list = {0};
    struct sl_buffer printed;
    enum sl_status status = SL_OK;
    add_request(&list, request);
    SL_TRY_OUT(ask(list.words, true, &printed, err));
    /* "123" or "123;cluster" */
    const size_t length = strspn(printed.data, "0123456789");
    if (length == 0)
        status = sl_fail(err, SL_ERR_BACKEND, "sbatch printed no job number but \"%.100s\"",
                         printed.data);
    else
        *job = sl_string_copy_n(printed.data, length);
out:
    sl_buffer_release(&printed);
    word_list_release(&list);
    return status;
}

/* A line of squeue: the job, and the path of its script. */
static bool is_of_script(char *line, const char *script)
{
    char *rest = line + strspn(line, "0123456789");
    if (rest == line || *rest != ' ' || strcmp(rest + 1, script) != 0) return false;
    *rest = '\0';
    return true;
}

enum sl_status sl_slurm_find(const char *script, char **job, struct sl_error *err)
{
    static const char *const words[] = {"squeue", "--noheader", "--states=all", "--format=%F %o",
                                        NULL};
    struct sl_buffer printed;
    char *found = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(ask(words, false, &printed, err));
    for (char *line = printed.data, *next; *line && !found; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = '\0';
        if (is_of_script(line, script)) found = sl_string_copy(line);
    }
    *job = found;
out:
    sl_buffer_release(&printed);
    return status;
}

/* Whether Slurm may take the job even so: sbatch was ended, or its answer came too late. */
static bool is_unsure(const struct sl_error *refusal)
{
    return strstr(refusal->message, "ended with signal") || strstr(refusal->message, "timed out");
}

enum sl_status sl_slurm_submit(const struct sl_slurm_request *request, char **job, bool *unsure,
                               struct sl_error *err)
{
    struct sl_error refusal, problem;
    *unsure = false;
    const enum sl_status status = submit(request, job, &refusal);
    if (status == SL_OK) return SL_OK;
    if (status == SL_ERR_BACKEND) {
        const bool asked = sl_slurm_find(request->script, job, &problem) == SL_OK;
        if (asked && *job) return SL_OK;
        *unsure = !asked || is_unsure(&refusal);
    }
    return sl_fail(err, status, "%s", refusal.message);
}

enum sl_status sl_slurm_cancel(const char *job, struct sl_error *err)
{
    const char *const words[] = {"scancel", job, NULL};
    struct sl_buffer printed;
    const enum sl_status status = ask(words, true, &printed, err);
    sl_buffer_release(&printed);
    return status;
}

/* ---- States ---- */

static const struct state_row {
    const char *name;
    enum sl_slurm_state state;
    const char *meaning; /* for tasks that ended */
} state_rows[] = {
    {"BOOT_FAIL", SL_SLURM_ENDED, "its node did not start"},
    {"CANCELLED", SL_SLURM_ENDED, "it was cancelled"},
    {"COMPLETED", SL_SLURM_ENDED, "it ended without a result"},
    {"DEADLINE", SL_SLURM_ENDED, "its deadline passed"},
    {"FAILED", SL_SLURM_ENDED, "it failed"},
    {"NODE_FAIL", SL_SLURM_ENDED, "its node failed"},
    {"OUT_OF_MEMORY", SL_SLURM_ENDED, "it ran out of memory; give more with --slurm mem=MB"},
    {"PREEMPTED", SL_SLURM_ENDED, "it was preempted and not requeued"},
    {"REVOKED", SL_SLURM_ENDED, "it was revoked"},
    {"TIMEOUT", SL_SLURM_ENDED, "its time ran out; give more with --slurm time=MINUTES"},
    {"COMPLETING", SL_SLURM_RUNS, NULL},
    {"RUNNING", SL_SLURM_RUNS, NULL},
    {"SIGNALING", SL_SLURM_RUNS, NULL},
    {"STAGE_OUT", SL_SLURM_RUNS, NULL},
    {"STOPPED", SL_SLURM_RUNS, NULL},
    {"SUSPENDED", SL_SLURM_RUNS, NULL},
    /* All others wait: PENDING, CONFIGURING, REQUEUED, RESV_DEL_HOLD ... */
    {NULL, SL_SLURM_WAITS, NULL},
};

static const struct state_row *find_state(const char *name)
{
    const struct state_row *row = state_rows;
    while (row->name && strcmp(row->name, name) != 0)
        row++;
    return row;
}

/* "1-02:03:04" or "3:20" in seconds. */
static double read_duration(const char *text)
{
    double seconds = 0, number = 0;
    for (; *text; text++) {
        if (isdigit((unsigned char)*text)) {
            number = 10 * number + (*text - '0');
            continue;
        }
        seconds = (seconds + number) * (*text == '-' ? 24 : 60);
        number = 0;
    }
    return seconds + number;
}

static char *describe_end(const struct state_row *row, int64_t code, const char *reason)
{
    const int status = (int)code;
    char ending[60] = "";
    if (WIFSIGNALED(status))
        snprintf(ending, sizeof ending, ", signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        snprintf(ending, sizeof ending, ", exit code %d", WEXITSTATUS(status));
    return sl_string_printf("%s (Slurm: %s, %s%s)", row->meaning, row->name, reason, ending);
}

/* A line of squeue: task, state, exit code, time used, reason. */
static void read_line(char *line, struct sl_slurm_task *tasks, size_t n_tasks)
{
    char *words[4], *rest = line;
    int64_t task = 0, code = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        words[i] = strtok_r(rest, " ", &rest);
        if (!words[i]) return;
    }
    if (!sl_text_to_integer(words[0], strlen(words[0]), &task) || task < 1 ||
        (size_t)task > n_tasks)
        return;
    (void)sl_text_to_integer(words[2], strlen(words[2]), &code);
    rest += strspn(rest, " ");
    for (size_t length = strlen(rest); length > 0 && rest[length - 1] == ' ';)
        rest[--length] = '\0';
    const struct state_row *row = find_state(words[1]);
    struct sl_slurm_task *found = &tasks[task];
    free(found->reason);
    *found = (struct sl_slurm_task){.state = row->state};
    if (row->state == SL_SLURM_RUNS) found->seconds = read_duration(words[3]);
    if (row->state == SL_SLURM_ENDED) found->reason = describe_end(row, code, rest);
    if (row->state == SL_SLURM_WAITS && strcmp(rest, "None") != 0)
        found->reason = sl_string_copy(rest);
}

enum sl_status sl_slurm_ask(const char *job, struct sl_slurm_task *tasks, size_t n_tasks,
                            struct sl_error *err)
{
    static const char columns[] = "ArrayTaskID:12,State:20,exit_code:12,TimeUsed:16,Reason:120";
    char *of = sl_string_printf("--jobs=%s", job),
         *format = sl_string_printf("--Format=%s", columns);
    const char *const words[] = {"squeue", "--noheader", "--array", "--states=all",
                                 of,       format,       NULL};
    struct sl_buffer printed;
    struct sl_error problem;
    enum sl_status status = ask(words, false, &printed, &problem);
    /* Slurm forgets jobs some minutes after their end (MinJobAge). */
    const bool forgotten = status == SL_ERR_BACKEND && strstr(problem.message, "Invalid job id");
    if (status == SL_OK || forgotten) {
        status = SL_OK;
        for (size_t i = 1; i <= n_tasks; i++) {
            if (tasks[i].state == SL_SLURM_ENDED) continue;
            free(tasks[i].reason);
            tasks[i] =
                (struct sl_slurm_task){.state = SL_SLURM_ENDED,
                                       .reason = sl_string_copy("Slurm no longer knows its task")};
        }
        for (char *line = printed.data, *next; !forgotten && *line; line = next) {
            next = line + strcspn(line, "\n");
            if (*next) *next++ = '\0';
            read_line(line, tasks, n_tasks);
        }
    } else {
        status = sl_fail(err, status, "%s", problem.message);
    }
    sl_buffer_release(&printed);
    free(of);
    free(format);
    return status;
}
