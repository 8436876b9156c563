/* Answer: what annotators said. The answer record, its files, import and export of published
 * formats, and the quality of annotators.
 *
 * answers.jsonl is the exchange format: one header line with the classes, then one answer per
 * line, probabilities as given. answers.slb is the same for machines: string tables and
 * item-major columns, memory-mapped (hard answers only). Both are described in docs/formats.md. */
#ifndef SOFTLAB_ANSWER_H
#define SOFTLAB_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/csv.h"
#include "softlab/base/error.h"
#include "softlab/base/json.h"
#include "softlab/base/log.h"
#include "softlab/base/names.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

enum sl_answer_kind {
    SL_ANSWER_HARD,   /* one class */
    SL_ANSWER_SOFT,   /* top classes with probabilities, and classes it cannot be */
    SL_ANSWER_SELECT, /* top classes without probabilities */
    SL_ANSWER_DIST,   /* a whole distribution */
    SL_ANSWER_MIX,    /* the share of each of two classes, with confidence */
};

enum {
    SL_ANSWER_REPEAT = 1,     /* the item shown again to the same person */
    SL_ANSWER_SECOND_RUN = 2, /* the same person's second session */
    SL_ANSWER_CHECK = 4,      /* an attention check: never enters labels */
};

struct sl_belief {
    uint32_t class_index;
    float probability; /* as given, divided by 100; NaN = not given or unreadable */
};

struct sl_mix_answer {
    uint32_t a, b;    /* classes of the two endpoints */
    float lambda;     /* inferred share of a */
    float confidence; /* 0-1; NaN = none given; the other kinds may have one too */
    float generated;  /* the share of a that was mixed; NaN = unknown */
};

/* The longest time of an answer in milliseconds; anything longer is not a time. */
#define SL_LONGEST_MS 1e15

/* One answer. Names and lists are borrowed from the reader or the set that gave it. */
struct sl_answer {
    struct sl_field item, annotator; /* annotator.length 0: nobody knows who */
    enum sl_answer_kind kind;
    unsigned flags;
    size_t n_top; /* 1 for hard */
    const struct sl_belief *top;
    size_t n_impossible;
    const uint32_t *impossible;
    const float *distribution; /* n_classes, for SL_ANSWER_DIST */
    struct sl_mix_answer mix;
    int32_t truth;                /* class, or -1 */
    double ms;                    /* 0 to SL_LONGEST_MS, NaN = unknown */
    int64_t trial;                /* -1 = unknown */
    struct sl_field batch, study; /* may be empty */
    struct sl_field raw[2];       /* the typed texts of the two probabilities, where kept */
    struct sl_field inputs;       /* the JSON object of per-input times, as text; may be empty */
};
/* An empty answer: every field is marked as unknown. */
struct sl_answer sl_answer_empty(void);

/* Answers of every kind in memory, with numbered names. An item may have no answers, if all of them
 * were left out. */
struct sl_answers {
    char **classes; /* owned */
    size_t n_classes;
    struct sl_name_table *items, *annotators; /* owned */
    size_t count;
    uint32_t *item;                  /* owned; count */
    uint32_t *annotator;             /* owned; count; SL_NO_NAME where unknown */
    struct sl_stored_answer *stored; /* owned; private */
    struct sl_answer_pools *pools;   /* owned; private */
};

enum sl_status sl_answers_create(const char *const *classes, size_t n_classes,
                                 struct sl_answers **out, struct sl_error *err) SL_MUST_USE;
void sl_answers_destroy(struct sl_answers *answers);
/* Copy an answer into the set. SL_ERR_INPUT if it has no item, names a class that does not
 * exist or lacks what its kind needs. */
enum sl_status sl_answers_add(struct sl_answers *answers, const struct sl_answer *answer,
                              struct sl_error *err) SL_MUST_USE;
/* Answer `index` as a view into the set, until the next add. */
void sl_answers_get(const struct sl_answers *answers, size_t index, struct sl_answer *out);
/* A probability in per cent as it was typed, without the rounding of float. */
double sl_answer_percent(float probability);
/* An answer with at most two classes in the JSON of the CIFAR-10S release; a new reference. */
json_t *sl_answer_cifar10s_json(char *const *classes, const struct sl_answer *answer) SL_MUST_USE;
/* The number of answers that state a confidence. */
size_t sl_answers_count_confident(const struct sl_answers *answers);
/* The number of answers that have one of these flags. */
size_t sl_answers_count_flagged(const struct sl_answers *answers, unsigned flags);
int64_t sl_answers_find_class(const struct sl_answers *answers, const char *text, size_t length);

/* Indices of the answers to each item: begin[i]..begin[i+1] in `order`, in file order. */
struct sl_item_index {
    size_t *begin; /* owned; n_items + 1 */
    size_t *order; /* owned; count */
};
enum sl_status sl_item_index_create(const struct sl_answers *answers, struct sl_item_index *out,
                                    struct sl_error *err) SL_MUST_USE;
void sl_item_index_release(struct sl_item_index *index);

/* What a reader skipped or corrected, so that nothing is lost silently. Readers add to the
 * counts. */
struct sl_import_notes {
    size_t n_read;            /* answers, the skipped ones included */
    size_t n_skipped;         /* answers without a class */
    size_t n_mended;          /* answers whose unreadable probability was read as not given */
    size_t n_duplicates;      /* further answers by one person to one item that are not marked as
                                 repeats; kept */
    size_t n_twice;           /* a person and an item with such answers */
    size_t n_empty_items;     /* items that a published file lists without answers */
    size_t n_rescaled;        /* distributions that were off 1 by rounding, scaled to sum to 1 */
    size_t n_abstained;       /* answers left out because they name a class of `abstain` */
    size_t n_left_out;        /* answers left out because they name only classes of `leave_out` */
    size_t n_confident;       /* answers that became votes without their confidence */
    size_t n_timed;           /* votes that came with a time */
    double ms_timed;          /* the sum of these times */
    const struct sl_log *log; /* borrowed or NULL: one warning for each of the first few */
};

/* Read answers.jsonl. The scanner accepts exactly what jansson would accept; docs/formats.md says
 * how bad input is treated. `notes` may be NULL. */
enum sl_status sl_answers_read(const char *path, struct sl_answers **out,
                               struct sl_import_notes *notes, struct sl_error *err) SL_MUST_USE;

/* Parts of a sink, for readers with several threads: any thread puts answers into a part, and the
 * parts are taken in order. */
struct sl_answer_parts {
    enum sl_status (*create)(void *context, void **part, struct sl_error *err);
    /* Must not call sl_alloc (softlab/pool.h). If it fails, the part is cleared and its answers are
     * put into the sink itself, which says what is wrong. */
    enum sl_status (*put)(void *part, const struct sl_answer *answer, struct sl_error *err);
    /* Add the answers of a part to the sink. */
    enum sl_status (*take)(void *context, const void *part, struct sl_error *err);
    void (*clear)(void *part); /* on any thread */
    void (*destroy)(void *part);
};

/* A sink for streamed answers: `begin` once with the classes, then `put` for each. */
struct sl_answer_sink {
    enum sl_status (*begin)(void *context, const char *const *classes, size_t n_classes,
                            struct sl_error *err);
    enum sl_status (*put)(void *context, const struct sl_answer *answer, struct sl_error *err);
    void *context;
    const struct sl_answer_parts *parts; /* NULL: all answers are put one by one */
};

/* Who takes the votes of a text in parts, in the order of the text. */
struct sl_votes;
struct sl_vote_parts {
    size_t bytes; /* about what a part may take in memory while it is read */
    /* Takes the votes, also if it fails. */
    enum sl_status (*take)(void *context, struct sl_votes *votes, struct sl_error *err);
    void *context;
};

/* Published formats. */
enum sl_presence { SL_DETECT, SL_PRESENT, SL_ABSENT };
struct sl_import_options {
    /* Tables with a line per answer: three column names, such as "item,worker,label". If the first
     * line contains the names, they mean those columns; otherwise the file has no header and the
     * names describe its columns in order. Known words such as task, annotator or answer identify
     * the role in any order; other names stand for item, worker and label in this order.
     * Alternatively pairs such as "item=task,p=share" for the roles item, worker, label, p, ms,
     * confidence, truth; roles that are not given are found by the words in the first line, as all
     * of them are if this is NULL. */
    const char *columns;
    /* wide: whether the first row holds annotator names, and which column holds item names: a name,
     * a number from 1, or "none". If they are not given, the file must be unambiguous. */
    enum sl_presence header;
    const char *id_column;
    const char *const *classes; /* NULL-ended, or NULL: those found, sorted (numbers as numbers) */
    /* Classes to remove, NULL-ended, or NULL. An answer whose choice is a class of `abstain` is
     * left out. From all other answers the classes of both lists are removed, and distributions are
     * scaled to sum to 1 again; answers with nothing left are left out. SL_ERR_INPUT if there is no
     * such class. */
    const char *const *abstain;
    const char *const *leave_out;
    bool one_truth; /* two answers that state different true classes of an item are SL_ERR_INPUT,
                       naming both lines */
    /* answers.slb only: the votes are larger than memory. Checks and sl_votes_pass take what was
     * read out of memory again; the file is read anew when it is needed. Options that change votes
     * (classes, abstain, leave_out) are SL_ERR_USAGE. */
    bool stream;
    /* sl_votes_read only: what the last part of a large text leaves is the result. Not for a text
     * whose classes are filtered, which is read whole. NULL: all texts are. */
    const struct sl_vote_parts *parts;
    struct sl_import_notes *notes;
    struct sl_progress *progress;
    struct sl_pool *pool; /* borrowed; NULL: the calling thread alone */
};

enum { SL_IMPORT_COLUMNS = 1, SL_IMPORT_LAYOUT = 2 }; /* options that only some formats use */
struct sl_answer_format {
    const char *name;
    const char *summary;
    /* Stream a file's answers into the sink; NULL = cannot be read. */
    enum sl_status (*import)(const char *const *paths, size_t n_paths,
                             const struct sl_import_options *options,
                             const struct sl_answer_sink *sink, struct sl_error *err);
    /* Write a set in this format; NULL = cannot be written. An answer that the format cannot hold
     * stops the export. Where a format cannot mark them, checks, and in files of hard answers also
     * repeats and second runs, are left out and counted in notes->n_skipped (`notes` may be
     * NULL). */
    enum sl_status (*write)(const struct sl_answers *answers, const char *path,
                            struct sl_import_notes *notes, struct sl_error *err);
    unsigned takes; /* bit set: `columns`; `header` and `id_column` */
};
extern const struct sl_answer_format sl_answer_formats[]; /* ends with a NULL name */
const struct sl_answer_format *sl_answer_format_find(const char *name);

/* The format of an annotation tool or platform that a file looks like, by the keys or columns at
 * its beginning. */
struct sl_format_guess {
    const struct sl_answer_format *format; /* static; NULL: none */
    const char *missing;                   /* static; a key or the beginning of a column that the
                                              format needs and the file lacks; NULL: none */
};
enum sl_status sl_answer_format_guess(const char *path, struct sl_format_guess *out,
                                      struct sl_error *err) SL_MUST_USE;
/* After an SL_ERR_INPUT of reading `path` as `format` (NULL: as none), add the format that the file
 * looks like. Returns `status`. */
enum sl_status sl_answer_format_hint(enum sl_status status, const char *path,
                                     const struct sl_answer_format *format, struct sl_error *err);

/* A sink that writes answers.jsonl while answers arrive. */
struct sl_answer_writer;
enum sl_status sl_answer_writer_create(const char *path, struct sl_answer_writer **out,
                                       struct sl_error *err) SL_MUST_USE;
struct sl_answer_sink sl_answer_writer_sink(struct sl_answer_writer *writer);
enum sl_status sl_answer_writer_commit(struct sl_answer_writer *writer,
                                       struct sl_error *err) SL_MUST_USE;
void sl_answer_writer_destroy(struct sl_answer_writer *writer);

/* A sink that collects answers in *out, which is NULL before. */
struct sl_answer_sink sl_answers_sink(struct sl_answers **out);

/* Read answers from any kind of answer file, recognised by content: answers.jsonl, answers.slb, CSV
 * with a line per label or per probability, CSV with a column of probabilities per class, and what
 * sl_answer_format_guess finds; plain or gzip. `options` may be NULL. */
enum sl_status sl_answers_load(const char *path, const struct sl_import_options *options,
                               struct sl_answers **out, struct sl_error *err) SL_MUST_USE;

/* Votes: hard answers in item-major order, the input of crowd methods. They take 6 bytes each plus
 * the names. */
struct sl_votes {
    size_t n_items, n_annotators, n_classes, count;
    size_t *begin;       /* n_items + 1; read-only when mapped */
    uint32_t *annotator; /* count; SL_NO_NAME where unknown; read-only when mapped */
    uint16_t *label;     /* count; read-only when mapped */
    struct sl_name_table *items, *annotators; /* owned; over the mapping when mapped */
    char **classes;                           /* owned; n_classes */
    struct sl_votes_mapping *mapping;         /* private; NULL: the arrays are owned */
};
/* Read votes from the files that sl_answers_load reads. A text file is opened more than once, so it
 * must be a file and not a pipe. All answers of a person to an item are kept, in
 * file order, and repeated ones are counted in the notes. Checks, repeats and second runs of
 * answers.jsonl are left out. `options` may be NULL. */
enum sl_status sl_votes_read(const char *path, const struct sl_import_options *options,
                             struct sl_votes **out, struct sl_error *err) SL_MUST_USE;
/* What the header of an answers.slb says. */
struct sl_votes_size {
    uint64_t bytes; /* of the file */
    size_t n_items, n_annotators, n_classes, count;
};
/* Read it, and none of the answers. False for other files and for damaged headers. */
bool sl_votes_size_read(const char *path, struct sl_votes_size *out);
/* The answers and names of items `begin` up to `end` are not read again soon: streamed votes take
 * them out of memory. Nothing happens to other votes. Any thread may call it, also for items that
 * another thread is reading. */
void sl_votes_pass(const struct sl_votes *votes, size_t begin, size_t end);
/* The checksum of the header of the answers.slb behind mapped votes, which covers those of all
 * sections: files with the same one are the same. 0 for other votes. */
uint32_t sl_votes_checksum(const struct sl_votes *votes);
/* The class that an answer votes for: the most probable one. Ties go to the class named first; a
 * probability that was not given is below all others. */
uint32_t sl_answer_choice(const struct sl_answer *answer, size_t n_classes);
/* The votes of all answers of a set. Checks, repeats and second runs are left out unless `keep`
 * names their flags. */
enum sl_status sl_votes_from_answers(const struct sl_answers *answers, unsigned keep,
                                     struct sl_votes **out, struct sl_error *err) SL_MUST_USE;
/* The same answers as a set; hard answers, item by item. */
enum sl_status sl_answers_from_votes(const struct sl_votes *votes, struct sl_answers **out,
                                     struct sl_error *err) SL_MUST_USE;
/* Hard answers as numbers, in any order: how other programs pass what they have in memory. */
struct sl_vote_codes {
    size_t count, n_items, n_annotators, n_classes;
    const uint32_t *item;      /* count; below n_items */
    const uint32_t *annotator; /* count; below n_annotators, or SL_NO_NAME where unknown */
    const uint32_t *label;     /* count; below n_classes */
    /* As many as there are items, annotators and classes, all different; NULL: the names are the
     * numbers from 0. */
    const char *const *item_names, *const *annotator_names, *const *class_names;
};
/* The columns of items, annotators and labels, in this order, in a table with these column names,
 * by the words that import knows. SL_ERR_INPUT unless each is found once. */
enum sl_status sl_answer_columns(const char *const *names, size_t count, size_t place[3],
                                 struct sl_error *err) SL_MUST_USE;
/* Votes from codes, item by item; answers to one item keep their order, and an item may have none.
 * Everything is copied. SL_ERR_INPUT names the first row (from 0) with a code out of range. The
 * pool may be NULL. */
enum sl_status sl_votes_from_codes(const struct sl_vote_codes *codes, struct sl_pool *pool,
                                   struct sl_votes **out, struct sl_error *err) SL_MUST_USE;
void sl_votes_destroy(struct sl_votes *votes);
enum sl_status sl_votes_write_slb(const struct sl_votes *votes, const char *path,
                                  struct sl_error *err) SL_MUST_USE;
/* Write several sets, at least one, as one answers.slb: the file that sl_votes_write_slb makes of
 * votes which were read from one text, the texts of the sets one behind the other. Classes that
 * differ between sets are sorted. An item may be in several sets. Sets that were read with
 * options->stream stay out of memory: about `memory` bytes are taken, and a bit for each item of
 * each set. notes->n_duplicates becomes that of all answers; `notes` may be NULL. */
enum sl_status sl_votes_join(struct sl_votes *const *votes, size_t count, size_t memory,
                             const char *path, struct sl_import_notes *notes,
                             struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
