/* Study: collecting what people believe. A study is a folder (docs/internals/study.md): study.json
 * says what is asked of whom, Markdown files hold the texts, study.db holds the answers.
 *
 * The configuration is plain data; src/study has the rules of a session (what comes next, what is
 * allowed). They are the same for browsers and simulated annotators, since both use HTTP. */
#ifndef SOFTLAB_STUDY_H
#define SOFTLAB_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/answer.h"
#include "softlab/ask.h"
#include "softlab/base/error.h"
#include "softlab/base/json.h"
#include "softlab/base/log.h"
#include "softlab/store.h"

SL_BEGIN_DECLS

/* ---- study.json ---- */

enum sl_item_kind { SL_ITEM_IMAGES, SL_ITEM_TEXTS, SL_ITEM_MIXTURES };
enum sl_bonus_rule { SL_BONUS_NONE, SL_BONUS_ACCURACY, SL_BONUS_FINISHED };
/* Other people's view, or one's own. */
enum sl_framing { SL_FRAMING_THIRD, SL_FRAMING_FIRST };
/* Whether every link needs a signature of the participant's name. */
enum sl_link_kind { SL_LINKS_PLAIN, SL_LINKS_SIGNED };
/* A free text, or a number from 1 to 10. */
enum sl_debrief_kind { SL_DEBRIEF_TEXT, SL_DEBRIEF_SCALE };

/* Who is asked about what: batches that study init made, or items that are chosen for each person
 * when they arrive. */
enum sl_study_assignment { SL_ASSIGN_FIXED, SL_ASSIGN_ADAPTIVE };

/* How items are chosen (softlab/ask.h), and when the study ends. 0: no such limit. */
struct sl_study_adaptive {
    enum sl_ask_way way;
    size_t first, least, most;
    double stop;
    size_t budget_answers;
    double budget_seconds, budget_money;
    double target; /* mean risk */
};

enum { SL_STUDY_MAX_OPTIONS = 20 };
struct sl_study_question {
    char *question;
    char **options; /* comprehension only */
    size_t n_options, answer;
    enum sl_debrief_kind kind; /* debrief only */
};

struct sl_study {
    char *folder;   /* from which it was read */
    char *database; /* a file, or a URL of PostgreSQL: see sl_study_database */
    char *softlab;  /* kind and version of the file: "study", 1 */
    size_t version;
    char *name, *title;
    char *id;       /* of the study, as in its database; "" if the file has none */
    char *language; /* of the pages: "en" */
    char **classes;
    size_t n_classes;
    enum sl_item_kind kind;
    char *items_folder, *items_file; /* relative to the folder */
    size_t size;                     /* CSS pixels */
    char *upsample;                  /* "lanczos", "nearest", "none" */
    char **screens;                  /* rows of sl_screens */
    size_t n_screens;
    enum sl_framing framing;
    size_t batch_size, repeats, annotators, check_every;
    char **check_kinds; /* rows of sl_check_kind_names, used in turn */
    size_t n_check_kinds;
    enum sl_study_assignment assignment;
    struct sl_study_adaptive adaptive;
    bool shuffle_items, shuffle_classes, shuffle_options;
    size_t attempts, break_after;
    size_t training_trials,
        training_attempts; /* exercises with feedback (0: none), and rounds of them */
    double training_pass;  /* the share that must be right */
    double min_seconds;    /* shortest time for a trial; 0: none */
    bool practice, back;
    size_t lease_minutes;
    struct sl_study_question *comprehension;
    size_t n_comprehension;
    struct sl_study_question *debrief;
    size_t n_debrief;
    char *consent_version;
    char *recruiter; /* "open", "prolific", "generic" */
    char *person;    /* URL parameter that names the participant; "" for open */
    char **keep;     /* further parameters to keep */
    size_t n_keep;
    enum sl_link_kind links;
    size_t places_per_address; /* live and finished sessions; 0: no limit */
    char *complete;            /* URL with {code}, or "" */
    char *code_done, *code_refused, *code_failed, *code_full;
    char *currency;
    double base, bonus, bonus_from;
    double per_hour; /* the lowest hourly wage; 0: none stated */
    enum sl_bonus_rule bonus_rule;
    char *keep_until; /* "2027-01-31", or "" */
};

/* Checks every key; SL_ERR_INPUT names file, line and key. All strings are owned. */
enum sl_status sl_study_read(const char *folder, struct sl_study **out,
                             struct sl_error *err) SL_MUST_USE;
void sl_study_destroy(struct sl_study *study);
#define SL_STUDY_DATABASE     "study.db"
#define SL_STUDY_DATABASE_URL "study.database"
/* Where the study's database is: the URL in the folder's study.database, or else its study.db. A
 * heap string. */
enum sl_status sl_study_database(const char *folder, char **out, struct sl_error *err) SL_MUST_USE;
/* Open the study's database. SL_ERR_INPUT, saying what to do, if it belongs to another study or if
 * study.json contradicts its answers (docs/internals/study.md has the rules). */
enum sl_status sl_study_store(const struct sl_study *study, bool read_only, struct sl_store **out,
                              struct sl_error *err) SL_MUST_USE;
/* The same for the pictures: SL_ERR_INPUT if a picture with answers has changed. */
enum sl_status sl_study_check_pictures(const struct sl_study *study, struct sl_store *store,
                                       struct sl_error *err) SL_MUST_USE;
/* SL_ERR_INPUT if `path` is a file of the study. */
enum sl_status sl_study_check_output(const char *folder, const char *path,
                                     struct sl_error *err) SL_MUST_USE;

/* ---- Backups ---- */

/* A consistent copy of the database, also while the study is served. A study.json that contradicts
 * the database is only a warning. Never overwrites a file of the study. */
enum sl_status sl_study_backup(const char *folder, const char *path, const struct sl_log *log,
                               struct sl_error *err) SL_MUST_USE;

struct sl_study_restored {
    char *set_aside;        /* owned; the new name of the old database, or NULL */
    size_t purged_sessions; /* left out: people who withdrew after the backup was made */
};
/* Replace the study's database by a backup of it. People who were purged stay purged. */
enum sl_status sl_study_restore(const char *backup, const char *folder, int64_t now,
                                struct sl_study_restored *out, struct sl_error *err) SL_MUST_USE;
void sl_study_restored_release(struct sl_study_restored *restored);

/* Move the study's database: to a URL of PostgreSQL, which study.database then names and which must
 * not contain a password, or back to study.db (NULL). Refused while a server or a command has the
 * database open. A study.db that was moved is kept under another name; rows in PostgreSQL stay.
 * Both say where the study is, and are not opened again (sl_store_move). After a kill the same call
 * ends what was begun. *kept, owned by the caller, says where the old rows are. */
enum sl_status sl_study_migrate(const char *folder, const char *to, int64_t now, char **kept,
                                struct sl_error *err) SL_MUST_USE;

/* ---- Screens: ways to ask ---- */

enum { SL_SCREEN_STRICT = 1 /* refuses answers that break its rules */, SL_SCREEN_MIXTURES = 2 };
struct sl_screen {
    const char *name;    /* "collins+" */
    const char *summary; /* one line */
    unsigned flags;
    double seconds; /* median time of a trial */
    /* SL_ERR_INPUT naming the input that is wrong. `answer` is the "answer" of a POST. */
    enum sl_status (*check)(const json_t *answer, const struct sl_study *study,
                            struct sl_error *err);
    /* Turn a checked answer into a record of answer/: kind, classes by their number in
     * study->classes, probabilities as given (0 to 1), typed texts borrowed from `answer`. The
     * caller owns its lists (sl_screen_answer_release) and sets mix.a, mix.b and mix.generated,
     * since the endpoints of a mixture belong to the item. */
    enum sl_status (*convert)(const json_t *answer, const struct sl_study *study,
                              struct sl_answer *out, struct sl_error *err);
};
extern const struct sl_screen sl_screens[]; /* ends with a NULL name */
const struct sl_screen *sl_screen_find(const char *name);
/* Frees the lists that a screen's convert allocated. */
void sl_screen_answer_release(struct sl_answer *answer);

/* ---- The trials of a session: a pure function of study, batch items and seed ---- */

struct sl_trial {
    const char *item; /* borrowed from the batch's names */
    bool repeat;      /* the second showing of the item */
    bool check;       /* an attention check: an obvious item or a card */
};
struct sl_trials {
    struct sl_trial *trials; /* owned */
    size_t count;
    size_t *class_order; /* owned; n_classes */
};
/* Kinds of attention checks in study.json: an obvious item, or a card that says which class to
 * choose. Ends with NULL. */
extern const char *const sl_check_kind_names[];
/* What trials are made from: a batch's items, the obvious items, and the cards. All borrowed. */
struct sl_trial_items {
    const char *const *items;
    size_t n_items;
    const char *const *checks;
    size_t n_checks;
    const char *const *cards;
    size_t n_cards;
};
enum sl_status sl_trials_make(const struct sl_study *study, const struct sl_trial_items *items,
                              uint64_t seed, struct sl_trials *out,
                              struct sl_error *err) SL_MUST_USE;
void sl_trials_release(struct sl_trials *trials);

/* ---- Setting up ---- */

struct sl_data_roots; /* softlab/dataset.h */

struct sl_study_setup {
    const char *folder;    /* to be created */
    const char *images;    /* a folder of images; or */
    const char *texts;     /* a TSV of texts; or */
    const char *mixtures;  /* a folder that `softlab dataset mix` wrote */
    const char *batches;   /* a batches file in the published layout; or NULL */
    const char *classes;   /* "Airplane,Automobile,..."; NULL: from the images' folders */
    const char *screens;   /* "collins,bars" */
    const char *recruiter; /* "open" */
    const char *checks;    /* a folder of obvious images; or NULL */
    const char *training; /* exercises: images in folders by class, or texts with labels; or NULL */
    const char *contact;  /* the researchers' names and address, for the consent page; or NULL */
    const char *reference; /* label file; its entropies stratify the batches; or NULL */
    double high, low;      /* .25, .1 */
    size_t low_per_batch;  /* 3 */
    size_t batch_size, annotators;
    const char *assignment; /* "fixed" */
    uint64_t seed;
    bool skip_broken;                  /* leave out images that cannot be read */
    const struct sl_data_roots *roots; /* of named data sets; NULL: below this folder */
};
struct sl_study_setup sl_study_setup_default(void);
enum sl_status sl_study_init(const struct sl_study_setup *setup, const struct sl_log *log,
                             struct sl_error *err) SL_MUST_USE;

/* ---- Serving ---- */

struct sl_study_serve {
    const char *address; /* "127.0.0.1" */
    uint16_t port;       /* 8080; 0: any */
    const char *admin_address;
    uint16_t admin_port;           /* 8081; 0: any */
    bool behind_proxy;             /* trust X-Forwarded-For and X-Forwarded-Proto */
    size_t per_address;            /* 256: connections per address, without a proxy; 0: no limit */
    const char *const *hosts;      /* host names that are served; ends with NULL; NULL: any */
    const char *database;          /* of the only study, instead of its own; or NULL */
    const char *access_log;        /* a line per request, without addresses; or NULL */
    bool rehearse;                 /* only the test link works, and errors of
                                      sl_study_inspect do not stop the server */
    int64_t (*now)(void *context); /* milliseconds since 1970; NULL: the clock */
    void *clock_context;
    const struct sl_log *log;
};
struct sl_study_serve sl_study_serve_default(void);

struct sl_study_server;
/* `folder` is a study, served at "/", or contains studies, each served below its folder's name and
 * with its own cookies. */
enum sl_status sl_study_server_create(const char *folder, const struct sl_study_serve *options,
                                      struct sl_study_server **out,
                                      struct sl_error *err) SL_MUST_USE;
uint16_t sl_study_server_port(const struct sl_study_server *server);
uint16_t sl_study_server_admin_port(const struct sl_study_server *server);
/* The path prefix of study number `index`: "" or "/birds"; NULL past the last study. */
const char *sl_study_server_prefix(const struct sl_study_server *server, size_t index);
enum sl_status sl_study_server_run(struct sl_study_server *server,
                                   struct sl_error *err) SL_MUST_USE;
void sl_study_server_stop(struct sl_study_server *server); /* from a signal handler too */
void sl_study_server_destroy(struct sl_study_server *server);
/* The token of the test link: http://.../?test=TOKEN. */
enum { SL_STUDY_LINK_TEXT = 23 };
void sl_study_server_test_token(const struct sl_study_server *server, size_t index,
                                char out[SL_STUDY_LINK_TEXT]);
/* The links of study number `index` at `address`, as sl_study_links_json (study/check.h). */
json_t *sl_study_server_links(const struct sl_study_server *server, size_t index,
                              const char *address);
enum sl_status sl_study_test_token(struct sl_store *store, char out[SL_STUDY_LINK_TEXT],
                                   struct sl_error *err) SL_MUST_USE;
/* A participant's own link, without the server's address: "/?participant=7&sig=...", signed if the
 * study asks for it. A heap string. SL_ERR_USAGE if the study is open to everybody. */
enum sl_status sl_study_link(const struct sl_study *study, struct sl_store *store,
                             const char *person, char **out, struct sl_error *err) SL_MUST_USE;
/* The researcher's password, hashed with argon2id into the store. */
enum sl_status sl_study_set_password(struct sl_store *store, const char *password,
                                     struct sl_error *err) SL_MUST_USE;

/* ---- Status, export, deletion ---- */

/* {"batches": [...], "sessions": {...}, "answers": n, "per_hour": [...], "input_seconds": {...},
 *  "checks": {...}, "exclusions": [...], "agreement": {...}, "items": [...], "asking": {...}}: what
 * the researcher's page and `study status --json` show. */
enum sl_status sl_study_status(const struct sl_study *study, struct sl_store *store, int64_t now,
                               json_t **out, struct sl_error *err) SL_MUST_USE;

struct sl_study_export {
    const char *name;    /* "answers" */
    const char *file;    /* "answers.jsonl": the name of a download */
    const char *summary; /* one line */
    /* Passes the file to the sink piece by piece. */
    enum sl_status (*write)(const struct sl_study *study, struct sl_store *store,
                            enum sl_status (*sink)(void *context, const void *bytes, size_t length,
                                                   struct sl_error *err),
                            void *context, struct sl_error *err);
};
extern const struct sl_study_export sl_study_exports[]; /* ends with a NULL name */
/* The export "answers" for one of the study's screens. SL_ERR_USAGE if it has no such screen. */
enum sl_status sl_study_export_screen(const struct sl_study *study, struct sl_store *store,
                                      const char *screen,
                                      enum sl_status (*sink)(void *context, const void *bytes,
                                                             size_t length, struct sl_error *err),
                                      void *context, struct sl_error *err) SL_MUST_USE;
/* The export of this name, or NULL. */
const struct sl_study_export *sl_study_export_find(const char *name);
/* Write an export to a file that only its owner can read, whole or not at all; `screen`, of the
 * export "answers": only the answers to it, or NULL. */
enum sl_status sl_study_export_write(const struct sl_study *study, struct sl_store *store,
                                     const struct sl_study_export *what, const char *screen,
                                     const char *path, struct sl_error *err) SL_MUST_USE;

/* Delete one participant. `person` is the recruiter's name or the one in exports; a person who came
 * by an open link has only the latter. The export `changes` shows when somebody was deleted, but
 * not who. *out has no sessions if they were deleted before. */
enum sl_status sl_study_purge(const struct sl_study *study, struct sl_store *store,
                              const char *person, int64_t now, struct sl_store_purged *out,
                              struct sl_error *err) SL_MUST_USE;
/* The participant as stored: keyed BLAKE2b of the name under the study's key. */
enum sl_status sl_study_person(struct sl_store *store, const char *name,
                               uint8_t out[SL_STORE_PERSON_BYTES],
                               struct sl_error *err) SL_MUST_USE;
/* Replace e-mail addresses, telephone numbers and long hexadecimal ids by "[removed]". Heap
 * string. */
char *sl_study_scrub(const char *text) SL_MUST_USE;

/* ---- Adaptive assignment ---- */

/* Whether the decisions of an adaptive study follow from its answers. */
struct sl_study_audit {
    size_t n_boards, n_decisions;
    size_t n_unknown;   /* decisions that cannot be made again, */
    const char *reason; /* because of this, a clause; NULL: there are none */
    char wrong[400];    /* the first decision that does not follow, a sentence; "": all follow */
};
/* Make every board again from the stored answers, and every decision on it. */
enum sl_status sl_study_audit(const struct sl_study *study, struct sl_store *store,
                              struct sl_study_audit *out, struct sl_error *err) SL_MUST_USE;

/* ---- Simulated annotators, over HTTP ---- */

/* Recorded answers that simulated annotators give instead of answers from beliefs. */
struct sl_study_replay {
    const char *answers; /* a file of hard answers (sl_answers_load); NULL: no replay */
    double share;        /* 1: of every item's answers, rounded up, the part that can be given */
    bool partial;        /* items of the study may lack recorded answers */
    /* Budgets, 0: none. The replay ends at this number of answers, or before the first answer that
     * would exceed this many seconds of recorded time. */
    size_t n_answers;
    double seconds;
    /* answers.jsonl to write, or NULL: the answers that were given, with the annotators who gave
     * them when they were recorded; and those that `share` holds out. */
    const char *given, *held_out;
};

struct sl_study_simulation {
    const char *url; /* of a running server */
    /* The study's folder on this machine: pages do not name their items, so only the database knows
     * the truth about them. NULL: the annotators share an invented truth. */
    const char *folder;
    size_t annotators;   /* 50 */
    size_t at_once;      /* 50 */
    double speed;        /* 100: times as fast as people; 0: as fast as possible */
    double rate;         /* answers per second of all annotators, without thinking time; 0: off */
    const char *truth;   /* label file to draw beliefs from; NULL: the truth known at study init */
    const char *model;   /* a simulator fitted to people (softlab/label/simulate.h); or NULL */
    double noise, slips; /* .05, .02: spread of beliefs; share of answers with a slip */
    double patience;     /* 60: seconds without a reply until an annotator gives up */
    bool images;         /* true: load the images, as a browser does */
    /* false: test sessions, which never count and need the folder; true: sessions that count, in
     * which simulated annotators take real people's places. */
    bool count;
    /* How many annotators are scripts: "key1=5,random=5", or NULL. */
    const char *scripts;
    struct sl_study_replay replay; /* needs the folder */
    uint64_t seed;
    /* Called before an answer is first sent and when it is acknowledged; or NULL. */
    void (*saved)(void *context, const char *id, bool acknowledged);
    void *context;
    const struct sl_log *log;
    struct sl_progress *progress; /* NULL: silent */
};
struct sl_study_simulation sl_study_simulation_default(void);
/* Names that `scripts` may contain; NULL past the last. The first, "careful", is the default. */
const char *sl_study_behaviour_name(size_t index);
const char *sl_study_behaviour_summary(size_t index);

enum { SL_SIMULATION_REASONS = 8, SL_SIMULATION_REASON = 200 };
struct sl_simulation_reason {
    char text[SL_SIMULATION_REASON]; /* one sentence */
    size_t count;
};
enum sl_replay_end {
    SL_REPLAY_BUDGET,     /* the budget is spent */
    SL_REPLAY_EXHAUSTED,  /* every recorded answer was given */
    SL_REPLAY_ANNOTATORS, /* all annotators came and left before that */
    SL_REPLAY_ENDS
};
enum { SL_REPLAY_NAMED = 5 };
struct sl_replay_result {
    size_t recorded;   /* answers that could be given */
    size_t given;      /* of these: acknowledged by the server */
    double seconds;    /* the recorded time of the given answers; NaN if one has no time */
    size_t n_ran_out;  /* items that were shown when they had no recorded answer left */
    char ran_out[256]; /* the names of the first SL_REPLAY_NAMED of them, with commas */
    enum sl_replay_end end;
};
/* Why the replay ended, for a sentence. */
const char *sl_replay_end_text(enum sl_replay_end end);

struct sl_simulation_result {
    size_t finished; /* annotators */
    size_t refused;  /* no place left, failed the check, or the server refused a request */
    size_t lost;     /* gave up because the server did not reply */
    size_t stopped;  /* left because no recorded answer, or no budget, was left */
    struct sl_simulation_reason reasons[SL_SIMULATION_REASONS]; /* why they left early */
    size_t n_reasons;
    int64_t after;  /* the last session before the simulation; 0 without the folder */
    size_t answers; /* acknowledged, practice included */
    size_t retries;
    double seconds, p50_ms, p99_ms, worst_ms; /* of acknowledged saves; NaN without any */
    bool replays;
    struct sl_replay_result replay; /* if it `replays` */
};
/* Every annotator walks through the whole study as the page does, with its own connection, and
 * resends an answer under the same client id. Beliefs and behaviour follow from seed, annotator and
 * trial. SL_ERR_IO if nobody could arrive. */
enum sl_status sl_study_simulate(const struct sl_study_simulation *options,
                                 struct sl_simulation_result *out,
                                 struct sl_error *err) SL_MUST_USE;
/* The result as JSON, a new object; takes `provenance`. */
json_t *sl_simulation_result_json(const struct sl_simulation_result *result,
                                  json_t *provenance) SL_MUST_USE;

/* ---- How many annotators? ---- */

struct sl_power_row {
    size_t annotators; /* per item */
    double error;      /* root mean square over items of |mean label - truth| */
    double variation;  /* mean total variation distance; NaN if too few people answered */
    double right;      /* share of items whose most probable class is the true one; NaN likewise */
    double seconds;    /* of annotators' time per item */
};
struct sl_power {
    size_t n_items, n_answers; /* items with two answers or more, and their answers */
    double floor;              /* the error that remains however many people answer */
    double spread;             /* of one answer around the mean: error^2 = floor^2 + spread^2 / M */
    struct sl_power_row *rows; /* owned */
    size_t n_rows;
};
struct sl_power_options {
    const char *truth; /* label file; NULL: the truth known at study init */
    uint64_t seed;
    bool tests;    /* use the answers of test sessions instead of those that count */
    int64_t after; /* only sessions after this one; 0: all */
};
/* How the error of a study's labels depends on the number of annotators. Let an item have the truth
 * t and n answers whose labels have the mean m and the unbiased variance s^2 (mean of |y - m|^2).
 * The expected squared distance of the mean of M labels from t is |m - t|^2 - s^2/n + s^2/M, so
 * `error` is known for any M. The other columns are means over draws of M answers without
 * replacement. The truth is as in a simulation. SL_ERR_INPUT if no item has two answers. */
enum sl_status sl_study_power(const char *folder, const struct sl_power_options *options,
                              struct sl_power *out, struct sl_error *err) SL_MUST_USE;
void sl_power_release(struct sl_power *power);
/* The smallest number of annotators whose error is at most `target`; 0 if none. */
size_t sl_power_needed(const struct sl_power *power, double target);
/* The rows and what `target` needs (null: no number is enough) as JSON, a new object. */
json_t *sl_power_json(const struct sl_power *power, double target) SL_MUST_USE;

SL_END_DECLS

#endif
