#include "study/private_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "softlab/base/memory.h"
#include "study/simulate/simulate.h"

enum { PRIVATE_FILE = 0600, PRIVATE_FOLDER = 0700, OTHERS = 0077, ALL = 07777 };

/* Called for everything below a folder; a status other than SL_OK ends the walk. */
typedef enum sl_status (*visitor)(const char *path, const struct stat *info, void *context,
                                  struct sl_error *err);

static enum sl_status walk(const char *folder, visitor visit, void *context, struct sl_error *err)
{
    char **names = NULL;
    SL_TRY(sl_folder_list(folder, &names, NULL, err));
    enum sl_status status = SL_OK;
    for (char **name = names; *name && status == SL_OK; name++) {
        struct stat info;
        char *path = sl_path_join(folder, *name);
        /* A file that vanished since it was listed was temporary. */
        if (lstat(path, &info) == 0) {
            status = visit(path, &info, context, err);
            if (status == SL_OK && S_ISDIR(info.st_mode)) status = walk(path, visit, context, err);
        }
        free(path);
    }
    sl_names_destroy(names);
    return status;
}

/* ---- Permissions ---- */

struct rights {
    size_t tightened;
    struct sl_error problem; /* the first failure; code SL_OK: none */
};

static enum sl_status tighten(const char *path, const struct stat *info, void *context,
                              struct sl_error *err)
{
    struct rights *rights = context;
    (void)err;
    if (!S_ISDIR(info->st_mode) && !S_ISREG(info->st_mode)) return SL_OK;
    const mode_t wanted = S_ISDIR(info->st_mode) ? PRIVATE_FOLDER : PRIVATE_FILE;
    if ((info->st_mode & ALL) == wanted) return SL_OK;
    if (chmod(path, wanted) == 0)
        rights->tightened += (info->st_mode & OTHERS) != 0;
    else if ((info->st_mode & OTHERS) != 0 && rights->problem.code == SL_OK)
        sl_fail_errno(&rights->problem,
                      "%s is readable by others, and its permissions cannot be changed", path);
    return SL_OK;
}

enum sl_status sl_private_tighten(const char *folder, size_t *tightened, struct sl_error *err)
{
    struct rights rights = {0};
    struct stat info;
    if (stat(folder, &info) != 0) return sl_fail_errno(err, "%s", folder);
    SL_TRY(tighten(folder, &info, &rights, err));
    SL_TRY(walk(folder, tighten, &rights, err));
    *tightened = rights.tightened;
    if (rights.problem.code == SL_OK) return SL_OK;
    return sl_fail(err, rights.problem.code, "%s", rights.problem.message);
}

/* ---- Files that must not be overwritten ---- */

/* Files that study init and the server keep at the top of the folder. Everything in its subfolders
 * is theirs too; an export or a backup at the top is not. */
static bool is_own(const char *name)
{
    static const char *const names[] = {"consent.md", "instructions.md", "debrief.md",
                                        SL_STUDY_TRUTH_FILE, "items.tsv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return strncmp(name, "study.", 6) == 0; /* the database, its logs, databases set aside, ... */
}

struct comparison {
    const char *folder;
    struct stat target;
};

static enum sl_status compare(const char *path, const struct stat *info, void *context,
                              struct sl_error *err)
{
    const struct comparison *comparison = context;
    const char *name = sl_path_name(path);
    char *top = sl_path_join(comparison->folder, name);
    const bool passed_over = strcmp(top, path) == 0 && !is_own(name);
    free(top);
    if (passed_over || info->st_dev != comparison->target.st_dev ||
        info->st_ino != comparison->target.st_ino)
        return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s", path);
}

/* A name that the study may need, whether or not the file exists. */
static bool is_reserved(const char *folder, const char *path)
{
    const char *name = sl_path_name(path);
    char *parent =
        name == path ? sl_string_copy(".") : sl_string_copy_n(path, (size_t)(name - path));
    const bool reserved = is_own(name) && sl_path_same(parent, folder);
    free(parent);
    return reserved;
}

/* Compares device and inode, so that links and other spellings of a path are found too. */
enum sl_status sl_study_check_output(const char *folder, const char *path, struct sl_error *err)
{
    struct comparison comparison = {.folder = folder};
    struct sl_error found = {0};
    enum sl_status status = SL_OK;
    if (stat(path, &comparison.target) == 0 && S_ISREG(comparison.target.st_mode))
        status = walk(folder, compare, &comparison, &found);
    if (status != SL_OK && status != SL_ERR_INPUT) return sl_fail(err, status, "%s", found.message);
    if (status == SL_OK && !is_reserved(folder, path)) return SL_OK;
    const bool other_name = status != SL_OK && strcmp(found.message, path) != 0;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s is %s%sa file of the study: give another name, outside %s", path,
                   other_name ? found.message : "", other_name ? ", " : "", folder);
}
