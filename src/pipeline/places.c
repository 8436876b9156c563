#include "softlab/pipeline/places.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

void sl_places_release(struct sl_places *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->items[i].path);
    free(places->items);
    *places = (struct sl_places){0};
}

void sl_places_add(struct sl_places *places, char *path, const char *typed,
                   enum sl_field_kind stream)
{
    places->items = sl_resize(places->items, places->count + 1, sizeof *places->items);
    places->items[places->count++] = (struct sl_found_path){path, typed, stream};
}

/* Find the path of a place; `places` owns it. */
static enum sl_status find_path(struct sl_places *places, const struct sl_data_roots *roots,
                                const char *typed, char **out, struct sl_error *err)
{
    SL_TRY(sl_fetch_place(typed, roots, out, err));
    sl_places_add(places, *out, typed, SL_FIELD_WORD);
    return SL_OK;
}

enum sl_status sl_places_find_fields(struct sl_places *places, const struct sl_data_roots *roots,
                                     const struct sl_field_row *rows, void *values,
                                     struct sl_error *err)
{
    for (const struct sl_field_row *row = rows; row && row->name; row++) {
        const char **field = (const char **)((char *)values + row->offset);
        const bool read = row->kind == SL_FIELD_PATH || row->kind == SL_FIELD_SOURCE;
        char *path = NULL;
        if (!read || !*field || **field != '@') continue;
        SL_TRY(find_path(places, roots, *field, &path, err));
        *field = path;
    }
    return SL_OK;
}

enum sl_status sl_places_find_all(struct sl_places *places, const struct sl_data_roots *roots,
                                  char **words, size_t n_words, struct sl_error *err)
{
    for (size_t i = 0; i < n_words; i++)
        if (words[i][0] == '@') SL_TRY(find_path(places, roots, words[i], &words[i], err));
    return SL_OK;
}

const char *sl_places_typed(const struct sl_places *places, const char *text)
{
    for (size_t i = 0; i < places->count; i++)
        if (places->items[i].path == text) return places->items[i].typed;
    return text;
}

const char *sl_suffix_of_bytes(const char *bytes, size_t length)
{
    static const struct {
        const char *bytes, *suffix;
        size_t length, at;
    } beginnings[] = {
        {"PK\003\004", ".npz", 4, 0},  {"\223NUMPY", ".npy", 6, 0},
        {"\037\213", ".csv.gz", 2, 0}, {"{\"softlab\":\"answers\"", ".jsonl", 20, 0},
        {"{\"", ".safetensors", 2, 8}, {"{", ".json", 1, 0},
        {"[", ".json", 1, 0},
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (length >= beginnings[i].at + beginnings[i].length &&
            memcmp(bytes + beginnings[i].at, beginnings[i].bytes, beginnings[i].length) == 0)
            return beginnings[i].suffix;
    const char *end = memchr(bytes, '\n', length);
    const size_t line = end ? (size_t)(end - bytes) : length;
    if (memchr(bytes, '\t', line)) return ".tsv";
    return memchr(bytes, ',', line) ? ".csv" : ".txt";
}
