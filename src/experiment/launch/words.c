#include <stdlib.h>
#include <string.h>

#include "experiment/launch/slurm.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

/* Options of sbatch that would break what softlab relies on. */
static const struct {
    const char *key, *why;
} refused[] = {
    {"array", "softlab numbers the runs itself; --only and --shard choose runs"},
    {"cpus-per-task", "--threads sets it"},
    {"c", "--threads sets it"},
    {"chdir", "the commands of the runs have absolute paths"},
    {"error", "logs are in the slurm folder of the results"},
    {"input", "runs read no standard input"},
    {"nodes", "a run uses one machine"},
    {"ntasks", "a run is one process with --threads threads"},
    {"open-mode", "logs are in the slurm folder of the results"},
    {"output", "logs are in the slurm folder of the results"},
    {"parsable", "softlab reads what sbatch prints"},
    {"quiet", "softlab reads what sbatch prints"},
    {"test-only", "--launcher print shows the runs without submitting them"},
    {"wait", "softlab watches the job"},
    {"wrap", "softlab writes the script"},
};

/* The length of the first word: up to a comma that is not within []. */
static size_t word_length(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length] && (text[length] != ',' || depth > 0); length++)
        depth += text[length] == '[' ? 1 : text[length] == ']' ? -1 : 0;
    return length;
}

static bool is_key(const char *text, size_t length)
{
    const size_t known = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return length > 0 && text[0] >= 'a' && text[0] <= 'z' && known >= length;
}

static bool has_control(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) return true;
    return false;
}

static enum sl_status check_word(const char *word, size_t length, size_t key, struct sl_error *err)
{
    if (!is_key(word, key) || (word[key] == '=' && key + 1 == length) || has_control(word, length))
        return sl_fail(err, SL_ERR_USAGE,
                       "--slurm: \"%.*s\" is not an option of sbatch; write KEY=VALUE or KEY, "
                       "separated by commas, as in partition=gpu,time=60",
                       (int)length, word);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strlen(refused[i].key) == key && strncmp(refused[i].key, word, key) == 0)
            return sl_fail(err, SL_ERR_USAGE, "--slurm: %s cannot be given: %s", refused[i].key,
                           refused[i].why);
    return SL_OK;
}

enum sl_status sl_slurm_words_read(const char *text, struct sl_slurm_words *out,
                                   struct sl_error *err)
{
    struct sl_slurm_words read = {.words = sl_alloc(1, sizeof *read.words)};
    for (size_t count = 0; text; count++) {
        const size_t length = word_length(text), key = strcspn(text, "=,");
        const size_t name = key < length ? key : length;
        const enum sl_status status = check_word(text, length, name, err);
        if (status != SL_OK) {
            sl_slurm_words_release(&read);
            return status;
        }
        read.times = read.times || (name == 4 && strncmp(text, "time", 4) == 0);
        read.sizes = read.sizes || (name >= 3 && strncmp(text, "mem", 3) == 0);
        read.words = sl_resize(read.words, count + 2, sizeof *read.words);
        read.words[count] = sl_string_printf("--%.*s", (int)length, text);
        read.words[count + 1] = NULL;
        text = text[length] ? text + length + 1 : NULL;
    }
    *out = read;
    return SL_OK;
}

void sl_slurm_words_release(struct sl_slurm_words *words)
{
    sl_names_destroy(words->words);
    *words = (struct sl_slurm_words){0};
}
