#include "study/texts.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/markdown.h"

enum { TEXT_BYTES = 1 << 20, HTML_BYTES = 8 << 20 };

static enum sl_status read_file(const struct sl_study *study, const char *name,
                                struct sl_buffer *out, struct sl_error *err)
{
    char *path = sl_path_join(study->folder, name);
    enum sl_status status = sl_file_exists(path) ? sl_file_read(path, out, err) : SL_OK;
    free(path);
    return status;
}

static enum sl_status read_html(const struct sl_study *study, const char *name, const char *further,
                                char **out, struct sl_error *err)
{
    struct sl_buffer text, html;
    sl_buffer_init(&text, TEXT_BYTES);
    sl_buffer_init(&html, HTML_BYTES);
    enum sl_status status = read_file(study, name, &text, err);
    if (status == SL_OK && text.length > 0)
        status = sl_markdown_html(text.data, text.length, &html, err);
    if (status == SL_OK && html.length > 0) sl_buffer_text(&html, further);
    if (status == SL_OK)
        *out = sl_string_copy(html.data ? html.data : "");
    else
        status = sl_fail_within(err, status, "%s", name);
    sl_buffer_release(&text);
    sl_buffer_release(&html);
    return status;
}

static enum sl_status read_pages(const struct sl_study *study, struct sl_texts *out,
                                 struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, TEXT_BYTES);
    enum sl_status status = read_file(study, "instructions.md", &text, err);
    if (status == SL_OK)
        status = sl_markdown_pages(text.data ? text.data : "", text.length, &out->instructions,
                                   &out->n_instructions, err);
    if (status != SL_OK) status = sl_fail_within(err, status, "instructions.md");
    sl_buffer_release(&text);
    return status;
}

enum sl_status sl_texts_read(const struct sl_study *study, struct sl_texts *out,
                             struct sl_error *err)
{
    struct sl_texts texts = {0};
    char *until = *study->keep_until
                      ? sl_string_printf("<p>What could be traced to you is deleted by "
                                         "<strong>%s</strong>.</p>\n",
                                         study->keep_until)
                      : sl_string_copy("");
    enum sl_status status = read_html(study, "consent.md", until, &texts.consent, err);
    if (status == SL_OK) status = read_html(study, "debrief.md", "", &texts.debrief, err);
    if (status == SL_OK) status = read_pages(study, &texts, err);
    if (status == SL_OK)
        *out = texts;
    else
        sl_texts_release(&texts);
    free(until);
    return status;
}

void sl_texts_release(struct sl_texts *texts)
{
    free(texts->consent);
    free(texts->debrief);
    sl_names_destroy(texts->instructions);
    *texts = (struct sl_texts){0};
}
