/* Measures of lent votes. */
#include <math.h>
#include <string.h>

#include "bind/bind_internal.h"
#include "softlab/answer/measures.h"
#include "softlab/base/text.h"

struct asked {
    const struct sl_votes *votes;
    const double *skill;
    const uint32_t *chosen;
    struct sl_votes_figures figures;
    double all; /* NaN: the mean of the figures says all */
};

static enum sl_status alpha(struct asked *asked, struct sl_error *err)
{
    return sl_votes_alpha(asked->votes, &asked->all, err);
}

static enum sl_status uncertainty(struct asked *asked, struct sl_error *err)
{
    return sl_votes_uncertainty(asked->votes, asked->skill, SL_OF_ITEMS, &asked->figures, err);
}

static enum sl_status uncertainty_of_annotators(struct asked *asked, struct sl_error *err)
{
    return sl_votes_uncertainty(asked->votes, asked->skill, SL_OF_ANNOTATORS, &asked->figures, err);
}

static enum sl_status consistency(struct asked *asked, struct sl_error *err)
{
    return sl_votes_consistency(asked->votes, asked->skill, asked->chosen, &asked->figures, err);
}

static enum sl_status accuracy(struct asked *asked, struct sl_error *err)
{
    return sl_votes_accuracy(asked->votes, asked->chosen, SL_OF_ITEMS, &asked->figures, &asked->all,
                             err);
}

static enum sl_status accuracy_of_annotators(struct asked *asked, struct sl_error *err)
{
    return sl_votes_accuracy(asked->votes, asked->chosen, SL_OF_ANNOTATORS, &asked->figures,
                             &asked->all, err);
}

static const struct {
    const char *name;
    bool chooses; /* it needs `chosen` */
    enum sl_status (*measure)(struct asked *asked, struct sl_error *err);
} measures[] = {
    {"alpha", false, alpha},
    {"uncertainty", false, uncertainty},
    {"uncertainty-of-annotators", false, uncertainty_of_annotators},
    {"consistency", true, consistency},
    {"accuracy", true, accuracy},
    {"accuracy-of-annotators", true, accuracy_of_annotators},
};
enum { N_MEASURES = sizeof measures / sizeof *measures };

enum sl_status sl_bind_measure(const struct sl_bind_measuring *measuring,
                               struct sl_desk_result **out, struct sl_error *err)
{
    struct asked asked = {
        .votes = measuring->votes, .skill = measuring->skill, .chosen = measuring->chosen};
    const char *names[N_MEASURES + 1] = {NULL};
    char more[SL_SUGGESTION_TEXT];
    asked.all = asked.figures.mean = NAN;
    for (size_t i = 0; i < N_MEASURES; i++) {
        names[i] = measures[i].name;
        if (strcmp(names[i], measuring->measure) != 0) continue;
        if (measures[i].chooses && !asked.chosen)
            return sl_fail(err, SL_ERR_USAGE, "%s needs the chosen class of every item", names[i]);
        SL_TRY(measures[i].measure(&asked, err));
        *out = sl_desk_result_of_figures(&asked.figures, asked.all);
        return SL_OK;
    }
    return sl_fail(err, SL_ERR_NOT_FOUND, "no measure is called \"%s\"%s", measuring->measure,
                   sl_text_suggestion(measuring->measure, names, "", more));
}
