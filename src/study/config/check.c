/* Rules of study.json that concern several keys, or more than the form of one. */
#include <string.h>

#include "softlab/base/text.h"
#include "study/config/config.h"
#include "study/serve/links.h"
#include "study/session/session.h"
#include "study/texts/words.h"

static enum sl_status check_path(const char *path, struct sl_error *err)
{
    if (*path == '/') return sl_fail(err, SL_ERR_INPUT, "must be inside the study's folder");
    for (const char *part = path; part; part = strchr(part, '/')) {
        if (*part == '/') part++;
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return sl_fail(err, SL_ERR_INPUT, "must be inside the study's folder");
    }
    return SL_OK;
}

static enum sl_status check_language(const struct sl_study *study, struct sl_error *err)
{
    if (sl_words_know(study->language)) return SL_OK;
    return sl_fail(
        err, SL_ERR_INPUT,
        "there are no texts in \"%s\"; write \"en\" and put your own texts into " SL_WORDS_FILE,
        study->language);
}

static enum sl_status check_screens(const struct sl_study *study, struct sl_error *err)
{
    const char *names[64] = {NULL};
    for (size_t i = 0; sl_screens[i].name; i++)
        names[i] = sl_screens[i].name;
    for (size_t i = 0; i < study->n_screens; i++) {
        const struct sl_screen *screen = sl_screen_find(study->screens[i]);
        if (!screen) {
            char ending[SL_SUGGESTION_TEXT];
            return sl_fail(err, SL_ERR_INPUT, "unknown screen \"%s\"%s", study->screens[i],
                           sl_text_suggestion(study->screens[i], names, "", ending));
        }
        for (size_t j = 0; j < i; j++)
            if (strcmp(study->screens[j], study->screens[i]) == 0)
                return sl_fail(err, SL_ERR_INPUT, "\"%s\" is named twice; name every screen once",
                               study->screens[i]);
        if ((screen->flags & SL_SCREEN_MIXTURES) && study->kind != SL_ITEM_MIXTURES)
            return sl_fail(err, SL_ERR_INPUT,
                           "screen \"%s\" asks about mixtures, but items.kind "
                           "is not \"mixtures\"",
                           screen->name);
    }
    return SL_OK;
}

/* Names that need no escaping in an address or a form. */
static bool is_plain(const char *text)
{
    return text[strspn(
               text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")] == '\0';
}

static enum sl_status check_parameter(const char *name, struct sl_error *err)
{
    if (!is_plain(name))
        return sl_fail(err, SL_ERR_INPUT, "\"%s\" cannot be the name of a URL parameter", name);
    if (strcmp(name, SL_LINK_TEST) == 0 || strcmp(name, SL_LINK_SIGNATURE) == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "\"%s\" is a parameter of softlab itself; choose another name", name);
    return SL_OK;
}

static enum sl_status check_person(const struct sl_study *study, struct sl_error *err)
{
    bool open = strcmp(study->recruiter, "open") == 0;
    if (open && *study->person)
        return sl_fail(err, SL_ERR_INPUT, "must be empty: an open study does not name people");
    if (!open && !*study->person)
        return sl_fail(err, SL_ERR_INPUT, "must name the URL parameter that holds the participant");
    return check_parameter(study->person, err);
}

static enum sl_status check_keep(const struct sl_study *study, struct sl_error *err)
{
    for (size_t i = 0; i < study->n_keep; i++) {
        SL_TRY(check_parameter(study->keep[i], err));
        if (strcmp(study->keep[i], study->person) == 0)
            return sl_fail(err, SL_ERR_INPUT,
                           "\"%s\" names the participant and is never kept; leave it out",
                           study->person);
    }
    return SL_OK;
}

static enum sl_status check_links(const struct sl_study *study, struct sl_error *err)
{
    if (study->links == SL_LINKS_PLAIN) return SL_OK;
    if (!*study->person)
        return sl_fail(err, SL_ERR_INPUT,
                       "signed links need recruiter.person: its value is signed");
    if (strcmp(study->recruiter, "prolific") == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "Prolific makes its own links and cannot sign them: write \"plain\", or set "
                       "recruiter.kind to \"generic\"");
    return SL_OK;
}

static enum sl_status check_address(const char *address, struct sl_error *err)
{
    if (!*address) return SL_OK;
    if (strncmp(address, "https://", 8) != 0 && strncmp(address, "http://", 7) != 0)
        return sl_fail(err, SL_ERR_INPUT, "must begin with https:// or http://");
    for (const char *c = address; *c; c++)
        if (*c <= ' ' || *c >= 0x7f || strchr("\"'<>\\^`|", *c))
            return sl_fail(err, SL_ERR_INPUT, "contains a character that addresses may not have");
    return SL_OK;
}

static enum sl_status check_code(const char *code, struct sl_error *err)
{
    if (!is_plain(code))
        return sl_fail(err, SL_ERR_INPUT, "a code may have letters, digits, '_', '-' and '.' only");
    if (strncmp(code, SL_TEST_CODE, strlen(SL_TEST_CODE)) == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "\"%s\": codes that begin with " SL_TEST_CODE " are for test runs", code);
    return SL_OK;
}

static enum sl_status check_date(const char *date, struct sl_error *err)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year = 0, month = 0, day = 0;
    if (!*date) return SL_OK;
    bool shaped = strlen(date) == 10 && date[4] == '-' && date[7] == '-' &&
                  strspn(date, "0123456789-") == 10 && sl_text_to_integer(date, 4, &year) &&
                  sl_text_to_integer(date + 5, 2, &month) && sl_text_to_integer(date + 8, 2, &day);
    if (!shaped || month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return sl_fail(err, SL_ERR_INPUT, "expected a date like 2027-01-31, got \"%s\"", date);
    return SL_OK;
}

static enum sl_status check_repeats(const struct sl_study *study, struct sl_error *err)
{
    if (study->repeats <= study->batch_size) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%zu %s more than the %zu item%s of a batch", study->repeats,
                   sl_text_plural(study->repeats, "repeat is", "repeats are"), study->batch_size,
                   sl_text_plural(study->batch_size, "", "s"));
}

struct sl_ask_rule sl_study_rule(const struct sl_study_adaptive *adaptive)
{
    struct sl_ask_rule rule = sl_ask_rule_default();
    rule.way = adaptive->way;
    rule.first = adaptive->first;
    rule.least = adaptive->least;
    rule.most = adaptive->most;
    rule.stop = adaptive->stop;
    return rule;
}

double sl_study_cost(const struct sl_study *study)
{
    return study->base + (study->bonus_rule == SL_BONUS_NONE ? 0 : study->bonus);
}

bool sl_study_asks_classes(const struct sl_study *study)
{
    for (size_t i = 0; i < study->n_screens; i++)
        if (strcmp(study->screens[i], "mix") == 0 || strcmp(study->screens[i], "mix+") == 0)
            return false;
    return true;
}

/* The screens mix and mix+ ask for no class, so no card can say which to choose. */
static enum sl_status check_kinds(const struct sl_study *study, struct sl_error *err)
{
    for (size_t i = 0; i < study->n_check_kinds; i++) {
        const char *kind = study->check_kinds[i];
        bool known = false;
        for (const char *const *name = sl_check_kind_names; *name; name++)
            known = known || strcmp(*name, kind) == 0;
        if (!known)
            return sl_fail(err, SL_ERR_INPUT,
                           "unknown kind \"%s\"; write \"obvious\" or \"instructed\"", kind);
        if (strcmp(kind, "instructed") == 0 && !sl_study_asks_classes(study))
            return sl_fail(
                err, SL_ERR_INPUT,
                "an \"instructed\" check says which class to choose, but the screens mix and mix+ "
                "ask for none; leave out one or the other");
    }
    return SL_OK;
}

static enum sl_status check_training(const struct sl_study *study, struct sl_error *err)
{
    if (study->training_trials == 0 || sl_study_asks_classes(study)) return SL_OK;
    return sl_fail(
        err, SL_ERR_INPUT,
        "an exercise has a right class, but the screens mix and mix+ ask for none; set it "
        "to 0");
}

/* The model behind the choice asks which of a few classes people see. */
static enum sl_status check_assignment(const struct sl_study *study, struct sl_error *err)
{
    if (study->assignment == SL_ASSIGN_FIXED) return SL_OK;
    if (study->kind == SL_ITEM_MIXTURES || !sl_study_asks_classes(study))
        return sl_fail(err, SL_ERR_INPUT,
                       "items can be chosen by the classes that people name, but mixtures have "
                       "none; write \"fixed\"");
    if (study->n_classes > SL_STUDY_ASKING_CLASSES)
        return sl_fail(err, SL_ERR_INPUT,
                       "items can be chosen among at most %d classes, and there are %zu; write "
                       "\"fixed\"",
                       SL_STUDY_ASKING_CLASSES, study->n_classes);
    return SL_OK;
}

static enum sl_status check_adaptive(const struct sl_study *study, struct sl_error *err)
{
    const struct sl_ask_rule rule = sl_study_rule(&study->adaptive);
    struct sl_error wrong;
    if (sl_ask_rule_check(&rule, &wrong) == SL_OK) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s", wrong.message);
}

static enum sl_status check_file(const struct sl_study *study, struct sl_error *err)
{
    return check_path(study->items_file, err);
}

static enum sl_status check_folder(const struct sl_study *study, struct sl_error *err)
{
    return check_path(study->items_folder, err);
}

static enum sl_status check_complete(const struct sl_study *study, struct sl_error *err)
{
    return check_address(study->complete, err);
}

static enum sl_status check_codes(const struct sl_study *study, struct sl_error *err)
{
    SL_TRY(check_code(study->code_done, err));
    SL_TRY(check_code(study->code_refused, err));
    SL_TRY(check_code(study->code_failed, err));
    return check_code(study->code_full, err);
}

static enum sl_status check_keep_until(const struct sl_study *study, struct sl_error *err)
{
    return check_date(study->keep_until, err);
}

enum sl_status sl_study_check(const struct sl_study *study, const char **key, struct sl_error *err)
{
    static const struct {
        const char *key;
        enum sl_status (*check)(const struct sl_study *study, struct sl_error *err);
    } checks[] = {
        {"language", check_language},           {"screens", check_screens},
        {"items.folder", check_folder},         {"items.file", check_file},
        {"batch.repeats", check_repeats},       {"batch.check_kinds", check_kinds},
        {"assignment", check_assignment},       {"adaptive.most", check_adaptive},
        {"training.trials", check_training},    {"recruiter.person", check_person},
        {"recruiter.keep", check_keep},         {"recruiter.links", check_links},
        {"recruiter.complete", check_complete}, {"recruiter.codes", check_codes},
        {"keep_until", check_keep_until},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        *key = checks[i].key;
        SL_TRY(checks[i].check(study, err));
    }
    return SL_OK;
}
