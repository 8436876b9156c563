#!/bin/sh
# tools/check-headers sees a public header that does not stand alone.
. "$(dirname "$0")/support.sh"

mkdir -p "$scratch/include/softlab/base"
cat >"$scratch/include/softlab/base.h" <<'END'
#ifndef BASE_H
#define BASE_H
#include <stddef.h>
struct sl_thing { size_t size; };
#endif
END
passes "a header that includes what it uses passes" "$root/tools/check-headers" "$scratch"
printf '#ifndef T_H\n#define T_H\nsize_t sl_size(void);\n#endif\n' \
    >"$scratch/include/softlab/base/t.h"
fails "a header that leans on its includer does not" \
    "include/softlab/base/t.h does not compile alone" "$root/tools/check-headers" "$scratch"
printf 'enum sl_kind { SL_ONE };\n' >"$scratch/include/softlab/base/t.h"
fails "nor does one without an include guard" \
    "include/softlab/base/t.h does not compile alone" "$root/tools/check-headers" "$scratch"
finish
