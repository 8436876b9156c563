/* Markup: text inside HTML, SVG and addresses. */
#ifndef SOFTLAB_BASE_MARKUP_H
#define SOFTLAB_BASE_MARKUP_H

#include <stddef.h>

#include "softlab/base/buffer.h"
#include "softlab/base/declare.h"

SL_BEGIN_DECLS

/* Append text with the five characters of HTML escaped and control characters left out. Bytes are
 * taken one by one: what is not UTF-8 comes out as it went in. */
void sl_html_escape(struct sl_buffer *out, const char *text, size_t length);

/* Append text as part of an address: all but unreserved characters (RFC 3986) and those of
 * `also_plain` go by their number. */
void sl_url_escape(struct sl_buffer *out, const char *text, const char *also_plain);

SL_END_DECLS

#endif
