#!/bin/sh
# tools/check-source finds what the house style forbids, in code but not in comments.
. "$(dirname "$0")/support.sh"

write() { # file, then the source on stdin
    rm -rf "$scratch/tree"
    mkdir -p "$(dirname "$scratch/tree/$1")"
    cat >"$scratch/tree/$1"
}

check() {
    "$root/tools/check-source" "$scratch/tree"
}

write src/base/a.c <<'END'
/* strcpy(a, b) is banned,
 * and so is atoi(x); printf("x") too. */
static const char *const text = "sprintf(\"x\") getenv(";  // rand()
static const char quote = '"'; static int grand(int x) { return my_rand(x); }
static int b(void) { return snprintf(out, 4, "%d", fprintf_like(1)); }
END
passes "words in comments, strings and longer names pass" check
is_silent "and nothing is said about them"

write src/base/a.c <<'END'
static int a; /* one
two */ static int c = atoi("7");
END
fails "a banned function is found by line" "src/base/a.c:2: atoi is banned" check
write tests/unit/a.c <<'END'
static const char *a = "\\"; char *b = strcpy(c, "\"");
END
fails "also in tests, after an escaped quote" "tests/unit/a.c:1: strcpy is banned" check

write src/label/a.h <<'END'
struct sl_run {
};
struct sl_run {
};
END
fails "a tag has one meaning" "src/label/a.h:3: struct sl_run is also defined in src/label/a.h:1" check
write src/label/a.h <<'END'
struct sl_run {
};
extern const struct sl_row sl_run[3];
END
fails "and no variable has its name" "src/label/a.h:3: sl_run is also a tag, in src/label/a.h:1" check

echo 'static const char *a(void) { return getenv("HOME"); }' | write src/label/a.c
fails "the library reads no environment" "src/label/a.c:1: getenv belongs to src/cli" check
echo 'static void a(void) { fprintf(stderr, "x"); }' | write src/label/a.c
fails "the library does not print" "src/label/a.c:1: stderr belongs to src/cli" check
echo 'static void a(void) { exit (1); }' | write src/label/a.c
fails "the library does not exit" "src/label/a.c:1: exit belongs to src/cli" check
echo 'static void a(void) { printf("%s", getenv("HOME")); exit(1); }' | write src/cli/a.c
passes "the program may do all three" check
echo 'static void a(void) { abort(); }' | write src/base/memory.c
passes "running out of memory is the one exception" check
echo 'static void a(void) { fprintf(stderr, "no memory"); }' | write src/base/memory.c
fails "which says nothing" "src/base/memory.c:1: stderr belongs" check
echo 'static void a(void) { exit(1); }' | write src/base/memory.c
fails "which does not cover exit" "src/base/memory.c:1: exit belongs" check

write src/base/a.c <<'END'
#define SL_BOTH(x) SL_TRY(x); SL_TRY_OUT(x)
static enum sl_status a(void)
{
    SL_TRY(b());
    return SL_OK;
}
static enum sl_status c(void)
{
    SL_TRY_OUT(b());
out:
    return status;
}
END
passes "SL_TRY and SL_TRY_OUT in two functions pass" check
write src/base/a.c <<'END'
static enum sl_status c(void)
{
    SL_TRY(b());
    SL_TRY_OUT(b());
}
END
passes "so does SL_TRY while nothing is owned" check
write src/base/a.c <<'END'
static enum sl_status c(void)
{
    SL_TRY_OUT(b());
    SL_TRY(b());
}
END
fails "but not after SL_TRY_OUT" \
    "src/base/a.c:4: SL_TRY after SL_TRY_OUT (line 3) leaks what is owned" check

awk 'BEGIN { for (i = 0; i < 600; i++) print "int x;" }' | write src/base/a.c
passes "600 lines pass" check
echo 'int x;' >>"$scratch/tree/src/base/a.c"
fails "601 do not" "src/base/a.c:601: the file is longer than 600 lines" check
echo '/* TODO: later */' | write src/base/a.c
fails "a TODO needs a number" "src/base/a.c:1: a TODO needs an issue number" check
echo '/* TODO(#12): later */' | write src/base/a.c
passes "with one it passes" check
echo 'const char *word = "TODO \" FIXME"; /* of a text */' | write src/base/a.c
passes "a word in a string is no note" check
echo 'const char *word = "x"; /* TODO */' | write src/base/a.c
fails "behind a string it is" "src/base/a.c:1: a TODO needs an issue number" check
finish
