/* Recipes: what is read lies within the keys' ranges, so that its own JSON is read as the same. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "softlab/base.h"
#include "train/recipe_internal.h"

static void check_again(const struct sl_recipe *recipe)
{
    struct sl_recipe again = sl_recipe_default();
    struct sl_error err;
    struct sl_json json;
    json_t *written = sl_recipe_to_json(recipe);
    char *text = json_dumps(written, JSON_COMPACT);
    if (!text || sl_json_parse(text, strlen(text), "again", 1, &json, &err) != SL_OK) abort();
    const struct sl_json_cursor root = sl_json_root(&json);
    if (sl_recipe_overlay(&again, &root, &err) != SL_OK) abort();
    json_t *rewritten = sl_recipe_to_json(&again);
    if (!json_equal(written, rewritten)) abort();
    if (sl_recipe_check(recipe, &err) != SL_OK && strchr(err.message, '\n')) abort();
    json_decref(rewritten);
    sl_json_release(&json);
    free(text);
    json_decref(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const variants[] = {"as-run", "as-published"};
    struct sl_json json;
    struct sl_error err;
    if (sl_json_parse((const char *)bytes, length, "fuzz", 1, &json, &err) != SL_OK) return 0;
    for (size_t v = 0; v < 2; v++) {
        struct sl_recipe recipe;
        enum sl_status status =
            sl_recipe_from_document(&json, NULL, variants[v], "resnet8", &recipe, &err);
        if (status != SL_OK && (status != SL_ERR_INPUT || strchr(err.message, '\n'))) abort();
        if (status == SL_OK) check_again(&recipe);
    }
    sl_json_release(&json);
    return 0;
}
