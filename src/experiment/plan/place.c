#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

/* A file below one of the roots that belongs to no set of `softlab fetch`. */
static char *find_other(const struct sl_data_roots *roots, const char *name)
{
    const char *const folders[] = {roots->given, roots->folder};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (!folders[i]) continue;
        char *path = sl_path_join(folders[i], name);
        if (sl_file_exists(path) || sl_folder_exists(path)) return path;
        free(path);
    }
    return NULL;
}

bool sl_experiment_place_is_known(const char *name)
{
    char *set = sl_string_copy_n(name + 1, strcspn(name + 1, "/"));
    const bool known = sl_fetch_find(set) != NULL;
    free(set);
    return known;
}

enum sl_status sl_experiment_place(const struct sl_data_roots *roots, const char *name, char **out,
                                   struct sl_error *err)
{
    if (name[0] != '@') {
        if (!sl_file_exists(name) && !sl_folder_exists(name))
            return sl_fail(err, SL_ERR_NOT_FOUND, "%s: no such file or folder", name);
        *out = sl_string_copy(name);
        return SL_OK;
    }
    if (sl_experiment_place_is_known(name)) return sl_fetch_place(name, roots, out, err);
    char *path = find_other(roots, name + 1);
    if (!path)
        return sl_fail(err, SL_ERR_NOT_FOUND,
                       "%s is not in the data folder, and softlab fetch has no such set", name + 1);
    *out = path;
    return SL_OK;
}
