/* Attention checks that say which class to choose: a card instead of a picture. In the store they
 * are items like the obvious ones, so that everything that counts checks counts them too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/session/stimuli.h"

char *sl_stimuli_card_id(const char *class_name)
{
    return sl_string_printf("checks/instructed/%s", class_name);
}

bool sl_study_checks_by(const struct sl_study *study, const char *kind)
{
    for (size_t i = 0; study->check_every > 0 && i < study->n_check_kinds; i++)
        if (strcmp(study->check_kinds[i], kind) == 0) return true;
    return false;
}

static enum sl_status note_name(const struct sl_store_item *item, void *context)
{
    uint32_t number = 0;
    return sl_name_table_add(context, item->id, strlen(item->id), &number, NULL);
}

static enum sl_status add_card(struct sl_store *store, const char *id, const char *class_name,
                               struct sl_error *err)
{
    json_t *content = json_pack("{s:s}", "instructed", class_name);
    char *text = json_dumps(content, JSON_COMPACT);
    const struct sl_store_item item = {
        .id = id, .content = text, .truth = class_name, .entropy = (double)NAN, .check = true};
    enum sl_status status = sl_store_add_item(store, &item, err);
    free(text);
    json_decref(content);
    return status;
}

static enum sl_status add_missing(const struct sl_study *study, struct sl_store *store,
                                  const struct sl_name_table *names, struct sl_error *err)
{
    for (size_t k = 0; k < study->n_classes; k++) {
        char *id = sl_stimuli_card_id(study->classes[k]);
        bool there = sl_name_table_find(names, id, strlen(id)) != SL_NO_NAME;
        enum sl_status status = there ? SL_OK : add_card(store, id, study->classes[k], err);
        free(id);
        if (status != SL_OK) return status;
    }
    return SL_OK;
}

enum sl_status sl_stimuli_add_cards(const struct sl_study *study, struct sl_store *store,
                                    struct sl_error *err)
{
    if (!sl_study_checks_by(study, "instructed")) return SL_OK;
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status;
    SL_TRY_OUT(sl_store_begin(store, err));
    SL_TRY_OUT(sl_store_each_item(store, note_name, names, err));
    SL_TRY_OUT(add_missing(study, store, names, err));
    SL_TRY_OUT(sl_store_commit(store, err));
out:
    if (status != SL_OK) sl_store_rollback(store);
    sl_name_table_destroy(names);
    return status;
}
