/* Private to experiment/: inputs count by what is in them. Hashes of what is large are remembered
 * between two starts, by size, time and inode of the files. */
#ifndef SOFTLAB_EXPERIMENT_INPUTS_H
#define SOFTLAB_EXPERIMENT_INPUTS_H

#include <stdbool.h>

#include "softlab/base/hash.h"
#include "softlab/base/json.h"
#include "softlab/dataset.h"

struct sl_inputs {
    char *path;     /* owned; the file that remembers, or NULL */
    json_t *memory; /* owned; {"path": ["signature of the files", "SHA-256"]} */
    bool changed;
};
/* `path` (NULL: none) need not exist; one that cannot be read is as good as none. */
void sl_inputs_init(struct sl_inputs *inputs, const char *path);
/* Writes what was learnt, if it can: a start without it only takes longer. */
void sl_inputs_release(struct sl_inputs *inputs);

/* Of a file's bytes, or of all files below a folder with their names. */
enum sl_status sl_inputs_hash_path(struct sl_inputs *inputs, const char *path,
                                   char out[SL_SHA256_TEXT], struct sl_error *err) SL_MUST_USE;
enum sl_status sl_inputs_hash_dataset(struct sl_inputs *inputs, const struct sl_dataset *dataset,
                                      char out[SL_SHA256_TEXT], struct sl_error *err) SL_MUST_USE;

/* The hash of a published set ("cifar10:test") or file ("@cifar10h/cifar10h-counts.npy"), from
 * experiments/inputs.csv; NULL if nobody pinned it. Borrowed, not NUL-terminated: 64 digits. */
const char *sl_input_published(const char *name);

#endif
