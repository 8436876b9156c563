/* Texts that people read: placeholders and pictures in them. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "study/check/check.h"
#include "study/session/effort.h"
#include "study/texts/markdown.h"
#include "study/texts/media.h"

enum { TEXT_BYTES = 1 << 20, SHOWN = 60 };

/* The text found, shortened for one line. */
static char *show(const char *text, size_t length)
{
    if (length <= SHOWN) return sl_string_copy_n(text, length);
    size_t end = SHOWN;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    return sl_string_printf("%.*s...", (int)end, text);
}

static void note_placeholders_of(struct sl_checking *checking, const char *name, const char *text,
                                 size_t length)
{
    struct sl_placeholder found;
    size_t line = 1, counted = 0;
    for (size_t from = 0; sl_placeholder_find(text, length, from, &found);
         from = found.at + found.length) {
        for (; counted < found.at; counted++)
            line += text[counted] == '\n';
        char *shown = show(text + found.at, found.length);
        sl_check_note(checking, SL_FINDING_ERROR, sl_check_file(checking, name, line), found.remedy,
                      "\"%s\" is a placeholder that people would see", shown);
        free(shown);
    }
}

/* Pictures that cannot be shown, or do not exist. */
static void note_pictures_of(struct sl_checking *checking, const char *name, const char *text,
                             size_t length)
{
    struct sl_markdown_picture found;
    size_t line = 1, counted = 0, name_length = 0;
    for (size_t from = 0; sl_markdown_picture(text, length, from, &found); from = found.end) {
        for (; counted < found.at; counted++)
            line += text[counted] == '\n';
        const char *file = sl_media_name(found.address, found.length, &name_length);
        char *shown = show(found.address, found.length);
        char *path = sl_string_printf("%s/" SL_MEDIA_FOLDER "/%.*s", checking->study->folder,
                                      (int)(file ? name_length : 0), file ? file : "");
        if (!file)
            sl_check_note(checking, SL_FINDING_ERROR, sl_check_file(checking, name, line),
                          "name a png, jpg, webp or gif file in the folder media, as in "
                          "![a map](media/map.png)",
                          "the picture \"%s\" cannot be shown", shown);
        else if (!sl_file_exists(path))
            sl_check_note(checking, SL_FINDING_ERROR, sl_check_file(checking, name, line),
                          "put it into the folder media of the study",
                          "the picture \"%s\" does not exist", shown);
        free(path);
        free(shown);
    }
}

void sl_check_texts(struct sl_checking *checking)
{
    static const char *const names[] = {"consent.md", "instructions.md", "debrief.md"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sl_buffer text;
        struct sl_error err;
        char *path = sl_path_join(checking->study->folder, names[i]);
        sl_buffer_init(&text, TEXT_BYTES);
        if (sl_file_exists(path) && sl_file_read(path, &text, &err) != SL_OK)
            sl_check_note(checking, SL_FINDING_ERROR, sl_string_copy(path),
                          "replace it by a readable text file", "%s", err.message);
        else if (text.data) {
            note_placeholders_of(checking, names[i], text.data, text.length);
            note_pictures_of(checking, names[i], text.data, text.length);
        }
        sl_buffer_release(&text);
        free(path);
    }
    if (!sl_effort_has_text(checking->study, "consent.md"))
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_file(checking, "consent.md", 0),
                      "write the text, or ignore this if people consent elsewhere",
                      "there is no consent text, so nobody is asked for consent");
}

static void note_in_key(struct sl_checking *checking, const char *text, char *key)
{
    struct sl_placeholder found;
    if (sl_placeholder_find(text, strlen(text), 0, &found)) {
        char *shown = show(text + found.at, found.length);
        sl_check_note(checking, SL_FINDING_ERROR, sl_check_key(checking, key),
                      "write the real text there", "\"%s\" is a placeholder that people would see",
                      shown);
        free(shown);
    }
    free(key);
}

static void note_in_questions(struct sl_checking *checking, const char *list,
                              const struct sl_study_question *questions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        note_in_key(checking, questions[i].question, sl_string_printf("%s.%zu.question", list, i));
        for (size_t j = 0; j < questions[i].n_options; j++)
            note_in_key(checking, questions[i].options[j],
                        sl_string_printf("%s.%zu.options.%zu", list, i, j));
    }
}

/* Codes from examples, not from a recruiter's page. */
static bool is_sample_code(const char *code)
{
    static const char *const samples[] = {"CODE",      "CHANGEME", "CHANGE-ME",  "COMPLETION",
                                          "YOUR-CODE", "YOURCODE", "PLACEHOLDER"};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (strcmp(samples[i], code) == 0) return true;
    return strlen(code) >= 3 && strspn(code, "Xx") == strlen(code);
}

void sl_check_config_texts(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    const char *const codes[][2] = {{"done", study->code_done},
                                    {"refused", study->code_refused},
                                    {"failed", study->code_failed},
                                    {"full", study->code_full}};
    note_in_key(checking, study->title, sl_string_copy("title"));
    for (size_t i = 0; i < study->n_classes; i++)
        note_in_key(checking, study->classes[i], sl_string_printf("classes.%zu", i));
    note_in_questions(checking, "comprehension", study->comprehension, study->n_comprehension);
    note_in_questions(checking, "debrief", study->debrief, study->n_debrief);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char *key = sl_string_printf("recruiter.codes.%s", codes[i][0]);
        if (is_sample_code(codes[i][1]))
            sl_check_note(checking, SL_FINDING_ERROR, sl_check_key(checking, key),
                          "copy the code from the recruiter's page, or write one of your own",
                          "the completion code \"%s\" is a placeholder", codes[i][1]);
        else
            note_in_key(checking, codes[i][1], sl_string_copy(key));
        free(key);
    }
}
