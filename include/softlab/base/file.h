/* Files: reads of whole files up to a maximum, and writes that leave the whole file or nothing
 * (temporary file beside the target, fsync, rename, fsync of the folder). */
#ifndef SOFTLAB_BASE_FILE_H
#define SOFTLAB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* Append the whole file, pipe or device to `out`, whose maximum is the cap. */
enum sl_status sl_file_read(const char *path, struct sl_buffer *out,
                            struct sl_error *err) SL_MUST_USE;

/* Replace `path` by `length` bytes, atomically. */
enum sl_status sl_file_write(const char *path, const void *bytes, size_t length,
                             struct sl_error *err) SL_MUST_USE;

/* Streaming form of sl_file_write: open, write any number of times, commit, and always discard.
 * Discard frees the writer and, without a commit, removes the temporary file; it is safe under
 * `out:` and for a writer that is {0}. The old file is untouched until commit returns SL_OK.
 * Devices and pipes are written to directly. */
struct sl_writer {
    int descriptor;  /* -1 when closed */
    char *path;      /* owned; the final name */
    char *temporary; /* owned; beside it; NULL when writing to a device or pipe */
    uint64_t offset; /* bytes written so far, buffered ones included */
    struct sl_buffer pending;
};

enum sl_status sl_writer_open(struct sl_writer *writer, const char *path,
                              struct sl_error *err) SL_MUST_USE;
/* The same for a file that other users may not read (0600 whatever the umask). */
enum sl_status sl_writer_open_private(struct sl_writer *writer, const char *path,
                                      struct sl_error *err) SL_MUST_USE;
enum sl_status sl_writer_write(struct sl_writer *writer, const void *bytes, size_t length,
                               struct sl_error *err) SL_MUST_USE;
/* Replace bytes that were written before. SL_ERR_INPUT for a device or pipe, which cannot go back.
 */
enum sl_status sl_writer_patch(struct sl_writer *writer, uint64_t offset, const void *bytes,
                               size_t length, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_writer_printf(struct sl_writer *writer, struct sl_error *err, const char *format,
                                ...) SL_PRINTF(3, 4) SL_MUST_USE;
enum sl_status sl_writer_commit(struct sl_writer *writer, struct sl_error *err) SL_MUST_USE;
void sl_writer_discard(struct sl_writer *writer);

/* Paths to remove if the process ends early: files, and folders once they are empty. Add a path
 * before creating it and drop it when it is finished. Writers add their temporary files themselves.
 * The path is copied. */
void sl_temporary_add(const char *path);
void sl_temporary_drop(const char *path);
/* Remove all of them. Safe in a signal handler; the caller must end the process next. */
void sl_temporaries_remove_all(void);
/* From now on SIGINT, SIGTERM and SIGHUP remove all of them and end the process. One that is
 * ignored, as under nohup, stays so. */
void sl_temporaries_remove_on_signals(void);

/* pread until `length` bytes arrived; a short file is SL_ERR_INPUT naming the
 * offset at which it ends. */
enum sl_status sl_file_pread(int descriptor, const char *path, uint64_t offset, void *out,
                             size_t length, struct sl_error *err) SL_MUST_USE;

/* Open for reading, with the size of a regular file; the caller closes. */
enum sl_status sl_file_open(const char *path, int *descriptor, uint64_t *size,
                            struct sl_error *err) SL_MUST_USE;

bool sl_file_exists(const char *path);
bool sl_folder_exists(const char *path);

/* Create a folder and its parents; existing ones are fine. */
enum sl_status sl_folder_create(const char *path, struct sl_error *err) SL_MUST_USE;
/* Create a new folder of this process alone below `parent`, as the user's TMPDIR names it, and add
 * it to the temporary ones. The caller removes and drops it, and frees *out. */
enum sl_status sl_folder_scratch(const char *parent, char **out, struct sl_error *err) SL_MUST_USE;
/* The length of the longest beginning of `path` that is an existing folder: strlen(path), or where
 * sl_folder_create would start. */
size_t sl_folder_existing(const char *path);
/* Remove the folders of a path beyond its first `existing` bytes, as long as they are empty. */
void sl_folder_remove_empty(const char *path, size_t existing);

/* Names in a folder, sorted bytewise, without "." and "..". `names` is NULL-ended;
 * free it with sl_names_destroy. */
enum sl_status sl_folder_list(const char *path, char ***names, size_t *count,
                              struct sl_error *err) SL_MUST_USE;
void sl_names_destroy(char **names);
/* Delete a folder with its content, for temporary folders. Symbolic links are not followed; what
 * cannot be deleted stays. */
void sl_folder_remove(const char *path);
/* Copies of `count` names, NULL-ended. NULL gives NULL. */
enum sl_status sl_names_copy(char *const *names, size_t count, char ***out,
                             struct sl_error *err) SL_MUST_USE;

/* "folder/name" on the heap. */
char *sl_path_join(const char *folder, const char *name) SL_MUST_USE SL_RETURNS_NONNULL;

/* The absolute path, on the heap; unchanged if the working folder is unknown. */
char *sl_path_absolute(const char *path) SL_MUST_USE SL_RETURNS_NONNULL;

/* Whether both paths are the same file or folder. */
bool sl_path_same(const char *a, const char *b);

/* The part after the last '/', borrowed. */
const char *sl_path_name(const char *path);

/* True if `path` ends with `suffix`, letters compared without case. */
bool sl_path_has_suffix(const char *path, const char *suffix);
/* The ending number `index` of a list with spaces between them (".npz .csv"); false past the
 * last. */
enum { SL_SUFFIX_TEXT = 32 };
bool sl_path_suffix_at(const char *suffixes, size_t index, char out[SL_SUFFIX_TEXT]);
/* SL_ERR_USAGE, with the option's name, for a path whose ending belongs to another format than
 * those of the list. Where there is one format a name without a known ending is as good as any;
 * where there are several the ending says which. */
enum sl_status sl_path_check_suffix(const char *option, const char *path, const char *suffixes,
                                    struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
