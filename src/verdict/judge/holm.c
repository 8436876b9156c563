/* Holm's correction (1979) over the claims of one paper with one kind of evidence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/judge/judge.h"

static const double most_wrong = .05; /* family-wise error rate */

static int compare_p(const void *a, const void *b)
{
    const struct sl_judgement *const *x = a, *const *y = b;
    return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

void sl_judgements_adjust(struct sl_judgement **family, size_t count)
{
    size_t n_tested = 0;
    double adjusted = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(family[i]->p)) family[n_tested++] = family[i];
    if (n_tested) qsort(family, n_tested, sizeof(struct sl_judgement *), compare_p);
    for (size_t i = 0; i < n_tested; i++) {
        adjusted = fmax(adjusted, (double)(n_tested - i) * family[i]->p);
        if (adjusted > most_wrong) family[i]->holm = SL_VERDICT_UNDECIDED;
    }
}

/* The same paper: names up to the slash. */
static bool is_of_paper(const struct sl_outcome *outcome, const char *paper)
{
    const size_t length = strcspn(paper, "/");
    const char *name = outcome->source.spec->name;
    return strcspn(name, "/") == length && memcmp(name, paper, length) == 0;
}

/* Equal claims are one test; the repeated ones take over its verdict. */
struct family {
    enum sl_evidence evidence;
    struct sl_name_table *identities; /* owned */
    struct sl_judgement **firsts;     /* owned; by identity */
    size_t count;
};

static bool is_judged(const struct sl_judgement *judgement, enum sl_evidence evidence)
{
    return judgement->evidence == evidence && judgement->verdict != SL_VERDICT_NOT_RUN &&
           judgement->verdict != SL_VERDICT_NO_CLAIM;
}

static void add_claims(struct family *family, struct sl_outcome *outcome)
{
    for (size_t i = 0; i < outcome->n_claims; i++) {
        struct sl_outcome_claim *claim = &outcome->claims[i];
        uint32_t index;
        if (!is_judged(&claim->here, family->evidence)) continue;
        if (sl_name_table_add(family->identities, claim->identity, strlen(claim->identity), &index,
                              NULL) != SL_OK)
            return;
        if (index == family->count) family->firsts[family->count++] = &claim->here;
    }
}

static void repeat_claims(const struct family *family, struct sl_outcome *outcome)
{
    for (size_t i = 0; i < outcome->n_claims; i++) {
        struct sl_outcome_claim *claim = &outcome->claims[i];
        const uint32_t index =
            sl_name_table_find(family->identities, claim->identity, strlen(claim->identity));
        if (is_judged(&claim->here, family->evidence) && index != SL_NO_NAME)
            claim->here.holm = family->firsts[index]->holm;
    }
}

static void adjust_paper(struct sl_outcome *const *outcomes, size_t count, const char *paper,
                         enum sl_evidence evidence)
{
    size_t n_claims = 0;
    for (size_t i = 0; i < count; i++)
        n_claims += outcomes[i]->n_claims;
    struct sl_judgement **tested = sl_alloc(n_claims + 1, sizeof(struct sl_judgement *));
    struct family family = {.evidence = evidence, .identities = sl_name_table_create()};
    family.firsts = sl_alloc(n_claims + 1, sizeof(struct sl_judgement *));
    for (size_t i = 0; i < count; i++)
        if (is_of_paper(outcomes[i], paper)) add_claims(&family, outcomes[i]);
    for (size_t i = 0; i < family.count; i++)
        tested[i] = family.firsts[i];
    sl_judgements_adjust(tested, family.count);
    for (size_t i = 0; i < count; i++)
        if (is_of_paper(outcomes[i], paper)) repeat_claims(&family, outcomes[i]);
    sl_name_table_destroy(family.identities);
    free(family.firsts);
    free(tested);
}

void sl_outcomes_adjust(struct sl_outcome *const *outcomes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_first = true;
        const char *paper = outcomes[i]->source.spec->name;
        for (size_t before = 0; before < i; before++)
            is_first = is_first && !is_of_paper(outcomes[before], paper);
        for (int evidence = 0; is_first && evidence < SL_EVIDENCE_COUNT; evidence++)
            adjust_paper(outcomes, count, paper, (enum sl_evidence)evidence);
    }
}
