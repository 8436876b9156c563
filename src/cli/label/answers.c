/* What the commands that read answers ask about them. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* Texts, each a list with commas, as one NULL-ended list; NULL where there are none. */
static char **split_texts(const struct sl_word_list *texts)
{
    char **all = NULL;
    size_t count = 0;
    for (size_t i = 0; i < texts->count; i++) {
        char **part = sl_text_split(texts->values[i]);
        for (char **name = part; *name; name++) {
            all = sl_resize(all, count + 2, sizeof *all);
            all[count++] = *name;
            all[count] = NULL;
        }
        free(part);
    }
    return all;
}

struct sl_answer_reading cli_answer_reading(const struct cli_answer_words *words)
{
    return (struct sl_answer_reading){.columns = words->columns,
                                      .abstain = split_texts(&words->abstain),
                                      .leave_out = split_texts(&words->leave_out)};
}

void cli_answer_reading_release(struct sl_answer_reading *reading)
{
    sl_names_destroy(reading->abstain);
    sl_names_destroy(reading->leave_out);
}
