/* What softlab study check finds: every finding planted, and a study without any. */
#include "make_exif.h"
#include "softlab/dataset/image.h"
#include "softlab/study/check.h"
#include "study_scene.h"

struct world {
    struct scene scene;
    struct sl_study *study;
    struct sl_store *store;
    struct sl_findings findings;
};

/* Obvious images of two classes. */
static void make_checks(void)
{
    static const char *const names[] = {"circle", "square"};
    struct sl_error err;
    for (size_t i = 0; i < 2; i++) {
        struct sl_image image = {0};
        char *folder = sl_path_join(test_path("checks"), names[i]);
        char *path = sl_path_join(folder, "a.png");
        assert_ok(sl_folder_create(test_path("checks"), &err), err);
        assert_ok(sl_folder_create(folder, &err), err);
        assert_ok(sl_image_create(16, 16, 1, &image, &err), err);
        for (size_t p = 0; p < 256; p++)
            image.pixels[p] = (uint8_t)(p * (i + 3));
        assert_ok(sl_image_write_png(&image, NULL, path, &err), err);
        sl_image_release(&image);
        free(folder);
        free(path);
    }
}

static void set_up(struct world *world, const char *change)
{
    *world = (struct world){0};
    scene_make(&world->scene, 12, 4, "{\"order\": {\"shuffle_options\": true}}");
    if (change) scene_change(&world->scene, change);
}

static void look(struct world *world)
{
    struct sl_error err;
    const struct sl_study_inspection how = {.now = 1700000000000, .pictures = true, .texts = true};
    assert_ok(sl_study_read(world->scene.folder, &world->study, &err), err);
    assert_ok(sl_study_store(world->study, false, &world->store, &err), err);
    assert_ok(sl_study_inspect(world->study, world->store, &how, &world->findings, &err), err);
}

static void tear_down(struct world *world)
{
    sl_findings_release(&world->findings);
    sl_store_close(world->store);
    sl_study_destroy(world->study);
}

/* A finding that holds `part`; NULL if there is none. */
static const struct sl_finding *find(const struct world *world, const char *part)
{
    for (size_t i = 0; i < world->findings.count; i++) {
        char *text = sl_finding_text(&world->findings.list[i]);
        const bool found = strstr(text, part) != NULL;
        free(text);
        if (found) return &world->findings.list[i];
    }
    return NULL;
}

static void expect(const struct world *world, const char *part, enum sl_finding_level level)
{
    const struct sl_finding *found = find(world, part);
    for (size_t i = 0; !found && i < world->findings.count; i++) {
        char *text = sl_finding_text(&world->findings.list[i]);
        print_error("found: %s\n", text);
        free(text);
    }
    if (!found) {
        fail_msg("not found: %s", part);
        return;
    }
    assert_int_equal(found->level, level);
}

static void write_text(const struct world *world, const char *name, const char *text)
{
    struct sl_error err;
    char *path = sl_path_join(world->scene.folder, name);
    assert_ok(sl_file_write(path, text, strlen(text), &err), err);
    free(path);
}

static void test_a_study_that_is_ready_has_no_findings(void **state)
{
    struct world world;
    (void)state;
    set_up(&world, NULL);
    look(&world);
    for (size_t i = 0; i < world.findings.count; i++)
        print_error("%s: %s\n", world.findings.list[i].where, world.findings.list[i].problem);
    assert_int_equal(world.findings.count, 0);
    tear_down(&world);
}

/* Each row: a change of study.json, and what must be found. */
static const struct {
    const char *change, *part;
    enum sl_finding_level level;
} planted[] = {
    {"{\"title\": \"TODO\"}", "study.json:6: $.title: \"TODO\" is a placeholder", SL_FINDING_ERROR},
    {"{\"comprehension\": [{\"question\": \"XXXX\", \"options\": [\"a\", \"b\"], \"answer\": "
     "0}]}",
     "comprehension[0].question: \"XXXX\"", SL_FINDING_ERROR},
    {"{\"comprehension\": [{\"question\": \"q\", \"options\": [\"a\", \"[your text]\"], "
     "\"answer\": 0}]}",
     "$.comprehension[0].options[1]", SL_FINDING_ERROR},
    {"{\"debrief\": [{\"question\": \"Lorem ipsum dolor\", \"kind\": \"text\"}]}",
     "$.debrief[0].question", SL_FINDING_ERROR},
    {"{\"recruiter\": {\"codes\": {\"done\": \"XXXXXXXX\"}}}",
     "the completion code \"XXXXXXXX\" is a placeholder", SL_FINDING_ERROR},
    {"{\"recruiter\": {\"codes\": {\"done\": \"SAME\", \"failed\": \"SAME\"}}}",
     "recruiter.codes.failed: the code \"SAME\" is also recruiter.codes.done", SL_FINDING_ERROR},
    {"{\"recruiter\": {\"codes\": {\"refused\": \"SAME\", \"full\": \"SAME\"}}}",
     "is also recruiter.codes.refused", SL_FINDING_WARNING},
    {"{\"recruiter\": {\"kind\": \"prolific\", \"person\": \"who\"}}",
     "Prolific names people by the parameter PROLIFIC_PID", SL_FINDING_ERROR},
    {"{\"recruiter\": {\"kind\": \"prolific\", \"person\": \"PROLIFIC_PID\"}}",
     "SESSION_ID is not kept", SL_FINDING_ERROR},
    {"{\"recruiter\": {\"kind\": \"prolific\", \"person\": \"PROLIFIC_PID\", \"keep\": "
     "[\"SESSION_ID\"]}}",
     "STUDY_ID is not kept", SL_FINDING_WARNING},
    {"{\"recruiter\": {\"kind\": \"prolific\", \"person\": \"PROLIFIC_PID\"}}",
     "not sent back to Prolific", SL_FINDING_WARNING},
    {"{\"recruiter\": {\"kind\": \"prolific\", \"person\": \"PROLIFIC_PID\", \"codes\": "
     "{\"done\": \"\"}}}",
     "recruiter.codes.done: the completion code is empty", SL_FINDING_ERROR},
    {"{\"recruiter\": {\"complete\": \"https://x.test/\"}}", "the same for everybody",
     SL_FINDING_WARNING},
    {"{\"recruiter\": {\"kind\": \"generic\", \"person\": \"id\"}, \"pay\": {\"base\": 2, "
     "\"currency\": \"EUR\"}}",
     "payments cannot name submissions", SL_FINDING_WARNING},
    {"{\"lease_minutes\": 1}", "a person who pauses for 1 loses the place", SL_FINDING_WARNING},
    {"{\"flow\": {\"min_seconds\": 5}}", "the shortest time is 5.0 s", SL_FINDING_WARNING},
    {"{\"batch\": {\"check_every\": 40, \"check_kinds\": [\"instructed\"]}}",
     "the first check comes after 40 trials", SL_FINDING_WARNING},
    {"{\"pay\": {\"base\": 2}}", "no currency is named", SL_FINDING_ERROR},
    {"{\"pay\": {\"base\": 0.1, \"currency\": \"GBP\", \"per_hour\": 9}}", "less than 9.00",
     SL_FINDING_WARNING},
    {"{\"pay\": {\"base\": 0.1, \"currency\": \"GBP\"}, \"recruiter\": {\"kind\": "
     "\"prolific\", \"person\": \"PROLIFIC_PID\"}}",
     "less than 6.00", SL_FINDING_WARNING},
    {"{\"pay\": {\"bonus\": 1, \"currency\": \"GBP\"}}", "nobody gets the bonus of 1.00 GBP",
     SL_FINDING_WARNING},
    {"{\"pay\": {\"bonus\": 1, \"currency\": \"GBP\", \"bonus_rule\": \"accuracy\"}}",
     "nobody can earn the bonus", SL_FINDING_ERROR},
    {"{\"keep_until\": \"2023-11-13\"}", "by 2023-11-13, which has passed", SL_FINDING_ERROR},
    {"{\"classes\": [\"circle\", \"square\", \"Circle\"]}",
     "\"circle\" and \"Circle\" differ only in capital letters", SL_FINDING_WARNING},
    {"{\"batch\": {\"check_every\": 2}}", "is due after every 2 trials, but there is none",
     SL_FINDING_ERROR},
    {"{\"batch\": {\"annotators\": 1}}", "nothing can show whether people agree",
     SL_FINDING_WARNING},
    {"{\"batch\": {\"annotators\": 2}, \"screens\": [\"hard\", \"bars\", \"fast\"]}",
     "2 annotators per batch are spread over 3 screens", SL_FINDING_WARNING},
    {"{\"batch\": {\"size\": 9}}", "it is 9, but the largest batch has 4 items",
     SL_FINDING_WARNING},
    {"{\"comprehension\": [{\"question\": \"q\", \"options\": [\"a\", \"b\"], \"answer\": "
     "0}]}",
     "3 attempts are enough to try every answer", SL_FINDING_WARNING},
    {"{\"comprehension\": [{\"question\": \"q\", \"options\": [\"long\", \"b\", \"c\"], "
     "\"answer\": 0}, {\"question\": \"r\", \"options\": [\"b\", \"long\", \"c\"], "
     "\"answer\": 1}]}",
     "the right option of every question is the longest", SL_FINDING_WARNING},
    {"{\"order\": {\"shuffle_options\": false}}",
     "$.order.shuffle_options: the right option of every question is the first",
     SL_FINDING_WARNING},
};

static void test_what_study_json_says_is_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        struct world world;
        set_up(&world, planted[i].change);
        look(&world);
        expect(&world, planted[i].part, planted[i].level);
        tear_down(&world);
    }
}

static void test_what_is_right_is_not_found(void **state)
{
    static const char *const changes[] = {
        "{\"keep_until\": \"2023-11-14\"}", /* today */
        "{\"pay\": {\"base\": 3, \"currency\": \"GBP\", \"per_hour\": 9}}",
        "{\"lease_minutes\": 10}",
        "{\"flow\": {\"min_seconds\": 1}}",
        "{\"batch\": {\"check_every\": 3, \"check_kinds\": [\"instructed\"]}}",
        "{\"classes\": [\"circle\", \"square\", \"circles\"]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct world world;
        set_up(&world, changes[i]);
        look(&world);
        if (world.findings.count > 0) print_error("%s\n", world.findings.list[0].problem);
        assert_int_equal(world.findings.count, 0);
        tear_down(&world);
    }
}

static void test_placeholders_in_texts_are_named_with_their_line(void **state)
{
    struct world world;
    (void)state;
    set_up(&world, NULL);
    write_text(&world, "consent.md",
               "# Hello\n\nIt takes {minutes} minutes, {trails} trials.\n\n"
               "[Name of the researcher, e-mail address] and [sic] [1] [a link](https://x.test)\n"
               "\\[no placeholder\\] and \\{neither}, TODOS\n");
    write_text(&world, "instructions.md", "TODO: write this\n---\nLorem ipsum\n[NAME]\n");
    write_text(&world, "debrief.md",
               "Thank you, XXX\n\n![a plan](plan.svg) ![a map](media/map.png)\n");
    look(&world);
    expect(&world, "consent.md:3: \"{trails}\"", SL_FINDING_ERROR);
    expect(&world, "consent.md:5: \"[Name of the researcher, e-mail address]\"", SL_FINDING_ERROR);
    expect(&world, "instructions.md:1: \"TODO\"", SL_FINDING_ERROR);
    expect(&world, "instructions.md:3: \"Lorem ipsum\"", SL_FINDING_ERROR);
    expect(&world, "instructions.md:4: \"[NAME]\"", SL_FINDING_ERROR);
    expect(&world, "debrief.md:1: \"XXX\"", SL_FINDING_ERROR);
    expect(&world, "debrief.md:3: the picture \"plan.svg\" cannot be shown", SL_FINDING_ERROR);
    expect(&world, "debrief.md:3: the picture \"media/map.png\" does not exist", SL_FINDING_ERROR);
    assert_int_equal(world.findings.count, 8);
    assert_int_equal(world.findings.n_errors, 8);
    tear_down(&world);
}

static void test_a_study_without_consent_is_a_warning(void **state)
{
    struct world world;
    (void)state;
    set_up(&world, NULL);
    write_text(&world, "consent.md", " \n");
    look(&world);
    expect(&world, "nobody is asked for consent", SL_FINDING_WARNING);
    tear_down(&world);
}

/* A grey picture in the place of an item's. */
static void put_picture(const struct world *world, size_t item, size_t height, size_t width,
                        bool plain)
{
    struct sl_image image = {0};
    struct sl_error err;
    char *path = sl_string_printf("%s/items/shapes-%06zu.png", world->scene.folder, item);
    assert_ok(sl_image_create(height, width, 1, &image, &err), err);
    for (size_t i = 0; !plain && i < height * width; i++)
        image.pixels[i] = (uint8_t)(i * 7 + item);
    assert_ok(sl_image_write_png(&image, NULL, path, &err), err);
    sl_image_release(&image);
    free(path);
}

static void put_turned(const struct world *world, size_t item)
{
    struct sl_image image = {0};
    struct sl_buffer bytes;
    struct sl_error err;
    char *path = sl_string_printf("%s/items/shapes-%06zu.png", world->scene.folder, item);
    sl_buffer_init(&bytes, 1 << 20);
    assert_ok(sl_image_create(20, 30, 1, &image, &err), err);
    for (size_t i = 0; i < 600; i++)
        image.pixels[i] = (uint8_t)(i * item);
    put_png_with_exif(&bytes, &image, 6);
    assert_ok(sl_file_write(path, bytes.data, bytes.length, &err), err);
    sl_buffer_release(&bytes);
    sl_image_release(&image);
    free(path);
}

static void test_odd_pictures_are_named(void **state)
{
    struct world world;
    (void)state;
    set_up(&world, NULL);
    put_picture(&world, 1, 8, 8, false);
    put_picture(&world, 2, 20, 200, false);
    put_picture(&world, 3, 32, 32, true);
    put_picture(&world, 4, 5200, 5200, false);
    put_picture(&world, 5, 40, 40, false);
    char *from = sl_string_printf("%s/items/shapes-000005.png", world.scene.folder);
    struct sl_buffer bytes;
    struct sl_error err;
    sl_buffer_init(&bytes, 1 << 20);
    assert_ok(sl_file_read(from, &bytes, &err), err);
    char *to = sl_string_printf("%s/items/shapes-000006.png", world.scene.folder);
    assert_ok(sl_file_write(to, bytes.data, bytes.length, &err), err);
    write_text(&world, "items/shapes-000007.png", "no picture");
    put_turned(&world, 8);
    put_turned(&world, 9);
    look(&world);
    expect(&world, "shapes-000001.png: the picture is 8 x 8 pixels", SL_FINDING_WARNING);
    expect(&world, "shapes-000002.png: the picture is 200 x 20 pixels: shown whole",
           SL_FINDING_WARNING);
    expect(&world, "shapes-000003.png: the picture has a single colour", SL_FINDING_WARNING);
    expect(&world, "shapes-000004.png: the picture is 5200 x 5200 pixels, which takes",
           SL_FINDING_WARNING);
    expect(&world, "shapes-000006.png: the picture is the same as that of item \"shapes-000005",
           SL_FINDING_WARNING);
    expect(&world, "shapes-000007.png: the picture cannot be shown", SL_FINDING_ERROR);
    expect(&world,
           "shapes-000008.png: the EXIF data of the file say that the picture is rotated, as do "
           "others",
           SL_FINDING_WARNING);
    assert_int_equal(world.findings.count, 7);
    assert_int_equal(sl_findings_left_out(&world.findings, 5, 4), 3);
    assert_int_equal(sl_findings_left_out(&world.findings, 0, 7), 0);
    sl_buffer_release(&bytes);
    free(from);
    free(to);
    tear_down(&world);
}

static void make_study(struct world *world, const struct sl_study_setup *options,
                       const char *change)
{
    struct sl_study_setup setup = *options;
    struct sl_error err;
    *world = (struct world){.scene = {.clock = 1700000000000}};
    snprintf(world->scene.folder, sizeof world->scene.folder, "%s", setup.folder);
    setup.contact = "Ada";
    setup.screens = "hard";
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    if (change) scene_change(&world->scene, change);
}

static void test_texts_that_are_long_or_come_twice_are_named(void **state)
{
    struct sl_study_setup setup = sl_study_setup_default();
    struct world world;
    struct sl_error err;
    struct sl_buffer table;
    (void)state;
    sl_buffer_init(&table, 1 << 20);
    sl_buffer_text(&table, "item\ttext\tlabel\na\tone\tx\nb\ttwo\ty\nc\tone\tx\nd\t");
    for (size_t i = 0; i < 500; i++)
        sl_buffer_text(&table, "words ");
    sl_buffer_text(&table, "\tx\n");
    assert_ok(sl_file_write(test_path("long.tsv"), table.data, table.length, &err), err);
    setup.folder = test_path("texts");
    setup.texts = test_path("long.tsv");
    setup.batch_size = 2;
    make_study(&world, &setup, NULL);
    look(&world);
    expect(&world, "item \"c\": the text is the same as that of item \"a\"", SL_FINDING_WARNING);
    expect(&world, "item \"d\": the text has ", SL_FINDING_WARNING);
    assert_int_equal(world.findings.count, 2);
    sl_buffer_release(&table);
    tear_down(&world);
}

static void test_practice_without_an_item_of_its_own_is_named(void **state)
{
    struct world world;
    (void)state;
    world = (struct world){0};
    scene_make(&world.scene, 4, 4, NULL);
    look(&world);
    expect(&world, "$.flow.practice: the trials of 1 batch show every item", SL_FINDING_WARNING);
    tear_down(&world);
    scene_make(&world.scene, 4, 4, "{\"flow\": {\"practice\": false}}");
    look(&world);
    assert_null(find(&world, "flow.practice"));
    tear_down(&world);
    scene_make(&world.scene, 5, 4, NULL);
    look(&world);
    assert_null(find(&world, "flow.practice"));
    tear_down(&world);
}

static void test_checks_that_nobody_or_everybody_passes_are_named(void **state)
{
    struct sl_study_setup setup = sl_study_setup_default();
    struct world world;
    (void)state;
    make_checks();
    setup.images = "shapes:n=12,classes=3,size=16";
    setup.checks = test_path("checks");
    setup.batch_size = 4;
    setup.folder = test_path("checked");
    make_study(&world, &setup, "{\"batch\": {\"check_every\": 3}}");
    look(&world);
    assert_int_equal(world.findings.count, 0);
    tear_down(&world);
    scene_change(&world.scene, "{\"classes\": [\"circle\", \"disc\", \"triangle\"]}");
    look(&world);
    expect(&world, "nobody can pass this check: its answer \"square\"", SL_FINDING_ERROR);
    expect(&world, "a person who always answers \"circle\" passes all checks", SL_FINDING_WARNING);
    tear_down(&world);
    scene_change(&world.scene, "{\"classes\": [\"circle\", \"square\", \"triangle\"], \"batch\": "
                               "{\"check_every\": 50}}");
    look(&world);
    expect(&world, "everybody passes: the first check comes after 50 trials", SL_FINDING_WARNING);
    tear_down(&world);
    scene_change(&world.scene, "{\"batch\": {\"check_every\": 0}}");
    look(&world);
    expect(&world, "there are 2 obvious items, but none is shown", SL_FINDING_WARNING);
    tear_down(&world);
}

/* CIFAR-10S: 27 trials of the screen collins, a median session of 23.5 minutes. */
static void test_the_time_of_a_study_is_that_of_cifar10s(void **state)
{
    struct sl_study_setup setup = sl_study_setup_default();
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_study_effort effort;
    struct sl_error err;
    (void)state;
    setup.folder = test_path("cifar10s");
    setup.images = "shapes:n=50,classes=3,size=16";
    setup.screens = "collins";
    setup.batch_size = 25;
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    assert_ok(sl_study_read(setup.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_study_effort(study, store, &effort, &err), err);
    assert_int_equal(effort.n_trials, 27);
    assert_in_range(effort.minutes, 22, 26);
    const size_t minutes = effort.minutes;
    study->check_every = 9;
    assert_ok(sl_study_effort(study, store, &effort, &err), err);
    assert_int_equal(effort.n_trials, 30);
    assert_true(effort.minutes > minutes);
    sl_store_close(store);
    sl_study_destroy(study);
}

static char *consent_of(struct scene *scene)
{
    char cookie[65];
    scene_start(scene);
    arrive(scene, "/", cookie);
    json_t *session = session_of(scene, cookie);
    char *html = sl_string_copy(
        json_string_value(json_object_get(json_object_get(session, "consent"), "html")));
    json_decref(session);
    scene_stop(scene);
    return html;
}

static void test_the_consent_page_says_time_pay_and_date(void **state)
{
    static const struct {
        const char *change, *part;
    } rows[] = {
        {"{\"pay\": {\"base\": 3.5, \"currency\": \"GBP\"}}",
         "You are paid <strong>3.50 GBP</strong>."},
        {"{\"pay\": {\"bonus\": 1, \"bonus_rule\": \"finished\"}}",
         "You are paid <strong>3.50 GBP</strong>, and <strong>1.00 GBP</strong> more if you finish "
         "the study."},
        {"{\"pay\": {\"base\": 0}}", "You are paid <strong>1.00 GBP</strong> if you finish"},
        {"{\"keep_until\": \"2031-01-31\"}", "is deleted by <strong>2031-01-31</strong>"},
    };
    struct scene scene;
    (void)state;
    scene_make(&scene, 12, 4, NULL);
    char *html = consent_of(&scene);
    assert_non_null(strstr(html, "You will look at 6 images"));
    assert_non_null(strstr(html, "about <strong>5 minutes</strong>"));
    assert_null(strstr(html, "paid"));
    assert_null(strstr(html, "is deleted by"));
    assert_null(strstr(html, "{"));
    free(html);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_change(&scene, rows[i].change);
        html = consent_of(&scene);
        if (!strstr(html, rows[i].part)) print_error("%s\n", html);
        assert_non_null(strstr(html, rows[i].part));
        free(html);
    }
}

static void test_a_study_that_is_not_ready_is_only_rehearsed(void **state)
{
    struct sl_study_serve serve = sl_study_serve_default();
    struct sl_study_server *server = NULL;
    struct world world;
    struct sl_error err;
    char cookie[65];
    (void)state;
    set_up(&world, NULL);
    write_text(&world, "consent.md", "Ask [Name of the researcher]\n");
    serve.port = serve.admin_port = 0;
    serve.now = scene_now;
    serve.clock_context = &world.scene.clock;
    assert_fails(sl_study_server_create(world.scene.folder, &serve, &server, &err), SL_ERR_INPUT,
                 err, "consent.md:1: \"[Name of the researcher]\" is a placeholder");
    serve.rehearse = true;
    assert_ok(sl_study_server_create(world.scene.folder, &serve, &world.scene.server, &err), err);
    world.scene.port = sl_study_server_port(world.scene.server);
    scene_go(&world.scene);
    struct reply reply = get(&world.scene, "/", NULL);
    assert_int_equal(reply.status, 403);
    assert_non_null(reply.body);
    assert_non_null(strstr(reply.body, "This study has not started yet"));
    reply_release(&reply);
    arrive(&world.scene, scene_test_link(&world.scene), cookie);
    assert_string_equal(place_of(&world.scene, cookie), "consent");
    scene_stop(&world.scene);
}

/* Somebody who came before is let in again when the rehearsal is over. */
static void test_a_rehearsal_waits_for_those_who_are_no_tests(void **state)
{
    struct world world;
    char cookie[65];
    (void)state;
    set_up(&world, NULL);
    scene_start(&world.scene);
    arrive(&world.scene, "/", cookie);
    scene_stop(&world.scene);
    world.scene.rehearse = true;
    scene_start(&world.scene);
    struct reply reply = get(&world.scene, "/api/session", cookie);
    assert_int_equal(reply.status, 403);
    reply_release(&reply);
    scene_stop(&world.scene);
    world.scene.rehearse = false;
    scene_start(&world.scene);
    assert_string_equal(place_of(&world.scene, cookie), "consent");
    scene_stop(&world.scene);
}

static void test_links_have_the_recruiters_parameters(void **state)
{
    static const struct {
        const char *change, *link;
    } rows[] = {
        {"{}", "https://x.test/"},
        {"{\"recruiter\": {\"kind\": \"prolific\", \"person\": \"PROLIFIC_PID\", \"keep\": "
         "[\"STUDY_ID\", \"SESSION_ID\"], \"complete\": \"https://p.test/?cc={code}\", \"codes\": "
         "{\"done\": \"D\", \"refused\": \"\"}}}",
         "https://x.test/?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%"
         "SESSION_ID%}}"},
        {"{\"recruiter\": {\"kind\": \"generic\", \"person\": \"id\", \"keep\": []}}",
         "https://x.test/?id=..."},
        {"{\"recruiter\": {\"links\": \"signed\"}}", "https://x.test/?id=...&sig=..."},
    };
    struct world world;
    struct sl_error err;
    char token[SL_STUDY_LINK_TEXT];
    (void)state;
    set_up(&world, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_change(&world.scene, rows[i].change);
        look(&world);
        assert_ok(sl_study_test_token(world.store, token, &err), err);
        json_t *links = sl_study_links_json(world.study, world.store, "https://x.test");
        json_t *outcomes = json_object_get(links, "outcomes");
        char *test = sl_string_printf("https://x.test/?test=%s", token);
        assert_string_equal(json_string_value(json_object_get(links, "annotators")), rows[i].link);
        assert_string_equal(json_string_value(json_object_get(links, "test")), test);
        assert_int_equal(json_array_size(outcomes), 4);
        if (i == 1) {
            assert_string_equal(
                json_string_value(json_object_get(json_array_get(outcomes, 0), "url")),
                "https://p.test/?cc=D");
            assert_true(json_is_null(json_object_get(json_array_get(outcomes, 1), "url")));
        }
        free(test);
        json_decref(links);
        tear_down(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_study_that_is_ready_has_no_findings),
        cmocka_unit_test(test_what_study_json_says_is_checked),
        cmocka_unit_test(test_what_is_right_is_not_found),
        cmocka_unit_test(test_placeholders_in_texts_are_named_with_their_line),
        cmocka_unit_test(test_a_study_without_consent_is_a_warning),
        cmocka_unit_test(test_odd_pictures_are_named),
        cmocka_unit_test(test_texts_that_are_long_or_come_twice_are_named),
        cmocka_unit_test(test_practice_without_an_item_of_its_own_is_named),
        cmocka_unit_test(test_checks_that_nobody_or_everybody_passes_are_named),
        cmocka_unit_test(test_the_time_of_a_study_is_that_of_cifar10s),
        cmocka_unit_test(test_the_consent_page_says_time_pay_and_date),
        cmocka_unit_test(test_a_study_that_is_not_ready_is_only_rehearsed),
        cmocka_unit_test(test_a_rehearsal_waits_for_those_who_are_no_tests),
        cmocka_unit_test(test_links_have_the_recruiters_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
