/* Lists of people to lists of their links. */
#include "softlab/study/check.h"
#include "study_scene.h"

#define GENERIC "{\"recruiter\": {\"kind\": \"generic\", \"person\": \"p\", \"links\": \"%s\"}}"

/* Write the links of a list for a study whose links are plain or signed. */
static enum sl_status write_links(const char *kind, const char *people, size_t *count,
                                  struct sl_error *err)
{
    struct scene scene;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    char change[128], ids[512], output[512];
    snprintf(change, sizeof change, GENERIC, kind);
    snprintf(ids, sizeof ids, "%s", test_path("people.csv"));
    snprintf(output, sizeof output, "%s", test_path("links.csv"));
    test_write(ids, people, strlen(people));
    scene_make(&scene, 3, 3, change);
    assert_ok(sl_study_read(scene.folder, &study, err), *err);
    assert_ok(sl_study_store(study, false, &store, err), *err);
    const struct sl_link_list list = {
        .ids = ids, .column = "id", .address = "https://x.org", .output = output};
    const enum sl_status status = sl_study_write_links(study, store, &list, count, err);
    sl_store_close(store);
    sl_study_destroy(study);
    return status;
}

static char *read_links(void)
{
    struct sl_error err;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    assert_ok(sl_file_read(test_path("links.csv"), &text, &err), err);
    return text.data;
}

static void test_everybody_has_a_link(void **state)
{
    (void)state;
    struct sl_error err;
    struct stat info;
    size_t count = 0;
    assert_ok(write_links("plain", "name,id\nAnn,7\nBob,b c\n", &count, &err), err);
    assert_int_equal(count, 2);
    char *text = read_links();
    assert_string_equal(text, "id,link\n7,https://x.org/?p=7\nb c,https://x.org/?p=b%20c\n");
    free(text);
    assert_int_equal(stat(test_path("links.csv"), &info), 0);
    assert_int_equal(info.st_mode & 077, 0);
    assert_ok(write_links("signed", "id\n7\n", &count, &err), err);
    assert_int_equal(count, 1);
    text = read_links();
    assert_non_null(strstr(text, "7,https://x.org/?p=7&sig="));
    free(text);
}

static void test_what_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
    struct sl_error err;
    size_t count = 99;
    assert_fails(write_links("plain", "id\n7\n8\n7\n", &count, &err), SL_ERR_INPUT, err,
                 "people.csv:4: \"7\" comes twice");
    assert_fails(write_links("plain", "id,x\n,1\n", &count, &err), SL_ERR_INPUT, err,
                 "people.csv:2: the participant has no name");
    assert_fails(write_links("plain", "id\n", &count, &err), SL_ERR_INPUT, err,
                 "names no participant");
    assert_fails(write_links("plain", "name\nAnn\n", &count, &err), SL_ERR_INPUT, err, "id");
    assert_int_equal(count, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everybody_has_a_link),
        cmocka_unit_test(test_what_is_wrong_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
