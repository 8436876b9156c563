#define _GNU_SOURCE  /* F_OFD_SETLK: locks of an open file, which threads do not share by accident \
                      */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softlab/base/memory.h"

/* Byte 0: a server runs; byte 1: the database is open. The locks are on byte positions, whatever
 * the file contains; it contains the server's process number, for messages. */
enum { SERVING, OPEN, N_BYTES };

static const struct {
    short kinds[N_BYTES];
    bool makes_file;
} claims[] = {
    [SL_CLAIM_READ] = {{F_UNLCK, F_RDLCK}, false},
    [SL_CLAIM_WRITE] = {{F_UNLCK, F_RDLCK}, true},
    [SL_CLAIM_SERVE] = {{F_WRLCK, F_RDLCK}, true},
    [SL_CLAIM_REPLACE] = {{F_WRLCK, F_WRLCK}, true},
};

static bool set_lock(int file, int byte, short kind)
{
    struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return kind == F_UNLCK || fcntl(file, F_OFD_SETLK, &lock) == 0;
}

/* 0600 whatever the umask: people's answers lie in the same folder. */
static int open_file(const char *path, bool make)
{
    int file = open(path, make ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0600);
    struct stat info;
    if (file >= 0 && make && fstat(file, &info) == 0 && (info.st_mode & 0777) != 0600)
        (void)fchmod(file, 0600);
    return file;
}

/* The same sentences as for SQLite's errors. */
static enum sl_status fail_to_open(const char *database, struct sl_error *err)
{
    if (errno == EACCES || errno == EPERM || errno == EROFS)
        return sl_fail(err, SL_ERR_IO,
                       "%s cannot be written: make the file and its folder writable for the server",
                       database);
    return sl_fail(err, SL_ERR_IO, "%s cannot be opened (%s): check its folder and permissions",
                   database, strerror(errno));
}

static enum sl_status refuse(int file, const char *database, int byte, struct sl_error *err)
{
    char text[32] = "";
    if (errno != EAGAIN && errno != EACCES)
        return sl_fail(err, SL_ERR_IO,
                       "%s cannot be locked (%s): keep the study on a local disk, not on a network "
                       "file system",
                       database, strerror(errno));
    if (byte == OPEN)
        return sl_fail(err, SL_ERR_BACKEND,
                       "%s is in use by another softlab command: wait until it has ended, then try "
                       "again",
                       database);
    long process = pread(file, text, sizeof text - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
    if (process <= 0)
        return sl_fail(err, SL_ERR_BACKEND,
                       "%s is being restored by another softlab command: wait until it has ended, "
                       "then try again",
                       database);
    return sl_fail(err, SL_ERR_BACKEND,
                   "%s is already served by process %ld: stop that server first", database,
                   process);
}

static void note_process(int file, enum sl_claim claim)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", claim == SL_CLAIM_SERVE ? (long)getpid() : 0);
    if (ftruncate(file, 0) == 0) (void)!pwrite(file, text, (size_t)length, 0);
}

enum sl_status sl_store_lock(const char *database, enum sl_claim claim, int *lock,
                             struct sl_error *err)
{
    char *path = sl_string_printf("%s-lock", database);
    int file = open_file(path, claims[claim].makes_file);
    enum sl_status status = SL_OK;
    /* A reader needs no lock on a read-only disk: nothing can be restored there. */
    if (file < 0 && claims[claim].makes_file) status = fail_to_open(database, err);
    free(path);
    for (int byte = 0; file >= 0 && status == SL_OK && byte < N_BYTES; byte++)
        if (!set_lock(file, byte, claims[claim].kinds[byte]))
            status = refuse(file, database, byte, err);
    if (status != SL_OK) {
        sl_store_unlock(file);
        return status;
    }
    if (claims[claim].kinds[SERVING] == F_WRLCK) note_process(file, claim);
    *lock = file;
    return SL_OK;
}

void sl_store_unlock(int lock)
{
    if (lock >= 0) close(lock);
}
