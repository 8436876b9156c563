#include "softlab/pipeline/files.h"
#include "support.h"

enum { MOST_ROWS = 40000, N_CLASSES = 3 };

static struct sl_rows *make_rows(size_t n_rows)
{
    struct sl_error err;
    struct sl_rows *rows = NULL;
    assert_ok(sl_rows_create(n_rows, N_CLASSES, &rows, &err), err);
    rows->items = sl_alloc(n_rows + 1, sizeof *rows->items);
    for (size_t i = 0; i < n_rows; i++)
        rows->items[i] = sl_string_printf(i % 7 ? "i%zu" : "=\"%zu,\n", i);
    for (size_t i = 0; i < n_rows * N_CLASSES; i++)
        rows->values[i] = 1.f / (float)(i % 1009 + 1);
    return rows;
}

static void assert_same_file(const char *path, const struct sl_buffer *expected)
{
    struct sl_error err;
    struct sl_buffer found;
    sl_buffer_init(&found, 64 << 20);
    assert_ok(sl_file_read(path, &found, &err), err);
    assert_int_equal(found.length, expected->length);
    assert_memory_equal(found.data, expected->data, found.length);
    sl_buffer_release(&found);
}

static void test_any_number_of_threads_writes_the_same_bytes(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 4096, 4097, 8192, MOST_ROWS}, threads[] = {1, 2, 3, 7};
    struct sl_error err;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct sl_rows *rows = make_rows(counts[i]);
        const char *path = test_path("rows.csv");
        struct sl_buffer expected;
        sl_buffer_init(&expected, 64 << 20);
        sl_rows_append_csv(rows, 0, rows->n_rows, &expected);
        assert_ok(sl_rows_write(rows, "labels", path, &err), err);
        assert_same_file(path, &expected);
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
            struct sl_pool *pool = NULL;
            assert_ok(sl_pool_create(threads[k], &pool, &err), err);
            assert_ok(sl_rows_write_by(pool, rows, "labels", path, &err), err);
            assert_same_file(path, &expected);
            sl_pool_destroy(pool);
        }
        sl_buffer_release(&expected);
        sl_rows_destroy(rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads_writes_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
