/* Answers as pages send them, to every screen: what a screen's check takes, its convert makes into
 * a record that answer/ takes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "softlab/study.h"

static char cat[] = "Cat", deer[] = "Deer", dog[] = "Dog", horse[] = "Horse";
static char *classes[] = {cat, deer, dog, horse};

static void try_screen(const struct sl_screen *screen, const struct sl_study *study,
                       const json_t *answer)
{
    struct sl_answer record;
    struct sl_answers *answers = NULL;
    struct sl_error err;
    enum sl_status status = screen->check(answer, study, &err);
    if (status != SL_OK) {
        if (status != SL_ERR_INPUT || strchr(err.message, '\n')) abort();
        return;
    }
    if (screen->convert(answer, study, &record, &err) != SL_OK) abort();
    if (sl_answers_create((const char *const *)classes, study->n_classes, &answers, &err) != SL_OK)
        abort();
    record.item = (struct sl_field){"item", 4};
    record.mix.b = 1;
    if (sl_answers_add(answers, &record, &err) != SL_OK) abort();
    sl_answers_destroy(answers);
    sl_screen_answer_release(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const struct sl_study study = {.classes = classes, .n_classes = 4};
    struct sl_json json;
    struct sl_error err;
    if (sl_json_parse((const char *)bytes, length, "fuzz", 1, &json, &err) != SL_OK) return 0;
    for (const struct sl_screen *screen = sl_screens; screen->name; screen++)
        try_screen(screen, &study, json.root);
    sl_json_release(&json);
    return 0;
}
