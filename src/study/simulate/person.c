/* One annotator: walks from place to place as the page does, and retries without a reply. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/simulate/simulate.h"

/* Log-normal; together .52, like the quartiles of CIFAR-10S. */
static const double PERSON_SPREAD = .35, TRIAL_SPREAD = .39;
static const double FIRST_PAUSE = .05, LONGEST_PAUSE = 1;
enum { MAX_CONFLICTS = 5 };

static void look(struct sl_sim_person *person);
static void act(struct sl_sim_person *person);

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void draw(const struct sl_sim_person *person, const char *purpose, uint64_t trial,
                 struct sl_rng *rng)
{
    sl_rng_init(rng, person->simulation->options->seed, purpose, person->number, trial);
}

/* ---- Requests ---- */

static void send_now(void *context);

static void give_up(struct sl_sim_person *person, enum sl_sim_end end, const char *why)
{
    struct sl_simulation *simulation = person->simulation;
    snprintf(simulation->trouble, sizeof simulation->trouble, "%.*s",
             (int)sizeof simulation->trouble - 1, why);
    sl_log(simulation->options->log, SL_LOG_DEBUG, "annotator %zu: %s: %s", person->number,
           person->path, why);
    sl_sim_leave(person, end, why);
}

/* The message of a refusal: the error of the API, or the heading of a page. */
static void quote(const struct sl_http_heard *heard, char *out, size_t size)
{
    struct sl_json reply = {0};
    char *body = sl_string_copy_n(heard->body ? heard->body : "", heard->body ? heard->length : 0);
    const char *heading = strstr(body, "<h1>");
    if (heading) {
        heading += strlen("<h1>");
        snprintf(out, size, "%.*s", (int)strcspn(heading, "<"), heading);
    } else if (sl_json_parse(body, strlen(body), "reply", 1, &reply, NULL) == SL_OK) {
        snprintf(out, size, "%s", text_at(reply.root, "error"));
        sl_json_release(&reply);
    } else {
        snprintf(out, size, "%s", "");
    }
    free(body);
}

/* The server did not take the answer: it is the next one about its item again. */
static void put_back(struct sl_sim_person *person)
{
    if (person->replays) sl_replay_put_back(person->simulation->replay, &person->turn);
    person->replays = false;
}

static void refuse(struct sl_sim_person *person, const struct sl_http_heard *heard)
{
    put_back(person);
    char said[128], why[SL_SIMULATION_REASON];
    const char *query = strchr(person->path, '?');
    const size_t length = query ? (size_t)(query - person->path) : strlen(person->path);
    quote(heard, said, sizeof said);
    if (length == 1 && *said)
        snprintf(why, sizeof why, "refused on arrival: %s", said);
    else
        snprintf(why, sizeof why, "the server refused %.*s with status %d%s%s", (int)length,
                 person->path, heard->status, *said ? ": " : "", said);
    give_up(person, SL_SIM_REFUSED, why);
}

static void try_again(struct sl_sim_person *person, const struct sl_http_heard *heard)
{
    struct sl_simulation *simulation = person->simulation;
    struct sl_rng rng;
    draw(person, "simulate.retry", simulation->result.retries, &rng);
    double pause = fmin(FIRST_PAUSE * pow(2, person->tries), LONGEST_PAUSE);
    pause *= .5 + sl_rng_uniform(&rng);
    if (heard->status == 429) pause = heard->retry_after;
    sl_log(simulation->options->log, SL_LOG_DEBUG, "annotator %zu: %s: status %d, trying again",
           person->number, person->path, heard->status);
    if (sl_clock_seconds() - person->begun > simulation->options->patience) {
        give_up(person, SL_SIM_LOST,
                heard->status ? "the server was too busy for too long"
                              : "no reply from the server");
        return;
    }
    person->tries++;
    simulation->result.retries++;
    sl_http_client_wait(person->client, pause, send_now, person);
}

static void acknowledge(struct sl_sim_person *person)
{
    struct sl_simulation *simulation = person->simulation;
    double since = person->due;
    if (simulation->options->saved)
        simulation->options->saved(simulation->options->context, person->id, true);
    sl_sim_saved(simulation, 1000 * (sl_clock_seconds() - since));
    person->id[0] = '\0';
    if (!person->replays) return;
    sl_replay_given(simulation->replay, &person->turn);
    person->replays = false;
    person->n_replayed++;
}

static void take_cookie(struct sl_sim_person *person, const char *header)
{
    if (header)
        snprintf(person->cookie, sizeof person->cookie, "%.*s", (int)strcspn(header, ";"), header);
}

static void take_reply(struct sl_sim_person *person, const struct sl_http_heard *heard)
{
    struct sl_json reply = {0};
    if (heard->status == 200 && strncmp(person->path, "/image/", 7) != 0 &&
        sl_json_parse(heard->body ? heard->body : "", heard->length, "reply", 1, &reply, NULL) !=
            SL_OK) {
        give_up(person, SL_SIM_REFUSED, "the server's reply is not JSON");
        return;
    }
    person->simulation->arrived = true;
    if (person->id[0]) acknowledge(person);
    person->tries = 0;
    person->begun = 0;
    person->heard(person, reply.root);
    if (reply.root) sl_json_release(&reply);
}

static void on_reply(const struct sl_http_heard *heard, void *context)
{
    struct sl_sim_person *person = context;
    if (heard->status == 303) take_cookie(person, heard->cookie);
    if (heard->status == 200 || heard->status == 303) {
        take_reply(person, heard);
    } else if (heard->status == 0 || heard->status == 429 || heard->status >= 500) {
        try_again(person, heard);
    } else if (heard->status == 409 && person->conflicts++ < MAX_CONFLICTS) {
        person->id[0] = '\0';
        put_back(person);
        look(person);
    } else {
        refuse(person, heard);
    }
}

static void send_now(void *context)
{
    struct sl_sim_person *person = context;
    const struct sl_study_simulation *options = person->simulation->options;
    double now = sl_clock_seconds();
    if (!(person->begun > 0)) {
        person->begun = now;
        if (person->id[0] && options->saved) options->saved(options->context, person->id, false);
    }
    /* With a rate, the first try has its scheduled time; otherwise every try counts from now. */
    if (!(options->rate > 0)) person->due = now;
    const struct sl_http_ask ask = {.method = person->body ? SL_HTTP_POST : SL_HTTP_GET,
                                    .path = person->path,
                                    .cookie = person->cookie[0] ? person->cookie : NULL,
                                    .body = person->body};
    sl_http_client_ask(person->client, &ask, on_reply, person);
}

/* Sends a request after `seconds` of a person's time. */
static void ask(struct sl_sim_person *person, double seconds, char *path, json_t *body,
                void (*heard)(struct sl_sim_person *person, const json_t *reply))
{
    const struct sl_study_simulation *options = person->simulation->options;
    double pause = options->speed > 0 && !(options->rate > 0) ? seconds / options->speed : 0;
    free(person->path);
    free(person->body);
    person->path = path;
    person->body = body ? json_dumps(body, JSON_COMPACT) : NULL;
    json_decref(body);
    person->heard = heard;
    person->begun = 0;
    if (person->id[0] && options->rate > 0) {
        struct sl_simulation *simulation = person->simulation;
        double now = sl_clock_seconds();
        if (!(simulation->started > 0)) simulation->started = now;
        person->due = simulation->started + (double)simulation->n_slots++ / options->rate;
        pause = fmax(person->due - now, 0);
    }
    pause = fmax(pause, person->least);
    person->least = 0;
    if (pause > 0)
        sl_http_client_wait(person->client, pause, send_now, person);
    else
        send_now(person);
}

/* Derived from the session, so that a second run of the same simulation has other ids. */
static void make_id(const struct sl_sim_person *person, const char *purpose, size_t number,
                    char out[33])
{
    char head[17];
    struct sl_rng rng;
    snprintf(head, sizeof head, "%.16s", text_at(person->told, "session"));
    uint64_t session = strtoull(head, NULL, 16);
    sl_rng_init(&rng, session, purpose, person->simulation->options->seed, number);
    unsigned long long high = sl_rng_next(&rng), low = sl_rng_next(&rng);
    snprintf(out, 33, "%016llx%016llx", high, low);
}

/* ---- Places ---- */

static void hear_place(struct sl_sim_person *person, const json_t *reply)
{
    (void)reply;
    look(person);
}

static void post(struct sl_sim_person *person, double seconds, const char *path, json_t *body,
                 void (*heard)(struct sl_sim_person *person, const json_t *reply))
{
    ask(person, seconds * person->pace, sl_string_copy(path), body, heard);
}

static void at_consent(struct sl_sim_person *person)
{
    const char *version = text_at(json_object_get(person->told, "consent"), "version");
    post(person, 16, "/api/consent", json_pack("{s:s, s:b}", "version", version, "agreed", true),
         hear_place);
}

static void at_instructions(struct sl_sim_person *person)
{
    size_t count = json_array_size(json_object_get(person->told, "instructions"));
    json_t *pages = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(pages, json_integer((json_int_t)(136000 / (double)count)));
    post(person, 136, "/api/instructions", json_pack("{s:o}", "pages", pages), hear_place);
}

/* The position at which the page shows the right option of a question; options are shuffled, so
 * only their text identifies them. Without the study's folder people guess, and may fail. */
static json_int_t choose_option(struct sl_sim_person *person, const json_t *shown, size_t question)
{
    const struct sl_study *study = person->simulation->world.study;
    const json_t *options = json_object_get(shown, "options");
    struct sl_rng rng;
    if (study && question < study->n_comprehension) {
        const struct sl_study_question *known = &study->comprehension[question];
        for (size_t i = 0; i < json_array_size(options); i++)
            if (strcmp(json_string_value(json_array_get(options, i)),
                       known->options[known->answer]) == 0)
                return (json_int_t)i;
    }
    draw(person, "simulate.check", person->attempts * 100 + question, &rng);
    size_t count = json_array_size(options);
    return count ? (json_int_t)sl_rng_below(&rng, count) : 0;
}

static void at_check(struct sl_sim_person *person)
{
    const json_t *questions = json_object_get(person->told, "questions");
    json_t *answers = json_array();
    char id[33];
    for (size_t i = 0; i < json_array_size(questions); i++)
        json_array_append_new(answers,
                              json_integer(choose_option(person, json_array_get(questions, i), i)));
    make_id(person, "simulate.id.check", person->attempts++, id);
    post(person, 20, "/api/check",
         json_pack("{s:s, s:O*, s:o}", "id", id, "attempt",
                   json_object_get(person->told, "attempt"), "answers", answers),
         hear_place);
}

static void at_debrief(struct sl_sim_person *person)
{
    const json_t *questions = json_object_get(person->told, "debrief");
    json_t *answers = json_array();
    struct sl_rng rng;
    draw(person, "simulate.debrief", 0, &rng);
    for (size_t i = 0; i < json_array_size(questions); i++) {
        bool scale = strcmp(text_at(json_array_get(questions, i), "kind"), "scale") == 0;
        json_array_append_new(answers, scale ? json_integer(1 + (json_int_t)sl_rng_below(&rng, 10))
                                             : json_string("simulated"));
    }
    post(person, 60, "/api/debrief", json_pack("{s:o}", "answers", answers), hear_place);
}

/* ---- Trials ---- */

static double trial_seconds(const struct sl_sim_person *person, size_t trial, double median)
{
    struct sl_rng rng;
    draw(person, "simulate.time", trial, &rng);
    if (person->behaviour->seconds > 0)
        return person->behaviour->seconds * exp(person->behaviour->spread * sl_rng_normal(&rng));
    double learning = .82 + 1.14 * exp(-(double)trial / 4.33);
    return median * learning * person->pace * exp(TRIAL_SPREAD * sl_rng_normal(&rng));
}

/* Every input takes an equal share of the time. */
static json_t *times_of(const json_t *answer, double milliseconds)
{
    json_t *times = json_object(), *object = NULL, *value = NULL;
    double part = milliseconds / (double)(json_object_size(answer) + 1);
    const char *name = NULL;
    double at = part;
    memcpy(&object, &answer, sizeof object);
    json_object_foreach(object, name, value)
    {
        if (strcmp(name, "touched") == 0) continue; /* describes the inputs, is none itself */
        json_object_set_new(times, name,
                            json_pack("[I, I]", (json_int_t)at, (json_int_t)(at + part / 2)));
        at += part;
    }
    return times;
}

static void hear_saved(struct sl_sim_person *person, const json_t *reply)
{
    const char *place = text_at(reply, "place");
    if (strcmp(place, "trials") != 0 || strcmp(place, text_at(person->told, "place")) != 0) {
        look(person);
        return;
    }
    json_object_set(person->told, "trial", json_object_get(reply, "trial"));
    act(person);
}

static const json_t *item_shown(const struct sl_sim_person *person, bool practice, size_t trial)
{
    if (practice) return json_object_get(person->told, "practice");
    return json_array_get(json_object_get(person->told, "items"), trial);
}

/* What the person says by their belief, and the time that it takes. */
static void say_belief(const struct sl_sim_person *person, const struct sl_sim_screen *screen,
                       bool practice, size_t trial, json_t **said, double *ms)
{
    const struct sl_study_simulation *options = person->simulation->options;
    const json_t *classes = json_object_get(person->told, "classes");
    struct sl_sim_sight sight = {.item = item_shown(person, practice, trial),
                                 .classes = classes,
                                 .n_classes = json_array_size(classes)};
    uint64_t number = practice ? UINT64_MAX - trial : trial;
    /* In a replay this is said in practice and checks only, which are answered with the right
     * class. */
    const bool exact = person->simulation->replay != NULL;
    struct sl_sim_draw how = {options->seed, person->number, number, exact ? 0 : options->noise};
    struct sl_sim_belief belief = {.classes = sl_alloc(sight.n_classes + 1, sizeof(double))};
    struct sl_rng rng;
    sl_sim_believe(&person->simulation->world, &sight, &how, &belief);
    draw(person, "simulate.answer", number, &rng);
    const struct sl_sim_behaviour *behaviour = person->behaviour;
    bool slip = sl_rng_uniform(&rng) < options->slips && !behaviour->press && !exact;
    if (behaviour->press) behaviour->press(&belief, sight.n_classes, trial, &rng);
    *said = screen->say(&belief, &sight, slip, &rng);
    sl_sim_behaviour_settle(behaviour, *said);
    free(belief.classes);
    double seconds = trial_seconds(person, trial, sl_screen_find(screen->name)->seconds);
    *ms = floor(1000 * fmax(seconds, person->least));
}

/* Replaces the answer and, if one was recorded, the time. */
static void say_recorded(const struct sl_sim_person *person, json_t **said, double *ms)
{
    json_decref(*said);
    *said = json_pack("{s:s}", "class", person->turn.class_name);
    if (!isnan(person->turn.ms)) *ms = round(person->turn.ms);
}

static void hear_returned(struct sl_sim_person *person, const json_t *reply)
{
    (void)reply;
    sl_sim_leave(person, SL_SIM_STOPPED, person->why);
}

/* The person closes the page. The server leaves out the answers of people who give their place
 * back, so only a person without answers does that. */
static void stop(struct sl_sim_person *person, const char *why)
{
    person->why = why;
    if (person->n_replayed == 0)
        ask(person, 0, sl_string_copy("/api/return"), json_object(), hear_returned);
    else
        sl_sim_leave(person, SL_SIM_STOPPED, why);
}

/* Whether the item's next recorded answer was taken, or none is needed; if not, the person
 * leaves. */
static bool take_turn(struct sl_sim_person *person, size_t trial)
{
    struct sl_simulation *simulation = person->simulation;
    const uint32_t sight = sl_sim_world_find(&simulation->world, item_shown(person, false, trial));
    const enum sl_replay_taken taken = sl_replay_take(simulation->replay, sight, &person->turn);
    person->replays = taken == SL_REPLAY_TAKEN;
    if (taken == SL_REPLAY_OVER) stop(person, "the budget of the replay is spent");
    if (taken == SL_REPLAY_RAN_OUT) stop(person, "the item shown has no recorded answer left");
    return taken == SL_REPLAY_TAKEN || taken == SL_REPLAY_OTHER;
}

static void answer(struct sl_sim_person *person, bool practice, size_t trial)
{
    const struct sl_sim_screen *screen = sl_sim_screen_find(text_at(person->told, "screen"));
    double ms = 0;
    person->replays = false;
    if (person->simulation->replay && !practice && !take_turn(person, trial)) return;
    /* The server's minimum time is kept at any speed. */
    person->least = json_number_value(json_object_get(person->told, "min_seconds"));
    json_t *said = NULL;
    say_belief(person, screen, practice, trial, &said, &ms);
    if (person->replays) say_recorded(person, &said, &ms);
    make_id(person, practice ? "simulate.id.practice" : "simulate.id", trial, person->id);
    json_t *body = json_pack("{s:s, s:I, s:b, s:I, s:o, s:o}", "id", person->id, "trial",
                             (json_int_t)trial, "practice", practice, "elapsed", (json_int_t)ms,
                             "times", times_of(said, ms), "answer", said);
    ask(person, ms / 1000, sl_string_copy("/api/answer"), body, hear_saved);
}

static void hear_image(struct sl_sim_person *person, const json_t *reply)
{
    (void)reply;
    act(person);
}

/* Loads the image first, once per trial. */
static void at_trial(struct sl_sim_person *person, bool practice)
{
    /* Exercises are practice trials from 1 on. */
    const json_t *told = practice ? json_object_get(person->told, "practice") : person->told;
    size_t trial = (size_t)json_integer_value(json_object_get(told, "trial"));
    const json_t *item = item_shown(person, practice, trial);
    size_t number = practice ? SIZE_MAX - 1 - trial : trial + 1;
    const char *image = text_at(item, "image");
    if (!item || !sl_sim_screen_find(text_at(person->told, "screen")) ||
        json_array_size(json_object_get(person->told, "classes")) < 2) {
        give_up(person, SL_SIM_REFUSED, "the page shows nothing that can be answered");
        return;
    }
    if (*image && person->simulation->options->images && person->image != number) {
        person->image = number;
        ask(person, 0, sl_string_printf("/%s", image), NULL, hear_image);
        return;
    }
    if (!practice)
        sl_sim_advance(person, json_array_size(json_object_get(person->told, "items")), trial);
    answer(person, practice, trial);
}

static void at_practice(struct sl_sim_person *person)
{
    at_trial(person, true);
}

static void at_trials(struct sl_sim_person *person)
{
    at_trial(person, false);
}

static void at_done(struct sl_sim_person *person)
{
    sl_sim_leave(person, SL_SIM_FINISHED, NULL);
}

static void at_full(struct sl_sim_person *person)
{
    give_up(person, SL_SIM_REFUSED, "the study has no place left");
}

static void at_failed(struct sl_sim_person *person)
{
    give_up(person, SL_SIM_REFUSED, "failed the comprehension check");
}

static void at_other(struct sl_sim_person *person)
{
    char why[SL_SIMULATION_REASON];
    snprintf(why, sizeof why, "reached a place that simulated annotators do not know: \"%.40s\"",
             text_at(person->told, "place"));
    give_up(person, SL_SIM_REFUSED, why);
}

static const struct place {
    const char *name;
    void (*act)(struct sl_sim_person *person);
} places[] = {
    {"consent", at_consent},   {"instructions", at_instructions},
    {"check", at_check},       {"practice", at_practice},
    {"trials", at_trials},     {"debrief", at_debrief},
    {"training", at_practice}, {"done", at_done},
    {"full", at_full},         {"failed", at_failed},
    {NULL, at_other},
};

static void act(struct sl_sim_person *person)
{
    const char *name = text_at(person->told, "place");
    const struct place *place = places;
    while (place->name && strcmp(place->name, name) != 0)
        place++;
    place->act(person);
}

static void hear_session(struct sl_sim_person *person, const json_t *reply)
{
    json_decref(person->told);
    person->told = json_deep_copy(reply);
    act(person);
}

static void look(struct sl_sim_person *person)
{
    ask(person, 0, sl_string_copy("/api/session"), NULL, hear_session);
}

/* ---- Arriving ---- */

static char *arrival_path(const struct sl_sim_person *person)
{
    const struct sl_sim_world *world = &person->simulation->world;
    char name[32];
    if (!person->simulation->options->count) {
        char token[SL_STUDY_LINK_TEXT];
        sl_links_test(&world->links, token);
        return sl_string_printf("/?" SL_LINK_TEST "=%s", token);
    }
    struct sl_rng rng;
    draw(person, "simulate.person", 0, &rng);
    unsigned long long high = sl_rng_next(&rng) >> 16, low = sl_rng_next(&rng) >> 16;
    snprintf(name, sizeof name, "%012llx%012llx", high, low);
    if (world->study && *world->study->person)
        return sl_links_path(&world->links, world->study, name);
    return sl_string_printf("/?PROLIFIC_PID=%s&participant=%s", name, name);
}

void sl_sim_person_start(struct sl_sim_person *person, size_t number)
{
    struct sl_rng rng;
    sl_sim_person_release(person);
    person->number = number;
    person->behaviour = person->simulation->behaviours[number];
    person->cookie[0] = person->id[0] = '\0';
    person->image = SIZE_MAX;
    person->due = person->begun = person->least = 0;
    person->tries = person->conflicts = 0;
    person->attempts = person->n_done = person->n_replayed = 0;
    person->replays = false;
    draw(person, "simulate.pace", 0, &rng);
    person->pace = exp(PERSON_SPREAD * sl_rng_normal(&rng));
    ask(person, 0, arrival_path(person), NULL, hear_place);
}

void sl_sim_person_release(struct sl_sim_person *person)
{
    json_decref(person->told);
    free(person->body);
    free(person->path);
    person->told = NULL;
    person->body = person->path = NULL;
}
