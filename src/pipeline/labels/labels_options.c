/* The options of softlab labels, and which methods use them. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/labels/labels.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/exchange.h"
#include "softlab/pipeline/options.h"

static const char *method_names(size_t index)
{
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++)
        if (index-- == 0) return m->name;
    for (const struct sl_aggregator *a = sl_aggregators; a->name; a++)
        if (index-- == 0) return a->name;
    return index == 0 ? SL_LABELS_ENSEMBLE : NULL;
}

const char *sl_labels_methods_of_answers(size_t index)
{
    const char *name = method_names(index);
    return name && strcmp(name, SL_LABELS_ENSEMBLE) != 0 ? name : NULL;
}

const char *sl_labels_known_as(const char *typed)
{
    const struct sl_aggregator *aggregator = sl_aggregator_known_as(typed);
    const struct sl_label_method *method = sl_label_method_known_as(typed);
    return aggregator ? aggregator->name : method ? method->name : NULL;
}

static const char *method_known_as(const char *typed)
{
    if (sl_text_known_as(typed, "distillation distil distill mean-of-models"))
        return SL_LABELS_ENSEMBLE;
    return sl_labels_known_as(typed);
}

static const char *row_methods(size_t index)
{
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++)
        if (m->row && index-- == 0) return m->name;
    return NULL;
}

static const char *ties(size_t index)
{
    static const char *const names[] = {"share", "first", "random", NULL}; /* enum sl_tie */
    return names[index];
}

static const char *starts(size_t index)
{
    static const char *const names[] = {"shares", "diagonal", "given", "added",
                                        NULL}; /* enum sl_crowd_start */
    return names[index];
}

static const char *stops(size_t index)
{
    static const char *const names[] = {"relative", "per-answer", NULL}; /* enum sl_crowd_stop */
    return names[index];
}

/* ---- Which option has an effect with which method ---- */

/* Mode bits: the READS bits in the tables of aggregators (CROWD) and label methods (LABEL), and
 * bits of our own (OWN). */
#define CROWD(what)      SL_CROWD_READS_##what
#define LABEL(what)      LABEL_BITS(SL_LABEL_READS_##what)
#define LABEL_BITS(bits) ((uint64_t)(bits) << 16)
#define OWN(number)      (UINT64_C(1) << (32 + (number)))
#define MAKES            OWN(0) /* the job makes labels, it does not list methods */
#define ANSWERED         OWN(1) /* the labels come from answers, some of which may be left out */
#define DRAWS            OWN(2) /* some of the answers are drawn */
#define EACH             OWN(3) /* the method can make a row per answer */
#define MEANS            OWN(4) /* the method can average shares first */
#define ENSEMBLE         OWN(5)
#define PREDICTIONS      OWN(6)
#define SOFT             OWN(7)  /* the method reads distributions */
#define LEARNS           OWN(8)  /* the method is an aggregator */
#define COUNTED          OWN(9)  /* the number of inputs per answer is known */
#define READS            OWN(10) /* answers are read, even if only their items are used */
#define ESTIMATES        OWN(11) /* the method estimates skills, weights or confusions */
#define WEIGHS           OWN(12) /* the user can weight annotators */
#define BETA             OWN(13) /* the method has a prior of spamming */
#define STARTS           OWN(14) /* the method starts from given matrices */
#define ADDS             OWN(15) /* beside those of the votes */
#define PREDICTED        OWN(16) /* a classifier's probabilities can be the prior of items */
#define RISKS            OWN(17) /* the method says how sure the label of an item is */
#define LISTS            OWN(31)

static uint64_t method_bits(const struct sl_label_method *method, const struct sl_labels_job *job)
{
    uint64_t bits = MAKES | READS | LABEL_BITS(method->reads);
    if (method->kinds) bits |= ANSWERED | EACH;
    if (method->kinds && !job->per_annotator && !job->mean_first) bits |= WEIGHS;
    if (method->reads & SL_LABEL_READS_MIX && !job->per_annotator) bits |= MEANS;
    if (job->per_annotator) bits &= ~LABEL_BITS(SL_LABEL_READS_TRUTH);
    return bits;
}

static uint64_t aggregator_bits(const struct sl_aggregator *method, const struct sl_labels_job *job)
{
    uint64_t bits = MAKES | READS | ANSWERED | LEARNS | method->reads;
    const bool random = job->tie == SL_TIE_RANDOM;
    if (method->reads & SL_CROWD_READS_TIE && !random) bits &= ~(uint64_t)SL_CROWD_READS_SEED;
    if (method->reads & SL_CROWD_READS_VARIATIONAL && !job->em)
        bits = (bits & ~(uint64_t)SL_CROWD_READS_SMOOTHING) | BETA;
    if (method->reads & SL_CROWD_READS_START && method->learns & SL_LEARNS_CONFUSION)
        bits |= job->start == SL_START_ADDED   ? STARTS | ADDS
                : job->start == SL_START_GIVEN ? STARTS
                                               : 0;
    if (method->needs & SL_CROWD_PREDICTIONS) bits |= PREDICTIONS;
    if (method->needs & SL_CROWD_PREDICTED) bits |= PREDICTED;
    if (method->learns & SL_LEARNS_RISK) bits |= RISKS;
    if (method->needs & SL_CROWD_WEIGHTS) bits |= WEIGHS;
    if (method->learns) bits |= ESTIMATES;
    if (!(method->needs & SL_CROWD_SOFT)) return bits;
    if (bits & WEIGHS && job->weights) bits &= ~(uint64_t)SL_CROWD_READS_ROUNDS;
    const unsigned of_rows = SL_LABEL_READS_GAMMA | SL_LABEL_READS_SIMILARITY | SL_LABEL_READS_MIX;
    const char *rows = job->rows ? job->rows : sl_labels_rows_of_tops;
    return bits | SOFT | LABEL_BITS(sl_label_method_find(rows)->reads & of_rows);
}

/* The flag of a job that changes what its method reads, or "". */
static const char *flag_of(const struct sl_labels_job *job, uint64_t does)
{
    const bool soft = does & SOFT;
    const struct {
        const char *flag;
        bool given;
    } flags[] = {{" --per-annotator", does & EACH && job->per_annotator},
                 {" --mean-first", does & MEANS && job->mean_first},
                 {" --weights", soft && does & WEIGHS && job->weights},
                 {" without --rows", soft && !job->rows},
                 {" --em", does & CROWD(VARIATIONAL) && job->em},
                 {"", true}};
    size_t i = 0;
    while (!flags[i].given)
        i++;
    return flags[i].flag;
}

/* Name the method together with the options that change what it reads. */
static void name_mode(const struct sl_labels_job *job, struct sl_option_mode *mode)
{
    const char *flag = flag_of(job, mode->does);
    if (mode->does & SOFT && job->rows)
        snprintf(mode->text, sizeof mode->text, "--method %s --rows %s%s", job->method, job->rows,
                 flag);
    else if (mode->does & CROWD(START) && job->start != SL_START_SHARES)
        snprintf(mode->text, sizeof mode->text, "--method %s --start %s%s", job->method,
                 starts(job->start), flag);
    else
        snprintf(mode->text, sizeof mode->text, "--method %s%s", job->method, flag);
    mode->name = mode->text;
}

static void find_mode(const void *raw, char *const *arguments, size_t n_arguments,
                      struct sl_option_mode *out)
{
    (void)arguments;
    (void)n_arguments;
    const struct sl_labels_job *job = raw;
    if (job->list) {
        *out = (struct sl_option_mode){.does = LISTS, .name = "--list", .alone = true};
        return;
    }
    if (!job->method) return;
    const struct sl_label_method *method = sl_label_method_find(job->method);
    const struct sl_aggregator *aggregator = sl_aggregator_find(job->method);
    out->does = method       ? method_bits(method, job)
                : aggregator ? aggregator_bits(aggregator, job)
                             : MAKES | ENSEMBLE;
    if (job->annotators > 0) out->does |= DRAWS;
    if (sl_labels_inputs(job->method)) out->does |= COUNTED;
    name_mode(job, out);
}

#define FIELD(name) .offset = offsetof(struct sl_labels_job, name)
const struct sl_field_row sl_labels_job_options[] = {
    {"method", SL_FIELD_CHOICE, FIELD(method), "the method, see --list", .letter = 'm',
     .value = "NAME", .names = method_names, .known_as = method_known_as, .modes = MAKES},
    {"output", SL_FIELD_OUTPUT, FIELD(output),
     "the labels: .npz, .npy, .csv or .json; - is CSV on standard output", .letter = 'o',
     .suffixes = ".csv .npz .npy .json", .prints = "json", .modes = MAKES},
    {"list", SL_FIELD_BOOLEAN, FIELD(list), "print the methods", .letter = 'l'},
    SL_OPTION_ANSWERS(struct sl_labels_job, READS, READS),
    {"annotators", SL_FIELD_COUNT, FIELD(annotators), "answers to draw per item; 0 takes all",
     .letter = 'a', .value = "M", .fallback = "0", .minimum = 0, .maximum = 1e9, .modes = ANSWERED},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "seed of all random draws", .fallback = "1",
     .minimum = 0, .maximum = 9e15,
     .modes = DRAWS | LABEL_BITS(SL_LABEL_READS_SEED) | SL_CROWD_READS_SEED},
    {"stream", SL_FIELD_BOOLEAN, FIELD(stream),
     "read answers.slb in windows and write labels as they are made (default: if the answers and "
     "the labels would take more than three quarters of the free memory); the labels are the same; "
     "for mv, mv-shares, wawa, ds, ds-fast, ds-hybrid and ibcc",
     .modes = LEARNS},
    {"as-released", SL_FIELD_BOOLEAN, FIELD(as_released),
     "keep repeats and second runs, as the published labels do", .modes = ANSWERED},
    {"seconds-per-input", SL_FIELD_NUMBER, FIELD(seconds_per_input),
     "also print what a label costs at this many seconds per input of an annotator, in place of "
     "measured times; Collins et al. 2022 use 6.4",
     .value = "S", .fallback = "nan", .minimum = 0, .maximum = 1e6, .modes = COUNTED},
    {"truth", SL_FIELD_PATH, FIELD(truth),
     "true classes, for hard, smooth and class; otherwise the answers' own", .modes = LABEL(TRUTH)},
    {"weights", SL_FIELD_PATH, FIELD(weights),
     "weights of annotators, in place of those that a method would learn: columns annotator and "
     "weight; for mv, mv-shares, wawa, the pools and means of answers such as share",
     .value = "FILE.csv", .modes = WEIGHS},
    {"gamma", SL_FIELD_NUMBER, FIELD(gamma),
     "probability of possible classes that nobody named (default .1); for mix the base of the "
     "smoothing (default .005)",
     .value = "G", .fallback = "nan", .minimum = 0, .maximum = 1, .modes = LABEL(GAMMA)},
    {"beta", SL_FIELD_NUMBER, FIELD(beta), "label smoothing", .value = "B", .fallback = "0.05",
     .minimum = 0, .maximum = 1, .modes = LABEL(BETA)},
    {"temperature", SL_FIELD_NUMBER, FIELD(temperature), "temperature of softmax and ensemble",
     .value = "T", .fallback = "1", .minimum = 1e-6, .maximum = 1e6,
     .modes = ENSEMBLE | LABEL_BITS(SL_LABEL_READS_TEMPERATURE)},
    {"folds", SL_FIELD_COUNT, FIELD(folds),
     "ensemble: the rows are those of N folds in turn, cut from numpy's shuffle with seed 0; name "
     "them by item",
     .fallback = "0", .minimum = 0, .maximum = 1e6, .modes = ENSEMBLE},
    {"per-annotator", SL_FIELD_BOOLEAN, FIELD(per_annotator),
     "a row per answer instead of one per item", .letter = 'p', .modes = EACH},
    {"mean-first", SL_FIELD_BOOLEAN, FIELD(mean_first),
     "mix: average shares and confidences before smoothing", .modes = MEANS},
    {"generated", SL_FIELD_BOOLEAN, FIELD(generated),
     "mix: use the share that was mixed instead of the inferred one", .modes = LABEL(MIX)},
    {"vectors", SL_FIELD_PATH, FIELD(vectors),
     "word vectors in GloVe's text form, for the semantic methods", .modes = LABEL(SIMILARITY)},
    {"iterations", SL_FIELD_COUNT, FIELD(iterations),
     "most rounds; own is 100, of mace and the pools 50, kos 10, mmsr 10000", .fallback = "own",
     .minimum = 1, .maximum = 1e6, .size_max = "own", .modes = CROWD(ROUNDS)},
    {"tolerance", SL_FIELD_NUMBER, FIELD(tolerance),
     "stop when the gain of the log-likelihood is below this, see --stop (default 1e-7); for mmsr "
     "when the fitted matrix changes less (default 1e-10)",
     .fallback = "nan", .minimum = 0, .maximum = 1, .modes = CROWD(TOLERANCE)},
    {"stop", SL_FIELD_ENUM, FIELD(stop),
     "what --tolerance is a share of: the log-likelihood (relative) or the number of answers",
     .value = "HOW", .fallback = "relative", .modes = CROWD(TOLERANCE), .names = stops},
    {"smoothing", SL_FIELD_NUMBER, FIELD(smoothing),
     "pseudo-count on every cell of a confusion matrix (default: the method's own)",
     .fallback = "nan", .minimum = 0, .maximum = 1e6, .modes = CROWD(SMOOTHING)},
    {"diagonal", SL_FIELD_NUMBER, FIELD(diagonal),
     "additional pseudo-count on the diagonal (default: the method's own)", .fallback = "nan",
     .minimum = 0, .maximum = 1e6, .modes = CROWD(DIAGONAL)},
    {"start", SL_FIELD_ENUM, FIELD(start),
     "starting point of Dawid-Skene: the shares of the votes, a diagonal, or the matrices of "
     "--start-from, instead of those of the votes (given) or beside them (added)",
     .value = "HOW", .fallback = "shares", .modes = CROWD(START), .names = starts},
    {"start-from", SL_FIELD_PATH, FIELD(start_from),
     "a state whose confusion matrices are the start, for --start given and added",
     .value = "FILE.npz", .modes = STARTS, .needs = "start"},
    {"start-weight", SL_FIELD_NUMBER, FIELD(start_weight),
     "answers per class that a matrix of --start-from counts for, for --start added", .value = "N",
     .fallback = "10", .minimum = 0, .maximum = 1e9, .modes = ADDS, .needs = "start-from"},
    {"tie", SL_FIELD_ENUM, FIELD(tie), "how mv breaks a tie", .value = "RULE", .fallback = "share",
     .modes = CROWD(TIE), .names = ties},
    {"em", SL_FIELD_BOOLEAN, FIELD(em), "mace: plain EM instead of variational",
     .modes = CROWD(VARIATIONAL)},
    {"restarts", SL_FIELD_COUNT, FIELD(mace.restarts),
     "mace: random starts, of which the best is kept", .fallback = "10", .minimum = 1,
     .maximum = 1e6, .modes = CROWD(MACE)},
    {"noise", SL_FIELD_NUMBER, FIELD(mace.noise), "mace: how far random starts are apart",
     .fallback = "0.5", .minimum = 0, .maximum = 1e6, .modes = CROWD(MACE)},
    {"spam-prior", SL_FIELD_NUMBER, FIELD(mace.spam_prior),
     "mace: answers that everybody is assumed to have spammed", .value = "N", .fallback = "0.5",
     .minimum = 1e-6, .maximum = 1e6, .modes = BETA},
    {"know-prior", SL_FIELD_NUMBER, FIELD(mace.know_prior),
     "mace: answers that everybody is assumed to have known", .value = "N", .fallback = "0.5",
     .minimum = 1e-6, .maximum = 1e6, .modes = BETA},
    {"class-prior", SL_FIELD_PATH, FIELD(glad.class_prior),
     "glad: probabilities of the classes: columns class and p (default: all equal)",
     .value = "FILE.csv", .modes = CROWD(GLAD)},
    {"ability-prior", SL_FIELD_PATH, FIELD(glad.ability),
     "glad: prior means of the abilities: columns annotator and ability (default 1)",
     .value = "FILE.csv", .modes = CROWD(GLAD)},
    {"easiness-prior", SL_FIELD_PATH, FIELD(glad.easiness),
     "glad: prior means of the items' easiness: columns item and easiness (default 1)",
     .value = "FILE.csv", .modes = CROWD(GLAD)},
    {"m-steps", SL_FIELD_COUNT, FIELD(glad.steps), "glad: most steps of an M-step", .value = "N",
     .fallback = "1", .minimum = 1, .maximum = 1e6, .modes = CROWD(GLAD)},
    {"m-accuracy", SL_FIELD_NUMBER, FIELD(glad.accuracy),
     "glad: an M-step ends when no ability and no easiness moves by this", .fallback = "0",
     .minimum = 0, .maximum = 1e6, .modes = CROWD(GLAD)},
    {"rate", SL_FIELD_NUMBER, FIELD(zbs.rate),
     "zbs: how far skills move towards the agreement in a round", .value = "R", .fallback = "1",
     .minimum = 1e-6, .maximum = 1, .modes = CROWD(ZBS)},
    {"rate-factor", SL_FIELD_NUMBER, FIELD(zbs.factor), "zbs: what the rate is multiplied with",
     .value = "F", .fallback = "0.5", .minimum = 1e-6, .maximum = 1, .modes = CROWD(ZBS)},
    {"rate-period", SL_FIELD_COUNT, FIELD(zbs.period), "zbs: after every so many rounds",
     .value = "N", .fallback = "20", .minimum = 1, .maximum = 1e6, .modes = CROWD(ZBS)},
    {"rate-margin", SL_FIELD_NUMBER, FIELD(zbs.margin),
     "zbs: by how much the first skill exceeds that of guessing", .fallback = "1e-5", .minimum = 0,
     .maximum = 1, .modes = CROWD(ZBS)},
    {"gold", SL_FIELD_PATH, FIELD(gold),
     "items whose class is known and fixed, in a file as for --truth; gold-mv needs some",
     .modes = CROWD(GOLD)},
    {"predictions", SL_FIELD_PATH, FIELD(predictions), "a classifier's predictions, for crowdlab",
     .modes = PREDICTIONS},
    {"rows", SL_FIELD_CHOICE, FIELD(rows),
     "how one answer becomes the distribution that ds-soft and the pools read (default: t2-clamp "
     "where people named top classes, otherwise share, which takes distributions as they are)",
     .value = "NAME", .names = row_methods, .modes = SOFT},
    {"calibrate", SL_FIELD_BOOLEAN, FIELD(calibrate),
     "calibrate every annotator's probabilities first", .modes = CROWD(CALIBRATE)},
    {"reference", SL_FIELD_PATH, FIELD(reference),
     "known distributions of some items, from which the weights (unless --weights gives them) and "
     "the sharpening of a pool are learned",
     .modes = CROWD(REFERENCE)},
    {"annotators-out", SL_FIELD_OUTPUT, FIELD(annotators_out),
     "also write the method's estimates of annotators: skill, weight, ability, confusion; every "
     "crowd method but mv has some",
     .value = "FILE.csv", .suffixes = ".csv", .prints = "json", .modes = ESTIMATES},
    {"items-out", SL_FIELD_OUTPUT, FIELD(items_out),
     "also write a row per item: answers, expected risk, by how much one more answer lowers it, "
     "and "
     "the 95 % credible interval of every class; dirichlet",
     .value = "FILE.csv", .suffixes = ".csv", .prints = "json", .modes = RISKS},
    {"state", SL_FIELD_OUTPUT, FIELD(state),
     "also write posteriors, prior, log-likelihoods and all that the method estimates",
     .value = "FILE.npz", .suffixes = ".npz", .prints = "json", .modes = LEARNS},
    {"resume", SL_FIELD_PATH, FIELD(resume), "continue from a state after answers were added",
     .value = "FILE.npz", .modes = CROWD(RESUME)},
    {"prior", SL_FIELD_PATH, FIELD(prior),
     "a state whose confusion matrices are the prior of annotators; for dirichlet, a classifier's "
     "predictions for every item",
     .value = "FILE", .modes = CROWD(PRIOR) | PREDICTED},
    {"prior-weight", SL_FIELD_NUMBER, FIELD(prior_weight),
     "answers per class that a prior matrix counts for", .value = "N", .fallback = "10",
     .minimum = 0, .maximum = 1e9, .modes = CROWD(PRIOR), .needs = "prior"},
    {.name = NULL},
};
#undef FIELD

struct sl_labels_job sl_labels_job_default(void)
{
    struct sl_labels_job job = {0};
    sl_fields_set_defaults(sl_labels_job_options, &job);
    return job;
}

/* ---- The task ---- */

const char *const sl_labels_not_in_rows[] = {"list", "json", "seconds-per-input", "stream", NULL};

static enum sl_status run_labels(const void *raw, const struct sl_task_call *call, json_t **result,
                                 struct sl_error *err)
{
    struct sl_labels_job job = *(const struct sl_labels_job *)raw;
    struct sl_label_notes notes = {0};
    struct sl_exchange *exchange = call->workplace->exchange;
    struct sl_rows *rows = NULL;
    if (job.list) {
        *result = sl_label_methods_json();
        return SL_OK;
    }
    char *provenance = sl_asked_for_rows(call->asked, job.output, sl_labels_not_in_rows);
    job.paths = call->arguments;
    job.n_paths = call->n_arguments;
    job.timed = !job.output && !exchange;
    job.provenance = provenance;
    const enum sl_status status = sl_labels_job_run(&job, call->workplace, &rows, &notes, err);
    if (status == SL_OK && !job.output)
        *result = sl_labels_json(&job, &notes, rows->n_rows, sl_asked_json(call->asked));
    if (status == SL_OK && exchange)
        exchange->rows = rows;
    else
        sl_rows_destroy(rows);
    free(provenance);
    return status;
}

const struct sl_task sl_labels_task = {
    .name = "labels",
    .options = sl_labels_job_options,
    .size = sizeof(struct sl_labels_job),
    .mode = find_mode,
    .most_arguments = SIZE_MAX,
    .reports = true,
    .run = run_labels,
};
