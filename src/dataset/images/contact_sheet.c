#include <stdlib.h>
#include <string.h>

#include "dataset/images/font.h"
#include "softlab/base/memory.h"
#include "softlab/dataset.h"

enum {
    MARGIN = 6,
    MIN_CELL = 48,
    MAX_CELL = 128,
    MAX_CELLS = 1000, /* in a row or a column */
    LETTER_SCALE = 2,
    LETTER_HEIGHT = SL_FONT_HEIGHT * LETTER_SCALE,
    MAX_LETTERS = 16,
    INK = 48, /* grey of the letters */
};

static const size_t no_item = SIZE_MAX;

/* Which item is shown in which cell. */
struct layout {
    bool by_class; /* row k shows class k */
    size_t rows, columns;
    size_t *items;      /* owned; (rows, columns), no_item = nothing */
    size_t cell;        /* side of a picture's place */
    size_t names_width; /* left of the pictures */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool has_labels(const struct sl_dataset *dataset)
{
    for (size_t i = 0; i < dataset->count; i++)
        if (dataset->labels[i] != SL_NO_LABEL) return true;
    return false;
}

static int compare_indices(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return a < b ? -1 : a > b;
}

/* Draw up to `room` items of the pool into `out`, in the order of the data set; returns their
 * number. */
static size_t draw_items(const size_t *pool, size_t n_pool, size_t room, struct sl_rng *rng,
                         size_t *out)
{
    const size_t count = smaller(n_pool, room);
    sl_rng_sample(rng, n_pool, count, out);
    for (size_t i = 0; i < count; i++)
        out[i] = pool[out[i]];
    qsort(out, count, sizeof *out, compare_indices);
    return count;
}

/* Choose the items of all cells and remove rows or columns that stay empty; `pool` has room for
 * every item. */
static void choose_items(const struct sl_dataset *dataset, uint64_t seed, size_t *pool,
                         struct layout *layout)
{
    struct sl_rng rng;
    const size_t columns = layout->columns;
    for (size_t i = 0; i < layout->rows * columns; i++)
        layout->items[i] = no_item;
    if (!layout->by_class) {
        for (size_t i = 0; i < dataset->count; i++)
            pool[i] = i;
        sl_rng_init(&rng, seed, "sheet", 0, 0);
        size_t count =
            draw_items(pool, dataset->count, layout->rows * columns, &rng, layout->items);
        layout->rows = (count + columns - 1) / columns;
        return;
    }
    size_t longest = 1;
    for (size_t k = 0; k < layout->rows; k++) {
        size_t n_pool = 0;
        for (size_t i = 0; i < dataset->count; i++)
            if (dataset->labels[i] == (int32_t)k) pool[n_pool++] = i;
        sl_rng_init(&rng, seed, "sheet", 0, k + 1);
        size_t count = draw_items(pool, n_pool, columns, &rng, layout->items + k * columns);
        if (count > longest) longest = count;
    }
    for (size_t k = 1; k < layout->rows; k++)
        memmove(layout->items + k * longest, layout->items + k * columns,
                longest * sizeof *layout->items);
    layout->columns = longest;
}

static size_t names_width(const struct sl_dataset *dataset, size_t rows)
{
    size_t longest = 0;
    for (size_t k = 0; k < rows; k++) {
        size_t letters = smaller(strlen(dataset->classes[k]), MAX_LETTERS);
        if (letters > longest) longest = letters;
    }
    return sl_font_width(longest, LETTER_SCALE) + MARGIN;
}

static enum sl_status layout_create(const struct sl_dataset *dataset, size_t rows, size_t columns,
                                    uint64_t seed, struct layout *out, struct sl_error *err)
{
    struct layout layout = {.by_class = has_labels(dataset), .rows = rows, .columns = columns};
    if (layout.by_class) {
        layout.rows = smaller(rows, dataset->n_classes);
        layout.names_width = names_width(dataset, layout.rows);
    }
    layout.items = sl_data_alloc(layout.rows * columns, sizeof *layout.items, err);
    size_t *pool = layout.items ? sl_data_alloc(dataset->count, sizeof *pool, err) : NULL;
    if (!pool) {
        free(layout.items);
        return SL_ERR_NOMEM;
    }
    choose_items(dataset, seed, pool, &layout);
    free(pool);
    *out = layout;
    return SL_OK;
}

/* Show small images at twice their size, within limits; the first image decides for all. */
static enum sl_status choose_cell(const struct sl_dataset *dataset, size_t *out,
                                  struct sl_error *err)
{
    struct sl_image image;
    SL_TRY(sl_dataset_image(dataset, 0, &image, err));
    size_t longer = image.height > image.width ? image.height : image.width;
    sl_image_release(&image);
    *out = longer <= MIN_CELL / 2 ? MIN_CELL : longer >= MAX_CELL / 2 ? MAX_CELL : 2 * longer;
    return SL_OK;
}

/* Copy an image onto the sheet, grey as three equal channels. */
static void paste(const struct sl_image *image, size_t x, size_t y, struct sl_image *sheet)
{
    const uint8_t *in = image->pixels;
    for (size_t row = 0; row < image->height; row++) {
        uint8_t *out = sheet->pixels + ((y + row) * sheet->width + x) * sheet->channels;
        for (size_t i = 0; i < image->width * sheet->channels; i++)
            out[i] = in[image->channels == 1 ? i / sheet->channels : i];
        in += image->width * image->channels;
    }
}

/* One item in the middle of the cell whose corner is at (x, y), its proportions kept. */
static enum sl_status draw_cell(const struct sl_dataset *dataset, size_t item, size_t cell,
                                const size_t corner[2], struct sl_image *sheet,
                                struct sl_error *err)
{
    struct sl_image image = {0}, resized = {0};
    enum sl_status status = sl_dataset_image(dataset, item, &image, err);
    if (status != SL_OK) return status;
    const size_t longer = image.height > image.width ? image.height : image.width;
    const size_t height = (image.height * cell + longer / 2) / longer;
    const size_t width = (image.width * cell + longer / 2) / longer;
    status = sl_image_resize(&image, height ? height : 1, width ? width : 1, &resized, err);
    sl_image_release(&image);
    if (status != SL_OK) return status;
    paste(&resized, corner[0] + (cell - resized.width) / 2, corner[1] + (cell - resized.height) / 2,
          sheet);
    sl_image_release(&resized);
    return SL_OK;
}

static enum sl_status draw_sheet(const struct sl_dataset *dataset, const struct layout *layout,
                                 struct sl_image *sheet, struct sl_error *err)
{
    const size_t step = layout->cell + MARGIN;
    for (size_t row = 0; row < layout->rows; row++) {
        const size_t y = MARGIN + row * step;
        if (layout->by_class) {
            char name[MAX_LETTERS + 1] = {0};
            memcpy(name, dataset->classes[row],
                   smaller(strlen(dataset->classes[row]), MAX_LETTERS));
            sl_font_draw(sheet, MARGIN, y + (layout->cell - LETTER_HEIGHT) / 2, LETTER_SCALE, INK,
                         name);
        }
        for (size_t column = 0; column < layout->columns; column++) {
            size_t item = layout->items[row * layout->columns + column];
            const size_t corner[2] = {MARGIN + layout->names_width + column * step, y};
            if (item != no_item) SL_TRY(draw_cell(dataset, item, layout->cell, corner, sheet, err));
        }
    }
    return SL_OK;
}

enum sl_status sl_contact_sheet(const struct sl_dataset *dataset, size_t rows, size_t columns,
                                uint64_t seed, struct sl_image *out, struct sl_error *err)
{
    if (sl_dataset_kind_of(dataset) != SL_DATASET_IMAGES)
        return sl_fail(err, SL_ERR_USAGE, "%s holds %s; a contact sheet needs images",
                       dataset->name, sl_dataset_unit(dataset));
    if (dataset->count == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s has no images to show", dataset->name);
    if (rows < 1 || rows > MAX_CELLS || columns < 1 || columns > MAX_CELLS)
        return sl_fail(err, SL_ERR_USAGE,
                       "expected a contact sheet of 1 to %d rows and columns, got %zu by %zu",
                       MAX_CELLS, rows, columns);
    struct layout layout = {0};
    struct sl_image sheet = {0};
    enum sl_status status = layout_create(dataset, rows, columns, seed, &layout, err);
    if (status != SL_OK) return status;
    SL_TRY_OUT(choose_cell(dataset, &layout.cell, err));
    const size_t step = layout.cell + MARGIN;
    const size_t height = MARGIN + layout.rows * step;
    const size_t width = MARGIN + layout.names_width + layout.columns * step;
    if (height * width > SL_IMAGE_MAX_PIXELS) {
        status = sl_fail(err, SL_ERR_USAGE, "a contact sheet of %zu by %zu images is too large",
                         layout.rows, layout.columns);
        goto out;
    }
    SL_TRY_OUT(sl_image_create(height, width, 3, &sheet, err));
    memset(sheet.pixels, 255, height * width * 3);
    SL_TRY_OUT(draw_sheet(dataset, &layout, &sheet, err));
    *out = sheet;
    sheet = (struct sl_image){0};
out:
    sl_image_release(&sheet);
    free(layout.items);
    return status;
}
