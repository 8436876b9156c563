#include <ctype.h>
#include <string.h>

#include "report/report_internal.h"

/* Words longer than LONG_WORD may break after joints; words longer than LONGEST_WORD, such as
 * hashes and paths, also after LONGEST_PIECE characters without a joint. */
enum { LONG_WORD = 12, LONGEST_WORD = 20, LONGEST_PIECE = 12 };

/* Characters that pdflatex needs escaped. It would take brackets and stars for arguments of the row
 * end before them. */
static const struct {
    uint32_t sign;
    const char *latex;
} signs[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'^', "\\textasciicircum{}"},
    {'~', "\\textasciitilde{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "\\char34{}"},
    {'`', "\\textasciigrave{}"},
    {'[', "{[}"},
    {'*', "{*}"},
    {0xa0, "~"},
    {0xad, "\\-"},
    {0xb1, "$\\pm$"},
    {0xb7, "$\\cdot$"},
    {0xd7, "$\\times$"},
    {0x394, "$\\Delta$"},
    {0x3a3, "$\\Sigma$"},
    {0x3a9, "$\\Omega$"},
    {0x3b1, "$\\alpha$"},
    {0x3b2, "$\\beta$"},
    {0x3b3, "$\\gamma$"},
    {0x3b4, "$\\delta$"},
    {0x3b5, "$\\varepsilon$"},
    {0x3b8, "$\\theta$"},
    {0x3ba, "$\\kappa$"},
    {0x3bb, "$\\lambda$"},
    {0x3bc, "$\\mu$"},
    {0x3c0, "$\\pi$"},
    {0x3c1, "$\\rho$"},
    {0x3c3, "$\\sigma$"},
    {0x3c4, "$\\tau$"},
    {0x3c6, "$\\varphi$"},
    {0x3c7, "$\\chi$"},
    {0x3c9, "$\\omega$"},
    {0x2009, "\\,"},
    {0x2010, "-"},
    {0x2011, "\\mbox{-}"},
    {0x2026, "\\ldots{}"},
    {0x202f, "\\,"},
    {0x2032, "$'$"},
    {0x2190, "$\\leftarrow$"},
    {0x2191, "$\\uparrow$"},
    {0x2192, "$\\rightarrow$"},
    {0x2193, "$\\downarrow$"},
    {0x2194, "$\\leftrightarrow$"},
    {0x2208, "$\\in$"},
    {0x2211, "$\\sum$"},
    {0x2212, "$-$"},
    {0x221a, "$\\surd$"},
    {0x221e, "$\\infty$"},
    {0x2248, "$\\approx$"},
    {0x2260, "$\\neq$"},
    {0x2264, "$\\leq$"},
    {0x2265, "$\\geq$"},
    {0x2713, "$\\checkmark$"},
    {0x2714, "$\\checkmark$"},
    {0x2717, "$\\times$"},
    {0x2718, "$\\times$"},
};

/* True if the T1 and TS1 fonts have the character. */
static bool is_printed(uint32_t code)
{
    static const uint32_t gaps[] = {0x126, 0x127, 0x138, 0x13f, 0x140, 0x149, 0x166, 0x167, 0x17f};
    static const uint32_t others[] = {0x218,  0x219,  0x21a,  0x21b,  0x2013, 0x2014,
                                      0x2018, 0x2019, 0x201a, 0x201c, 0x201d, 0x201e,
                                      0x2020, 0x2021, 0x2022, 0x2030, 0x20ac, 0x2122};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (code == gaps[i]) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (code == others[i]) return true;
    return code >= ' ' && code < 0x180 && !(code >= 0x7f && code < 0xa0);
}

/* The character at `text` and its length; an invalid byte is U+FFFD. */
static size_t next_character(const char *text, uint32_t *code)
{
    size_t length = 1;
    while (length < 4 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length++;
    if (sl_utf8_valid(text, length) == length && length > 0)
        return sl_utf8_decode(text, length, code);
    *code = 0xfffd;
    return 1;
}

static bool is_space(uint32_t code)
{
    return code == ' ' || code == '\n' || code == '\r' || code == '\t';
}

/* Two of these in a row would become a ligature. */
static bool melts(char sign)
{
    return sign == '-' || sign == '\'' || sign == ',';
}

static void put_character(struct sl_buffer *out, const char *text, size_t length, uint32_t code,
                          bool is_code)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].sign == code) {
            sl_buffer_text(out, signs[i].latex);
            return;
        }
    if (is_space(code))
        sl_buffer_byte(out, ' ');
    else if (is_code && code == '\'')
        sl_buffer_text(out, "\\textquotesingle{}");
    else if (is_printed(code))
        sl_buffer_append(out, text, length);
    else
        sl_buffer_printf(out, "{\\scriptsize U+%04X}", code);
    if (length == 1 && text[1] == *text && melts(*text)) sl_buffer_text(out, "{}");
}

/* The number of characters up to the next space. */
static size_t word_length(const char *text)
{
    size_t count = 0;
    uint32_t code;
    for (const char *at = text; *at; count++) {
        size_t length = next_character(at, &code);
        if (is_space(code)) break;
        at += length;
    }
    return count;
}

/* Walks over characters and finds break points within long words. */
struct walk {
    const char *at;
    size_t word, piece; /* characters of the word, and since the last break point */
    uint32_t code;
    size_t length; /* bytes of the character */
    bool breaks;   /* a line may break after it */
};

static bool walk_next(struct walk *walk, bool is_code)
{
    /* LaTeX breaks after hyphens itself, but not in typewriter text. */
    const char *joints = is_code ? "/_.:,;=@+|\\&)-" : "/_.:,;=@+|\\&)";
    walk->at += walk->length;
    if (!*walk->at) return false;
    if (walk->word == 0) walk->word = word_length(walk->at);
    if (walk->breaks) walk->piece = 0;
    walk->length = next_character(walk->at, &walk->code);
    walk->breaks = is_space(walk->code);
    if (walk->breaks) {
        walk->word = 0;
        return true;
    }
    walk->piece++;
    bool is_last = walk->at[walk->length] == '\0' || is_space((uint32_t)walk->at[walk->length]);
    bool is_joint = walk->code < 0x80 && strchr(joints, (int)walk->code);
    bool is_endless = walk->word > LONGEST_WORD && walk->piece >= LONGEST_PIECE;
    walk->breaks = !is_last && ((is_joint && walk->word > LONG_WORD) || is_endless);
    if (!is_code && walk->code == '-') walk->piece = 0;
    return true;
}

static void put(struct sl_buffer *out, const char *text, bool is_code)
{
    struct walk walk = {.at = text};
    while (walk_next(&walk, is_code)) {
        put_character(out, walk.at, walk.length, walk.code, is_code);
        if (walk.breaks && !is_space(walk.code)) sl_buffer_text(out, "\\allowbreak{}");
    }
}

void sl_report_latex_text(struct sl_buffer *out, const char *text)
{
    put(out, text, false);
}

void sl_report_latex_code(struct sl_buffer *out, const char *text)
{
    put(out, text, true);
}

/* Widths of Latin Modern Roman, from '!' on, in thousandths of its size at ten points. */
static const unsigned short letter_widths[] = {
    278, 374, 833, 500, 833, 778, 278, 389, 389, 500, 778, 278, 333, 278, 500, 500, 500,  500, 500,
    500, 500, 500, 500, 500, 500, 278, 278, 778, 778, 778, 472, 778, 750, 708, 722, 764,  681, 653,
    785, 750, 361, 514, 778, 625, 917, 750, 778, 681, 778, 736, 556, 722, 750, 750, 1028, 750, 750,
    611, 278, 500, 278, 556, 750, 278, 500, 556, 444, 556, 444, 306, 500, 556, 278, 306,  528, 278,
    833, 556, 500, 556, 528, 392, 394, 389, 556, 528, 722, 528, 528, 444, 500, 278, 500,  556,
};

/* In ems. A mathematical sign is about as wide as a plus, an accented letter as an n; a character
 * printed as its code point is "U+" and at least four digits. */
static double width_of(uint32_t code, bool is_code)
{
    static const double space = .333, typewriter = .525, sign = .778, letter = .556, named = 1.53;
    if (is_code && code < 0x80) return typewriter;
    if (is_space(code) || code == 0xa0) return space;
    if (code > ' ' && code < 0x7f) return letter_widths[code - '!'] / 1000.;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].sign == code) return sign;
    return is_printed(code) ? letter : named + .5 * (code > 0xffff ? 5 : 4);
}

double sl_report_latex_width(const char *text, bool is_code, double *longest)
{
    struct walk walk = {.at = text};
    double all = 0, piece = 0;
    while (walk_next(&walk, is_code)) {
        const double width = width_of(walk.code, is_code);
        all += width;
        piece = is_space(walk.code) ? 0 : piece + width;
        if (piece > *longest) *longest = piece;
        if (walk.breaks || (!is_code && walk.code == '-')) piece = 0;
    }
    return all;
}
