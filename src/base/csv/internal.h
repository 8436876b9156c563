/* Private to base/csv/: the parts of the CSV reader that tests drive one by one.
 *
 * A scanner turns bytes into bit masks of the special bytes, so that the reader visits only those.
 * Scanners differ only in speed. */
#ifndef SOFTLAB_BASE_CSV_INTERNAL_H
#define SOFTLAB_BASE_CSV_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/stream.h"
#include "softlab/base/csv.h"

enum { SL_CSV_BLOCK = 64, SL_CSV_SPECIALS = 5 };

struct sl_csv_scanner {
    const char *name;
    bool (*runs_here)(void); /* whether this processor has the instructions */
    /* For each of `n_blocks` blocks of SL_CSV_BLOCK bytes, a mask whose bit i says
     * that byte i is one of the specials (which may repeat). */
    void (*scan)(const char *bytes, size_t n_blocks, const char specials[SL_CSV_SPECIALS],
                 uint64_t *masks);
};

/* Every scanner built for this architecture, slowest first, ending with a NULL name. */
extern const struct sl_csv_scanner sl_csv_scanners[];

/* The fastest that runs here. */
const struct sl_csv_scanner *sl_csv_best_scanner(void);

/* Where a reader's bytes come from and how it takes them. */
struct sl_csv_source {
    const char *name;                     /* shown in errors; copied */
    struct sl_stream *stream;             /* taken; NULL: read from the descriptor or `bytes` */
    int descriptor;                       /* -1: read from `bytes`; otherwise taken */
    const char *bytes;                    /* borrowed until close */
    size_t length;                        /* of `bytes` */
    const struct sl_csv_scanner *scanner; /* borrowed */
    size_t chunk;                         /* bytes per read */
};

/* The common part of sl_csv_open and sl_csv_open_memory. The stream or descriptor is closed with
 * the reader, also on failure. */
enum sl_status sl_csv_open_source(const struct sl_csv_source *source,
                                  const struct sl_csv_options *options, struct sl_csv **out,
                                  struct sl_error *err) SL_MUST_USE;

#endif
