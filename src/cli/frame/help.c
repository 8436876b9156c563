#include <string.h>

#include "cli.h"

enum { HELP_COLUMN = 26, HELP_WIDTH = 96 };

void cli_print_wrapped(const char *text, size_t at, size_t indent, FILE *out)
{
    size_t column = at;
    bool first = true; /* word of a line */
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (!first && column + 1 + length > HELP_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)length, text);
        column += length;
        text += length;
        first = text[0] == '\n' && text[1] == '\n';
        if (first) {
            fprintf(out, "\n\n%*s", (int)indent, "");
            column = indent;
        }
        text += strspn(text, " \n");
    }
    fputc('\n', out);
}

static void print_entry(const char *term, const char *help, FILE *out)
{
    size_t width = strlen(term);
    fputs(term, out);
    if (width + 2 > HELP_COLUMN) {
        fputc('\n', out);
        width = 0;
    }
    fprintf(out, "%*s", (int)(HELP_COLUMN - width), "");
    cli_print_wrapped(help, HELP_COLUMN, HELP_COLUMN, out);
}

void cli_synopsis(const struct cli_command *command, struct sl_buffer *out)
{
    sl_buffer_printf(out, command->run ? "softlab %s [options]" : "softlab %s COMMAND [options]",
                     command->name);
    for (const struct cli_argument *a = command->arguments; a && a->name; a++)
        sl_buffer_printf(out, a->optional ? " [%s%s]" : " %s%s", a->name, a->repeated ? "..." : "");
}

void cli_option_notes(const struct sl_field_row *option, struct sl_buffer *out)
{
    char range[80];
    cli_range_text(option, range, sizeof range);
    const char *separator = "";
    if (range[0]) {
        sl_buffer_text(out, range);
        separator = "; ";
    }
    if (option->names) {
        sl_buffer_printf(out, "%sone of ", separator);
        for (size_t i = 0; option->names(i); i++)
            sl_buffer_printf(out, "%s%s", i ? ", " : "", option->names(i));
        separator = "; ";
    }
    if (option->fallback && strcmp(option->fallback, "nan") != 0)
        sl_buffer_printf(out, "%sdefault %s", separator, option->fallback);
}

static void print_option(const struct sl_field_row *option, FILE *out)
{
    char term[64];
    snprintf(term, sizeof term, "  %c%c%s --%s%s%s", option->letter ? '-' : ' ',
             option->letter ? option->letter : ' ', option->letter ? "," : " ", option->name,
             sl_field_value_name(option) ? " " : "",
             sl_field_value_name(option) ? sl_field_value_name(option) : "");
    struct sl_buffer help, notes;
    sl_buffer_init(&help, 4096);
    sl_buffer_init(&notes, 2048);
    sl_buffer_text(&help, option->help);
    cli_option_notes(option, &notes);
    if (notes.length) sl_buffer_printf(&help, " (%s)", notes.data);
    print_entry(term, help.data, out);
    sl_buffer_release(&notes);
    sl_buffer_release(&help);
}

/* Whether a text holds the path of a document: docs/formats.md, not report.md. */
static bool has_document(const char *text)
{
    for (const char *end = strstr(text, ".md"); end; end = strstr(end + 1, ".md")) {
        const char *at = end;
        while (at > text && at[-1] != ' ' && at[-1] != '/')
            at--;
        if (at > text && at[-1] == '/') return true;
    }
    return false;
}

static bool names_document(const struct cli_command *command)
{
    bool found = has_document(command->description);
    const struct sl_field_row *option;
    for (size_t i = 0; !found && (option = cli_option(command, i)) != NULL; i++)
        found = has_document(option->help);
    return found;
}

/* The commands whose names begin with this one's. */
static void print_within(const struct cli_command *command, FILE *out)
{
    const struct cli_command *const *at = NULL;
    if (cli_next_within(command, at)) fputs("\ncommands\n", out);
    while ((at = cli_next_within(command, at)) != NULL) {
        char term[64];
        snprintf(term, sizeof term, "  softlab %s", (*at)->name);
        print_entry(term, (*at)->summary, out);
    }
}

void cli_help_command(const struct cli_command *command, FILE *out)
{
    struct sl_buffer synopsis;
    sl_buffer_init(&synopsis, 1024);
    cli_synopsis(command, &synopsis);
    fprintf(out, "softlab %s: %s\n\nusage: %s\n\n", command->name, command->summary, synopsis.data);
    sl_buffer_release(&synopsis);
    cli_print_wrapped(command->description, 0, 0, out);
    if (command->arguments && command->arguments->name) fputc('\n', out);
    for (const struct cli_argument *a = command->arguments; a && a->name; a++) {
        char term[64];
        snprintf(term, sizeof term, "  %s", a->name);
        print_entry(term, a->help, out);
    }
    print_within(command, out);
    fputs("\noptions\n", out);
    const struct sl_field_row *option;
    for (size_t i = 0; (option = cli_any_option(command, i)) != NULL; i++)
        print_option(option, out);
    if (names_document(command))
        fputs("\nDocuments are in share/doc/softlab, below the folder softlab was installed to.\n",
              out);
    if (command->examples) fputs("\nexamples\n", out);
    for (const struct cli_example *e = command->examples; e && e->command; e++)
        fprintf(out, "  %s\n      %s\n", e->command, e->meaning);
}

/* For somebody who has a table of votes, pictures, or nothing yet. */
static const struct cli_example first_steps[] = {
    {"softlab labels votes.csv --method ds -o labels.csv",
     "a table with the columns item, worker and label becomes a probability per class and item"},
    {"softlab study init mine --images photos/ && softlab study serve mine --rehearse",
     "ask people about your own pictures; the server prints the link to try it"},
    {"softlab train --data shapes --network resnet8 --recipe quick -o run",
     "train a small network on the embedded shapes; softlab eval run --data shapes:seed=2 scores "
     "it"},
    {NULL, NULL},
};

void cli_help_overview(FILE *out)
{
    fputs("softlab: label distributions from people who disagree and are unsure\n\n"
          "usage: softlab COMMAND [options] [arguments]\n",
          out);
    const char *group = "";
    for (size_t i = 0; cli_commands[i]; i++) {
        const struct cli_command *c = cli_commands[i];
        if (strcmp(c->group, group) != 0) fprintf(out, "\n%s\n", c->group);
        group = c->group;
        char term[64];
        snprintf(term, sizeof term, "  %s", c->name);
        print_entry(term, c->summary, out);
    }
    fputs("\nto begin\n", out);
    for (const struct cli_example *e = first_steps; e->command; e++)
        fprintf(out, "  %s\n      %s\n", e->command, e->meaning);
    fputs("\nsoftlab COMMAND --help tells more about one of them.\n", out);
}
