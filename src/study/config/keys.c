/* The keys of study.json: a table per object. */
#include <math.h>
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/config/config.h"

enum { MAX_QUESTIONS = 50 };

static const char *const file_kinds[] = {"study", NULL};
static const char *const item_kinds[] = {"images", "texts", "mixtures", NULL};
static const char *const upsamplings[] = {"lanczos", "nearest", "none", NULL};
static const char *const framings[] = {"third", "first", NULL};
static const char *const recruiters[] = {"open", "prolific", "generic", NULL};
static const char *const link_kinds[] = {"plain", "signed", NULL};
static const char *const bonus_rules[] = {"none", "accuracy", "finished", NULL};
static const char *const assignments[] = {"fixed", "adaptive", NULL};
static const char *const ways[] = {"auto", "gain", "equal", NULL}; /* sl_ask_way_names */
static const char *const debrief_kinds[] = {"text", "scale", NULL};

/* A list and the number of its elements are read and freed as one list of base/fields.h. */
#define ASSERT_LIST(type, list)                                                                    \
    _Static_assert(offsetof(struct type, n_##list) - offsetof(struct type, list) ==                \
                       offsetof(struct sl_text_list, count),                                       \
                   "n_" #list " follows " #list)
ASSERT_LIST(sl_study, classes);
ASSERT_LIST(sl_study, screens);
ASSERT_LIST(sl_study, check_kinds);
ASSERT_LIST(sl_study, keep);
ASSERT_LIST(sl_study, comprehension);
ASSERT_LIST(sl_study, debrief);
ASSERT_LIST(sl_study_question, options);

/* ---- Questions ---- */

#define ASKED(member) .offset = offsetof(struct sl_study_question, member)
static const struct sl_field_row comprehension_rows[] = {
    {"question", SL_FIELD_LINE, ASKED(question), "the question", SL_FIELD_REQUIRED, 1, 1000},
    {"options", SL_FIELD_LINES, ASKED(options), "the answers to choose from", SL_FIELD_REQUIRED, 2,
     SL_STUDY_MAX_OPTIONS},
    {"answer", SL_FIELD_COUNT, ASKED(answer), "the right option, counted from 0", SL_FIELD_REQUIRED,
     0, INFINITY, .expected = "the number of an option, counted from 0"},
    {.name = NULL},
};
static const struct sl_fields comprehension_fields = {comprehension_rows,
                                                      sizeof(struct sl_study_question)};
static const struct sl_field_row debrief_rows[] = {
    {"question", SL_FIELD_LINE, ASKED(question), "the question", SL_FIELD_REQUIRED, 1, 1000},
    {"kind", SL_FIELD_ENUM, ASKED(kind), "how it is answered; a scale has the numbers 1 to 10",
     SL_FIELD_SETTING, .choices = debrief_kinds, .fallback = "text"},
    {.name = NULL},
};
static const struct sl_fields debrief_fields = {debrief_rows, sizeof(struct sl_study_question)};

/* ---- Sections ---- */

#define AT(member) .offset = offsetof(struct sl_study, member)
#define SECTION(name)                                                                              \
    {                                                                                              \
        name##_rows, sizeof(struct sl_study)                                                       \
    }
#define NEEDED  SL_FIELD_REQUIRED
#define SETTING SL_FIELD_SETTING

static const struct sl_field_row items_rows[] = {
    {"kind", SL_FIELD_ENUM, AT(kind), "kind of the items", NEEDED, .choices = item_kinds},
    {"folder", SL_FIELD_LINE, AT(items_folder), "folder of the pictures, inside the study's folder",
     SETTING, 1, 500, .fallback = "items"},
    {"file", SL_FIELD_LINE, AT(items_file),
     "file of the texts or mixtures, inside the study's folder", SETTING, 0, 500, .fallback = ""},
    {"size", SL_FIELD_COUNT, AT(size),
     "CSS pixels: every picture gets the area of a square with this side, no side above twice "
     "that, and never more than the window allows. Pictures are rotated by their EXIF data, for "
     "annotators and on the researcher's pages",
     SETTING, 16, 2000, .fallback = "160"},
    {"upsample", SL_FIELD_TEXT, AT(upsample),
     "how small pictures are enlarged; `none` shows the file itself", SETTING,
     .choices = upsamplings, .fallback = "lanczos"},
    {.name = NULL},
};
static const struct sl_fields items_fields = SECTION(items);

static const struct sl_field_row batch_rows[] = {
    {"size", SL_FIELD_COUNT, AT(batch_size),
     "items of a batch, as `study init` made them: a later change has no effect. With adaptive "
     "assignment: the most items that one annotator gets",
     SETTING, 1, 10000, .fallback = "25"},
    {"repeats", SL_FIELD_COUNT, AT(repeats), "items of a batch that are shown twice", SETTING, 0,
     10000, .fallback = "2"},
    {"annotators", SL_FIELD_COUNT, AT(annotators),
     "people per batch; to ask for more, raise it and restart the server", SETTING, 1, 1000000,
     .fallback = "6"},
    {"check_every", SL_FIELD_COUNT, AT(check_every),
     "an attention check after so many trials; 0: none", SETTING, 0, 10000, .fallback = "0"},
    {"check_kinds", SL_FIELD_LINES, AT(check_kinds),
     "kinds of attention checks, used in turn: `obvious` items, and `instructed` cards that say "
     "\"To show that you read this, choose Deer\" instead of a picture",
     SETTING, 1, 2, .fallback = "obvious"},
    {.name = NULL},
};
static const struct sl_fields batch_fields = SECTION(batch);

static const struct sl_field_row adaptive_rows[] = {
    {"way", SL_FIELD_ENUM, AT(adaptive.way),
     "`gain`: the items whose label one more answer improves most; `equal`: those with the fewest "
     "answers; `auto`: by gain where that is known to pay, otherwise equally",
     SETTING, .choices = ways, .fallback = "auto"},
    {"first", SL_FIELD_COUNT, AT(adaptive.first),
     "every item gets this many answers before items are compared", SETTING, 1, 1000,
     .fallback = "2"},
    {"least", SL_FIELD_COUNT, AT(adaptive.least), "no item is closed with fewer answers", SETTING,
     1, 1000, .fallback = "4"},
    {"most", SL_FIELD_COUNT, AT(adaptive.most),
     "an item with this many answers is closed; 0: no limit", SETTING, 0, 1000000, .fallback = "0"},
    {"stop", SL_FIELD_NUMBER, AT(adaptive.stop),
     "an item is closed if one more answer is expected to lower its risk by less than this, in "
     "nats; 0: never",
     SETTING, 0, 10, .fallback = "0.001"},
    {"budget_answers", SL_FIELD_COUNT, AT(adaptive.budget_answers),
     "the study ends at this many answers; 0: no limit", SETTING, 0, 1e9, .fallback = "0"},
    {"budget_seconds", SL_FIELD_NUMBER, AT(adaptive.budget_seconds),
     "the study ends when answers have taken this many seconds; 0: no limit", SETTING, 0, 1e12,
     .fallback = "0"},
    {"budget_money", SL_FIELD_NUMBER, AT(adaptive.budget_money),
     "the study ends when finished and running sessions cost this much, `pay.base` and `pay.bonus` "
     "each; 0: no limit",
     SETTING, 0, 1e12, .fallback = "0"},
    {"target", SL_FIELD_NUMBER, AT(adaptive.target),
     "the study ends when the mean risk of the items is at most this, in nats; 0: no target",
     SETTING, 0, 10, .fallback = "0"},
    {.name = NULL},
};
static const struct sl_fields adaptive_fields = SECTION(adaptive);

static const struct sl_field_row order_rows[] = {
    {"shuffle_items", SL_FIELD_BOOLEAN, AT(shuffle_items),
     "whether each annotator gets the items in an order of their own", SETTING, .fallback = "true"},
    {"shuffle_classes", SL_FIELD_BOOLEAN, AT(shuffle_classes), "the same of the classes", SETTING,
     .fallback = "true"},
    {"shuffle_options", SL_FIELD_BOOLEAN, AT(shuffle_options),
     "the same of the options of the comprehension check; `study init` writes true", SETTING,
     .fallback = "false"},
    {.name = NULL},
};
static const struct sl_fields order_fields = SECTION(order);

static const struct sl_field_row flow_rows[] = {
    {"attempts", SL_FIELD_COUNT, AT(attempts), "attempts per person at the comprehension check",
     SETTING, 1, 100, .fallback = "3"},
    {"practice", SL_FIELD_BOOLEAN, AT(practice), "whether a first trial does not count", SETTING,
     .fallback = "true"},
    {"break_after", SL_FIELD_COUNT, AT(break_after), "a break after so many trials; 0: none",
     SETTING, 0, 10000, .fallback = "0"},
    {"back", SL_FIELD_BOOLEAN, AT(back), "whether the previous trial may be changed", SETTING,
     .fallback = "false"},
    {"min_seconds", SL_FIELD_NUMBER, AT(min_seconds), "shortest time for a trial, in seconds",
     SETTING, 0, 3600, .fallback = "0"},
    {.name = NULL},
};
static const struct sl_fields flow_fields = SECTION(flow);

static const struct sl_field_row training_rows[] = {
    {"trials", SL_FIELD_COUNT, AT(training_trials),
     "exercises per round; `study init --training` sets it; 0: no training", SETTING, 0, 1000,
     .fallback = "0"},
    {"pass", SL_FIELD_NUMBER, AT(training_pass), "the share of exercises that must be right",
     SETTING, 0, 1, .fallback = "0.75"},
    {"attempts", SL_FIELD_COUNT, AT(training_attempts), "rounds", SETTING, 1, 100, .fallback = "1"},
    {.name = NULL},
};
static const struct sl_fields training_fields = SECTION(training);

static const struct sl_field_row codes_rows[] = {
    {"done", SL_FIELD_LINE, AT(code_done), "shown after the last page", SETTING, 0, 64,
     .fallback = ""},
    {"refused", SL_FIELD_LINE, AT(code_refused),
     "shown to people who do not consent or give their place back", SETTING, 0, 64, .fallback = ""},
    {"failed", SL_FIELD_LINE, AT(code_failed),
     "shown to people who fail the comprehension check or the exercises", SETTING, 0, 64,
     .fallback = ""},
    {"full", SL_FIELD_LINE, AT(code_full), "shown when no place is left", SETTING, 0, 64,
     .fallback = ""},
    {.name = NULL},
};
static const struct sl_fields codes_fields = SECTION(codes);

static const struct sl_field_row recruiter_rows[] = {
    {"kind", SL_FIELD_TEXT, AT(recruiter), "where people come from", SETTING, .choices = recruiters,
     .fallback = "open"},
    {"person", SL_FIELD_LINE, AT(person),
     "the URL parameter that names the participant; empty in an open study", SETTING, 0, 64,
     .fallback = ""},
    {"keep", SL_FIELD_LINES, AT(keep), "further URL parameters to store", SETTING, 0, 16},
    {"links", SL_FIELD_ENUM, AT(links),
     "`signed`: every link carries a signature of the participant's name", SETTING,
     .choices = link_kinds, .fallback = "plain"},
    {"places_per_address", SL_FIELD_COUNT, AT(places_per_address),
     "how many people may take part from one network address; 0: no limit", SETTING, 0, 1000000,
     .fallback = "0"},
    {"complete", SL_FIELD_LINE, AT(complete),
     "the recruiter's address, with `{code}`, to which people go at the end", SETTING, 0, 1000,
     .fallback = ""},
    {"codes", SL_FIELD_SECTION, .help = "completion codes", .flags = SETTING,
     .inner = &codes_fields},
    {.name = NULL},
};
static const struct sl_fields recruiter_fields = SECTION(recruiter);

static const struct sl_field_row pay_rows[] = {
    {"currency", SL_FIELD_LINE, AT(currency), "name of the currency: `GBP`", SETTING, 0, 8,
     .fallback = ""},
    {"base", SL_FIELD_NUMBER, AT(base), "what everybody gets who finishes", SETTING, 0, 1e6,
     .fallback = "0"},
    {"bonus", SL_FIELD_NUMBER, AT(bonus), "the bonus", SETTING, 0, 1e6, .fallback = "0"},
    {"bonus_rule", SL_FIELD_ENUM, AT(bonus_rule),
     "who gets the bonus: people with enough right attention checks (`accuracy`), or everybody who "
     "finishes",
     SETTING, .choices = bonus_rules, .fallback = "none"},
    {"bonus_from", SL_FIELD_NUMBER, AT(bonus_from),
     "the share of right attention checks that `accuracy` asks for", SETTING, 0, 1,
     .fallback = "0.75"},
    {"per_hour", SL_FIELD_NUMBER, AT(per_hour),
     "lowest hourly wage: `study check` warns below it; 0: none stated", SETTING, 0, 1e6,
     .fallback = "0"},
    {.name = NULL},
};
static const struct sl_fields pay_fields = SECTION(pay);

/* ---- The whole ---- */

static const struct sl_field_row study_rows[] = {
    {"softlab", SL_FIELD_TEXT, AT(softlab), "kind of the file", NEEDED, .choices = file_kinds,
     .fallback = "study"},
    {"version", SL_FIELD_COUNT, AT(version), "version of the file: 1", NEEDED, .fallback = "1"},
    {"name", SL_FIELD_LINE, AT(name), "name of the study's folder", NEEDED, 1, 200},
    {"id", SL_FIELD_LINE, AT(id),
     "identifies the study in its database; `study init` writes it, and nobody should change it",
     SETTING, 0, 64, .fallback = ""},
    {"title", SL_FIELD_LINE, AT(title), "heading of the pages", NEEDED, 1, 500},
    {"language", SL_FIELD_LINE, AT(language),
     "language of the pages: a file of `web/words/` (see [Texts of the "
     "pages](#texts-of-the-pages))",
     SETTING, 2, 16, .fallback = "en"},
    {"classes", SL_FIELD_LINES, AT(classes), "names of the classes, in the order of exports",
     NEEDED, 2, 1000},
    {"screens", SL_FIELD_LINES, AT(screens),
     "names of screens, the ways to ask; with several, each annotator gets one at random. `study "
     "init` always writes the "
     "key, by default `[\"collins+\"]` (`docs/decisions/0017-the-default-screen.md`)",
     SETTING, 1, 32, .fallback = "collins"},
    {"framing", SL_FIELD_ENUM, AT(framing),
     "whose view is asked for: \"imagine 100 crowdsourced workers\" (`third`), or \"how sure are "
     "you\" (`first`)",
     SETTING, .choices = framings, .fallback = "third"},
    {"lease_minutes", SL_FIELD_COUNT, AT(lease_minutes),
     "a session that is idle for longer loses its place", SETTING, 1, 100000, .fallback = "60"},
    {"consent_version", SL_FIELD_LINE, AT(consent_version), "stored with every consent", SETTING, 1,
     23, .fallback = "1"},
    {"keep_until", SL_FIELD_LINE, AT(keep_until),
     "date like `2027-01-31`, or empty: shown on the consent page; `study status` warns after it",
     SETTING, 0, 10, .fallback = ""},
    {"items", SL_FIELD_SECTION, .help = "what people look at", .flags = NEEDED,
     .inner = &items_fields},
    {"batch", SL_FIELD_SECTION, .help = "what one annotator gets", .flags = SETTING,
     .inner = &batch_fields},
    {"assignment", SL_FIELD_ENUM, AT(assignment),
     "`fixed`: annotators get the batches that `study init` made; `adaptive`: the server chooses "
     "items for each annotator on arrival (see [Adaptive assignment](#adaptive-assignment))",
     SETTING, .choices = assignments, .fallback = "fixed"},
    {"adaptive", SL_FIELD_SECTION, .help = "how items are chosen if `assignment` is `adaptive`",
     .flags = SETTING, .inner = &adaptive_fields},
    {"order", SL_FIELD_SECTION, .help = "what is shuffled", .flags = SETTING,
     .inner = &order_fields},
    {"flow", SL_FIELD_SECTION, .help = "the course of a session", .flags = SETTING,
     .inner = &flow_fields},
    {"training", SL_FIELD_SECTION, .help = "exercises with feedback before practice and trials",
     .flags = SETTING, .inner = &training_fields},
    {"recruiter", SL_FIELD_SECTION, .help = "where people come from and go to", .flags = SETTING,
     .inner = &recruiter_fields},
    {"pay", SL_FIELD_SECTION, .help = "what people are paid", .flags = SETTING,
     .inner = &pay_fields},
    {"comprehension", SL_FIELD_OBJECTS, AT(comprehension),
     "questions about the instructions; may be empty", SETTING, 0, MAX_QUESTIONS,
     .inner = &comprehension_fields},
    {"debrief", SL_FIELD_OBJECTS, AT(debrief), "questions after the last trial", SETTING, 0,
     MAX_QUESTIONS, .inner = &debrief_fields},
    {.name = NULL},
};
const struct sl_fields sl_study_fields = SECTION(study);

/* ---- Values ---- */

void sl_study_set_text(char **field, const char *value)
{
    char *copy = sl_string_copy(value);
    free(*field);
    *field = copy;
}

void sl_study_set_texts(char ***field, size_t *count, const char *const *values, size_t n_values)
{
    char **copies = sl_alloc(n_values + 1, sizeof *copies);
    for (size_t i = 0; i < n_values; i++)
        copies[i] = sl_string_copy(values[i]);
    sl_strings_destroy(*field, *count);
    *field = copies;
    *count = n_values;
}

struct sl_study *sl_study_create(void)
{
    struct sl_study *study = sl_alloc(1, sizeof *study);
    sl_fields_set_defaults(sl_study_fields.rows, study);
    return study;
}

void sl_study_destroy(struct sl_study *study)
{
    if (!study) return;
    free(study->folder);
    free(study->database);
    sl_fields_release(&sl_study_fields, study);
    free(study);
}

json_t *sl_study_json(const struct sl_study *study)
{
    return sl_fields_write(&sl_study_fields, study);
}
