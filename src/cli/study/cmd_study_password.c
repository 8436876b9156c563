#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cmd.h"
#include "softlab/study.h"

enum { LINE_BYTES = 2048 };

struct password_values {
    bool unused; /* a command's values are never empty */
};

static const struct sl_field_row password_options[] = {{.name = NULL}};

/* One line from stdin, not shown while it is typed. */
static enum sl_status read_password(char line[LINE_BYTES], struct sl_error *err)
{
    struct termios shown;
    bool terminal = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &shown) == 0;
    if (terminal) {
        struct termios hidden = shown;
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        fputs("the researcher's password: ", stderr);
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    bool read = fgets(line, LINE_BYTES, stdin) != NULL;
    if (terminal) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
        fputc('\n', stderr);
    }
    if (!read) return sl_fail(err, SL_ERR_INPUT, "no password came on the standard input");
    line[strcspn(line, "\r\n")] = '\0';
    return SL_OK;
}

static enum sl_status run_password(struct cli *cli, const void *values, struct sl_error *err)
{
    (void)values;
    char line[LINE_BYTES] = "";
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    SL_TRY(sl_study_read(cli->arguments[0], &study, err));
    enum sl_status status = sl_study_store(study, false, &store, err);
    if (status == SL_OK) status = read_password(line, err);
    if (status == SL_OK) status = sl_study_set_password(store, line, err);
    if (status == SL_OK) printf("the password of %s is set\n", cli->arguments[0]);
    memset(line, 0, sizeof line);
    sl_store_close(store);
    sl_study_destroy(study);
    return status;
}

static const struct cli_example password_examples[] = {
    {"softlab study password birds", "asks for it"},
    {"softlab study password birds < secret.txt", "the first line of a file"},
    {NULL, NULL},
};

const struct cli_command cmd_study_password = {
    .name = "study password",
    .also = "passwd",
    .group = "studies",
    .summary = "set the researcher's password",
    .description = "Reads one line from the standard input. Only its argon2id hash is stored, in "
                   "the study's database; a server that runs uses it from the next login on.",
    .arguments = cli_study_argument,
    .options = password_options,
    .examples = password_examples,
    .values_size = sizeof(struct password_values),
    .run = run_password,
};
