#include "study/template.h"

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

/* Heap string; letters of the currency that Markdown would take for its own are escaped. */
static char *amount_text(double amount, const char *currency)
{
    struct sl_buffer out;
    sl_buffer_init(&out, 1024);
    sl_buffer_printf(&out, "%.2f", amount);
    if (*currency) sl_buffer_byte(&out, ' ');
    for (const char *c = currency; *c; c++) {
        if (strchr("\\*_[]()#-`<>&.!", *c)) sl_buffer_byte(&out, '\\');
        sl_buffer_byte(&out, *c);
    }
    return out.data;
}

/* Whole sentences, since languages order words differently. Nothing is promised where nothing is
 * paid. */
static const struct {
    bool base;
    enum sl_bonus_rule bonus;
    const char *sentence;
} pay_sentences[] = {
    {true, SL_BONUS_NONE, "You are paid **{base}**."},
    {true, SL_BONUS_ACCURACY,
     "You are paid **{base}**, and **{bonus}** more if you answer at least {percent} % of the "
     "clear "
     "cases correctly."},
    {true, SL_BONUS_FINISHED,
     "You are paid **{base}**, and **{bonus}** more if you finish the study."},
    {false, SL_BONUS_NONE, ""},
    {false, SL_BONUS_ACCURACY,
     "You are paid **{bonus}** if you answer at least {percent} % of the clear cases correctly."},
    {false, SL_BONUS_FINISHED, "You are paid **{bonus}** if you finish the study."},
};

static char *put(char *text, const char *from, const char *to)
{
    char *filled = sl_text_replace(text, from, to);
    free(text);
    return filled;
}

static char *pay_text(const struct sl_study *study)
{
    const enum sl_bonus_rule rule = study->bonus > 0 ? study->bonus_rule : SL_BONUS_NONE;
    char *base = amount_text(study->base, study->currency);
    char *bonus = amount_text(study->bonus, study->currency);
    char *percent = sl_string_printf("%g", 100 * study->bonus_from);
    size_t row = 0;
    while (pay_sentences[row].base != (study->base > 0) || pay_sentences[row].bonus != rule)
        row++;
    char *text = sl_string_copy(pay_sentences[row].sentence);
    text = put(text, "{percent}", percent);
    text = put(text, "{base}", base);
    text = put(text, "{bonus}", bonus);
    free(base);
    free(bonus);
    free(percent);
    return text;
}

void sl_template_values_init(struct sl_template_values *values, const struct sl_study *study,
                             const struct sl_study_effort *effort)
{
    values->texts[SL_TEMPLATE_MINUTES] = sl_string_printf("%zu", effort->minutes);
    values->texts[SL_TEMPLATE_TRIALS] = sl_string_printf("%zu", effort->n_trials);
    values->texts[SL_TEMPLATE_PAY] = pay_text(study);
    values->texts[SL_TEMPLATE_KEEP_UNTIL] = sl_string_copy(study->keep_until);
}

void sl_template_values_release(struct sl_template_values *values)
{
    for (size_t i = 0; i < SL_TEMPLATE_COUNT; i++)
        free(values->texts[i]);
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

/* One line without its end; false if it is to be left out. */
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
