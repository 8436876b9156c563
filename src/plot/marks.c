/* Marks and whiskers. */
#include "plot/plot_internal.h"

/* A series with more values than this is drawn as dots. */
enum { MANY = 1000, LAYERS = 8 };

static void put_polygon(struct sl_buffer *out, double x, double y, double radius,
                        const signed char (*corners)[2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        sl_plot_put(out, i == 0 ? "M%f,%f" : "L%f,%f", x + corners[i][0] * radius / 100,
                    y + corners[i][1] * radius / 100);
    sl_plot_put(out, "Z");
}

void sl_plot_mark_path(struct sl_buffer *out, size_t shape, double x, double y, double radius)
{
    /* In hundredths of the radius; all shapes have about the same area. */
    static const signed char square[][2] = {{-90, -90}, {90, -90}, {90, 90}, {-90, 90}};
    static const signed char up[][2] = {{0, -120}, {115, 80}, {-115, 80}};
    static const signed char diamond[][2] = {{0, -127}, {127, 0}, {0, 127}, {-127, 0}};
    static const signed char down[][2] = {{0, 120}, {115, -80}, {-115, -80}};
    static const signed char plus[][2] = {{-40, -120}, {40, -120}, {40, -40},   {120, -40},
                                          {120, 40},   {40, 40},   {40, 120},   {-40, 120},
                                          {-40, 40},   {-120, 40}, {-120, -40}, {-40, -40}};
    static const signed char cross[][2] = {{-113, -57}, {-57, -113}, {0, -57},   {57, -113},
                                           {113, -57},  {57, 0},     {113, 57},  {57, 113},
                                           {0, 57},     {-57, 113},  {-113, 57}, {-57, 0}};
    static const signed char hexagon[][2] = {{-110, 0}, {-55, -95}, {55, -95},
                                             {110, 0},  {55, 95},   {-55, 95}};
    switch (shape) {
    case 2: put_polygon(out, x, y, radius, square, 4); break;
    case 3: put_polygon(out, x, y, radius, up, 3); break;
    case 4: put_polygon(out, x, y, radius, diamond, 4); break;
    case 5: put_polygon(out, x, y, radius, down, 3); break;
    case 6: put_polygon(out, x, y, radius, plus, 12); break;
    case 7: put_polygon(out, x, y, radius, cross, 12); break;
    case 8: put_polygon(out, x, y, radius, hexagon, 6); break;
    default:
        sl_plot_put(out, "M%f,%fa%f,%f 0 1 0 %f,0a%f,%f 0 1 0 %f,0Z", x - radius, y, radius, radius,
                    2 * radius, radius, radius, -2 * radius);
    }
}

const char *sl_plot_mark_dashes(size_t colour)
{
    static const char *const dashes[] = {
        "2 3", "", "7 3", "2 2", "9 3 2 3", "5 2", "12 3 2 3 2 3", "1 3", "4 2 1 2 1 2"};
    return dashes[colour];
}

static bool is_visible(const struct sl_plot_chart *chart, const struct sl_plot_series *series,
                       size_t i)
{
    return !sl_plot_series_missing(series, i) &&
           sl_plot_range_holds(&chart->x, sl_plot_series_x(series, i)) &&
           sl_plot_range_holds(&chart->y, sl_plot_series_y(series, i));
}

static void put_mark(struct sl_plot_chart *chart, size_t series, size_t i, double radius)
{
    const struct sl_plot_series *values = &chart->plot->series[series];
    sl_plot_mark_path(chart->out, chart->shapes[series],
                      sl_plot_range_at(&chart->x, sl_plot_series_x(values, i)),
                      sl_plot_range_at(&chart->y, sl_plot_series_y(values, i)), radius);
}

/* Dots are lines of length zero with round ends, a quarter of the bytes of circles. They are spread
 * over several translucent paths, so that dense regions are darker. */
static void draw_dots(struct sl_plot_chart *chart, const struct sl_plot_series *values)
{
    for (size_t layer = 0; layer < LAYERS; layer++) {
        sl_plot_put(chart->out, "<path class='r' d='");
        for (size_t i = layer; i < values->count; i += LAYERS)
            if (is_visible(chart, values, i))
                sl_plot_put(chart->out, "M%f,%fh0",
                            sl_plot_range_at(&chart->x, sl_plot_series_x(values, i)),
                            sl_plot_range_at(&chart->y, sl_plot_series_y(values, i)));
        sl_plot_put(chart->out, "'/>\n");
    }
}

void sl_plot_marks_draw(struct sl_plot_chart *chart, size_t series, double radius)
{
    const struct sl_plot_series *values = &chart->plot->series[series];
    const char *shape = chart->colours[series] == 0 ? "k" : "f";
    bool titled = values->count <= SL_PLOT_TITLED;
    if (values->count > MANY) {
        draw_dots(chart, values);
        return;
    }
    if (!titled) sl_plot_put(chart->out, "<path class='%s' d='", shape);
    for (size_t i = 0; i < values->count; i++) {
        if (!is_visible(chart, values, i)) continue;
        if (titled) sl_plot_put(chart->out, "<path class='%s' d='", shape);
        put_mark(chart, series, i, titled ? radius : radius * 0.7);
        if (!titled) continue;
        sl_plot_put(chart->out, "'><title>");
        sl_plot_describe_value(chart, series, i);
        sl_plot_put(chart->out, "</title></path>\n");
    }
    if (!titled) sl_plot_put(chart->out, "'/>\n");
}

void sl_plot_whiskers(struct sl_plot_chart *chart, size_t series, size_t i, double x, double y)
{
    static const double cap = 3;
    const struct sl_plot_series *values = &chart->plot->series[series];
    bool up = sl_plot_has_interval(values->y_low, values->y_high, i);
    bool across = sl_plot_has_interval(values->x_low, values->x_high, i);
    if (!up && !across) return;
    sl_plot_put(chart->out, "<path class='i' d='");
    if (up) {
        double low = sl_plot_range_at(&chart->y, values->y_low[i]);
        double high = sl_plot_range_at(&chart->y, values->y_high[i]);
        sl_plot_put(chart->out, "M%f,%fH%fM%f,%fV%fM%f,%fH%f", x - cap, low, x + cap, x, low, high,
                    x - cap, high, x + cap);
    }
    if (across) {
        double low = sl_plot_range_at(&chart->x, values->x_low[i]);
        double high = sl_plot_range_at(&chart->x, values->x_high[i]);
        sl_plot_put(chart->out, "M%f,%fV%fM%f,%fH%fM%f,%fV%f", low, y - cap, y + cap, low, y, high,
                    high, y - cap, y + cap);
    }
    sl_plot_put(chart->out, "'/>\n");
}
