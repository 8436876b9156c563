/* Plot: charts as SVG text, for files and for HTML. It needs no drawing library, scripts or fonts;
 * the same plot gives the same bytes everywhere.
 *
 * Fill a struct sl_plot and call sl_plot_svg. Everything in it is borrowed and nothing is kept.
 * Every text is escaped. Colours follow the reader's light or dark setting and print light; series
 * also differ by mark, dash and hatching. A page may set the colours: the CSS properties
 * --sl-paper, --sl-ink, ... of .sl-plot override the chart's own (docs/internals/plot.md has a
 * list).
 *
 * A value that is NaN or infinite in either coordinate is missing: a gap in a line, no bar, no
 * point. The text alternative (<desc>) counts missing values and describes the series. An interval
 * with an end that is not finite is not drawn. A chart without values says "No data". */
#ifndef SOFTLAB_PLOT_H
#define SOFTLAB_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* What a series holds, by kind. x or y may be NULL for the places 0, 1, 2, ..., but not both, and
 * not the values of bars and forests.
 *
 * bars         values on one axis, categories on the other (on y: horizontal bars); intervals
 * scatter      x and y, intervals on both; `texts` name the points, up to 200 of them
 * lines        x ascending or not, y; intervals as a band or as whiskers
 * heat         z, row by row from the top: (y categories, x categories); one series
 * histogram    x: the raw values, which are counted into common bins; y is not used
 * reliability  per bin x: mean confidence, y: accuracy, x_low and x_high: the bin's edges, weight:
 *              its items; y intervals; one series. Empty bins are NaN.
 * forest       x: values with intervals, one row per y category. Without intervals the marks of a
 *              row are on one line and joined (a dumbbell plot) */
enum sl_plot_kind {
    SL_PLOT_BARS,
    SL_PLOT_SCATTER,
    SL_PLOT_LINES,
    SL_PLOT_HEAT,
    SL_PLOT_HISTOGRAM,
    SL_PLOT_RELIABILITY,
    SL_PLOT_FOREST,
    SL_PLOT_KINDS
};

/* The name and one line about each kind, ending with a NULL name. */
struct sl_plot_kind_info {
    const char *name;
    const char *summary;
};
extern const struct sl_plot_kind_info sl_plot_kinds[];

enum sl_plot_scale {
    SL_SCALE_LINEAR,
    SL_SCALE_LOG,      /* every value must be positive */
    SL_SCALE_CATEGORY, /* value i is at category i; on y the first is at the top */
};

struct sl_plot_axis {
    const char *label; /* NULL: none */
    const char *unit;  /* after the label, "Time (s)"; "%" also after every number; or NULL. A
                        * logarithmic axis adds "log scale": "Time (s, log scale)" */
    enum sl_plot_scale scale;
    double low, high;              /* the range; equal (such as 0, 0): taken from the values */
    const char *const *categories; /* (n_categories), for SL_SCALE_CATEGORY */
    size_t n_categories;
};

/* Arrays have `count` elements, or are NULL. */
struct sl_plot_series {
    const char *name; /* in legend and text alternative; may be NULL for the only series */
    size_t count;
    const double *x, *y, *z;
    const double *x_low, *x_high; /* both or neither */
    const double *y_low, *y_high;
    const double *weight;     /* number of items of each value */
    const char *const *texts; /* a name per value, for tooltips and scatter; elements may be NULL */
    bool reference;           /* a series to compare others with: grey, hollow marks; it uses no
                               * series colour */
    bool band;                /* lines: the interval as a band */
    bool plain;               /* lines: no marks, even if there are few values */
};

enum { SL_PLOT_MAX_SERIES = 8 };

struct sl_plot {
    enum sl_plot_kind kind;
    const char *id;       /* unique in the page: a letter, then letters, digits, '-', '_' */
    const char *title;    /* its message or its subject */
    const char *subtitle; /* NULL: none */
    const char *note;     /* below the chart: source, sample sizes, warnings; NULL: none */
    const char *summary;  /* begins the text alternative; NULL: none */
    struct sl_plot_axis x, y;
    struct sl_plot_axis z; /* heat: what the colours mean */
    const struct sl_plot_series *series;
    size_t n_series;
    double width;  /* 0: 400; text has a fixed size, so a smaller width makes it larger on screen */
    double height; /* of the area between the axes; 0: by kind */
    size_t n_bins; /* histogram; 0: from the values */
    bool share;    /* histogram: the share of each series in per cent instead of counts */
    bool hide_values; /* heat: colours only */
};

/* Append the chart as one <svg> element; on failure append nothing. SL_ERR_USAGE for a plot that
 * its kind cannot draw, SL_ERR_INPUT for values that its axes cannot show. */
enum sl_status sl_plot_svg(const struct sl_plot *plot, struct sl_buffer *out,
                           struct sl_error *err) SL_MUST_USE;

/* Where parts of a chart are in the buffer, for a page with many charts: bytes from `begin` up to
 * but not including `end`. */
struct sl_plot_span {
    size_t begin, end;
};
struct sl_plot_parts {
    struct sl_plot_span style;       /* the <style> element, which sl_plot_rules can replace */
    struct sl_plot_span description; /* the text alternative, escaped */
};
/* Like sl_plot_svg, and fills `parts`. */
enum sl_status sl_plot_svg_parts(const struct sl_plot *plot, struct sl_buffer *out,
                                 struct sl_plot_parts *parts, struct sl_error *err) SL_MUST_USE;
/* Append the style rules that all charts of a page share (class "sl-plot"). */
void sl_plot_rules(struct sl_buffer *out);

/* Write the chart to a file. */
enum sl_status sl_plot_write(const struct sl_plot *plot, const char *path,
                             struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
