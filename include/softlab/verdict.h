/* Verdict: results, whatever program made them, beside what a paper prints and claims; judged, and
 * written as a document. It runs nothing: of experiments it knows their contract only.
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

/* Everything the results hold as a document; only the specifications named, if there are names (or
 * paths). */
struct sl_report_options {
    const char *const *specs; /* (n_specs), or NULL: those the results name */
    size_t n_specs;
    const char *command; /* how the report was made, or NULL */
};
enum sl_status sl_verdict_report(const struct sl_results *results,
                                 const struct sl_report_options *options, struct sl_report **out,
                                 struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
