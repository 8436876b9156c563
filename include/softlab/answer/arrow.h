/* Votes from Arrow's arrays in memory (softlab/base/arrow.h).
 *
 * A struct array has a column each for item, worker and label, found by the words of CSV headers or
 * by options->columns in pairs (item=task). A column holds texts (utf8, large_utf8), integers,
 * whose decimal form is the name, or a dictionary of either. A row whose label is null or empty is
 * skipped and counted. In other rows a null or empty worker is unknown, and a null or empty item is
 * SL_ERR_INPUT with the number of the row, from 0. Classes are the labels of rows, sorted, as in a
 * CSV; values of a dictionary that no row uses are none. Other columns are not read, which a
 * warning says once.
 *
 * The interface does not state the lengths of buffers, so a producer that lies about them cannot be
 * caught; everything else is checked: formats, counts, offsets, dictionary indices, released
 * structs. */
#ifndef SOFTLAB_ANSWER_ARROW_H
#define SOFTLAB_ANSWER_ARROW_H

#include "softlab/answer.h"
#include "softlab/base/arrow.h"

SL_BEGIN_DECLS

/* Votes of one array. Takes the schema and the array: both are released, also on failure. `options`
 * may be NULL. */
enum sl_status sl_votes_from_arrow(struct ArrowSchema *schema, struct ArrowArray *array,
                                   const struct sl_import_options *options, struct sl_votes **out,
                                   struct sl_error *err) SL_MUST_USE;

/* Votes of all arrays of a stream, which is taken. */
enum sl_status sl_votes_from_arrow_stream(struct ArrowArrayStream *stream,
                                          const struct sl_import_options *options,
                                          struct sl_votes **out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
