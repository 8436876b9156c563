#include "softlab/answer.h"
#include "support.h"

#define HEADER "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"cat\",\"dog\",\"deer\"]}\n"

struct heard {
    char first[300];
    size_t count;
};

static void hear(void *context, enum sl_log_level level, const char *line)
{
    struct heard *heard = context;
    (void)level;
    if (heard->count++ == 0) snprintf(heard->first, sizeof heard->first, "%s", line);
}

static const char *write_file(const char *name, const char *text)
{
    const char *path = test_path(name);
    test_write(path, text, strlen(text));
    return path;
}

static struct sl_answers *read_answers(const char *path, struct sl_import_notes *notes)
{
    struct sl_error err;
    struct sl_answers *answers = NULL;
    assert_ok(sl_answers_read(path, &answers, notes, &err), err);
    return answers;
}

static void assert_field(struct sl_field value, const char *expected)
{
    assert_int_equal(value.length, strlen(expected));
    if (value.length > 0) assert_memory_equal(value.text, expected, value.length);
}

static void test_every_kind_and_key_is_read(void **state)
{
    (void)state;
    static const char text[] = HEADER
        "{\"item\":\"1128\",\"annotator\":\"a17\",\"kind\":\"soft\",\"top\":[[\"deer\",0.7],"
        "[\"dog\",null]],\"impossible\":[\"cat\"],\"ms\":31960,\"trial\":6,\"repeat\":false}\n"
        "{\"item\":\"7\",\"kind\":\"hard\",\"class\":\"dog\",\"annotator\":null,\"check\":true,"
        "\"truth\":\"cat\",\"batch\":\"b1\",\"study\":\"s\",\"second_run\":true}\r\n"
        " { \"kind\" : \"select\", \"top\":[\"dog\",\"cat\"] , \"item\":\"a\\u00e9\\\"\","
        "\"raw\":[\"70\",null],\"confidence\":0.5,\"inputs\":{\"top\":[1200,{}]},\"ms\":null}\n"
        "{\"item\":\"d\",\"kind\":\"dist\",\"dist\":[0.1,0.2,0.7]}\n"
        "{\"item\":\"m\",\"kind\":\"mix\",\"endpoints\":[\"cat\",\"deer\"],\"lambda\":0.26,"
        "\"confidence\":0.9,\"generated\":0.5}";
    struct sl_import_notes notes = {0};
    struct sl_answers *answers = read_answers(write_file("all.jsonl", text), &notes);
    struct sl_answer answer;
    assert_int_equal(answers->count, 5);
    assert_int_equal(notes.n_read, 5);
    assert_int_equal(notes.n_skipped, 0);
    sl_answers_get(answers, 0, &answer);
    assert_field(answer.annotator, "a17");
    assert_int_equal(answer.kind, SL_ANSWER_SOFT);
    assert_int_equal(answer.n_top, 2);
    assert_near(answer.top[0].probability, .7f, 0);
    assert_true(isnan(answer.top[1].probability));
    assert_int_equal(answer.impossible[0], 0);
    assert_near(answer.ms, 31960, 0);
    assert_int_equal(answer.trial, 6);
    assert_int_equal(answer.flags, 0);
    sl_answers_get(answers, 1, &answer);
    assert_int_equal(answer.annotator.length, 0);
    assert_int_equal(answer.top[0].class_index, 1);
    assert_int_equal(answer.flags, SL_ANSWER_CHECK | SL_ANSWER_SECOND_RUN);
    assert_int_equal(answer.truth, 0);
    assert_field(answer.batch, "b1");
    assert_field(answer.study, "s");
    sl_answers_get(answers, 2, &answer);
    assert_field(answer.item, "a\xC3\xA9\"");
    assert_int_equal(answer.kind, SL_ANSWER_SELECT);
    assert_int_equal(answer.top[1].class_index, 0);
    assert_field(answer.raw[0], "70");
    assert_field(answer.raw[1], "");
    assert_field(answer.inputs, "{\"top\":[1200,{}]}");
    assert_near(answer.mix.confidence, .5f, 0);
    sl_answers_get(answers, 3, &answer);
    assert_near(answer.distribution[2], .7f, 0);
    sl_answers_get(answers, 4, &answer);
    assert_int_equal(answer.mix.b, 2);
    assert_near(answer.mix.lambda, .26f, 0);
    assert_near(answer.mix.generated, .5f, 0);
    sl_answers_destroy(answers);
}

static void copy_answers(const struct sl_answers *answers, const char *path)
{
    struct sl_error err;
    struct sl_answer_writer *writer = NULL;
    assert_ok(sl_answer_writer_create(path, &writer, &err), err);
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    assert_ok(
        sink.begin(sink.context, (const char *const *)answers->classes, answers->n_classes, &err),
        err);
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        assert_ok(sink.put(sink.context, &answer, &err), err);
    }
    assert_ok(sl_answer_writer_commit(writer, &err), err);
    sl_answer_writer_destroy(writer);
}

static void test_what_is_written_is_read_back_byte_by_byte(void **state)
{
    (void)state;
    static const char text[] = HEADER
        "{\"item\":\"1\",\"annotator\":\"a\\u0001\\\"\\\\\",\"kind\":\"soft\",\"top\":[[\"deer\","
        "0.7],[\"dog\",null],[\"cat\",150]],\"impossible\":[\"cat\",\"dog\"],\"ms\":31960.5,"
        "\"trial\":6}\n"
        "{\"item\":\"\xC3\xA9\",\"kind\":\"hard\",\"class\":\"dog\",\"repeat\":true,"
        "\"second_run\":true,\"check\":true,\"truth\":\"cat\",\"batch\":\"b\",\"study\":\"s\"}\n"
        "{\"item\":\"x\",\"kind\":\"select\",\"top\":[\"dog\",\"cat\"],\"confidence\":0.5,"
        "\"raw\":[\"70\",\"8p\"],\"inputs\":{\"top\":[1200,{}]}}\n"
        "{\"item\":\"d\",\"kind\":\"dist\",\"dist\":[0.1,0.2,0.7]}\n"
        "{\"item\":\"m\",\"kind\":\"mix\",\"endpoints\":[\"cat\",\"deer\"],\"lambda\":0.26,"
        "\"generated\":0.5,\"confidence\":0.9}\n";
    struct sl_answers *answers = read_answers(write_file("in.jsonl", text), NULL);
    copy_answers(answers, test_path("out.jsonl"));
    struct sl_buffer copy;
    struct sl_error err;
    sl_buffer_init(&copy, 10000);
    assert_ok(sl_file_read(test_path("out.jsonl"), &copy, &err), err);
    assert_string_equal(copy.data, text);
    sl_buffer_release(&copy);
    sl_answers_destroy(answers);
}

static void test_bad_headers_stop_with_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "h.jsonl: empty"},
        {"\n", "h.jsonl:1:"},
        {"{\"softlab\":\"labels\",\"version\":1,\"classes\":[\"a\"]}\n", "expected \"answers\""},
        {"{\"softlab\":\"answers\",\"version\":2,\"classes\":[\"a\"]}\n", "$.version"},
        {"{\"softlab\":\"answers\",\"version\":1}\n", "classes"},
        {"{\"softlab\":\"answers\",\"version\":1,\"classes\":[]}\n", "at least one class"},
        {"{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"a\",\"a\"]}\n", "two classes"},
        {"{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"\"]}\n", "empty name"},
        {"{\"softlab\":\"answers\",\"version\":1,\"classes\":[1]}\n", "$.classes[0]"},
        {"{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"a\"],\"k\":1}\n", "\"k\""},
        {"\xEF\xBB\xBF{\"softlab\":\"answers\"}\n", "byte order mark"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"a\"}\n", "softlab"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_answers *answers = NULL;
        assert_fails(sl_answers_read(write_file("h.jsonl", cases[i].text), &answers, NULL, &err),
                     SL_ERR_INPUT, err, cases[i].message);
        assert_null(answers);
    }
}

static void test_malformed_answers_stop_with_file_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"", "m.jsonl:3: empty line"},
        {"[]", "m.jsonl:3: column 1: expected an object"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cow\"}",
         "m.jsonl:3: column 35: unknown class \"cow\""},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"klass\":\"cat\"}", "unknown key \"klass\""},
        {"{\"item\":\"1\",\"item\":\"2\",\"kind\":\"hard\"}", "a second key \"item\""},
        {"{\"item\":\"1\",\"kind\":\"herd\"}", "unknown kind \"herd\""},
        {"{\"item\":\"1\",\"class\":\"cat\"}", "no key \"kind\""},
        {"{\"kind\":\"hard\",\"class\":\"cat\"}", "no key \"item\""},
        {"{\"item\":\"\",\"kind\":\"hard\",\"class\":\"cat\"}", "empty name"},
        {"{\"item\":1128,\"kind\":\"hard\",\"class\":\"cat\"}", "expected a string"},
        {"{\"item\":null,\"kind\":\"hard\",\"class\":\"cat\"}", "expected a string"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"top\":[\"cat\"]}",
         "key \"top\" does not belong to an answer of kind hard"},
        {"{\"item\":\"1\",\"kind\":\"soft\",\"top\":[[\"cat\",\"8p\"]]}", "expected a number"},
        {"{\"item\":\"1\",\"kind\":\"soft\",\"top\":[[\"cat\",NaN]]}", "expected a number"},
        {"{\"item\":\"1\",\"kind\":\"soft\",\"top\":[[\"cat\",1e39]]}", "expected a number up to"},
        {"{\"item\":\"1\",\"kind\":\"soft\",\"top\":[\"cat\"]}", "needs [class, probability]"},
        {"{\"item\":\"1\",\"kind\":\"select\",\"top\":[[\"cat\",1]]}", "may have only classes"},
        {"{\"item\":\"1\",\"kind\":\"dist\",\"dist\":[0.5,0.5]}", "expected 3 numbers"},
        {"{\"item\":\"1\",\"kind\":\"dist\",\"dist\":[0,0,0]}", "sum above 0"},
        {"{\"item\":\"1\",\"kind\":\"dist\",\"dist\":[0.5,-0.5,1]}", "a number of at least 0"},
        {"{\"item\":\"1\",\"kind\":\"mix\",\"lambda\":0.5}", "no key \"endpoints\""},
        {"{\"item\":\"1\",\"kind\":\"mix\",\"endpoints\":[\"cat\"],\"lambda\":0.5}", "','"},
        {"{\"item\":\"1\",\"kind\":\"mix\",\"endpoints\":[\"cat\",\"dog\"],\"lambda\":1.5}",
         "expected a number from 0 to 1, got 1.5"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\",\"ms\":-1}",
         "a number from 0 to 1e+15, got -1"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\",\"ms\":1e300}",
         "a number from 0 to 1e+15, got 1e+300"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\",\"trial\":1.5}", "an integer"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\",\"repeat\":1}", "true or false"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\",\"truth\":\"cow\"}", "\"cow\""},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\",\"raw\":[\"1\"]}", "','"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\",\"inputs\":[]}", "an object"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\",\"inputs\":{\"a\":1,\"a\":2}}",
         "already has this key"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\"} x", "after the end"},
        {"{\"item\":\"1\",\"kind\":\"hard\",\"class\":\"cat\"", "expected ',' or '}'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_answers *answers = NULL;
        char text[1000];
        snprintf(text, sizeof text,
                 HEADER "{\"item\":\"0\",\"kind\":\"hard\",\"class\":\"cat\"}\n%s\n",
                 cases[i].line);
        assert_fails(sl_answers_read(write_file("m.jsonl", text), &answers, NULL, &err),
                     SL_ERR_INPUT, err, cases[i].message);
        assert_null(answers);
    }
}

static void test_an_answer_without_a_class_is_skipped_and_counted(void **state)
{
    (void)state;
    static const char text[] =
        HEADER "{\"item\":\"1\",\"kind\":\"hard\",\"class\":null}\n"
               "{\"item\":\"2\",\"kind\":\"hard\"}\n"
               "{\"item\":\"3\",\"kind\":\"soft\",\"top\":[],\"impossible\":[\"cat\"]}\n"
               "{\"item\":\"4\",\"kind\":\"select\",\"top\":null}\n"
               "{\"item\":\"5\",\"kind\":\"dist\",\"dist\":null}\n"
               "{\"item\":\"6\",\"kind\":\"mix\",\"endpoints\":[\"cat\",\"dog\"],\"lambda\":null}\n"
               "{\"item\":\"7\",\"kind\":\"hard\",\"class\":\"cat\"}\n";
    struct heard heard = {0};
    struct sl_log log = {.level = SL_LOG_WARNING, .write = hear, .context = &heard};
    struct sl_import_notes notes = {.log = &log};
    struct sl_answers *answers = read_answers(write_file("s.jsonl", text), &notes);
    assert_int_equal(answers->count, 1);
    assert_int_equal(sl_name_table_count(answers->items), 1);
    assert_int_equal(notes.n_read, 7);
    assert_int_equal(notes.n_skipped, 6);
    assert_int_equal(heard.count, 5);
    assert_non_null(strstr(heard.first, "s.jsonl:2: skipped: the answer names no class"));
    sl_answers_destroy(answers);
}

static void test_probabilities_are_kept_as_given(void **state)
{
    (void)state;
    static const char text[] =
        HEADER "{\"item\":\"1\",\"kind\":\"soft\",\"top\":[[\"cat\",1e9],[\"dog\",-0.5]]}\n";
    struct sl_answers *answers = read_answers(write_file("p.jsonl", text), NULL);
    struct sl_answer answer;
    sl_answers_get(answers, 0, &answer);
    assert_near(answer.top[0].probability, 1e9f, 0);
    assert_near(answer.top[1].probability, -.5f, 0);
    sl_answers_destroy(answers);
}

static void test_duplicates_are_kept_and_counted_unless_marked(void **state)
{
    (void)state;
    static const char text[] = HEADER
        "{\"item\":\"1\",\"annotator\":\"a\",\"kind\":\"hard\",\"class\":\"cat\"}\n"
        "{\"item\":\"2\",\"annotator\":\"a\",\"kind\":\"hard\",\"class\":\"cat\"}\n"
        "{\"item\":\"1\",\"annotator\":\"b\",\"kind\":\"hard\",\"class\":\"cat\"}\n"
        "{\"item\":\"1\",\"annotator\":\"a\",\"kind\":\"hard\",\"class\":\"dog\"}\n"
        "{\"item\":\"1\",\"annotator\":\"b\",\"kind\":\"hard\",\"class\":\"cat\",\"repeat\":true}\n"
        "{\"item\":\"2\",\"kind\":\"hard\",\"class\":\"cat\"}\n"
        "{\"item\":\"2\",\"kind\":\"hard\",\"class\":\"cat\"}\n";
    struct heard heard = {0};
    struct sl_log log = {.level = SL_LOG_WARNING, .write = hear, .context = &heard};
    struct sl_import_notes notes = {.log = &log};
    struct sl_answers *answers = read_answers(write_file("d.jsonl", text), &notes);
    assert_int_equal(answers->count, 7);
    assert_int_equal(notes.n_duplicates, 1);
    assert_non_null(strstr(heard.first, "a answered item 1 more than once"));
    sl_answers_destroy(answers);
}

static void test_a_file_without_answers_is_an_empty_set(void **state)
{
    (void)state;
    struct sl_answers *answers = read_answers(write_file("e.jsonl", HEADER), NULL);
    assert_int_equal(answers->count, 0);
    assert_int_equal(answers->n_classes, 3);
    sl_answers_destroy(answers);
}

/* Longer than the window, and more of them than fit it. */
static void test_long_lines_and_many_of_them_are_read(void **state)
{
    (void)state;
    struct sl_buffer text;
    sl_buffer_init(&text, 64 << 20);
    sl_buffer_text(&text, HEADER);
    for (size_t i = 0; i < 20000; i++) {
        sl_buffer_printf(&text, "{\"item\":\"%zu\",\"kind\":\"hard\",\"class\":\"%s\",\"batch\":\"",
                         i, i % 2 ? "dog" : "cat");
        const size_t length = i == 10000 ? 900000 : i % 50;
        for (size_t k = 0; k < length; k++)
            sl_buffer_byte(&text, 'x');
        sl_buffer_text(&text, "\"}\n");
    }
    test_write(test_path("long.jsonl"), text.data, text.length);
    sl_buffer_release(&text);
    struct sl_answers *answers = read_answers(test_path("long.jsonl"), NULL);
    struct sl_answer answer;
    assert_int_equal(answers->count, 20000);
    sl_answers_get(answers, 10000, &answer);
    assert_int_equal(answer.batch.length, 900000);
    sl_answers_get(answers, 19999, &answer);
    assert_field(answer.item, "19999");
    assert_int_equal(answer.top[0].class_index, 1);
    sl_answers_destroy(answers);
}

static void test_a_line_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers = NULL;
    const size_t length = (size_t)17 << 20;
    char *text = sl_alloc(length + sizeof HEADER, 1);
    memcpy(text, HEADER, sizeof HEADER - 1);
    memset(text + sizeof HEADER - 1, ' ', length);
    test_write(test_path("limit.jsonl"), text, length + sizeof HEADER - 1);
    free(text);
    assert_fails(sl_answers_read(test_path("limit.jsonl"), &answers, NULL, &err), SL_ERR_INPUT, err,
                 "limit.jsonl:2: line is longer than 16777216 bytes");
}

static void test_the_writer_refuses_what_json_cannot_hold(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answer_writer *writer = NULL;
    static const char *const classes[] = {"cat"};
    const struct sl_belief top = {0, NAN};
    struct sl_answer answer = sl_answer_empty();
    assert_ok(sl_answer_writer_create(test_path("w.jsonl"), &writer, &err), err);
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    assert_fails(sl_answer_writer_commit(writer, &err), SL_ERR_USAGE, err,
                 "the classes were not given");
    assert_ok(sink.begin(sink.context, classes, 1, &err), err);
    assert_fails(sink.begin(sink.context, classes, 1, &err), SL_ERR_USAGE, err, "twice");
    answer.n_top = 1;
    answer.top = &top;
    assert_fails(sink.put(sink.context, &answer, &err), SL_ERR_INPUT, err, "no item");
    answer.item = (struct sl_field){"\xFF", 1};
    assert_fails(sink.put(sink.context, &answer, &err), SL_ERR_INPUT, err,
                 "item is not valid UTF-8");
    answer.item = (struct sl_field){"1", 1};
    answer.inputs = (struct sl_field){"{\n}", 3};
    assert_fails(sink.put(sink.context, &answer, &err), SL_ERR_INPUT, err, "one line");
    answer.inputs = (struct sl_field){"[]", 2};
    assert_fails(sink.put(sink.context, &answer, &err), SL_ERR_INPUT, err, "not a JSON object");
    answer.inputs.length = 0;
    answer.ms = HUGE_VAL;
    assert_fails(sink.put(sink.context, &answer, &err), SL_ERR_INPUT, err, "not finite");
    sl_answer_writer_destroy(writer);
    assert_false(sl_file_exists(test_path("w.jsonl")));
    sl_answer_writer_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_and_key_is_read),
        cmocka_unit_test(test_what_is_written_is_read_back_byte_by_byte),
        cmocka_unit_test(test_bad_headers_stop_with_file_and_line),
        cmocka_unit_test(test_malformed_answers_stop_with_file_line_and_column),
        cmocka_unit_test(test_an_answer_without_a_class_is_skipped_and_counted),
        cmocka_unit_test(test_probabilities_are_kept_as_given),
        cmocka_unit_test(test_duplicates_are_kept_and_counted_unless_marked),
        cmocka_unit_test(test_a_file_without_answers_is_an_empty_set),
        cmocka_unit_test(test_long_lines_and_many_of_them_are_read),
        cmocka_unit_test(test_a_line_beyond_the_limit_is_refused),
        cmocka_unit_test(test_the_writer_refuses_what_json_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
