/* A disk that loses power. An SQLite VFS, "power", over the usual one: what is written stays in
 * memory until it is synced, and a power cut keeps a random part of what was not, whole or torn at
 * sectors of 512 bytes. It can also be full, read-only, or fail a given write or sync.
 *
 * Locks and shared memory are the usual VFS's. One disk per process; not for threads. */
#ifndef SOFTLAB_TESTS_POWER_VFS_H
#define SOFTLAB_TESTS_POWER_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POWER_VFS "power"

struct power_faults {
    long cut_after;  /* the n-th write, truncation or sync from now is the last; 0: never */
    bool at_sync;    /* not before the next sync, though */
    long fail_write; /* the n-th write from now fails; 0: none */
    long fail_sync;  /* likewise */
    bool forever;    /* and so do all that follow */
    bool read_only;  /* every write is refused */
    bool full;       /* files may grow by `room` bytes */
    long long room;
};

/* What the power cut met and did. */
struct power_losses {
    const char *moment; /* "write log", "sync database", ...; NULL while the power is on */
    size_t writes;      /* not synced when the power went */
    size_t kept, torn, dropped;
    size_t files_lost; /* made, never synced, and gone altogether */
};

void power_vfs_register(void);

/* Count from here. */
void power_vfs_set(const struct power_faults *faults);

/* The store being closed: what is left on the real disk, by chance from `seed`, after a power cut,
 * or (settle) after the operating system wrote everything. Both forget all files and faults. */
void power_vfs_cut(uint64_t seed, struct power_losses *out);
void power_vfs_settle(void);

#endif
