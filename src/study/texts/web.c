#include "study/texts/web.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/text.h"

const struct sl_web_file *sl_web_find(const char *path)
{
    for (const struct sl_web_file *file = sl_web_files; file->path; file++)
        if (strcmp(file->path, path) == 0) return file;
    return NULL;
}

char *sl_web_json(const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    char *safe = text ? sl_text_replace(text, "<", "\\u003c") : NULL;
    free(text);
    return safe;
}
