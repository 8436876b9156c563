/* The evidence of each signal, bounded, and its sum as a score. */
#include "softlab/answer/suspicion.h"

#include <math.h>
#include <stdlib.h>

#include "answer/suspicion/suspicion.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* The prior: one annotator in fifty did not look. */
static const double PRIOR = .02;
/* A signal with at least this evidence is named as a reason. */
static const double WORTH_NAMING = 1;
static const double MOSTLY = .9;
/* A person who looks agrees, passes checks and repeats the class: that is one fact, so it counts
 * once. */
static const double MOST_IN_FAVOUR = -3;

struct accused {
    const struct sl_answers *answers;
    const struct sl_suspect *suspect;
    const struct sl_annotator_quality *quality, *overall;
};

static double clamp(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* From 0 at `none` to 1 at `all`, linear in the logarithm; 0 for NaN. */
static double between(double value, double none, double all)
{
    if (isnan(value)) return 0;
    return clamp(log(none / fmax(value, 1e-9)) / log(none / all), 0, 1);
}

/* From 0 at `none` to 1 at `all` answers: how reliable a measure is. */
static double enough(size_t count, double none, double all)
{
    return clamp(((double)count - none) / (all - none), 0, 1);
}

/* ---- Habit ---- */

static const double MOST_ALONE = 4;

/* Where nobody else answered, votes cannot be compared; but others may use the usual class less. */
static double evidence_alone(const struct sl_suspect *suspect)
{
    if (suspect->n_alone == 0) return 0;
    const double n = (double)suspect->n_alone, own = (double)suspect->n_alone_usual / n;
    const double elsewhere = suspect->usual_elsewhere;
    if (!(own > elsewhere)) return 0;
    double nats = own * log(own / elsewhere);
    if (own < 1) nats += (1 - own) * log((1 - own) / (1 - elsewhere));
    return enough(suspect->n_alone, 2, 8) * fmin(n * nats, MOST_ALONE);
}

static double evidence_habit(const struct accused *accused)
{
    return accused->suspect->habit + evidence_alone(accused->suspect);
}

/* Somebody who guesses agrees about as often as by chance, somebody who swaps classes does not. */
static const double CONTRARY = .75;

static char *name_habit(const struct accused *accused)
{
    const struct sl_suspect *suspect = accused->suspect;
    const double usual = (double)suspect->n_usual / (double)suspect->n_votes;
    if (usual >= MOSTLY && suspect->usual >= accused->answers->n_classes)
        return sl_string_printf("always the same share (%zu of %zu answer%s)", suspect->n_usual,
                                suspect->n_votes, sl_text_plural(suspect->n_votes, "", "s"));
    if (usual >= MOSTLY)
        return sl_string_printf("always the same class (\"%s\" in %zu of %zu answer%s)",
                                accused->answers->classes[suspect->usual], suspect->n_usual,
                                suspect->n_votes, sl_text_plural(suspect->n_votes, "", "s"));
    const bool contrary = suspect->agreement < CONTRARY * suspect->chance;
    return sl_string_printf("agrees with others %s than by chance (%.0f %%, chance %.0f %%)%s",
                            contrary ? "less often" : "hardly more often", 100 * suspect->agreement,
                            100 * suspect->chance, contrary ? "; did they swap the classes?" : "");
}

/* ---- Times ---- */

static double evidence_fast(const struct accused *accused)
{
    const struct sl_suspect *suspect = accused->suspect;
    return 5 * enough(suspect->n_times, 2, 6) * between(exp(suspect->pace), 1. / 4, 1. / 10);
}

static char *name_fast(const struct accused *accused)
{
    return sl_string_printf("%.1f s per trial (others %.1f s)", accused->suspect->median_ms / 1000,
                            accused->suspect->usual_ms / 1000);
}

static double evidence_even(const struct accused *accused)
{
    const struct sl_suspect *suspect = accused->suspect;
    return 5 * enough(suspect->n_times, 3, 7) * between(suspect->evenness, 1. / 4, 1. / 8);
}

static char *name_even(const struct accused *accused)
{
    return sl_string_printf("nearly the same time in every trial (%.1f s, spread %.0f %%)",
                            accused->suspect->median_ms / 1000, 100 * accused->suspect->spread);
}

/* ---- Percentages, checks, repeats ---- */

/* Many people say 100 % for every clear picture: common patterns are no evidence. */
static double evidence_pattern(const struct accused *accused)
{
    const struct sl_suspect *suspect = accused->suspect;
    if (suspect->n_patterned == 0) return 0;
    const double share = (double)suspect->n_same / (double)suspect->n_patterned;
    return 3 * enough(suspect->n_patterned, 4, 12) * clamp((share - .8) / .2, 0, 1) *
           (1 - suspect->same_elsewhere);
}

static char *name_pattern(const struct accused *accused)
{
    return sl_string_printf("the same percentages in %zu of %zu answers", accused->suspect->n_same,
                            accused->suspect->n_patterned);
}

/* Checks that most people fail say little, so "looked" passes as often as all annotators do. */
static double evidence_checks(const struct accused *accused)
{
    const struct sl_annotator_quality *own = accused->quality, *all = accused->overall;
    if (own->n_checks == 0) return 0;
    const double guess = 1 / (double)accused->answers->n_classes;
    const double pass = clamp((double)all->n_checks_right / (double)all->n_checks, .6, .95);
    const double right = (double)own->n_checks_right, wrong = (double)own->n_checks - right;
    return wrong * log((1 - guess) / (1 - pass)) + right * log(guess / pass);
}

static char *name_checks(const struct accused *accused)
{
    return sl_string_printf(
        "%zu of %zu check%s wrong", accused->quality->n_checks - accused->quality->n_checks_right,
        accused->quality->n_checks, sl_text_plural(accused->quality->n_checks, "", "s"));
}

static double evidence_repeats(const struct accused *accused)
{
    const struct sl_annotator_quality *own = accused->quality;
    if (own->n_repeats == 0 || accused->suspect->n_votes == 0) return 0;
    const double same = clamp(accused->suspect->same, .05, .95);
    const double change = clamp(accused->overall->changed_class, .05, .4);
    const double changed = own->changed_class * (double)own->n_repeats;
    const double kept = (double)own->n_repeats - changed;
    return changed * log((1 - same) / change) + kept * log(same / (1 - change));
}

static char *name_repeats(const struct accused *accused)
{
    const struct sl_annotator_quality *own = accused->quality;
    return sl_string_printf("a different class in %.0f of %zu repeat%s",
                            own->changed_class * (double)own->n_repeats, own->n_repeats,
                            sl_text_plural(own->n_repeats, "", "s"));
}

/* ---- The score ---- */

const char *const sl_suspicion_names[SL_SUSPECT_COUNT] = {"habit",   "fast",   "even",
                                                          "pattern", "checks", "repeats"};

/* Only a strong habit can flag anybody by itself: a flag takes 6.1 nats. */
static const struct signal {
    double least, most; /* nats */
    double (*evidence)(const struct accused *accused);
    char *(*name)(const struct accused *accused);
} signals[SL_SUSPECT_COUNT] = {
    [SL_SUSPECT_HABIT] = {-3, 8, evidence_habit, name_habit},
    [SL_SUSPECT_FAST] = {0, 5, evidence_fast, name_fast},
    [SL_SUSPECT_EVEN] = {0, 5, evidence_even, name_even},
    [SL_SUSPECT_PATTERN] = {0, 3, evidence_pattern, name_pattern},
    [SL_SUSPECT_CHECKS] = {-2, 5, evidence_checks, name_checks},
    [SL_SUSPECT_REPEATS] = {-2, 3, evidence_repeats, name_repeats},
};

/* The strongest first. */
static void name_reasons(const struct accused *accused, struct sl_suspicion *out)
{
    bool named[SL_SUSPECT_COUNT] = {false};
    for (;;) {
        int next = -1;
        for (int s = 0; s < SL_SUSPECT_COUNT; s++)
            if (!named[s] && out->evidence[s] >= WORTH_NAMING &&
                (next < 0 || out->evidence[s] > out->evidence[next]))
                next = s;
        if (next < 0) return;
        named[next] = true;
        out->reasons[out->n_reasons++] = signals[next].name(accused);
    }
}

static void judge(const struct accused *accused, struct sl_suspicion *out)
{
    double against = 0, in_favour = 0;
    for (int s = 0; s < SL_SUSPECT_COUNT; s++) {
        const struct signal *signal = &signals[s];
        out->evidence[s] = clamp(signal->evidence(accused), signal->least, signal->most);
        against += fmax(out->evidence[s], 0);
        in_favour += fmin(out->evidence[s], 0);
    }
    const double odds = log(PRIOR / (1 - PRIOR)) + against + fmax(in_favour, MOST_IN_FAVOUR);
    out->score = 1 / (1 + exp(-odds));
    out->flagged = out->score >= SL_SUSPICION_FLAG;
    name_reasons(accused, out);
}

enum sl_status sl_suspicion_measure(const struct sl_answers *answers,
                                    const struct sl_quality *quality, const int32_t *truth,
                                    struct sl_suspicions *out, struct sl_error *err)
{
    struct sl_suspicions result = {.n_annotators = sl_name_table_count(answers->annotators)};
    struct sl_suspect *suspects = sl_data_zeroed(result.n_annotators, sizeof *suspects, err);
    enum sl_status status = suspects ? SL_OK : SL_ERR_NOMEM;
    if (status != SL_OK) return status;
    result.annotators = sl_data_zeroed(result.n_annotators, sizeof *result.annotators, err);
    SL_TRY_OUT(result.annotators ? SL_OK : SL_ERR_NOMEM);
    SL_TRY_OUT(sl_suspect_habits(answers, truth, suspects, err));
    SL_TRY_OUT(sl_suspect_times(answers, suspects, err));
    SL_TRY_OUT(sl_suspect_patterns(answers, suspects, err));
    for (size_t a = 0; a < result.n_annotators; a++) {
        const struct accused accused = {answers, &suspects[a], &quality->annotators[a],
                                        &quality->overall};
        judge(&accused, &result.annotators[a]);
        result.n_flagged += result.annotators[a].flagged;
    }
    *out = result;
    result = (struct sl_suspicions){0};
out:
    free(suspects);
    sl_suspicions_release(&result);
    return status;
}

void sl_suspicions_release(struct sl_suspicions *suspicions)
{
    for (size_t a = 0; suspicions->annotators && a < suspicions->n_annotators; a++)
        for (size_t i = 0; i < suspicions->annotators[a].n_reasons; i++)
            free(suspicions->annotators[a].reasons[i]);
    free(suspicions->annotators);
    *suspicions = (struct sl_suspicions){0};
}
