#include "study/texts/template.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

const char *const sl_template_names[SL_TEMPLATE_COUNT + 1] = {
    [SL_TEMPLATE_MINUTES] = "minutes",
    [SL_TEMPLATE_TRIALS] = "trials",
    [SL_TEMPLATE_PAY] = "pay",
    [SL_TEMPLATE_KEEP_UNTIL] = "keep_until",
};

/* "**3.50 GBP**" on the heap; letters of the currency that mean something in Markdown are
 * escaped. */
static char *amount_text(double amount, const char *currency)
{
    struct sl_buffer out;
    sl_buffer_init(&out, 1024);
    sl_buffer_printf(&out, "**%.2f", amount);
    if (*currency) sl_buffer_byte(&out, ' ');
    for (const char *c = currency; *c; c++) {
        if (strchr("\\*_[]()#-`<>&.!", *c)) sl_buffer_byte(&out, '\\');
        sl_buffer_byte(&out, *c);
    }
    sl_buffer_text(&out, "**");
    return out.data;
}

/* The sentence about pay; none if the study pays nothing. */
static const struct {
    bool base;
    enum sl_bonus_rule bonus;
    const char *words;
} pay_words[] = {
    {true, SL_BONUS_NONE, "consent.pay"},
    {true, SL_BONUS_ACCURACY, "consent.pay_accuracy"},
    {true, SL_BONUS_FINISHED, "consent.pay_finished"},
    {false, SL_BONUS_NONE, NULL},
    {false, SL_BONUS_ACCURACY, "consent.bonus_accuracy"},
    {false, SL_BONUS_FINISHED, "consent.bonus_finished"},
};

static char *put(char *text, const char *place, char *value)
{
    char *filled = sl_text_replace(text, place, value);
    free(text);
    free(value);
    return filled;
}

static char *pay_text(const struct sl_study *study, const struct sl_words *words)
{
    const enum sl_bonus_rule rule = study->bonus > 0 ? study->bonus_rule : SL_BONUS_NONE;
    size_t row = 0;
    while (pay_words[row].base != (study->base > 0) || pay_words[row].bonus != rule)
        row++;
    if (!pay_words[row].words) return sl_string_copy("");
    char *text = sl_string_copy(sl_words_say(words, pay_words[row].words));
    text = put(text, "{percent}", sl_string_printf("%g", 100 * study->bonus_from));
    text = put(text, "{base}", amount_text(study->base, study->currency));
    return put(text, "{bonus}", amount_text(study->bonus, study->currency));
}

void sl_template_values_init(struct sl_template_values *values, const struct sl_study *study,
                             const struct sl_words *words, const struct sl_study_effort *effort)
{
    values->texts[SL_TEMPLATE_MINUTES] = sl_string_printf("%zu", effort->minutes);
    values->texts[SL_TEMPLATE_TRIALS] = sl_string_printf("%zu", effort->n_trials);
    values->texts[SL_TEMPLATE_PAY] = pay_text(study, words);
    values->texts[SL_TEMPLATE_KEEP_UNTIL] = sl_string_copy(study->keep_until);
}

void sl_template_values_release(struct sl_template_values *values)
{
    sl_strings_release(values->texts, SL_TEMPLATE_COUNT);
    *values = (struct sl_template_values){0};
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t sl_template_match(const char *text, size_t length, enum sl_template_name *name)
{
    size_t end = 1, known = 0;
    if (length < 3 || *text != '{') return 0;
    while (end < length && is_letter(text[end]))
        end++;
    if (end == 1 || end == length || text[end] != '}') return 0;
    while (known < SL_TEMPLATE_COUNT && (strlen(sl_template_names[known]) != end - 1 ||
                                         memcmp(sl_template_names[known], text + 1, end - 1) != 0))
        known++;
    *name = (enum sl_template_name)known;
    return end + 1;
}

/* Fills one line, without its line end; false if it is to be left out. */
static bool fill_line(const struct sl_template_values *values, const char *line, size_t length,
                      struct sl_buffer *out)
{
    for (size_t at = 0; at < length;) {
        enum sl_template_name name = SL_TEMPLATE_COUNT;
        const size_t match = sl_template_match(line + at, length - at, &name);
        if (line[at] == '\\' && at + 1 < length && line[at + 1] == '{') {
            sl_buffer_byte(out, '{');
            at += 2;
        } else if (match > 0 && name < SL_TEMPLATE_COUNT) {
            if (!*values->texts[name]) return false;
            sl_buffer_text(out, values->texts[name]);
            at += match;
        } else {
            sl_buffer_byte(out, line[at++]);
        }
    }
    return true;
}

void sl_template_fill(const struct sl_template_values *values, const char *text, size_t length,
                      struct sl_buffer *out)
{
    for (size_t at = 0; at < length;) {
        const char *newline = memchr(text + at, '\n', length - at);
        const size_t end = newline ? (size_t)(newline - text) : length;
        const size_t before = out->length;
        if (!fill_line(values, text + at, end - at, out))
            out->length = before;
        else if (newline)
            sl_buffer_byte(out, '\n');
        at = end + 1;
    }
}
