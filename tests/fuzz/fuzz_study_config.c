/* study.json: what is read can be written, and is then read as the same. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "softlab/base.h"
#include "study/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_study *study = NULL, *again = NULL;
    struct sl_error err;
    if (sl_study_parse((const char *)bytes, length, "fuzz", &study, &err) != SL_OK) {
        if (study || strchr(err.message, '\n')) abort();
        return 0;
    }
    json_t *written = sl_study_json(study);
    char *text = json_dumps(written, JSON_COMPACT);
    if (!text || sl_study_parse(text, strlen(text), "again", &again, &err) != SL_OK) abort();
    json_t *rewritten = sl_study_json(again);
    if (!json_equal(written, rewritten)) abort();
    json_decref(written);
    json_decref(rewritten);
    free(text);
    sl_study_destroy(study);
    sl_study_destroy(again);
    return 0;
}
