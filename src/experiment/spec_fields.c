#include "experiment/spec_fields.h"

#include <stddef.h>

static const struct sl_spec_field extra_fields[] = {
    {"images", TEXT | REQUIRED, NULL},
    {"labels", TEXTS, NULL},
    {"answers", TEXT, NULL},
    {"method", TEXT, NULL},
    {"options", ANY, NULL},
    {"draw", TEXT, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field set_fields[] = {
    {"labels", TEXTS | NOTHING, NULL},
    {"answers", TEXT, NULL},
    {"method", TEXT, NULL},
    {"options", ANY, NULL},
    {"only", TEXT, NULL},
    {"rest", TEXT, NULL},
    {"draw", TEXT, NULL},
    {"harden", BOOLEAN, NULL},
    {"count", NUMBER, NULL},
    {"extra", OBJECT, extra_fields},
    {"mixing", TEXT, NULL},
    {"settings", ANY, NULL},
    {"as_run", ANY, NULL},
    {"dev_labels", TEXT, NULL},
    {"train", BOOLEAN, NULL},
    {"seconds", NUMBER, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field test_fields[] = {
    {"data", TEXT | TEXTS | NOTHING, NULL},
    {"split", TEXT | NOTHING, NULL},
    {"only", TEXT | NOTHING, NULL},
    {"labels", TEXT, NULL},
    {"truth", TEXT, NULL},
    {"metrics", TEXTS, NULL},
    {"settings", ANY, NULL},
    {"missing", TEXT, NULL},
    {"seed", NUMBER, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field start_fields[] = {
    {"recipe", TEXT, NULL},   {"data", TEXT, NULL},    {"labels", TEXTS | NOTHING, NULL},
    {"seeds", NUMBERS, NULL}, {"items", NUMBER, NULL}, {"settings", ANY, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field table_fields[] = {
    {"rows", TEXTS | REQUIRED, NULL},
    {"columns", TEXTS | REQUIRED, NULL},
    {"pool", TEXTS | REQUIRED, NULL},
    {"interval", TEXT | REQUIRED, NULL},
    {"scale", ANY, NULL},
    {"cells", ANY | REQUIRED, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field tune_fields[] = {
    {"parameter", TEXT | REQUIRED, NULL},
    {"grid", NUMBERS | REQUIRED, NULL},
    {"selected", ANY, NULL},
    {"validation", ANY | REQUIRED, NULL},
    {"metric", TEXT | REQUIRED, NULL},
    {"seeds", NUMBERS | REQUIRED, NULL},
    {"sets", TEXTS, NULL},
    {"networks", TEXTS, NULL},
    {"assumed", TEXTS, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field figure_fields[] = {
    {"command", TEXTS, NULL}, {"file", TEXT, NULL},     {"path", TEXT | TEXTS, NULL},
    {"mean_of", ANY, NULL},   {"cells", TEXTS, NULL},   {"as", TEXT, NULL},
    {"times", NUMBER, NULL},  {"divide", NUMBER, NULL}, {"here", ANY, NULL},
    {"missing", TEXT, NULL},  {NULL, 0, NULL},
};
/* Numbers of a chart that are not written out: cells, or what a path finds. */
static const struct sl_spec_field numbers_fields[] = {
    {"cells", TEXTS, NULL},  {"command", TEXTS, NULL}, {"file", TEXT, NULL}, {"path", TEXT, NULL},
    {"times", NUMBER, NULL}, {"share", BOOLEAN, NULL}, {NULL, 0, NULL},
};
static const struct sl_spec_field chart_series_fields[] = {
    {"x", NUMBERS | OBJECT, numbers_fields},
    {"y", NUMBERS | OBJECT, numbers_fields},
    {"x_low", NUMBERS | OBJECT, numbers_fields},
    {"x_high", NUMBERS | OBJECT, numbers_fields},
    {"y_low", NUMBERS | OBJECT, numbers_fields},
    {"y_high", NUMBERS | OBJECT, numbers_fields},
    {"reference", BOOLEAN, NULL},
    {"band", BOOLEAN, NULL},
    {"plain", BOOLEAN, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field axis_fields[] = {
    {"label", TEXT, NULL}, {"unit", TEXT, NULL},   {"categories", TEXTS, NULL},
    {"low", NUMBER, NULL}, {"high", NUMBER, NULL}, {"log", BOOLEAN, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field chart_fields[] = {
    {"kind", TEXT | REQUIRED, NULL},
    {"x", OBJECT, axis_fields},
    {"y", OBJECT, axis_fields},
    {"series", MAP | REQUIRED, chart_series_fields},
    {NULL, 0, NULL},
};
static const struct sl_spec_field items_fields[] = {
    {"command", TEXTS | REQUIRED, NULL},
    {"path", TEXT | REQUIRED, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field gallery_fields[] = {
    {"images", TEXT | TEXTS, NULL},
    {"data", TEXT, NULL},
    {"series", ANY | REQUIRED, NULL},
    {"items", TEXTS | OBJECT, items_fields},
    {"class", TEXT | TEXTS, NULL},
    {"count", NUMBER, NULL},
    {"row", NUMBER, NULL},
    {"here", TEXTS, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field exhibit_fields[] = {
    {"title", TEXT | REQUIRED, NULL}, {"note", TEXT, NULL}, {"gallery", OBJECT, gallery_fields},
    {"chart", OBJECT, chart_fields},  {NULL, 0, NULL},
};
static const struct sl_spec_field answer_fields[] = {
    {"reference", TEXT | REQUIRED, NULL},
    {"against", TEXT | REQUIRED, NULL},
    {"distance", TEXT | REQUIRED, NULL},
    {"model", TEXT | REQUIRED, NULL},
    {NULL, 0, NULL},
};
/* The keys that a part, a scale and the whole have in common. */
#define DESIGN_FIELDS                                                                              \
    {"missing", TEXT, NULL}, {"references", MAP, set_fields}, {"networks", TEXTS, NULL},           \
        {"recipe", TEXT, NULL}, {"settings", ANY, NULL}, {"data", TEXT, NULL},                     \
        {"size", TEXT, NULL}, {"channels", NUMBER, NULL}, {"skip_broken", BOOLEAN, NULL},          \
        {"split", TEXT | NOTHING, NULL}, {"holdout", TEXT | NOTHING, NULL}, {"dev", TEXT, NULL},   \
        {"folds", NUMBER | NOTHING, NULL}, {"start", OBJECT, start_fields},                        \
        {"seeds", NUMBERS, NULL}, {"tests", MAP, test_fields}, {"items", NUMBER, NULL},            \
        {"test_items", NUMBER, NULL}, {"dev_items", NUMBER, NULL},                                 \
    {                                                                                              \
        "run_folds", NUMBERS, NULL                                                                 \
    }

static const struct sl_spec_field part_fields[] = {
    DESIGN_FIELDS,
    {"sets", MAP, set_fields},
    {NULL, 0, NULL},
};
static const struct sl_spec_field scale_part_fields[] = {
    DESIGN_FIELDS,
    {"sets", TEXTS, NULL},
    {NULL, 0, NULL},
};
static const struct sl_spec_field scale_fields[] = {
    DESIGN_FIELDS,
    {"sets", TEXTS, NULL},
    {"parts", MAP, scale_part_fields},
    {"stands_for", ANY, NULL},
    {NULL, 0, NULL},
};
const struct sl_spec_field sl_spec_fields[] = {
    {"softlab", TEXT | REQUIRED, NULL},
    {"version", NUMBER | REQUIRED, NULL},
    {"name", TEXT | REQUIRED, NULL},
    {"title", TEXT | REQUIRED, NULL},
    {"source", TEXT, NULL},
    {"people", TEXT, NULL},
    {"notes", TEXTS, NULL},
    {"needs", TEXTS, NULL},
    {"files", ANY, NULL},
    DESIGN_FIELDS,
    {"sets", MAP, set_fields},
    {"table", OBJECT, table_fields},
    {"parts", MAP, part_fields},
    {"compute", MAP, figure_fields},
    {"further", MAP, figure_fields},
    {"absent", ANY, NULL},
    {"show", OBJECTS, exhibit_fields},
    {"answer", OBJECT, answer_fields},
    {"names", ANY, NULL},
    {"plot", ANY, NULL},
    {"tune", OBJECTS, tune_fields},
    {"scales", MAP, scale_fields},
    {NULL, 0, NULL},
};
