/* Atomic writing. The temporary file is beside its target, so that rename stays within one file
 * system; its name contains the process id, so that two writers of one target do not collide. A
 * file under the final name is always complete. Targets that are not regular files (/dev/stdout, a
 * pipe) cannot be replaced and are written to directly. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"

enum { PENDING_BYTES = 256 * 1024, TEMPORARY_TRIES = 100 };

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return sl_string_copy(".");
    return sl_string_copy_n(path, slash == path ? 1 : (size_t)(slash - path));
}

/* A new file beside `path`; -1 with errno if there is none. The caller owns *temporary. */
static int open_temporary(const char *path, char **temporary)
{
    for (int attempt = 0; attempt < TEMPORARY_TRIES; attempt++) {
        char *name = sl_string_printf("%s.%ld-%d.tmp", path, (long)getpid(), attempt);
        sl_temporary_add(name);
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            *temporary = name;
            return descriptor;
        }
        int reason = errno;
        sl_temporary_drop(name);
        free(name);
        errno = reason;
        if (reason != EEXIST) break;
    }
    return -1;
}

enum sl_status sl_writer_open(struct sl_writer *writer, const char *path, struct sl_error *err)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return sl_fail(err, SL_ERR_INPUT, "%s is a folder, not a file", path);
    char *temporary = NULL;
    int descriptor = exists && !S_ISREG(info.st_mode) ? open(path, O_WRONLY | O_CLOEXEC)
                                                      : open_temporary(path, &temporary);
    if (descriptor < 0) return sl_fail_errno(err, "%s", path);
    *writer = (struct sl_writer){
        .descriptor = descriptor, .path = sl_string_copy(path), .temporary = temporary};
    sl_buffer_init(&writer->pending, PENDING_BYTES);
    return SL_OK;
}

enum sl_status sl_writer_open_private(struct sl_writer *writer, const char *path,
                                      struct sl_error *err)
{
    SL_TRY(sl_writer_open(writer, path, err));
    /* Nothing is written yet. */
    if (!writer->temporary || fchmod(writer->descriptor, 0600) == 0) return SL_OK;
    enum sl_status status = sl_fail_errno(err, "%s", path);
    sl_writer_discard(writer);
    return status;
}

static enum sl_status write_all(struct sl_writer *writer, const char *bytes, size_t length,
                                struct sl_error *err)
{
    size_t done = 0;
    while (done < length) {
        ssize_t written = write(writer->descriptor, bytes + done, length - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return sl_fail_errno(err, "%s", writer->path);
        done += (size_t)written;
    }
    return SL_OK;
}

static enum sl_status flush(struct sl_writer *writer, struct sl_error *err)
{
    SL_TRY(write_all(writer, writer->pending.data, writer->pending.length, err));
    sl_buffer_clear(&writer->pending);
    return SL_OK;
}

enum sl_status sl_writer_write(struct sl_writer *writer, const void *bytes, size_t length,
                               struct sl_error *err)
{
    if (length > PENDING_BYTES - writer->pending.length) SL_TRY(flush(writer, err));
    if (length > PENDING_BYTES)
        SL_TRY(write_all(writer, bytes, length, err));
    else
        sl_buffer_append(&writer->pending, bytes, length);
    writer->offset += length;
    return SL_OK;
}

enum sl_status sl_writer_patch(struct sl_writer *writer, uint64_t offset, const void *bytes,
                               size_t length, struct sl_error *err)
{
    if (!writer->temporary)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: is not a file, and this format goes back while it is written; give a "
                       "file",
                       writer->path);
    SL_TRY(flush(writer, err));
    for (size_t done = 0; done < length;) {
        const ssize_t written = pwrite(writer->descriptor, (const char *)bytes + done,
                                       length - done, (off_t)(offset + done));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return sl_fail_errno(err, "%s", writer->path);
        done += (size_t)written;
    }
    return SL_OK;
}

enum sl_status sl_writer_printf(struct sl_writer *writer, struct sl_error *err, const char *format,
                                ...)
{
    struct sl_buffer text;
    sl_buffer_init(&text, PENDING_BYTES);
    va_list arguments;
    va_start(arguments, format);
    sl_buffer_vprintf(&text, format, arguments);
    va_end(arguments);
    enum sl_status status = sl_buffer_check(&text, "formatted text", err);
    if (status == SL_OK) status = sl_writer_write(writer, text.data, text.length, err);
    sl_buffer_release(&text);
    return status;
}

/* A rename is durable once its folder is synced. Some file systems refuse to sync folders; the
 * rename itself has succeeded then. */
static void sync_folder_of(const char *path)
{
    char *folder = folder_of(path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

enum sl_status sl_writer_commit(struct sl_writer *writer, struct sl_error *err)
{
    SL_TRY(flush(writer, err));
    if (writer->temporary && fsync(writer->descriptor) != 0)
        return sl_fail_errno(err, "%s", writer->path);
    int closed = close(writer->descriptor);
    writer->descriptor = -1;
    const bool renamed =
        closed == 0 && (!writer->temporary || rename(writer->temporary, writer->path) == 0);
    if (!renamed) {
        sl_fail_errno(err, "%s", writer->path);
        if (writer->temporary) unlink(writer->temporary);
    }
    if (writer->temporary) sl_temporary_drop(writer->temporary);
    if (!renamed) return SL_ERR_IO;
    if (writer->temporary) sync_folder_of(writer->path);
    return SL_OK;
}

void sl_writer_discard(struct sl_writer *writer)
{
    /* A writer that is all zeros was never opened: its descriptor 0 is not ours. */
    if (writer->path && writer->descriptor >= 0) {
        close(writer->descriptor);
        if (writer->temporary) {
            unlink(writer->temporary);
            sl_temporary_drop(writer->temporary);
        }
        writer->descriptor = -1;
    }
    free(writer->path);
    free(writer->temporary);
    writer->path = writer->temporary = NULL;
    sl_buffer_release(&writer->pending);
}
