/* What the commands that read answers ask about them, and what became of it. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* Texts, each a list with commas, as one NULL-ended list; NULL where there are none. */
static char **split_texts(const struct cli_texts *texts)
{
    char **all = NULL;
    size_t count = 0;
    for (size_t i = 0; i < texts->count; i++) {
        char **part = cli_split_list(texts->values[i]);
        for (char **name = part; *name; name++) {
            all = sl_resize(all, count + 2, sizeof *all);
            all[count++] = *name;
            all[count] = NULL;
        }
        free(part);
    }
    return all;
}

void cli_answer_input_init(struct cli_answer_input *input, struct cli *cli,
                           const struct cli_answer_words *words)
{
    *input = (struct cli_answer_input){.notes = {.log = &cli->log},
                                       .abstain = split_texts(&words->abstain),
                                       .leave_out = split_texts(&words->leave_out)};
    input->options = (struct sl_import_options){.columns = words->columns,
                                                .abstain = (const char *const *)input->abstain,
                                                .leave_out = (const char *const *)input->leave_out,
                                                .notes = &input->notes,
                                                .progress = &cli->progress};
}

void cli_answer_input_release(struct cli_answer_input *input)
{
    sl_names_destroy(input->abstain);
    sl_names_destroy(input->leave_out);
}

void cli_answer_input_say(const struct cli *cli, const struct sl_import_notes *notes)
{
    const struct {
        size_t count;
        const char *what;
    } parts[] = {
        {notes->n_abstained, "answers left out: abstentions"},
        {notes->n_left_out, "answers left out: their class is left out"},
        {notes->n_rescaled, "distributions were off 1 by rounding and scaled to it"},
    };
    char number[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count)
            sl_log(&cli->log, SL_LOG_INFO, "%s %s",
                   sl_text_count(parts[i].count, number, sizeof number), parts[i].what);
}

enum sl_status cli_read_answers(struct cli *cli, const char *path,
                                const struct cli_answer_words *words, struct sl_answers **out,
                                struct sl_error *err)
{
    struct cli_answer_input input;
    cli_answer_input_init(&input, cli, words);
    enum sl_status status = sl_answers_load(path, &input.options, out, err);
    if (status == SL_OK) cli_answer_input_say(cli, &input.notes);
    cli_answer_input_release(&input);
    return status;
}

enum sl_status cli_as_released(const char *path, const struct sl_answers *answers, bool asked,
                               unsigned *keep, struct sl_error *err)
{
    const unsigned flags = SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN;
    *keep = asked ? flags : 0;
    if (!asked || sl_answers_count_flagged(answers, flags) > 0) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE,
                   "%s: no answer is marked as a repeat or a second run, so that --as-released has "
                   "no effect: leave it out",
                   path);
}
