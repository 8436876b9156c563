#!/bin/sh
# tools/check-symbols finds an exported name without sl_; tools/check-exports finds a shared library
# that exports too much or too little.
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

# Functions of public headers, and one that no header has.
sources='int sl_private_note(void) { return 1; }'
sources="$sources void sl_pool_destroy(void) {} void sl_alloc(void) {}"
shared() { # names that the version script exports
    library "$sources" && printf '{ global: %s local: *; };\n' "$1" >"$scratch/map" &&
        ${CC:-cc} -shared -o "$scratch/lib.so" "-Wl,--version-script=$scratch/map" \
            -Wl,--whole-archive "$scratch/lib.a" -Wl,--no-whole-archive
}
check_exports() {
    "$root/tools/check-exports" "$scratch/lib.so" "$scratch/lib.a"
}
passes "a shared library is made" shared "sl_pool_destroy; sl_alloc;"
passes "one that exports what headers declare passes" check_exports
passes "another is made" shared "sl_pool_destroy;"
fails "a name that is missing is found" "sl_alloc is in a public header but not exported" check_exports
passes "another is made" shared "sl_*;"
fails "so is one too many" "exports sl_private_note, which no public header declares" check_exports
finish
