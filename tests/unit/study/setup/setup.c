#include "softlab/dataset.h"
#include "softlab/study.h"
#include "support.h"

/* What a store holds, counted. */
struct seen {
    size_t n_items, n_checks, n_truths, n_batches, n_high, n_low;
    size_t targets;
    json_t *last; /* content; owned */
    char id[200];
};

static enum sl_status see_item(const struct sl_store_item *item, void *context)
{
    struct seen *seen = context;
    seen->n_items++;
    seen->n_checks += item->check;
    seen->n_truths += item->truth != NULL;
    seen->n_high += item->entropy >= 0.25;
    seen->n_low += item->entropy <= 0.1;
    if (item->check) return SL_OK;
    json_decref(seen->last);
    seen->last = json_loads(item->content, 0, NULL);
    snprintf(seen->id, sizeof seen->id, "%s", item->id);
    return SL_OK;
}

static enum sl_status see_batch(const struct sl_store_batch_row *row, void *context)
{
    struct seen *seen = context;
    assert_int_equal(row->batch, seen->n_batches);
    seen->n_batches++;
    seen->targets = row->target;
    return SL_OK;
}

static struct sl_study *open_study(const char *folder, struct seen *seen)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    *seen = (struct seen){0};
    assert_ok(sl_study_read(folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_each_item(store, see_item, seen, &err), err);
    assert_ok(sl_store_each_batch(store, see_batch, seen, &err), err);
    sl_store_close(store);
    return study;
}

static void close_study(struct sl_study *study, struct seen *seen)
{
    json_decref(seen->last);
    sl_study_destroy(study);
}

static size_t batch_size(const struct sl_study *study, size_t batch)
{
    struct sl_store *store = NULL;
    struct sl_error err;
    char **items = NULL;
    size_t count = 0;
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_batch_items(store, batch, &items, &count, &err), err);
    sl_strings_destroy(items, count);
    sl_store_close(store);
    return count;
}

/* folder/<class>/<class><i>.png, `each` per class. */
static void make_images(const char *folder, size_t each)
{
    static const char *const classes[] = {"Cat", "Dog"};
    struct sl_error err;
    for (size_t i = 0; i < 2 * each; i++) {
        char name[64];
        struct sl_image image;
        snprintf(name, sizeof name, "%s/%s", folder, classes[i % 2]);
        assert_ok(sl_folder_create(test_path(name), &err), err);
        snprintf(name, sizeof name, "%s/%s/%s%zu.png", folder, classes[i % 2], classes[i % 2],
                 i / 2);
        assert_ok(sl_image_create(4, 4, 3, &image, &err), err);
        memset(image.pixels, (int)i, (size_t)4 * 4 * 3);
        assert_ok(sl_image_write_png(&image, NULL, test_path(name), &err), err);
        sl_image_release(&image);
    }
}

static char folder_text[512], images_text[512], checks_text[512];

static struct sl_study_setup setup_of(const char *folder, const char *images)
{
    struct sl_study_setup setup = sl_study_setup_default();
    snprintf(folder_text, sizeof folder_text, "%s", test_path(folder));
    setup.folder = folder_text;
    if (!images) return setup;
    snprintf(images_text, sizeof images_text, "%s", test_path(images));
    setup.images = images_text;
    return setup;
}

static void test_a_folder_of_images_becomes_a_study(void **state)
{
    (void)state;
    struct sl_error err;
    struct seen seen;
    make_images("pets", 6);
    make_images("easy", 1);
    struct sl_study_setup setup = setup_of("one", "pets");
    snprintf(checks_text, sizeof checks_text, "%s", test_path("easy"));
    setup.checks = checks_text;
    setup.batch_size = 5;
    setup.annotators = 4;
    setup.recruiter = "prolific";
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    struct sl_study *study = open_study(folder_text, &seen);
    assert_string_equal(study->name, "one");
    assert_int_equal(study->n_classes, 2);
    assert_string_equal(study->classes[0], "Cat");
    assert_int_equal(study->check_every, 10);
    assert_string_equal(study->person, "PROLIFIC_PID");
    assert_int_equal(strlen(study->code_done), 8);
    assert_string_not_equal(study->code_done, study->code_full);
    assert_int_equal(seen.n_items, 14);
    assert_int_equal(seen.n_checks, 2);
    assert_int_equal(seen.n_truths, 14);
    assert_int_equal(seen.n_batches, 3);
    assert_int_equal(seen.targets, 4);
    assert_int_equal(batch_size(study, 0), 5);
    assert_int_equal(batch_size(study, 2), 2);
    char *copy = sl_string_printf("%s/items/%s", folder_text,
                                  json_string_value(json_object_get(seen.last, "image")));
    assert_true(sl_file_exists(copy));
    free(copy);
    static const char *const texts[] = {"consent.md", "instructions.md", "debrief.md"};
    for (size_t i = 0; i < 3; i++) {
        char *path = sl_path_join(folder_text, texts[i]);
        assert_true(sl_file_exists(path));
        free(path);
    }
    close_study(study, &seen);
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "exists already");
}

static void test_texts_keep_their_spans_in_characters(void **state)
{
    (void)state;
    static const char table[] =
        "item\ttext\tlabel\tstart\tend\nb\tother\tY\t0\t5\na\t\xc3\xa4 bc d\tX\t3\t5\n";
    struct sl_error err;
    struct seen seen;
    struct sl_study_setup setup = setup_of("words", NULL);
    test_write(test_path("items.tsv"), table, sizeof table - 1);
    setup.texts = test_path("items.tsv");
    setup.batch_size = 2;
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    struct sl_study *study = open_study(folder_text, &seen);
    assert_int_equal(study->kind, SL_ITEM_TEXTS);
    assert_int_equal(seen.n_items, 2);
    /* The span's three bytes are its second to fourth, which are the characters 2 to 4. */
    assert_string_equal(seen.id, "a");
    const json_t *span = json_object_get(seen.last, "span");
    assert_int_equal(json_integer_value(json_array_get(span, 0)), 2);
    assert_int_equal(json_integer_value(json_array_get(span, 1)), 4);
    close_study(study, &seen);
}

static void test_texts_of_several_lines_stay_one_item_with_line_feeds(void **state)
{
    (void)state;
    /* Two Arabic words before the span, CRLF and CR within the text: bytes 11 to 15 of the file's
     * text are the characters 6 to 8 of what pages show. */
    static const char table[] =
        "item\ttext\tstart\tend\nb\tother\t\t\n"
        "a\t\"\xd9\x86\xd8\xb9\xd9\x85\r\n\"\"x\xd9\x84\xd8\xa7\ry\"\t10\t14\n";
    struct sl_error err;
    struct seen seen;
    struct sl_study_setup setup = setup_of("lines", NULL);
    test_write(test_path("lines.tsv"), table, sizeof table - 1);
    setup.texts = test_path("lines.tsv");
    setup.classes = "X,Y";
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    struct sl_study *study = open_study(folder_text, &seen);
    assert_int_equal(seen.n_items, 2);
    assert_string_equal(seen.id, "a");
    assert_string_equal(json_string_value(json_object_get(seen.last, "text")),
                        "\xd9\x86\xd8\xb9\xd9\x85\n\"x\xd9\x84\xd8\xa7\ny");
    const json_t *span = json_object_get(seen.last, "span");
    assert_int_equal(json_integer_value(json_array_get(span, 0)), 6);
    assert_int_equal(json_integer_value(json_array_get(span, 1)), 8);
    assert_string_equal(study->items_file, "items.tsv");
    close_study(study, &seen);
    static const char blank[] = "text\tlabel\nfine\tX\n \tY\n";
    test_write(test_path("lines.tsv"), blank, sizeof blank - 1);
    setup = setup_of("blank", NULL);
    setup.texts = test_path("lines.tsv");
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err,
                 "lines.tsv:3: the text is blank");
    assert_false(sl_folder_exists(folder_text));
}

static void test_mixtures_keep_what_was_mixed(void **state)
{
    (void)state;
    struct sl_error err;
    struct seen seen;
    struct sl_dataset *set = NULL;
    struct sl_mix_plan plan;
    const struct sl_data_roots roots = {.folder = "."};
    const struct sl_mix_plan_options options = {.pairs_per_class_pair = 2, .seed = 1};
    assert_ok(sl_dataset_open("shapes:n=30,classes=3,size=16", &roots, &set, &err), err);
    assert_ok(sl_mix_plan_create(set, &options, &plan, &err), err);
    assert_ok(sl_mix_write(set, &plan, 5, test_path("mixed"), NULL, &err), err);
    sl_mix_plan_release(&plan);
    sl_dataset_destroy(set);
    struct sl_study_setup setup = setup_of("mix", NULL);
    char mixed[512];
    snprintf(mixed, sizeof mixed, "%s", test_path("mixed"));
    setup.mixtures = mixed;
    setup.screens = "mix,mixsoft";
    setup.batch_size = 5;
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    struct sl_study *study = open_study(folder_text, &seen);
    assert_int_equal(study->kind, SL_ITEM_MIXTURES);
    assert_string_equal(study->upsample, "none");
    assert_int_equal(study->framing, SL_FRAMING_FIRST); /* sliders ask for one's own view */
    assert_int_equal(study->n_classes, 3);
    assert_int_equal(seen.n_items, 18);
    assert_int_equal(seen.n_batches, 4);
    assert_int_equal(json_array_size(json_object_get(seen.last, "endpoints")), 2);
    assert_true(json_is_real(json_object_get(seen.last, "lambda")));
    close_study(study, &seen);
    /* Sliders ask about two images: not a question for others. */
    setup = setup_of("nomix", "pets");
    setup.screens = "mix";
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "asks about mixtures");
    assert_false(sl_folder_exists(folder_text));
}

static void test_a_published_batches_file_says_what_is_seen_together(void **state)
{
    (void)state;
    static const char batches[] =
        "var batches = [{\"0\": [{\"filename\": \"Cat0.png\", \"label\": \"Cat\"}, {\"filename\": "
        "\"Dog3.png\"}],\n \"1\": [{\"filename\": \"Cat1.png\"}]}];\n";
    static const char unknown[] = "var batches=[{\"0\": [{\"filename\": \"Cow0.png\"}]}]";
    static const char twice[] =
        "[{\"0\": [{\"filename\": \"Cat0.png\"}, {\"filename\": \"Cat0.png\"}]}]";
    struct sl_error err;
    struct seen seen;
    char path[512];
    struct sl_study_setup setup = setup_of("published", "pets");
    snprintf(path, sizeof path, "%s", test_path("batches.js"));
    setup.batches = path;
    test_write(path, batches, sizeof batches - 1);
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    struct sl_study *study = open_study(folder_text, &seen);
    assert_int_equal(seen.n_items, 3);
    assert_int_equal(seen.n_batches, 2);
    assert_int_equal(batch_size(study, 0), 2);
    close_study(study, &seen);
    setup = setup_of("published2", "pets");
    setup.batches = path;
    test_write(path, unknown, sizeof unknown - 1);
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "Cow0.png");
    test_write(path, twice, sizeof twice - 1);
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "twice");
    test_write(path, "var batches=[", 13);
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "batches.js:1");
    assert_false(sl_folder_exists(folder_text));
}

static void test_a_reference_stratifies_by_entropy(void **state)
{
    (void)state;
    struct sl_error err;
    struct seen seen;
    struct sl_rows *rows = NULL;
    /* Of 12 items, 4 are unclear, 6 are clear and 2 lie between. */
    static const float unclear[] = {.5f, .6f, .4f, .55f};
    assert_ok(sl_rows_create(12, 2, &rows, &err), err);
    rows->items = sl_alloc(12, sizeof *rows->items);
    for (size_t i = 0; i < 12; i++) {
        float p = i < 4 ? unclear[i] : i < 10 ? 1.0f : 0.96f;
        rows->items[i] =
            sl_string_printf("%s/%s%zu", i % 2 ? "Dog" : "Cat", i % 2 ? "Dog" : "Cat", i / 2);
        rows->values[2 * i] = p;
        rows->values[2 * i + 1] = 1 - p;
    }
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("reference.npz"));
    assert_ok(sl_rows_write(rows, "labels", path, &err), err);
    sl_rows_destroy(rows);
    struct sl_study_setup setup = setup_of("strata", "pets");
    setup.reference = path;
    setup.batch_size = 5;
    setup.low_per_batch = 3;
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    struct sl_study *study = open_study(folder_text, &seen);
    assert_int_equal(seen.n_batches, 2);
    assert_int_equal(seen.n_items, 10);
    assert_int_equal(seen.n_high, 4);
    assert_int_equal(seen.n_low, 6);
    assert_int_equal(batch_size(study, 0), 5);
    assert_int_equal(batch_size(study, 1), 5);
    close_study(study, &seen);
    setup = setup_of("strata2", "pets");
    setup.reference = path;
    setup.batch_size = 5;
    setup.low_per_batch = 4;
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "need 16 items");
    setup.low_per_batch = 5;
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_USAGE, err, "cannot hold 5");
}

static void test_what_cannot_be_a_study_leaves_no_folder(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_study_setup setup = setup_of("none", NULL);
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_USAGE, err, "none was given");
    setup = setup_of("none", "pets");
    setup.texts = "x.tsv";
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_USAGE, err, "several were given");
    setup = setup_of("none", "pets");
    setup.screens = "colins";
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "did you mean \"collins\"?");
    setup = setup_of("none", "pets");
    setup.classes = "Cat, Dgo";
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "did you mean \"Dgo\"?");
    setup = setup_of("none", "pets");
    setup.recruiter = "mturk";
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_USAGE, err, "unknown recruiter");
    assert_ok(sl_folder_create(test_path("bad"), &err), err);
    test_write(test_path("bad/a.png"), "not a png", 9);
    setup = setup_of("none", "bad");
    setup.classes = "Cat,Dog";
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "a.png");
    assert_false(sl_folder_exists(folder_text));
    char **names = NULL;
    char *slash = strrchr(folder_text, '/');
    *slash = '\0';
    assert_ok(sl_folder_list(folder_text, &names, NULL, &err), err);
    for (char **name = names; *name; name++)
        assert_null(strstr(*name, ".part-"));
    sl_names_destroy(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_folder_of_images_becomes_a_study),
        cmocka_unit_test(test_texts_keep_their_spans_in_characters),
        cmocka_unit_test(test_texts_of_several_lines_stay_one_item_with_line_feeds),
        cmocka_unit_test(test_mixtures_keep_what_was_mixed),
        cmocka_unit_test(test_a_published_batches_file_says_what_is_seen_together),
        cmocka_unit_test(test_a_reference_stratifies_by_entropy),
        cmocka_unit_test(test_what_cannot_be_a_study_leaves_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
