/* answers.slb: whatever the bytes, reading them fails cleanly or gives votes whose every index is
 * within bounds. The checksums are left out of half the runs, or nothing would get past them. */
#include <stdlib.h>
#include <string.h>

#include "answer/votes/votes.h"
#include "fuzz.h"
#include "softlab/base.h"

static size_t use(const struct sl_votes *votes)
{
    size_t sum = 0;
    if (votes->begin[0] != 0 || votes->begin[votes->n_items] != votes->count) abort();
    for (size_t item = 0; item < votes->n_items; item++) {
        size_t length = 0;
        const char *name = sl_name_table_get(votes->items, (uint32_t)item, &length);
        if (strlen(name) != length) abort();
        if (sl_name_table_find(votes->items, name, length) > item) abort();
        for (size_t i = votes->begin[item]; i < votes->begin[item + 1]; i++) {
            const uint32_t annotator = votes->annotator[i];
            sum += strlen(votes->classes[votes->label[i]]);
            if (annotator != SL_NO_NAME)
                sum += strlen(sl_name_table_get(votes->annotators, annotator, NULL));
        }
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_error err;
    unsigned char *copy = sl_data_alloc(length, 1, &err);
    if (!copy) return 0;
    if (length > 0) memcpy(copy, bytes, length);
    for (int sums = 0; sums < 2; sums++) {
        const struct sl_slb_bytes file = {copy, length, "fuzz", sums == 1, false};
        struct sl_votes *votes = NULL;
        if (sl_slb_parse(&file, &votes, &err) == SL_OK) {
            if (use(votes) == SIZE_MAX) abort();
        } else if (strchr(err.message, '\n')) {
            abort();
        }
        sl_votes_destroy(votes);
    }
    free(copy);
    return 0;
}
