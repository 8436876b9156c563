/* Whether the answers of a crowd are read in windows or held in memory. */
#include "pipeline/labels/labels.h"
#include "softlab/base/system.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/exchange.h"

/* NAME_BYTES: a pointer and a short text on the heap. MOST_QUARTERS: what is free now is not free
 * for long on a machine with other work. */
enum { NAME_BYTES = 40, MOST_QUARTERS = 3 };

uint64_t sl_labels_memory(const struct sl_votes_size *size)
{
    const uint64_t per_item = (uint64_t)size->n_classes * sizeof(float) + NAME_BYTES;
    return size->bytes + (uint64_t)size->n_items * per_item;
}

bool sl_labels_too_large(const struct sl_votes_size *size, size_t available)
{
    return sl_labels_memory(size) > available / 4 * MOST_QUARTERS;
}

enum sl_status sl_labels_check_stream(const struct sl_workplace *workplace,
                                      const struct sl_labels_job *job,
                                      const struct sl_aggregator *method, struct sl_error *err)
{
    const struct {
        const char *option;
        bool given;
    } refused[] = {
        {"--state", job->state},
        {"--resume", job->resume},
        {"--weights", job->weights},
        {"--annotators", job->annotators > 0},
        {"--as-released", job->as_released},
        {"--json", job->timed},
    };
    SL_TRY(sl_aggregator_check_stream(method, err));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return sl_fail(
                err, SL_ERR_USAGE,
                "%s needs all answers in memory: leave it out, or leave out --stream and "
                "use one rank",
                refused[i].option);
    if (!job->output || workplace->exchange)
        return sl_fail(err, SL_ERR_USAGE, "streamed labels need --output FILE");
    return sl_rows_stream_check(job->output, err);
}

/* The options that streaming refuses in the reader of answers. */
static bool reads_as_written(const struct sl_answer_reading *reading)
{
    return reading->abstain.count == 0 && reading->leave_out.count == 0;
}

bool sl_labels_streams(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                       const struct sl_aggregator *method)
{
    if (job->stream || sl_comm_size(workplace->comm) > 1) return true;
    struct sl_votes_size size;
    char need[40], there[40];
    if (sl_labels_check_stream(workplace, job, method, NULL) != SL_OK ||
        !reads_as_written(&job->reading) || !sl_votes_size_read(job->paths[0], &size) ||
        !sl_aggregator_streams_alike(method, &size))
        return false;
    const size_t available = workplace->memory > 0 ? workplace->memory : sl_memory_free();
    if (!sl_labels_too_large(&size, available)) return false;
    sl_log(workplace->log, SL_LOG_INFO,
           "streaming the answers: in memory they and the labels would take %s, and %s is free",
           sl_text_bytes(sl_labels_memory(&size), need, sizeof need),
           sl_text_bytes(available, there, sizeof there));
    return true;
}

enum sl_status sl_labels_hint_stream(enum sl_status status, const struct sl_aggregator *method,
                                     struct sl_error *err)
{
    char names[160];
    if (status != SL_ERR_NOMEM || !err) return status;
    const struct sl_error inner = *err;
    if (method->needs & SL_CROWD_STREAMS)
        return sl_fail(err, status, "%s; --stream reads an answers.slb larger than memory",
                       inner.message);
    sl_aggregators_streamed(names, sizeof names);
    return sl_fail(err, status, "%s; these methods read an answers.slb larger than memory: %s",
                   inner.message, names);
}
