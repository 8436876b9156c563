#include "nn/conv/tuning.h"

#include "nn/graph/model.h"
#include "support.h"

#define ROW(in, height, batch, direction, use)                                                     \
    "{\"in\": " #in ", \"out\": 16, \"height\": " #height ", \"width\": 8, \"kernel\": 3, "        \
    "\"stride\": 1, \"pad\": 1, \"groups\": 1, \"batch\": " #batch ", \"direction\": \"" direction \
    "\", \"use\": \"" use "\"}"
#define FILE_OF(rows) "{\"softlab\": \"tuning\", \"version\": 1, \"rows\": [" rows "]}"

static struct sl_tuning *parsed(const char *text)
{
    struct sl_tuning *tuning = NULL;
    struct sl_error err;
    assert_ok(sl_nn_tuning_parse(text, strlen(text), "t.json", &tuning, &err), err);
    return tuning;
}

static struct sl_nn_conv_task task_at(size_t in, size_t height, size_t batch,
                                      enum sl_nn_direction direction)
{
    return (struct sl_nn_conv_task){.direction = direction,
                                    .images = batch,
                                    .in_channels = in,
                                    .height = height,
                                    .width = 8,
                                    .out_channels = 16,
                                    .out_height = height,
                                    .out_width = 8,
                                    .kernel = 3,
                                    .stride = 1,
                                    .pad = 1,
                                    .groups = 1};
}

static const char *found(const struct sl_tuning *tuning, struct sl_nn_conv_task task)
{
    const struct sl_nn_conv_kernel *kernel = sl_nn_tuning_find(tuning, &task);
    return kernel ? kernel->name : "none";
}

static void test_find_falls_back_to_the_nearest_batch(void **state)
{
    (void)state;
    struct sl_tuning *tuning = parsed(FILE_OF(ROW(16, 8, 32, "forward", "gemm") "," ROW(
        16, 8, 128, "forward", "onednn") "," ROW(16, 8, 32, "backward-data", "onednn")));
    assert_string_equal(found(tuning, task_at(16, 8, 32, SL_NN_FORWARD)), "gemm");
    assert_string_equal(found(tuning, task_at(16, 8, 128, SL_NN_FORWARD)), "onednn");
    assert_string_equal(found(tuning, task_at(16, 8, 1, SL_NN_FORWARD)), "gemm");
    assert_string_equal(found(tuning, task_at(16, 8, 1000, SL_NN_FORWARD)), "onednn");
    assert_string_equal(found(tuning, task_at(16, 8, 80, SL_NN_FORWARD)), "gemm");
    assert_string_equal(found(tuning, task_at(16, 8, 32, SL_NN_BACKWARD_DATA)), "onednn");
    assert_string_equal(found(tuning, task_at(16, 8, 32, SL_NN_BACKWARD_WEIGHTS)), "none");
    assert_string_equal(found(tuning, task_at(16, 9, 32, SL_NN_FORWARD)), "none");
    sl_tuning_destroy(tuning);
}

static void test_choose_takes_the_named_kernel_if_it_suits(void **state)
{
    (void)state;
    struct sl_tuning *tuning =
        parsed(FILE_OF(ROW(16, 8, 32, "forward", "gemm") "," ROW(3, 8, 32, "forward", "onednn")));
    struct sl_nn_conv_task task = task_at(16, 8, 32, SL_NN_FORWARD);
    assert_string_equal(sl_nn_conv_choose(tuning, &task)->name, "gemm");
    /* Three channels in a block: oneDNN has no fast kernel. */
    task = task_at(3, 8, 32, SL_NN_FORWARD);
    assert_string_equal(found(tuning, task), "onednn");
    assert_string_not_equal(sl_nn_conv_choose(tuning, &task)->name, "onednn");
    sl_tuning_destroy(tuning);
}

static void test_write_and_read_give_the_same_rows(void **state)
{
    (void)state;
    const char *path = test_path("tuning.json");
    struct sl_error err;
    struct sl_tuning *tuning = parsed(FILE_OF(ROW(24, 8, 32, "forward", "onednn") "," ROW(
        16, 8, 32, "backward-weights", "gemm") "," ROW(16, 8, 32, "forward", "gemm")));
    struct sl_tuning *again = NULL;
    char hash[65], hash_again[65];
    assert_ok(sl_tuning_write(path, tuning, &err), err);
    assert_ok(sl_tuning_read(path, &again, &err), err);
    assert_int_equal(again->count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(sl_nn_tuning_compare(&tuning->rows[i], &again->rows[i]), 0);
        assert_ptr_equal(tuning->rows[i].kernel, again->rows[i].kernel);
        if (i > 0) assert_true(sl_nn_tuning_compare(&again->rows[i - 1], &again->rows[i]) < 0);
    }
    sl_tuning_hash(tuning, hash);
    sl_tuning_hash(again, hash_again);
    assert_string_equal(hash, hash_again);
    sl_tuning_destroy(tuning);
    sl_tuning_destroy(again);
}

static void test_hash_tells_tables_apart_and_not_their_order(void **state)
{
    (void)state;
    struct sl_tuning *one =
        parsed(FILE_OF(ROW(16, 8, 32, "forward", "gemm") "," ROW(24, 8, 32, "forward", "gemm")));
    struct sl_tuning *turned =
        parsed(FILE_OF(ROW(24, 8, 32, "forward", "gemm") "," ROW(16, 8, 32, "forward", "gemm")));
    struct sl_tuning *other =
        parsed(FILE_OF(ROW(16, 8, 32, "forward", "gemm") "," ROW(24, 8, 32, "forward", "onednn")));
    struct sl_tuning *empty = parsed(FILE_OF(""));
    char hash[5][65];
    sl_tuning_hash(one, hash[0]);
    sl_tuning_hash(turned, hash[1]);
    sl_tuning_hash(other, hash[2]);
    sl_tuning_hash(empty, hash[3]);
    sl_tuning_hash(NULL, hash[4]);
    assert_string_equal(hash[0], hash[1]);
    assert_string_not_equal(hash[0], hash[2]);
    assert_string_not_equal(hash[0], hash[3]);
    assert_string_not_equal(hash[4], hash[3]);
    assert_int_equal(strlen(hash[4]), 64);
    sl_tuning_destroy(one);
    sl_tuning_destroy(turned);
    sl_tuning_destroy(other);
    sl_tuning_destroy(empty);
}

static void test_bad_files_name_the_row(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"[]", "t.json:1: "},
        {"{\"softlab\": \"simulator\", \"version\": 1, \"rows\": []}", "$.softlab: expected"},
        {"{\"softlab\": \"tuning\", \"version\": 2, \"rows\": []}", "$.version"},
        {"{\"softlab\": \"tuning\", \"version\": 1}", "rows"},
        {"{\"softlab\": \"tuning\", \"version\": 1, \"rows\": [], \"row\": 1}", "row"},
        {FILE_OF("3"), "$.rows[0]"},
        {FILE_OF(ROW(16, 8, 32, "forward", "gemm") "," ROW(16, 9, 32, "forward", "fast")),
         "$.rows[1].use: expected a convolution kernel, got \"fast\""},
        {FILE_OF(ROW(16, 8, 32, "sideways", "gemm")),
         "$.rows[0].direction: expected forward, backward-data or backward-weights"},
        {FILE_OF(ROW(0, 8, 32, "forward", "gemm")), "$.rows[0].in: expected"},
        {FILE_OF(ROW(16, 8, 0, "forward", "gemm")), "$.rows[0].batch: expected"},
        {FILE_OF(ROW(16, 8.5, 32, "forward", "gemm")), "$.rows[0].height: expected"},
        {FILE_OF(ROW(16, 8, 32, "forward", "gemm\", \"speed\": \"9")),
         "$.rows[0]: unknown key \"speed\""},
        {FILE_OF("{\"in\": 16}"), "$.rows[0]"},
        {FILE_OF("{\"in\": 6, \"out\": 8, \"height\": 8, \"width\": 8, \"kernel\": 1, "
                 "\"stride\": 1, \"pad\": 0, \"groups\": 4, \"batch\": 1, \"direction\": "
                 "\"forward\", \"use\": \"gemm\"}"),
         "$.rows[0]: 4 groups do not divide 6 and 8 channels"},
        {FILE_OF(ROW(16, 8, 32, "forward", "gemm") "," ROW(16, 9, 32, "forward", "gemm") "," ROW(
             16, 8, 32, "forward", "onednn")),
         "$.rows[2]: has the same shape, batch and direction as rows[0]; remove one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_tuning *tuning = NULL;
        struct sl_error err;
        assert_fails(
            sl_nn_tuning_parse(cases[i].text, strlen(cases[i].text), "t.json", &tuning, &err),
            SL_ERR_INPUT, err, cases[i].part);
        assert_null(tuning);
    }
}

static void test_missing_file_is_said(void **state)
{
    (void)state;
    struct sl_tuning *tuning = NULL;
    struct sl_error err;
    assert_fails(sl_tuning_read(test_path("none.json"), &tuning, &err), SL_ERR_NOT_FOUND, err,
                 "none.json");
    assert_null(tuning);
}

static void test_shipped_rows_are_sorted_and_suit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sl_nn_tuning_shipped_count; i++) {
        const struct sl_nn_tuning_row *row = &sl_nn_tuning_shipped[i];
        if (i > 0) assert_true(sl_nn_tuning_compare(row - 1, row) < 0);
        assert_ptr_equal(sl_nn_conv_find(row->kernel->name), row->kernel);
    }
}

struct lines {
    size_t count;
    char last[512];
};

static void keep_line(void *context, enum sl_log_level level, const char *line)
{
    struct lines *lines = context;
    (void)level;
    lines->count++;
    snprintf(lines->last, sizeof lines->last, "%s", line);
}

static void make_graph(struct sl_nn_node nodes[4], struct sl_nn_graph *graph)
{
    nodes[0] = (struct sl_nn_node){.op = SL_NN_PIXELS, .shape = {SL_NN_PLAIN, 3, 8, 8}};
    for (size_t i = 1; i < 4; i++) {
        nodes[i] = (struct sl_nn_node){
            .op = SL_NN_CONV, .input = {i - 1}, .n_inputs = 1, .shape = {SL_NN_BLOCKED, 12, 8, 8}};
        nodes[i].as.conv.kernel = 3;
        nodes[i].as.conv.stride = 1;
        nodes[i].as.conv.pad = 1;
        nodes[i].as.conv.groups = 1;
        nodes[i].as.conv.bias = true;
    }
    *graph = (struct sl_nn_graph){.nodes = nodes, .count = 4};
}

static void test_measure_adds_a_row_for_every_shape_and_direction(void **state)
{
    (void)state;
    struct sl_nn_node nodes[4];
    struct sl_model model = {0};
    struct lines lines = {0};
    const struct sl_log log = {.level = SL_LOG_INFO, .write = keep_line, .context = &lines};
    struct sl_tuning *tuning = NULL;
    struct sl_error err;
    make_graph(nodes, &model.graph);
    assert_fails(sl_tuning_measure(&model, 2, 0, &log, &tuning, &err), SL_ERR_USAGE, err, "rounds");
    assert_null(tuning);
    assert_ok(sl_tuning_measure(&model, 2, 1, &log, &tuning, &err), err);
    assert_int_equal(tuning->count, 6); /* the third layer has the shape of the second */
    assert_int_equal(lines.count, 6);
    assert_non_null(strstr(lines.last, "12 to 12 channels"));
    assert_non_null(strstr(lines.last, "backward-weights"));
    assert_non_null(strstr(lines.last, "gemm"));
    for (size_t i = 0; i < tuning->count; i++)
        assert_non_null(sl_nn_conv_find(tuning->rows[i].kernel->name));

    assert_ok(sl_tuning_measure(&model, 2, 2, NULL, &tuning, &err), err);
    assert_int_equal(tuning->count, 6);
    assert_ok(sl_tuning_measure(&model, 3, 1, NULL, &tuning, &err), err);
    assert_int_equal(tuning->count, 12);
    sl_tuning_destroy(tuning);
    sl_tuning_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find_falls_back_to_the_nearest_batch),
        cmocka_unit_test(test_choose_takes_the_named_kernel_if_it_suits),
        cmocka_unit_test(test_write_and_read_give_the_same_rows),
        cmocka_unit_test(test_hash_tells_tables_apart_and_not_their_order),
        cmocka_unit_test(test_bad_files_name_the_row),
        cmocka_unit_test(test_missing_file_is_said),
        cmocka_unit_test(test_shipped_rows_are_sorted_and_suit),
        cmocka_unit_test(test_measure_adds_a_row_for_every_shape_and_direction),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
