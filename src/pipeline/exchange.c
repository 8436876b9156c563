#include "softlab/pipeline/exchange.h"

#include <string.h>

void sl_exchange_release(struct sl_exchange *exchange)
{
    sl_rows_destroy(exchange->rows);
    sl_crowd_state_release(&exchange->state);
    sl_name_table_destroy(exchange->annotators);
    *exchange = (struct sl_exchange){0};
}

static const struct sl_lent *find(const struct sl_exchange *exchange, const char *name)
{
    for (size_t i = 0; exchange && i < exchange->n_lent; i++)
        if (strcmp(exchange->lent[i].name, name) == 0) return &exchange->lent[i];
    return NULL;
}

const struct sl_rows *sl_lent_rows(const struct sl_exchange *exchange, const char *name)
{
    const struct sl_lent *lent = find(exchange, name);
    return lent ? lent->rows : NULL;
}

const struct sl_votes *sl_lent_votes(const struct sl_exchange *exchange, const char *name)
{
    const struct sl_lent *lent = find(exchange, name);
    return lent ? lent->votes : NULL;
}
