/* Base: what every other module is built on, and nothing about labels: errors, memory, text, files
 * and their formats, random numbers, statistics, progress.
 *
 * The library prints nothing, reads no environment variable and never exits. Its only global
 * mutable state is described in memory.h. Objects are not thread-safe unless they say so; different
 * threads may use different objects. */
#ifndef SOFTLAB_BASE_H
#define SOFTLAB_BASE_H

#include "softlab/base/array.h"
#include "softlab/base/arrow.h"
#include "softlab/base/buffer.h"
#include "softlab/base/classes.h"
#include "softlab/base/csv.h"
#include "softlab/base/error.h"
#include "softlab/base/file.h"
#include "softlab/base/hash.h"
#include "softlab/base/json.h"
#include "softlab/base/log.h"
#include "softlab/base/markup.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/random.h"
#include "softlab/base/rows.h"
#include "softlab/base/safetensors.h"
#include "softlab/base/stats.h"
#include "softlab/base/system.h"
#include "softlab/base/text.h"
#include "softlab/base/wordvectors.h"

#endif
