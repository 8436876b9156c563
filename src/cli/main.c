#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "softlab/comm.h"
#include "softlab/http.h"

static void write_log_line(void *context, enum sl_log_level level, const char *line)
{
    char *named = cli_name_streams(context, line);
    if (level == SL_LOG_INFO)
        fprintf(stderr, "%s\n", named);
    else
        fprintf(stderr, "%s: %s\n", sl_log_level_name(level), named);
    free(named);
}

/* $XDG_DATA_HOME/softlab, as the base directory specification has it: a relative
 * XDG_DATA_HOME is ignored. */
static char *default_data_folder(void)
{
    const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/') return sl_path_join(xdg, "softlab");
    return sl_path_join(home && home[0] ? home : ".", ".local/share/softlab");
}

static const char *show_path(void *context, const char *path)
{
    return cli_shown(context, path);
}

/* The number of ranks that a launcher says it started: Open MPI's and the one of MPICH and its
 * relatives. A program that is linked with the other MPI is then N runs of one rank. So is softlab
 * itself; only Open MPI's word counts there, since schedulers set the other one for any program. */
static enum sl_status check_launcher(const struct sl_comm *comm, struct sl_error *err)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    const size_t n_names = comm->backend->launcher ? 2 : 1;
    for (size_t i = 0; i < n_names; i++) {
        const char *value = getenv(names[i]);
        int64_t size = 0;
        if (!value || !sl_text_to_integer(value, strlen(value), &size)) continue;
        SL_TRY(sl_comm_check_size(comm, (size_t)size, names[i], err));
    }
    return SL_OK;
}

/* What is asked of the ranks, by the words and by the launcher. */
static enum sl_status check_ranks(const struct cli *cli, struct sl_error *err)
{
    const struct sl_comm *comm = cli->workplace.comm;
    if (comm->backend->launcher || cli->command->ranks) SL_TRY(check_launcher(comm, err));
    if (cli->common.ranks > 0)
        SL_TRY(sl_comm_check_size(comm, (size_t)cli->common.ranks, "--ranks", err));
    if (sl_comm_size(comm) > 1 && !cli->command->ranks)
        return sl_fail(err, SL_ERR_USAGE,
                       "ranks cannot share this command, only labels; run it with softlab");
    return SL_OK;
}

/* The environment enters the program here and in check_launcher, and nowhere else. */
static void prepare(struct cli *cli, struct sl_comm *comm)
{
    enum sl_log_level level = SL_LOG_ERROR;
    const bool quiet = cli->common.quiet || comm->rank > 0; /* one rank talks for all */
    while (strcmp(sl_log_level_name(level), cli->common.log_level) != 0)
        level++;
    cli->log = (struct sl_log){
        .level = quiet ? SL_LOG_ERROR : level, .write = write_log_line, .context = cli};
    cli->progress = (struct sl_progress){.stream = quiet ? NULL : stderr,
                                         .terminal = isatty(STDERR_FILENO) == 1,
                                         .columns = cli_terminal_columns()};
    const char *given = getenv("SOFTLAB_DATA");
    cli->data_folder =
        cli->common.data_folder ? sl_string_copy(cli->common.data_folder) : default_data_folder();
    const char *temporary = getenv("TMPDIR");
    cli->temporary = temporary && temporary[0] ? temporary : "/tmp";
    cli->workplace = (struct sl_workplace){
        .roots = {.given = given && given[0] ? given : NULL, .folder = cli->data_folder},
        .log = &cli->log,
        .progress = &cli->progress,
        .comm = comm,
        .unnamed = sl_name_table_create(),
        .context = cli,
        .shown = show_path,
        .stop = cli_should_stop,
    };
}

/* A full disk behind stdout must not look like success. */
static enum sl_status check_stdout(struct sl_error *err)
{
    if (fflush(stdout) != 0 || ferror(stdout)) return sl_fail_errno(err, "stdout");
    return SL_OK;
}

/* Everything that can be refused by looking at the words alone, then what they stand for. */
static enum sl_status start(struct cli *cli, void *values, struct sl_error *err)
{
    SL_TRY(check_ranks(cli, err));
    if (cli->command->threads)
        SL_TRY(sl_pool_create((size_t)cli->common.threads, &cli->workplace.pool, err));
    SL_TRY(cli_find_places(cli, values, err));
    SL_TRY(cli_check_modes(cli, values, err));
    SL_TRY(cli_check_streams(cli, values, err));
    SL_TRY(cli_open_streams(cli, values, err));
    cli_note_folders(cli, values);
    return SL_OK;
}

/* A command that only names others needs one of them. */
static enum sl_status name_within(const struct cli_command *family, struct sl_error *err)
{
    struct sl_buffer list;
    sl_buffer_init(&list, 300);
    const struct cli_command *const *at = NULL;
    while ((at = cli_next_within(family, at)) != NULL)
        sl_buffer_printf(&list, "%s%s", list.length ? ", " : "",
                         (*at)->name + strlen(family->name) + 1);
    enum sl_status status = sl_fail(err, SL_ERR_USAGE, "name what to do: %s; see softlab %s --help",
                                    list.data, family->name);
    sl_buffer_release(&list);
    return status;
}

static enum sl_status run(const struct cli_command *command, char **words, size_t n_words,
                          struct sl_comm *comm, struct sl_error *err)
{
    struct cli cli = {0};
    void *values = sl_alloc(1, command->values_size);
    enum sl_status status = cli_parse(command, words, n_words, &cli, values, err);
    status = sl_comm_agree(comm, status, err);
    if (status == SL_OK && cli.common.help) {
        if (comm->rank == 0) cli_help_command(command, stdout);
    } else if (status == SL_OK && !command->run) {
        status = name_within(command, err);
    } else if (status == SL_OK) {
        prepare(&cli, comm);
        status = sl_comm_agree(comm, start(&cli, values, err), err);
        if (status == SL_OK) status = command->run(&cli, values, err);
        status = cli_close_streams(&cli, status, err);
        cli_tidy_folders(&cli, status);
        sl_places_release(&cli.places);
        sl_name_table_destroy(cli.workplace.unnamed);
        sl_pool_destroy(cli.workplace.pool);
        free(cli.data_folder);
    }
    if (status == SL_OK) status = check_stdout(err);
    free(values);
    return status;
}

static int unknown_command(char **words, size_t n_words)
{
    struct sl_error err;
    cli_unknown_command(words, n_words, &err);
    fprintf(stderr, "softlab: %s\n", err.message);
    return CLI_EXIT_USAGE;
}

static const char more_memory[] = "; give the process more memory, or less to do at a time";

/* On whichever thread; nothing here allocates. What was being written has its temporary name still,
 * and is gone. */
static void end_without_memory(size_t bytes)
{
    char line[200];
    int length = snprintf(line, sizeof line, "softlab: not enough memory for %zu bytes more%s\n",
                          bytes, more_memory);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0) {
        /* Nobody is listening. */
    }
    _exit(CLI_EXIT_FAILED);
}

/* A limit on the size of files is reported by write, like a full disk. */
static void ignore_file_limit(void)
{
    const struct sigaction action = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGXFSZ, &action, NULL);
}

/* Say what failed, once for all ranks. A failure that the others do not know of ends them. */
static int end_failed(const struct cli_command *command, struct sl_comm *comm,
                      enum sl_status status, const struct sl_error *err)
{
    const bool alone = comm->size > 1 && !comm->has_agreed;
    const int code = status == SL_ERR_USAGE ? CLI_EXIT_USAGE : CLI_EXIT_FAILED;
    if (comm->rank == 0 || alone)
        fprintf(stderr, "softlab %s: %s%s\n", command->name, err->message,
                status == SL_ERR_NOMEM ? more_memory : "");
    if (alone) sl_comm_end_all(comm, code);
    if (status == SL_ERR_STOPPED) cli_end_by_signal();
    return code;
}

static int run_words(int argc, char **argv, struct sl_comm *comm)
{
    static char help[] = "help", version[] = "version";
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) argv[1] = help;
    if (strcmp(argv[1], "--version") == 0) argv[1] = version;
    size_t n_used = 0;
    const struct cli_command *command = cli_find_command(argv + 1, (size_t)argc - 1, &n_used);
    const char *next = command ? argv[1 + n_used] : NULL;
    if (!command || (!command->run && next && next[0] != '-'))
        return unknown_command(argv + 1, (size_t)argc - 1);
    struct sl_error err;
    enum sl_status status = run(command, argv + 1 + n_used, (size_t)argc - 1 - n_used, comm, &err);
    return status == SL_OK ? CLI_EXIT_DONE : end_failed(command, comm, status, &err);
}

int main(int argc, char **argv)
{
    ignore_file_limit();
    sl_temporaries_remove_on_signals();
    sl_memory_on_exhausted(end_without_memory);
    sl_json_use_memory();
    sl_http_use_memory();
    if (argc < 2) {
        cli_help_overview(stderr);
        return CLI_EXIT_USAGE;
    }
    struct sl_comm *comm = NULL;
    struct sl_error err;
    if (sl_comm_open_world(&comm, &err) != SL_OK) {
        fprintf(stderr, "softlab: %s\n", err.message);
        return CLI_EXIT_FAILED;
    }
    const int code = run_words(argc, argv, comm);
    sl_comm_close(comm);
    return code;
}
