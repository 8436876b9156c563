#include "study/serve/exchanges.h"

#include <stdlib.h>

#include "softlab/base/memory.h"

void sl_exchanges_add(struct sl_exchanges *list, struct sl_http_exchange *exchange)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity * 2 + 16;
        list->all = sl_resize((void *)list->all, list->capacity, sizeof(struct sl_http_exchange *));
    }
    list->all[list->count++] = exchange;
}

struct sl_exchanges sl_exchanges_take(struct sl_exchanges *list)
{
    const struct sl_exchanges taken = *list;
    *list = (struct sl_exchanges){0};
    return taken;
}

void sl_exchanges_again(struct sl_exchanges *list)
{
    for (size_t i = 0; i < list->count; i++)
        sl_http_again(list->all[i]);
    sl_exchanges_release(list);
}

void sl_exchanges_release(struct sl_exchanges *list)
{
    free((void *)list->all);
    *list = (struct sl_exchanges){0};
}
