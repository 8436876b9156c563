/* Pictures of a study's texts: read when the server starts, sent without touching the disk. */
#include <sys/stat.h>
#include <unistd.h>

#include "study/texts/media.h"
#include "study_scene.h"

static void write_media(const struct scene *scene, const char *name, const char *bytes)
{
    struct sl_error err;
    char *folder = sl_path_join(scene->folder, SL_MEDIA_FOLDER);
    char *path = sl_path_join(folder, name);
    assert_ok(sl_folder_create(folder, &err), err);
    assert_ok(sl_file_write(path, bytes, strlen(bytes), &err), err);
    free(folder);
    free(path);
}

static char *media_path(const struct scene *scene, const char *name)
{
    char *folder = sl_path_join(scene->folder, SL_MEDIA_FOLDER), *path = sl_path_join(folder, name);
    free(folder);
    return path;
}

static void test_a_picture_is_read_once_and_known_by_its_tag(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 6, 3, NULL);
    write_media(&scene, "map.gif", "GIF89a");
    write_media(&scene, "notes.txt", "not for the page");
    scene_start(&scene);
    /* The disk is not asked again. */
    char *path = media_path(&scene, "map.gif");
    assert_int_equal(unlink(path), 0);
    struct reply first = get(&scene, "/media/map.gif", NULL);
    assert_int_equal(first.status, 200);
    assert_string_equal(first.body, "GIF89a");
    assert_non_null(strstr(first.head, "Content-Type: image/gif\r\n"));
    struct reply again =
        ask(&scene, "GET", "/media/map.gif", NULL, test_tag_line(first.head), NULL);
    assert_int_equal(again.status, 304);
    static const char *const absent[] = {"/media/notes.txt", "/media/none.png", "/media/"};
    for (size_t i = 0; i < 3; i++) {
        struct reply reply = get(&scene, absent[i], NULL);
        assert_int_equal(reply.status, 404);
        reply_release(&reply);
    }
    reply_release(&first);
    reply_release(&again);
    free(path);
    scene_stop(&scene);
}

static void test_pictures_that_would_fill_the_memory_are_refused(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_study *study = NULL;
    struct sl_media media = {0};
    struct sl_error err;
    scene_make(&scene, 6, 3, NULL);
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_media_read(study, &media, &err), err);
    assert_int_equal(media.count, 0);
    sl_media_release(&media);
    for (int i = 0; i < 2; i++) {
        write_media(&scene, i == 0 ? "a.png" : "b.png", "x");
        char *path = media_path(&scene, i == 0 ? "a.png" : "b.png");
        assert_int_equal(truncate(path, 40 << 20), 0);
        free(path);
    }
    assert_fails(sl_media_read(study, &media, &err), SL_ERR_INPUT, err, "b.png");
    assert_non_null(strstr(err.message, "more than 64 MB in all"));
    sl_study_destroy(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_picture_is_read_once_and_known_by_its_tag),
        cmocka_unit_test(test_pictures_that_would_fill_the_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
