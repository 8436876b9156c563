#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

const struct sl_mark_look sl_mark_words[SL_MARK_COUNT] = {
    [SL_MARK_NONE] = {"\u2013", "--", "none", "-"},
    [SL_MARK_GOOD] = {"\u2713", "$\\checkmark$", "good", "yes"},
    [SL_MARK_BAD] = {"\u2717", "$\\times$", "bad", "no"},
    [SL_MARK_OPEN] = {"?", "?", "open", "?"},
};

void sl_report_put_number(struct sl_buffer *out, double value, unsigned decimals, const char *minus)
{
    char digits[64];
    if (!isfinite(value)) return;
    double size = fabs(value);
    if (size < 1e15)
        snprintf(digits, sizeof digits, "%.*f", (int)(decimals < 12 ? decimals : 12), size);
    else
        snprintf(digits, sizeof digits, "%.6g", size);
    /* A number that rounds to zero has no sign. */
    if (value < 0 && strspn(digits, "0.") != strlen(digits)) sl_buffer_text(out, minus);
    sl_buffer_text(out, digits);
}

/* True if the spread is rounding error only: the runs agree. */
static bool is_nothing(double spread, double value)
{
    return spread <= 1e-12 * fabs(value);
}

/* As many decimals as the spread's first digit needs: never "0.038 ± 0.000". */
static unsigned decimals_of(const struct sl_cell *cell)
{
    enum { MOST_DECIMALS = 9 };
    unsigned decimals = cell->decimals;
    if (!isfinite(cell->spread) || is_nothing(cell->spread, cell->value)) return decimals;
    while (decimals < MOST_DECIMALS && cell->spread < .5 * pow(10, -(double)decimals))
        decimals++;
    return decimals;
}

void sl_report_put_estimate(struct sl_buffer *out, const struct sl_cell *cell,
                            const struct sl_number_signs *signs)
{
    const unsigned decimals = decimals_of(cell);
    sl_report_put_number(out, cell->value, decimals, signs->minus);
    if (!isfinite(cell->value) || !isfinite(cell->spread)) return;
    sl_buffer_text(out, signs->plus_minus);
    if (is_nothing(cell->spread, cell->value))
        sl_buffer_byte(out, '0');
    else
        sl_report_put_number(out, cell->spread, decimals, signs->minus);
}

struct share {
    double value;
    size_t class;
};

static int larger_first(const void *a, const void *b)
{
    const struct share *first = a, *second = b;
    if (first->value != second->value) return first->value < second->value ? 1 : -1;
    return first->class < second->class ? -1 : first->class > second->class;
}

void sl_report_put_distribution(struct sl_buffer *out, const struct sl_block *gallery,
                                const struct sl_gallery_item *item, size_t series)
{
    const double *values = item->values + series * gallery->n_columns;
    struct share *shares = sl_alloc(gallery->n_columns, sizeof *shares);
    for (size_t i = 0; i < gallery->n_columns; i++)
        shares[i] = (struct share){isfinite(values[i]) ? values[i] : 0, i};
    qsort(shares, gallery->n_columns, sizeof *shares, larger_first);
    for (size_t i = 0; i < gallery->n_columns && (i == 0 || shares[i].value >= .01); i++)
        sl_buffer_printf(out, "%s%s %.2f", i ? ", " : "", gallery->columns[shares[i].class],
                         shares[i].value);
    free(shares);
}
