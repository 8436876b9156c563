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
    {"chdir", "the commands of the runs have absolute paths"},
    {"clusters",
     "softlab follows jobs of the cluster of this machine only; log in to the other one"},
    {"cpus-per-task", "--threads sets it"},
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

/* sbatch also reads the beginning of an option as the option. */
static enum sl_status check_refused(const char *word, size_t key, struct sl_error *err)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (strncmp(refused[i].key, word, key) != 0) continue;
        const bool whole = strlen(refused[i].key) == key;
        return sl_fail(err, SL_ERR_USAGE, "--slurm: %.*s%s%s%s cannot be given: %s", (int)key, word,
                       whole ? "" : ", which may be short for ", whole ? "" : refused[i].key,
                       whole ? "" : ",", refused[i].why);
    }
    return SL_OK;
}

static enum sl_status check_word(const char *word, size_t length, size_t key, struct sl_error *err)
{
    if (!is_key(word, key) || (word[key] == '=' && key + 1 == length) || has_control(word, length))
        return sl_fail(err, SL_ERR_USAGE,
                       "--slurm: \"%.*s\" is not an option of sbatch; write KEY=VALUE or KEY, "
                       "separated by commas, as in partition=gpu,time=60",
                       (int)length, word);
    return check_refused(word, key, err);
}

/* "mem" and "mem-per-cpu", but not "mem-bind". */
static bool is_size(const char *word, size_t key)
{
    static const char sizes[] = "mem-per-";
    return (key == 3 && strncmp(word, sizes, key) == 0) ||
           (key >= 5 && strncmp(word, sizes, key < 8 ? key : 8) == 0);
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
        read.sizes = read.sizes || is_size(text, name);
        read.words = sl_resize(read.words, count + 2, sizeof *read.words);
        read.words[count] = sl_string_printf("--%.*s", (int)length, text);
        read.words[count + 1] = NULL;
        text = text[length] ? text + length + 1 : NULL;
    }
    *out = read;
    return SL_OK;
}

bool sl_slurm_words_disturb(const char *variable)
{
    static const char prefix[] = "SBATCH_";
    const size_t length = strlen(prefix), key = strcspn(variable, "=");
    if (strncmp(variable, prefix, length) != 0) return false;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        size_t at = 0;
        while (refused[i].key[at] &&
               variable[length + at] ==
                   (refused[i].key[at] == '-' ? '_' : refused[i].key[at] & ~32))
            at++;
        if (!refused[i].key[at] && length + at == key) return true;
    }
    return false;
}

void sl_slurm_words_release(struct sl_slurm_words *words)
{
    sl_names_destroy(words->words);
    *words = (struct sl_slurm_words){0};
}
