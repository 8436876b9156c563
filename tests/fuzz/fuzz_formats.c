/* Published formats: whatever a file holds, an import gives valid answers or a sentence, and the
 * file looks like at most one format. What was read is measured and written in every format;
 * long-csv and answers-csv, which hold any name, are read back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "softlab/answer.h"
#include "softlab/answer/quality.h"
#include "softlab/base.h"

enum { MOST_ANSWERS = 2000 };

static enum sl_status begin_set(void *context, const char *const *classes, size_t n_classes,
                                struct sl_error *err)
{
    return sl_answers_create(classes, n_classes, context, err);
}

/* A handful of counts may stand for millions of answers: enough is enough. */
static enum sl_status put_in_set(void *context, const struct sl_answer *answer,
                                 struct sl_error *err)
{
    struct sl_answers *answers = *(struct sl_answers **)context;
    if (answers->count >= MOST_ANSWERS) return sl_fail(err, SL_ERR_USAGE, "enough");
    return sl_answers_add(answers, answer, err);
}

static struct sl_answers *import(const struct sl_answer_format *format, const char *path,
                                 const struct sl_import_options *options)
{
    struct sl_answers *answers = NULL;
    struct sl_error err = {0};
    const struct sl_answer_sink sink = {.begin = begin_set, .put = put_in_set, .context = &answers};
    if (format->import(&path, 1, options, &sink, &err) == SL_OK) return answers;
    if (err.message[0] == '\0') abort();
    sl_answers_destroy(answers);
    return NULL;
}

static void check_round_trip(const struct sl_answer_format *format,
                             const struct sl_answers *answers, const char *path,
                             const struct sl_import_notes *notes)
{
    const bool holds_any_name =
        strcmp(format->name, "long-csv") == 0 || strcmp(format->name, "answers-csv") == 0;
    if (!holds_any_name || answers->count == notes->n_skipped) return;
    struct sl_answers *again = import(format, path, NULL);
    if (!again || again->count != answers->count - notes->n_skipped) abort();
    sl_answers_destroy(again);
}

static void use(const struct sl_answers *answers, const char *path)
{
    struct sl_quality quality;
    struct sl_error err = {0};
    const struct sl_quality_options options = {.preset = &sl_exclusion_presets[1]};
    /* It refuses items with two true classes. */
    if (sl_quality_measure(answers, &options, &quality, &err) == SL_OK)
        sl_quality_release(&quality);
    else if (err.message[0] == '\0')
        abort();
    err = (struct sl_error){0};
    for (const struct sl_answer_format *format = sl_answer_formats; format->name; format++) {
        struct sl_import_notes notes = {0};
        if (!format->write) continue;
        if (format->write(answers, path, &notes, &err) == SL_OK)
            check_round_trip(format, answers, path, &notes);
        else if (err.message[0] == '\0')
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    /* The first byte chooses the format and, by its high bit, classes of the user's own. */
    static const char *const classes[] = {"Cat", "Dog", "b", NULL};
    if (length == 0) return 0;
    const struct sl_answer_format *format = sl_answer_formats;
    for (int i = bytes[0] & 0x3F; i > 0 && format[1].name; i--)
        format++;
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.columns =
                                                  bytes[0] & 0x40 ? "worker,item,label" : NULL,
                                              .classes = bytes[0] & 0x80 ? classes : NULL,
                                              .notes = &notes};
    char in[64], out[64];
    const char *folder = sl_folder_exists("/dev/shm") ? "/dev/shm" : "/tmp";
    snprintf(in, sizeof in, "%s/softlab-fuzz-%ld.in", folder, (long)getpid());
    snprintf(out, sizeof out, "%s/softlab-fuzz-%ld.out", folder, (long)getpid());
    FILE *file = fopen(in, "wb");
    if (!file || fwrite(bytes + 1, 1, length - 1, file) != length - 1 || fclose(file) != 0) abort();
    struct sl_format_guess guess;
    if (sl_answer_format_guess(in, &guess, NULL) == SL_OK && guess.missing && !guess.format)
        abort();
    struct sl_answers *answers = import(format, in, &options);
    if (answers) use(answers, out);
    sl_answers_destroy(answers);
    unlink(in);
    unlink(out);
    return 0;
}
