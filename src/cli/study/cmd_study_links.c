#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "softlab/base/names.h"
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

/* What is read and written of one list. */
struct links_list {
    const struct sl_study *study;
    struct sl_store *store;
    const char *url;
    struct sl_csv *csv;
    size_t column;
    struct sl_name_table *seen;
    struct sl_buffer out;
};

static enum sl_status add_link(struct links_list *list, const struct sl_csv_record *record,
                               struct sl_error *err)
{
    const struct sl_field field = sl_csv_plain(record->fields[list->column]);
    struct sl_error why;
    uint32_t number = 0;
    char *path = NULL;
    size_t before = sl_name_table_count(list->seen);
    SL_TRY(sl_name_table_add(list->seen, field.text, field.length, &number, err));
    if (number < before)
        return sl_csv_fail(list->csv, record->line, err,
                           "\"%.*s\" comes twice; name every participant once", (int)field.length,
                           field.text);
    char *person = sl_string_copy_n(field.text, field.length);
    enum sl_status status = sl_study_link(list->study, list->store, person, &path, &why);
    free(person);
    if (status == SL_ERR_INPUT) return sl_csv_fail(list->csv, record->line, err, "%s", why.message);
    if (status != SL_OK) return sl_fail(err, status, "%s", why.message);
    char *link = sl_string_printf("%s%s", list->url, path);
    sl_csv_append_text(&list->out, field.text, field.length);
    sl_csv_append_field(&list->out, link, strlen(link));
    sl_csv_end_line(&list->out);
    free(link);
    free(path);
    return SL_OK;
}

static enum sl_status fill(struct links_list *list, const char *ids, const char *column,
                           struct sl_error *err)
{
    const struct sl_csv_options table = sl_csv_options_default();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_open(ids, &table, &list->csv, err));
    SL_TRY_OUT(sl_csv_column(list->csv, column, &list->column, err));
    sl_buffer_text(&list->out, "id,link\n");
    for (;;) {
        struct sl_csv_record record;
        SL_TRY_OUT(sl_csv_next(list->csv, &record, err));
        if (record.count == 0) break;
        SL_TRY_OUT(add_link(list, &record, err));
    }
    if (sl_name_table_count(list->seen) == 0)
        status = sl_fail(err, SL_ERR_INPUT, "%s names no participant", ids);
    else
        status = sl_buffer_check(&list->out, "the list of links", err);
out:
    sl_csv_close(list->csv);
    return status;
}

/* A signed link is as good as the person. */
static enum sl_status write_private(const char *path, const struct sl_buffer *text,
                                    struct sl_error *err)
{
    struct sl_writer writer = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_writer_open_private(&writer, path, err));
    SL_TRY_OUT(sl_writer_write(&writer, text->data, text->length, err));
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    return status;
}

static enum sl_status write_links(const struct cli *cli, const struct links_values *options,
                                  struct links_list *list, struct sl_error *err)
{
    if (!options->output)
        return sl_fail(err, SL_ERR_USAGE, "where to? Say -o FILE, or -o - for the standard output");
    sl_buffer_init_data(&list->out, 1 << 30);
    list->seen = sl_name_table_create();
    enum sl_status status = fill(list, cli->arguments[1], options->column, err);
    if (status == SL_OK) status = write_private(options->output, &list->out, err);
    if (status == SL_OK)
        sl_log(&cli->log, SL_LOG_INFO, "%zu link%s%s", sl_name_table_count(list->seen),
               sl_text_plural(sl_name_table_count(list->seen), "", "s"),
               list->study->links == SL_LINKS_SIGNED
                   ? ", signed"
                   : ", not signed: recruiter.links is \"plain\"");
    sl_name_table_destroy(list->seen);
    sl_buffer_release(&list->out);
    return status;
}

static enum sl_status print_links(const struct links_list *list, struct sl_error *err)
{
    char token[SL_STUDY_LINK_TEXT];
    SL_TRY(sl_study_test_token(list->store, token, err)); /* made if there is none yet */
    json_t *links = sl_study_links_json(list->study, list->store, list->url);
    cli_print_links(links);
    json_decref(links);
    return SL_OK;
}

static enum sl_status run_links(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct links_values *options = values;
    struct sl_study *study = NULL;
    struct links_list list = {0};
    char *url = NULL;
    enum sl_status status = SL_OK;
    if (!options->url) {
        status =
            sl_fail(err, SL_ERR_USAGE, "where is the study? Say --url https://study.example.org/");
        goto out;
    }
    SL_TRY_OUT(cli_take_url(options->url, &url, err));
    SL_TRY_OUT(sl_study_read(cli->arguments[0], &study, err));
    SL_TRY_OUT(sl_study_store(study, false, &list.store, err));
    list.study = study;
    list.url = url;
    status = cli->n_arguments > 1 ? write_links(cli, options, &list, err) : print_links(&list, err);
out:
    sl_store_close(list.store);
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
