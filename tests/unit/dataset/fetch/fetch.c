/* Downloads from a real HTTP server on the loopback interface. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "fetch_scene.h"

static void test_a_fresh_download_is_checked_and_named(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    struct sl_progress progress = {.stream = tmpfile()};
    scene.options.progress = &progress;
    assert_ok(fetch(&scene, &err), err);
    assert_complete();
    assert_int_equal(progress.total, BODY);
    assert_int_equal(progress.done, BODY);
    fclose(progress.stream);
    assert_int_equal(scene.server.seen->requests, 1);
    assert_string_equal(scene.server.seen->paths[0], "/little/inner/data.bin");
    assert_memory_equal(scene.server.seen->agents[0], "softlab/", 8);
    assert_string_equal(scene.server.seen->agents[0] + 8, sl_version());
    assert_string_equal(seen_range(&scene, 0), "");
    end_scene(&scene);
}

static void test_what_is_there_needs_no_network(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    assert_ok(sl_folder_create(test_path("data/little/inner"), &err), err);
    test_write(test_path(FINAL), body, BODY);
    assert_ok(fetch(&scene, &err), err);
    assert_int_equal(scene.server.seen->requests, 0);
    assert_true(logged(&scene, "little: found in "));
    end_scene(&scene);
}

static void test_the_given_folder_is_asked_first(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    char given[256], *folder = NULL;
    set_scene(&scene, NULL);
    snprintf(given, sizeof given, "%s", test_path("given"));
    scene.options.roots.given = given;
    assert_ok(sl_folder_create(test_path("given/little/inner"), &err), err);
    test_write(test_path("given/little/inner/data.bin"), body, BODY);
    assert_ok(sl_fetch_set_run(&scene.set, &scene.options, &scene.limits, &folder, &err), err);
    assert_string_equal(folder, test_path("given/little"));
    assert_false(sl_folder_exists(scene.root));
    free(folder);
}

static void test_a_cut_download_goes_on_where_it_stopped(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){
                          .body = body, .length = BODY, .cut_after = 100000, .bad_answers = 1});
    assert_fails(fetch(&scene, &err), SL_ERR_BACKEND, err, "run it again to resume");
    assert_int_equal(size_of(PART), 100000);
    assert_int_equal(size_of(FINAL), -1);
    assert_ok(fetch(&scene, &err), err);
    assert_complete();
    assert_int_equal(scene.server.seen->requests, 2);
    assert_string_equal(seen_range(&scene, 1), "bytes=100000-");
    end_scene(&scene);
}

static void test_a_body_without_a_length_that_ends_early_is_cut_too(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY - 7, .no_length = true});
    assert_fails(fetch(&scene, &err), SL_ERR_BACKEND, err, "ended at byte 299993 of 300000");
    assert_int_equal(size_of(PART), BODY - 7);
    end_scene(&scene);
}

static void test_a_server_without_ranges_starts_over(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY, .no_range = true});
    write_part(1234);
    assert_ok(fetch(&scene, &err), err);
    assert_complete();
    assert_string_equal(seen_range(&scene, 0), "bytes=1234-");
    assert_true(logged(&scene, "starting over"));
    end_scene(&scene);
}

static void test_an_answer_with_another_range_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY, .wrong_range = true});
    write_part(1234);
    assert_fails(fetch(&scene, &err), SL_ERR_BACKEND, err,
                 "asked for the bytes from 1234 on, the server sent other bytes");
    assert_int_equal(size_of(PART), 1234);
    end_scene(&scene);
}

static void test_a_complete_part_of_unknown_size_is_only_checked(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    scene.files[0].bytes = 0;
    write_part(BODY);
    assert_ok(fetch(&scene, &err), err);
    assert_complete();
    assert_string_equal(seen_range(&scene, 0), "bytes=300000-");
    end_scene(&scene);
}

static void test_a_complete_part_of_known_size_needs_no_request(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    write_part(BODY);
    assert_ok(fetch(&scene, &err), err);
    assert_complete();
    assert_int_equal(scene.server.seen->requests, 0);
    end_scene(&scene);
}

static void test_a_part_that_the_server_does_not_have_is_dropped(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = 100});
    scene.files[0].bytes = 0;
    write_part(200);
    assert_fails(fetch(&scene, &err), SL_ERR_BACKEND, err, "HTTP status 416");
    assert_int_equal(size_of(PART), -1);
    end_scene(&scene);
}

static void test_wrong_bytes_leave_nothing(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    static char wrong[BODY];
    char sum[SL_SHA256_TEXT];
    memcpy(wrong, body, BODY);
    wrong[BODY / 2] ^= 1;
    sl_sha256(wrong, BODY, sum);
    set_scene(&scene, &(struct http_plan){.body = wrong, .length = BODY});
    assert_fails(fetch(&scene, &err), SL_ERR_INPUT, err, "data.bin: expected SHA-256 ");
    assert_non_null(strstr(err.message, body_sum));
    assert_non_null(strstr(err.message, sum));
    assert_int_equal(size_of(PART), -1);
    assert_int_equal(size_of(FINAL), -1);
    end_scene(&scene);
}

static void test_a_wrong_file_is_replaced(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    assert_ok(sl_folder_create(test_path("data/little/inner"), &err), err);
    test_write(test_path(FINAL), "rubbish", 7);
    assert_ok(fetch(&scene, &err), err);
    assert_complete();
    assert_true(logged(&scene, "not used"));
    end_scene(&scene);
}

static void test_http_errors_name_address_and_status(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    char expected[128];
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY, .status = 404});
    snprintf(expected, sizeof expected, "%s/little/inner/data.bin: HTTP status 404",
             scene.server.url);
    assert_fails(fetch(&scene, &err), SL_ERR_NOT_FOUND, err, expected);
    assert_int_equal(size_of(PART), -1);
    end_scene(&scene);
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY, .status = 500});
    write_part(10);
    assert_fails(fetch(&scene, &err), SL_ERR_BACKEND, err, "HTTP status 500");
    assert_int_equal(size_of(PART), 10);
    end_scene(&scene);
}

static void test_nobody_listening_is_an_error(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    char url[64];
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    snprintf(url, sizeof url, "%s", scene.server.url);
    http_server_stop(&scene.server);
    scene.options.url_override = url;
    assert_fails(fetch(&scene, &err), SL_ERR_BACKEND, err, url);
    assert_int_equal(size_of(PART), -1);
}

static void test_a_body_that_is_too_long_is_stopped(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    scene.files[0].bytes = BODY - 1;
    assert_fails(fetch(&scene, &err), SL_ERR_INPUT, err, "longer than the expected 299999 bytes");
    assert_int_equal(size_of(PART), -1);
    scene.files[0].bytes = 0;
    scene.limits.maximum_bytes = 1000;
    assert_fails(fetch(&scene, &err), SL_ERR_INPUT, err, "longer than the allowed 1000 bytes");
    assert_int_equal(size_of(PART), -1);
    end_scene(&scene);
}

static void test_a_stalled_download_is_given_up_and_kept(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){
                          .body = body, .length = BODY, .stall_after = 5000, .bad_answers = 1});
    scene.limits.stall_seconds = 1;
    assert_fails(fetch(&scene, &err), SL_ERR_BACKEND, err, "too slow");
    assert_int_equal(size_of(PART), 5000);
    assert_ok(fetch(&scene, &err), err);
    assert_complete();
    end_scene(&scene);
}

/* A download in a child process, killed while the server stalls. */
static void test_a_killed_download_goes_on(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){
                          .body = body, .length = BODY, .stall_after = 70000, .bad_answers = 1});
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char *folder = NULL;
        struct sl_fetch_limits patient = scene.limits;
        patient.stall_seconds = 600;
        (void)!sl_fetch_set_run(&scene.set, &scene.options, &patient, &folder, NULL);
        _exit(0);
    }
    const struct timespec pause = {.tv_nsec = 10000000};
    pid_t ended = 0;
    while ((ended = waitpid(child, NULL, WNOHANG)) == 0 && size_of(PART) < 70000)
        nanosleep(&pause, NULL);
    assert_int_equal(ended, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(size_of(PART), 70000);
    assert_ok(fetch(&scene, &err), err);
    assert_complete();
    assert_string_equal(seen_range(&scene, 1), "bytes=70000-");
    end_scene(&scene);
}

static void test_two_processes_download_once(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char *folder = NULL;
        enum sl_status status =
            sl_fetch_set_run(&scene.set, &scene.options, &scene.limits, &folder, NULL);
        _exit(status == SL_OK ? 0 : 1);
    }
    assert_ok(fetch(&scene, &err), err);
    int result = -1;
    waitpid(child, &result, 0);
    assert_int_equal(result, 0);
    assert_int_equal(scene.server.seen->requests, 1);
    assert_complete();
    end_scene(&scene);
}

static struct sl_download download_of(struct scene *scene, const char *url)
{
    return (struct sl_download){.url = url,
                                .part = test_path("download"),
                                .label = "download",
                                .protocols = "http",
                                .redirect_protocols = "http",
                                .bytes = BODY,
                                .limits = scene->limits};
}

static void test_redirects_are_followed(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    char first[128];
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY, .redirect = "/second"});
    snprintf(first, sizeof first, "%s/first", scene.server.url);
    test_write(test_path("download"), body, 500);
    struct sl_download download = download_of(&scene, first);
    assert_ok(sl_download_run(&download, &err), err);
    assert_string_equal(scene.server.seen->paths[1], "/second");
    assert_string_equal(seen_range(&scene, 1), "bytes=500-");
    assert_int_equal(size_of("download"), BODY);
    end_scene(&scene);
}

static void test_a_redirect_to_plain_http_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    char first[128];
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY, .redirect = "/second"});
    snprintf(first, sizeof first, "%s/first", scene.server.url);
    struct sl_download download = download_of(&scene, first);
    download.redirect_protocols = "https";
    assert_fails(sl_download_run(&download, &err), SL_ERR_BACKEND, err, "Protocol \"http\"");
    assert_int_equal(scene.server.seen->requests, 1);
    assert_int_equal(size_of("download"), -1);
    end_scene(&scene);
}

static void test_a_plain_http_address_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    char url[128];
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    snprintf(url, sizeof url, "%s/data.bin", scene.server.url);
    scene.files[0].url = url;
    scene.options.url_override = NULL;
    assert_fails(fetch(&scene, &err), SL_ERR_BACKEND, err, "Protocol \"http\"");
    assert_int_equal(scene.server.seen->requests, 0);
    end_scene(&scene);
}

static void test_offline_only_looks(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    set_scene(&scene, &(struct http_plan){.body = body, .length = BODY});
    scene.options.offline = true;
    assert_fails(fetch(&scene, &err), SL_ERR_NOT_FOUND, err,
                 "offline mode downloads nothing; when online, run: softlab fetch little");
    assert_non_null(strstr(err.message, test_path("data/little")));
    assert_int_equal(scene.server.seen->requests, 0);
    assert_false(sl_folder_exists(scene.root));
    end_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FETCH_TEST(test_a_fresh_download_is_checked_and_named),
        FETCH_TEST(test_what_is_there_needs_no_network),
        FETCH_TEST(test_the_given_folder_is_asked_first),
        FETCH_TEST(test_a_cut_download_goes_on_where_it_stopped),
        FETCH_TEST(test_a_body_without_a_length_that_ends_early_is_cut_too),
        FETCH_TEST(test_a_server_without_ranges_starts_over),
        FETCH_TEST(test_an_answer_with_another_range_is_refused),
        FETCH_TEST(test_a_complete_part_of_unknown_size_is_only_checked),
        FETCH_TEST(test_a_complete_part_of_known_size_needs_no_request),
        FETCH_TEST(test_a_part_that_the_server_does_not_have_is_dropped),
        FETCH_TEST(test_wrong_bytes_leave_nothing),
        FETCH_TEST(test_a_wrong_file_is_replaced),
        FETCH_TEST(test_http_errors_name_address_and_status),
        FETCH_TEST(test_nobody_listening_is_an_error),
        FETCH_TEST(test_a_body_that_is_too_long_is_stopped),
        FETCH_TEST(test_a_stalled_download_is_given_up_and_kept),
        FETCH_TEST(test_a_killed_download_goes_on),
        FETCH_TEST(test_two_processes_download_once),
        FETCH_TEST(test_redirects_are_followed),
        FETCH_TEST(test_a_redirect_to_plain_http_is_refused),
        FETCH_TEST(test_a_plain_http_address_is_refused),
        FETCH_TEST(test_offline_only_looks),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
