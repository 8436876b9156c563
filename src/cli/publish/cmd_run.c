#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "softlab/experiment/launch.h"
#include "softlab/experiment/select.h"

enum { MEGABYTE = 1000000 };

static const char *scale_names(size_t index)
{
    static const char *const names[] = {"quick", "small", "paper", NULL};
    return names[index];
}

static const char *experiment_names(size_t index)
{
    return sl_builtin_specs[index];
}

static const char *launcher_names(size_t index)
{
    return sl_launchers[index].name;
}

/* AWAY: handed to Slurm or printed; PARTS: --run; FOLLOWS: --watch and --cancel. */
enum {
    RUNS = 1,
    PLANS = 2,
    LISTS = 4,
    INITS = 8,
    AWAY = 16,
    SLURM = 32,
    PARTS = 64,
    FOLLOWS = 128
};
enum { CHOOSES = RUNS | PLANS | AWAY, MAKES = CHOOSES | PARTS };

/* What is done with an EXPERIMENT. */
static struct sl_option_mode making_mode(const struct run_values *options)
{
    const struct sl_launcher *launcher = sl_launcher_find(options->launcher);
    if (launcher->watched) return (struct sl_option_mode){AWAY | SLURM, .name = "--launcher slurm"};
    if (launcher->away) return (struct sl_option_mode){AWAY, .name = "--launcher print"};
    if (options->dry_run) return (struct sl_option_mode){PLANS, .name = "--dry-run"};
    if (options->run) return (struct sl_option_mode){PARTS, .name = "--run"};
    return (struct sl_option_mode){RUNS, .name = "an experiment"};
}

/* --cancel alone; beside --watch or --launcher slurm it says what Ctrl-C does. */
static bool cancels_at_once(const struct run_values *options)
{
    return options->cancel && !options->watch && !sl_launcher_find(options->launcher)->watched;
}

static void run_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct run_values *options = values;
    *out = options->list    ? (struct sl_option_mode){LISTS, .name = "--list", .alone = true}
           : options->init  ? (struct sl_option_mode){INITS, .name = "--init", .alone = true}
           : options->watch ? (struct sl_option_mode){FOLLOWS, .name = "--watch", .alone = true}
           : cancels_at_once(options)
               ? (struct sl_option_mode){FOLLOWS, .name = "--cancel", .alone = true}
               : making_mode(options);
}

static const char *const run_samples[] = {"--list",
                                          "--init shapes",
                                          "collins2022/table2",
                                          "collins2022/table2 --dry-run",
                                          "collins2022/table2 --launcher slurm",
                                          "collins2022/table2 --launcher slurm --cancel",
                                          "collins2022/table2 --launcher print",
                                          "collins2022/table2 --run 0123",
                                          "--watch",
                                          "--watch --cancel",
                                          "--cancel",
                                          NULL};

#define FIELD(name) .offset = offsetof(struct run_values, name)
static const struct sl_field_row run_options[] = {
    {"scale", SL_FIELD_CHOICE, FIELD(scale),
     "quick: a tiny network and few epochs, to see it work; small: ResNet-20 or ResNet-34A for "
     "the recipe's full length, all tables in at most 40 core-hours; paper: as published",
     .value = "SCALE", .fallback = "quick", .names = scale_names, .modes = MAKES},
    {"output", SL_FIELD_FOLDER, FIELD(output),
     "the folder of results.jsonl and of everything that runs write; with --init, the folder of "
     "spec.json (default: experiment)",
     .letter = 'o', .fallback = "results", .modes = MAKES | INITS | FOLLOWS},
    {"jobs", SL_FIELD_INTEGER, FIELD(jobs),
     "processes at the same time (default: one per core); they share the threads", .letter = 'j',
     .minimum = 1, .maximum = 1024, .modes = RUNS | PLANS | PARTS},
    {"threads", SL_FIELD_INTEGER, FIELD(threads),
     "threads of all processes together (default: all cores); with --launcher slurm or print, "
     "threads of each run (default: 1); results are the same for any number",
     .value = "N", .minimum = 1, .maximum = SL_POOL_MOST_THREADS, .modes = MAKES},
    {"memory", SL_FIELD_INTEGER, FIELD(memory),
     "memory for all processes together (default: all that is free)", .value = "MB", .minimum = 1,
     .maximum = 1e9, .modes = RUNS | PARTS},
    {"only", SL_FIELD_WORD, FIELD(only),
     "run only these cells: a label set, network, part or seed, or several joined by |; figures: "
     "everything that needs no training",
     .value = "CELL", .modes = CHOOSES},
    {"shard", SL_FIELD_WORD, FIELD(shard),
     "run only part I of N, for machines that share nothing; join their results.jsonl with cat",
     .value = "I/N", .modes = CHOOSES},
    {"as-published", SL_FIELD_BOOLEAN, FIELD(as_published),
     "use the recipes of the papers' texts, not those of their programs", .modes = MAKES},
    {"tune", SL_FIELD_BOOLEAN, FIELD(tune),
     "search the paper's grids first, and use the values that are best here",
     .modes = RUNS | PLANS},
    {"dry-run", SL_FIELD_BOOLEAN, FIELD(dry_run),
     "print the runs and how long they take on this machine; of your own specification, also check "
     "every file and setting",
     .letter = 'n', .modes = RUNS | PLANS | PARTS},
    {"launcher", SL_FIELD_CHOICE, FIELD(launcher),
     "where runs are made: local: this machine; slurm: a Slurm cluster that shares the folder, one "
     "task per run; print: print one command per run, for any other scheduler",
     .value = "WHERE", .fallback = "local", .names = launcher_names, .modes = RUNS | AWAY},
    {"slurm", SL_FIELD_WORD, FIELD(slurm),
     "options of sbatch, without --, separated by commas: partition=gpu,time=60 (default: memory "
     "and time by softlab's own estimate)",
     .value = "WORDS", .modes = SLURM},
    {"run", SL_FIELD_WORD, FIELD(run),
     "make only the runs with these keys, each in its folder below parts; as --launcher print "
     "prints it, for any number of machines at once that share the folder",
     .value = "KEY,...", .modes = RUNS | PLANS | PARTS},
    {"watch", SL_FIELD_BOOLEAN, FIELD(watch),
     "follow the Slurm jobs of the folder and join their results; Ctrl-C stops watching only, "
     "unless --cancel is given"},
    {"cancel", SL_FIELD_BOOLEAN, FIELD(cancel),
     "cancel the Slurm jobs of the folder and join what they finished; with --watch or --launcher "
     "slurm, do so when Ctrl-C is pressed"},
    {"init", SL_FIELD_SOURCE, FIELD(init),
     "write a specification to start from, for a data set by name or a folder of images",
     .value = "DATA"},
    {"answers", SL_FIELD_SOURCE, FIELD(answers),
     "with --init: annotators' answers about the items, for label sets beside the hard labels",
     .value = "FILE", .modes = INITS},
    {"list", SL_FIELD_BOOLEAN, FIELD(list), "print the built-in experiments"},
    {.name = NULL},
};
#undef FIELD

static const struct cli_argument run_arguments[] = {
    {.name = "EXPERIMENT",
     .help = "a name from --list, a paper for all of its tables, all for every paper, or your own "
             "spec.json or its folder",
     .kind = SL_FIELD_SOURCE,
     .choices = experiment_names,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

/* ---- Lists ---- */

static enum sl_status print_list(struct sl_error *err)
{
    struct cli_table table;
    cli_table_init(&table, "ll");
    enum sl_status status = SL_OK;
    for (size_t i = 0; sl_builtin_specs[i] && status == SL_OK; i++) {
        struct sl_spec *spec = NULL;
        status = sl_spec_read(sl_builtin_specs[i], "paper", &spec, err);
        if (status != SL_OK) break;
        cli_table_add(&table, spec->name, spec->brief->title);
        sl_spec_destroy(spec);
    }
    if (status == SL_OK) cli_table_end(&table);
    cli_table_release(&table);
    return status;
}

static enum sl_status write_spec(struct cli *cli, const struct run_values *values,
                                 struct sl_error *err)
{
    const bool given = cli_is_given(cli, "output");
    const struct sl_spec_init init = {.data = values->init,
                                      .answers = values->answers,
                                      .folder = given ? values->output : "experiment",
                                      .roots = &cli->workplace.roots};
    char *path = NULL;
    SL_TRY(sl_spec_init(&init, &path, err));
    sl_log(&cli->log, SL_LOG_INFO, "softlab run %s --dry-run says what it trains", init.folder);
    printf("%s\n", path);
    free(path);
    return SL_OK;
}

static enum sl_status print_grids(const struct sl_spec *spec,
                                  const struct sl_experiment_options *options,
                                  const struct sl_experiment_runner *runner,
                                  struct run_tally *tally, struct sl_error *err)
{
    for (size_t i = 0; i < sl_experiment_n_grids(spec); i++) {
        struct sl_experiment *grid = NULL;
        SL_TRY(sl_experiment_grid(spec, options, i, &grid, err));
        const enum sl_status status = run_print_plan(grid, runner, tally, err);
        sl_experiment_destroy(grid);
        if (status != SL_OK) return status;
    }
    return SL_OK;
}

/* ---- Running ---- */

/* Whether the scale makes a difference to any of the runs. */
static bool trains(const struct sl_experiment *experiment)
{
    for (size_t i = 0; i < experiment->n_runs; i++)
        if (experiment->runs[i].training != SIZE_MAX) return true;
    return false;
}

static void say_scale(const struct cli *cli, const char *scale)
{
    const bool bold = cli->progress.stream && cli->progress.terminal;
    sl_log(&cli->log, SL_LOG_INFO,
           "%s%s scale: its numbers are no reproduction; --scale paper is%s", bold ? "\033[1m" : "",
           scale, bold ? "\033[0m" : "");
}

static enum sl_status run_all(struct cli *cli, const struct run_values *values, const char *name,
                              const struct sl_experiment *experiment,
                              const struct sl_experiment_runner *runner, struct run_tally *tally,
                              struct sl_error *err)
{
    struct sl_experiment_outcome outcome = {0};
    const enum sl_status status = values->run
                                      ? sl_experiment_run_parts(experiment, runner, &outcome, err)
                                      : run_launch(values, name, experiment, runner, &outcome, err);
    run_board_clear(runner->hooks.context);
    const bool here = !sl_launcher_find(values->launcher)->away;
    if (here && (status == SL_OK || status == SL_ERR_STOPPED))
        sl_log(&cli->log, SL_LOG_INFO,
               "%s: %zu run%s made, %zu there before, %zu failed, %zu missing", experiment->name,
               outcome.done, sl_text_plural(outcome.done, "", "s"), outcome.skipped, outcome.failed,
               outcome.missing);
    tally->there += outcome.done + outcome.skipped;
    tally->failed += outcome.failed;
    tally->missing += outcome.missing;
    tally->all += experiment->n_runs;
    if (!here && status == SL_OK)
        tally->away += experiment->n_runs - outcome.skipped - outcome.missing;
    return status;
}

static enum sl_status run_one(struct cli *cli, const struct run_values *values, const char *name,
                              struct sl_experiment_runner *runner, struct run_tally *tally,
                              struct sl_error *err)
{
    char *remembered = values->dry_run ? NULL : sl_path_join(values->output, "inputs.json");
    struct sl_experiment_options options = {.as_published = values->as_published,
                                            .roots = &runner->roots,
                                            .remembered = remembered,
                                            .seen = tally->seen};
    json_t *tuned = NULL;
    struct sl_spec *spec = NULL;
    struct sl_experiment *experiment = NULL;
    size_t index = 0, count = 1;
    enum sl_status status = SL_OK;
    if (values->shard) status = sl_shard_read(values->shard, &index, &count, err);
    if (status != SL_OK) {
        sl_fail_within(err, status, "--shard");
        goto out;
    }
    SL_TRY_OUT(sl_spec_read(name, values->scale, &spec, err));
    runner->spec = spec->folder ? spec : NULL;
    if (values->tune && sl_experiment_n_grids(spec) == 0)
        sl_log(&cli->log, SL_LOG_WARNING, "%s has no grids, so --tune has no effect on it",
               spec->name);
    if (values->tune && values->dry_run) {
        SL_TRY_OUT(print_grids(spec, &options, runner, tally, err));
    } else if (values->tune) {
        status = sl_experiment_tune(spec, &options, runner, &tuned, err);
        run_board_clear(runner->hooks.context);
        if (status != SL_OK) goto out;
    }
    options.tuned = tuned;
    SL_TRY_OUT(sl_experiment_create(spec, &options, &experiment, err));
    tally->n_experiments++;
    if (values->only) {
        status = sl_experiment_only(experiment, values->only, err);
        tally->n_without += status == SL_ERR_NOT_FOUND;
        if (status != SL_OK) goto out;
    }
    if (values->run) SL_TRY_OUT(sl_experiment_only_keys(experiment, values->run, err));
    sl_experiment_shard(experiment, index, count);
    /* Those that are built in are tested; trying them all would take minutes. */
    if (values->dry_run && spec->folder) SL_TRY_OUT(run_rehearse(cli, experiment, runner, err));
    if (values->dry_run)
        SL_TRY_OUT(run_print_plan(experiment, runner, tally, err));
    else if (sl_spec_is_small(spec) && trains(experiment))
        say_scale(cli, values->scale);
    if (!values->dry_run) SL_TRY_OUT(run_all(cli, values, name, experiment, runner, tally, err));
out:
    json_decref(tuned);
    sl_experiment_destroy(experiment);
    sl_spec_destroy(spec);
    runner->spec = NULL;
    free(remembered);
    return status;
}

/* Of several experiments some may lack what --only names; not all. */
static enum sl_status run_several(struct cli *cli, const struct run_values *values,
                                  char *const *names, struct sl_experiment_runner *runner,
                                  struct run_tally *tally, struct sl_error *err)
{
    for (size_t i = 0; names[i]; i++) {
        if (cli_should_stop(NULL))
            return sl_fail(err, SL_ERR_STOPPED, "stopped before %s; the same command continues",
                           names[i]);
        const size_t before = tally->n_without;
        const enum sl_status status = run_one(cli, values, names[i], runner, tally, err);
        if (status == SL_OK) continue;
        const bool passes = tally->n_without > before && names[1];
        if (!passes) return status;
        sl_log(&cli->log, SL_LOG_INFO, "passed over: %s", err->message);
    }
    if (tally->n_without == tally->n_experiments)
        return sl_fail(err, SL_ERR_NOT_FOUND, "none of the %zu experiments has \"%s\"",
                       tally->n_experiments, values->only);
    return SL_OK;
}

/* The watch sees Ctrl-C too: it says that the jobs that were submitted go on, or cancels them. */
static enum sl_status run_and_follow(struct cli *cli, const struct run_values *values,
                                     char *const *names, struct sl_experiment_runner *runner,
                                     struct run_tally *tally, struct sl_error *err)
{
    const enum sl_status status = run_several(cli, values, names, runner, tally, err);
    if (tally->away == 0 || !sl_launcher_find(values->launcher)->watched) return status;
    if (status != SL_OK && status != SL_ERR_STOPPED) {
        sl_log(&cli->log, SL_LOG_WARNING,
               "experiments before this one were submitted: follow them with softlab run --watch "
               "-o %s, or end them with softlab run --cancel -o %s",
               values->output, values->output);
        return status;
    }
    SL_TRY(run_follow(cli, values, &runner->hooks, tally, err));
    if (status == SL_OK) return SL_OK;
    return sl_fail(err, SL_ERR_STOPPED,
                   "stopped before all experiments were submitted; the same command continues");
}

static enum sl_status check_dry(const struct run_tally *tally, struct sl_error *err)
{
    if (tally->missing > 0)
        return sl_fail(err, SL_ERR_NOT_FOUND,
                       "%zu of %zu run%s cannot be made; what %s is said above", tally->missing,
                       tally->all, sl_text_plural(tally->all, "", "s"),
                       sl_text_plural(tally->missing, "it lacks", "they lack"));
    if (tally->lacking > 0)
        return sl_fail(err, SL_ERR_NOT_FOUND,
                       "%zu of %zu run%s cannot be scored on every test; what %s is said above",
                       tally->lacking, tally->all, sl_text_plural(tally->all, "", "s"),
                       sl_text_plural(tally->lacking, "it lacks", "they lack"));
    return SL_OK;
}

/* What the command says at its end, and whether it succeeded. */
static enum sl_status conclude(const struct run_values *values, const struct run_tally *tally,
                               struct sl_error *err)
{
    if (values->dry_run) return check_dry(tally, err);
    if (tally->failed > 0)
        return sl_fail(err, SL_ERR_INPUT, "%zu of %zu run%s failed, see %s/failures.jsonl",
                       tally->failed, tally->all, sl_text_plural(tally->all, "", "s"),
                       values->output);
    if (tally->there == 0 && tally->away == 0 && tally->missing > 0)
        return sl_fail(err, SL_ERR_NOT_FOUND,
                       "of %zu run%s, none can be made here; what %s is said above", tally->missing,
                       sl_text_plural(tally->missing, "", "s"),
                       sl_text_plural(tally->missing, "it lacks", "they lack"));
    const struct sl_launcher *launcher = sl_launcher_find(values->launcher);
    if ((!launcher->away || launcher->watched) && !values->run)
        printf("%s/results.jsonl\n", values->output);
    return SL_OK;
}

static enum sl_status run_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct run_values *values = raw;
    if (values->list) return print_list(err);
    if (values->init) return write_spec(cli, values, err);
    if (values->watch || cancels_at_once(values)) return run_follow_only(cli, values, err);
    if (cli->n_arguments == 0)
        return sl_fail(err, SL_ERR_USAGE, "name an EXPERIMENT, see softlab run --list");
    const size_t cores = sl_cpu_count();
    const struct sl_launcher *launcher = sl_launcher_find(values->launcher);
    struct run_board board = {.cli = cli};
    char **names = NULL;
    /* Children work in the results folder. */
    char *given = cli->workplace.roots.given ? sl_path_absolute(cli->workplace.roots.given) : NULL;
    char *folder =
        cli->workplace.roots.folder ? sl_path_absolute(cli->workplace.roots.folder) : NULL;
    struct run_tally tally = {.seen = sl_seen_data_create()};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(cli_catch_signals(err));
    /* Once, before the first experiment is submitted: then the folder has jobs. */
    if (launcher->watched) SL_TRY_OUT(sl_launch_check(values->output, err));
    /* Children look for data where this process does, from another folder. */
    if (given && setenv("SOFTLAB_DATA", given, 1) != 0) {
        status = sl_fail_errno(err, "SOFTLAB_DATA");
        goto out;
    }
    struct sl_experiment_runner runner = {
        .folder = values->output,
        .roots = {.given = given, .folder = folder},
        .n_processes = values->jobs > 0 ? (size_t)values->jobs : cores,
        .threads = values->threads > 0 ? (size_t)values->threads
                   : launcher->away    ? 1
                                       : cores,
        .memory = (size_t)values->memory * MEGABYTE,
        .hooks = run_board_hooks(&board),
    };
    names = sl_experiments_asked(cli->arguments, cli->n_arguments);
    if (values->dry_run)
        tally.estimator = sl_estimator_create(&runner.roots, runner.n_processes, runner.threads);
    SL_TRY_OUT(run_and_follow(cli, values, names, &runner, &tally, err));
    if (values->dry_run) run_print_sum(&tally, values->scale, runner.n_processes);
    status = conclude(values, &tally, err);
out:
    sl_estimator_destroy(tally.estimator);
    sl_seen_data_destroy(tally.seen);
    run_board_release(&board);
    sl_names_destroy(names);
    free(given);
    free(folder);
    return status;
}

static const struct cli_example run_examples[] = {
    {"softlab run collins2022/table2", "a small form of the paper's table, in minutes"},
    {"softlab run thesis2022 uma2020 --only figures", "what needs no training, of two papers"},
    {"softlab run all --scale small --dry-run",
     "what all tables take at the scale small, together"},
    {"softlab run collins2022/table2 --scale paper --dry-run", "how long the real one would take"},
    {"softlab run collins2022/table1 --scale paper --shard 2/8 -o part2",
     "an eighth of it, on one of eight machines"},
    {"softlab run collins2022 --scale paper --launcher slurm --slurm partition=work -o shared",
     "on a Slurm cluster, in a folder that all its nodes see"},
    {"softlab run --watch -o shared", "and follow it again, from another terminal or day"},
    {"softlab run --watch --cancel -o shared", "follow it, and let Ctrl-C cancel its jobs"},
    {"softlab run --init photos --answers votes.csv -o mine", "begin an experiment of one's own"},
    {"softlab run mine -o results --only 'votes|resnet8'", "and run some of its cells"},
    {NULL, NULL},
};

const struct cli_command cmd_run = {
    .name = "run",
    .also = "experiment experiments reproduce replicate",
    .group = "learn",
    .summary = "run a paper's table: train and score every cell, one process per core",
    .description =
        "Runs an experiment: builds its label sets, trains and scores every cell, one process per "
        "core, and appends a line per run to results.jsonl. The command can be stopped or killed "
        "at any moment; the same command resumes it. Finished runs are not repeated, also if "
        "another experiment in the folder made them. A failed run does not stop the others; "
        "failures.jsonl has the end of its log. experiments/README.md describes specifications.",
    .arguments = run_arguments,
    .options = run_options,
    .examples = run_examples,
    .values_size = sizeof(struct run_values),
    .mode = run_mode,
    .samples = run_samples,
    .run = run_run,
};
