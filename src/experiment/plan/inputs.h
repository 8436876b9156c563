/* Private to experiment/: hashes of input files. Hashes of large inputs are cached between starts,
 * by size, modification time and inode of the files. */
#ifndef SOFTLAB_EXPERIMENT_INPUTS_H
#define SOFTLAB_EXPERIMENT_INPUTS_H

#include <stdbool.h>

#include "softlab/base/hash.h"
#include "softlab/base/json.h"
#include "softlab/dataset.h"

struct sl_inputs {
    char *path;     /* owned; the cache file, or NULL */
    json_t *memory; /* owned; {"path": ["signature of the files", "SHA-256"]} */
    bool changed;
};
/* `path` (NULL: no cache) need not exist; an unreadable file counts as an empty cache. */
void sl_inputs_init(struct sl_inputs *inputs, const char *path);
/* Writes the cache if possible; without it the next start only takes longer. */
void sl_inputs_release(struct sl_inputs *inputs);

/* SHA-256 of a file's bytes, or of the names and bytes of all files below a folder. */
enum sl_status sl_inputs_hash_path(struct sl_inputs *inputs, const char *path,
                                   char out[SL_SHA256_TEXT], struct sl_error *err) SL_MUST_USE;
enum sl_status sl_inputs_hash_dataset(struct sl_inputs *inputs, const struct sl_dataset *dataset,
                                      char out[SL_SHA256_TEXT], struct sl_error *err) SL_MUST_USE;

/* The hash of a published set ("cifar10:test") or file ("@cifar10h/cifar10h-counts.npy") in
 * experiments/inputs.csv; NULL if it is not listed. Borrowed, 64 digits, not NUL-terminated. */
const char *sl_input_published(const char *name);

#endif
