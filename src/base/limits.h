/* Private to base: what the process may use, by files that a test can write. */
#ifndef SOFTLAB_BASE_LIMITS_H
#define SOFTLAB_BASE_LIMITS_H

#include <stddef.h>

/* sl_memory_free by the files of /proc and /sys/fs/cgroup, or of folders like them. */
size_t sl_memory_free_in(const char *proc, const char *groups);

#endif
