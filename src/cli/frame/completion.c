/* Completion scripts, from the option tables. Names with choices complete to them, paths to
 * files, and a data set argument to the names of sets. Bash and zsh share one script: zsh reads
 * bash completions through bashcompinit, so there is one walk and one behaviour. */
#include <string.h>

#include "cli.h"

static void put_choices(sl_choice_names *choices, const char *separator, FILE *out)
{
    for (size_t i = 0; choices(i); i++)
        fprintf(out, "%s%s", i ? separator : "", choices(i));
}

static void put_option_words(const struct cli_command *command, FILE *out)
{
    const struct sl_field_row *option;
    for (size_t i = 0; (option = cli_any_option(command, i)) != NULL; i++)
        fprintf(out, "%s--%s", i > 0 ? " " : "", option->name);
}

/* case "<command> <option>" in ... : what may follow an option that takes a value. */
static void put_value_cases(const struct cli_command *command, FILE *out)
{
    const struct sl_field_row *o;
    for (size_t i = 0; (o = cli_any_option(command, i)) != NULL; i++) {
        if (o->kind == SL_FIELD_BOOLEAN) continue;
        fprintf(out, "        \"%s --%s\"", command->name, o->name);
        if (o->letter) fprintf(out, " | \"%s -%c\"", command->name, o->letter);
        fputs(") ", out);
        if (o->names) {
            fputs("COMPREPLY+=($(compgen -W '", out);
            put_choices(o->names, " ", out);
            fputs("' -- \"$current\")); ", out);
        }
        if (sl_field_is_path(o->kind)) fputs("COMPREPLY+=($(compgen -f -- \"$current\")); ", out);
        fputs("return ;;\n", out);
    }
}

/* The second words of commands that begin with this one: mix for dataset. */
static void put_second_words(const struct cli_command *command, FILE *out)
{
    const struct cli_command *const *at = NULL;
    while ((at = cli_next_within(command, at)) != NULL)
        fprintf(out, " %s", (*at)->name + strlen(command->name) + 1);
}

/* Which command the first two words are; what follows "help study" is what follows "study". */
static void put_two_words_case(const struct cli_command *command, FILE *out)
{
    const char *name = command->name;
    if (strchr(name, ' ')) fprintf(out, "        \"%s\") command='%s' ;;\n", name, name);
    if (!cli_next_within(command, NULL)) return;
    fprintf(out, "        \"help %s\")\n            COMPREPLY=($(compgen -W '", name);
    put_second_words(command, out);
    fputs("' -- \"$current\"))\n            return ;;\n", out);
}

static void put_words_case(const struct cli_command *command, FILE *out)
{
    const struct cli_argument *argument = command->arguments;
    fprintf(out, "        \"%s\")\n            words='", command->name);
    if (argument && argument->name && argument->choices) put_choices(argument->choices, " ", out);
    put_second_words(command, out);
    fputs("'\n            options='", out);
    put_option_words(command, out);
    bool files = argument && argument->name && argument->kind != SL_FIELD_CHOICE;
    fprintf(out, "'\n            files=%s ;;\n", files ? "yes" : "no");
}

static void put_command_names(FILE *out)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        const char *name = cli_commands[i]->name;
        if (!strchr(name, ' ')) fprintf(out, "%s%s", i ? " " : "", name);
    }
}

void cli_completion_bash(FILE *out)
{
    fputs(
        "# Completion of softlab for bash; written by: softlab completion bash\n"
        "_softlab() {\n"
        "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
        "    local command=\"${COMP_WORDS[1]}\" words='' options='' files=no\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '",
        out);
    put_command_names(out);
    fputs("' -- \"$current\"))\n        return\n    fi\n"
          "    [ \"$COMP_CWORD\" -eq 2 ] || case \"$command ${COMP_WORDS[2]}\" in\n",
          out);
    for (size_t i = 0; cli_commands[i]; i++)
        put_two_words_case(cli_commands[i], out);
    fputs("    esac\n    case \"$command $previous\" in\n", out);
    for (size_t i = 0; cli_commands[i]; i++)
        put_value_cases(cli_commands[i], out);
    fputs("    esac\n    case \"$command\" in\n", out);
    for (size_t i = 0; cli_commands[i]; i++)
        put_words_case(cli_commands[i], out);
    fputs("    esac\n"
          "    case \"$current\" in\n"
          "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
          "        *) COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "           [ $files = no ] || COMPREPLY+=($(compgen -f -- \"$current\")) ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _softlab softlab\n",
          out);
}

void cli_completion_zsh(FILE *out)
{
    fputs("#compdef softlab\n"
          "autoload -U +X bashcompinit && bashcompinit\n",
          out);
    cli_completion_bash(out);
}

/* A description within single quotes of fish. */
static void put_fish_text(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

/* "dataset mix" is seen when both words are; "dataset" when mix is not. */
static void put_fish_condition(const struct cli_command *command, FILE *out)
{
    char words[64];
    snprintf(words, sizeof words, "%s", command->name);
    char *second = strchr(words, ' ');
    if (second) *second++ = '\0';
    fprintf(out, "complete -c softlab -n '__fish_seen_subcommand_from %s", words);
    if (second) fprintf(out, "; and __fish_seen_subcommand_from %s", second);
    fputc('\'', out);
}

static void put_fish_option(const struct cli_command *command, const struct sl_field_row *option,
                            FILE *out)
{
    put_fish_condition(command, out);
    fprintf(out, " -l %s", option->name);
    if (option->letter) fprintf(out, " -s %c", option->letter);
    if (sl_field_is_path(option->kind))
        fputs(" -r -F", out);
    else if (option->kind != SL_FIELD_BOOLEAN)
        fputs(" -x", out);
    if (option->names) {
        fputs(" -a '", out);
        put_choices(option->names, " ", out);
        fputc('\'', out);
    }
    fputs(" -d ", out);
    put_fish_text(option->help, out);
    fputc('\n', out);
}

void cli_completion_fish(FILE *out)
{
    fputs("# Completion of softlab for fish; written by: softlab completion fish\n", out);
    for (size_t i = 0; cli_commands[i]; i++) {
        const struct cli_command *command = cli_commands[i];
        const char *space = strchr(command->name, ' ');
        if (space)
            fprintf(out, "complete -c softlab -f -n '__fish_seen_subcommand_from %.*s' -a %s -d ",
                    (int)(space - command->name), command->name, space + 1);
        else
            fprintf(out, "complete -c softlab -f -n __fish_use_subcommand -a %s -d ",
                    command->name);
        put_fish_text(command->summary, out);
        fputc('\n', out);
        const struct cli_argument *argument = command->arguments;
        if (argument && argument->name && argument->choices) {
            put_fish_condition(command, out);
            fputs(" -a '", out);
            put_choices(argument->choices, " ", out);
            fputs("'\n", out);
        }
        const struct sl_field_row *option;
        for (size_t o = 0; (option = cli_any_option(command, o)) != NULL; o++)
            put_fish_option(command, option, out);
    }
}
