/* Shared by the tests of softlab run: small specifications, starting and watching the program, and
 * reading its result lines. Everything is in the working folder. */
#ifndef SOFTLAB_TESTS_RUNS_H
#define SOFTLAB_TESTS_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "softlab/base.h"

enum { RUNS_ITEMS = 48, RUNS_TEXT_LIMIT = 1 << 24 };

/* Make a folder for this process and work in it. runs_leave removes it unless a check failed, and
 * returns the exit code. */
void runs_enter(const char *name);
int runs_leave(void);
void runs_check(bool good, const char *what);

void runs_write(const char *path, const char *text);
/* "" if there is no such file; the caller frees it. */
char *runs_read(const char *path);

/* answers.csv about RUNS_ITEMS drawn shapes. */
void runs_write_answers(void);
/* A specification of a tiny network on these shapes: its name, the members of its object of sets,
 * and others that it has or that stand over its own, like "\"seeds\":[1]". */
void runs_write_spec(const char *path, const char *name, const char *sets, const char *others);

/* Start the program with these words (NULL-ended); its output is appended to run.log. */
pid_t runs_start(const char *const *words);
bool runs_ended(pid_t pid); /* without waiting; runs_finish may still be called */
int runs_finish(pid_t pid); /* its exit code, -1 if a signal ended it */
int runs_program(const char *const *words);

/* softlab run with two processes. */
int runs_make(const char *spec, const char *folder, const char *shard);

/* A child of the process whose log says that it does what these words ask for, or -1. */
pid_t runs_child(pid_t parent, const char *const *words);
void runs_rest(unsigned ms);

/* The lines of a folder's results.jsonl but for specifications, as objects; with `timeless` without
 * their times. The caller owns them. */
json_t *runs_results(const char *folder, bool timeless);
/* Lines whose `key` is the text. */
json_t *runs_with(json_t *lines, const char *key, const char *text);
/* Every line of `some` is in `all`, to the byte: times too where they have them. */
bool runs_all_in(const json_t *some, const json_t *all);

#endif
