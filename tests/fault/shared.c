#include "shared.h"

#include <stdio.h>
#include <stdlib.h>

#include "softlab/study.h"

bool share_study(const char *folder, struct postgres_process *database)
{
    struct sl_error err;
    char *kept = NULL;
    if (!postgres_process_make(database)) return false;
    const enum sl_status status = sl_study_migrate(folder, database->url, 0, &kept, &err);
    free(kept);
    if (status != SL_OK) fprintf(stderr, "%s\n", err.message);
    return status == SL_OK;
}
