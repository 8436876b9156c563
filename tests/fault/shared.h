/* A study in PostgreSQL, for the tests of servers that run on either database. */
#ifndef SOFTLAB_TESTS_SHARED_H
#define SOFTLAB_TESTS_SHARED_H

#include "postgres_process.h"

/* Start a database of the test's own and move the study there. False, with the reason on stderr, if
 * that fails. The caller removes the database in any case. */
bool share_study(const char *folder, struct postgres_process *database);

#endif
