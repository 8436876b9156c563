/* Figures that need no training: that each says in one way where it comes from. */
#include <string.h>

#include "experiment/runner.h"
#include "experiment/spec_fields.h"
#include "experiment/spec_internal.h"

static const char *const blocks[] = {"compute", "further"};
enum { N_BLOCKS = sizeof blocks / sizeof *blocks };

const json_t *sl_spec_figure(const json_t *spec, const char *cell)
{
    const json_t *entry = NULL;
    for (size_t i = 0; i < N_BLOCKS && !entry; i++)
        entry = json_object_get(json_object_get(spec, blocks[i]), cell);
    return entry;
}

static enum sl_status check_cells(const struct sl_json_cursor *root,
                                  const struct sl_json_cursor *entry, struct sl_error *err)
{
    json_t *as = json_object_get(entry->value, "as");
    const struct sl_json_cursor cells =
        sl_spec_below(entry, "cells", json_object_get(entry->value, "cells"));
    if (!as) return sl_json_fail(entry, err, "\"as\" is missing: what becomes of its cells");
    if (!sl_figure_relation_find(json_string_value(as))) {
        const struct sl_json_cursor at = sl_spec_below(entry, "as", as);
        return sl_json_fail(&at, err, "expected difference or reduction");
    }
    if (json_array_size(cells.value) != 2)
        return sl_json_fail(&cells, err, "%zu cells, expected 2", json_array_size(cells.value));
    for (size_t i = 0; i < 2; i++) {
        const struct sl_json_cursor cell = sl_json_element(&cells, i);
        const json_t *other = sl_spec_figure(root->value, json_string_value(cell.value));
        if (!other) return sl_json_fail(&cell, err, "neither \"compute\" nor \"further\" has it");
        if (json_object_get(other, "cells"))
            return sl_json_fail(&cell, err, "is made of cells itself");
    }
    return SL_OK;
}

static enum sl_status check_figure(const struct sl_json_cursor *root,
                                   const struct sl_json_cursor *entry, struct sl_error *err)
{
    static const struct {
        const char *key;
        bool has_path;
    } sources[] = {{"command", true}, {"file", true}, {"mean_of", false}, {"cells", false}};
    size_t n_sources = 0;
    bool has_path = false;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (!json_object_get(entry->value, sources[i].key)) continue;
        n_sources++;
        has_path = sources[i].has_path;
    }
    if (n_sources != 1)
        return sl_json_fail(entry, err,
                            "one of \"command\", \"file\", \"mean_of\" and \"cells\" says where it "
                            "comes from");
    if (has_path && !json_object_get(entry->value, "path"))
        return sl_json_fail(entry, err, "\"path\" is missing: where in the JSON the figure is");
    return json_object_get(entry->value, "cells") ? check_cells(root, entry, err) : SL_OK;
}

enum sl_status sl_spec_check_figures(const struct sl_json_cursor *root, struct sl_error *err)
{
    for (size_t i = 0; i < N_BLOCKS; i++) {
        const struct sl_json_cursor block =
            sl_spec_below(root, blocks[i], json_object_get(root->value, blocks[i]));
        const char *cell;
        json_t *value;
        json_object_foreach(block.value, cell, value)
        {
            const struct sl_json_cursor entry = sl_spec_below(&block, cell, value);
            SL_TRY(check_figure(root, &entry, err));
        }
    }
    return SL_OK;
}
