/* The legend: keys and names, on as many lines as they need. */
#include <math.h>

#include "plot/plot_internal.h"

enum { KEY_GAP = 6, ENTRY_GAP = 16, ROW = 18, MAX_ENTRIES = SL_PLOT_MAX_SERIES + 3 };

struct entry {
    const char *name;
    enum sl_plot_key key;
    size_t colour, shape;
    bool plain, band;
};

static size_t collect(const struct sl_plot_chart *chart, struct entry entries[MAX_ENTRIES])
{
    const struct sl_plot *plot = chart->plot;
    if (plot->kind == SL_PLOT_RELIABILITY) {
        entries[0] =
            (struct entry){.name = "accuracy in the bin", .key = SL_KEY_SWATCH, .colour = 1};
        entries[1] = (struct entry){.name = "gap to confidence", .key = SL_KEY_GAP, .colour = 6};
        entries[2] = (struct entry){.name = "calibrated", .key = SL_KEY_DIAGONAL};
        return 3;
    }
    if (plot->n_series < 2 || chart->named_lines) return 0;
    for (size_t i = 0; i < plot->n_series; i++)
        entries[i] = (struct entry){.name = plot->series[i].name,
                                    .key = chart->kind->key,
                                    .colour = chart->colours[i],
                                    .shape = chart->shapes[i],
                                    .plain = plot->series[i].plain,
                                    .band = plot->series[i].band};
    return plot->n_series;
}

static double key_width(enum sl_plot_key key)
{
    return key == SL_KEY_LINE || key == SL_KEY_DIAGONAL ? 26 : key == SL_KEY_MARK ? 10 : 14;
}

static void draw_mark(struct sl_plot_chart *chart, const struct entry *entry, double x, double y)
{
    sl_plot_put(chart->out, "<path class='%s' d='", entry->colour == 0 ? "k" : "f");
    sl_plot_mark_path(chart->out, entry->shape, x, y, 4);
    sl_plot_put(chart->out, "'/>");
}

static void draw_key(struct sl_plot_chart *chart, const struct entry *entry, double x, double y)
{
    struct sl_buffer *out = chart->out;
    const char *id = chart->plot->id;
    double end = x + key_width(entry->key);
    sl_plot_put(out, "<g class='c%zu'>", entry->colour);
    switch (entry->key) {
    case SL_KEY_MARK: draw_mark(chart, entry, x + 5, y); break;
    case SL_KEY_LINE:
        sl_plot_put(out, "<path class='o' stroke-dasharray='%s' d='M%f,%fH%f'/>",
                    sl_plot_mark_dashes(entry->colour), x, y, end);
        if (!entry->plain) draw_mark(chart, entry, (x + end) / 2, y);
        break;
    case SL_KEY_GAP:
        sl_plot_put(out, "<rect x='%f' y='%f' width='14' height='10' fill='url(#%s-lines)'", x,
                    y - 5, id);
        sl_plot_put(out, " stroke='currentColor'/>");
        break;
    case SL_KEY_DIAGONAL:
        sl_plot_put(out, "<path class='i u' stroke-dasharray='4 3' d='M%f,%fH%f'/>", x, y, end);
        break;
    case SL_KEY_AREA:
        sl_plot_put(out,
                    "<rect class='s' stroke-dasharray='%s' x='%f' y='%f' width='14'"
                    " height='10'/>",
                    sl_plot_mark_dashes(entry->colour), x, y - 5);
        break;
    case SL_KEY_SWATCH:
        sl_plot_put(out, "<rect x='%f' y='%f' width='14' height='10' fill='url(#%s-p%zu)'/>", x,
                    y - 5, id, entry->colour);
    }
    sl_plot_put(out, "</g>\n");
}

double sl_plot_legend(struct sl_plot_chart *chart, bool draw)
{
    struct entry entries[MAX_ENTRIES];
    size_t count = collect(chart, entries);
    double edge = chart->width - SL_PLOT_PADDING, x = SL_PLOT_PADDING, y = chart->legend_top + 8;
    for (size_t i = 0; i < count; i++) {
        double key = key_width(entries[i].key) + KEY_GAP;
        double name =
            fmin(sl_plot_text_width(entries[i].name, SL_SIZE_TEXT), edge - SL_PLOT_PADDING - key);
        if (x > SL_PLOT_PADDING && x + key + name > edge) {
            x = SL_PLOT_PADDING;
            y += ROW;
        }
        if (draw) {
            draw_key(chart, &entries[i], x, y);
            sl_plot_put(chart->out, "<g transform='translate(%f,%f)'>", x + key, y + 4);
            sl_plot_text_write(chart->out, "class='name'", entries[i].name, SL_SIZE_TEXT, name + 1);
            sl_plot_put(chart->out, "</g>\n");
        }
        x += key + name + ENTRY_GAP;
    }
    return count > 0 ? y + 12 - chart->legend_top : 0;
}
