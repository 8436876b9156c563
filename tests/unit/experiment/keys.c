/* Pins the keys of all specifications in experiment_keys.csv, and the hashes of published data in
 * experiments/inputs.csv. UPDATE_GOLDEN=1 writes both. A key may change only with SL_RECORD_VERSION
 * or SL_ARITHMETIC_VERSION. */
#include "experiment_plans.h"

#include "support.h"

static const char header[] = "spec,scale,variant,runs,sha256\n";

/* ---- Keys ---- */

static void add_keys(struct sl_buffer *out, const char *name, const char *scale,
                     const struct sl_experiment_options *options)
{
    struct sl_experiment *plan = plan_of(name, scale, options);
    struct sl_hasher *hasher = sl_hasher_create();
    char hash[SL_SHA256_TEXT];
    for (size_t i = 0; i < plan->n_runs; i++)
        sl_hasher_text(hasher, plan->runs[i].key);
    sl_hasher_finish(hasher, hash);
    sl_buffer_printf(out, "%s,%s,%s,%zu,%s\n", name, scale, plan->variant, plan->n_runs, hash);
    sl_experiment_destroy(plan);
}

/* A line per specification and for each of its first `n_forms` pairs of scale and variant. */
static char *all_keys(const struct sl_data_roots *roots, size_t n_forms)
{
    static const char *const scales[] = {"quick", "paper", "small"};
    struct sl_experiment_options options = {.roots = roots, .seen = sl_seen_data_create()};
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    sl_buffer_text(&text, header);
    for (const char *const *name = sl_builtin_specs; *name; name++)
        for (size_t i = 0; i < n_forms; i++) {
            options.as_published = i % 2 == 1;
            add_keys(&text, *name, scales[i / 2], &options);
        }
    sl_seen_data_destroy(options.seen);
    return text.data;
}

static void compare_lines(const char *found, const char *expected)
{
    while (*found || *expected) {
        const size_t a = strcspn(found, "\n"), b = strcspn(expected, "\n");
        if (a != b || strncmp(found, expected, a) != 0)
            fail_msg("keys changed:\n  now %.*s\n  was %.*s", (int)a, found, (int)b, expected);
        found += a + (found[a] == '\n');
        expected += b + (expected[b] == '\n');
    }
}

static bool updating(void)
{
    const char *update = getenv("UPDATE_GOLDEN");
    return update && strcmp(update, "1") == 0;
}

static void test_keys_of_all_specifications_are_pinned(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_buffer golden;
    char *found = all_keys(NULL, 6);
    if (updating()) assert_ok(sl_file_write(KEYS_FILE, found, strlen(found), &err), err);
    sl_buffer_init(&golden, 1 << 20);
    assert_ok(sl_file_read(KEYS_FILE, &golden, &err), err);
    sl_buffer_byte(&golden, '\0');
    compare_lines(found, golden.data);
    sl_buffer_release(&golden);
    free(found);
}

static void test_published_data_have_the_same_keys_here(void **state)
{
    (void)state;
    const struct sl_data_roots roots = {.given = getenv("SOFTLAB_DATA")};
    if (!roots.given) {
        print_message("skipped: SOFTLAB_DATA is not set\n");
        skip();
    }
    char *without = all_keys(NULL, 1), *with = all_keys(&roots, 1);
    compare_lines(with, without);
    free(without);
    free(with);
}

/* ---- Inputs ---- */

/* The hash of a published input; false if it is not on this machine. */
static bool hash_input(const char *name, char out[SL_SHA256_TEXT])
{
    char *folder = sl_path_join(getenv("XDG_DATA_HOME") ? getenv("XDG_DATA_HOME") : "", "softlab");
    const struct sl_data_roots roots = {.given = getenv("SOFTLAB_DATA"), .folder = folder};
    struct sl_inputs inputs;
    struct sl_dataset *dataset = NULL;
    char *path = NULL;
    bool here = false;
    sl_inputs_init(&inputs, NULL);
    if (name[0] == '@')
        here = sl_experiment_place(&roots, name, &path, NULL) == SL_OK &&
               sl_inputs_hash_path(&inputs, path, out, NULL) == SL_OK;
    else
        here = sl_dataset_open(name, &roots, &dataset, NULL) == SL_OK &&
               sl_inputs_hash_dataset(&inputs, dataset, out, NULL) == SL_OK;
    sl_dataset_destroy(dataset);
    sl_inputs_release(&inputs);
    free(path);
    free(folder);
    return here;
}

/* The table with the hashes of the inputs that are here; the other lines are kept. */
static char *inputs_now(const char *table, size_t *n_here)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    sl_buffer_text(&text, "input,sha256\n");
    for (const char *line = strchr(table, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        char *name = sl_string_copy_n(line, strcspn(line, ",")), hash[SL_SHA256_TEXT];
        const bool here = hash_input(name, hash);
        *n_here += here;
        sl_buffer_printf(&text, "%s,%.64s\n", name, here ? hash : line + strlen(name) + 1);
        free(name);
    }
    return text.data;
}

static void test_published_inputs_are_what_is_here(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_buffer table;
    size_t n_here = 0;
    sl_buffer_init(&table, 1 << 20);
    assert_ok(sl_file_read(INPUTS_FILE, &table, &err), err);
    sl_buffer_byte(&table, '\0');
    char *now = inputs_now(table.data, &n_here);
    if (updating()) assert_ok(sl_file_write(INPUTS_FILE, now, strlen(now), &err), err);
    compare_lines(now, table.data);
    print_message("%zu inputs are here\n", n_here);
    sl_buffer_release(&table);
    free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_inputs_are_what_is_here),
        cmocka_unit_test(test_keys_of_all_specifications_are_pinned),
        cmocka_unit_test(test_published_data_have_the_same_keys_here),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
