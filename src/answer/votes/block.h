/* Private to answer/: the votes of a block of lines, as one thread reads them. Names have
 * numbers of the block's own; the builder gives them those of the file. */
#ifndef SOFTLAB_ANSWER_VOTES_BLOCK_H
#define SOFTLAB_ANSWER_VOTES_BLOCK_H

#include "answer/answer_internal.h"
#include "answer/votes/votes.h"
#include "softlab/base/buffer.h"

/* The complaint about label SL_VOTES_CLASSES. */
#define SL_VOTES_MANY_LABELS "more than %d classes; is the right column read as labels?"

/* Consecutive lines about one item. */
struct sl_vote_run {
    uint32_t length;  /* of its name */
    uint32_t n_votes; /* may be 0 */
};

struct sl_vote_block {
    uint32_t *annotator; /* owned; count; in `annotators`, or SL_NO_NAME */
    uint16_t *label;     /* owned; count; in `labels`, if there are any, otherwise a class */
    size_t count, capacity;
    struct sl_vote_run *runs; /* owned */
    size_t n_runs, run_capacity;
    struct sl_buffer items;                    /* the names of the runs, one after another */
    struct sl_name_table *annotators, *labels; /* owned */
    size_t *label_lines; /* owned; the line of the block on which each label is met, from 1 */
    size_t label_capacity;
    double *ms; /* owned; the times of votes, in order */
    size_t n_timed, ms_capacity;
    size_t n_read, n_confident, n_skipped;
    size_t n_left_out;              /* lines that give their item and no vote */
    size_t skipped[SL_NOTES_SHOWN]; /* the first lines that were */
    struct sl_error failure;
};

void sl_vote_block_init(struct sl_vote_block *block);
void sl_vote_block_release(struct sl_vote_block *block);
/* Forget the votes, keep the memory. This and what follows calls no sl_alloc. */
void sl_vote_block_clear(struct sl_vote_block *block);

enum sl_status sl_vote_block_add_item(struct sl_vote_block *block, struct sl_field name,
                                      struct sl_error *err) SL_MUST_USE;
/* A vote about the item added last. */
enum sl_status sl_vote_block_add_vote(struct sl_vote_block *block, struct sl_field annotator,
                                      uint32_t label, struct sl_error *err) SL_MUST_USE;
/* The number of a label, which was met on this line of the block. */
enum sl_status sl_vote_block_add_label(struct sl_vote_block *block, struct sl_field name,
                                       size_t line, uint32_t *out,
                                       struct sl_error *err) SL_MUST_USE;
enum sl_status sl_vote_block_add_time(struct sl_vote_block *block, double ms,
                                      struct sl_error *err) SL_MUST_USE;
/* A line without a vote. */
void sl_vote_block_skip(struct sl_vote_block *block, size_t line);

#endif
