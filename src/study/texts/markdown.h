/* Markdown: converts the small part of it that a study's texts need to HTML. Headings (# becomes
 * h2, since the page has its own h1), paragraphs, lists, *emphasis*, **strong**,
 * [links](https://...) to http, https and mailto, ![pictures](media/map.png) in the study's folder
 * media/, line breaks (two spaces or a backslash at the end of a line). Everything else is escaped
 * text: raw HTML is not passed through. Private to study/. */
#ifndef SOFTLAB_STUDY_TEXTS_MARKDOWN_H
#define SOFTLAB_STUDY_TEXTS_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"

/* Append the HTML of `text`, which must be UTF-8 (SL_ERR_INPUT). */
enum sl_status sl_markdown_html(const char *text, size_t length, struct sl_buffer *out,
                                struct sl_error *err) SL_MUST_USE;

/* The next "![text](address)" from `from` on, whether or not its address may be shown: for checks
 * of a text's references. False if there is none. */
struct sl_markdown_picture {
    size_t at, end;
    const char *address; /* borrowed from the text */
    size_t length;
};
bool sl_markdown_picture(const char *text, size_t length, size_t from,
                         struct sl_markdown_picture *out);

/* The pages between lines of three or more dashes, each as HTML; pages without text are left out.
 * NULL-terminated, for sl_names_destroy. */
enum sl_status sl_markdown_pages(const char *text, size_t length, char ***pages, size_t *count,
                                 struct sl_error *err) SL_MUST_USE;

#endif
