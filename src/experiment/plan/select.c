#include "softlab/experiment/select.h"

#include <string.h>
#include <strings.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/experiment/contract.h"

/* Whether a word stands for several tables, this one among them: a paper, or "all". */
static bool stands_for(const char *word, const char *table)
{
    const size_t length = strlen(word);
    return strcasecmp(word, "all") == 0 ||
           (strncmp(table, word, length) == 0 && table[length] == '/');
}

static void add_name(char ***names, size_t *count, const char *name)
{
    *names = sl_resize(*names, *count + 2, sizeof **names);
    (*names)[(*count)++] = sl_string_copy(name);
    (*names)[*count] = NULL;
}

char **sl_experiments_asked(char *const *words, size_t n_words)
{
    char **names = sl_alloc(1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < n_words; i++) {
        const size_t before = count;
        for (size_t s = 0; sl_builtin_specs[s] && !sl_folder_exists(words[i]); s++)
            if (stands_for(words[i], sl_builtin_specs[s]))
                add_name(&names, &count, sl_builtin_specs[s]);
        if (count == before) add_name(&names, &count, words[i]);
    }
    return names;
}

enum sl_status sl_shard_read(const char *text, size_t *index, size_t *count, struct sl_error *err)
{
    int64_t i = 0, n = 0;
    const char *slash = strchr(text, '/');
    if (!slash || !sl_text_to_integer(text, (size_t)(slash - text), &i) ||
        !sl_text_to_integer(slash + 1, strlen(slash + 1), &n) || i < 1 || n < 1 || i > n)
        return sl_fail(err, SL_ERR_USAGE, "expected I/N like 2/8, got %s", text);
    *index = (size_t)(i - 1);
    *count = (size_t)n;
    return SL_OK;
}
