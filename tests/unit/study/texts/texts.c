#define _GNU_SOURCE /* memmem */
/* Script, formulas and names of people in every text that annotators can send. */
#include "study_scene.h"

#define SCRIPT "<script>alert(1)</script>"
enum { WRITTEN = 8 /* answers of a session */ };

/* Whatever comes back, a browser must not take it for a page with script in it. */
static void check_harmless(struct reply reply)
{
    assert_non_null(strstr(reply.head, "X-Content-Type-Options: nosniff"));
    assert_non_null(strstr(reply.head, "Content-Security-Policy: default-src 'none'"));
    bool page = strstr(reply.head, "Content-Type: text/html") != NULL;
    if (page && reply.body) assert_null(strstr(reply.body, "alert(1)"));
    assert_null(strstr(reply.head, "alert(1)"));
    reply_release(&reply);
}

/* What people may write into any text that is kept; as the name of an input or an event it is
 * refused. */
static const char *const payloads[] = {
    SCRIPT,
    "\"><img src=x onerror=alert(1)>",
    "=HYPERLINK(\"http://x\")",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r\n=1",
    "'; DROP TABLE answers; --",
    "javascript:alert(1)",
    "me@evil.test",
    "5f1234567890abcdef123456",
};
enum { PAYLOADS = sizeof payloads / sizeof *payloads };
static struct scene scene;
static char writer[65]; /* the cookie of somebody who does */

static json_t *answer_json(int trial, const char *input)
{
    char id[33];
    snprintf(id, sizeof id, "%032x", 0xabc00 + trial);
    return json_pack("{s:s, s:i, s:b, s:i, s:{s:[i, i]}, s:{s:s}}", "id", id, "trial", trial,
                     "practice", false, "elapsed", 5, "times", input, 1, 2, "answer", "class",
                     "circle");
}

static void post_json(const char *path, json_t *body, int status)
{
    char *text = json_dumps(body, 0);
    json_decref(body);
    struct reply reply = post(&scene, path, writer, text);
    if (reply.status != status) fail_msg("%s: %d %s", path, reply.status, reply.body);
    check_harmless(reply);
    free(text);
}

static void write_everywhere(void)
{
    json_t *debrief = json_array();
    for (size_t i = 0; i < PAYLOADS; i++) {
        post_json("/api/events",
                  json_pack("{s:[{s:s, s:i}]}", "events", "kind", payloads[i], "at", 1), 400);
        post_json("/api/answer", answer_json(0, payloads[i]), 400);
        json_array_append_new(debrief, json_string(payloads[i]));
    }
    for (int trial = 0; trial < WRITTEN; trial++)
        post_json("/api/answer", answer_json(trial, trial % 2 ? "class.circle" : "class"), 200);
    post_json("/api/debrief", json_pack("{s:o}", "answers", debrief), 200);
}

static enum sl_status to_buffer(void *context, const void *bytes, size_t length,
                                struct sl_error *err)
{
    (void)err;
    sl_buffer_append(context, bytes, length);
    return SL_OK;
}

/* Read as a spreadsheet reads it: no cell is a formula, nothing names a person. */
static size_t check_cells(const char *text, size_t length, const char *name)
{
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record;
    struct sl_error err;
    size_t n_texts = 0;
    options.header = false;
    assert_ok(sl_csv_open_memory(text, length, name, &options, &csv, &err), err);
    for (;;) {
        assert_ok(sl_csv_next(csv, &record, &err), err);
        if (record.count == 0) break;
        for (size_t i = 0; i < record.count; i++) {
            const struct sl_field cell = record.fields[i];
            double number = 0;
            if (cell.length == 0 || sl_text_to_real(cell.text, cell.length, &number)) continue;
            if (memchr("=+-@\t\r\n", cell.text[0], 7))
                fail_msg("%s: %.*s", name, (int)cell.length, cell.text);
            n_texts += memmem(cell.text, cell.length, "alert(1)", 8) != NULL;
        }
    }
    sl_csv_close(csv);
    assert_null(memmem(text, length, "evil.test", 9));
    assert_null(memmem(text, length, "5f1234567890abcdef", 18));
    return n_texts;
}

static void begin(void)
{
    json_t *questions = json_array();
    for (size_t i = 0; i < PAYLOADS; i++)
        json_array_append_new(questions,
                              json_pack("{s:s, s:s}", "question", SCRIPT, "kind", "text"));
    json_t *change = json_pack("{s:s, s:{s:b}, s:o}", "title", SCRIPT, "flow", "practice", false,
                               "debrief", questions);
    char *text = json_dumps(change, 0);
    scene_make(&scene, 12, 6, text);
    free(text);
    json_decref(change);
    scene_start(&scene);
    arrive(&scene, "/", writer);
    pass_to_trials(&scene, writer);
}

static void test_what_people_write_is_kept_and_harmless(void **state)
{
    (void)state;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    begin();
    write_everywhere();
    check_harmless(get(&scene, "/api/session", writer));
    assert_string_equal(place_of(&scene, writer), "done");
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    for (const struct sl_study_export *row = sl_study_exports; row->name; row++) {
        struct sl_buffer text;
        sl_buffer_init(&text, 64 << 20);
        if (!sl_path_has_suffix(row->file, ".csv")) continue;
        enum sl_status status = row->write(study, store, to_buffer, &text, &err);
        if (status == SL_OK && text.length > 0) {
            size_t n_texts = check_cells(text.data, text.length, row->file);
            if (strcmp(row->name, "changes") == 0) assert_int_equal(n_texts, 1); /* the debrief */
        }
        sl_buffer_release(&text);
    }
    sl_store_close(store);
    sl_study_destroy(study);
    scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_people_write_is_kept_and_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
