/* The list of unfinished temporary files, which memory.c removes when a guard abandons its work
 * (softlab/base/file.h). Private to base/. */
#ifndef SOFTLAB_BASE_FILE_TEMPORARIES_H
#define SOFTLAB_BASE_FILE_TEMPORARIES_H

/* Unlink those of this thread's innermost guard. Does not allocate. */
void sl_temporaries_remove_own(void);

/* memory.c: how many guards this thread is inside. */
unsigned sl_guard_depth(void);

#endif
