#include "power_vfs.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chance.h"
#include "softlab/base.h"

enum { SECTOR = 512, MAX_FILES = 8 };

/* A change that is not on the disk yet; `bytes` NULL means truncation to `offset`. */
struct change {
    unsigned char *bytes;
    sqlite3_int64 offset;
    size_t length;
};

/* A file as programs see it, and the changes that its real one has not seen. */
struct record {
    char *path;
    unsigned char *bytes;
    size_t length, capacity;
    struct change *changes;
    size_t n_changes, changes_capacity;
    bool is_new; /* neither there before nor synced since */
};

struct power_file {
    sqlite3_file base;
    struct record *record;
    sqlite3_file *real;
    bool is_log;
};

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    struct record files[MAX_FILES];
    struct power_faults faults;
    const char *moment;
} disk;

static struct power_file *of(sqlite3_file *file)
{
    return (struct power_file *)file;
}

static bool is_off(void)
{
    return disk.moment != NULL;
}

/* Whether this operation is the one at which the power goes. */
static bool cuts_here(const char *moment)
{
    long *left = &disk.faults.cut_after;
    if (*left > 1)
        --*left;
    else if (*left == 1 && (!disk.faults.at_sync || strncmp(moment, "sync", 4) == 0))
        disk.moment = moment;
    return is_off();
}

static bool fails_here(long *countdown)
{
    if (*countdown <= 0) return false;
    if (*countdown > 1) {
        --*countdown;
        return false;
    }
    if (!disk.faults.forever) *countdown = 0;
    return true;
}

/* ---- Files in memory ---- */

static void resize(struct record *record, size_t length)
{
    if (length > record->capacity) {
        record->capacity = length * 2;
        record->bytes = sl_resize(record->bytes, record->capacity, 1);
    }
    if (length > record->length) memset(record->bytes + record->length, 0, length - record->length);
    record->length = length;
}

static void remember(struct record *record, const void *bytes, size_t length, sqlite3_int64 offset)
{
    if (record->n_changes == record->changes_capacity) {
        record->changes_capacity = record->changes_capacity ? record->changes_capacity * 2 : 16;
        record->changes =
            sl_resize(record->changes, record->changes_capacity, sizeof(struct change));
    }
    struct change change = {.offset = offset, .length = length};
    if (bytes) {
        change.bytes = sl_alloc(length, 1);
        memcpy(change.bytes, bytes, length);
    }
    record->changes[record->n_changes++] = change;
}

static void forget_changes(struct record *record)
{
    for (size_t i = 0; i < record->n_changes; i++)
        free(record->changes[i].bytes);
    record->n_changes = 0;
}

static void forget(struct record *record)
{
    forget_changes(record);
    free(record->changes);
    free(record->bytes);
    free(record->path);
    *record = (struct record){0};
}

static struct record *find(const char *path)
{
    for (size_t i = 0; i < MAX_FILES; i++)
        if (disk.files[i].path && strcmp(disk.files[i].path, path) == 0) return &disk.files[i];
    return NULL;
}

/* The record of a file, read from the real one when it is first opened. */
static struct record *record_of(const char *path, bool existed)
{
    struct record *record = find(path);
    for (size_t i = 0; !record && i < MAX_FILES; i++) {
        if (disk.files[i].path) continue;
        record = &disk.files[i];
        record->path = sl_string_copy(path);
        record->is_new = !existed;
        struct sl_buffer whole;
        sl_buffer_init(&whole, (size_t)1 << 30);
        if (existed && sl_file_read(path, &whole, NULL) == SL_OK && whole.length > 0) {
            resize(record, whole.length);
            memcpy(record->bytes, whole.data, whole.length);
        }
        sl_buffer_release(&whole);
    }
    return record;
}

static void apply(int descriptor, const struct change *change, size_t from, size_t to)
{
    if (!change->bytes) {
        if (ftruncate(descriptor, (off_t)change->offset) != 0) perror("ftruncate");
    } else if (pwrite(descriptor, change->bytes + from, to - from,
                      (off_t)change->offset + (off_t)from) != (ssize_t)(to - from)) {
        perror("pwrite");
    }
}

static void flush(struct record *record)
{
    int descriptor = open(record->path, O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; descriptor >= 0 && i < record->n_changes; i++)
        apply(descriptor, &record->changes[i], 0, record->changes[i].length);
    if (descriptor >= 0) close(descriptor);
    forget_changes(record);
    record->is_new = false;
}

/* ---- What SQLite calls ---- */

static int file_close(sqlite3_file *file)
{
    return of(file)->real->pMethods->xClose(of(file)->real);
}

static int file_read(sqlite3_file *file, void *out, int amount, sqlite3_int64 offset)
{
    const struct record *record = of(file)->record;
    size_t wanted = (size_t)amount, start = (size_t)offset;
    if (is_off()) return SQLITE_IOERR_READ;
    size_t there = start < record->length ? record->length - start : 0;
    if (there > wanted) there = wanted;
    if (there > 0) memcpy(out, record->bytes + start, there);
    memset((char *)out + there, 0, wanted - there);
    return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *file, const void *bytes, int amount, sqlite3_int64 offset)
{
    struct record *record = of(file)->record;
    size_t length = (size_t)amount, end = (size_t)offset + length;
    if (is_off()) return SQLITE_IOERR_WRITE;
    if (disk.faults.read_only) return SQLITE_READONLY;
    if (fails_here(&disk.faults.fail_write)) return SQLITE_IOERR_WRITE;
    if (disk.faults.full && end > record->length) {
        long long growth = (long long)(end - record->length);
        if (growth > disk.faults.room) return SQLITE_FULL;
        disk.faults.room -= growth;
    }
    if (end > record->length) resize(record, end);
    memcpy(record->bytes + (size_t)offset, bytes, length);
    remember(record, bytes, length, offset);
    return cuts_here(of(file)->is_log ? "write log" : "write database") ? SQLITE_IOERR_WRITE
                                                                        : SQLITE_OK;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (is_off()) return SQLITE_IOERR_TRUNCATE;
    if (disk.faults.read_only) return SQLITE_READONLY;
    resize(of(file)->record, (size_t)size);
    remember(of(file)->record, NULL, 0, size);
    return cuts_here("truncate") ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int file_sync(sqlite3_file *file, int flags)
{
    (void)flags;
    if (is_off() || cuts_here(of(file)->is_log ? "sync log" : "sync database"))
        return SQLITE_IOERR_FSYNC;
    if (fails_here(&disk.faults.fail_sync)) return SQLITE_IOERR_FSYNC;
    flush(of(file)->record);
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = (sqlite3_int64)of(file)->record->length;
    return SQLITE_OK;
}

static int file_lock(sqlite3_file *file, int level)
{
    return of(file)->real->pMethods->xLock(of(file)->real, level);
}

static int file_unlock(sqlite3_file *file, int level)
{
    return of(file)->real->pMethods->xUnlock(of(file)->real, level);
}

static int file_check_lock(sqlite3_file *file, int *locked)
{
    return of(file)->real->pMethods->xCheckReservedLock(of(file)->real, locked);
}

/* The real file is smaller than we say: nobody may size it. */
static int file_control(sqlite3_file *file, int operation, void *argument)
{
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_MMAP_SIZE)
        return SQLITE_NOTFOUND;
    return of(file)->real->pMethods->xFileControl(of(file)->real, operation, argument);
}

static int file_sector(sqlite3_file *file)
{
    return of(file)->real->pMethods->xSectorSize(of(file)->real);
}

static int file_character(sqlite3_file *file)
{
    return of(file)->real->pMethods->xDeviceCharacteristics(of(file)->real);
}

static int shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    return of(file)->real->pMethods->xShmMap(of(file)->real, page, size, extend, out);
}

static int shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return of(file)->real->pMethods->xShmLock(of(file)->real, offset, count, flags);
}

static void shm_barrier(sqlite3_file *file)
{
    of(file)->real->pMethods->xShmBarrier(of(file)->real);
}

static int shm_unmap(sqlite3_file *file, int remove)
{
    return of(file)->real->pMethods->xShmUnmap(of(file)->real, remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, /* shared memory, but no mapping of the file itself */
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_character,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

/* As the usual VFS does where it has no right to write: open for reading, and say so. */
static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *out, int flags, int *opened)
{
    (void)vfs;
    const int ours = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;
    out->pMethods = NULL;
    if (is_off()) return SQLITE_CANTOPEN;
    if (!name || !(flags & ours)) return disk.real->xOpen(disk.real, name, out, flags, opened);
    struct power_file *file = of(out);
    bool existed = sl_file_exists(name);
    if (disk.faults.read_only && (flags & SQLITE_OPEN_READWRITE)) {
        if (!existed) return SQLITE_CANTOPEN;
        flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        flags |= SQLITE_OPEN_READONLY;
    }
    file->real = (sqlite3_file *)(void *)(file + 1);
    int result = disk.real->xOpen(disk.real, name, file->real, flags, opened);
    if (result != SQLITE_OK) return result;
    file->record = record_of(name, existed);
    file->is_log = (flags & SQLITE_OPEN_WAL) != 0;
    file->base.pMethods = &methods;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    (void)sync; /* a name that is gone is gone at once here */
    if (is_off()) return SQLITE_IOERR_DELETE;
    struct record *record = find(name);
    if (record) forget(record);
    return disk.real->xDelete(disk.real, name, 0);
}

void power_vfs_register(void)
{
    if (disk.real) return;
    disk.real = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.real;
    disk.vfs.zName = POWER_VFS;
    disk.vfs.szOsFile = (int)sizeof(struct power_file) + disk.real->szOsFile;
    disk.vfs.pNext = NULL;
    disk.vfs.xOpen = vfs_open;
    disk.vfs.xDelete = vfs_delete;
    sqlite3_vfs_register(&disk.vfs, 0);
}

void power_vfs_set(const struct power_faults *faults)
{
    disk.faults = *faults;
}

/* ---- After the cut ---- */

/* One write: whole, not at all, or some of its sectors. */
static void lose(int descriptor, const struct change *change, unsigned keep_percent,
                 uint64_t *chance, struct power_losses *losses)
{
    losses->writes++;
    bool torn = change->bytes && keep_percent < 100 && chance_below(chance, 4) == 0;
    if (!torn) {
        bool kept = chance_below(chance, 100) < keep_percent;
        if (kept) apply(descriptor, change, 0, change->length);
        losses->kept += kept;
        losses->dropped += !kept;
        return;
    }
    losses->torn++;
    size_t from = 0;
    while (from < change->length) {
        size_t sector_end = SECTOR - ((size_t)change->offset + from) % SECTOR;
        size_t to = from + sector_end < change->length ? from + sector_end : change->length;
        if (chance_below(chance, 2) == 0) apply(descriptor, change, from, to);
        from = to;
    }
}

static void lose_file(struct record *record, uint64_t *chance, struct power_losses *losses)
{
    static const unsigned percents[] = {0, 20, 50, 80, 100};
    unsigned keep_percent = percents[chance_below(chance, 5)];
    if (record->is_new && chance_below(chance, 2) == 0) {
        unlink(record->path);
        losses->files_lost++;
        return;
    }
    int descriptor = open(record->path, O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; descriptor >= 0 && i < record->n_changes; i++)
        lose(descriptor, &record->changes[i], keep_percent, chance, losses);
    if (descriptor >= 0) close(descriptor);
}

/* Shared memory does not outlive the machine. */
static void forget_all(void)
{
    for (size_t i = 0; i < MAX_FILES; i++) {
        if (!disk.files[i].path) continue;
        char *shared = sl_string_printf("%s-shm", disk.files[i].path);
        unlink(shared);
        free(shared);
        forget(&disk.files[i]);
    }
    disk.faults = (struct power_faults){0};
    disk.moment = NULL;
}

void power_vfs_cut(uint64_t seed, struct power_losses *out)
{
    uint64_t chance = seed;
    *out = (struct power_losses){.moment = disk.moment};
    for (size_t i = 0; i < MAX_FILES; i++)
        if (disk.files[i].path) lose_file(&disk.files[i], &chance, out);
    forget_all();
}

void power_vfs_settle(void)
{
    for (size_t i = 0; i < MAX_FILES; i++)
        if (disk.files[i].path) flush(&disk.files[i]);
    forget_all();
}
