/* Numbers for readers. Written without printf, whose decimal point depends on the locale. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "plot/plot_internal.h"
#include "softlab/base/text.h"

#define MINUS "\xe2\x88\x92"
#define TIMES_TEN                                                                                  \
    "\xc3\x97"                                                                                     \
    "10"

/* Numbers from `large` on and below `small` are written with a power of ten. */
static const double large = 1e7, small = 1e-4;
static const double most_whole = 9e15; /* integers below are exact in a double */

static void strip_zeros(char *text)
{
    if (!strchr(text, '.')) return;
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    if (text[length - 1] == '.') length--;
    text[length] = '\0';
}

static void write_superscript(int exponent, char *out, size_t size)
{
    static const char *const digits[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", exponent);
    size_t used = 0;
    for (const char *at = plain; *at && used + 4 < size; at++) {
        const char *raised = *at == '-' ? "\xe2\x81\xbb" : digits[*at - '0'];
        used += (size_t)snprintf(out + used, size - used, "%s", raised);
    }
}

/* `size` is not negative and below most_whole after scaling. */
static void write_plain(double size, int decimals, char out[SL_PLOT_NUMBER])
{
    uint64_t scale = 1;
    for (int i = 0; i < decimals; i++)
        scale *= 10;
    uint64_t scaled = (uint64_t)llround(size * (double)scale);
    sl_text_count(scaled / scale, out, SL_PLOT_NUMBER);
    if (decimals == 0) return;
    char *end = out + strlen(out);
    *end++ = '.';
    for (uint64_t place = scale / 10, rest = scaled % scale; place > 0; place /= 10)
        *end++ = (char)('0' + rest / place % 10);
    *end = '\0';
}

/* In two steps: 10^-310 is denormal, and 1e308 times 10 overflows. */
static double scale_down(double size, int exponent)
{
    int half = exponent / 2;
    return size / pow(10, half) / pow(10, exponent - half);
}

static void join_power(const char *front, int exponent, char out[SL_PLOT_NUMBER])
{
    char power[SL_PLOT_NUMBER / 2] = "";
    write_superscript(exponent, power, sizeof power);
    if (strcmp(front, "1") == 0)
        snprintf(out, SL_PLOT_NUMBER, "10%s", power);
    else
        snprintf(out, SL_PLOT_NUMBER, "%.20s" TIMES_TEN "%s", front, power);
}

static void write_power(double size, int digits, char out[SL_PLOT_NUMBER])
{
    int exponent = (int)floor(log10(size));
    int decimals = digits < 1 ? 0 : digits > 12 ? 11 : digits - 1;
    double unit = pow(10, decimals);
    double mantissa = round(scale_down(size, exponent) * unit) / unit;
    if (mantissa >= 10) {
        mantissa /= 10;
        exponent++;
    }
    char front[SL_PLOT_NUMBER];
    write_plain(mantissa, decimals, front);
    strip_zeros(front);
    join_power(front, exponent, out);
}

static void put_sign(double value, char out[SL_PLOT_NUMBER])
{
    /* A number that rounds to zero has no sign. */
    if (!(value < 0) || strspn(out, "0.") == strlen(out)) return;
    char unsigned_text[SL_PLOT_NUMBER];
    snprintf(unsigned_text, sizeof unsigned_text, "%s", out);
    snprintf(out, SL_PLOT_NUMBER, MINUS "%.40s", unsigned_text);
}

void sl_plot_number_fixed(double value, int decimals, char out[SL_PLOT_NUMBER])
{
    double size = fabs(value);
    if (!isfinite(value))
        snprintf(out, SL_PLOT_NUMBER, "%s", isnan(value) ? "missing" : "infinity");
    else if (decimals > 15 || size * pow(10, decimals) >= most_whole)
        write_power(size, 4, out);
    else
        write_plain(size, decimals, out);
    put_sign(value, out);
}

void sl_plot_number_power(double value, int exponent, int decimals, char out[SL_PLOT_NUMBER])
{
    char front[SL_PLOT_NUMBER];
    write_plain(scale_down(fabs(value), exponent), decimals > 12 ? 12 : decimals, front);
    join_power(front, exponent, out);
    put_sign(value, out);
}

void sl_plot_number_brief(double value, int digits, char out[SL_PLOT_NUMBER])
{
    double size = fabs(value);
    if (!isfinite(value) || size == 0) {
        sl_plot_number_fixed(value, 0, out);
        return;
    }
    int decimals = digits - 1 - (int)floor(log10(size));
    if (size >= large || size < small) {
        write_power(size, digits, out);
    } else {
        write_plain(size, decimals > 0 ? decimals : 0, out);
        strip_zeros(out);
    }
    put_sign(value, out);
}
