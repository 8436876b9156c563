#!/bin/sh
# tools/check-layers finds includes that src/LAYERS forbids.
. "$(dirname "$0")/support.sh"

tree() { # a fresh small project
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/include/softlab/label" "$scratch/tree/src/label" "$scratch/tree/src/cli" \
        "$scratch/tree/src/base" "$scratch/tree/src/store"
    cat >"$scratch/tree/src/LAYERS" <<'END'
# a comment
base:
label: base
store: base
cli: base label store

door jansson.h: include/softlab/base/json.h
door curl/curl.h: src/store src/label/door.c
END
    echo '#include "softlab/base/error.h"' >"$scratch/tree/include/softlab/label.h"
    printf '#include "softlab/label.h"\n\n#include <stdio.h>\n#include <sys/stat.h>\n' \
        >"$scratch/tree/src/label/aggregate.c"
    printf '#include "cmd.h"\n#include "softlab/store.h"\n' >"$scratch/tree/src/cli/main.c"
    printf '#include "softlab/base/file.h"\n#include "softlab/label.h"\n' >"$scratch/tree/src/cli/cmd.h"
    echo '#include "softlab/base/error.h"' >"$scratch/tree/src/store/open.c"
}

plant() { # file line
    tree
    mkdir -p "$(dirname "$scratch/tree/$1")"
    echo "$2" >>"$scratch/tree/$1"
}

check() {
    "$root/tools/check-layers" "$scratch/tree"
}

tree
passes "an orderly tree passes" check
is_silent "and nothing is said about it"
plant src/label/aggregate.c '#include "softlab/store.h"'
fails "label may not include store in a source file" \
    "src/label/aggregate.c:5: label may not include softlab/store.h" check
plant include/softlab/label.h '#include "softlab/store/answer.h"'
fails "label may not include store in its public header" \
    "include/softlab/label.h:2: label may not include softlab/store/answer.h" check
plant include/softlab/label/deep.h '#  include <softlab/store.h>'
fails "nor in a header of its folder, however it is spelled" \
    "include/softlab/label/deep.h:1: label may not include softlab/store.h" check
plant src/label/aggregate.c '#include "store/private.h"'
fails "a private header counts as its module" \
    "src/label/aggregate.c:5: label may not include store/private.h" check
plant src/label/aggregate.c '#include "../store/private.h"'
fails "also by a relative path" "label may not include store/private.h" check
plant src/cli/main.c '#include "label/private.h"'
fails "cli sees public headers only" \
    "src/cli/main.c:3: cli may not include the private label/private.h" check
plant include/softlab/label.h '#include "base/private.h"'
fails "a public header may not lead to a private one" \
    "a public header may not include the private base/private.h" check
plant src/label/aggregate.c '#include <jansson.h>'
fails "a foreign header stays behind its door" \
    "src/label/aggregate.c:5: <jansson.h> belongs to include/softlab/base/json.h" check
plant src/label/aggregate.c '#include <curl/easy.h>'
fails "as does every header of its folder" "<curl/easy.h> belongs to" check
plant src/label/door.c '#include <curl/curl.h>'
passes "the door itself may include it" check
plant src/base/lock.h '/* What a file is locked with. Private
 * to base/. */
#ifndef LOCK
#define LOCK'
echo '#include "base/lock.h"' >>"$scratch/tree/src/base/file.c"
passes "a module's own header is its own" check
echo '#include "base/lock.h"' >>"$scratch/tree/src/store/open.c"
fails "and nobody else's" "src/store/open.c:2: base/lock.h is private to base" check
plant src/base/csv/scan.h '/* Private to base/csv/: where fields end. */
#ifndef SCAN
#define SCAN
#endif'
echo '#include "base/csv/scan.h"' >"$scratch/tree/src/base/csv/read.c"
passes "a room's own header is the room's" check
echo '#include "base/csv/scan.h"' >>"$scratch/tree/src/base/file.c"
fails "and not the module's" "base/csv/scan.h is private to base/csv" check
plant src/cli/main.c '#include "softlab/label/deep.h"'
sed -i 's/^cli: .*/cli: base label\/deep.h store/' "$scratch/tree/src/LAYERS"
fails "who may include one header of a module may include no other" \
    "src/cli/cmd.h:2: cli may not include softlab/label.h" check
sed -i 2d "$scratch/tree/src/cli/cmd.h"
passes "and that one" check
sed -i '$d' "$scratch/tree/src/cli/main.c"
fails "as long as it does" "src/LAYERS:5: cli may include label/deep.h, but does not" check
tree
rm "$scratch/tree/src/store/open.c"
fails "a permission that nobody needs goes" "src/LAYERS:4: store may include base, but does not" check
plant src/magic/spell.c '#include <stdio.h>'
fails "a module must be listed" "src/magic/spell.c:1: magic is not in src/LAYERS" check
finish
