#include <string.h>
#include <unistd.h>

#include "answer/votes.h"

/* Enough to see past a byte order mark and some white space. */
enum { BEGINNING = 64 };

static enum sl_status read_beginning(const char *path, char *out, size_t *length,
                                     struct sl_error *err)
{
    int descriptor = -1;
    uint64_t size = 0;
    SL_TRY(sl_file_open(path, &descriptor, &size, err));
    *length = size < BEGINNING ? (size_t)size : BEGINNING;
    enum sl_status status =
        *length > 0
            ? sl_file_pread(descriptor, path, 0, out, *length, err)
            : sl_fail(err, SL_ERR_INPUT, "%s: empty, or not a file that can be read twice", path);
    close(descriptor);
    return status;
}

static enum sl_status read_slb(const char *path, const struct sl_import_options *options,
                               struct sl_votes **out, struct sl_error *err)
{
    struct sl_votes *votes = NULL;
    SL_TRY(sl_slb_read(path, &votes, err));
    enum sl_status status = SL_OK;
    if (options->classes) {
        struct sl_name_table *names = sl_name_table_create();
        uint32_t number = 0;
        for (size_t i = 0; i < votes->n_classes && status == SL_OK; i++)
            status = sl_name_table_add(names, votes->classes[i], strlen(votes->classes[i]), &number,
                                       err);
        const struct sl_vote_labels labels = {.names = names, .sorted = true};
        char **before = votes->classes;
        if (status == SL_OK)
            status = sl_votes_set_classes(votes, &labels, options->classes, path, err);
        if (status == SL_OK) sl_names_destroy(before);
        sl_name_table_destroy(names);
    }
    if (status == SL_OK && options->notes) {
        options->notes->n_read += votes->count;
        status = sl_votes_note_duplicates(votes, path, options->notes, err);
    }
    if (status == SL_OK)
        *out = votes;
    else
        sl_votes_destroy(votes);
    return status;
}

enum sl_status sl_votes_read(const char *path, const struct sl_import_options *options,
                             struct sl_votes **out, struct sl_error *err)
{
    static const struct sl_import_options none;
    char beginning[BEGINNING];
    size_t length = 0;
    if (!options) options = &none;
    SL_TRY(read_beginning(path, beginning, &length, err));
    if (length >= sizeof sl_slb_magic && memcmp(beginning, sl_slb_magic, sizeof sl_slb_magic) == 0)
        return read_slb(path, options, out, err);
    size_t first = 0;
    while (first < length && (beginning[first] == ' ' || beginning[first] == '\t'))
        first++;
    bool jsonl = first < length && beginning[first] == '{';
    return sl_votes_build(path, jsonl ? &sl_votes_jsonl : &sl_votes_csv, options, out, err);
}
