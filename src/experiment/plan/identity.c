/* The record of what an output depends on; its hash is the job's key. A record holds values and
 * contents, never a path, a command line or a time: renaming an option or moving a file changes no
 * key, editing a file does.
 *
 * An input appears as "sha256:..." (hash of its content), "made:..." (key of the job that makes it)
 * or "name:..." (its name, if it is not on this machine and experiments/inputs.csv does not list
 * it). */
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"

static json_t *tagged(const char *tag, const char *text)
{
    char *identity = sl_string_printf("%s:%.64s", tag, text);
    json_t *value = json_string(identity);
    free(identity);
    return value;
}

/* The published hash of this name, or else the name itself. */
static json_t *by_name(const char *name)
{
    const char *published = sl_input_published(name);
    if (published) return tagged("sha256", published);
    char *identity = sl_string_printf("name:%s", name);
    json_t *value = json_string(identity);
    free(identity);
    return value;
}

json_t *sl_identity_of_data(struct sl_planner *planner, const char *name)
{
    const char *hash = planner->options->roots ? sl_plan_data_hash(planner, name) : NULL;
    if (hash) return tagged("sha256", hash);
    return by_name(name[0] == '/' ? sl_path_name(name) : name);
}

static json_t *identity_of_place(struct sl_planner *planner, const char *place)
{
    const struct sl_data_roots *roots = planner->options->roots;
    json_t *known = json_object_get(planner->places, place);
    if (known) return json_incref(known);
    char *path = NULL, hash[SL_SHA256_TEXT];
    const bool here = (roots || place[0] != '@') &&
                      sl_experiment_place(roots, place, &path, NULL) == SL_OK &&
                      sl_inputs_hash_path(planner->inputs, path, hash, NULL) == SL_OK;
    known = here ? tagged("sha256", hash) : by_name(place[0] == '@' ? place : sl_path_name(place));
    json_object_set(planner->places, place, known);
    free(path);
    return known;
}

json_t *sl_identity_of_text(struct sl_planner *planner, const char *text)
{
    const struct sl_job *job = sl_plan_job_of(planner, text);
    if (job) return tagged("made", job->key);
    if (text[0] == '@' || text[0] == '/') return identity_of_place(planner, text);
    if (strncmp(text, SL_BESIDE_SPEC, strlen(SL_BESIDE_SPEC)) == 0) return by_name(text);
    return json_string(text);
}

json_t *sl_identity_of_value(struct sl_planner *planner, const char *key, json_t *value)
{
    if (json_is_string(value) && strcmp(key, "data") == 0)
        return sl_identity_of_data(planner, json_string_value(value));
    if (json_is_string(value)) return sl_identity_of_text(planner, json_string_value(value));
    if (json_is_array(value)) {
        json_t *list = json_array();
        for (size_t i = 0; i < json_array_size(value); i++)
            json_array_append_new(list,
                                  sl_identity_of_value(planner, key, json_array_get(value, i)));
        return list;
    }
    if (!json_is_object(value)) return json_incref(value);
    json_t *object = json_object(), *member;
    const char *name;
    json_object_foreach(value, name, member)
    {
        json_object_set_new(object, name, sl_identity_of_value(planner, name, member));
    }
    return object;
}

/* ---- Commands ---- */

/* "cifar10:test" is always a data set. A word without a colon, like "pos", is one only as an
 * argument or after an option that takes a data set: it may also be the name of a format. */
static json_t *identity_of_word(struct sl_planner *planner, const char *option, const char *word)
{
    static const char *const takers[] = {"data", "hard", "dev", "extra"};
    bool expected = !option || strchr(word, ':');
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
        expected = expected || strcmp(takers[i], option) == 0;
    return expected && sl_plan_names_data(word) ? sl_identity_of_data(planner, word)
                                                : sl_identity_of_text(planner, word);
}

/* {"command": "labels", "arguments": [...], "options": {"method": ["ds"], ...}}, so that the order
 * of options does not matter. The first word after an option is its value, further words are
 * arguments. */
static json_t *identity_of_command(struct sl_planner *planner, const json_t *words)
{
    json_t *arguments = json_array(), *options = json_object();
    const char *option = NULL;
    for (size_t i = 1; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (strncmp(word, "--", 2) == 0) {
            option = word + 2;
            if (!json_object_get(options, option))
                json_object_set_new(options, option, json_array());
            continue;
        }
        json_array_append_new(option ? json_object_get(options, option) : arguments,
                              identity_of_word(planner, option, word));
        option = NULL;
    }
    return json_pack("{s:O, s:o, s:o}", "command", json_array_get(words, 0), "arguments", arguments,
                     "options", options);
}

json_t *sl_identity_of_step(struct sl_planner *planner, json_t *step)
{
    const json_t *words = json_object_get(step, "command");
    if (!words) return sl_identity_of_value(planner, "", step);
    json_t *record = identity_of_command(planner, words);
    if (json_object_get(step, "stdout")) json_object_set_new(record, "printed", json_true());
    return record;
}

void sl_identity_key(const char *what, json_t *record, char out[SL_SHA256_TEXT])
{
    json_t *sealed = json_pack("{s:s, s:i, s:i, s:o}", "softlab", what, "record", SL_RECORD_VERSION,
                               "arithmetic", SL_ARITHMETIC_VERSION, "of", record);
    sl_json_hash(sealed, out);
    json_decref(sealed);
}
