/* The texts of a new study, for the researcher to change. They follow the instructions of
 * CIFAR-10S: imagine a hundred people, name what they would say. The texts about blends follow the
 * thesis's study of mixing coefficients, which asks for the annotator's own view. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/setup/setup.h"

/* {minutes} and the like are filled in when the page is served (template.h). The places for printf:
 * what is shown, what stands for a person, what happens to the answers, and the contact. */
static const char consent_text[] =
    "# About this study\n\n"
    "You are invited to take part in a study of how people see things that are not always clear. "
    "You will look at {trials} %s and say what they could show, and how sure one can be.\n\n"
    "- It takes about **{minutes} minutes**. You may stop at any time, without giving a reason.\n"
    "- {pay}\n"
    "- There are no risks beyond those of everyday life.\n"
    "- You must be at least 18 years old.\n\n"
    "# What is stored\n\n"
    "- Your answers, and how long each of them took.\n"
    "- When you began and ended, and whether you left the page in between.\n"
    "- %s\n\n"
    "We store neither your name nor your internet address. %s\n\n"
    "Everything that could be traced to you is deleted by **{keep_until}**.\n\n"
    "# Contact\n\n"
    "%s\n\n"
    "By continuing you confirm that you have read this and want to take part.\n";

/* People from a recruiter have a number there; other people stay unknown. */
struct stored {
    const char *person, *answers;
};
static const struct stored of_known = {
    "A code made from your participant number. The number itself is not stored with the answers.",
    "The answers, without the code, may be published so that other researchers can use them. You "
    "may ask us to delete what you gave; we then delete all of it.",
};
static const struct stored of_unknown = {
    "A code drawn at random, which stands for you.",
    "The answers, without the code, may be published so that other researchers can use them. "
    "Nobody can tell later which answers are yours, so we cannot delete them at your request.",
};

static const char no_contact[] =
    "[Name of the researcher, institution, e-mail address, number of the ethics approval.]";

/* The first page: the task, by framing and kind. */
static const char task_third[] =
    "# Your task\n\n"
    "We show you %s one after the other, {trials} in all. For each one, **imagine 100 other "
    "people** "
    "who "
    "are asked what it shows. Some cases are clear: all of them would say the same. In others "
    "they would differ.\n\n"
    "We ask what *they* would say, not what is right. There are no trick questions.\n\n";

static const char task_first[] =
    "# Your task\n\n"
    "We show you %s one after the other, {trials} in all. For each one, tell us what you think it "
    "shows "
    "and **how sure you are**. Some cases are clear, others are not.\n\n"
    "There are no trick questions, and being unsure is a good answer where one cannot be sure.\n\n";

static const char task_sliders[] =
    "# Your task\n\n"
    "We show you %s one after the other, {trials} in all. Each of them is a **blend of two "
    "others**, "
    "laid "
    "over each other, and we tell you what the two show. Your task is to say how much of either is "
    "in "
    "it.\n\n"
    "There are no trick questions, and being unsure is a good answer where one cannot be sure.\n\n";

static const char about_mixtures[] =
    "# About the images\n\n"
    "Every image is a combination of two others, laid over each other. The 100 people you imagine "
    "do not know that.\n\n"
    "---\n\n";

/* The second page: how to answer, by screen. */
static const char answer_soft[] =
    "1. Which answer is the most probable, and how many percent would you give it?\n"
    "2. Is there a second answer that some would give, and how probable is it? If there is none, "
    "say so.\n"
    "3. Which answers can be ruled out?\n\n"
    "The numbers need not add up to 100: what is left stands for all other answers.\n\n";
static const char answer_possible[] =
    "1. Which answer is the most probable, and how many percent would you give it?\n"
    "2. Is there a second answer that some would give, and how probable is it? If there is none, "
    "say so.\n"
    "3. Which other answers are still possible? Those you do not tick are ruled out.\n\n"
    "The numbers need not add up to 100: what is left stands for all other answers.\n\n";
static const char answer_bars[] =
    "Every answer has a bar. Make each as long as the answer is probable: an answer that all would "
    "give has the whole 100, one that nobody would give has 0. Together they make 100.\n\n";
static const char answer_fast[] =
    "If there is no doubt at all, one click on the answer is enough. Otherwise say so, and "
    "then:\n\n"
    "1. Which answer is the most probable, and how many percent would you give it?\n"
    "2. Is there a second answer that some would give, and how probable is it?\n"
    "3. Which answers can be ruled out?\n\n";
static const char answer_hard[] =
    "Choose the one answer that is the most probable, as quickly and as well as you can.\n\n";
static const char answer_select[] =
    "Choose the two answers that are the most probable, the more probable one first.\n\n";
static const char answer_sliders[] =
    "1. With the first slider, say how much of either image is in the blend.\n"
    "2. With the second, say how confident you are.\n\n";
/* Used for several screens: all annotators read the same text. */
static const char answer_any[] = "Every page tells you what to fill in.\n\n";

static const struct {
    const char *screen, *text;
} answer_pages[] = {
    {"collins", answer_soft},   {"collins+", answer_soft}, {"possible", answer_possible},
    {"bars", answer_bars},      {"fast", answer_fast},     {"hard", answer_hard},
    {"select2", answer_select}, {"mix", answer_sliders},   {"mix+", answer_sliders},
    {"mixsoft", answer_soft},   {NULL, answer_any},
};

static const char last_page[] =
    "# Before you begin\n\n"
    "Take the time you need, but there is no need to ponder: your first impression is welcome. "
    "Your answers are saved as you go. If your connection fails or you close the page by "
    "accident, open the link again and you are where you were.\n";

static const char debrief_text[] =
    "# Almost done\n\n"
    "Thank you. A few questions about the study itself help us to make the next one better. Please "
    "do not write your name or other details about yourself.\n";

static void add_question(struct sl_study_question **list, size_t *count,
                         struct sl_study_question question)
{
    *list = sl_resize(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = question;
}

static void add_comprehension(struct sl_study *study, const char *question,
                              const char *const *options, size_t n_options, size_t answer)
{
    struct sl_study_question made = {.question = sl_string_copy(question), .answer = answer};
    sl_study_set_texts(&made.options, &made.n_options, options, n_options);
    add_question(&study->comprehension, &study->n_comprehension, made);
}

static bool has_sliders(const struct sl_study *study)
{
    return strncmp(study->screens[0], "mix", 3) == 0 && strcmp(study->screens[0], "mixsoft") != 0;
}

/* The text for the study's screens if it is the same for all of them. */
static const char *answer_page(const struct sl_study *study)
{
    const char *found = NULL;
    for (size_t i = 0; i < study->n_screens; i++) {
        size_t row = 0;
        while (answer_pages[row].screen && strcmp(answer_pages[row].screen, study->screens[i]) != 0)
            row++;
        if (found && found != answer_pages[row].text) return answer_any;
        found = answer_pages[row].text;
    }
    return found;
}

void sl_setup_questions(struct sl_study *study)
{
    static const char *const tasks[] = {"Say what each one shows, and how sure one can be",
                                        "Find the one that is different from all of the others",
                                        "Remember all of them"};
    static const char *const views[] = {"That of 100 other people who are asked the same",
                                        "My own alone",
                                        "That of an expert who knows what all of them show"};
    static const struct {
        const char *question;
        enum sl_debrief_kind kind;
    } debrief[] = {
        {"How clear were the instructions? (1: not at all, 10: very)", SL_DEBRIEF_SCALE},
        {"How difficult was the task? (1: not at all, 10: very)", SL_DEBRIEF_SCALE},
        {"How did you decide on your numbers?", SL_DEBRIEF_TEXT},
        {"Did you wish to go back and change an answer? If so, why?", SL_DEBRIEF_TEXT},
        {"What made some of them hard?", SL_DEBRIEF_TEXT},
        {"Anything else you want to tell us?", SL_DEBRIEF_TEXT},
    };
    /* As in the thesis, and as the instructions say. */
    if (has_sliders(study)) study->framing = SL_FRAMING_FIRST;
    add_comprehension(study, "What is your task?", tasks, 3, 0);
    if (study->framing == SL_FRAMING_THIRD)
        add_comprehension(study, "Whose view are you asked for?", views, 3, 0);
    for (size_t i = 0; i < sizeof debrief / sizeof *debrief; i++)
        add_question(&study->debrief, &study->n_debrief,
                     (struct sl_study_question){.question = sl_string_copy(debrief[i].question),
                                                .kind = debrief[i].kind});
}

static enum sl_status write_one(const char *folder, const char *name, const struct sl_buffer *text,
                                struct sl_error *err)
{
    char *path = sl_path_join(folder, name);
    enum sl_status status = sl_buffer_check(text, name, err);
    if (status == SL_OK) status = sl_file_write(path, text->data, text->length, err);
    free(path);
    return status;
}

static void write_instructions(const struct sl_study *study, const char *things,
                               struct sl_buffer *out)
{
    bool sliders = has_sliders(study);
    if (sliders)
        sl_buffer_printf(out, task_sliders, things);
    else if (study->framing == SL_FRAMING_FIRST)
        sl_buffer_printf(out, task_first, things);
    else
        sl_buffer_printf(out, task_third, things);
    sl_buffer_text(out, "---\n\n");
    if (study->kind == SL_ITEM_MIXTURES && !sliders) sl_buffer_text(out, about_mixtures);
    sl_buffer_text(out, "# What to answer\n\n");
    sl_buffer_text(out, answer_page(study));
    sl_buffer_text(out, "---\n\n");
    sl_buffer_text(out, last_page);
}

/* Escapes a typed text so that Markdown and templates leave it unchanged. Heap string. */
static char *plain_text(const char *typed)
{
    struct sl_buffer out;
    sl_buffer_init(&out, 8192);
    sl_buffer_text(&out, "");
    for (const char *c = typed; *c; c++) {
        if (strchr("\\*_[]`<>{", *c)) sl_buffer_byte(&out, '\\');
        sl_buffer_byte(&out, *c);
    }
    return out.data;
}

enum sl_status sl_setup_write_texts(const struct sl_study *study, const char *contact,
                                    const char *folder, struct sl_error *err)
{
    const char *things = study->kind == SL_ITEM_TEXTS ? "short texts" : "images";
    struct sl_buffer text;
    sl_buffer_init(&text, 64 << 10);
    enum sl_status status;
    char *whom = contact ? plain_text(contact) : sl_string_copy(no_contact);
    const struct stored *stored = strcmp(study->recruiter, "open") == 0 ? &of_unknown : &of_known;
    sl_buffer_printf(&text, consent_text, things, stored->person, stored->answers, whom);
    free(whom);
    SL_TRY_OUT(write_one(folder, "consent.md", &text, err));
    sl_buffer_clear(&text);
    write_instructions(study, things, &text);
    SL_TRY_OUT(write_one(folder, "instructions.md", &text, err));
    sl_buffer_clear(&text);
    sl_buffer_text(&text, debrief_text);
    SL_TRY_OUT(write_one(folder, "debrief.md", &text, err));
out:
    sl_buffer_release(&text);
    return status;
}
