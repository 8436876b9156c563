#include "study/purge_list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static const char file_name[] = "study.purged";
enum { LIST_BYTES = 256 << 20, LINE_BYTES = 128 };

struct entry {
    int64_t until;
    char person[SL_SHA256_TEXT];
};
struct list {
    struct entry *entries; /* owned */
    size_t count, capacity;
};

static void digest(const uint8_t person[SL_STORE_PERSON_BYTES], char out[SL_SHA256_TEXT])
{
    sl_sha256(person, SL_STORE_PERSON_BYTES, out);
}

/* ---- Reading ---- */

static bool read_line(const char *line, size_t length, struct entry *out)
{
    const char *space = memchr(line, ' ', length);
    if (!space || line + length - (space + 1) != SL_SHA256_TEXT - 1) return false;
    memcpy(out->person, space + 1, SL_SHA256_TEXT - 1);
    out->person[SL_SHA256_TEXT - 1] = '\0';
    return strspn(out->person, "0123456789abcdef") == SL_SHA256_TEXT - 1 &&
           sl_text_to_integer(line, (size_t)(space - line), &out->until);
}

static enum sl_status read_lines(const char *path, const struct sl_buffer *text, struct list *list,
                                 struct sl_error *err)
{
    size_t number = 1;
    for (size_t at = 0; at < text->length; number++) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->length - at);
        /* An incomplete line: the process died before it reported success. */
        if (!end) break;
        if (list->count == list->capacity) {
            list->capacity = list->capacity * 2 + 64;
            list->entries = sl_resize(list->entries, list->capacity, sizeof *list->entries);
        }
        if (!read_line(line, (size_t)(end - line), &list->entries[list->count]))
            return sl_fail(
                err, SL_ERR_INPUT,
                "%s:%zu: expected a time and 64 hexadecimal digits; restore the file, or "
                "people who withdrew come back with the next restore",
                path, number);
        list->count++;
        at += (size_t)(end - line) + 1;
    }
    return SL_OK;
}

static enum sl_status read_list(const char *folder, struct list *list, struct sl_error *err)
{
    char *path = sl_path_join(folder, file_name);
    struct sl_buffer text;
    sl_buffer_init_data(&text, LIST_BYTES);
    enum sl_status status = sl_file_read(path, &text, err);
    if (status == SL_ERR_NOT_FOUND)
        status = SL_OK;
    else if (status == SL_OK)
        status = read_lines(path, &text, list, err);
    sl_buffer_release(&text);
    free(path);
    return status;
}

enum sl_status sl_purged_has(const char *folder, const uint8_t person[SL_STORE_PERSON_BYTES],
                             bool *found, struct sl_error *err)
{
    struct list list = {0};
    char hash[SL_SHA256_TEXT];
    digest(person, hash);
    enum sl_status status = read_list(folder, &list, err);
    *found = false;
    for (size_t i = 0; i < list.count; i++)
        *found |= strcmp(list.entries[i].person, hash) == 0;
    free(list.entries);
    return status;
}

/* ---- Adding ---- */

/* The end of the last complete line; a line that a crash cut off may follow. */
static enum sl_status find_end(int file, const char *path, off_t *end, struct sl_error *err)
{
    char tail[LINE_BYTES];
    struct stat info;
    if (fstat(file, &info) != 0) return sl_fail_errno(err, "%s", path);
    const off_t from = info.st_size > LINE_BYTES ? info.st_size - LINE_BYTES : 0;
    const size_t length = (size_t)(info.st_size - from);
    SL_TRY(sl_file_pread(file, path, (uint64_t)from, tail, length, err));
    size_t kept = length;
    while (kept > 0 && tail[kept - 1] != '\n')
        kept--;
    if (kept == 0 && from > 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s is not a list of removed people; restore the file from a backup", path);
    *end = from + (off_t)kept;
    return SL_OK;
}

static enum sl_status append(int file, const char *path, const char *line, struct sl_error *err)
{
    off_t end = 0;
    const size_t length = strlen(line);
    if (flock(file, LOCK_EX) != 0) return sl_fail_errno(err, "%s", path);
    SL_TRY(find_end(file, path, &end, err));
    if (ftruncate(file, end) != 0 || pwrite(file, line, length, end) != (ssize_t)length ||
        fsync(file) != 0)
        return sl_fail_errno(err, "%s", path);
    return SL_OK;
}

/* The file's name is on disk once its folder is synced. */
static enum sl_status sync_folder(const char *folder, struct sl_error *err)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return sl_fail_errno(err, "%s", folder);
    /* Some file systems cannot sync folders. */
    enum sl_status status =
        fsync(file) == 0 || errno == EINVAL ? SL_OK : sl_fail_errno(err, "%s", folder);
    close(file);
    return status;
}

enum sl_status sl_purged_add(const char *folder, const uint8_t person[SL_STORE_PERSON_BYTES],
                             int64_t until, struct sl_error *err)
{
    char hash[SL_SHA256_TEXT], line[LINE_BYTES];
    digest(person, hash);
    snprintf(line, sizeof line, "%" PRId64 " %s\n", until, hash);
    char *path = sl_path_join(folder, file_name);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    enum sl_status status = SL_OK;
    if (file < 0) {
        status = sl_fail_errno(err, "%s", path);
    } else {
        (void)fchmod(file, 0600);
        status = append(file, path, line, err);
        close(file);
    }
    if (status == SL_OK) status = sync_folder(folder, err);
    free(path);
    return status;
}

/* ---- Applying ---- */

struct finding {
    uint8_t person[SL_STORE_PERSON_BYTES];
    int64_t until;
};

struct search {
    const struct list *list;
    struct finding *found; /* owned */
    size_t count, capacity;
};

static enum sl_status look_at(const struct sl_store_row *row, void *context)
{
    struct search *search = context;
    char hash[SL_SHA256_TEXT];
    digest(row->session->person, hash);
    for (size_t i = 0; i < search->list->count; i++) {
        const struct entry *entry = &search->list->entries[i];
        if (row->session->started > entry->until || strcmp(entry->person, hash) != 0) continue;
        if (search->count == search->capacity) {
            search->capacity = search->capacity * 2 + 16;
            search->found = sl_resize(search->found, search->capacity, sizeof *search->found);
        }
        struct finding *one = &search->found[search->count++];
        memcpy(one->person, row->session->person, sizeof one->person);
        one->until = entry->until;
    }
    return SL_OK;
}

enum sl_status sl_purged_apply(const char *folder, struct sl_store *store, int64_t now,
                               size_t *sessions, struct sl_error *err)
{
    struct list list = {0};
    struct search search = {.list = &list};
    struct sl_store_purged removed;
    enum sl_status status = SL_OK;
    *sessions = 0;
    SL_TRY_OUT(read_list(folder, &list, err));
    if (list.count > 0) SL_TRY_OUT(sl_store_each_session(store, look_at, &search, err));
    for (size_t i = 0; i < search.count; i++) {
        SL_TRY_OUT(sl_store_purge(store, search.found[i].person, search.found[i].until, now,
                                  &removed, err));
        *sessions += removed.sessions;
    }
out:
    free(list.entries);
    free(search.found);
    return status;
}
