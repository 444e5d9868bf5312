/* html_text.h - text for HTML pages. Private to src/graph.
 * Flink: StringEscapeUtils.escapeHtml4 of commons-text, which its job plan uses. Threads: any. */
#ifndef RASKI_GRAPH_HTML_TEXT_H
#define RASKI_GRAPH_HTML_TEXT_H
#include "base/str.h"

/* Appends text with &, <, >, " and all characters that HTML 4.0 has a name for replaced by their
 * entities. text is UTF-8; each byte that is none becomes U+FFFD. */
void raski_html_escape(const char *text, raski_str *out);
#endif
