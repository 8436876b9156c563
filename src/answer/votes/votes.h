/* Private to answer: how votes are read.
 *
 * A format turns blocks of lines into votes (block.h), any thread any block; the builder (build.c)
 * makes item-major arrays of them. Formats are rows of a table in read.c. */
#ifndef SOFTLAB_ANSWER_VOTES_VOTES_H
#define SOFTLAB_ANSWER_VOTES_VOTES_H

#include "answer/blocks/blocks.h"
#include "softlab/answer.h"

enum { SL_VOTES_CLASSES = 65535 };

/* The labels in the order in which they are met. */
struct sl_vote_labels {
    const struct sl_name_table *names; /* borrowed */
    bool sorted; /* the labels are already ordered classes; otherwise they are sorted */
};

/* How blocks are cut, see struct sl_block_work. */
struct sl_vote_records {
    bool quoting;
    size_t limit;
};

struct sl_vote_block;
struct sl_vote_format {
    struct sl_vote_records (*records)(const char *path);
    /* Read what the file begins with, for as many workers. */
    enum sl_status (*open)(const char *path, const struct sl_import_options *options,
                           const struct sl_line_block *first, size_t n_workers, void **source,
                           struct sl_error *err);
    /* A failure goes to out->failure; the votes before it count. */
    void (*parse)(void *source, struct sl_line_block *block, size_t worker,
                  struct sl_vote_block *out);
    /* The classes that labels number; NULL: labels are those of the blocks. */
    const struct sl_name_table *(*classes)(const void *source);
    void (*close)(void *source);
};
extern const struct sl_vote_format sl_votes_csv, sl_votes_jsonl;

struct sl_votes *sl_votes_create(void) SL_RETURNS_NONNULL;

enum sl_status sl_votes_build(const char *path, const struct sl_vote_format *format,
                              const struct sl_import_options *options,
                              const struct sl_block_plan *plan, struct sl_votes **out,
                              struct sl_error *err) SL_MUST_USE;
/* sl_votes_read with blocks of another size. */
enum sl_status sl_votes_read_blocks(const char *path, const struct sl_import_options *options,
                                    const struct sl_block_plan *plan, struct sl_votes **out,
                                    struct sl_error *err) SL_MUST_USE;

/* Set the classes of the votes: options->classes (NULL-ended), or the labels. Labels that change
 * their number are changed in votes->label, which is copied if it is mapped. */
enum sl_status sl_votes_set_classes(struct sl_votes *votes, const struct sl_vote_labels *labels,
                                    const char *const *classes, const char *path,
                                    struct sl_error *err) SL_MUST_USE;

/* Add the names of the classes to a table, in their order. */
enum sl_status sl_votes_add_classes(const struct sl_votes *votes, struct sl_name_table *to,
                                    struct sl_error *err) SL_MUST_USE;

/* For walks through all items in their order: when item `item` was read, streamed votes take the
 * items of its window out of memory if it is the last of them. */
static inline void sl_votes_pass_behind(const struct sl_votes *votes, size_t item)
{
    enum { WINDOW = 1 << 20 };
    if ((item + 1) % WINDOW == 0 || item + 1 == votes->n_items)
        sl_votes_pass(votes, item / WINDOW * WINDOW, item + 1);
}

/* Who looks for answers of the same person to the same item. */
struct sl_duplicates {
    struct sl_import_notes *notes;                            /* borrowed */
    const char *path;                                         /* borrowed; shown in warnings */
    const struct sl_name_table *annotators;                   /* borrowed */
    const char *(*name_of)(const void *context, size_t item); /* of an item, for warnings */
    const void *context;                                      /* borrowed */
    size_t *seen_at; /* owned by the caller; per annotator: 2 item + 1 or + 2 of the last one */
};
enum sl_status sl_duplicates_begin(struct sl_duplicates *duplicates,
                                   struct sl_error *err) SL_MUST_USE;
/* The annotators of an item. Items come in ascending order. */
void sl_duplicates_note(const struct sl_duplicates *duplicates, size_t item,
                        const uint32_t *annotators, size_t count);
/* Count them in all votes. */
enum sl_status sl_votes_note_duplicates(const struct sl_votes *votes, const char *path,
                                        struct sl_import_notes *notes,
                                        struct sl_error *err) SL_MUST_USE;

/* Votes over the bytes of an answers.slb, which must stay in place, 64-byte aligned; classes are
 * not chosen yet. Without `sums` checksums are not checked. */
struct sl_slb_bytes {
    const unsigned char *bytes; /* borrowed */
    size_t length;
    const char *name; /* shown in errors */
    bool sums;
    bool stream; /* the bytes are a mapping of which little may stay in memory */
};
enum sl_status sl_slb_parse(const struct sl_slb_bytes *bytes, struct sl_votes **out,
                            struct sl_error *err) SL_MUST_USE;
enum sl_status sl_slb_read(const char *path, bool stream, struct sl_votes **out,
                           struct sl_error *err) SL_MUST_USE;

/* The file behind a mapped set; bytes are NULL if the caller owns them. */
struct sl_votes_mapping {
    void *bytes; /* owned */
    size_t length;
    uint32_t checksum; /* of the header */
    bool stream;
    uint16_t *own_labels; /* owned; instead of the file's where classes were reordered */
};

extern const char sl_slb_magic[8];

/* Note what an answer loses when it is read as a vote. */
void sl_votes_note(const struct sl_answer *answer, struct sl_import_notes *notes);

#endif
