#include "study/texts/texts.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/markup.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/texts/markdown.h"
#include "study/texts/template.h"

enum { TEXT_BYTES = 1 << 20, FILLED_BYTES = 2 << 20, HTML_BYTES = 8 << 20 };

/* The file with its values filled in; empty if the file does not exist. */
static enum sl_status read_file(const struct sl_study *study, const char *name,
                                const struct sl_template_values *values, struct sl_buffer *out,
                                struct sl_error *err)
{
    char *path = sl_path_join(study->folder, name);
    struct sl_buffer text;
    sl_buffer_init(&text, TEXT_BYTES);
    enum sl_status status = sl_file_exists(path) ? sl_file_read(path, &text, err) : SL_OK;
    if (status == SL_OK) {
        sl_template_fill(values, text.data ? text.data : "", text.length, out);
        status = sl_buffer_check(out, name, err);
    }
    sl_buffer_release(&text);
    free(path);
    return status;
}

static enum sl_status read_html(const struct sl_study *study, const char *name,
                                const struct sl_template_values *values, char **out,
                                struct sl_error *err)
{
    struct sl_buffer text, html;
    sl_buffer_init(&text, FILLED_BYTES);
    sl_buffer_init(&html, HTML_BYTES);
    enum sl_status status = read_file(study, name, values, &text, err);
    if (status == SL_OK && text.length > 0)
        status = sl_markdown_html(text.data, text.length, &html, err);
    if (status == SL_OK)
        *out = sl_string_copy(html.data ? html.data : "");
    else
        status = sl_fail_within(err, status, "%s", name);
    sl_buffer_release(&text);
    sl_buffer_release(&html);
    return status;
}

static enum sl_status read_pages(const struct sl_study *study,
                                 const struct sl_template_values *values, struct sl_texts *out,
                                 struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, FILLED_BYTES);
    enum sl_status status = read_file(study, "instructions.md", values, &text, err);
    if (status == SL_OK)
        status = sl_markdown_pages(text.data ? text.data : "", text.length, &out->instructions,
                                   &out->n_instructions, err);
    if (status != SL_OK) status = sl_fail_within(err, status, "instructions.md");
    sl_buffer_release(&text);
    return status;
}

/* Appends the date of deletion to a consent text that does not contain it. */
static void add_date(const struct sl_study *study, const struct sl_words *words, char **consent)
{
    if (!**consent || !*study->keep_until || strstr(*consent, study->keep_until)) return;
    char *sentence =
        sl_text_replace(sl_words_say(words, "consent.deleted"), "{date}", study->keep_until);
    struct sl_buffer html;
    sl_buffer_init(&html, HTML_BYTES);
    sl_buffer_printf(&html, "%s<p>", *consent);
    sl_html_escape(&html, sentence, strlen(sentence));
    sl_buffer_text(&html, "</p>\n");
    free(sentence);
    free(*consent);
    *consent = html.data;
}

enum sl_status sl_texts_read(const struct sl_study *study, const struct sl_words *words,
                             struct sl_store *store, struct sl_texts *out, struct sl_error *err)
{
    struct sl_texts texts = {0};
    struct sl_study_effort effort;
    struct sl_template_values values;
    SL_TRY(sl_study_effort(study, store, &effort, err));
    sl_template_values_init(&values, study, words, &effort);
    enum sl_status status = read_html(study, "consent.md", &values, &texts.consent, err);
    if (status == SL_OK) add_date(study, words, &texts.consent);
    if (status == SL_OK) status = read_html(study, "debrief.md", &values, &texts.debrief, err);
    if (status == SL_OK) status = read_pages(study, &values, &texts, err);
    if (status == SL_OK)
        *out = texts;
    else
        sl_texts_release(&texts);
    sl_template_values_release(&values);
    return status;
}

void sl_texts_release(struct sl_texts *texts)
{
    free(texts->consent);
    free(texts->debrief);
    sl_names_destroy(texts->instructions);
    *texts = (struct sl_texts){0};
}
