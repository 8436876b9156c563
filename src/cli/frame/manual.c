/* The manual, from the same tables as --help: pages in man(7) and one Markdown file. */
#include <ctype.h>
#include <string.h>

#include "cli.h"

/* Of the release, since a page that changed with the day it was built could not be compared. */
static const char release_date[] = "2026-11-15";

/* Text for roff: a backslash and a hyphen mean something there, and a line must not begin
 * with a dot or an apostrophe. Blank lines become paragraphs. */
static void put_roff(const char *text, FILE *out)
{
    bool line_start = true;
    for (; *text; text++) {
        if (text[0] == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", out);
            text++;
            line_start = true;
            continue;
        }
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
}

static void page_name(const struct cli_command *command, char *out, size_t size)
{
    snprintf(out, size, command ? "softlab-%s" : "softlab", command ? command->name : "");
    for (char *c = out; *c; c++)
        if (*c == ' ') *c = '-';
}

static void put_heading(const struct cli_command *command, const char *summary, FILE *out)
{
    char name[64], title[64];
    page_name(command, name, sizeof name);
    for (size_t i = 0; i < sizeof title; i++)
        title[i] = (char)toupper((unsigned char)name[i]);
    fprintf(out, ".TH %s 1 %s \"softlab %s\" \"softlab manual\"\n.SH NAME\n", title, release_date,
            sl_version());
    put_roff(name, out);
    fputs(" \\- ", out);
    put_roff(summary, out);
    fputc('\n', out);
}

static void put_man_option(const struct sl_field_row *option, FILE *out)
{
    struct sl_buffer notes;
    sl_buffer_init(&notes, 2048);
    cli_option_notes(option, &notes);
    fputs(".TP\n", out);
    if (option->letter) fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    put_roff(option->name, out);
    fputs("\\fR", out);
    if (sl_field_value_name(option)) fprintf(out, " \\fI%s\\fR", sl_field_value_name(option));
    fputc('\n', out);
    put_roff(option->help, out);
    if (notes.length) {
        fputs(" (", out);
        put_roff(notes.data, out);
        fputc(')', out);
    }
    fputs(".\n", out);
    sl_buffer_release(&notes);
}

static void put_man_entry(const struct cli_command *command, FILE *out)
{
    fprintf(out, ".TP\n\\fBsoftlab %s\\fR\n", command->name);
    put_roff(command->summary, out);
    fputs(".\n", out);
}

static void put_man_within(const struct cli_command *command, FILE *out)
{
    const struct cli_command *const *at = NULL;
    if (cli_next_within(command, at)) fputs(".SH COMMANDS\n", out);
    while ((at = cli_next_within(command, at)) != NULL)
        put_man_entry(*at, out);
}

static void put_man_overview(FILE *out)
{
    put_heading(NULL, "label distributions from people who disagree and are unsure", out);
    fputs(
        ".SH SYNOPSIS\n\\fBsoftlab\\fR \\fICOMMAND\\fR [options] [arguments]\n"
        ".SH DESCRIPTION\nEvery step from answers to a report is one command that reads files and\n"
        "writes files. Data goes to standard output, talk to standard error.\n.SH COMMANDS\n",
        out);
    for (size_t i = 0; cli_commands[i]; i++)
        put_man_entry(cli_commands[i], out);
    fputs(".SH ENVIRONMENT\n.TP\n\\fBSOFTLAB_DATA\\fR\nA folder of data sets that is looked into "
          "before the data folder and never written.\n"
          ".TP\n\\fBXDG_DATA_HOME\\fR\nThe data folder is softlab in this folder; without it,\n"
          "in .local/share of the home folder.\n"
          ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage.\n"
          ".SH FILES\n.TP\n\\fIshare/doc/softlab\\fR\nBelow the folder that softlab was installed "
          "to: the documents that this manual\nnames, such as docs/formats.md.\n",
          out);
}

void cli_manual_man(const struct cli_command *command, FILE *out)
{
    if (!command) {
        put_man_overview(out);
        return;
    }
    put_heading(command, command->summary, out);
    struct sl_buffer synopsis;
    sl_buffer_init(&synopsis, 1024);
    cli_synopsis(command, &synopsis);
    fputs(".SH SYNOPSIS\n", out);
    put_roff(synopsis.data, out);
    sl_buffer_release(&synopsis);
    fputs("\n.SH DESCRIPTION\n", out);
    put_roff(command->description, out);
    fputc('\n', out);
    for (const struct cli_argument *a = command->arguments; a && a->name; a++) {
        fprintf(out, ".TP\n\\fI%s\\fR\n", a->name);
        put_roff(a->help, out);
        fputs(".\n", out);
    }
    put_man_within(command, out);
    fputs(".SH OPTIONS\n", out);
    const struct sl_field_row *option;
    for (size_t i = 0; (option = cli_any_option(command, i)) != NULL; i++)
        put_man_option(option, out);
    if (command->examples) fputs(".SH EXAMPLES\n", out);
    for (const struct cli_example *e = command->examples; e && e->command; e++) {
        fputs(".TP\n\\fB", out);
        put_roff(e->command, out);
        fputs("\\fR\n", out);
        put_roff(e->meaning, out);
        fputs(".\n", out);
    }
    fputs(".SH SEE ALSO\n\\fBsoftlab\\fR(1)\n", out);
}

static void put_markdown_option(const struct sl_field_row *option, FILE *out)
{
    struct sl_buffer notes;
    sl_buffer_init(&notes, 2048);
    cli_option_notes(option, &notes);
    fputs("| `", out);
    if (option->letter) fprintf(out, "-%c`, `", option->letter);
    fprintf(out, "--%s%s%s` | %s | %s |\n", option->name, sl_field_value_name(option) ? " " : "",
            sl_field_value_name(option) ? sl_field_value_name(option) : "", option->help,
            notes.length ? notes.data : "");
    sl_buffer_release(&notes);
}

void cli_manual_markdown(FILE *out)
{
    fputs("# Commands\n\nWritten by `make docs` from the program's option tables.\n", out);
    for (size_t i = 0; cli_commands[i]; i++) {
        const struct cli_command *c = cli_commands[i];
        struct sl_buffer synopsis;
        sl_buffer_init(&synopsis, 1024);
        cli_synopsis(c, &synopsis);
        fprintf(out, "\n## softlab %s\n\n%s.\n\n    %s\n\n%s\n\n", c->name, c->summary,
                synopsis.data, c->description);
        sl_buffer_release(&synopsis);
        for (const struct cli_argument *a = c->arguments; a && a->name; a++)
            fprintf(out, "- `%s`: %s\n", a->name, a->help);
        if (c->arguments && c->arguments->name) fputc('\n', out);
        const struct sl_field_row *option;
        if (cli_option(c, 0)) fputs("| option | meaning | values |\n| --- | --- | --- |\n", out);
        for (size_t o = 0; (option = cli_option(c, o)) != NULL; o++)
            put_markdown_option(option, out);
        for (const struct cli_example *e = c->examples; e && e->command; e++)
            fprintf(out, "%s    %s\n", e == c->examples ? "\n" : "", e->command);
    }
    fputs("\n## Every command\n\n| option | meaning | values |\n| --- | --- | --- |\n", out);
    for (const struct sl_field_row *o = cli_common_options; o->name; o++)
        put_markdown_option(o, out);
}
