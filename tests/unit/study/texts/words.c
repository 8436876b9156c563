/* The words of the pages: languages, a study's own, and the page that carries them. */
#include "study/texts/words.h"
#include "study_scene.h"

static struct scene scene;

static void write_own(const char *text)
{
    struct sl_error err;
    char *path = sl_path_join(scene.folder, SL_WORDS_FILE);
    assert_ok(sl_file_write(path, text, strlen(text), &err), err);
    free(path);
}

static enum sl_status read_words(struct sl_words *words, struct sl_error *err)
{
    struct sl_study *study = NULL;
    assert_ok(sl_study_read(scene.folder, &study, err), *err);
    enum sl_status status = sl_words_read(study, words, err);
    sl_study_destroy(study);
    return status;
}

/* Reads words.json as `text` and expects an error that holds `part`. */
static void refused(const char *text, const char *part)
{
    struct sl_words words;
    struct sl_error err;
    write_own(text);
    assert_int_equal(read_words(&words, &err), SL_ERR_INPUT);
    if (!strstr(err.message, part)) fail_msg("%s: %s", text, err.message);
}

static void test_own_words(void **state)
{
    (void)state;
    struct sl_words words;
    struct sl_error err;
    scene_make(&scene, 4, 2, NULL);
    assert_ok(read_words(&words, &err), err);
    assert_string_equal(sl_words_say(&words, "leave.stay"), "Stay");
    sl_words_release(&words);

    write_own("{\"leave.stay\": \"Bleiben\", \"frame.waiting\": \"noch {n}\"}");
    assert_ok(read_words(&words, &err), err);
    assert_string_equal(sl_words_say(&words, "leave.stay"), "Bleiben");
    assert_string_equal(sl_words_say(&words, "frame.waiting"), "noch {n}");
    assert_string_equal(sl_words_say(&words, "leave.go"), "Stop and give back my place");
    sl_words_release(&words);

    refused("{\"leave.sty\": \"x\"}", "words.json:1: $[\"leave.sty\"]: no page has the key "
                                      "\"leave.sty\", did you mean \"leave.stay\"?");
    refused("{\n\"frame.waiting\": \"{m} to go\"}",
            "words.json:2: $[\"frame.waiting\"]: \"frame.waiting\" has no place {m}");
    refused("{\"leave.stay\": \" \"}", "is empty");
    refused("{\"leave.stay\": 3}", "expected a string");
    refused("{\"language.direction\": \"up\"}", "must be ltr or rtl");
    refused("[]", "expected an object");
    refused("{", "words.json:1");
}

static void test_saving(void **state)
{
    (void)state;
    struct sl_words words;
    struct sl_study *study = NULL;
    struct sl_error err;
    scene_make(&scene, 4, 2, NULL);
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_words_read(study, &words, &err), err);
    json_t *own =
        json_pack("{s:s, s:s}", "leave.stay", "Bleiben", "leave.title", "Stop taking part?");
    assert_ok(sl_words_save(&words, study, own, &err), err);
    json_decref(own);
    assert_string_equal(sl_words_say(&words, "leave.stay"), "Bleiben");
    sl_words_release(&words);
    assert_ok(sl_words_read(study, &words, &err), err);
    assert_int_equal(json_object_size(words.own), 1); /* the other one is the language's */
    sl_words_release(&words);
    sl_study_destroy(study);
}

/* A page in a language, and what nobody may write into it. */
static void test_page(void **state)
{
    (void)state;
    scene_make(&scene, 4, 2, "{\"language\": \"ar-XB\"}");
    write_own("{\"frame.title\": \"</script><script>alert(1)</script>\"}");
    scene_start(&scene);
    struct reply reply = get(&scene, "/study", NULL);
    assert_int_equal(reply.status, 200);
    assert_non_null(strstr(reply.body, "<html lang=\"ar-XB\" dir=\"rtl\">"));
    assert_null(strstr(reply.body, "<script>alert(1)"));
    assert_null(strstr(reply.body, "{frame."));
    assert_null(strstr(reply.body, "Skip to the content"));
    reply_release(&reply);

    reply = get(&scene, "/?test=nonsense", NULL);
    assert_int_equal(reply.status, 403);
    assert_non_null(strstr(reply.body, "<html lang=\"ar-XB\" dir=\"rtl\">"));
    assert_null(strstr(reply.body, "This test link"));
    reply_release(&reply);
    scene_stop(&scene);
}

static void test_unknown_language(void **state)
{
    (void)state;
    struct sl_study *study = NULL;
    struct sl_error err;
    scene_make(&scene, 4, 2, "{\"language\": \"tlh\"}");
    assert_int_equal(sl_study_read(scene.folder, &study, &err), SL_ERR_INPUT);
    assert_non_null(strstr(err.message, "there are no texts in \"tlh\""));
}

/* Whatever the language, its words are those that pages ask for, with the same places. */
static void test_languages(void **state)
{
    (void)state;
    struct sl_words english, other;
    struct sl_error err;
    const char *key = NULL;
    json_t *value = NULL;
    scene_make(&scene, 4, 2, NULL);
    assert_ok(read_words(&english, &err), err);
    scene_change(&scene, "{\"language\": \"ar-XB\"}");
    assert_ok(read_words(&other, &err), err);
    assert_int_equal(json_object_size(english.texts), json_object_size(other.texts));
    json_object_foreach(other.texts, key, value)
    {
        assert_ok(sl_words_check(&english, key, json_string_value(value), &err), err);
    }
    sl_words_release(&english);
    sl_words_release(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_words), cmocka_unit_test(test_saving),
        cmocka_unit_test(test_page),      cmocka_unit_test(test_unknown_language),
        cmocka_unit_test(test_languages),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
