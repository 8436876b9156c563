/* The start of every unit test: cmocka, an empty folder to write in, and the path of real data
 * (SOFTLAB_DATA). Tests that need real data skip with a message if it is missing. */
#ifndef SOFTLAB_TESTS_SUPPORT_H
#define SOFTLAB_TESTS_SUPPORT_H

/* cmocka wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softlab/base.h"

/* Written so that NaN fails. */
static inline void assert_near_at(double value, double expected, double tolerance, const char *file,
                                  int line)
{
    if (fabs(value - expected) <= tolerance) return;
    print_error("%.17g is not within %g of %.17g\n", value, tolerance, expected);
    _fail(file, line);
}
#define assert_near(value, expected, tolerance)                                                    \
    assert_near_at((double)(value), (double)(expected), (double)(tolerance), __FILE__, __LINE__)

static inline void assert_ok_at(enum sl_status status, const struct sl_error *err, const char *file,
                                int line)
{
    if (status == SL_OK) return;
    print_error("%s: %s\n", sl_status_name(status), err->message);
    _fail(file, line);
}
/* `err` is the struct sl_error that the call was given. */
#define assert_ok(call, err) assert_ok_at((call), &(err), __FILE__, __LINE__)

static inline void assert_fails_at(enum sl_status status, enum sl_status expected,
                                   const struct sl_error *err, const char *part, const char *file,
                                   int line)
{
    if (status == expected && strstr(err->message, part)) return;
    print_error("expected \"%s\" with \"%s\", got \"%s\": %s\n", sl_status_name(expected), part,
                sl_status_name(status), status == SL_OK ? "" : err->message);
    _fail(file, line);
}
#define assert_fails(call, expected, err, part)                                                    \
    assert_fails_at((call), (expected), &(err), (part), __FILE__, __LINE__)

/* A path in a folder of this test program's own, emptied by test_folder_clear. The result
 * is valid until the next eight calls. */
static inline const char *test_path(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    char folder[256];
    snprintf(folder, sizeof folder, "/tmp/softlab-unit-%ld", (long)getpid());
    mkdir(folder, 0700);
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline int test_folder_clear(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf /tmp/softlab-unit-%ld", (long)getpid());
    return system(command) == 0 ? 0 : -1;
}

/* A header line with the tag of a reply's head, valid until the next call. */
static inline const char *test_tag_line(const char *head)
{
    static char line[128];
    const char *tag = strstr(head, "ETag: ");
    assert_non_null(tag);
    snprintf(line, sizeof line, "If-None-Match: %.*s\r\n", (int)strcspn(tag + 6, "\r"), tag + 6);
    return line;
}

/* A file of the real data, or NULL after saying what is skipped. */
static inline const char *test_data(const char *name)
{
    static char path[1024];
    const char *root = getenv("SOFTLAB_DATA");
    snprintf(path, sizeof path, "%s/%s", root ? root : "", name);
    if (root && access(path, R_OK) == 0) return path;
    print_message("skipped: needs %s in SOFTLAB_DATA\n", name);
    return NULL;
}

static inline void test_write(const char *path, const void *bytes, size_t length)
{
    struct sl_error err;
    assert_ok(sl_file_write(path, bytes, length, &err), err);
}

#endif
