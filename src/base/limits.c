/* What this process may use of the machine: cores and memory. */
/* For sched_getaffinity and its sets. */
#define _GNU_SOURCE
#include "base/limits.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"

enum { PATH_BYTES = 600, LINE_BYTES = 512 };

/* ---- Cores ---- */

/* The limit of a control group in a file with "quota period" in microseconds, rounded up to whole
 * cores; 0 if the file does not exist or sets none ("max"). */
static size_t limit_in(const char *path)
{
    char line[64] = "", *end = NULL;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    const long long quota = read ? strtoll(line, &end, 10) : 0;
    const long long period = end && end > line ? strtoll(end, NULL, 10) : 0;
    if (quota <= 0 || period <= 0) return 0;
    return (size_t)((quota + period - 1) / period);
}

/* The path of this process's group: what follows `mark` in a line of /proc/self/cgroup, as in
 * "0::/path" (version 2) or "4:memory:/path" (version 1). */
static void group_of_process(const char *proc, const char *mark, char *path, size_t size)
{
    char line[LINE_BYTES], name[PATH_BYTES];
    path[0] = '\0';
    snprintf(name, sizeof name, "%s/self/cgroup", proc);
    FILE *file = fopen(name, "r");
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        const char *found = strstr(line, mark);
        if (!found) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(path, size, "%s", found + strlen(mark));
    }
    fclose(file);
}

size_t sl_cpu_count(void)
{
    char group[LINE_BYTES], path[PATH_BYTES];
    cpu_set_t set;
    size_t cores = 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0) cores = (size_t)CPU_COUNT(&set);
    group_of_process("/proc", "0::", group, sizeof group);
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
    size_t limit = limit_in(path);
    if (limit == 0) limit = limit_in("/sys/fs/cgroup/cpu.max"); /* inside a container */
    if (limit > 0 && limit < cores) cores = limit;
    return cores > 0 ? cores : 1;
}

/* ---- Memory ---- */

/* The number after a word at the beginning of a line ("" for the first line); SIZE_MAX if there is
 * none, or if it is "max". */
static size_t number_in(const char *folder, const char *name, const char *word)
{
    char line[LINE_BYTES], *path = sl_path_join(folder, name);
    size_t found = SIZE_MAX;
    FILE *file = fopen(path, "r");
    free(path);
    if (!file) return found;
    while (found == SIZE_MAX && fgets(line, sizeof line, file)) {
        if (strncmp(line, word, strlen(word)) != 0) continue;
        char *end = NULL;
        const char *digits = line + strlen(word);
        const unsigned long long number = strtoull(digits, &end, 10);
        if (end > digits) found = (size_t)number;
        if (!*word) break;
    }
    fclose(file);
    return found;
}

/* The two versions of control groups. */
struct group_files {
    const char *mark, *folder, *limit, *used;
    const char
        *cached[2]; /* words of memory.stat: pages of files, which are given back on demand */
};
static const struct group_files versions[] = {
    {"0::", "", "memory.max", "memory.current", {"inactive_file ", "active_file "}},
    {":memory:",
     "/memory",
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"total_inactive_file ", "total_active_file "}},
};

static size_t free_in_group(const struct group_files *files, const char *folder)
{
    const size_t limit = number_in(folder, files->limit, "");
    size_t used = number_in(folder, files->used, "");
    if (limit == SIZE_MAX || used == SIZE_MAX) return SIZE_MAX;
    for (size_t i = 0; i < 2; i++) {
        const size_t cached = number_in(folder, "memory.stat", files->cached[i]);
        if (cached != SIZE_MAX) used -= cached < used ? cached : used;
    }
    return limit > used ? limit - used : 0;
}

/* The least of what the process's group and the groups above it have left. A container may show its
 * own group as the root. */
static size_t free_in_groups(const char *proc, const char *groups, const struct group_files *files)
{
    char group[LINE_BYTES];
    size_t least = SIZE_MAX;
    group_of_process(proc, files->mark, group, sizeof group);
    for (;;) {
        char *folder = sl_string_printf("%s%s%s", groups, files->folder, group);
        const size_t left = free_in_group(files, folder);
        free(folder);
        least = left < least ? left : least;
        char *slash = strrchr(group, '/');
        if (!slash) return least;
        *slash = '\0';
    }
}

size_t sl_memory_free_in(const char *proc, const char *groups)
{
    const size_t kilobytes = number_in(proc, "meminfo", "MemAvailable:");
    size_t least = kilobytes < SIZE_MAX >> 10 ? kilobytes << 10 : SIZE_MAX;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        const size_t left = free_in_groups(proc, groups, &versions[i]);
        least = left < least ? left : least;
    }
    return least;
}

size_t sl_memory_free(void)
{
    return sl_memory_free_in("/proc", "/sys/fs/cgroup");
}
