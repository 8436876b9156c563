#include <stdlib.h>

#include "cmd.h"
#include "softlab/base/text.h"
#include "softlab/study/check.h"

struct links_values {
    const char *url, *column, *output;
};

#define AT(field) .offset = offsetof(struct links_values, field)

enum { PRINTS = 1, WRITES = 2 };

/* With a list of people their links are written, without it the study's own are printed. */
static void links_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)values;
    const bool list = cli->n_arguments > 1;
    *out = (struct sl_option_mode){list ? WRITES : PRINTS, .name = list ? "IDS" : "no IDS"};
}

static const char *const links_samples[] = {"study", "study x.csv -o y.csv", NULL};

static const struct sl_field_row links_options[] = {
    {"url", SL_FIELD_WORD, AT(url),
     "the address at which annotators reach the study, e.g. https://study.example.org/",
     .letter = 'u', .value = "URL"},
    {"column", SL_FIELD_WORD, AT(column), "the column of IDS that names the participants",
     .letter = 'c', .value = "NAME", .fallback = "id", .modes = WRITES},
    {"output", SL_FIELD_OUTPUT, AT(output),
     "where the links go, with the columns id and link; - is the standard output", .letter = 'o',
     .value = "FILE.csv", .suffixes = ".csv", .modes = WRITES},
    {.name = NULL},
};

static const struct cli_argument links_arguments[] = {
    {.name = "FOLDER", .help = "a folder that softlab study init made", .kind = SL_FIELD_FOLDER},
    {.name = "IDS",
     .help =
         "a CSV file with one participant per line; without it the links of the study are printed",
     .kind = SL_FIELD_PATH,
     .optional = true},
    {.name = NULL},
};

static enum sl_status write_links(const struct cli *cli, const struct links_values *options,
                                  const struct sl_study *study, struct sl_store *store,
                                  const char *url, struct sl_error *err)
{
    if (!options->output)
        return sl_fail(err, SL_ERR_USAGE, "where to? Say -o FILE, or -o - for the standard output");
    const struct sl_link_list list = {.ids = cli->arguments[1],
                                      .column = options->column,
                                      .address = url,
                                      .output = options->output};
    size_t count = 0;
    SL_TRY(sl_study_write_links(study, store, &list, &count, err));
    sl_log(&cli->log, SL_LOG_INFO, "%zu link%s%s", count, sl_text_plural(count, "", "s"),
           study->links == SL_LINKS_SIGNED ? ", signed"
                                           : ", not signed: recruiter.links is \"plain\"");
    return SL_OK;
}

static enum sl_status print_links(const struct sl_study *study, struct sl_store *store,
                                  const char *url, struct sl_error *err)
{
    char token[SL_STUDY_LINK_TEXT];
    SL_TRY(sl_study_test_token(store, token, err)); /* made if there is none yet */
    json_t *links = sl_study_links_json(study, store, url);
    cli_print_links(links);
    json_decref(links);
    return SL_OK;
}

static enum sl_status run_links(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct links_values *options = values;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    char *url = NULL;
    enum sl_status status = SL_OK;
    if (!options->url) {
        status =
            sl_fail(err, SL_ERR_USAGE, "where is the study? Say --url https://study.example.org/");
        goto out;
    }
    SL_TRY_OUT(cli_take_url(options->url, &url, err));
    SL_TRY_OUT(sl_study_read(cli->arguments[0], &study, err));
    SL_TRY_OUT(sl_study_store(study, false, &store, err));
    status = cli->n_arguments > 1 ? write_links(cli, options, study, store, url, err)
                                  : print_links(study, store, url, err);
out:
    sl_store_close(store);
    sl_study_destroy(study);
    free(url);
    return status;
}

static const struct cli_example links_examples[] = {
    {"softlab study links birds --url https://study.example.org/",
     "the link to send, the test link and the codes"},
    {"softlab study links birds people.csv --url https://study.example.org/ -o links.csv",
     "one link for every participant, signed if recruiter.links is \"signed\""},
    {NULL, NULL},
};

const struct cli_command cmd_study_links = {
    .name = "study links",
    .also = "invite sign urls",
    .group = "studies",
    .summary = "the links of a study: one per participant, and the test link",
    .description =
        "Prints the link to send, with the recruiter's parameters, the test link and the "
        "completion "
        "codes; or writes one link for each participant of a CSV file. If recruiter.links in "
        "study.json is "
        "\"signed\", every link carries a signature of the participant's id, and the server "
        "refuses an id without it: nobody can invent participants. The test link carries a token; "
        "test runs never count, and their completion codes begin with TEST-. Signatures and token "
        "stay the same for as long as the study's database is kept.",
    .arguments = links_arguments,
    .options = links_options,
    .examples = links_examples,
    .values_size = sizeof(struct links_values),
    .mode = links_mode,
    .samples = links_samples,
    .run = run_links,
};
