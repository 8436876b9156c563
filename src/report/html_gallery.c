#include <string.h>

#include "report/report_internal.h"

/* Classes below this in every series are shown as one sum. */
static const double least_share = .01;
/* Per cent of the cell's width, which leaves room for the number. */
static const double widest_bar = 44;

static double share_of(double value)
{
    return value >= 0 && value <= 1 ? value : value > 1 ? 1 : 0;
}

/* `shares` has a value per series. */
static void put_row(struct sl_buffer *out, const struct sl_block *gallery, const char *name,
                    const double *shares, bool is_rest)
{
    static const char *const colours[SL_GALLERY_MAX_SERIES] = {"one", "two", "three", "four"};
    sl_buffer_text(out,
                   is_rest ? "<tr class=\"rest\"><th scope=\"row\">" : "<tr><th scope=\"row\">");
    sl_report_html_text(out, name);
    sl_buffer_text(out, "</th>");
    for (size_t s = 0; s < gallery->n_series; s++)
        sl_buffer_printf(out,
                         "<td><span class=\"bar %s\" style=\"width:%.1f%%\"></span>"
                         "<span class=\"share\">%.2f</span></td>",
                         colours[s], widest_bar * share_of(shares[s]), share_of(shares[s]));
    sl_buffer_text(out, "</tr>");
}

static void put_heading(struct sl_buffer *out, const struct sl_block *gallery)
{
    sl_buffer_text(out, "<table class=\"shares\"><thead><tr><th scope=\"col\">class</th>");
    for (size_t s = 0; s < gallery->n_series; s++) {
        sl_buffer_text(out, "<th scope=\"col\">");
        sl_report_html_text(out, gallery->series[s]);
        sl_buffer_text(out, "</th>");
    }
    sl_buffer_text(out, "</tr></thead><tbody>");
}

static void put_distributions(struct sl_buffer *out, const struct sl_block *gallery,
                              const struct sl_gallery_item *item)
{
    double rest[SL_GALLERY_MAX_SERIES] = {0};
    bool has_rest = false;
    put_heading(out, gallery);
    for (size_t k = 0; k < gallery->n_columns; k++) {
        double shares[SL_GALLERY_MAX_SERIES] = {0};
        bool is_shown = false;
        for (size_t s = 0; s < gallery->n_series; s++) {
            shares[s] = item->values[s * gallery->n_columns + k];
            is_shown = is_shown || shares[s] >= least_share;
        }
        if (is_shown) {
            put_row(out, gallery, gallery->columns[k], shares, false);
            continue;
        }
        has_rest = true;
        for (size_t s = 0; s < gallery->n_series; s++)
            rest[s] += share_of(shares[s]);
    }
    if (has_rest) put_row(out, gallery, "others", rest, true);
    sl_buffer_text(out, "</tbody></table>");
}

static void put_item(struct sl_buffer *out, const struct sl_gallery_item *item)
{
    sl_buffer_text(out, "<div class=\"item\">");
    if (item->png) {
        sl_buffer_text(out, "<img width=\"64\" height=\"64\" alt=\"item ");
        sl_report_html_text(out, item->name);
        sl_buffer_printf(out, "\" src=\"data:image/png;base64,%s\">", item->png);
    }
    sl_buffer_text(out, "<p>item ");
    sl_report_html_text(out, item->name);
    if (item->truth) {
        sl_buffer_text(out, "<br>true class <strong>");
        sl_report_html_text(out, item->truth);
        sl_buffer_text(out, "</strong>");
    }
    sl_buffer_text(out, "</p></div>");
}

void sl_report_html_gallery(struct sl_buffer *out, const struct sl_block *gallery)
{
    sl_buffer_text(out, "<p class=\"caption\">");
    sl_report_html_badge(out, gallery->badge);
    sl_report_html_text(out, gallery->title);
    sl_buffer_text(out, "</p>\n");
    if (gallery->note) {
        sl_buffer_text(out, "<p class=\"soft\">");
        sl_report_html_text(out, gallery->note);
        sl_buffer_text(out, "</p>\n");
    }
    /* More than two series need the full width, and each number its own line. */
    sl_buffer_text(out, gallery->n_series > 2 ? "<ul class=\"gallery many\">\n"
                                              : "<ul class=\"gallery\">\n");
    for (size_t i = 0; i < gallery->count; i++) {
        sl_buffer_text(out, "<li>");
        put_item(out, &gallery->pictures[i]);
        put_distributions(out, gallery, &gallery->pictures[i]);
        sl_buffer_text(out, "</li>\n");
    }
    sl_buffer_text(out, "</ul>\n");
}
