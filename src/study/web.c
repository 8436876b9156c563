#include "study/web.h"

#include <string.h>

const struct sl_web_file *sl_web_find(const char *path)
{
    for (const struct sl_web_file *file = sl_web_files; file->path; file++)
        if (strcmp(file->path, path) == 0) return file;
    return NULL;
}
