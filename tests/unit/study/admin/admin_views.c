#include "admin_scene.h"
#include "softlab/label.h"
#include "study/stored_answers.h"

/* What study.json and answers.jsonl call person `index`. */
static const char *annotator(size_t index)
{
    static char text[SL_STUDY_ANNOTATOR_TEXT];
    uint8_t person[SL_STORE_PERSON_BYTES];
    struct sl_error err;
    scene_stop(&scene); /* the store belongs to the loop's thread */
    assert_ok(sl_study_person(sample.store, sample_person(index), person, &err), err);
    scene_start(&scene);
    sl_study_annotator(person, text);
    return text;
}

static json_t *get_json(const char *path, const struct login *login)
{
    assert_int_equal(get(path, login->cookie), 200);
    assert_null(strchr(scene_body(reply), '<'));
    json_t *value = json_loads(scene_body(reply), 0, NULL);
    assert_non_null(value);
    return value;
}

static json_t *get_person(size_t index, const struct login *login)
{
    char path[64];
    snprintf(path, sizeof path, "/admin/person/%s", annotator(index));
    return get_json(path, login);
}

static int get_again(const char *path, const struct login *login)
{
    char headers[512];
    snprintf(headers, sizeof headers, "%s%s", login->cookie, test_tag_line(reply));
    return get(path, headers);
}

static void commit_something(void)
{
    struct sl_error err;
    scene_stop(&scene);
    assert_ok(sl_store_begin(sample.store, &err), err);
    assert_ok(sl_store_put_event(sample.store, 0, clock_ms, "test", "{}", &err), err);
    assert_ok(sl_store_commit(sample.store, &err), err);
    scene_start(&scene);
}

static void test_a_status_is_made_once_per_commit(void **state)
{
    (void)state;
    struct login login = log_in();
    assert_int_equal(get("/admin/status", login.cookie), 200);
    clock_ms += 50 * 1000;
    assert_int_equal(get_again("/admin/status", &login), 304);
    assert_string_equal(scene_body(reply), "");
    assert_int_equal(get_again("/admin/status", &login), 304);
    commit_something();
    clock_ms += 30 * 1000; /* however long it took to make */
    assert_int_equal(get_again("/admin/status", &login), 200);
    assert_int_equal(get_again("/admin/status", &login), 304);
}

/* Leases run out without anybody writing anything. */
static void test_a_status_is_made_again_after_a_minute(void **state)
{
    (void)state;
    struct login login = log_in();
    assert_int_equal(get("/admin/status", login.cookie), 200);
    clock_ms += 59 * 1000;
    assert_int_equal(get_again("/admin/status", &login), 304);
    clock_ms += 1000;
    assert_int_equal(get_again("/admin/status", &login), 200);
    /* A clock that was set back does not keep it for ever. */
    clock_ms -= 3600 * 1000;
    assert_int_equal(get_again("/admin/status", &login), 200);
}

static void test_every_view_has_a_tag_of_its_own(void **state)
{
    (void)state;
    struct login login = log_in();
    char path[64];
    /* More than are kept. */
    for (unsigned i = 0; i < 3 * SAMPLE_ITEMS; i++) {
        snprintf(path, sizeof path, "/admin/item/%u", i % SAMPLE_ITEMS);
        assert_int_equal(get(path, login.cookie), 200);
        assert_int_equal(get_again(path, &login), 304);
        assert_int_equal(get_again("/admin/comments", &login), 200);
    }
}

static json_t *session_of(json_t *person, size_t index)
{
    return json_array_get(json_object_get(person, "sessions"), index);
}

static void test_a_person_s_trials_stand_in_order(void **state)
{
    (void)state;
    struct login login = log_in();
    json_t *person = get_person(0, &login);
    json_t *session = session_of(person, 0), *trials = json_object_get(session, "trials");
    json_t *trial = NULL;
    size_t place = 0, repeats = 0, checks = 0, revised = 0;
    assert_string_equal(json_string_value(json_object_get(person, "annotator")), annotator(0));
    /* One for practice, which counts nowhere. */
    assert_int_equal(json_array_size(trials),
                     json_integer_value(json_object_get(session, "answers")) + 1);
    assert_true(json_is_true(json_object_get(json_array_get(trials, 0), "practice")));
    json_array_remove(trials, 0);
    json_array_foreach(trials, place, trial)
    {
        assert_int_equal(json_integer_value(json_object_get(trial, "trial")), place);
        assert_true(json_number_value(json_object_get(trial, "seconds")) > 0);
        assert_true(json_string_length(json_object_get(trial, "answer")) > 0);
        repeats += json_is_true(json_object_get(trial, "repeat"));
        checks += json_is_true(json_object_get(trial, "check"));
        revised += json_integer_value(json_object_get(trial, "revisions")) > 1;
        if (json_is_true(json_object_get(trial, "check")))
            assert_true(json_is_true(json_object_get(trial, "right")));
        else
            assert_true(json_is_null(json_object_get(trial, "right")));
    }
    assert_int_equal(repeats, 1);
    assert_int_equal(checks, 1);
    assert_int_equal(revised, 1); /* person 0 changed an answer: the last one stands, once */
    json_decref(person);
}

static void test_a_person_s_view_says_why_they_would_be_excluded(void **state)
{
    (void)state;
    struct login login = log_in();
    static const struct {
        size_t person;
        const char *rule;
    } cases[] = {{3, "collins2022-as-published"}, {4, "peterson2019"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *person = get_person(cases[i].person, &login), *rule = NULL;
        size_t place = 0, held = 0;
        json_array_foreach(json_object_get(json_object_get(person, "quality"), "rules"), place,
                           rule)
        {
            if (strcmp(json_string_value(json_object_get(rule, "rule")), cases[i].rule) == 0)
                held += json_is_string(json_object_get(rule, "reason"));
        }
        assert_int_equal(held, 1);
        assert_true(json_is_string(json_object_get(session_of(person, 0), "excluded")));
        json_decref(person);
    }
}

/* Somebody whose answers do not count has a view all the same; nobody else has one. */
static void test_people_without_counting_answers_can_be_looked_at(void **state)
{
    (void)state;
    struct login login = log_in();
    json_t *person = get_person(9, &login);
    assert_true(json_is_null(json_object_get(person, "quality")));
    assert_int_equal(json_array_size(json_object_get(session_of(person, 0), "trials")), 2);
    json_decref(person);
    static const char *const others[] = {"/admin/person/000000000000",
                                         "/admin/person/x",
                                         "/admin/person/%20",
                                         "/admin/item/99",
                                         "/admin/item/-1",
                                         "/admin/item/x"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(get(others[i], login.cookie), 404);
}

static void test_comments_name_nobody(void **state)
{
    (void)state;
    struct login login = log_in();
    json_t *comments = get_json("/admin/comments", &login), *comment = NULL;
    assert_non_null(strstr(scene_body(reply), "[removed]"));
    assert_null(strchr(scene_body(reply), '@'));
    size_t place = 0, found = 0;
    char name[SL_STUDY_ANNOTATOR_TEXT];
    memcpy(name, annotator(6), sizeof name);
    json_array_foreach(json_object_get(comments, "comments"), place, comment)
    {
        found += strcmp(json_string_value(json_object_get(comment, "annotator")), name) == 0;
    }
    assert_int_equal(found, 1);
    json_decref(comments);
    json_t *person = get_person(6, &login);
    char *text = json_dumps(json_object_get(session_of(person, 0), "debrief"), JSON_ENCODE_ANY);
    assert_non_null(strstr(text, "[removed]"));
    free(text);
    json_decref(person);
}

/* An item's own view and its line in the status are of the same answers. */
static void test_an_item_s_answers_are_those_of_the_status(void **state)
{
    (void)state;
    struct login login = log_in();
    json_t *status = get_json("/admin/status", &login), *line = NULL;
    size_t place = 0, answers = 0;
    json_array_foreach(json_object_get(status, "items"), place, line)
    {
        char path[64];
        const json_int_t number = json_integer_value(json_object_get(line, "number"));
        snprintf(path, sizeof path, "/admin/item/%d", (int)number);
        json_t *item = get_json(path, &login), *one = NULL;
        static const char *const same[] = {"id",    "label",   "entropy", "disagreement",
                                           "truth", "seconds", "answers"};
        for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
            json_t *here = json_object_get(item, same[i]), *there = json_object_get(line, same[i]);
            assert_true((!here && !there) || json_equal(here, there));
        }
        const double entropy = json_number_value(json_object_get(item, "entropy"));
        const double between = json_number_value(json_object_get(item, "disagreement"));
        assert_true(between >= 0 && between <= entropy + 1e-9);
        size_t at = 0, first = 0;
        json_array_foreach(json_object_get(item, "each"), at, one)
        {
            first += json_is_false(json_object_get(one, "repeat")) &&
                     json_is_false(json_object_get(one, "second_run")) &&
                     json_is_array(json_object_get(one, "label"));
        }
        assert_int_equal(first, json_integer_value(json_object_get(item, "answers")));
        answers += first;
        json_decref(item);
    }
    assert_true(answers > 20);
    json_decref(status);
}

/* ---- Labels ---- */

static char *read_file(const char *path, size_t *length)
{
    struct sl_buffer file;
    struct sl_error err;
    sl_buffer_init(&file, 1 << 24);
    assert_ok(sl_file_read(path, &file, &err), err);
    *length = file.length;
    return file.data;
}

/* What `softlab labels` does with the exported answers. */
static struct sl_rows *labels_of_export(const struct sl_label_method *method)
{
    struct sl_error err;
    struct sl_buffer text;
    struct sl_answers *answers = NULL;
    struct sl_rows *rows = NULL;
    struct sl_label_notes notes = {0};
    struct sl_label_options options = sl_label_options_default();
    options.seed = 1;
    options.notes = &notes;
    sl_buffer_init(&text, 1 << 24);
    assert_ok(sample_try_export(&sample, "answers", &text, &err), err);
    assert_ok(sl_file_write(test_path("answers.jsonl"), text.data, text.length, &err), err);
    sl_buffer_release(&text);
    assert_ok(sl_answers_load(test_path("answers.jsonl"), NULL, &answers, &err), err);
    assert_ok(sl_labels_build(method, answers, &options, &rows, &err), err);
    sl_answers_destroy(answers);
    return rows;
}

static ssize_t download(const char *method, const char *form, const struct login *login)
{
    char request[1024];
    snprintf(request, sizeof request,
             "GET /admin/labels/%s.%s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%s\r\n", method,
             form, login->cookie);
    ssize_t length = scene_ask(&scene, request, reply, sizeof reply);
    assert_int_equal(scene_status(reply), 200);
    return length;
}

static void test_labels_are_those_of_the_exported_answers(void **state)
{
    (void)state;
    struct login login = log_in();
    json_t *status = get_json("/admin/status", &login), *listed = NULL;
    json_t *methods = json_object_get(json_object_get(status, "study"), "labels");
    size_t place = 0, length = 0;
    struct sl_error err;
    assert_true(json_array_size(methods) > 5); /* collins and bars: soft and dist */
    json_array_foreach(methods, place, listed)
    {
        const char *name = json_string_value(json_object_get(listed, "name"));
        scene_stop(&scene);
        struct sl_rows *expected = labels_of_export(sl_label_method_find(name)), *got = NULL;
        scene_start(&scene);
        assert_ok(sl_rows_write(expected, "labels", test_path("labels.csv"), &err), err);
        char *csv = read_file(test_path("labels.csv"), &length);
        const size_t size = body_of(download(name, "csv", &login));
        assert_int_equal(size, length);
        assert_memory_equal(reply, csv, length);
        free(csv);
        const size_t npz = body_of(download(name, "npz", &login));
        assert_ok(sl_file_write(test_path("labels.npz"), reply, npz, &err), err);
        assert_ok(sl_rows_read(test_path("labels.npz"), "labels", &got, &err), err);
        assert_int_equal(got->n_rows, expected->n_rows);
        assert_memory_equal(got->values, expected->values,
                            got->n_rows * got->n_classes * sizeof *got->values);
        for (size_t i = 0; i < got->n_rows; i++)
            assert_string_equal(got->items[i], expected->items[i]);
        sl_rows_destroy(got);
        sl_rows_destroy(expected);
    }
    json_decref(status);
}

static void test_only_methods_that_read_the_study_make_labels(void **state)
{
    (void)state;
    struct login login = log_in();
    static const char *const none[] = {"/admin/labels/mix.csv",         "/admin/labels/random.csv",
                                       "/admin/labels/t2-semantic.csv", "/admin/labels/t2-clamp",
                                       "/admin/labels/t2-clamp.json",   "/admin/labels/.csv",
                                       "/admin/labels/..%2fstudy.csv",  "/admin/labels/x.npz"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(get(none[i], login.cookie) == 404 || scene_status(reply) == 400);
    assert_int_equal(get("/admin/labels/t2-clamp.csv", login.cookie), 200);
    assert_non_null(strstr(reply, "filename=\"labels-t2-clamp.csv\""));
    scene_stop(&scene);
    char *changes = sample_export(&sample, "changes", NULL);
    assert_non_null(strstr(changes, "labels-t2-clamp.csv"));
    free(changes);
    /* Nothing is left of the files they were made in. */
    char **names = NULL;
    struct sl_error err;
    assert_ok(sl_folder_list(sample.study->folder, &names, NULL, &err), err);
    for (char **name = names; *name; name++)
        assert_null(strstr(*name, "export"));
    sl_names_destroy(names);
}

static void test_views_are_for_those_who_logged_in(void **state)
{
    (void)state;
    static const char *const guarded[] = {"/admin/person/000000000000", "/admin/item/0",
                                          "/admin/comments", "/admin/labels/share.csv"};
    for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++)
        assert_int_equal(get(guarded[i], ""), 401);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(test_a_status_is_made_once_per_commit),
        WITH_SERVER(test_a_status_is_made_again_after_a_minute),
        WITH_SERVER(test_every_view_has_a_tag_of_its_own),
        WITH_SERVER(test_a_person_s_trials_stand_in_order),
        WITH_SERVER(test_a_person_s_view_says_why_they_would_be_excluded),
        WITH_SERVER(test_people_without_counting_answers_can_be_looked_at),
        WITH_SERVER(test_comments_name_nobody),
        WITH_SERVER(test_an_item_s_answers_are_those_of_the_status),
        WITH_SERVER(test_labels_are_those_of_the_exported_answers),
        WITH_SERVER(test_only_methods_that_read_the_study_make_labels),
        WITH_SERVER(test_views_are_for_those_who_logged_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
