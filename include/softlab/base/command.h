/* Command: another program, run without a shell. */
#ifndef SOFTLAB_BASE_COMMAND_H
#define SOFTLAB_BASE_COMMAND_H

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* Run a program from PATH in `folder` (NULL: the current one) and wait for it. `words` is
 * NULL-ended and begins with its name. Its standard input is empty; what it prints is appended to
 * `printed` (NULL: discarded). SL_ERR_NOT_FOUND if there is no such program; SL_ERR_BACKEND, with
 * the last line of its standard error, if it fails. */
enum sl_status sl_command_run(const char *const *words, const char *folder,
                              struct sl_buffer *printed, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
