#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static size_t files_in(const char *folder)
{
    char **names = NULL;
    size_t count = 0;
    struct sl_error err;
    assert_ok(sl_folder_list(folder, &names, &count, &err), err);
    sl_names_destroy(names);
    return count;
}

static void assert_content(const char *path, const char *expected)
{
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, 1 << 20);
    assert_ok(sl_file_read(path, &buffer, &err), err);
    assert_int_equal(buffer.length, strlen(expected));
    assert_string_equal(buffer.data, expected);
    sl_buffer_release(&buffer);
}

static void test_what_is_written_is_read(void **state)
{
    (void)state;
    test_write(test_path("a"), "one\0two", 7);
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, 100);
    sl_buffer_text(&buffer, "> "); /* reading appends */
    assert_ok(sl_file_read(test_path("a"), &buffer, &err), err);
    assert_int_equal(buffer.length, 9);
    assert_memory_equal(buffer.data, "> one\0two", 10);
    sl_buffer_release(&buffer);
    test_write(test_path("empty"), NULL, 0);
    assert_content(test_path("empty"), "");
}

static void test_a_large_file_is_read_whole_without_spare_memory(void **state)
{
    (void)state;
    size_t length = 3000001;
    char *bytes = sl_alloc(length, 1);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)(i * 31 >> 3);
    test_write(test_path("large"), bytes, length);
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, 1 << 30);
    assert_ok(sl_file_read(test_path("large"), &buffer, &err), err);
    assert_int_equal(buffer.length, length);
    assert_memory_equal(buffer.data, bytes, length);
    assert_true(buffer.capacity < length + 100);
    sl_buffer_release(&buffer);
    free(bytes);
}

static void test_a_file_longer_than_the_cap_is_refused(void **state)
{
    (void)state;
    test_write(test_path("six"), "123456", 6);
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, 6);
    assert_ok(sl_file_read(test_path("six"), &buffer, &err), err);
    sl_buffer_release(&buffer);
    sl_buffer_init(&buffer, 5);
    assert_fails(sl_file_read(test_path("six"), &buffer, &err), SL_ERR_INPUT, err,
                 "six is longer than 5 bytes");
    assert_int_equal(buffer.length, 0);
    sl_buffer_release(&buffer);
    sl_buffer_init(&buffer, 4000);
    sl_buffer_text(&buffer, "kept");
    assert_fails(sl_file_read("/dev/zero", &buffer, &err), SL_ERR_INPUT, err,
                 "/dev/zero is longer than 4000 bytes");
    assert_string_equal(buffer.data, "kept");
    sl_buffer_release(&buffer);
}

static void test_a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        FILE *pipe = fopen(path, "w");
        for (int i = 0; pipe && i < 100000; i++)
            fprintf(pipe, "%05d ", i);
        _exit(pipe && fclose(pipe) == 0 ? 0 : 1);
    }
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, 1 << 20);
    assert_ok(sl_file_read(path, &buffer, &err), err);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(buffer.length, 600000);
    assert_memory_equal(buffer.data + 599994, "99999 ", 6);
    sl_buffer_release(&buffer);
}

static void test_missing_files_and_folders_are_told_apart(void **state)
{
    (void)state;
    struct sl_buffer buffer;
    struct sl_error err;
    sl_buffer_init(&buffer, 10);
    assert_fails(sl_file_read(test_path("absent"), &buffer, &err), SL_ERR_NOT_FOUND, err,
                 "absent: No such file or directory");
    assert_fails(sl_file_read("/tmp", &buffer, &err), SL_ERR_INPUT, err,
                 "/tmp is a folder, not a file");
    test_write(test_path("file"), "x", 1);
    char *below = sl_path_join(test_path("file"), "x");
    assert_fails(sl_file_read(below, &buffer, &err), SL_ERR_IO, err, "Not a directory");
    free(below);
    char **names = NULL;
    assert_fails(sl_folder_list(test_path("absent"), &names, NULL, &err), SL_ERR_NOT_FOUND, err,
                 "absent: No such file or directory");
    assert_null(names);
    sl_buffer_release(&buffer);
}

static void test_a_short_file_says_where_it_ends(void **state)
{
    (void)state;
    test_write(test_path("short"), "0123456789", 10);
    int descriptor = -1;
    uint64_t size = 0;
    struct sl_error err;
    assert_ok(sl_file_open(test_path("short"), &descriptor, &size, &err), err);
    assert_int_equal(size, 10);
    char bytes[8] = "";
    assert_ok(sl_file_pread(descriptor, "short", 4, bytes, 6, &err), err);
    assert_memory_equal(bytes, "456789", 6);
    assert_fails(sl_file_pread(descriptor, "short", 5, bytes, 8, &err), SL_ERR_INPUT, err,
                 "short: ends at byte 10, expected 3 more");
    assert_fails(sl_file_pread(descriptor, "short", 50, bytes, 1, &err), SL_ERR_INPUT, err,
                 "short: ends at byte 50, expected 1 more");
    assert_int_equal(sl_file_pread(descriptor, "short", UINT64_MAX, bytes, 1, &err), SL_ERR_IO);
    close(descriptor);
}

static void test_a_discarded_writer_leaves_nothing_behind(void **state)
{
    (void)state;
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("discard"), &err), err);
    char *path = sl_path_join(test_path("discard"), "out");
    struct sl_writer writer;
    assert_ok(sl_writer_open(&writer, path, &err), err);
    assert_ok(sl_writer_write(&writer, "half", 4, &err), err);
    assert_int_equal(files_in(test_path("discard")), 1);
    assert_false(sl_file_exists(path));
    sl_writer_discard(&writer);
    assert_int_equal(files_in(test_path("discard")), 0);
    sl_writer_discard(&writer); /* twice is fine */
    free(path);
}

static void test_a_writer_never_opened_may_be_discarded(void **state)
{
    (void)state;
    struct sl_writer writer = {0};
    sl_writer_discard(&writer);
    assert_true(fcntl(0, F_GETFD) >= 0); /* the writer must not close descriptor 0 */
}

static void test_a_committed_writer_replaces_the_file_at_once(void **state)
{
    (void)state;
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("commit"), &err), err);
    char *path = sl_path_join(test_path("commit"), "out");
    test_write(path, "old", 3);
    struct sl_writer writer;
    assert_ok(sl_writer_open(&writer, path, &err), err);
    assert_ok(sl_writer_printf(&writer, &err, "%s %d", "new", 7), err);
    assert_int_equal(writer.offset, 5);
    assert_content(path, "old");
    assert_ok(sl_writer_commit(&writer, &err), err);
    sl_writer_discard(&writer);
    assert_content(path, "new 7");
    assert_int_equal(files_in(test_path("commit")), 1);
    free(path);
}

static void test_a_failed_commit_leaves_the_old_file(void **state)
{
    (void)state;
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("failed"), &err), err);
    char *path = sl_path_join(test_path("failed"), "out");
    struct sl_writer writer;
    assert_ok(sl_writer_open(&writer, path, &err), err);
    assert_ok(sl_writer_write(&writer, "new", 3, &err), err);
    /* Meanwhile a folder of this name appeared; its file must survive. */
    assert_ok(sl_folder_create(path, &err), err);
    char *inner = sl_path_join(path, "inner");
    test_write(inner, "old", 3);
    assert_fails(sl_writer_commit(&writer, &err), SL_ERR_IO, err, "failed/out: ");
    sl_writer_discard(&writer);
    assert_content(inner, "old");
    assert_int_equal(files_in(test_path("failed")), 1);
    free(inner);
    free(path);
}

static void test_a_commit_whose_write_fails_leaves_the_old_file(void **state)
{
    (void)state;
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("full"), &err), err);
    char *path = sl_path_join(test_path("full"), "out");
    test_write(path, "old", 3);
    struct sl_writer writer;
    assert_ok(sl_writer_open(&writer, path, &err), err);
    assert_ok(sl_writer_write(&writer, "new", 3, &err), err);
    int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0 && dup2(full, writer.descriptor) >= 0); /* the disk fills up */
    close(full);
    assert_fails(sl_writer_commit(&writer, &err), SL_ERR_IO, err,
                 "full/out: No space left on device");
    sl_writer_discard(&writer);
    assert_content(path, "old");
    assert_int_equal(files_in(test_path("full")), 1);
    free(path);
}

/* Through links, so that a writer that replaces them does no harm to /dev. */
static void test_devices_are_written_to_and_not_replaced(void **state)
{
    (void)state;
    struct sl_error err;
    struct stat info;
    assert_int_equal(symlink("/dev/full", test_path("full-device")), 0);
    assert_int_equal(symlink("/dev/null", test_path("null-device")), 0);
    assert_fails(sl_file_write(test_path("full-device"), "x", 1, &err), SL_ERR_IO, err,
                 "full-device: No space left on device");
    assert_ok(sl_file_write(test_path("null-device"), "x", 1, &err), err);
    assert_int_equal(lstat(test_path("full-device"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(test_path("null-device"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void test_folders_and_missing_folders_cannot_be_written(void **state)
{
    (void)state;
    struct sl_error err;
    assert_fails(sl_file_write("/tmp", "x", 1, &err), SL_ERR_INPUT, err,
                 "/tmp is a folder, not a file");
    assert_fails(sl_file_write(test_path("absent/out"), "x", 1, &err), SL_ERR_IO, err,
                 "absent/out: No such file or directory");
}

static void test_large_writes_and_patches_arrive_in_order(void **state)
{
    (void)state;
    enum { PIECE = 100000, PIECES = 12 };
    struct sl_error err;
    struct sl_writer writer;
    assert_ok(sl_writer_open(&writer, test_path("pieces"), &err), err);
    assert_ok(sl_writer_write(&writer, "HEAD", 4, &err), err);
    char *piece = sl_alloc(PIECE * PIECES, 1);
    for (int i = 1; i <= PIECES; i++) { /* some fit into the buffer, some are longer than it */
        memset(piece, 'a' + i, (size_t)i * PIECE / 3);
        assert_ok(sl_writer_write(&writer, piece, (size_t)i * PIECE / 3, &err), err);
    }
    uint64_t end = writer.offset;
    assert_ok(sl_writer_write(&writer, "tail", 4, &err), err);
    assert_ok(sl_writer_commit(&writer, &err), err);
    sl_writer_discard(&writer);

    struct sl_buffer buffer;
    sl_buffer_init(&buffer, 1 << 24);
    assert_ok(sl_file_read(test_path("pieces"), &buffer, &err), err);
    assert_int_equal(buffer.length, end + 4);
    assert_memory_equal(buffer.data, "HEAD", 4);
    size_t at = 4;
    for (int i = 1; i <= PIECES; i++)
        for (size_t j = 0; j < (size_t)i * PIECE / 3; j++)
            if (buffer.data[at++] != 'a' + i) fail_msg("byte %zu is wrong", at - 1);
    assert_string_equal(buffer.data + at, "tail");
    sl_buffer_release(&buffer);
    free(piece);
}

static void test_two_writers_of_one_file_do_not_meet(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_writer first, second;
    assert_ok(sl_writer_open(&first, test_path("shared"), &err), err);
    assert_ok(sl_writer_open(&second, test_path("shared"), &err), err);
    assert_ok(sl_writer_write(&first, "first", 5, &err), err);
    assert_ok(sl_writer_write(&second, "second", 6, &err), err);
    assert_ok(sl_writer_commit(&second, &err), err);
    assert_content(test_path("shared"), "second");
    assert_ok(sl_writer_commit(&first, &err), err);
    assert_content(test_path("shared"), "first");
    sl_writer_discard(&first);
    sl_writer_discard(&second);
}

static void test_folders_are_created_with_their_parents(void **state)
{
    (void)state;
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("x/y//z/"), &err), err);
    assert_true(sl_folder_exists(test_path("x/y/z")));
    assert_false(sl_file_exists(test_path("x/y/z")));
    assert_ok(sl_folder_create(test_path("x/y/z"), &err), err);
    assert_ok(sl_folder_create("/", &err), err);
    assert_int_equal(sl_folder_create("", &err), SL_ERR_IO);
    test_write(test_path("x/file"), "x", 1);
    assert_fails(sl_folder_create(test_path("x/file/deeper"), &err), SL_ERR_IO, err,
                 "x/file exists and is not a folder; choose another name");
    /* The error is that of mkdir, not that of the stat after it. */
    assert_int_equal(symlink("nowhere", test_path("x/dangling")), 0);
    assert_fails(sl_folder_create(test_path("x/dangling"), &err), SL_ERR_IO, err,
                 "dangling exists and is not a folder; choose another name");
}

static void test_folders_are_listed_in_order(void **state)
{
    (void)state;
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("list"), &err), err);
    for (int i = 0; i < 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "list/%02d", (i * 17) % 40);
        test_write(test_path(name), "", 0);
    }
    char **names = NULL;
    size_t count = 0;
    assert_ok(sl_folder_list(test_path("list"), &names, &count, &err), err);
    assert_int_equal(count, 40);
    for (size_t i = 0; i < count; i++) {
        char expected[24];
        snprintf(expected, sizeof expected, "%02zu", i);
        assert_string_equal(names[i], expected);
    }
    assert_null(names[40]);
    sl_names_destroy(names);
    sl_names_destroy(NULL);
}

static void test_paths_are_joined_and_taken_apart(void **state)
{
    (void)state;
    static const struct {
        const char *folder, *name, *joined;
    } cases[] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"/", "b", "/b"}, {"", "b", "b"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *joined = sl_path_join(cases[i].folder, cases[i].name);
        assert_string_equal(joined, cases[i].joined);
        free(joined);
    }
    assert_string_equal(sl_path_name("a/b/c.txt"), "c.txt");
    assert_string_equal(sl_path_name("c.txt"), "c.txt");
    assert_string_equal(sl_path_name("a/"), "");
    assert_true(sl_path_has_suffix("x.NPZ", ".npz"));
    assert_false(sl_path_has_suffix("npz", ".npz"));
    assert_true(sl_path_has_suffix("x", ""));
}

static void test_a_folder_is_removed_with_what_is_in_it_and_no_more(void **state)
{
    (void)state;
    struct sl_error err = {0};
    char kept[256], folder[256], inner[300], link[300], file[320];
    snprintf(kept, sizeof kept, "%s", test_path("kept.txt"));
    snprintf(folder, sizeof folder, "%s", test_path("gone"));
    snprintf(inner, sizeof inner, "%s/inner", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(file, sizeof file, "%s/file", inner);
    test_write(kept, "x", 1);
    assert_ok(sl_folder_create(inner, &err), err);
    test_write(file, "x", 1);
    assert_int_equal(symlink(kept, link), 0);
    sl_folder_remove(folder);
    assert_false(sl_folder_exists(folder));
    assert_true(sl_file_exists(kept));
    sl_folder_remove(folder); /* removing a missing file is not an error */
}

static void test_a_scratch_folder_is_new_and_private(void **state)
{
    (void)state;
    struct sl_error err;
    struct stat info;
    char *one = NULL, *two = NULL;
    assert_ok(sl_folder_create(test_path("tmp"), &err), err);
    assert_ok(sl_folder_scratch(test_path("tmp"), &one, &err), err);
    assert_ok(sl_folder_scratch(test_path("tmp"), &two, &err), err);
    assert_string_not_equal(one, two);
    assert_int_equal(stat(one, &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    assert_int_equal(info.st_mode & 0777, 0700);
    sl_folder_remove(one);
    sl_folder_remove(two);
    sl_temporary_drop(one);
    sl_temporary_drop(two);
    free(one);
    free(two);
    one = NULL;
    assert_fails(sl_folder_scratch(test_path("nowhere"), &one, &err), SL_ERR_IO, err,
                 "no folder for temporary files (TMPDIR)");
    assert_null(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read),
        cmocka_unit_test(test_a_large_file_is_read_whole_without_spare_memory),
        cmocka_unit_test(test_a_file_longer_than_the_cap_is_refused),
        cmocka_unit_test(test_a_pipe_is_read_to_its_end),
        cmocka_unit_test(test_missing_files_and_folders_are_told_apart),
        cmocka_unit_test(test_a_short_file_says_where_it_ends),
        cmocka_unit_test(test_a_discarded_writer_leaves_nothing_behind),
        cmocka_unit_test(test_a_writer_never_opened_may_be_discarded),
        cmocka_unit_test(test_a_committed_writer_replaces_the_file_at_once),
        cmocka_unit_test(test_a_failed_commit_leaves_the_old_file),
        cmocka_unit_test(test_a_commit_whose_write_fails_leaves_the_old_file),
        cmocka_unit_test(test_devices_are_written_to_and_not_replaced),
        cmocka_unit_test(test_folders_and_missing_folders_cannot_be_written),
        cmocka_unit_test(test_large_writes_and_patches_arrive_in_order),
        cmocka_unit_test(test_two_writers_of_one_file_do_not_meet),
        cmocka_unit_test(test_folders_are_created_with_their_parents),
        cmocka_unit_test(test_folders_are_listed_in_order),
        cmocka_unit_test(test_paths_are_joined_and_taken_apart),
        cmocka_unit_test(test_a_folder_is_removed_with_what_is_in_it_and_no_more),
        cmocka_unit_test(test_a_scratch_folder_is_new_and_private),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
