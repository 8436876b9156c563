/* For sched_getaffinity and its sets. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/system.h"

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

/* The path of this process's group below /sys/fs/cgroup: the line "0::/path". */
static void group_of_process(char *path, size_t size)
{
    char line[512];
    path[0] = '\0';
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file) return;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "0::", 3) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(path, size, "%s", line + 3);
        }
    fclose(file);
}

size_t sl_cpu_count(void)
{
    char group[512], path[600];
    cpu_set_t set;
    size_t cores = 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0) cores = (size_t)CPU_COUNT(&set);
    group_of_process(group, sizeof group);
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
    size_t limit = limit_in(path);
    if (limit == 0) limit = limit_in("/sys/fs/cgroup/cpu.max"); /* inside a container */
    if (limit > 0 && limit < cores) cores = limit;
    return cores > 0 ? cores : 1;
}
