/* From the user's text to a data set: first a named set, then a path. A path may end in ":split" if
 * its reader knows splits ("cifar10/:train"). */
#include <stdlib.h>
#include <string.h>

#include "dataset/readers/reader.h"
#include "softlab/base/buffer.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* Folders last: that reader would take CIFAR and IDX folders for folders without pictures. */
const struct sl_reader *const sl_readers[] = {
    &sl_reader_cifar, &sl_reader_idx,    &sl_reader_npy, &sl_reader_npz,
    &sl_reader_tsv,   &sl_reader_folder, NULL,
};

static bool path_exists(const char *path)
{
    return sl_file_exists(path) || sl_folder_exists(path);
}

static enum sl_status open_path(const char *path, const char *split, struct sl_dataset **out,
                                struct sl_error *err)
{
    for (const struct sl_reader *const *reader = sl_readers; *reader; reader++)
        if ((*reader)->probe(path)) return (*reader)->open(path, split, out, err);
    struct sl_buffer known;
    sl_buffer_init(&known, sizeof err->message);
    for (const struct sl_reader *const *reader = sl_readers; *reader; reader++)
        sl_buffer_printf(&known, "%s%s", known.length ? "; " : "", (*reader)->summary);
    sl_fail(err, SL_ERR_INPUT, "%s: not a data set; expected one of: %s", path, known.data);
    sl_buffer_release(&known);
    return SL_ERR_INPUT;
}

static const struct sl_named_dataset *find_named(const char *name, size_t length)
{
    for (const struct sl_named_dataset *row = sl_named_datasets; row->name; row++)
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0) return row;
    return NULL;
}

static enum sl_status fail_unknown(const char *name, size_t length, struct sl_error *err)
{
    const char *names[32] = {NULL};
    for (size_t i = 0; sl_named_datasets[i].name && i + 1 < sizeof names / sizeof *names; i++)
        names[i] = sl_named_datasets[i].name;
    char *word = sl_string_copy_n(name, length);
    char ending[SL_SUGGESTION_TEXT];
    const char *suggestion = sl_text_suggestion(word, names, "", ending);
    sl_fail(err, SL_ERR_NOT_FOUND, "no data set, file or folder %s%s", *suggestion ? word : name,
            suggestion);
    free(word);
    return SL_ERR_NOT_FOUND;
}

/* Report a wrong split before asking the user to fetch the set. */
static enum sl_status check_split(const struct sl_named_dataset *named, const char *split,
                                  struct sl_error *err)
{
    if (!named->splits || !split) return SL_OK;
    size_t length = strlen(split);
    for (const char *at = named->splits; *at;) {
        size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, split, length) == 0) return SL_OK;
        at += word;
        at += strspn(at, ", ");
    }
    return sl_fail(err, SL_ERR_USAGE, "%s has no split %s; it has %s", named->name, split,
                   named->splits);
}

static enum sl_status open_any(const char *name, const struct sl_data_roots *roots,
                               struct sl_dataset **out, struct sl_error *err)
{
    size_t head = strcspn(name, ":");
    const char *options = name[head] ? name + head + 1 : NULL;
    const struct sl_named_dataset *named = find_named(name, head);
    if (named) {
        SL_TRY(check_split(named, options, err));
        return named->open(options, roots, out, err);
    }
    if (path_exists(name)) return open_path(name, NULL, out, err);
    const char *colon = strrchr(name, ':');
    if (!colon) return fail_unknown(name, head, err);
    char *path = sl_string_copy_n(name, (size_t)(colon - name));
    enum sl_status status =
        path_exists(path) ? open_path(path, colon + 1, out, err) : fail_unknown(name, head, err);
    free(path);
    return status;
}

enum sl_status sl_dataset_open(const char *name, const struct sl_data_roots *roots,
                               struct sl_dataset **out, struct sl_error *err)
{
    SL_TRY(open_any(name, roots, out, err));
    free((*out)->name);
    (*out)->name = sl_string_copy(name);
    return SL_OK;
}
