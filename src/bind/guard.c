#include <stdlib.h>
#include <string.h>

#include "bind/bind_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"

unsigned sl_bind_version(void)
{
    return SL_BIND_VERSION;
}

const char *sl_bind_program_version(void)
{
    return sl_version();
}

void sl_bind_free(void *block)
{
    free(block);
}

static enum sl_status do_work(void *context, struct sl_error *err)
{
    struct sl_bind_call *call = context;
    const enum sl_status status = call->work(call->context, err);
    call->done = true;
    return status;
}

enum sl_status sl_bind_guard(struct sl_bind_call *call, struct sl_error *err)
{
    return sl_guard(do_work, call, err);
}

enum sl_status sl_bind_names(const struct sl_joined_names *joined, size_t count, const char *what,
                             char ***out, struct sl_error *err)
{
    const char *text = joined->text;
    const size_t bytes = joined->bytes;
    size_t n_found = 0;
    *out = NULL;
    if (!text) return SL_OK;
    char **names = sl_data_alloc(count + 1, sizeof *names, err);
    if (!names) return SL_ERR_NOMEM;
    for (size_t at = 0; at < bytes; n_found++) {
        const char *end = memchr(text + at, '\0', bytes - at);
        if (!end) break;
        /* The names are only read. */
        if (n_found < count) memcpy(&names[n_found], &(const char *){text + at}, sizeof *names);
        at = (size_t)(end - text) + 1;
    }
    if (n_found != count) {
        free(names);
        return sl_fail(err, SL_ERR_USAGE, "%zu %s have %zu names", count, what, n_found);
    }
    names[count] = NULL;
    *out = names;
    return SL_OK;
}
