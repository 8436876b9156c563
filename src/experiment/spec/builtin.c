#include <string.h>

#include "softlab/experiment.h"

const struct sl_builtin_experiment *sl_builtin_experiment_find(const char *path)
{
    for (const struct sl_builtin_experiment *file = sl_builtin_experiments; file->path; file++)
        if (strcmp(file->path, path) == 0) return file;
    return NULL;
}
