/* Verdict: compares results of any program with a paper's figures and claims, judges the claims and
 * writes a report. It runs no experiment and knows only their contract.
 *
 *     sl_results_read -> sl_verdict_report -> sl_report_render
 *
 * softlab/verdict/results.h reads results, softlab/verdict/outcome.h judges them. */
#ifndef SOFTLAB_VERDICT_H
#define SOFTLAB_VERDICT_H

#include "softlab/report.h"
#include "softlab/verdict/outcome.h"
#include "softlab/verdict/results.h"

SL_BEGIN_DECLS

/* Write a report of all results, or of the specifications in `specs` only. */
struct sl_report_options {
    const char *const *specs; /* (n_specs) names or paths; NULL: all that have results */
    size_t n_specs;
    const char *command; /* the command line that makes the report, shown in it; or NULL */
};
enum sl_status sl_verdict_report(const struct sl_results *results,
                                 const struct sl_report_options *options, struct sl_report **out,
                                 struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
