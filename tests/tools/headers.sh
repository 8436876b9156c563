#!/bin/sh
# tools/check-headers finds a public header that does not compile alone, in C or in C++.
. "$(dirname "$0")/support.sh"

mkdir -p "$scratch/include/softlab/base"
cat >"$scratch/include/softlab/base.h" <<'END'
#ifndef BASE_H
#define BASE_H
#include <stddef.h>
#define SL_BEGIN_DECLS
#define SL_END_DECLS
SL_BEGIN_DECLS
struct sl_thing { size_t size; };
SL_END_DECLS
#endif
END
# header TEXT: writes t.h with TEXT between the guard and SL_BEGIN_DECLS/SL_END_DECLS.
header() {
    printf '#ifndef T_H\n#define T_H\n#include "softlab/base.h"\nSL_BEGIN_DECLS\n%s\nSL_END_DECLS\n#endif\n' \
        "$1" >"$scratch/include/softlab/base/t.h"
}
passes "a header that includes what it uses passes" "$root/tools/check-headers" "$scratch"
header 'FILE *sl_stream(void);'
fails "a header that leans on its includer does not" \
    "include/softlab/base/t.h does not compile alone" "$root/tools/check-headers" "$scratch"
printf 'enum sl_kind { SL_ONE };\n' >"$scratch/include/softlab/base/t.h"
fails "nor does one without an include guard" \
    "include/softlab/base/t.h does not compile alone" "$root/tools/check-headers" "$scratch"
header 'struct sl_format { void (*export)(void); };'
fails "nor one with a word that C++ keeps for itself" \
    "include/softlab/base/t.h does not compile alone as c++17" "$root/tools/check-headers" "$scratch"
header 'void sl_fill(size_t n, int values[static n]);'
fails "nor one with a parameter that only C has" \
    "include/softlab/base/t.h does not compile alone as c++17" "$root/tools/check-headers" "$scratch"
printf '#ifndef T_H\n#define T_H\nvoid sl_act(void);\n#endif\n' \
    >"$scratch/include/softlab/base/t.h"
fails "nor one whose functions C++ would take for its own" \
    "not between SL_BEGIN_DECLS and SL_END_DECLS" "$root/tools/check-headers" "$scratch"
finish
