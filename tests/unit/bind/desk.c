#include "softlab/bind.h"

#include "softlab/base/json.h"
#include "support.h"

static struct sl_error err;

static struct sl_desk *desk_of(size_t threads)
{
    struct sl_desk *desk = NULL;
    assert_ok(sl_desk_create(threads, NULL, "data", &desk, &err), err);
    return desk;
}

/* Four items, three annotators; the third says the other class of every item but the last. */
enum { ANSWERS = 12 };
static const uint32_t items[ANSWERS] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
static const uint32_t people[ANSWERS] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
static const uint32_t labels[ANSWERS] = {0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1};
static const size_t sizes[3] = {4, 3, 2};
static const char item_names[] = "a\0b\0c\0d", people_names[] = "x\0y\0z",
                  class_names[] = "cat\0dog";

static const struct sl_joined_names no_names[3];

static enum sl_status lend_votes(struct sl_desk *desk)
{
    const uint32_t *const codes[] = {items, people, labels};
    const struct sl_joined_names names[] = {{item_names, sizeof item_names},
                                            {people_names, sizeof people_names},
                                            {class_names, sizeof class_names}};
    return sl_desk_lend_votes(desk, "votes", ANSWERS, codes, sizes, names, &err);
}

static void test_lent_votes_are_aggregated(void **state)
{
    (void)state;
    const char *words[] = {"votes", "--method", "ds"};
    for (size_t threads = 1; threads <= 3; threads++) {
        struct sl_desk *desk = desk_of(threads);
        struct sl_desk_result *result = NULL;
        const char *type = NULL;
        size_t n = 0, shape[SL_RESULT_DIMENSIONS], bytes = 0;
        assert_ok(lend_votes(desk), err);
        sl_desk_keep_confusions(desk, true);
        assert_ok(sl_desk_do(desk, "labels", words, 3, &result, &err), err);
        sl_desk_destroy(desk); /* the result does not need it */
        const float *rows = sl_desk_result_array(result, "rows", &type, &n, shape);
        assert_non_null(rows);
        assert_string_equal(type, "<f4");
        assert_int_equal(n, 2);
        assert_int_equal(shape[0], 4);
        assert_int_equal(shape[1], 2);
        assert_true(rows[0] > 0.9F && rows[3] > 0.9F && rows[4] > 0.9F && rows[7] > 0.5F);
        const float *confusion = sl_desk_result_array(result, "confusion", &type, &n, shape);
        assert_non_null(confusion);
        assert_int_equal(n, 3);
        assert_true(confusion[2 * 4 + 1] > 0.5F); /* z says dog where it is cat */
        const char *names = sl_desk_result_texts(result, "annotators", &bytes);
        assert_int_equal(bytes, sizeof people_names);
        assert_memory_equal(names, people_names, bytes);
        assert_non_null(sl_desk_result_json(result));
        assert_null(sl_desk_result_array(result, "pixels", &type, &n, shape));
        sl_desk_result_destroy(result);
    }
}

static void test_lent_rows_are_compared_and_stay_as_they_are(void **state)
{
    (void)state;
    const float a[] = {0.9F, 0.1F, 0.2F, 0.8F}, b[] = {0.1F, 0.9F, 0.8F, 0.2F};
    const char *words[] = {"mine", "theirs", "--json"};
    struct sl_desk *desk = desk_of(1);
    struct sl_desk_result *result = NULL;
    const struct sl_joined_names mine[] = {{"i\0j", 4}, {"cat\0dog", 8}};
    const struct sl_joined_names theirs[] = {{"i\0j", 4}, {"dog\0cat", 8}};
    assert_ok(sl_desk_lend_rows(desk, "mine", a, (size_t[]){2, 2}, mine, &err), err);
    assert_ok(sl_desk_lend_rows(desk, "theirs", b, (size_t[]){2, 2}, theirs, &err), err);
    assert_ok(sl_desk_do(desk, "compare", words, 3, &result, &err), err);
    assert_non_null(strstr(sl_desk_result_json(result), "\"top1_agreement\":1.0"));
    assert_near(b[0], 0.1F, 0); /* its columns were matched in a copy */
    sl_desk_result_destroy(result);
    sl_desk_destroy(desk);
}

static void test_wrong_calls_say_what_is_wrong(void **state)
{
    (void)state;
    const float values[4] = {0};
    const uint32_t wrong[ANSWERS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};
    const uint32_t *const codes[] = {items, people, wrong};
    const struct sl_joined_names short_names[] = {{"only", 5}, {NULL, 0}};
    const struct sl_joined_names open_names[] = {{NULL, 0}, {"no end", 6}};
    const size_t two[] = {2, 2};
    const char *words[] = {"--method"};
    struct sl_desk *desk = desk_of(1);
    struct sl_desk_result *result = NULL;
    assert_fails(sl_desk_lend_rows(desk, "mine", values, two, short_names, &err), SL_ERR_USAGE, err,
                 "2 rows have 1 names");
    assert_fails(sl_desk_lend_rows(desk, "mine", values, two, open_names, &err), SL_ERR_USAGE, err,
                 "2 classes have 0 names");
    assert_fails(sl_desk_lend_votes(desk, "v", ANSWERS, codes, sizes, no_names, &err), SL_ERR_INPUT,
                 err, "11");
    assert_fails(sl_desk_do(desk, "lables", words, 1, &result, &err), SL_ERR_NOT_FOUND, err,
                 "labels");
    assert_fails(sl_desk_do(desk, "labels", words, 1, &result, &err), SL_ERR_USAGE, err,
                 "--method");
    assert_fails(sl_desk_open(desk, "nowhere/", &result, &err), SL_ERR_NOT_FOUND, err, "nowhere");
    assert_fails(sl_desk_network(desk, "nowhere", &result, &err), SL_ERR_NOT_FOUND, err, "nowhere");
    assert_null(result);
    sl_desk_destroy(desk);
}

static void test_lent_votes_are_measured(void **state)
{
    (void)state;
    const uint32_t chosen[] = {0, 1, 0, UINT32_MAX};
    struct sl_desk *desk = desk_of(1);
    struct sl_desk_result *result = NULL;
    const char *type = NULL;
    size_t n = 0, shape[SL_RESULT_DIMENSIONS];
    assert_ok(lend_votes(desk), err);
    assert_ok(sl_desk_measure(desk, "votes", "accuracy-of-annotators", NULL, chosen, &result, &err),
              err);
    const double *figures = sl_desk_result_array(result, "figures", &type, &n, shape);
    assert_int_equal(n * 10 + shape[0], 13);
    assert_near(figures[0], 1, 0);
    assert_near(figures[2], 0, 0);
    assert_non_null(strstr(sl_desk_result_json(result), "0.66666"));
    sl_desk_result_destroy(result);
    assert_fails(sl_desk_measure(desk, "votes", "accuracy", NULL, NULL, &result, &err),
                 SL_ERR_USAGE, err, "needs the chosen class");
    assert_fails(sl_desk_measure(desk, "votes", "alfa", NULL, NULL, &result, &err),
                 SL_ERR_NOT_FOUND, err, "alpha");
    assert_fails(sl_desk_measure(desk, "others", "alpha", NULL, NULL, &result, &err),
                 SL_ERR_NOT_FOUND, err, "others");
    sl_desk_destroy(desk);
}

static void test_datasets_are_arrays(void **state)
{
    (void)state;
    struct sl_desk *desk = desk_of(2);
    struct sl_desk_result *result = NULL;
    const char *type = NULL;
    size_t n = 0, shape[SL_RESULT_DIMENSIONS], bytes = 0;
    assert_ok(sl_desk_open(desk, "shapes:n=5,size=16", &result, &err), err);
    assert_non_null(sl_desk_result_array(result, "pixels", &type, &n, shape));
    assert_string_equal(type, "|u1");
    assert_int_equal(n, 4);
    assert_int_equal(shape[0] * 10000 + shape[1] * 100 + shape[2], 51616);
    assert_non_null(sl_desk_result_array(result, "truth", &type, &n, shape));
    assert_non_null(sl_desk_result_texts(result, "classes", &bytes));
    assert_null(sl_desk_result_texts(result, "texts", &bytes));
    assert_null(sl_desk_result_json(result));
    sl_desk_result_destroy(result);
    sl_desk_destroy(desk);
}

struct heard {
    struct sl_desk *desk;
    size_t n_lines, n_progress;
};

static void hear_line(void *context, int level, const char *line)
{
    struct heard *heard = context;
    assert_true(level >= 0 && level <= 3 && line[0]);
    heard->n_lines++;
}

static void hear_progress(void *context, const char *label, const char *unit, uint64_t done,
                          uint64_t total, bool ended)
{
    struct heard *heard = context;
    assert_true(label[0] && unit[0] && done <= total);
    heard->n_progress += !ended;
    sl_desk_stop(heard->desk);
}

static void test_a_task_is_heard_and_stopped(void **state)
{
    (void)state;
    const char *words[] = {"--data", "shapes:n=32", "--network",          "resnet8", "--recipe",
                           "quick",  "--output",    test_path("stopped"), "--set",   "epochs=3"};
    struct heard heard = {.desk = desk_of(2)};
    struct sl_desk_result *result = NULL;
    sl_desk_listen(heard.desk, hear_line, hear_progress, &heard);
    /* The first sign of progress asks for the end; a training ends with a checkpoint. */
    assert_fails(sl_desk_do(heard.desk, "train", words, 10, &result, &err), SL_ERR_STOPPED, err,
                 "stopped");
    assert_true(heard.n_lines > 0 && heard.n_progress > 0);
    sl_desk_listen(heard.desk, NULL, NULL, NULL);
    /* An interrupt that comes just before the task ends it too. */
    sl_desk_stop(heard.desk);
    assert_fails(sl_desk_do(heard.desk, "train", words, 10, &result, &err), SL_ERR_STOPPED, err,
                 "stopped");
    assert_ok(sl_desk_do(heard.desk, "train", words, 10, &result, &err), err); /* resumes */
    sl_desk_result_destroy(result);
    sl_desk_destroy(heard.desk);
}

static void test_columns_are_found_by_the_words_of_import(void **state)
{
    (void)state;
    static const char known[] = "time\0choice\0Participant_ID\0photo";
    static const char twice[] = "image\0item\0worker\0label\0task";
    const struct sl_joined_names names = {known, sizeof known}, doubtful = {twice, sizeof twice};
    size_t place[3] = {9, 9, 9};
    assert_ok(sl_bind_columns(&names, 4, place, &err), err);
    assert_int_equal(place[0] * 100 + place[1] * 10 + place[2], 321);
    /* Two columns that could both be the items are no answer. */
    assert_fails(sl_bind_columns(&doubtful, 5, place, &err), SL_ERR_INPUT, err, "item");
    assert_fails(sl_bind_columns(&(struct sl_joined_names){NULL, 0}, 2, place, &err), SL_ERR_INPUT,
                 err, "found 0");
}

static void test_values_are_numbered_by_first_appearance(void **state)
{
    (void)state;
    enum { COUNT = 600000, DIFFERENT = 70000 };
    uint64_t *values = sl_alloc(COUNT, sizeof *values), *firsts = sl_alloc(COUNT, sizeof *firsts);
    uint32_t *codes = sl_alloc(COUNT, sizeof *codes);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (uint64_t)(i * i % DIFFERENT) << 40 | 7;
    for (size_t threads = 1; threads <= 3; threads++) {
        struct sl_desk *desk = desk_of(threads);
        size_t n_different = 0, next = 0;
        assert_ok(sl_desk_number(desk, values, COUNT, codes, firsts, &n_different, &err), err);
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(codes[i] <= next); /* numbers appear in order */
            if (codes[i] == next) assert_int_equal(firsts[next++], i);
            assert_int_equal(values[firsts[codes[i]]], values[i]);
        }
        assert_int_equal(next, n_different);
        assert_ok(sl_desk_number(desk, values, 0, codes, firsts, &n_different, &err), err);
        assert_int_equal(n_different, 0);
        sl_desk_destroy(desk);
    }
    free(values);
    free(firsts);
    free(codes);
}

static void test_the_tables_are_described(void **state)
{
    (void)state;
    char *text = NULL;
    assert_int_equal(sl_bind_version(), SL_BIND_VERSION);
    assert_string_equal(sl_bind_program_version(), sl_version());
    assert_ok(sl_bind_describe(&text, &err), err);
    json_t *all = json_loads(text, 0, NULL);
    assert_non_null(all);
    static const char *const keys[] = {"tasks", "methods", "metrics", "formats"};
    for (size_t i = 0; i < 4; i++)
        assert_true(json_array_size(json_object_get(all, keys[i])) > 5);
    json_decref(all);
    sl_bind_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lent_votes_are_aggregated),
        cmocka_unit_test(test_lent_rows_are_compared_and_stay_as_they_are),
        cmocka_unit_test(test_wrong_calls_say_what_is_wrong),
        cmocka_unit_test(test_lent_votes_are_measured),
        cmocka_unit_test(test_datasets_are_arrays),
        cmocka_unit_test(test_a_task_is_heard_and_stopped),
        cmocka_unit_test(test_columns_are_found_by_the_words_of_import),
        cmocka_unit_test(test_values_are_numbered_by_first_appearance),
        cmocka_unit_test(test_the_tables_are_described),
    };
    return cmocka_run_group_tests(tests, test_folder_clear, test_folder_clear);
}
