/* Simulated annotators: shared by the files of this folder. Private to study/.
 *
 * Beliefs: an item has a true distribution (world.c). A person's belief about it is drawn from a
 * Dirichlet around it with concentration 1 / noise, or from a model fitted to people, and stays the
 * same for that person; every trial adds a quarter of that noise. answer.c turns a belief into an
 * answer of the screen. Times are log-normal around the screens' medians, longer in the first
 * trials (CIFAR-10S: 63 s in the first, 32 s in the ninth, 27 s in the last). */
#ifndef SOFTLAB_STUDY_SIMULATE_SIMULATE_H
#define SOFTLAB_STUDY_SIMULATE_SIMULATE_H

#include "softlab/base/names.h"
#include "softlab/base/random.h"
#include "softlab/http/client.h"
#include "softlab/study.h"
#include "study/serve/links.h"

/* ---- world.c: the truth ---- */

struct sl_sim_world {
    struct sl_study *study;       /* owned; NULL: unknown */
    struct sl_links links;        /* of the study, for test runs and signed links */
    struct sl_name_table *sights; /* owned; items as pages show them */
    double *truth;                /* owned; (n_items, n_classes), by sight, in the study's order */
    double *share;                /* owned; of the first class in a mixture, NaN for others */
    uint32_t *sight_of;           /* owned; of the store's items, in its order */
    char **names;                 /* owned; of the same; NULL for checks and exercises */
    size_t n_items, n_read;
    int64_t last_session;       /* id of the last session so far; 0: none */
    struct sl_simulator *model; /* owned; or NULL */
    float *likeness;            /* owned; (n_classes, n_classes), with a model */
};
/* The label file that study init writes if a data set knows the truth. */
#define SL_STUDY_TRUTH_FILE "truth.npz"
enum sl_status sl_sim_world_read(const char *folder, const char *truth, struct sl_sim_world *out,
                                 struct sl_error *err) SL_MUST_USE;
/* Draw people's beliefs from a model that was fitted to answers. */
enum sl_status sl_sim_world_model(struct sl_sim_world *world, const char *path,
                                  struct sl_error *err) SL_MUST_USE;
void sl_sim_world_release(struct sl_sim_world *world);

/* What a person sees in a trial: the page's names in the page's order. */
struct sl_sim_sight {
    const json_t *item;    /* of "items", or "practice" */
    const json_t *classes; /* names */
    size_t n_classes;
};
struct sl_sim_belief {
    double *classes; /* n_classes, sum 1; owned by the caller */
    double share;    /* of the first endpoint */
};
struct sl_sim_draw {
    uint64_t seed, person, trial;
    double noise;
};
/* A hash of the text, for naming a random stream. */
uint64_t sl_sim_text_number(const char *text);
/* The number of what a page shows in world->sights; SL_NO_NAME if it is unknown. */
uint32_t sl_sim_world_find(const struct sl_sim_world *world, const json_t *item);
void sl_sim_believe(const struct sl_sim_world *world, const struct sl_sim_sight *sight,
                    const struct sl_sim_draw *draw, struct sl_sim_belief *out);

/* ---- answer.c: from beliefs to answers ---- */

struct sl_sim_screen {
    const char *name;
    json_t *(*say)(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight, bool slip,
                   struct sl_rng *rng);
};
/* One row for every row of sl_screens. */
extern const struct sl_sim_screen sl_sim_screens[];
const struct sl_sim_screen *sl_sim_screen_find(const char *name);

/* ---- replay.c: recorded answers of people ---- */

struct sl_replay; /* opaque */
/* A recorded answer that a person is about to give. Texts are borrowed from the replay. */
struct sl_replay_turn {
    size_t position; /* private */
    const char *class_name;
    double ms; /* NaN: not recorded */
};
enum sl_replay_taken {
    SL_REPLAY_TAKEN,
    SL_REPLAY_OTHER,   /* a check: answered from the truth */
    SL_REPLAY_RAN_OUT, /* the item has no recorded answer left */
    SL_REPLAY_OVER,    /* the budget is spent */
};

/* The order in which an item's `count` recorded answers are given: a function of seed and name, so
 * that the n-th answer about an item is the same whoever is asked, and when. */
void sl_replay_order(uint64_t seed, const char *item, size_t count, size_t *out);
/* How many of an item's answers can be given; the others are held out. */
size_t sl_replay_part(size_t count, double share);

/* Reads and checks the recorded answers, and writes those that are held out. */
enum sl_status sl_replay_create(const struct sl_study_simulation *options,
                                const struct sl_sim_world *world, struct sl_replay **out,
                                struct sl_error *err) SL_MUST_USE;
void sl_replay_destroy(struct sl_replay *replay);
/* The next answer about the item with this sight (a number of world->sights or SL_NO_NAME). */
enum sl_replay_taken sl_replay_take(struct sl_replay *replay, uint32_t sight,
                                    struct sl_replay_turn *out);
/* The server acknowledged the answer; or refused it, so that it is the item's next one again. */
void sl_replay_given(struct sl_replay *replay, const struct sl_replay_turn *turn);
void sl_replay_put_back(struct sl_replay *replay, const struct sl_replay_turn *turn);
/* Whether nobody else need come. */
bool sl_replay_is_over(const struct sl_replay *replay);
void sl_replay_sum(const struct sl_replay *replay, struct sl_replay_result *out);
/* Writes the answers that were acknowledged, item by item in the order in which they were given. */
enum sl_status sl_replay_write(const struct sl_replay *replay, const char *path,
                               struct sl_error *err) SL_MUST_USE;

/* ---- behaviour.c: careful and careless annotators ---- */

struct sl_sim_behaviour {
    const char *name, *summary;
    double seconds, spread; /* of every trial, and of its logarithm; 0: a person's times */
    bool settled;           /* no second class, and always the same confidence */
    /* Replaces the belief by what the script presses; NULL: answers what it believes. */
    void (*press)(struct sl_sim_belief *belief, size_t n_classes, size_t trial, struct sl_rng *rng);
};
extern const struct sl_sim_behaviour sl_sim_behaviours[]; /* ends with a NULL name; careful first */
/* Applies `settled` to a screen's answer. */
void sl_sim_behaviour_settle(const struct sl_sim_behaviour *behaviour, json_t *answer);
/* One row per person: a list "key1=5,random=2" (or NULL) assigns its behaviours to people at
 * random; all others are careful. The caller frees the array. */
enum sl_status sl_sim_behaviours_assign(const char *list, size_t n_people, uint64_t seed,
                                        const struct sl_sim_behaviour ***out,
                                        struct sl_error *err) SL_MUST_USE;

/* ---- person.c: people, one after another on a seat ---- */

struct sl_sim_person {
    struct sl_simulation *simulation;
    struct sl_http_client *client; /* owned by the simulation */
    size_t number;
    double pace; /* of this person; 1: the median */
    const struct sl_sim_behaviour *behaviour;
    char cookie[160];
    json_t *told;      /* the last reply of GET /api/session; owned */
    size_t attempts;   /* at the comprehension check */
    char *body, *path; /* of the current request; owned */
    char id[33];       /* of the current answer, or "" */
    size_t image;      /* the trial whose image is loaded */
    size_t n_done;     /* trials answered */
    double least;      /* seconds that the next request must wait */
    double due, begun; /* when it was due; when it was first sent */
    unsigned tries, conflicts;
    void (*heard)(struct sl_sim_person *person, const json_t *reply);
    struct sl_replay_turn turn; /* the recorded answer in the current request, if `replays` */
    bool replays;
    size_t n_replayed; /* recorded answers given by this person */
    const char *why;   /* static; the person leaves for this reason, once the place is free */
};

struct sl_simulation {
    const struct sl_study_simulation *options;
    struct sl_http_loop *loop; /* owned */
    struct sl_sim_world world;
    struct sl_replay *replay;                   /* owned; NULL: answers from beliefs */
    const struct sl_sim_behaviour **behaviours; /* owned; by a person's number */
    struct sl_sim_person *people;               /* seats; owned */
    size_t n_people, n_seated, next;
    struct sl_simulation_result result;
    size_t n_trials;   /* of a session, from the first that reached them; 0: none did */
    size_t n_done;     /* trials answered by all people */
    double *latencies; /* ms; owned */
    size_t n_latencies, latencies_capacity;
    double started; /* start of the schedule for `rate`; 0: not yet */
    size_t n_slots;
    bool arrived;      /* at least one person arrived */
    char trouble[160]; /* the last error */
};

/* The person with `number` takes the seat. */
void sl_sim_person_start(struct sl_sim_person *person, size_t number);
void sl_sim_person_release(struct sl_sim_person *person);
enum sl_sim_end { SL_SIM_FINISHED, SL_SIM_REFUSED, SL_SIM_LOST, SL_SIM_STOPPED };
/* simulate.c: the seat is free again. `why` is NULL for a person who finished. */
void sl_sim_leave(struct sl_sim_person *person, enum sl_sim_end end, const char *why);
/* The person has answered `n_done` of the session's `n_trials`: for the progress display. */
void sl_sim_advance(struct sl_sim_person *person, size_t n_trials, size_t n_done);
void sl_sim_saved(struct sl_simulation *simulation, double milliseconds);

#endif
