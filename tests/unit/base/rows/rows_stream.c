#include <string.h>

#include "softlab/base.h"
#include "softlab/base/rows.h"
#include "support.h"

enum { N_ROWS = 4, WIDEST = 7 };

/* Names of different widths, one of them not ASCII, one that a CSV quotes. */
static char names[N_ROWS][8] = {"a", "item-12", "\xc3\xa9t\xc3\xa9", "x,y"};
static char *items[N_ROWS] = {names[0], names[1], names[2], names[3]};
static float values[] = {.25f, .75f, 1, 0, .1f, .9f, .5f, .5f};
static char cat[] = "cat", dog[] = "dog", provenance[] = "{}";
static char *classes[] = {cat, dog};

/* Borrows everything. */
static struct sl_rows sample(void)
{
    return (struct sl_rows){.n_rows = N_ROWS,
                            .n_classes = 2,
                            .values = values,
                            .items = items,
                            .classes = classes,
                            .provenance = provenance};
}

static void stream_all(const struct sl_rows *rows, const char *path)
{
    struct sl_rows_stream *stream = NULL;
    struct sl_error err;
    const struct sl_rows like = {.n_rows = rows->n_rows,
                                 .n_classes = rows->n_classes,
                                 .classes = rows->classes,
                                 .provenance = rows->provenance};
    assert_ok(sl_rows_stream_create(path, "labels", &like, WIDEST, &stream, &err), err);
    for (size_t i = 0; i < rows->n_rows; i++)
        assert_ok(sl_rows_stream_add(stream, rows->items[i], rows->values + 2 * i, &err), err);
    if (sl_rows_stream_wants_names(stream)) {
        assert_ok(sl_rows_stream_begin_names(stream, &err), err);
        for (size_t i = 0; i < rows->n_rows; i++)
            assert_ok(sl_rows_stream_name(stream, rows->items[i], &err), err);
    }
    assert_false(sl_file_exists(path));
    assert_ok(sl_rows_stream_commit(stream, &err), err);
    sl_rows_stream_destroy(stream);
}

static void assert_same_files(const char *a, const char *b)
{
    struct sl_buffer of_a, of_b;
    struct sl_error err;
    sl_buffer_init(&of_a, 1 << 20);
    sl_buffer_init(&of_b, 1 << 20);
    assert_ok(sl_file_read(a, &of_a, &err), err);
    assert_ok(sl_file_read(b, &of_b, &err), err);
    assert_int_equal(of_a.length, of_b.length);
    assert_memory_equal(of_a.data, of_b.data, of_a.length);
    sl_buffer_release(&of_a);
    sl_buffer_release(&of_b);
}

static void test_streamed_rows_make_the_same_file(void **state)
{
    (void)state;
    static const char *const suffixes[] = {".npz", ".npy", ".csv"};
    struct sl_rows rows = sample();
    struct sl_error err;
    char *folder = NULL;
    assert_ok(sl_folder_scratch("/tmp", &folder, &err), err);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        for (rows.n_rows = 0; rows.n_rows <= N_ROWS; rows.n_rows += 2) {
            char *whole = sl_string_printf("%s/whole%zu%s", folder, rows.n_rows, suffixes[i]);
            char *streamed = sl_string_printf("%s/streamed%zu%s", folder, rows.n_rows, suffixes[i]);
            assert_ok(sl_rows_write(&rows, "labels", whole, &err), err);
            stream_all(&rows, streamed);
            if (rows.n_rows > 0 || i > 0) assert_same_files(whole, streamed);
            free(whole);
            free(streamed);
        }
    sl_folder_remove(folder);
    sl_temporary_drop(folder);
    free(folder);
}

static void test_a_stream_without_commit_leaves_no_file(void **state)
{
    (void)state;
    const struct sl_rows rows = sample();
    struct sl_rows_stream *stream = NULL;
    struct sl_error err;
    char *folder = NULL;
    char **left = NULL;
    size_t count = 0;
    assert_ok(sl_folder_scratch("/tmp", &folder, &err), err);
    char *path = sl_path_join(folder, "x.npz");
    assert_ok(sl_rows_stream_create(path, "labels", &rows, WIDEST, &stream, &err), err);
    assert_ok(sl_rows_stream_add(stream, "a", values, &err), err);
    sl_rows_stream_destroy(stream);
    assert_ok(sl_folder_list(folder, &left, &count, &err), err);
    assert_int_equal(count, 0);
    sl_names_destroy(left);
    sl_folder_remove(folder);
    sl_temporary_drop(folder);
    free(path);
    free(folder);
}

static void test_other_formats_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    assert_int_equal(sl_rows_stream_check("labels.json", &err), SL_ERR_USAGE);
    assert_non_null(strstr(err.message, ".npz, .npy and .csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streamed_rows_make_the_same_file),
        cmocka_unit_test(test_a_stream_without_commit_leaves_no_file),
        cmocka_unit_test(test_other_formats_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
