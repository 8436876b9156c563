/* Markup: text inside HTML, SVG and addresses. */
#ifndef SOFTLAB_BASE_MARKUP_H
#define SOFTLAB_BASE_MARKUP_H

#include <stddef.h>

#include "softlab/base/buffer.h"
#include "softlab/base/declare.h"

SL_BEGIN_DECLS

/* Append text with the five special characters of HTML escaped and control characters left out.
 * Works on bytes: text that is not UTF-8 passes through unchanged. */
void sl_html_escape(struct sl_buffer *out, const char *text, size_t length);

/* Append text as part of a URL: characters other than the unreserved ones (RFC 3986) and those in
 * `also_plain` are percent-encoded. */
void sl_url_escape(struct sl_buffer *out, const char *text, const char *also_plain);

SL_END_DECLS

#endif
