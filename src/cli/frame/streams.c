/* "-" among paths. Readers tell formats by the endings of names and several need to seek, writers
 * replace files whole: so what comes on stdin is put into a temporary file first, and what is to go
 * to stdout is copied there from one, once all of it has been written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "softlab/comm.h"
#include "softlab/pipeline/places.h"

enum { COPY_BYTES = 1 << 16 };

/* ---- Where paths are ---- */

/* An option's or an argument's path. */
struct slot {
    char name[64]; /* "--output", "FILE" */
    enum sl_field_kind kind;
    const char *path;                  /* NULL: not given */
    const struct sl_field_row *option; /* NULL: an argument, number `argument` */
    size_t argument;
};

static bool is_stream(const struct slot *slot)
{
    return slot->path && strcmp(slot->path, "-") == 0;
}

/* The slot number `index`: options first, then what was given of arguments. False past the last. */
static bool slot_at(const struct cli *cli, const void *values, size_t index, struct slot *out)
{
    const struct sl_field_row *option;
    for (size_t i = 0; (option = cli_option(cli->command, i)) != NULL; i++) {
        if (!sl_field_is_path(option->kind) || index-- > 0) continue;
        *out = (struct slot){.kind = option->kind, .option = option};
        memcpy(&out->path, (const char *)values + option->offset, sizeof out->path);
        snprintf(out->name, sizeof out->name, "--%s", option->name);
        return true;
    }
    const struct cli_argument *argument = cli->command->arguments;
    if (!argument || index >= cli->n_arguments) return false;
    for (size_t i = 0; i < index && argument[1].name; i++)
        argument++;
    *out = (struct slot){.kind = argument->kind, .path = cli->arguments[index], .argument = index};
    snprintf(out->name, sizeof out->name, "%s", argument->name);
    return true;
}

/* ---- What "-" can be ---- */

static bool is_binary(const char *suffix)
{
    static const char *const names[] = {".npz", ".npy", ".safetensors", ".onnx",
                                        ".png", ".slb", ".db"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(suffix, names[i]) == 0) return true;
    return false;
}

/* What is written to stdout is the first of the endings. */
static void stdout_suffix(const struct slot *slot, char out[32])
{
    const char *suffixes = slot->option ? slot->option->suffixes : NULL;
    sl_path_suffix_at(suffixes ? suffixes : "", 0, out);
}

static enum sl_status check_stdout(const struct cli *cli, const struct slot *slot,
                                   struct sl_error *err)
{
    char suffix[32];
    const char *prints = slot->option ? slot->option->prints : NULL;
    if (prints && (!prints[0] || cli_is_given(cli, prints)))
        return sl_fail(err, SL_ERR_USAGE,
                       "%s: the standard output has what the command prints%s%s: name a file",
                       slot->name, prints[0] ? " with --" : "", prints);
    stdout_suffix(slot, suffix);
    if (is_binary(suffix) && isatty(STDOUT_FILENO) == 1)
        return sl_fail(err, SL_ERR_USAGE,
                       "%s: a terminal cannot show %s: redirect the standard output or name a file",
                       slot->name, suffix);
    return SL_OK;
}

/* Nothing is written over what is read, nor two things into one file. */
static enum sl_status check_distinct(const struct cli *cli, const void *values,
                                     const struct slot *output, size_t index, struct sl_error *err)
{
    struct slot other;
    for (size_t i = 0; slot_at(cli, values, i, &other); i++) {
        const bool earlier = other.kind == SL_FIELD_OUTPUT && i < index;
        if (!other.path || is_stream(&other) || (other.kind != SL_FIELD_PATH && !earlier)) continue;
        if (strcmp(other.path, output->path) != 0 && !sl_path_same(other.path, output->path))
            continue;
        return sl_fail(err, SL_ERR_USAGE, "%s: %s is also %s; choose another name", output->name,
                       cli_shown(cli, output->path), earlier ? other.name : "read");
    }
    return SL_OK;
}

static enum sl_status check_output(const struct cli *cli, const void *values,
                                   const struct slot *slot, size_t index, struct sl_error *err)
{
    if (slot->option && slot->option->suffixes)
        SL_TRY(sl_path_check_suffix(slot->option->name, slot->path, slot->option->suffixes, err));
    return check_distinct(cli, values, slot, index, err);
}

enum sl_status cli_check_streams(const struct cli *cli, const void *values, struct sl_error *err)
{
    struct slot slot, taken[SL_FIELD_SOURCE + 1] = {{.path = NULL}};
    for (size_t i = 0; slot_at(cli, values, i, &slot); i++) {
        if (!slot.path || !sl_field_is_path(slot.kind)) continue;
        if (!is_stream(&slot)) {
            if (slot.kind == SL_FIELD_OUTPUT) SL_TRY(check_output(cli, values, &slot, i, err));
            continue;
        }
        if (sl_comm_size(cli->workplace.comm) > 1)
            return sl_fail(err, SL_ERR_USAGE,
                           "%s: - is a stream of one process, and several ranks run: name a file",
                           slot.name);
        if (slot.kind == SL_FIELD_FOLDER || slot.kind == SL_FIELD_SOURCE)
            return sl_fail(err, SL_ERR_USAGE, "%s: - is a stream, and %s is needed", slot.name,
                           slot.kind == SL_FIELD_FOLDER ? "a folder"
                                                        : "a name, a file or a folder");
        if (taken[slot.kind].path)
            return sl_fail(err, SL_ERR_USAGE, "%s: the standard %s is already that of %s",
                           slot.name, slot.kind == SL_FIELD_PATH ? "input" : "output",
                           taken[slot.kind].name);
        if (slot.kind == SL_FIELD_OUTPUT) SL_TRY(check_stdout(cli, &slot, err));
        taken[slot.kind] = slot;
    }
    return SL_OK;
}

/* ---- Temporary files ---- */

enum sl_status cli_scratch(struct cli *cli, struct sl_error *err)
{
    return cli->scratch ? SL_OK : sl_folder_scratch(cli->temporary, &cli->scratch, err);
}

static enum sl_status copy(FILE *from, const char *what, FILE *to, struct sl_error *err)
{
    char bytes[COPY_BYTES];
    size_t length;
    while ((length = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (to == stdout && memchr(bytes, 0, length) && isatty(STDOUT_FILENO) == 1)
            return sl_fail(err, SL_ERR_USAGE,
                           "a terminal cannot show what is not text: redirect the standard output");
        else if (fwrite(bytes, 1, length, to) != length)
            return sl_fail_errno(err, "%s", what);
    if (ferror(from)) return sl_fail_errno(err, "%s", what);
    return SL_OK;
}

/* All of stdin into a file in the scratch folder, *path with an ending that tells its format. */
static enum sl_status keep_stdin(struct cli *cli, char **path, struct sl_error *err)
{
    char beginning[COPY_BYTES];
    const size_t length = fread(beginning, 1, sizeof beginning, stdin);
    char *name =
        sl_string_printf("%s/stdin%s", cli->scratch, sl_suffix_of_bytes(beginning, length));
    sl_temporary_add(name);
    FILE *file = fopen(name, "wb");
    enum sl_status status = file ? SL_OK : sl_fail_errno(err, "%s", name);
    if (status == SL_OK && fwrite(beginning, 1, length, file) != length)
        status = sl_fail_errno(err, "%s", name);
    if (status == SL_OK) status = copy(stdin, "standard input", file, err);
    if (file && fclose(file) != 0 && status == SL_OK) status = sl_fail_errno(err, "%s", name);
    *path = name;
    return status;
}

static enum sl_status open_stream(struct cli *cli, const struct slot *slot, void *values,
                                  struct sl_error *err)
{
    char *path = NULL, suffix[32];
    enum sl_status status = SL_OK;
    SL_TRY(cli_scratch(cli, err));
    if (slot->kind == SL_FIELD_PATH) {
        status = keep_stdin(cli, &path, err);
    } else {
        stdout_suffix(slot, suffix);
        path = sl_string_printf("%s/stdout%s", cli->scratch, suffix);
        sl_temporary_add(path);
    }
    sl_places_add(&cli->places, path, slot->path, slot->kind);
    if (slot->option)
        memcpy((char *)values + slot->option->offset, &path, sizeof path);
    else
        cli->arguments[slot->argument] = path;
    return status;
}

enum sl_status cli_open_streams(struct cli *cli, void *values, struct sl_error *err)
{
    struct slot slot;
    for (size_t i = 0; slot_at(cli, values, i, &slot); i++)
        if (sl_field_is_path(slot.kind) && is_stream(&slot))
            SL_TRY(open_stream(cli, &slot, values, err));
    return SL_OK;
}

/* ---- Folders ---- */

/* They are temporary until the command is done: one that is still empty goes with a signal. */
void cli_note_folders(struct cli *cli, const void *values)
{
    struct slot slot;
    for (size_t i = 0; slot_at(cli, values, i, &slot); i++) {
        if (slot.kind != SL_FIELD_FOLDER || !slot.path) continue;
        const size_t existing = sl_folder_existing(slot.path);
        if (existing == strlen(slot.path)) continue;
        cli->folders = sl_resize(cli->folders, cli->n_folders + 1, sizeof *cli->folders);
        cli->folders[cli->n_folders++] = (struct cli_folder){slot.path, existing};
        sl_temporary_add(slot.path);
    }
}

void cli_tidy_folders(struct cli *cli, enum sl_status status)
{
    for (size_t i = 0; i < cli->n_folders; i++) {
        const struct cli_folder *folder = &cli->folders[i];
        sl_temporary_drop(folder->path);
        if (status != SL_OK) sl_folder_remove_empty(folder->path, folder->existing);
    }
    free(cli->folders);
    cli->folders = NULL;
}

/* ---- At the end ---- */

/* A command that failed for another reason, or had nothing to write, left no file. */
static enum sl_status print_file(const char *path, struct sl_error *err)
{
    FILE *file = fopen(path, "rb");
    if (!file) return errno == ENOENT ? SL_OK : sl_fail_errno(err, "%s", path);
    const enum sl_status status = copy(file, "stdout", stdout, err);
    fclose(file);
    return status;
}

char *cli_name_streams(const struct cli *cli, const char *text)
{
    char *named = sl_string_copy(text);
    for (size_t i = 0; i < cli->places.count; i++) {
        const char *path = cli->places.items[i].path;
        if (cli->places.items[i].stream == SL_FIELD_WORD) continue;
        char *renamed = sl_text_replace(named, path, cli_shown(cli, path));
        free(named);
        named = renamed;
    }
    return named;
}

enum sl_status cli_close_streams(struct cli *cli, enum sl_status status, struct sl_error *err)
{
    for (size_t i = 0; i < cli->places.count; i++) {
        const struct sl_found_path *place = &cli->places.items[i];
        if (place->stream == SL_FIELD_OUTPUT && status == SL_OK)
            status = print_file(place->path, err);
        if (place->stream == SL_FIELD_WORD) continue;
        unlink(place->path);
        sl_temporary_drop(place->path);
    }
    if (status != SL_OK && cli->places.count > 0) {
        char *message = cli_name_streams(cli, err->message);
        snprintf(err->message, sizeof err->message, "%s", message);
        free(message);
    }
    if (cli->scratch) {
        sl_folder_remove(cli->scratch);
        sl_temporary_drop(cli->scratch);
    }
    free(cli->scratch);
    cli->scratch = NULL;
    return status;
}
