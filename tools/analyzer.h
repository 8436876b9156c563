/* Read by clang-tidy before every file. Its analyser cannot see into sl_fail from another
 * file and supposes that it may return SL_OK, after which everything a failed function left
 * unset looks used. Here it is told what is returned. */
#ifndef SOFTLAB_TOOLS_ANALYZER_H
#define SOFTLAB_TOOLS_ANALYZER_H

#include "softlab/base/error.h"

#define sl_fail(err, code, ...)        (sl_fail(err, code, __VA_ARGS__), (code))
#define sl_fail_errno(err, ...)        (sl_fail_errno(err, __VA_ARGS__), SL_ERR_IO)
#define sl_fail_within(err, code, ...) (sl_fail_within(err, code, __VA_ARGS__), (code))

#endif
