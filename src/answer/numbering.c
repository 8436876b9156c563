#include <stdlib.h>

#include "answer/answer_internal.h"
#include "softlab/base/memory.h"

enum { BATCH = 64 };

static enum sl_status make_room(struct sl_numbering *numbers, size_t count, struct sl_error *err)
{
    if (count <= numbers->capacity) return SL_OK;
    const size_t capacity = count + count / 2;
    uint32_t *values = sl_data_resize(numbers->values, capacity, sizeof *values, err);
    if (!values) return SL_ERR_NOMEM;
    numbers->values = values;
    numbers->capacity = capacity;
    return SL_OK;
}

enum sl_status sl_numbering_of(struct sl_numbering *numbers, const struct sl_name_table *from,
                               struct sl_name_table *to, struct sl_error *err)
{
    const size_t count = sl_name_table_count(from);
    struct sl_field fields[BATCH];
    SL_TRY(make_room(numbers, count, err));
    for (size_t begin = 0; begin < count; begin += BATCH) {
        const size_t n = count - begin < BATCH ? count - begin : BATCH;
        for (size_t i = 0; i < n; i++)
            fields[i].text = sl_name_table_get(from, (uint32_t)(begin + i), &fields[i].length);
        SL_TRY(sl_name_table_add_many(to, fields, n, numbers->values + begin, err));
    }
    return SL_OK;
}
