/* Walks the option table of every command: an option without effect is refused, "-" is a stream or
 * refused, and a file name's suffix must fit what is written. A new option is tested without a
 * change here. */
#include "cli.h"
#include "softlab/experiment.h"
#include "support.h"

enum { MOST_WORDS = 64, WORD = 160 };

/* The words of a command line, split as a shell would. */
struct line {
    char words[MOST_WORDS][WORD];
    char *list[MOST_WORDS + 1];
    size_t count;
};

static void add_word(struct line *line, const char *word)
{
    assert_true(line->count < MOST_WORDS && strlen(word) < WORD);
    snprintf(line->words[line->count], WORD, "%s", word);
    line->count++;
}

static void add_words(struct line *line, const char *words)
{
    char word[WORD];
    for (; *words; words += *words == ' ') {
        const size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        add_word(line, word);
        words += length;
    }
}

/* A value that every range and every mode accepts. */
static void add_option(struct line *line, const struct sl_field_row *option, const char *value)
{
    char word[WORD], text[32] = "x";
    snprintf(word, sizeof word, "--%s", option->name);
    add_word(line, word);
    if (option->kind == SL_FIELD_BOOLEAN) return;
    const bool chosen = option->kind == SL_FIELD_CHOICE || option->kind == SL_FIELD_ENUM ||
                        (option->kind == SL_FIELD_COUNT && option->names);
    if (chosen) snprintf(text, sizeof text, "%s", option->names(0));
    if (option->kind == SL_FIELD_SIDES) snprintf(text, sizeof text, "8x8");
    if (option->kind == SL_FIELD_INTEGER || option->kind == SL_FIELD_NUMBER ||
        option->kind == SL_FIELD_REALS || (option->kind == SL_FIELD_COUNT && !chosen))
        snprintf(text, sizeof text, "%.15g",
                 option->minimum <= 1 && option->maximum >= 1 ? 1.0 : option->minimum);
    /* Each output gets its own name, because two outputs may not share a file. */
    const char *suffixes = option->suffixes ? option->suffixes : "";
    if (option->kind == SL_FIELD_OUTPUT)
        snprintf(text, sizeof text, "%.16s%.*s", option->name, (int)strcspn(suffixes, " "),
                 suffixes);
    add_word(line, value ? value : text);
}

/* The result of parsing and checking a command line. */
static enum sl_status check(const struct cli_command *command, const struct line *line,
                            struct sl_option_mode *mode, struct sl_error *err)
{
    struct line own = *line; /* parsing moves words */
    struct cli cli = {0};
    void *values = sl_alloc(1, command->values_size + 1);
    for (size_t i = 0; i < own.count; i++)
        own.list[i] = own.words[i];
    enum sl_status status = cli_parse(command, own.list, own.count, &cli, values, err);
    *mode = (struct sl_option_mode){.does = UINT64_MAX};
    if (status == SL_OK) cli_find_mode(&cli, values, mode);
    if (mode->name != mode->text && mode->name)
        snprintf(mode->text, sizeof mode->text, "%s", mode->name);
    mode->name = mode->text;
    if (status == SL_OK) status = cli_check_modes(&cli, values, err);
    if (status == SL_OK) status = cli_check_streams(&cli, values, err);
    free(values);
    return status;
}

typedef void check_sample(const struct cli_command *command, const struct line *line);

/* A sample with "*" is one for each choice of the option before it. */
static void expand(const struct cli_command *command, const char *sample, check_sample *visit)
{
    const char *star = strchr(sample, '*');
    struct line line = {0};
    if (!star) {
        add_words(&line, sample);
        visit(command, &line);
        return;
    }
    const struct sl_field_row *option;
    const char *name = star - 1;
    while (name > sample && name[-1] != '-')
        name--;
    for (size_t i = 0; (option = cli_option(command, i)) != NULL; i++)
        if (strncmp(option->name, name, strlen(option->name)) == 0 &&
            name[strlen(option->name)] == ' ')
            break;
    if (!option) {
        fail_msg("softlab %s, %s: no such option", command->name, sample);
        return;
    }
    for (size_t i = 0; option->names(i); i++) {
        char words[WORD];
        snprintf(words, sizeof words, "%.*s%s%s", (int)(star - sample), sample, option->names(i),
                 star + 1);
        memset(&line, 0, sizeof line);
        add_words(&line, words);
        visit(command, &line);
    }
}

static void for_every_sample(check_sample *visit)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        const char *const *samples = cli_commands[i]->samples;
        for (; samples && *samples; samples++)
            expand(cli_commands[i], *samples, visit);
    }
}

/* A valid line for options that all modes accept. */
static void start_line(const struct cli_command *command, struct line *line)
{
    memset(line, 0, sizeof *line);
    for (const struct cli_argument *a = command->arguments; a && a->name; a++)
        if (!a->optional) add_word(line, "x");
}

static bool has_word(const struct line *line, const char *name, size_t length)
{
    for (size_t i = 0; i < line->count; i++)
        if (strncmp(line->words[i], "--", 2) == 0 && strlen(line->words[i]) == length + 2 &&
            memcmp(line->words[i] + 2, name, length) == 0)
            return true;
    return false;
}

/* ---- Options that would be ignored ---- */

static void check_ignored(const struct cli_command *command, const struct line *line)
{
    struct sl_option_mode mode, after;
    struct sl_error err = {0};
    assert_ok(check(command, line, &mode, &err), err);
    const struct sl_field_row *o;
    for (size_t i = 0; (o = cli_option(command, i)) != NULL; i++) {
        struct line more = *line;
        char sentence[600];
        if (!o->modes || o->modes & mode.does) continue;
        add_option(&more, o, NULL);
        const enum sl_status status = check(command, &more, &after, &err);
        snprintf(sentence, sizeof sentence, "--%s has no effect with %s: leave it out", o->name,
                 mode.name);
        if (status != SL_ERR_USAGE || strcmp(err.message, sentence) != 0)
            print_error("softlab %s, %s: --%s is not refused\n", command->name, mode.name, o->name);
        assert_int_equal(status, SL_ERR_USAGE);
        assert_string_equal(err.message, sentence);
    }
    if (!mode.alone) return;
    struct line surplus = *line;
    add_word(&surplus, "surplus");
    const enum sl_status status = check(command, &surplus, &after, &err);
    assert_int_equal(status, SL_ERR_USAGE);
    assert_non_null(strstr(err.message, "surplus"));
}

static void test_an_option_without_effect_in_a_mode_is_refused_in_it(void **state)
{
    (void)state;
    for_every_sample(check_ignored);
}

static uint64_t all_modes;
static void gather_modes(const struct cli_command *command, const struct line *line)
{
    struct sl_option_mode mode;
    struct sl_error err = {0};
    assert_ok(check(command, line, &mode, &err), err);
    all_modes |= mode.does;
}

static void test_every_row_does_something_in_a_mode_that_a_sample_shows(void **state)
{
    (void)state;
    for (size_t i = 0; cli_commands[i]; i++) {
        const struct cli_command *command = cli_commands[i];
        size_t count = 0;
        all_modes = 0;
        for (const char *const *s = command->samples; s && *s; s++)
            expand(command, *s, gather_modes);
        const struct sl_field_row *o;
        for (; (o = cli_option(command, count)) != NULL; count++)
            if (o->modes && !(o->modes & all_modes))
                fail_msg("softlab %s: no sample has a mode of --%s", command->name, o->name);
        assert_true(count <= 64); /* cli.given */
        const bool has_modes = command->mode || (command->task && command->task->mode);
        assert_true(has_modes == (command->samples != NULL));
    }
}

/* The option on a line that lacks the options it needs. */
static void check_needs(const struct cli_command *command, const struct sl_field_row *option,
                        const struct line *line)
{
    struct line more = *line;
    struct sl_option_mode mode;
    struct sl_error err = {0};
    for (const char *at = option->needs; *at; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        if (has_word(line, at, length)) return;
        const struct sl_field_row *needed;
        for (size_t i = 0; (needed = cli_option(command, i)) != NULL; i++)
            if (strlen(needed->name) == length && memcmp(needed->name, at, length) == 0) break;
        if (!needed) fail_msg("softlab %s has no option %s", command->name, at);
        at += length;
    }
    add_option(&more, option, NULL);
    const enum sl_status status = check(command, &more, &mode, &err);
    if (status != SL_ERR_USAGE) print_error("softlab %s --%s\n", command->name, option->name);
    assert_int_equal(status, SL_ERR_USAGE);
    assert_non_null(strstr(err.message, "has no effect with"));
    assert_non_null(strstr(err.message, option->name));
}

static void check_needs_of(const struct cli_command *command, const struct line *line)
{
    const struct sl_field_row *o;
    for (size_t i = 0; (o = cli_option(command, i)) != NULL; i++)
        if (o->needs) check_needs(command, o, line);
}

static void test_an_option_is_refused_without_those_it_needs(void **state)
{
    (void)state;
    for_every_sample(check_needs_of);
    for (size_t i = 0; cli_commands[i]; i++) {
        struct line line;
        start_line(cli_commands[i], &line);
        if (!cli_commands[i]->samples) check_needs_of(cli_commands[i], &line);
    }
}

/* ---- Paths ---- */

/* Whether the word is this option, by its name or its letter. */
static bool is_option(const char *word, const struct sl_field_row *option)
{
    if (strncmp(word, "--", 2) == 0) return strcmp(word + 2, option->name) == 0;
    return word[0] == '-' && word[1] == option->letter && option->letter && word[2] == '\0';
}

/* The line without the option, which may be given only once. */
static struct line without_option(const struct line *line, const struct sl_field_row *option)
{
    struct line less = {.count = 0};
    for (size_t i = 0; i < line->count; i++)
        if (!is_option(line->words[i], option))
            add_word(&less, line->words[i]);
        else if (option->kind != SL_FIELD_BOOLEAN)
            i++;
    return less;
}

/* The option appended to a line that has all the options it needs. */
static struct line with_option(const struct cli_command *command, const struct line *line,
                               const struct sl_field_row *option, const char *value)
{
    struct line more = without_option(line, option);
    const struct sl_field_row *o;
    for (size_t i = 0; option->needs && (o = cli_option(command, i)) != NULL; i++)
        if (strcmp(o->name, option->needs) == 0 && !has_word(&more, o->name, strlen(o->name)))
            add_option(&more, o, NULL);
    add_option(&more, option, value);
    return more;
}

/* The first sample line on which `wanted` has an effect. */
static const struct sl_field_row *wanted;
static struct line fitting;
static bool fits;
static void find_fitting(const struct cli_command *command, const struct line *line)
{
    struct sl_option_mode mode;
    struct sl_error err = {0};
    struct line more = with_option(command, line, wanted, NULL);
    if (fits || check(command, &more, &mode, &err) != SL_OK) return;
    fitting = *line;
    fits = true;
}

static enum sl_status give_path(const struct cli_command *command,
                                const struct sl_field_row *option, const char *value,
                                struct sl_error *err)
{
    struct sl_option_mode mode;
    start_line(command, &fitting);
    fits = !command->samples;
    wanted = option;
    for (const char *const *s = command->samples; s && *s; s++)
        expand(command, *s, find_fitting);
    if (!fits) fail_msg("softlab %s --%s fits no sample", command->name, option->name);
    struct line line = with_option(command, &fitting, option, value);
    return check(command, &line, &mode, err);
}

static bool names_option(const struct sl_error *err, const struct sl_field_row *option)
{
    return strncmp(err->message, "--", 2) == 0 &&
           strncmp(err->message + 2, option->name, strlen(option->name)) == 0;
}

static void check_path(const struct cli_command *command, const struct sl_field_row *option)
{
    struct sl_error err = {0};
    enum sl_status status = give_path(command, option, "-", &err);
    const bool taken = option->kind == SL_FIELD_OUTPUT && option->prints;
    if (option->kind == SL_FIELD_FOLDER || option->kind == SL_FIELD_SOURCE) {
        assert_int_equal(status, SL_ERR_USAGE);
        assert_true(names_option(&err, option));
    } else if (status != SL_OK && !taken) {
        fail_msg("softlab %s --%s -: %s", command->name, option->name, err.message);
    }
    if (option->kind != SL_FIELD_OUTPUT || !option->suffixes) return;
    status = give_path(command, option, "x.gz", &err);
    assert_int_equal(status, SL_ERR_USAGE);
    assert_true(names_option(&err, option));
    assert_non_null(strstr(err.message, "\"x.gz\""));
}

static void test_every_path_takes_a_dash_or_says_why_not(void **state)
{
    (void)state;
    const struct sl_field_row *o;
    for (size_t i = 0; cli_commands[i]; i++)
        for (size_t n = 0; (o = cli_option(cli_commands[i], n)) != NULL; n++) {
            if (sl_field_is_path(o->kind)) check_path(cli_commands[i], o);
            const bool writes = strcmp(o->name, "output") == 0 || strcmp(o->name, "save") == 0;
            if (writes && o->kind != SL_FIELD_OUTPUT && o->kind != SL_FIELD_FOLDER)
                fail_msg("softlab %s --%s is written to", cli_commands[i]->name, o->name);
            if (o->value && strcmp(o->value, "FOLDER") == 0)
                assert_int_equal(o->kind, SL_FIELD_FOLDER);
            if (o->kind != SL_FIELD_OUTPUT) assert_true(!o->suffixes && !o->prints);
            const bool names_file =
                o->value && (strstr(o->value, "FILE") || strstr(o->value, "DATA"));
            if (names_file && !sl_field_is_path(o->kind))
                fail_msg("softlab %s --%s may be a file", cli_commands[i]->name, o->name);
        }
}

static void test_streams_are_used_once(void **state)
{
    (void)state;
    static const struct {
        const char *words, *sentence;
    } cases[] = {
        {"labels - --method hard --truth - -o x.npz",
         "FILE: the standard input is already that of --truth"},
        {"labels x.jsonl --method ds -o - --state -",
         "--state: the standard output is already that of --output"},
        {"labels x.jsonl --method ds -o - --json",
         "--output: the standard output has what the command prints with --json: name a file"},
        {"dataset shapes --truth -",
         "--truth: the standard output has what the command prints: name a file"},
        {"labels x.jsonl --method ds -o - --annotators-out -",
         "--annotators-out: the standard output is already that of --output"},
        {"labels x.jsonl --method ds -o x.npz --annotators-out a.npz",
         "--annotators-out: \"a.npz\" must end in .csv, which is what is written"},
        {"labels x.jsonl --method ds -o x.npz --state s.csv",
         "--state: \"s.csv\" must end in .npz, which is what is written"},
        {"labels x.jsonl --method ds -o x.doc",
         "--output: \"x.doc\" must end in .csv, .npz, .npy or .json"},
        {"train --data shapes --network resnet8 -o -",
         "--output: - is a stream, and a folder is needed"},
        {"train --data - --network resnet8 -o x",
         "--data: - is a stream, and a name, a file or a folder is needed"},
        {"dataset -", "NAME: - is a stream, and a name, a file or a folder is needed"},
        {"run -", "EXPERIMENT: - is a stream, and a name, a file or a folder is needed"},
        {"eval - --hard -", "PREDICTIONS: the standard input is already that of --hard"},
        {"study status -", "FOLDER: - is a stream, and a folder is needed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct line line = {0};
        struct sl_option_mode mode;
        struct sl_error err = {0};
        char *words[MOST_WORDS];
        size_t n_used = 0;
        add_words(&line, cases[i].words);
        for (size_t w = 0; w < line.count; w++)
            words[w] = line.words[w];
        const struct cli_command *command = cli_find_command(words, line.count, &n_used);
        struct line rest = {0};
        for (size_t w = n_used; w < line.count; w++)
            add_word(&rest, line.words[w]);
        assert_int_equal(check(command, &rest, &mode, &err), SL_ERR_USAGE);
        assert_string_equal(err.message, cases[i].sentence);
    }
}

/* ---- Commands in specifications ---- */

/* An array of words that begins with a command: it must pass. Places and seeds are filled in. */
static size_t check_command_words(const json_t *words, const char *spec)
{
    char *list[MOST_WORDS];
    struct line line = {0};
    size_t n_used = 0;
    bool has_options = false;
    for (size_t i = 0; i < json_array_size(words) && i < MOST_WORDS; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (!word || strlen(word) >= WORD) return 0;
        has_options = has_options || strncmp(word, "--", 2) == 0;
        add_word(&line, strcmp(word, "{seed}") == 0 ? "1" : word);
        list[i] = line.words[i];
    }
    const struct cli_command *command = cli_find_command(list, line.count, &n_used);
    if (!command || !has_options) return 0; /* a list of something else */
    struct line rest = {0};
    struct sl_option_mode mode;
    struct sl_error err = {0};
    for (size_t w = n_used; w < line.count; w++)
        add_word(&rest, line.words[w]);
    if (check(command, &rest, &mode, &err) != SL_OK) {
        char *text = json_dumps(words, JSON_COMPACT);
        print_error("%s: %s\n", spec, text);
        free(text);
        fail_msg("%s", err.message);
    }
    return 1;
}

static size_t check_commands_in(json_t *value, const char *spec)
{
    size_t count = 0, index = 0;
    const char *key = NULL;
    json_t *member = NULL;
    if (json_is_array(value) && json_is_string(json_array_get(value, 0)))
        return check_command_words(value, spec);
    if (json_is_array(value))
        json_array_foreach(value, index, member) count += check_commands_in(member, spec);
    json_object_foreach(value, key, member) count += check_commands_in(member, spec);
    return count;
}

static void test_every_command_of_a_specification_passes(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t i = 0; sl_builtin_specs[i]; i++) {
        struct sl_spec *spec = NULL;
        struct sl_error err;
        assert_ok(sl_spec_read(sl_builtin_specs[i], "paper", &spec, &err), err);
        count += check_commands_in(spec->document.root, spec->name);
        sl_spec_destroy(spec);
    }
    assert_true(count > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_option_without_effect_in_a_mode_is_refused_in_it),
        cmocka_unit_test(test_every_row_does_something_in_a_mode_that_a_sample_shows),
        cmocka_unit_test(test_an_option_is_refused_without_those_it_needs),
        cmocka_unit_test(test_every_path_takes_a_dash_or_says_why_not),
        cmocka_unit_test(test_streams_are_used_once),
        cmocka_unit_test(test_every_command_of_a_specification_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
