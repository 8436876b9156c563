/* Cli: the frame of the program. A command is one file cmd_<name>.c with a table of
 * options (rows of softlab/base/fields.h) and a run function, and one row in cli_commands[];
 * parsing, range checks, help, manual, completion and the provenance record all walk that row.
 *
 * stdout is data, stderr is talk. Exit codes: 0 done, 1 failed, 2 usage; what was stopped by a
 * signal ends by it. */
#ifndef SOFTLAB_CLI_H
#define SOFTLAB_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "softlab/base.h"
#include "softlab/base/options.h"
#include "softlab/dataset.h"
#include "softlab/pipeline/task.h"
#include "softlab/pool.h"

enum { CLI_EXIT_DONE = 0, CLI_EXIT_FAILED = 1, CLI_EXIT_USAGE = 2 };

struct cli_argument {
    const char *name; /* NULL ends a table */
    const char *help;
    enum sl_field_kind
        kind; /* SL_FIELD_WORD, SL_FIELD_CHOICE (for completion; never enforced) or a path */
    sl_choice_names *choices;
    bool optional;
    bool repeated; /* the last one may */
};

struct cli_example {
    const char *command; /* NULL ends a table */
    const char *meaning;
};

struct cli;

struct cli_command {
    const char *name;    /* "fetch", "dataset mix" */
    const char *also;    /* what else people may type for it, separated by spaces; or NULL */
    const char *group;   /* heading in the overview */
    const char *summary; /* one line */
    const char *description;
    const struct cli_argument *arguments;
    const struct sl_task *task; /* what it does, or NULL */
    /* What it takes beside the task's options; NULL: nothing. Values begin with the task's job. */
    const struct sl_field_row *options;
    const struct cli_example *examples;
    bool threads;       /* it uses workplace.pool and understands --threads */
    bool ranks;         /* several ranks can share its work, and it understands --ranks */
    size_t values_size; /* of the struct the options fill */
    /* Which mode the words ask for; NULL: the task's, or there is one. */
    void (*mode)(const struct cli *cli, const void *values, struct sl_option_mode *out);
    /* For tests: words of every mode, NULL-ended; "*" stands for each choice of the option before
     * it. */
    const char *const *samples;
    /* NULL: it only names the commands that begin with it, as study does. */
    enum sl_status (*run)(struct cli *cli, const void *values, struct sl_error *err);
};

/* What every command understands. */
struct cli_common {
    bool help;
    bool quiet;
    const char *log_level;
    const char *data_folder;
    int64_t threads; /* of commands that use threads; 0: all cores */
    int64_t ranks;   /* of commands that ranks can share; 0: any number */
};

/* A folder that was asked for, of whose path so many bytes existed. */
struct cli_folder {
    const char *path; /* borrowed from argv */
    size_t existing;
};

/* One run of the program. */
struct cli {
    const struct cli_command *command;
    struct cli_common common;
    const void *values; /* borrowed; what the options filled */
    char **arguments;   /* borrowed from argv, NULL-ended */
    size_t n_arguments;
    uint64_t given; /* a bit per row of the command's options (cli_option): it was typed */
    struct sl_log log;
    struct sl_progress progress;
    struct sl_workplace
        workplace;     /* what work is lent: log, progress, roots; its names and pool are owned */
    char *data_folder; /* owned; workplace.roots.folder */
    struct sl_places places;    /* owned */
    const char *temporary;      /* borrowed; where temporary files go */
    char *scratch;              /* owned; a folder of ours there, or NULL; see cli_scratch */
    struct cli_folder *folders; /* owned; n_folders that the command may make */
    size_t n_folders;
};

/* Every command, in the order of the overview, ending with NULL. */
extern const struct cli_command *const cli_commands[];
extern const struct sl_field_row cli_common_options[], cli_thread_options[], cli_rank_options[];
const char *cli_log_levels(size_t index);

/* options.c: the rows of a command's task; NULL: it has none. */
const struct sl_field_row *cli_task_options(const struct cli_command *command);
/* Option number `index` of a command, those of its job first; NULL past the last. The
 * second goes on with what every command understands. */
const struct sl_field_row *cli_option(const struct cli_command *command, size_t index);
const struct sl_field_row *cli_any_option(const struct cli_command *command, size_t index);
/* Read the words after the command's name; defaults first. `values` has
 * command->values_size bytes. SL_ERR_USAGE says what is wrong with which word. */
enum sl_status cli_parse(const struct cli_command *command, char **words, size_t n_words,
                         struct cli *cli, void *values, struct sl_error *err);
/* modes.c: whether the option of this name was typed; which mode the words ask for; refuse what
 * would be ignored: options and arguments that do nothing beside the others. */
bool cli_is_given(const struct cli *cli, const char *name);
void cli_find_mode(const struct cli *cli, const void *values, struct sl_option_mode *out);
enum sl_status cli_check_modes(const struct cli *cli, const void *values, struct sl_error *err);

/* streams.c: "-" and the endings of names. Refuse "-" where it cannot be a stream, and a name whose
 * ending belongs to another format than is written. */
enum sl_status cli_check_streams(const struct cli *cli, const void *values, struct sl_error *err);
/* Put temporary files in the place of "-": one with what comes on stdin, others to write to. */
enum sl_status cli_open_streams(struct cli *cli, void *values, struct sl_error *err);
/* Make cli->scratch, a folder of this process alone that goes with all that is in it at the end. */
enum sl_status cli_scratch(struct cli *cli, struct sl_error *err);
/* Copy what was written for stdout there, if all went well, and remove the temporary files; errors
 * speak of the streams and not of the files. */
enum sl_status cli_close_streams(struct cli *cli, enum sl_status status, struct sl_error *err);
/* Which folders are new, to be called before the command runs; then remove those that it made and
 * left empty, if it failed. */
void cli_note_folders(struct cli *cli, const void *values);
void cli_tidy_folders(struct cli *cli, enum sl_status status);
/* A text, on the heap, with the streams' names in place of those of their temporary files. */
char *cli_name_streams(const struct cli *cli, const char *text);

/* "0 to 1", "at least 1" ... into `out`; empty if any value will do. */
const char *cli_range_text(const struct sl_field_row *option, char *out, size_t size);

/* The command whose name begins `words` (the longest such); its words in *n_used. */
const struct cli_command *cli_find_command(char **words, size_t n_words, size_t *n_used);
/* SL_ERR_USAGE: no command is called `words`; which one may have been meant. */
enum sl_status cli_unknown_command(char **words, size_t n_words, struct sl_error *err);
/* The next command after `at` (NULL: the first) whose name begins with that of `family` and a
 * space; NULL after the last. */
const struct cli_command *const *cli_next_within(const struct cli_command *family,
                                                 const struct cli_command *const *at);

/* places.c: paths written as @set/file among options of kind SL_FIELD_PATH and arguments become
 * those of the files; what was typed instead of a path, for records. */
enum sl_status cli_find_places(struct cli *cli, void *values, struct sl_error *err);
const char *cli_typed(const struct cli *cli, const char *text);
/* The same for messages, which call the streams by name. */
const char *cli_shown(const struct cli *cli, const char *text);

/* help.c, manual.c, completion.c: each walks cli_commands[]. */
/* `text` broken at spaces, every line after the first indented; starts at column `at`. */
void cli_print_wrapped(const char *text, size_t at, size_t indent, FILE *out);
void cli_help_overview(FILE *out);
void cli_help_command(const struct cli_command *command, FILE *out);
void cli_synopsis(const struct cli_command *command, struct sl_buffer *out);
/* "0 to 1; default .1": what the table knows about a value. */
void cli_option_notes(const struct sl_field_row *option, struct sl_buffer *out);
void cli_manual_man(const struct cli_command *command, FILE *out); /* NULL = softlab(1) */
void cli_manual_markdown(FILE *out);
void cli_completion_bash(FILE *out);
void cli_completion_zsh(FILE *out);
void cli_completion_fish(FILE *out);

/* signals.c: from now on SIGINT, SIGTERM and SIGHUP ask to stop, which cli_should_stop says (the
 * hook of whoever can be stopped; its context is unused). */
enum sl_status cli_catch_signals(struct sl_error *err);
bool cli_should_stop(void *context);
/* Once all is written: end by the signal that came, so that whoever started the program (a shell's
 * loop, softlab run) sees that it did not fail. Returns if none came. */
void cli_end_by_signal(void);

/* provenance.c: what was asked (softlab/pipeline/asked.h), as results and as rows carry it. */
struct sl_asked cli_asked(const struct cli *cli);
json_t *cli_provenance(const struct cli *cli);
char *cli_rows_provenance(const struct cli *cli, const char *output, const char *const *without);

/* output.c: columns of the terminal behind stderr, now; 0 if there is none. */
unsigned cli_terminal_columns(void);
/* A JSON value, which is taken, on stdout; the text of a key, "" where there is none. */
enum sl_status cli_print_json(json_t *value, struct sl_error *err);
const char *cli_json_text(const json_t *object, const char *key);
/* Rows of cells with aligned columns: numbers to the right, where `alignment` holds the letter 'r'
 * for the column; 'l' otherwise. */
struct cli_table {
    const char *alignment; /* one letter per column, e.g. "lrl" */
    size_t n_columns;
    char **cells; /* owned; (n_rows, n_columns) */
    size_t n_rows;
    char **texts; /* owned; what cli_cell and its like returned */
    size_t n_texts;
};
/* Begin a table, with titles of its columns (const char *, copied, as many as columns) or without;
 * add a row likewise; print the table on stdout and release it. */
void cli_table_begin(struct cli_table *table, const char *alignment, ...);
void cli_table_init(struct cli_table *table, const char *alignment);
void cli_table_add(struct cli_table *table, ...);
void cli_table_add_cells(struct cli_table *table, const char *const *cells);
void cli_table_end(struct cli_table *table);
void cli_table_release(struct cli_table *table);
/* Texts of cells, which the table owns: as printf says; "1,234"; "84.3 %" of 84.3, 1 decimal and
 * " %", or "-" of NaN. */
const char *cli_cell(struct cli_table *table, const char *format, ...) SL_PRINTF(2, 3);
const char *cli_count(struct cli_table *table, uint64_t value);
const char *cli_real(struct cli_table *table, double value, int decimals, const char *unit);
/* Milliseconds since 1970. */
int64_t cli_now(void);

#endif
