#!/bin/sh
# tools/check-symbols finds an exported name without sl_.
. "$(dirname "$0")/support.sh"

library() { # C source
    rm -f "$scratch/lib.a"
    printf '%s\n' "$1" | ${CC:-cc} -c -x c -o "$scratch/object.o" - &&
        ar cr "$scratch/lib.a" "$scratch/object.o"
}

check() {
    "$root/tools/check-symbols" "$scratch/lib.a"
}

library 'static int help(void) { return 1; } int sl_help(void) { return help(); }'
passes "sl_ names and static ones pass" check
library 'int sl_help(void) { return 1; } int helper(void) { return 2; }'
fails "another function does not" "object.o: exports helper" check
library 'int sl_help(void) { return 1; } int counter;'
fails "nor does a variable" "exports counter" check
library 'static int nothing; int *const unused;'
ar d "$scratch/lib.a" object.o
fails "an empty library is not a clean one" "no symbols at all" check
finish
