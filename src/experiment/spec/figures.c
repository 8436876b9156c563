/* Checks figures that need no training: each must have exactly one source. */
#include "experiment/run/runner.h"
#include "experiment/spec/spec_internal.h"
#include "softlab/base/text.h"

static enum sl_status check_cells(const struct sl_spec_body *body,
                                  const struct sl_spec_figure *figure,
                                  const struct sl_json_cursor *entry, struct sl_error *err)
{
    const struct sl_json_cursor as = sl_json_below(entry, "as");
    const struct sl_json_cursor cells = sl_json_below(entry, "cells");
    if (!figure->as)
        return sl_json_fail(entry, err, "\"as\" is missing: give difference or reduction");
    if (!sl_figure_relation_find(figure->as))
        return sl_json_fail(&as, err, "expected difference or reduction");
    if (figure->cells.count != 2)
        return sl_json_fail(&cells, err, "%zu cell%s, expected 2", figure->cells.count,
                            sl_text_plural(figure->cells.count, "", "s"));
    for (size_t i = 0; i < 2; i++) {
        const struct sl_json_cursor cell = sl_json_element(&cells, i);
        const struct sl_spec_figure *other = sl_spec_figure_find(body, figure->cells.items[i]);
        if (!other)
            return sl_json_fail(&cell, err, "neither \"compute\" nor \"further\" has this cell");
        if (other->cells.items)
            return sl_json_fail(&cell, err, "is itself made of cells; name a cell that is not");
    }
    return SL_OK;
}

static enum sl_status check_figure(const struct sl_spec_body *body,
                                   const struct sl_spec_figure *figure,
                                   const struct sl_json_cursor *entry, struct sl_error *err)
{
    const bool printed = figure->command.items || figure->file;
    const int n_sources = (figure->command.items != NULL) + (figure->file != NULL) +
                          (figure->mean_of != NULL) + (figure->cells.items != NULL);
    if (n_sources != 1)
        return sl_json_fail(entry, err,
                            "give exactly one of \"command\", \"file\", \"mean_of\" and \"cells\"");
    if (printed && !figure->path && !figure->paths.items)
        return sl_json_fail(entry, err, "\"path\" is missing: where in the JSON the figure is");
    return figure->cells.items ? check_cells(body, figure, entry, err) : SL_OK;
}

enum sl_status sl_spec_check_figures(const struct sl_spec_body *body,
                                     const struct sl_json_cursor *root, struct sl_error *err)
{
    const struct {
        const char *key;
        const struct sl_spec_figures *figures;
    } blocks[] = {{"compute", &body->compute}, {"further", &body->further}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const struct sl_json_cursor block = sl_json_below(root, blocks[i].key);
        for (size_t j = 0; j < blocks[i].figures->count; j++) {
            const struct sl_json_cursor entry = sl_json_below(&block, blocks[i].figures->names[j]);
            SL_TRY(check_figure(body, &blocks[i].figures->items[j], &entry, err));
        }
    }
    return SL_OK;
}
