#include <stdio.h>
#include <string.h>

#include "softlab/base/buffer.h"
#include "softlab/base/file.h"

/* Endings that say what a file holds; others say nothing. */
static const char *const known_suffixes[] = {
    ".npz", ".npy",  ".csv", ".tsv", ".json", ".jsonl", ".html",        ".md",   ".tex", ".txt",
    ".png", ".jpeg", ".jpg", ".svg", ".pdf",  ".slb",   ".safetensors", ".onnx", ".db",  ".gz",
};

bool sl_path_suffix_at(const char *suffixes, size_t index, char out[SL_SUFFIX_TEXT])
{
    const char *at = suffixes;
    for (; index > 0 && *at; index--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    snprintf(out, SL_SUFFIX_TEXT, "%.*s", (int)strcspn(at, " "), at);
    return out[0] != '\0';
}

enum sl_status sl_path_check_suffix(const char *option, const char *path, const char *suffixes,
                                    struct sl_error *err)
{
    char suffix[SL_SUFFIX_TEXT];
    const char *known = NULL;
    size_t count = 0;
    for (; sl_path_suffix_at(suffixes, count, suffix); count++)
        if (sl_path_has_suffix(path, suffix)) return SL_OK;
    for (size_t i = 0; i < sizeof known_suffixes / sizeof *known_suffixes && !known; i++)
        if (sl_path_has_suffix(path, known_suffixes[i])) known = known_suffixes[i];
    if (count == 1 && !known) return SL_OK;
    struct sl_buffer list;
    sl_buffer_init(&list, 300);
    for (size_t i = 0; sl_path_suffix_at(suffixes, i, suffix); i++)
        sl_buffer_printf(&list, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", suffix);
    sl_fail(err, SL_ERR_USAGE, "--%s: \"%s\" must end in %s%s", option, path, list.data,
            count == 1 ? ", which is what is written" : "");
    sl_buffer_release(&list);
    return SL_ERR_USAGE;
}
