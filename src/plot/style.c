/* The head of a chart: colours, classes, patterns. Everything is scoped by the chart's id, because
 * a <style> in inline SVG applies to the whole page. */
#include <stdlib.h>
#include <string.h>

#include "plot/plot_internal.h"
#include "softlab/base/memory.h"

/* Okabe and Ito's colours, darkened to a contrast of 3:1 on white, lightened for dark mode.
 * Neighbours in this order also differ in lightness, for grey printers. */
static const char *const light[] = {"#5f6770", "#0072b2", "#c77800", "#009e73", "#aa4586",
                                    "#3d9bd6", "#c44e00", "#454b52", "#8a7a00"};
static const char *const dark[] = {"#a3abb5", "#4aa3df", "#ffb347", "#2fc79a", "#e39bc6",
                                   "#a5dbff", "#ff8a4c", "#d5d9de", "#d9cf5a"};
static const struct {
    const char *name, *light, *dark;
} roles[] = {
    {"paper", "#ffffff", "#14171b"}, {"ink", "#1b1f24", "#e8eaed"},  {"soft", "#555d66", "#a9b1ba"},
    {"grid", "#e4e7ea", "#2b3036"},  {"axis", "#8b939c", "#69727c"}, {"heat", "#08478c", "#8cc8ff"},
    {"cool", "#8c3b00", "#ffb98a"},  {"pen", "#1b1f24", "#14171b"},
};
enum { N_ROLES = sizeof roles / sizeof *roles };

/* $ stands for the chart's selector. Declarations with var() come second, so that renderers without
 * var() keep the first. */
static const char rules[] =
    "${max-width:100%;height:auto;font-family:system-ui,-apple-system,'Segoe UI',Roboto,"
    "'Helvetica Neue',Arial,sans-serif;font-size:12px}\n"
    "$ text{fill:#1b1f24;fill:var(--sl-ink);font-variant-numeric:tabular-nums}\n"
    "$ .h{font-size:15px;font-weight:600}\n"
    "$ .q{fill:#555d66;fill:var(--sl-soft)}\n"
    "$ .z{font-size:11px}\n"
    "$ .m{text-anchor:middle}\n"
    "$ .e{text-anchor:end}\n"
    "$ .b{fill:#ffffff;fill:var(--sl-paper)}\n"
    "$ text.b{fill:#ffffff;fill:var(--sl-paper)}\n"
    "$ text.p{fill:#1b1f24;fill:var(--sl-pen)}\n"
    "$ .g{stroke:#e4e7ea;stroke:var(--sl-grid);fill:none}\n"
    "$ .a{stroke:#8b939c;stroke:var(--sl-axis);fill:none}\n"
    "$ .f{fill:currentColor;stroke:#ffffff;stroke:var(--sl-paper);stroke-width:.75;"
    "paint-order:stroke}\n"
    "$ .k{fill:#ffffff;fill:var(--sl-paper);stroke:currentColor;stroke-width:1.75}\n"
    "$ .r{fill:none;stroke:currentColor;stroke-width:3;stroke-linecap:round;stroke-opacity:.4}\n"
    "$ .o{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}\n"
    "$ .i{fill:none;stroke:currentColor;stroke-width:1.5}\n"
    "$ .t .i,$ .t.i{stroke:#ffffff;stroke:var(--sl-paper);stroke-width:4;stroke-opacity:.7}\n"
    "$ .u{color:#1b1f24;color:var(--sl-ink)}\n"
    "$ .d{fill:currentColor;fill-opacity:.18}\n"
    "$ .s{fill:currentColor;fill-opacity:.28;stroke:currentColor;stroke-width:1.5}\n"
    "$ .w{stroke:#ffffff;stroke:var(--sl-paper);fill:none}\n";

static void put_rules(struct sl_buffer *out, const char *template, const char *selector)
{
    for (;;) {
        size_t plain = strcspn(template, "$");
        sl_buffer_append(out, template, plain);
        template += plain;
        if (!*template) return;
        sl_buffer_text(out, selector);
        template ++;
    }
}

/* :where() has no specificity, so that a page's `.sl-plot{--sl-paper:...}` wins. */
static void put_colours(struct sl_buffer *out, const char *selector, bool at_night)
{
    sl_plot_put(out, ":where(%s){", selector);
    for (size_t i = 0; i < N_ROLES; i++)
        sl_plot_put(out, "--sl-%s:%s;", roles[i].name, at_night ? roles[i].dark : roles[i].light);
    for (size_t i = 0; i <= SL_PLOT_MAX_SERIES; i++)
        sl_plot_put(out, "--sl-%zu:%s%s", i, at_night ? dark[i] : light[i],
                    i < SL_PLOT_MAX_SERIES ? ";" : "}");
}

/* Hatching: background-coloured lines over the colour; direction and distance differ by colour. */
static void put_hatching(struct sl_buffer *out, const char *id, size_t colour)
{
    static const struct {
        double angle, distance, width;
    } lines[] = {{90, 3, 1},  {0, 6, 0},    {45, 6, 1.1}, {-45, 5, 0.9}, {90, 5, 0.9},
                 {0, 5, 0.8}, {20, 6, 0.9}, {0, 3, 0.5},  {65, 7, 1.3}};
    double distance = lines[colour].distance;
    sl_plot_put(out,
                "<pattern id='%s-p%zu' class='c%zu' width='%f' height='%f'"
                " patternUnits='userSpaceOnUse' patternTransform='rotate(%f)'>",
                id, colour, colour, distance, distance, lines[colour].angle);
    sl_plot_put(out, "<rect width='%f' height='%f' fill='currentColor'/>", distance, distance);
    if (lines[colour].width > 0)
        sl_plot_put(out, "<path class='w' stroke-width='%f' d='M%f,0V%f'/>", lines[colour].width,
                    distance / 2, distance);
    sl_plot_put(out, "</pattern>\n");
}

/* Lines without a background: the gap of a reliability diagram, cells without a value. */
static void put_lines(struct sl_buffer *out, const char *id)
{
    sl_plot_put(out,
                "<pattern id='%s-lines' class='c6' width='5' height='5'"
                " patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
                "<path class='i' d='M2.5,0V5'/></pattern>\n",
                id);
}

/* Declarations for `selector`: one chart, or all charts of a page. */
static void put_all_rules(struct sl_buffer *out, const char *selector)
{
    put_colours(out, selector, false);
    sl_plot_put(out, "\n@media screen and (prefers-color-scheme:dark){");
    put_colours(out, selector, true);
    sl_plot_put(out, "}\n");
    put_rules(out, rules, selector);
    for (size_t i = 0; i <= SL_PLOT_MAX_SERIES; i++)
        sl_plot_put(out, "%s .c%zu{color:%s;color:var(--sl-%zu)}\n", selector, i, light[i], i);
    sl_plot_put(out, "%s .y{fill:%s;fill:var(--sl-heat);stop-color:var(--sl-heat)}\n", selector,
                roles[5].light);
    sl_plot_put(out, "%s .x{fill:%s;fill:var(--sl-cool);stop-color:var(--sl-cool)}\n", selector,
                roles[6].light);
}

void sl_plot_rules(struct sl_buffer *out)
{
    put_all_rules(out, ".sl-plot");
}

static void put_style(struct sl_plot_chart *chart)
{
    char *selector = sl_string_printf("#%s", chart->plot->id);
    chart->parts.style.begin = chart->out->length;
    sl_plot_put(chart->out, "<style>\n");
    put_all_rules(chart->out, selector);
    sl_plot_put(chart->out, "</style>");
    chart->parts.style.end = chart->out->length;
    free(selector);
}

void sl_plot_style(struct sl_plot_chart *chart)
{
    struct sl_buffer *out = chart->out;
    const char *id = chart->plot->id;
    put_style(chart);
    sl_plot_put(out, "\n<defs>\n<clipPath id='%s-clip'>", id);
    /* Do not cut marks on the edge of the area. */
    sl_plot_put(out, "<rect x='%f' y='%f' width='%f' height='%f'/></clipPath>\n", chart->left - 6,
                chart->top - 6, chart->right - chart->left + 12, chart->bottom - chart->top + 12);
    if (chart->kind->hatched)
        for (size_t i = 0; i < chart->plot->n_series; i++)
            put_hatching(out, id, chart->colours[i]);
    if (chart->kind->lined) put_lines(out, id);
    sl_plot_put(out, "</defs>\n");
}
