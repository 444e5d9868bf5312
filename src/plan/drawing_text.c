/* drawing_text.c - how wide a text will be, and text in XML. */
#include <string.h>

#include "plan/drawing.h"

/* Advance widths of ' ' to '~' of Helvetica, whose metrics Arial and Liberation Sans share, in
 * thousandths. */
static const short widths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

/* Length of the well-formed UTF-8 sequence at p; 0: none that XML may hold. */
static size_t sequence_length(const unsigned char *p) {
    size_t length = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;
    if (length == 0 || *p > 0xf4) return 0;
    if (length == 1) return *p >= ' ' && *p != 0x7f ? 1 : 0;
    uint32_t c = *p & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3fU);
    }
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000}; /* 0x80 to 0x9f are controls */
    bool is_bad =
        c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe;
    return is_bad ? 0 : length;
}

static double width_at(const unsigned char *p) {
    if (*p >= ' ' && *p <= '~') return widths[*p - ' '] / 1000.0;
    return *p >= 0xe0 ? 1.0 : 0.6; /* ideographs and the like are wide */
}

static size_t step(const unsigned char *p) {
    size_t length = sequence_length(p);
    return length > 0 ? length : 1;
}

double raski_text_width(const char *text) {
    double width = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p += step(p))
        width += width_at(p);
    return width * 1.06; /* some of the fonts that stand in are wider */
}

void raski_text_fit(const char *text, double size, double width, raski_str *out) {
    static const double ellipsis = 1.0;
    if (raski_text_width(text) * size <= width) {
        raski_str_append(out, text);
        return;
    }
    const unsigned char *p = (const unsigned char *)text;
    double used = ellipsis;
    while (*p != '\0' && (used + width_at(p)) * size * 1.06 <= width) {
        used += width_at(p);
        p += step(p);
    }
    raski_str_append_bytes(out, text, (size_t)(p - (const unsigned char *)text));
    raski_str_append(out, "\xe2\x80\xa6");
}

void raski_xml_escape(const char *text, raski_str *out) {
    const unsigned char *p = (const unsigned char *)text;
    while (*p != '\0') {
        size_t length = sequence_length(p);
        switch (*p) {
            case '&':
                raski_str_append(out, "&amp;");
                break;
            case '<':
                raski_str_append(out, "&lt;");
                break;
            case '>':
                raski_str_append(out, "&gt;");
                break;
            case '"':
                raski_str_append(out, "&quot;");
                break;
            case '\'':
                raski_str_append(out, "&#39;");
                break;
            case '\n':
            case '\t':
                raski_str_append_char(out, ' ');
                break;
            default:
                if (length > 0)
                    raski_str_append_bytes(out, p, length);
                else
                    raski_str_append(out, "\xef\xbf\xbd");
        }
        p += length > 0 ? length : 1;
    }
}
