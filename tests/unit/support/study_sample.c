#include "study_sample.h"

#include "support.h"

static const char *const item_names[SAMPLE_ITEMS] = {"item0", "item1", "item2",
                                                     "item3", "=2+3",  "<script>alert(2)</script>"};

const char *sample_person(size_t index)
{
    static char name[32];
    snprintf(name, sizeof name, "5f00000000000000000000%02zu", index);
    return name;
}

static void add_items(struct sl_store *store)
{
    struct sl_error err;
    const char *const batches[2][3] = {{item_names[0], item_names[1], item_names[2]},
                                       {item_names[3], item_names[4], item_names[5]}};
    static const char *const truths[] = {"Deer", "Horse", "Ship"};
    for (size_t i = 0; i < SAMPLE_ITEMS; i++) {
        char content[64];
        snprintf(content, sizeof content, "{\"image\":\"picture%zu.png\"}", i);
        const struct sl_store_item item = {.id = item_names[i],
                                           .content = content,
                                           .truth = truths[i % 3],
                                           .entropy = i == 0 ? .5 : (double)NAN};
        assert_ok(sl_store_add_item(store, &item, &err), err);
    }
    for (size_t i = 0; i < 2; i++) {
        const struct sl_store_item item = {.id = i == 0 ? "check0" : "check1",
                                           .content = "{\"image\":\"../study.db\"}",
                                           .truth = "Ship",
                                           .entropy = (double)NAN,
                                           .check = true};
        assert_ok(sl_store_add_item(store, &item, &err), err);
    }
    for (size_t batch = 0; batch < 2; batch++)
        assert_ok(sl_store_add_batch(store, batch, 6, batches[batch], 3, &err), err);
}

struct player {
    struct sl_store *store;
    size_t index;
    struct sl_store_session session;
    unsigned client;
    int64_t clock;
};

static void put_answer(struct player *player, size_t trial, const char *item, const char *answer,
                       bool repeat, bool practice)
{
    char body[1024];
    struct sl_error err;
    enum sl_put_outcome outcome;
    player->clock += 20000;
    snprintf(body, sizeof body,
             "{\"trial\":%zu,\"elapsed\":15000,\"times\":{\"top\":[1000,2000],"
             "\"top_percent\":[2500,5000],\"impossible\":[8000,14000]},\"answer\":%s}",
             trial, answer);
    struct sl_store_answer stored = {.session = player->session.id,
                                     .trial = trial,
                                     .item = item,
                                     .body = body,
                                     .received = player->clock,
                                     .elapsed = 15000 + 1000 * (int64_t)player->index,
                                     .repeat = repeat,
                                     .practice = practice};
    stored.client_id[0] = (uint8_t)player->index;
    stored.client_id[1] = (uint8_t)player->client++;
    stored.client_id[2] = player->session.test;
    assert_ok(sl_store_put_answer(player->store, &stored, &outcome, &err), err);
    assert_int_equal(outcome, SL_PUT_STORED);
}

/* What annotator `index` says about an item of class `truth`. */
static const char *say(size_t index, const char *truth, bool repeat)
{
    static char text[512];
    const char *impossible = index == 3 ? truth : strcmp(truth, "Ship") == 0 ? "Horse" : "Ship";
    if (index >= 10)
        snprintf(text, sizeof text, "{\"percents\":[%d,%d,%d]}",
                 strcmp(truth, "Deer") == 0 ? 80 : 10, strcmp(truth, "Horse") == 0 ? 80 : 10,
                 strcmp(truth, "Ship") == 0 ? 80 : 10);
    else if (index == 5 && strcmp(truth, "Deer") == 0)
        snprintf(text, sizeof text,
                 "{\"top\":{\"class\":\"Deer\",\"percent\":null,\"raw\":\"=1+1\"},"
                 "\"second\":null,\"impossible\":[]}");
    else
        snprintf(text, sizeof text,
                 "{\"top\":{\"class\":\"%s\",\"percent\":%d,\"raw\":\"%d\"},\"second\":{\"class\":"
                 "\"%s\",\"percent\":20,\"raw\":\"20,0\"},\"impossible\":[\"%s\"]}",
                 truth, repeat ? 60 : 70, repeat ? 60 : 70,
                 strcmp(truth, "Deer") == 0 ? "Horse" : "Deer", impossible);
    return text;
}

static void put_event(struct player *player, const char *kind, const char *body)
{
    struct sl_error err;
    assert_ok(
        sl_store_put_event(player->store, player->session.id, player->clock, kind, body, &err),
        err);
}

static void play_trials(struct player *player, size_t count)
{
    static const char *const truths[] = {"Deer", "Horse", "Ship"};
    const size_t first = player->session.batch * 3, i = player->index;
    put_answer(player, 0, item_names[first], say(i, "Deer", false), false, true);
    for (size_t trial = 0; trial < count && trial < 3; trial++)
        put_answer(player, trial, item_names[first + trial], say(i, truths[trial], false), false,
                   false);
    if (i == 0) put_answer(player, 1, item_names[first + 1], say(i, "Deer", false), false, false);
    if (count > 3)
        put_answer(player, 3, "check0", say(i, i == 4 ? "Horse" : "Ship", false), false, false);
    if (count > 4) put_answer(player, 4, item_names[first], say(i, "Deer", true), true, false);
}

static void finish(struct player *player)
{
    struct sl_store_session *session = &player->session;
    static const enum sl_session_state ends[SAMPLE_PEOPLE] = {
        [7] = SL_SESSION_ACTIVE, [8] = SL_SESSION_EXPIRED, [9] = SL_SESSION_RETURNED};
    struct sl_error err;
    const bool open = player->index >= 7 && player->index <= 9 && !session->test;
    session->state = open ? ends[player->index] : SL_SESSION_DONE;
    snprintf(session->place, sizeof session->place, "%s", open ? "trials" : "done");
    session->finished = open ? 0 : player->clock;
    session->seen = player->clock;
    session->lease_until = player->index == 7 ? SAMPLE_NOW + 600000 : player->clock + 1000;
    put_event(player, "instructions", "{\"pages\":[1200,3400]}");
    if (!open)
        put_event(player, "debrief",
                  player->index == 6 ? "{\"answers\":[\"=cmd() mail me at jo.doe@example.org, I am "
                                       "5f1234567890abcdef123456\",7]}"
                                     : "{\"answers\":[\"fine\",9]}");
    assert_ok(sl_store_save_session(player->store, session, &err), err);
}

static void play(struct sl_store *store, size_t index, bool test)
{
    static const size_t trials[SAMPLE_PEOPLE] = {5, 5, 5, 5, 5, 5, 5, 3, 2, 1, 5, 5};
    struct player player = {
        .store = store, .index = index, .clock = SAMPLE_NOW - 7200000 + 60000 * (int64_t)index};
    uint8_t person[SL_STORE_PERSON_BYTES], token[SL_STORE_TOKEN_BYTES] = {(uint8_t)index, test};
    char parameters[128];
    struct sl_error err;
    bool returning = false;
    snprintf(parameters, sizeof parameters, "{\"SESSION_ID\":\"s%zu\"}", index);
    assert_ok(sl_study_person(store, sample_person(index), person, &err), err);
    const struct sl_store_arrival arrival = {.person = person,
                                             .token_hash = token,
                                             .screen = index >= 10 ? "bars" : "collins",
                                             .parameters = parameters,
                                             .now = player.clock,
                                             .lease_ms = 3600000,
                                             .test = test};
    assert_ok(sl_store_arrive(store, &arrival, &player.session, &returning, &err), err);
    assert_ok(sl_store_begin(store, &err), err);
    play_trials(&player, trials[index]);
    finish(&player);
    assert_ok(sl_store_commit(store, &err), err);
}

static void write_study(const char *folder, const char *further)
{
    char path[1024], text[2048];
    struct sl_error err;
    snprintf(path, sizeof path, "%s/items", folder);
    assert_ok(sl_folder_create(path, &err), err);
    snprintf(path, sizeof path, "%s/items/picture0.png", folder);
    test_write(path, "\x89PNG\r\n\x1a\n not quite", 18);
    int length = snprintf(
        text, sizeof text,
        "{\"softlab\":\"study\",\"version\":1,\"name\":\"animals\",\"title\":"
        "\"<script>alert(1)</script>\",\"classes\":[\"Deer\",\"Horse\",\"Ship\"],\"items\":"
        "{\"kind\":\"images\"},\"screens\":[\"collins\",\"bars\"],\"batch\":{\"size\":3,"
        "\"repeats\":1,\"check_every\":3},\"recruiter\":{\"kind\":\"prolific\",\"person\":"
        "\"PROLIFIC_PID\",\"keep\":[\"SESSION_ID\"]},\"pay\":{\"currency\":\"GBP\",\"base\":3.34,"
        "\"bonus\":0.41,\"bonus_rule\":\"accuracy\"}%s}",
        further);
    snprintf(path, sizeof path, "%s/study.json", folder);
    test_write(path, text, (size_t)length);
}

struct sample sample_create(const char *name, const char *further)
{
    struct sample sample = {0};
    struct sl_error err;
    char folder[512], path[600];
    snprintf(folder, sizeof folder, "%s", test_path(name));
    write_study(folder, further);
    snprintf(path, sizeof path, "%s/study.db", folder);
    assert_ok(sl_study_read(folder, &sample.study, &err), err);
    struct sl_store_options options = sl_store_options_default();
    options.create = true;
    options.durable = false; /* quick */
    assert_ok(sl_store_open(path, &options, &sample.store, &err), err);
    assert_ok(sl_store_begin(sample.store, &err), err);
    add_items(sample.store);
    assert_ok(sl_store_commit(sample.store, &err), err);
    for (size_t i = 0; i < SAMPLE_PEOPLE; i++)
        play(sample.store, i, false);
    play(sample.store, 1, true);
    return sample;
}

void sample_destroy(struct sample *sample)
{
    sl_store_close(sample->store);
    sl_study_destroy(sample->study);
    *sample = (struct sample){0};
}

static enum sl_status append(void *context, const void *bytes, size_t length, struct sl_error *err)
{
    (void)err;
    sl_buffer_append(context, bytes, length);
    return SL_OK;
}

enum sl_status sample_try_export(const struct sample *sample, const char *name,
                                 struct sl_buffer *out, struct sl_error *err)
{
    const struct sl_study_export *export = sl_study_exports;
    while (export->name && strcmp(export->name, name) != 0)
        export ++;
    assert_non_null(export->name);
    return export->write(sample->study, sample->store, append, out, err);
}

char *sample_export(const struct sample *sample, const char *name, size_t *length)
{
    struct sl_buffer out;
    struct sl_error err;
    sl_buffer_init(&out, 64 << 20);
    assert_ok(sample_try_export(sample, name, &out, &err), err);
    assert_false(out.overflowed);
    if (length) *length = out.length;
    return out.data;
}
