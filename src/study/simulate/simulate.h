/* Simulated annotators: what the files of this room share. Private to study/.
 *
 * Beliefs: an item has a true distribution (world.c). A person's belief about it is drawn
 * from a Dirichlet around it whose concentration is 1 / noise, or from a model fitted to people,
 * the same at every meeting; a trial adds a quarter of that noise. Answers (answer.c) say
 * the belief in the way of the screen. Times are log-normal around the screens' medians, longer in
 * the first trials (CIFAR-10S: 63 s in the first, 32 s in the ninth, 27 s in the last). */
#ifndef SOFTLAB_STUDY_SIMULATE_SIMULATE_H
#define SOFTLAB_STUDY_SIMULATE_SIMULATE_H

#include "softlab/base/names.h"
#include "softlab/base/random.h"
#include "softlab/http/client.h"
#include "softlab/study.h"
#include "study/serve/links.h"

/* ---- world.c: what is true ---- */

struct sl_sim_world {
    struct sl_study *study;       /* owned; NULL: nothing is known */
    struct sl_links links;        /* of the study, for test runs and signed links */
    struct sl_name_table *sights; /* owned; what pages show of the items */
    double *truth;                /* owned; (n_items, n_classes), by sight, in the study's order */
    double *share;                /* owned; of the first class in a mixture, NaN for others */
    uint32_t *sight_of;           /* owned; of the store's items, in its order */
    size_t n_items, n_read;
    int64_t last_session;       /* id of the last that is there; 0: none */
    struct sl_simulator *model; /* owned; or NULL */
    float *likeness;            /* owned; (n_classes, n_classes), with a model */
};
/* The file of labels that study init writes where a data set knows the truth. */
#define SL_STUDY_TRUTH_FILE "truth.npz"
enum sl_status sl_sim_world_read(const char *folder, const char *truth, struct sl_sim_world *out,
                                 struct sl_error *err) SL_MUST_USE;
/* From now on people's beliefs are drawn from a model that was fitted to answers. */
enum sl_status sl_sim_world_model(struct sl_sim_world *world, const char *path,
                                  struct sl_error *err) SL_MUST_USE;
void sl_sim_world_release(struct sl_sim_world *world);

/* What a person sees in a trial: the names are those of the page, in its order. */
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
void sl_sim_believe(const struct sl_sim_world *world, const struct sl_sim_sight *sight,
                    const struct sl_sim_draw *draw, struct sl_sim_belief *out);

/* ---- answer.c: how it is said ---- */

struct sl_sim_screen {
    const char *name;
    json_t *(*say)(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight, bool slip,
                   struct sl_rng *rng);
};
/* A row for every row of sl_screens. */
extern const struct sl_sim_screen sl_sim_screens[];
const struct sl_sim_screen *sl_sim_screen_find(const char *name);

/* ---- behaviour.c: who looks, and who does not ---- */

struct sl_sim_behaviour {
    const char *name, *summary;
    double seconds, spread; /* of every trial, and of its logarithm; 0: a person's times */
    bool settled;           /* no second class, and the same confidence throughout */
    /* Puts what is pressed in the place of what is believed; NULL: says what it believes. */
    void (*press)(struct sl_sim_belief *belief, size_t n_classes, size_t trial, struct sl_rng *rng);
};
extern const struct sl_sim_behaviour sl_sim_behaviours[]; /* ends with a NULL name; careful first */
/* What a behaviour changes in an answer that a screen has said. */
void sl_sim_behaviour_settle(const struct sl_sim_behaviour *behaviour, json_t *answer);
/* One row per person: of a list "key1=5,random=2" (or NULL) so many, drawn at random; all others
 * are careful. The caller frees the array. */
enum sl_status sl_sim_behaviours_assign(const char *list, size_t n_people, uint64_t seed,
                                        const struct sl_sim_behaviour ***out,
                                        struct sl_error *err) SL_MUST_USE;

/* ---- person.c: one after another on a seat ---- */

struct sl_sim_person {
    struct sl_simulation *simulation;
    struct sl_http_client *client; /* owned by the simulation */
    size_t number;
    double pace; /* of this person; 1: the median */
    const struct sl_sim_behaviour *behaviour;
    char cookie[160];
    json_t *told;      /* the last GET /api/session; owned */
    size_t attempts;   /* at the comprehension check */
    char *body, *path; /* of the request under way; owned */
    char id[33];       /* of the answer under way, or "" */
    size_t image;      /* the trial whose image is loaded */
    size_t n_done;     /* trials that are behind this person */
    double least;      /* seconds that the next request must wait */
    double due, begun; /* when it was to be sent; when it was first sent */
    unsigned tries, conflicts;
    void (*heard)(struct sl_sim_person *person, const json_t *reply);
};

struct sl_simulation {
    const struct sl_study_simulation *options;
    struct sl_http_loop *loop; /* owned */
    struct sl_sim_world world;
    const struct sl_sim_behaviour **behaviours; /* owned; by number of a person */
    struct sl_sim_person *people;               /* seats; owned */
    size_t n_people, n_seated, next;
    struct sl_simulation_result result;
    size_t n_trials;   /* of a session, as the first that came to them has; 0: nobody did */
    size_t n_done;     /* of all people's together */
    double *latencies; /* ms; owned */
    size_t n_latencies, latencies_capacity;
    double started; /* of the schedule of `rate`; 0: not yet */
    size_t n_slots;
    bool arrived;      /* somebody did */
    char trouble[160]; /* the last */
};

/* The person with `number` sits down. */
void sl_sim_person_start(struct sl_sim_person *person, size_t number);
void sl_sim_person_release(struct sl_sim_person *person);
enum sl_sim_end { SL_SIM_FINISHED, SL_SIM_REFUSED, SL_SIM_LOST };
/* simulate.c: the seat is free. `why` is NULL for those who finished. */
void sl_sim_leave(struct sl_sim_person *person, enum sl_sim_end end, const char *why);
/* The person has this many of a session's `n_trials` behind them: for the progress. */
void sl_sim_advance(struct sl_sim_person *person, size_t n_trials, size_t n_done);
void sl_sim_saved(struct sl_simulation *simulation, double milliseconds);

#endif
