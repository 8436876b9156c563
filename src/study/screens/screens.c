/* The table of screens, and functions that they share. */
#include "study/screens/screens.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* Seconds are measured for collins (CIFAR-10S), hard (CIFAR-10H), mix and mixsoft, and estimated
 * for the others. */
const struct sl_screen sl_screens[] = {
    {"collins", "most probable class, second class and impossible classes, as in the paper", 0, 32,
     sl_screen_check_loose, sl_screen_convert_soft},
    {"collins+", "the same questions, checked as they are answered", SL_SCREEN_STRICT, 21,
     sl_screen_check_strict, sl_screen_convert_soft},
    {"possible", "the same, but annotators tick what is still possible", SL_SCREEN_STRICT, 17,
     sl_screen_check_possible, sl_screen_convert_possible},
    {"bars", "one bar per class, 100 percent in all", SL_SCREEN_STRICT, 16, sl_screen_check_bars,
     sl_screen_convert_bars},
    {"fast", "one key if certain, otherwise the questions of collins+", SL_SCREEN_STRICT, 14,
     sl_screen_check_fast, sl_screen_convert_fast},
    {"hard", "one class out of a ring of buttons", SL_SCREEN_STRICT, 1.8, sl_screen_check_hard,
     sl_screen_convert_hard},
    {"select2", "the two most probable classes, without numbers", SL_SCREEN_STRICT, 5,
     sl_screen_check_select, sl_screen_convert_select},
    {"mix", "the share of two classes in a mixed image, and confidence", SL_SCREEN_MIXTURES, 8.4,
     sl_screen_check_mix, sl_screen_convert_mix},
    {"mix+", "the same with sliders that must be touched", SL_SCREEN_MIXTURES | SL_SCREEN_STRICT, 8,
     sl_screen_check_mix_touched, sl_screen_convert_mix},
    {"mixsoft", "the questions of collins about a mixed image", SL_SCREEN_MIXTURES, 26,
     sl_screen_check_loose, sl_screen_convert_soft},
    {.name = NULL},
};

const struct sl_screen *sl_screen_find(const char *name)
{
    for (const struct sl_screen *screen = sl_screens; screen->name; screen++)
        if (strcmp(screen->name, name) == 0) return screen;
    return NULL;
}

/* convert allocated the lists and stored them as const. */
static void free_list(const void *list)
{
    void *block = NULL;
    memcpy(&block, &list, sizeof block);
    free(block);
}

void sl_screen_answer_release(struct sl_answer *answer)
{
    free_list(answer->top);
    free_list(answer->impossible);
    free_list(answer->distribution);
    answer->top = NULL;
    answer->impossible = NULL;
    answer->distribution = NULL;
    answer->n_top = answer->n_impossible = 0;
}

/* Received text for an error of one line: the first bytes, without control characters. */
struct shown {
    char text[64];
};
static struct shown show(const char *sent)
{
    struct shown shown = {{0}};
    size_t length = strnlen(sent, sizeof shown.text - 4);
    bool cut = sent[length] != '\0';
    while (cut && length > 0 && ((unsigned char)sent[length] & 0xc0) == 0x80)
        length--;
    for (size_t i = 0; i < length; i++)
        shown.text[i] = (unsigned char)sent[i] < ' ' || sent[i] == 0x7f ? '?' : sent[i];
    memcpy(shown.text + length, cut ? "..." : "", cut ? 4 : 1);
    return shown;
}

enum sl_status sl_screen_only(const json_t *value, const char *const *known, const char *where,
                              struct sl_error *err)
{
    if (!json_is_object(value)) return sl_fail(err, SL_ERR_INPUT, "%s: expected an object", where);
    /* jansson's iterators need a non-const object, although they do not change it. */
    json_t *object = NULL;
    memcpy(&object, &value, sizeof object);
    const char *key = NULL;
    json_t *member = NULL;
    json_object_foreach(object, key, member)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (known[i]) continue;
        char ending[SL_SUGGESTION_TEXT];
        return sl_fail(err, SL_ERR_INPUT, "%s: unknown key \"%s\"%s", where, show(key).text,
                       sl_text_suggestion(key, known, "", ending));
    }
    return SL_OK;
}

enum sl_status sl_screen_class(const json_t *value, const struct sl_study *study, const char *where,
                               uint32_t *out, struct sl_error *err)
{
    if (!json_is_string(value)) return sl_fail(err, SL_ERR_INPUT, "%s: choose a class", where);
    const char *name = json_string_value(value);
    for (size_t k = 0; k < study->n_classes; k++) {
        if (strcmp(study->classes[k], name) != 0) continue;
        *out = (uint32_t)k;
        return SL_OK;
    }
    return sl_fail(err, SL_ERR_INPUT, "%s: \"%s\" is not a class of this study", where,
                   show(name).text);
}

enum sl_status sl_screen_number(const json_t *value, double minimum, double maximum,
                                const char *where, double *out, struct sl_error *err)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= minimum && number <= maximum))
        return sl_fail(err, SL_ERR_INPUT, "%s: expected a number from %g to %g", where, minimum,
                       maximum);
    *out = number;
    return SL_OK;
}

enum sl_status sl_screen_classes(const json_t *value, const struct sl_study *study, size_t maximum,
                                 const char *where, uint32_t **out, size_t *count,
                                 struct sl_error *err)
{
    if (!json_is_array(value) || json_array_size(value) > maximum)
        return sl_fail(err, SL_ERR_INPUT, "%s: expected a list of at most %zu classes", where,
                       maximum);
    size_t size = json_array_size(value);
    uint32_t *classes = sl_alloc(size + 1, sizeof *classes);
    bool *seen = sl_alloc(study->n_classes, sizeof *seen);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < size; i++) {
        SL_TRY_OUT(sl_screen_class(json_array_get(value, i), study, where, &classes[i], err));
        if (seen[classes[i]]) {
            status = sl_fail(err, SL_ERR_INPUT, "%s: \"%s\" occurs twice", where,
                             study->classes[classes[i]]);
            goto out;
        }
        seen[classes[i]] = true;
    }
    *out = classes;
    *count = size;
    classes = NULL;
out:
    free(classes);
    free(seen);
    return status;
}
