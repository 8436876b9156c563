#include "softlab/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softlab/base/memory.h"

enum { READ_CHUNK = 256 * 1024, SCRATCH_TRIES = 100 };

/* SL_ERR_NOT_FOUND if there is no such file, SL_ERR_IO otherwise. */
static enum sl_status fail_open(const char *path, struct sl_error *err)
{
    enum sl_status code = errno == ENOENT ? SL_ERR_NOT_FOUND : SL_ERR_IO;
    sl_fail_errno(err, "%s", path);
    if (err) err->code = code;
    return code;
}

enum sl_status sl_file_open(const char *path, int *descriptor, uint64_t *size, struct sl_error *err)
{
    int opened = open(path, O_RDONLY | O_CLOEXEC);
    if (opened < 0) return fail_open(path, err);
    struct stat info;
    if (fstat(opened, &info) != 0) {
        sl_fail_errno(err, "%s", path);
        close(opened);
        return SL_ERR_IO;
    }
    if (S_ISDIR(info.st_mode)) {
        close(opened);
        return sl_fail(err, SL_ERR_INPUT, "%s is a folder, not a file", path);
    }
    *descriptor = opened;
    if (size) *size = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    return SL_OK;
}

enum sl_status sl_file_read(const char *path, struct sl_buffer *out, struct sl_error *err)
{
    int descriptor = -1;
    uint64_t size = 0;
    SL_TRY(sl_file_open(path, &descriptor, &size, err));
    enum sl_status status = SL_OK;
    size_t before = out->length;
    /* One byte beyond the stated size lets the last read see the end of the file
     * without growing the buffer. */
    size_t chunk = size < READ_CHUNK ? READ_CHUNK : (size_t)size + 1;
    for (;;) {
        size_t left = out->maximum - out->length;
        char *room = sl_buffer_reserve(out, chunk < left ? chunk : left);
        if (!room) {
            status = sl_fail(err, SL_ERR_NOMEM, "%s: not enough memory for %zu bytes", path,
                             out->length + (chunk < left ? chunk : left));
            out->overflowed = out->exhausted = false;
            break;
        }
        char probe;
        ssize_t got = left ? read(descriptor, room, chunk < left ? chunk : left)
                           : read(descriptor, &probe, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = sl_fail_errno(err, "%s", path);
        if (got <= 0) break;
        if (!left) {
            status = sl_fail(err, SL_ERR_INPUT, "%s is longer than %zu bytes", path, out->maximum);
            break;
        }
        out->length += (size_t)got;
        chunk = (size_t)got < chunk ? chunk - (size_t)got : READ_CHUNK;
    }
    if (status != SL_OK) out->length = before;
    if (out->data) out->data[out->length] = '\0';
    close(descriptor);
    return status;
}

enum sl_status sl_file_pread(int descriptor, const char *path, uint64_t offset, void *out,
                             size_t length, struct sl_error *err)
{
    size_t done = 0;
    while (done < length) {
        ssize_t got = pread(descriptor, (char *)out + done, length - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sl_fail_errno(err, "%s", path);
        if (got == 0)
            return sl_fail(err, SL_ERR_INPUT, "%s: ends at byte %llu, expected %zu more", path,
                           (unsigned long long)(offset + done), length - done);
        done += (size_t)got;
    }
    return SL_OK;
}

enum sl_status sl_file_write(const char *path, const void *bytes, size_t length,
                             struct sl_error *err)
{
    struct sl_writer writer;
    SL_TRY(sl_writer_open(&writer, path, err));
    enum sl_status status = sl_writer_write(&writer, bytes, length, err);
    if (status == SL_OK) status = sl_writer_commit(&writer, err);
    sl_writer_discard(&writer);
    return status;
}

bool sl_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

bool sl_folder_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static enum sl_status create_one(const char *path, struct sl_error *err)
{
    if (mkdir(path, 0777) == 0) return SL_OK;
    int reason = errno;
    if (sl_folder_exists(path)) return SL_OK;
    if (reason == EEXIST)
        return sl_fail(err, SL_ERR_IO, "%s exists and is not a folder; choose another name", path);
    errno = reason; /* stat may have changed it */
    return sl_fail_errno(err, "%s", path);
}

enum sl_status sl_folder_create(const char *path, struct sl_error *err)
{
    char *partial = sl_string_copy(path);
    enum sl_status status = SL_OK;
    for (char *cut = partial + (*partial == '/'); status == SL_OK; cut++) {
        if (*cut != '/' && *cut != '\0') continue;
        char kept = *cut;
        *cut = '\0';
        status = create_one(partial, err);
        *cut = kept;
        if (kept == '\0') break;
    }
    free(partial);
    return status;
}

enum sl_status sl_folder_scratch(const char *parent, char **out, struct sl_error *err)
{
    /* The leftovers of another process only cost a name. */
    for (int attempt = 0; attempt < SCRATCH_TRIES; attempt++) {
        char *folder = sl_string_printf("%s/softlab-%ld-%d", parent, (long)getpid(), attempt);
        sl_temporary_add(folder);
        if (mkdir(folder, S_IRWXU) == 0) {
            *out = folder;
            return SL_OK;
        }
        const int reason = errno;
        sl_temporary_drop(folder);
        free(folder);
        errno = reason;
        if (reason != EEXIST) break;
    }
    return sl_fail_errno(err, "%s: no folder for temporary files (TMPDIR)", parent);
}

/* The length of the path without the last name of its first `length` bytes. */
static size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length;
}

size_t sl_folder_existing(const char *path)
{
    char *partial = sl_string_copy(path);
    size_t length = strlen(path);
    while (length > 0 && !sl_folder_exists(partial)) {
        length = parent_length(path, length);
        partial[length] = '\0';
    }
    free(partial);
    return length;
}

void sl_folder_remove_empty(const char *path, size_t existing)
{
    char *partial = sl_string_copy(path);
    for (size_t length = strlen(path); length > existing; length = parent_length(path, length)) {
        partial[length] = '\0';
        if (rmdir(partial) != 0 && errno != ENOENT) break;
    }
    free(partial);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct name_list {
    char **names; /* owned; NULL-ended */
    size_t count, capacity;
};

/* Append a name; NULL only makes room for the end. */
static enum sl_status list_add(struct name_list *list, const char *name, struct sl_error *err)
{
    if (list->count + 1 >= list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 16;
        char **grown = sl_data_resize(list->names, capacity, sizeof *grown, err);
        if (!grown) return SL_ERR_NOMEM;
        list->names = grown;
        list->capacity = capacity;
    }
    char *copy = name ? sl_data_string(name, strlen(name), err) : NULL;
    if (name && !copy) return SL_ERR_NOMEM;
    if (copy) list->names[list->count++] = copy;
    list->names[list->count] = NULL;
    return SL_OK;
}

enum sl_status sl_folder_list(const char *path, char ***names, size_t *count, struct sl_error *err)
{
    DIR *folder = opendir(path);
    if (!folder) return fail_open(path, err);
    struct name_list list = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(list_add(&list, NULL, err));
    const struct dirent *entry;
    while ((entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            SL_TRY_OUT(list_add(&list, entry->d_name, err));
    qsort(list.names, list.count, sizeof *list.names, compare_names);
    *names = list.names;
    list.names = NULL;
    if (count) *count = list.count;
out:
    closedir(folder);
    sl_names_destroy(list.names);
    return status == SL_OK ? SL_OK : sl_fail_within(err, status, "%s", path);
}

void sl_folder_remove(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0) return;
    if (!S_ISDIR(info.st_mode)) {
        unlink(path);
        return;
    }
    char **names = NULL;
    size_t count = 0;
    if (sl_folder_list(path, &names, &count, NULL) != SL_OK) return;
    for (size_t i = 0; i < count; i++) {
        char *inner = sl_path_join(path, names[i]);
        sl_folder_remove(inner);
        free(inner);
    }
    sl_names_destroy(names);
    rmdir(path);
}

enum sl_status sl_names_copy(char *const *names, size_t count, char ***out, struct sl_error *err)
{
    char **copies = names ? sl_data_zeroed(count + 1, sizeof *copies, err) : NULL;
    if (names && !copies) return SL_ERR_NOMEM;
    for (size_t i = 0; names && i < count; i++) {
        copies[i] = sl_data_string(names[i], strlen(names[i]), err);
        if (copies[i]) continue;
        sl_names_destroy(copies);
        return SL_ERR_NOMEM;
    }
    *out = copies;
    return SL_OK;
}

void sl_names_destroy(char **names)
{
    for (char **name = names; name && *name; name++)
        free(*name);
    free(names);
}

char *sl_path_join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    const char *separator = length == 0 || folder[length - 1] == '/' ? "" : "/";
    return sl_string_printf("%s%s%s", folder, separator, name);
}

char *sl_path_absolute(const char *path)
{
    char here[PATH_MAX];
    if (path[0] == '/' || !getcwd(here, sizeof here)) return sl_string_copy(path);
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return strcmp(path, ".") == 0 ? sl_string_copy(here) : sl_path_join(here, path);
}

bool sl_path_same(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

const char *sl_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool sl_path_has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), wanted = strlen(suffix);
    return length >= wanted && strcasecmp(path + length - wanted, suffix) == 0;
}
