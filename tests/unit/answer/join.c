/* Sets of votes that become one file: the bytes of the file that one text of all of them gives. */
#include "answer/votes/slb.h"
#include "answer/votes/votes.h"
#include "job_scene.h"
#include "softlab/base/buffer.h"
#include "softlab/base/random.h"
#include "softlab/pipeline/import.h"
#include "votes_support.h"

enum { ROWS = 400, MOST_PARTS = 6, ROW_TEXT = 64 };

static struct sl_error err;
static char rows[ROWS][ROW_TEXT];

static const char heading[] = "item,worker,label\n";

/* Items that come back or do not, unknown people, rows without a class. */
static void draw_rows(struct sl_rng *rng, size_t n_items, const char *const *labels,
                      size_t n_labels)
{
    for (size_t i = 0; i < ROWS; i++) {
        const size_t item = n_items > 0 ? sl_rng_below(rng, n_items) : i / 3;
        const size_t person = sl_rng_below(rng, 9);
        const size_t label = sl_rng_below(rng, n_labels + 1);
        char name[24] = "";
        if (person > 0) snprintf(name, sizeof name, "p%zu", person);
        snprintf(rows[i], ROW_TEXT, "item-%zu,%s,%s\n", item * item, name,
                 label < n_labels ? labels[label] : "");
    }
}

static const char *write_rows(const char *name, size_t begin, size_t end)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    sl_buffer_text(&text, heading);
    for (size_t i = begin; i < end; i++)
        sl_buffer_text(&text, rows[i]);
    const char *path = write_text(name, text.data);
    sl_buffer_release(&text);
    return path;
}

static void assert_same_file(const char *a, const char *b)
{
    struct sl_buffer first, second;
    sl_buffer_init(&first, 1 << 20);
    sl_buffer_init(&second, 1 << 20);
    assert_ok(sl_file_read(test_path(a), &first, &err), err);
    assert_ok(sl_file_read(test_path(b), &second, &err), err);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    sl_buffer_release(&first);
    sl_buffer_release(&second);
}

/* Read a text; the set may be read again from a file, as a stream. */
static struct sl_votes *read_set(const char *path, bool streamed,
                                 const struct sl_import_options *options)
{
    struct sl_votes *votes = read_votes(path, options);
    if (!streamed) return votes;
    const struct sl_import_options stream = {.stream = true};
    assert_ok(sl_votes_write_slb(votes, test_path("set.slb"), &err), err);
    sl_votes_destroy(votes);
    votes = read_votes(test_path("set.slb"), &stream);
    remove(test_path("set.slb"));
    return votes;
}

/* Cut the rows at random places, and join what the parts give. */
static void join_rows(struct sl_rng *rng, size_t n_parts, size_t memory,
                      struct sl_import_notes *notes)
{
    struct sl_votes *sets[MOST_PARTS];
    const struct sl_import_options options = {.notes = notes};
    size_t begin = 0;
    for (size_t i = 0; i < n_parts; i++) {
        const size_t left = ROWS - begin - (n_parts - i - 1) * 10;
        const size_t end = i + 1 == n_parts ? ROWS : begin + 10 + sl_rng_below(rng, left - 10);
        sets[i] = read_set(write_rows("part.csv", begin, end), sl_rng_below(rng, 2) > 0, &options);
        begin = end;
    }
    assert_ok(sl_votes_join(sets, n_parts, memory, test_path("joined.slb"), notes, &err), err);
    for (size_t i = 0; i < n_parts; i++)
        sl_votes_destroy(sets[i]);
}

static void test_parts_give_the_file_of_the_whole(void **state)
{
    (void)state;
    static const char *const numbers[] = {"10", "9", "2", "-1"}, *const words[] = {"dog", "cat"};
    static const size_t memories[] = {1 << 20, 20000, 2000, 100, 1};
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "join", 0, 0);
    for (size_t i = 0; i < 60; i++) {
        struct sl_import_notes whole = {0}, parts = {0};
        const struct sl_import_options options = {.notes = &whole};
        const bool counts = i % 2 > 0;
        draw_rows(&rng, i % 3 * 40, counts ? numbers : words, counts ? 4 : 2);
        struct sl_votes *votes = read_votes(write_rows("whole.csv", 0, ROWS), &options);
        assert_ok(sl_votes_write_slb(votes, test_path("whole.slb"), &err), err);
        sl_votes_destroy(votes);
        join_rows(&rng, 2 + sl_rng_below(&rng, MOST_PARTS - 1), memories[i % 5], &parts);
        assert_same_file("whole.slb", "joined.slb");
        assert_int_equal(parts.n_duplicates, whole.n_duplicates);
        assert_int_equal(parts.n_read, whole.n_read);
        assert_true(i % 3 == 0 || whole.n_duplicates > 0);
    }
}

/* ---- Classes ---- */

static const char *joined_text(const char *first, const char *second)
{
    struct sl_votes *sets[] = {read_votes(write_text("1.jsonl", first), NULL),
                               read_votes(write_text("2.jsonl", second), NULL)};
    assert_ok(sl_votes_join(sets, 2, 1000, test_path("both.slb"), NULL, &err), err);
    sl_votes_destroy(sets[0]);
    sl_votes_destroy(sets[1]);
    struct sl_votes *votes = read_votes(test_path("both.slb"), NULL);
    const char *text = votes_text(votes);
    sl_votes_destroy(votes);
    return text;
}

#define HEAD(classes)      "{\"softlab\":\"answers\",\"version\":1,\"classes\":[" classes "]}\n"
#define HARD(item, choice) "{\"item\":\"" item "\",\"kind\":\"hard\",\"class\":\"" choice "\"}\n"

static void test_classes_are_joined_by_name(void **state)
{
    (void)state;
    assert_string_equal(joined_text(HEAD("\"dog\",\"cat\"") HARD("a", "dog"),
                                    HEAD("\"dog\",\"cat\"") HARD("b", "cat") HARD("a", "cat")),
                        "dog,cat; a: ?=dog ?=cat; b: ?=cat");
    assert_string_equal(joined_text(HEAD("\"dog\",\"cat\"") HARD("a", "dog"),
                                    HEAD("\"cat\",\"bee\"") HARD("b", "cat")),
                        "bee,cat,dog; a: ?=dog; b: ?=cat");
}

/* ---- A text that is read in parts ---- */

struct taken {
    struct sl_votes *sets[ROWS];
    size_t count;
};

static enum sl_status take(void *context, struct sl_votes *votes, struct sl_error *problem)
{
    struct taken *taken = context;
    (void)problem;
    taken->sets[taken->count++] = votes;
    return SL_OK;
}

static void test_a_text_is_read_in_parts(void **state)
{
    (void)state;
    static const char *const labels[] = {"x", "y", "z"};
    const struct sl_block_plan plan = {.size = 200, .per_window = 3};
    struct sl_rng rng;
    sl_rng_init(&rng, 2, "join", 0, 0);
    for (size_t i = 0; i < 6; i++) {
        struct taken taken = {.count = 0};
        struct sl_import_notes notes = {0}, whole = {0};
        const struct sl_vote_parts parts = {.bytes = 3000, .take = take, .context = &taken};
        const struct sl_import_options options = {.parts = &parts, .notes = &notes},
                                       at_once = {.notes = &whole};
        draw_rows(&rng, i % 3 * 40, labels, 3);
        const char *path = write_rows("whole.csv", 0, ROWS);
        assert_ok(sl_votes_read_blocks(path, &options, &plan, &taken.sets[ROWS - 1], &err), err);
        taken.sets[taken.count++] = taken.sets[ROWS - 1];
        assert_true(taken.count > 2);
        assert_ok(
            sl_votes_join(taken.sets, taken.count, 3000, test_path("parts.slb"), &notes, &err),
            err);
        for (size_t k = 0; k < taken.count; k++)
            sl_votes_destroy(taken.sets[k]);
        struct sl_votes *votes = read_votes(path, &at_once);
        assert_ok(sl_votes_write_slb(votes, test_path("whole.slb"), &err), err);
        sl_votes_destroy(votes);
        assert_same_file("whole.slb", "parts.slb");
        assert_int_equal(notes.n_duplicates, whole.n_duplicates);
        assert_int_equal(notes.n_skipped, whole.n_skipped);
    }
}

/* ---- softlab import ---- */

static size_t count_files(void)
{
    char **names;
    size_t count = 0;
    assert_ok(sl_folder_list(test_path(""), &names, &count, &err), err);
    sl_names_destroy(names);
    return count;
}

/* The parts that went through a folder, by what the import says. */
static size_t count_parts(const char *said)
{
    const char *line = strstr(said, "of the answers went through");
    if (!line) return 0;
    while (line > said && line[-1] != '\n')
        line--;
    return strtoul(line + strlen("info: "), NULL, 10);
}

static void test_import_keeps_to_its_memory(void **state)
{
    (void)state;
    enum { FILES = 8 };
    static const char *const labels[] = {"x", "y"};
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "join", 0, 0);
    draw_rows(&rng, 80, labels, 2);
    char *paths[FILES], name[20];
    for (size_t i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "%zu.csv", i);
        paths[i] = sl_string_copy(write_rows(name, i * ROWS / FILES, (i + 1) * ROWS / FILES));
    }
    char *output = sl_string_copy(test_path("small.slb"));
    struct sl_votes *votes = read_votes(write_rows("all.csv", 0, ROWS), NULL);
    assert_ok(sl_votes_write_slb(votes, test_path("all.slb"), &err), err);
    sl_votes_destroy(votes);
    const size_t n_files = count_files();
    /* All in memory, some on disk, all on disk. */
    static const struct {
        size_t memory, least, most;
    } cases[] = {{0, 0, 0}, {23000, 1, FILES - 1}, {40, FILES, FILES}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_import_job job = sl_import_job_default();
        struct sl_import_notes notes;
        struct test_job_scene scene;
        test_job_scene_init(&scene);
        scene.workplace.memory = cases[i].memory;
        job.from = "long-csv";
        job.paths = paths;
        job.n_paths = FILES;
        job.output = output;
        assert_ok(sl_import_job_run(&job, &scene.workplace, &notes, &err), err);
        assert_same_file("all.slb", "small.slb");
        assert_int_equal(notes.n_read, ROWS);
        assert_in_range(count_parts(scene.said), cases[i].least, cases[i].most);
        remove(output);
        assert_int_equal(count_files(), n_files);
    }
    for (size_t i = 0; i < FILES; i++)
        free(paths[i]);
    free(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_give_the_file_of_the_whole),
        cmocka_unit_test(test_classes_are_joined_by_name),
        cmocka_unit_test(test_a_text_is_read_in_parts),
        cmocka_unit_test(test_import_keeps_to_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
