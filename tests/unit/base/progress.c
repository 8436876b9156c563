#include "support.h"

/* Collects what a progress bar writes; the test sets the clock. */
struct stage {
    struct sl_progress progress;
    double now;
    char *text;
    size_t length;
};

static double read_clock(void *context)
{
    return *(double *)context;
}

static void stage_open(struct stage *stage, bool terminal, unsigned columns)
{
    *stage = (struct stage){.now = 1000};
    stage->progress = (struct sl_progress){
        .stream = open_memstream(&stage->text, &stage->length),
        .terminal = terminal,
        .columns = columns,
        .seconds = read_clock,
        .clock_context = &stage->now,
    };
    assert_non_null(stage->progress.stream);
}

static void set_at(struct stage *stage, double seconds, uint64_t done)
{
    stage->now = 1000 + seconds;
    sl_progress_set(&stage->progress, done);
}

static void assert_written(struct stage *stage, const char *expected)
{
    fclose(stage->progress.stream);
    assert_string_equal(stage->text, expected);
    free(stage->text);
}

static void test_a_terminal_shows_a_bar_that_is_redrawn(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, true, 80);
    sl_progress_start(&stage.progress, "fetch cifar10", 138900000, "B");
    set_at(&stage, 5.375, 66112500);
    stage.now = 1011.3;
    sl_progress_set(&stage.progress, 138900000);
    sl_progress_finish(&stage.progress);
    assert_written(&stage,
                   "\rfetch cifar10  [------------------------]  0 %  0 B of 139 MB\x1b[K"
                   "\rfetch cifar10  [#######---------]  47 %  66.1 MB of 139 MB  12.3 MB/s  "
                   "ETA 0:06\x1b[K"
                   "\rfetch cifar10  [########################]  100 %  139 MB  12.3 MB/s\x1b[K"
                   "\rfetch cifar10  139 MB in 0:11\x1b[K\n");
}

struct shown {
    size_t n_shown, n_ended;
    uint64_t done;
};

static void show(void *context, const struct sl_progress *progress, bool ended)
{
    struct shown *shown = context;
    shown->n_shown++;
    shown->n_ended += ended;
    shown->done = progress->done;
    assert_string_equal(progress->label, "x");
}

static void test_a_caller_may_show_it_instead(void **state)
{
    (void)state;
    struct stage stage;
    struct shown shown = {0};
    stage_open(&stage, true, 40);
    stage.progress.show = show;
    stage.progress.show_context = &shown;
    sl_progress_start(&stage.progress, "x", 100, "");
    assert_int_equal(shown.n_shown, 1);
    set_at(&stage, 0.05, 10); /* too soon */
    assert_int_equal(shown.n_shown, 1);
    set_at(&stage, 0.2, 20);
    assert_int_equal(shown.n_shown, 2);
    assert_int_equal(shown.done, 20);
    sl_progress_finish(&stage.progress);
    sl_progress_finish(&stage.progress); /* nothing runs now */
    assert_int_equal(shown.n_shown, 3);
    assert_int_equal(shown.n_ended, 1);
    assert_written(&stage, "");
}

static void test_a_terminal_is_redrawn_at_most_ten_times_a_second(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, true, 40);
    sl_progress_start(&stage.progress, "x", 1000, "");
    for (int i = 1; i < 1000; i++)
        set_at(&stage, i / 1000.0, (uint64_t)i);
    fflush(stage.progress.stream);
    size_t drawn = 0;
    for (const char *c = stage.text; *c; c++)
        drawn += *c == '\r';
    assert_int_equal(drawn, 10);
    fclose(stage.progress.stream);
    free(stage.text);
}

/* The width of the widest line, in characters. */
static size_t widest(const char *text)
{
    size_t most = 0, width = 0;
    for (; *text; text++) {
        if (*text == '\r') width = 0;
        if (*text == '\x1b')
            text += 2;
        else if (*text != '\r' && *text != '\n' && ((unsigned char)*text & 0xC0) != 0x80)
            width++;
        if (width > most) most = width;
    }
    return most;
}

static void test_every_width_is_kept(void **state)
{
    (void)state;
    for (unsigned columns = 1; columns < 200; columns++) {
        struct stage stage;
        stage_open(&stage, true, columns);
        sl_progress_start(&stage.progress,
                          "pr\xC3\xBC"
                          "fen",
                          123456789, "images");
        set_at(&stage, 3, 40000000);
        set_at(&stage, 4000, 41000000);
        sl_progress_finish(&stage.progress);
        fflush(stage.progress.stream);
        assert_true(widest(stage.text) < columns);
        assert_int_equal(sl_utf8_valid(stage.text, stage.length), stage.length);
        fclose(stage.progress.stream);
        free(stage.text);
    }
}

static void test_a_narrow_terminal_loses_the_least_important_first(void **state)
{
    (void)state;
    static const struct {
        unsigned columns;
        const char *line;
    } cases[] = {
        {0, "train  [########--------]  50 %  5,000 of 10,000 images  500 images/s  ETA 0:10"},
        {90, "train  [############------------]  50 %  5,000 of 10,000 images  500 images/s  "
             "ETA 0:10"},
        {66, "train  50 %  5,000 of 10,000 images  500 images/s  ETA 0:10"},
        {56, "train  50 %  5,000 of 10,000 images  500 images/s"},
        {48, "train  [####----]  50 %  5,000 of 10,000 images"},
        {14, "train  50 %"},
        {5, "trai"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage stage;
        stage_open(&stage, true, cases[i].columns);
        sl_progress_start(&stage.progress, "train", 10000, "images");
        fflush(stage.progress.stream);
        size_t before = stage.length;
        set_at(&stage, 10, 5000);
        fflush(stage.progress.stream);
        char expected[200];
        snprintf(expected, sizeof expected, "\r%s\x1b[K", cases[i].line);
        assert_string_equal(stage.text + before, expected);
        fclose(stage.progress.stream);
        free(stage.text);
    }
}

static void test_a_file_gets_a_line_at_every_tenth(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, false, 0);
    sl_progress_start(&stage.progress, "train", 50000, "images");
    for (uint64_t i = 1; i <= 100; i++)
        set_at(&stage, (double)i * 0.25, i * 500);
    sl_progress_finish(&stage.progress);
    assert_written(&stage, "train  10 %  5,000 of 50,000 images  2,000 images/s  ETA 0:23\n"
                           "train  20 %  10,000 of 50,000 images  2,000 images/s  ETA 0:20\n"
                           "train  30 %  15,000 of 50,000 images  2,000 images/s  ETA 0:18\n"
                           "train  40 %  20,000 of 50,000 images  2,000 images/s  ETA 0:15\n"
                           "train  50 %  25,000 of 50,000 images  2,000 images/s  ETA 0:13\n"
                           "train  60 %  30,000 of 50,000 images  2,000 images/s  ETA 0:10\n"
                           "train  70 %  35,000 of 50,000 images  2,000 images/s  ETA 0:08\n"
                           "train  80 %  40,000 of 50,000 images  2,000 images/s  ETA 0:05\n"
                           "train  90 %  45,000 of 50,000 images  2,000 images/s  ETA 0:03\n"
                           "train  100 %  50,000 images  2,000 images/s\n"
                           "train  50,000 images in 0:25\n");
}

static void test_a_file_gets_at_most_one_line_in_two_seconds(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, false, 0);
    sl_progress_start(&stage.progress, "quick", 100, "");
    for (uint64_t i = 1; i <= 100; i++)
        set_at(&stage, (double)i * 0.05, i);
    sl_progress_finish(&stage.progress);
    assert_written(&stage, "quick  40 %  40 of 100  20/s  ETA 0:03\n"
                           "quick  80 %  80 of 100  20/s  ETA 0:01\n"
                           "quick  100 in 0:05\n");
}

static void test_an_unknown_total_shows_what_is_known(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, true, 60);
    sl_progress_start(&stage.progress, "fetch", 0, "B");
    set_at(&stage, 2, 3000000);
    sl_progress_finish(&stage.progress);
    assert_written(&stage, "\rfetch  0 B\x1b[K"
                           "\rfetch  3.0 MB  1.5 MB/s\x1b[K"
                           "\rfetch  3.0 MB in 0:02\x1b[K\n");
    stage_open(&stage, false, 0);
    sl_progress_start(&stage.progress, "fetch", 0, "B");
    set_at(&stage, 1, 1000000);
    set_at(&stage, 2, 3000000);
    set_at(&stage, 3, 4000000);
    sl_progress_finish(&stage.progress);
    assert_written(&stage, "fetch  3.0 MB  1.5 MB/s\n"
                           "fetch  4.0 MB in 0:03\n");
}

static void test_stopping_early_or_late_is_told_as_it_is(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, false, 0);
    sl_progress_start(&stage.progress, "half", 10, "files");
    set_at(&stage, 1, 4);
    sl_progress_finish(&stage.progress);
    sl_progress_finish(&stage.progress); /* ending twice prints nothing more */
    assert_written(&stage, "half  4 of 10 files in 0:01\n");
    stage_open(&stage, false, 0);
    sl_progress_start(&stage.progress, "more", 10, "files");
    set_at(&stage, 4000, 12);
    sl_progress_finish(&stage.progress);
    assert_written(&stage, "more  100 %  12 of 10 files  0.003 files/s\n"
                           "more  12 of 10 files in 1:06:40\n");
}

static void test_a_clock_that_stands_still_or_a_crawl_do_no_harm(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, false, 0);
    sl_progress_start(&stage.progress, "slow", UINT64_MAX, "B");
    set_at(&stage, 0, 10);
    set_at(&stage, 10, UINT64_MAX / 10 + 10);
    set_at(&stage, 5, UINT64_MAX / 2); /* backwards */
    set_at(&stage, 1e9, UINT64_MAX / 2);
    sl_progress_finish(&stage.progress);
    assert_written(&stage, "slow  10 %  1844674 TB of 18446744 TB  184467 TB/s  ETA 1:30\n"
                           "slow  50 %  9223372 TB of 18446744 TB  9.2 GB/s  ETA over 99 h\n"
                           "slow  9223372 TB of 18446744 TB in over 99 h\n");
}

static void test_silence_where_nobody_listens(void **state)
{
    (void)state;
    struct sl_progress progress = {0};
    sl_progress_start(NULL, "x", 1, "B");
    sl_progress_set(NULL, 1);
    sl_progress_finish(NULL);
    sl_progress_start(&progress, "x", 1, "B");
    sl_progress_set(&progress, 1);
    sl_progress_finish(&progress);
    struct stage stage;
    stage_open(&stage, false, 0);
    sl_progress_set(&stage.progress, 5); /* never started */
    sl_progress_finish(&stage.progress);
    assert_written(&stage, "");
}

static void test_the_monotonic_clock_does_not_go_back(void **state)
{
    (void)state;
    double before = sl_clock_seconds();
    assert_true(sl_clock_seconds() >= before);
    assert_true(before > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_terminal_shows_a_bar_that_is_redrawn),
        cmocka_unit_test(test_a_caller_may_show_it_instead),
        cmocka_unit_test(test_a_terminal_is_redrawn_at_most_ten_times_a_second),
        cmocka_unit_test(test_every_width_is_kept),
        cmocka_unit_test(test_a_narrow_terminal_loses_the_least_important_first),
        cmocka_unit_test(test_a_file_gets_a_line_at_every_tenth),
        cmocka_unit_test(test_a_file_gets_at_most_one_line_in_two_seconds),
        cmocka_unit_test(test_an_unknown_total_shows_what_is_known),
        cmocka_unit_test(test_stopping_early_or_late_is_told_as_it_is),
        cmocka_unit_test(test_a_clock_that_stands_still_or_a_crawl_do_no_harm),
        cmocka_unit_test(test_silence_where_nobody_listens),
        cmocka_unit_test(test_the_monotonic_clock_does_not_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
