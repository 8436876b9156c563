/* Crowd: many annotators -> one distribution per item. Pure functions over arrays: no files, no
 * hidden randomness. Sums run in a fixed order over SL_CROWD_CHUNKS chunks of items, so any
 * number of threads gives the same bits.
 *
 * Models and equations: docs/internals/crowd.md. */
#ifndef SOFTLAB_CROWD_H
#define SOFTLAB_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/answer.h"
#include "softlab/base/error.h"
#include "softlab/base/log.h"
#include "softlab/comm.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

enum { SL_CROWD_CHUNKS = 64 };
#define SL_CROWD_OWN        (-1.0)   /* a pseudo-count or tolerance: the method's own */
#define SL_CROWD_OWN_ROUNDS SIZE_MAX /* of iterations: the method's own, see its row */

/* Distributions of annotators, item-major: what soft methods read. */
struct sl_soft_votes {
    size_t n_items, n_annotators, n_classes, count;
    const size_t *begin;       /* n_items + 1 */
    const uint32_t *annotator; /* count */
    const float *rows;         /* (count, K) */
};

enum sl_tie { SL_TIE_SHARE, SL_TIE_FIRST, SL_TIE_RANDOM }; /* how mv breaks a tie */
/* What the first scores of Dawid-Skene are made of. */
enum sl_crowd_start {
    SL_START_SHARES,   /* the shares of the votes */
    SL_START_DIAGONAL, /* start_diagonal */
    SL_START_GIVEN,    /* start_counts instead of counts of the votes; not for ds-onecoin */
    SL_START_ADDED,    /* start_counts in addition to counts of the votes; not for ds-onecoin */
};
/* What a gain is compared with. */
enum sl_crowd_stop {
    SL_STOP_RELATIVE,   /* tolerance x |objective| */
    SL_STOP_PER_ANSWER, /* tolerance x number of answers */
};

struct sl_crowd_state;

/* Aggregation that holds no rows, for crowds larger than memory: the posteriors go to `take`,
 * window after window in the order of the items, and are forgotten. Answers that are mapped with
 * sl_import_options.stream leave memory behind the reader. Rows have the same bits as without, for
 * any window and any number of ranks, and the state is the same except that it has no posterior
 * and, for methods without rounds, no class prior. */
struct sl_crowd_stream {
    struct sl_comm *comm; /* borrowed; NULL: this process alone. Every rank passes the same answers
                             and options, and works on some of the chunks */
    size_t window;        /* items; 0: chosen by the number of classes */
    /* Take the rows (count, K) of the items from `first`; those of items with neither answers nor
     * gold are zeros. Called on rank 0 only, by the thread that aggregates. */
    enum sl_status (*take)(void *context, size_t first, size_t count, const float *rows,
                           struct sl_error *err);
    void *context; /* borrowed */
};

struct sl_crowd_options {
    size_t max_iterations;   /* SL_CROWD_OWN_ROUNDS */
    double tolerance;        /* gain of the objective at which iteration ends, SL_CROWD_OWN (1e-7);
                                0 = never. mmsr: change of the fitted matrix (1e-10) */
    enum sl_crowd_stop stop; /* what the gain is compared with; not mmsr */
    double smoothing;        /* pseudo-count on every cell of a confusion row, SL_CROWD_OWN */
    double diagonal;         /* extra pseudo-count on its diagonal, SL_CROWD_OWN */
    double start_diagonal;   /* the diagonal that SL_START_DIAGONAL starts from, .7 */
    enum sl_crowd_start start;
    const double *start_counts; /* (n_annotators, K true, K said), at least 0; or NULL */
    enum sl_tie tie;
    bool variational; /* mace: VB-EM (default) rather than EM */
    size_t restarts;  /* mace, 10 */
    uint64_t seed;
    const int32_t *gold;      /* n_items, class or -1; pinned; NULL = none */
    const double *prior;      /* (n_annotators, K, K) counts added to confusions; or NULL */
    const float *predictions; /* (n_items, K), for crowdlab and dirichlet; or NULL */
    const struct sl_crowd_state *resume; /* start from here; or NULL */
    /* n_annotators, at least 0: the weight of an answer, instead of a learned one; for methods with
     * SL_CROWD_WEIGHTS. Answers of weight 0 are ignored. Or NULL. */
    const double *weights;
    struct {
        const double *class_prior; /* K, above 0, of sum 1; NULL: classes are equally likely */
        const double *ability, *easiness; /* means of the priors, n_annotators and n_items; or NULL:
                                             1 */
        size_t steps;                     /* of every M-step, 1 */
        double accuracy;                  /* a largest move below this ends an M-step, 0 */
    } glad;
    struct {
        double spam_prior, know_prior; /* Beta counts of an annotator's spam and of the rest, if
                                          variational; .5, above 0 */
        double noise;                  /* of the starts, .5 */
    } mace;
    struct {
        double rate;   /* part of the way from a skill to the agreement that a round goes, 1 */
        double factor; /* of the rate, after every `period` rounds, .5 */
        size_t period; /* 20 */
        double margin; /* of the first skill over 1 / K, 1e-5 */
    } zbs;
    /* Methods that read distributions: */
    double shrinkage;       /* weight of the crowd in estimates of one annotator, in answers, 10 */
    bool calibrate;         /* calibrate every annotator's probabilities first */
    const float *reference; /* (n_items, K) known distributions to learn from, a row of zeros
                               where unknown; or NULL: learn from the crowd alone */
    bool confusions; /* fill the confusions of the state, which can be gigabytes: true; otherwise
                        they may be NULL */
    bool intervals;  /* fill low and high of the state: false */
    bool risks;      /* fill risk and gain of the state: true; a gain takes K^3 steps per item */
    struct sl_pool *pool; /* borrowed; NULL: the calling thread alone */
    /* Borrowed; NULL: the state has the posterior. For methods with SL_CROWD_STREAMS, without given
     * weights. Collective if it has several ranks. */
    const struct sl_crowd_stream *stream;
};
struct sl_crowd_options sl_crowd_options_default(void);
/* SL_ERR_USAGE naming the option that is out of its range. */
enum sl_status sl_crowd_options_check(const struct sl_crowd_options *options,
                                      struct sl_error *err) SL_MUST_USE;

/* What a method learned. Fields it does not estimate are NULL. All owned. */
struct sl_crowd_state {
    size_t n_items, n_annotators, n_classes;
    float *posterior;    /* (n_items, K); rows sum to 1; NULL if they were streamed */
    double *class_prior; /* K */
    float *confusion;    /* (n_annotators, K true, K said) */
    double *skill;       /* n_annotators, 0-1: probability of saying the true class; or weight */
    double *weight;      /* n_annotators: the weight of an answer, at least 0 unless the method's
                            row says SL_LEARNS_SIGNED */
    double *ability;     /* n_annotators: glad's alpha */
    double *easiness;    /* n_items: glad's b; the larger, the easier */
    double *strategy;    /* (n_annotators, K): mace's xi, what an annotator says who spams, which
                            happens with probability 1 - skill */
    double *trace;       /* after each iteration: what the method's row says, by default the
                            log-likelihood with the prior, summed over the items */
    size_t n_iterations;
    bool converged;
    /* What dirichlet adds; softlab/crowd/dirichlet.h. */
    double *risk;      /* n_items: the expected divergence of the label from the whole crowd's */
    double *gain;      /* n_items: by how much one more answer lowers it, in expectation; both NULL
                          without options.risks */
    float *low, *high; /* (n_items, K): 95 % credible intervals; NULL unless options.intervals */
    struct sl_dirichlet *dirichlet; /* the fitted model */
};
void sl_crowd_state_release(struct sl_crowd_state *state);
/* The most probable class of every item, the first of equals, into n_items places. */
void sl_crowd_choices(const struct sl_crowd_state *state, uint32_t *out);
/* The confusion matrix (K true, K said) of an annotator who is right with probability `skill` and
 * makes all mistakes alike: what ds-onecoin and zencrowd assume. */
void sl_crowd_even_confusion(double skill, size_t n_classes, float *out);

enum {
    SL_CROWD_BINARY = 1,      /* two classes only */
    SL_CROWD_PREDICTIONS = 2, /* needs options.predictions */
    SL_CROWD_ANNOTATORS = 4,  /* needs the annotator of every answer */
    SL_CROWD_SOFT = 8,        /* reads distributions, not votes */
    SL_CROWD_WEIGHTS = 16,    /* takes options.weights */
    SL_CROWD_GOLD = 32,       /* needs options.gold */
    SL_CROWD_STREAMS = 64,    /* takes options.stream */
    SL_CROWD_PREDICTED = 128, /* takes options.predictions and does without */
};

/* The fields of struct sl_crowd_options that change a method's result; the method ignores the
 * others. */
enum {
    SL_CROWD_READS_ROUNDS = 1, /* max_iterations; pools only without given weights */
    SL_CROWD_READS_TOLERANCE = 2,
    SL_CROWD_READS_SMOOTHING = 4, /* mace only if not variational */
    SL_CROWD_READS_DIAGONAL = 8,
    SL_CROWD_READS_START = 16, /* start, start_diagonal, start_counts */
    SL_CROWD_READS_TIE = 32,
    SL_CROWD_READS_VARIATIONAL = 64,
    SL_CROWD_READS_SEED = 128, /* with TIE only where ties are broken at random */
    SL_CROWD_READS_GOLD = 256,
    SL_CROWD_READS_PRIOR = 512,
    SL_CROWD_READS_RESUME = 1024,
    SL_CROWD_READS_CALIBRATE = 2048,
    SL_CROWD_READS_REFERENCE = 4096,
    SL_CROWD_READS_GLAD = 8192,
    SL_CROWD_READS_MACE = 16384, /* restarts, mace; its priors only if variational */
    SL_CROWD_READS_ZBS = 32768,
};

/* What a method estimates about annotators and items, as parts of its state. */
enum {
    SL_LEARNS_SKILL = 1,
    SL_LEARNS_CONFUSION = 2,
    SL_LEARNS_WEIGHT = 4,
    SL_LEARNS_SIGNED = 8,   /* weights may be negative: such answers speak against their class */
    SL_LEARNS_ABILITY = 16, /* and easiness */
    SL_LEARNS_STRATEGY = 32,
    SL_LEARNS_EVEN = 64,  /* skills say all: mistakes are alike (sl_crowd_even_confusion) */
    SL_LEARNS_RISK = 128, /* of items; and intervals */
};

/* A way to aggregate. A method that reads votes sets `run`, one that reads distributions
 * (SL_CROWD_SOFT) sets `run_soft`. */
struct sl_aggregator {
    const char *name;
    const char *also; /* other names of the method, separated by spaces; or NULL */
    const char *summary;
    const char *source; /* the paper it follows */
    unsigned needs, reads, learns;
    size_t most_classes; /* 0: 65,536 */
    size_t rounds;       /* its own number of iterations; 0: 100 */
    double tolerance;    /* its own; 0: 1e-7 */
    const char *trace;   /* what the trace of its states is; NULL: the log-likelihood */
    enum sl_status (*run)(const struct sl_votes *votes, const struct sl_crowd_options *options,
                          struct sl_crowd_state *out, struct sl_error *err);
    enum sl_status (*run_soft)(const struct sl_soft_votes *votes,
                               const struct sl_crowd_options *options, struct sl_crowd_state *out,
                               struct sl_error *err);
};
extern const struct sl_aggregator sl_aggregators[]; /* ends with a NULL name */
const struct sl_aggregator *sl_aggregator_find(const char *name);
/* The method whose other name is `name` ("majority": mv), for suggestions; or NULL. */
const struct sl_aggregator *sl_aggregator_known_as(const char *name);
/* SL_ERR_USAGE, naming the methods that can be streamed, if this one cannot. */
enum sl_status sl_aggregator_check_stream(const struct sl_aggregator *method,
                                          struct sl_error *err) SL_MUST_USE;
/* Their names, joined by ", ". */
void sl_aggregators_streamed(char *out, size_t room);
/* True if the streamed labels of votes of this size are those that the method makes in memory. In
 * memory, confusion matrices of many classes have a form that may end a round sooner or later. */
bool sl_aggregator_streams_alike(const struct sl_aggregator *method,
                                 const struct sl_votes_size *size);

/* Check the options, every answer and what the method needs, then run it. */
enum sl_status sl_aggregate(const struct sl_aggregator *method, const struct sl_votes *votes,
                            const struct sl_crowd_options *options, struct sl_crowd_state *out,
                            struct sl_error *err) SL_MUST_USE;
enum sl_status sl_aggregate_soft(const struct sl_aggregator *method,
                                 const struct sl_soft_votes *votes,
                                 const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                 struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT naming the first answer that is not a distribution or has no annotator. */
enum sl_status sl_soft_votes_check(const struct sl_soft_votes *votes,
                                   struct sl_error *err) SL_MUST_USE;

/* Calibration of stated probabilities: annotator a's distribution q becomes
 *
 *     r[l] ~ q'[l]^(1 / temperature) exp(bias [l is q's largest]),  q' = .99 q + .01 / K
 *
 * (the bias shared among ties), fitted so that r predicts how the others voted on the item, or
 * the reference where there is one, and shrunk to what fits the whole crowd. Equations:
 * docs/internals/crowd-soft.md. */
struct sl_calibration {
    size_t n_annotators;
    double crowd_temperature, crowd_bias; /* what an unknown annotator gets */
    double *temperature, *bias;           /* owned; n_annotators */
};
/* `reference` is as in struct sl_crowd_options; if given, only its items are learned from. With
 * neither a reference nor an item that two people answered, all temperatures are 1 and all biases
 * 0. */
enum sl_status sl_calibration_fit(const struct sl_soft_votes *votes, const float *reference,
                                  struct sl_pool *pool, struct sl_calibration *out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_calibration_release(struct sl_calibration *calibration);
/* The calibrated rows of all answers into `out` (count, K), which may be votes->rows itself. */
enum sl_status sl_calibration_apply(const struct sl_calibration *calibration,
                                    const struct sl_soft_votes *votes, struct sl_pool *pool,
                                    float *out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
