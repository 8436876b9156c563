/* The inside of a paragraph, heading or list item. Private to study/texts/. */
#ifndef SOFTLAB_STUDY_TEXTS_MARKDOWN_INLINE_H
#define SOFTLAB_STUDY_TEXTS_MARKDOWN_INLINE_H

#include "study/texts/markdown.h"

/* Append `text` (one block, lines joined by newlines) as HTML, in time linear in its length. */
void sl_markdown_inline(const char *text, size_t length, struct sl_buffer *out);

#endif
