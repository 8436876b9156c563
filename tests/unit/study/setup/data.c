/* Studies of real data: CIFAR-10H's entropies and CIFAR-10S's batches (SOFTLAB_DATA), and mixtures
 * from their setting up to what softlab compare makes of the answers. */
#include <strings.h>

#include "softlab/dataset.h"
#include "softlab/label.h"
#include "softlab/label/mixing.h"
#include "study_scene.h"

enum { TEST_ITEMS = 10000 };
static const char *const cifar_classes[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                            "dog",      "frog",       "horse", "ship", "truck"};
static const char class_list[] = "airplane,automobile,bird,cat,deer,dog,frog,horse,ship,truck";

/* Texts that stand for the images of the test set: number `i` has the id i; `labels` may be NULL.
 */
static const char *stand_ins(const json_t *labels)
{
    static char path[512];
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 24);
    sl_buffer_text(&text, "item\ttext\tlabel\n");
    for (int i = 0; i < TEST_ITEMS; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        const char *label = json_string_value(json_object_get(labels, id));
        sl_buffer_printf(&text, "%d\timage %d\t%s\n", i, i, label ? label : "");
    }
    snprintf(path, sizeof path, "%s", test_path("items.tsv"));
    test_write(path, text.data, text.length);
    sl_buffer_release(&text);
    return path;
}

struct seen {
    size_t n_items, n_high, n_low, n_batches, n_truths;
};

static enum sl_status see_item(const struct sl_store_item *item, void *context)
{
    struct seen *seen = context;
    seen->n_items++;
    seen->n_high += item->entropy >= .25;
    seen->n_low += item->entropy <= .1;
    seen->n_truths += item->truth != NULL;
    return SL_OK;
}

static enum sl_status see_batch(const struct sl_store_batch_row *row, void *context)
{
    (void)row;
    ((struct seen *)context)->n_batches++;
    return SL_OK;
}

static struct seen look_at(const char *folder)
{
    struct seen seen = {0};
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    assert_ok(sl_study_read(folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_each_item(store, see_item, &seen, &err), err);
    assert_ok(sl_store_each_batch(store, see_batch, &seen, &err), err);
    sl_store_close(store);
    sl_study_destroy(study);
    return seen;
}

static struct sl_study_setup setup_of(const char *name, char folder[512], const char *texts)
{
    struct sl_study_setup setup = sl_study_setup_default();
    snprintf(folder, 512, "%s", test_path(name));
    setup.folder = folder;
    setup.texts = texts;
    setup.classes = class_list;
    setup.contact = "Ada Lovelace, ada@example.org";
    return setup;
}

static void test_cifar10h_s_entropies_stratify_the_batches(void **state)
{
    (void)state;
    char folder[512], reference[1024];
    struct sl_error err;
    const char *path = test_data("cifar10h/cifar10h-probs.npy");
    if (!path) return;
    snprintf(reference, sizeof reference, "%s", path);
    struct sl_study_setup setup = setup_of("entropies", folder, stand_ins(NULL));
    setup.reference = reference;
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    /* All 2,064 of high entropy, 22 to a batch beside three of low. */
    struct seen seen = look_at(folder);
    assert_int_equal(seen.n_high, 2064);
    assert_int_equal(seen.n_batches, 94);
    assert_int_equal(seen.n_low, 94 * 3);
    assert_int_equal(seen.n_items, 2064 + 94 * 3);
    setup = setup_of("too-many", folder, setup.texts);
    setup.reference = reference;
    setup.low_per_batch = 24;
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "there are 6730");
}

/* The labels that the published batches state, by number. */
static json_t *published_labels(const char *path)
{
    struct sl_buffer text;
    struct sl_error err;
    sl_buffer_init(&text, 1 << 24);
    assert_ok(sl_file_read(path, &text, &err), err);
    size_t begin = strcspn(text.data, "[");
    json_t *all = json_loadb(text.data + begin, text.length - begin, JSON_DISABLE_EOF_CHECK, NULL);
    json_t *labels = json_object(), *list = NULL;
    const char *key = NULL;
    assert_non_null(all);
    json_object_foreach(json_array_get(all, 0), key, list)
    {
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *entry = json_array_get(list, i);
            const char *label = json_string_value(json_object_get(entry, "label"));
            for (size_t k = 0; k < 10; k++)
                if (strcasecmp(label, cifar_classes[k]) == 0)
                    json_object_set_new(labels,
                                        json_string_value(json_object_get(entry, "example_idx")),
                                        json_string(cifar_classes[k]));
        }
    }
    json_decref(all);
    sl_buffer_release(&text);
    return labels;
}

static void test_cifar10s_s_batches_find_their_images(void **state)
{
    (void)state;
    char folder[512], batches[1024];
    struct sl_error err;
    const char *path = test_data("cifar10s/batches.js");
    if (!path) return;
    snprintf(batches, sizeof batches, "%s", path);
    json_t *labels = published_labels(batches);
    assert_int_equal(json_object_size(labels), 1000);
    struct sl_study_setup setup = setup_of("published", folder, stand_ins(labels));
    setup.batches = batches;
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    struct seen seen = look_at(folder);
    assert_int_equal(seen.n_items, 1000);
    assert_int_equal(seen.n_batches, 40);
    assert_int_equal(seen.n_truths, 1000);
    /* Other images under the same numbers are noticed. */
    json_object_set_new(labels, "6419", json_string("frog"));
    setup = setup_of("others", folder, stand_ins(labels));
    setup.batches = batches;
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "which is a frog here");
    json_decref(labels);
}

/* ---- Mixtures ---- */

static void write_mixtures(const char *folder)
{
    struct sl_dataset *set = NULL;
    struct sl_mix_plan plan;
    struct sl_error err;
    const struct sl_data_roots roots = {.folder = "."};
    const struct sl_mix_plan_options options = {.pairs_per_class_pair = 2, .seed = 1};
    assert_ok(sl_dataset_open("shapes:n=30,classes=3,size=16", &roots, &set, &err), err);
    assert_ok(sl_mix_plan_create(set, &options, &plan, &err), err);
    assert_ok(sl_mix_write(set, &plan, 6, folder, NULL, &err), err);
    sl_mix_plan_release(&plan);
    sl_dataset_destroy(set);
}

static enum sl_status to_file(void *context, const void *bytes, size_t length, struct sl_error *err)
{
    (void)err;
    return fwrite(bytes, 1, length, context) == length ? SL_OK : SL_ERR_IO;
}

static struct sl_answers *export_answers(const char *folder)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_answers *answers = NULL;
    struct sl_error err;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("answers.jsonl"));
    FILE *file = fopen(path, "wb");
    assert_ok(sl_study_read(folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_string_equal(sl_study_exports[0].name, "answers");
    assert_ok(sl_study_exports[0].write(study, store, to_file, file, &err), err);
    fclose(file);
    sl_store_close(store);
    sl_study_destroy(study);
    assert_ok(sl_answers_read(path, &answers, NULL, &err), err);
    return answers;
}

static void check_mixed_study(const struct sl_study_setup *setup)
{
    struct scene scene = {.clock = 1700000000000};
    struct sl_study_simulation options = sl_study_simulation_default();
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64];
    assert_ok(sl_study_init(setup, NULL, &err), err);
    snprintf(scene.folder, sizeof scene.folder, "%s", setup->folder);
    scene_start(&scene);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", (unsigned)scene.port);
    options.url = url;
    options.count = true;
    options.folder = scene.folder;
    options.annotators = options.at_once = 9;
    options.speed = options.noise = options.slips = 0;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.finished, 9);
    scene_stop(&scene);
    struct sl_answers *answers = export_answers(scene.folder);
    struct sl_mix_options how = sl_mix_options_default();
    struct sl_mix_summary summary;
    assert_ok(sl_mix_summarise(answers, &how, &summary, &err), err);
    assert_int_equal(summary.n_answers, 9 * 6);
    assert_true(summary.r > .99);
    assert_int_equal(summary.n_by_pair, 3);
    for (size_t i = 0; i < summary.n_by_share; i++)
        assert_near(summary.by_share[i].mean, summary.by_share[i].generated, .03);
    sl_mix_summary_release(&summary);
    struct sl_rows *rows = NULL;
    const struct sl_label_options label = sl_label_options_default();
    assert_ok(sl_labels_build(sl_label_method_find("mix"), answers, &label, &rows, &err), err);
    assert_int_equal(rows->n_rows, 18);
    sl_rows_destroy(rows);
    sl_answers_destroy(answers);
}

static void test_answers_to_mixtures_say_what_was_mixed(void **state)
{
    (void)state;
    char folder[512], mixed[512], batches[600];
    struct sl_error err;
    struct sl_study_setup setup = setup_of("mixture", folder, NULL);
    snprintf(mixed, sizeof mixed, "%s", test_path("mixed"));
    write_mixtures(mixed);
    setup.mixtures = mixed;
    setup.classes = NULL;
    setup.screens = "mix+";
    setup.annotators = 3;
    check_mixed_study(&setup);
    /* Without the batches file by the names of the images, in the study's spelling. */
    snprintf(batches, sizeof batches, "%s/batches.json", mixed);
    assert_int_equal(unlink(batches), 0);
    setup = setup_of("by-name", folder, NULL);
    setup.mixtures = mixed;
    setup.classes = "circle,triangle,square";
    setup.screens = "mix";
    setup.annotators = 3;
    setup.batch_size = 6;
    check_mixed_study(&setup);
    /* A batches file by hand may name images only. */
    static const char by_hand[] = "{\"0\": [{\"filename\": \"photo.png\"}]}";
    test_write(batches, by_hand, sizeof by_hand - 1);
    setup = setup_of("unknown", folder, NULL);
    setup.mixtures = mixed;
    setup.classes = NULL;
    setup.screens = "mix";
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err,
                 "the classes mixed in photo");
    assert_ok(sl_folder_create(test_path("empty"), &err), err);
    snprintf(mixed, sizeof mixed, "%s", test_path("empty"));
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "neither batches.json nor");
}

/* ---- Data folders ---- */

/* The official form of CIFAR-10, 10,000 black airplanes, of which two are asked about. */
static void test_named_sets_are_found_in_the_data_folders(void **state)
{
    (void)state;
    static const char batches[] = "{\"0\": [{\"filename\": \"a.png\", \"example_idx\": \"17\"}, "
                                  "{\"filename\": \"b.png\", \"example_idx\": \"9999\"}]}";
    char folder[512], data[512], two[512];
    struct sl_error err;
    struct sl_study_setup setup = setup_of("named", folder, NULL);
    snprintf(data, sizeof data, "%s", test_path("data"));
    snprintf(two, sizeof two, "%s", test_path("two.json"));
    const struct sl_data_roots roots = {.folder = data};
    test_write(two, batches, sizeof batches - 1);
    setup.images = "cifar10:test";
    setup.batches = two;
    setup.roots = &roots;
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_NOT_FOUND, err, "cifar10");
    assert_ok(sl_folder_create(test_path("data/cifar10"), &err), err);
    for (int i = 0; i < 6; i++) {
        char name[64];
        snprintf(name, sizeof name, "data/cifar10/data_batch_%d.bin", i);
        const char *path = test_path(i == 0 ? "data/cifar10/test_batch.bin" : name);
        test_write(path, "", 0);
        assert_int_equal(truncate(path, TEST_ITEMS * 3073L), 0);
    }
    setup.classes = "Airplane,Automobile,Bird,Cat,Deer,Dog,Frog,Horse,Ship,Truck";
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    struct seen seen = look_at(folder);
    assert_int_equal(seen.n_items, 2);
    assert_int_equal(seen.n_truths, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cifar10h_s_entropies_stratify_the_batches),
        cmocka_unit_test(test_cifar10s_s_batches_find_their_images),
        cmocka_unit_test(test_answers_to_mixtures_say_what_was_mixed),
        cmocka_unit_test(test_named_sets_are_found_in_the_data_folders),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
