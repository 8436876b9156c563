#include "base/file/source.h"

#include <string.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/text.h"

enum sl_status sl_source_open(struct sl_source *source, const char *path, struct sl_error *err)
{
    int descriptor = -1;
    uint64_t size = 0;
    SL_TRY(sl_file_open(path, &descriptor, &size, err));
    *source = (struct sl_source){.name = path, .descriptor = descriptor, .size = size};
    return SL_OK;
}

struct sl_source sl_source_of_memory(const void *bytes, size_t length, const char *name)
{
    return (struct sl_source){.name = name, .descriptor = -1, .bytes = bytes, .size = length};
}

void sl_source_close(struct sl_source *source)
{
    if (source->descriptor >= 0) close(source->descriptor);
    source->descriptor = -1;
}

enum sl_status sl_source_read(const struct sl_source *source, uint64_t offset, void *out,
                              size_t length, struct sl_error *err)
{
    if (offset > source->size || length > source->size - offset)
        return sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: expected %zu byte%s, the file has %llu",
                       source->name, (unsigned long long)offset, length,
                       sl_text_plural(length, "", "s"), (unsigned long long)source->size);
    if (source->descriptor >= 0)
        return sl_file_pread(source->descriptor, source->name, offset, out, length, err);
    if (length) memcpy(out, source->bytes + offset, length);
    return SL_OK;
}
