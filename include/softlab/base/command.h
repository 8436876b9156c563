/* Command: another program, run without a shell. */
#ifndef SOFTLAB_BASE_COMMAND_H
#define SOFTLAB_BASE_COMMAND_H

#include <stdbool.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_command {
    const char *const *words;       /* borrowed; NULL-ended; begins with the program's name */
    const char *folder;             /* borrowed; where it works; NULL: the current one */
    const char *const *environment; /* borrowed; NULL-ended; NULL: that of this process */
    bool apart; /* in a process group of its own, which Ctrl-C in a terminal does not reach */
};
/* Run a program from PATH and wait for it. Its standard input is empty; what it prints is appended
 * to `printed` (NULL: discarded). SL_ERR_NOT_FOUND if there is no such program; SL_ERR_BACKEND,
 * with the last line of its standard error that says more than how to get help, if it fails. */
enum sl_status sl_command_run(const struct sl_command *command, struct sl_buffer *printed,
                              struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
