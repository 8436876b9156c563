/* Temporary files that are being written, so that none is left when memory runs out. Private to
 * base/. */
#ifndef SOFTLAB_BASE_TEMPORARIES_H
#define SOFTLAB_BASE_TEMPORARIES_H

#include <stdbool.h>

/* From before the file is made until it has its final name or is gone. */
void sl_temporary_add(const char *path);
void sl_temporary_drop(const char *path);

/* Unlink those of this thread's innermost guard, or all of the process. Does not allocate. */
void sl_temporaries_remove(bool all);

/* memory.c: how many guards this thread is inside. */
unsigned sl_guard_depth(void);

#endif
