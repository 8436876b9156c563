#!/bin/sh
# The installed tree is complete: the README's program and a C++ program compile against it with
# pkg-config alone and run, and every document that the program names is installed.
. "$(dirname "$0")/support.sh"
prefix=$scratch/prefix

# Build as the README says, without the environment of this test.
install_it() {
    env -u MAKEFLAGS -u MAKELEVEL -u DESTDIR -u CC -u CXX make -C "$root" install PREFIX="$prefix"
}
passes "make install PREFIX=... installs" install_it
# A packager's libdir may be lib64 or lib/<triplet>.
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name softlab.pc)")
export PKG_CONFIG_PATH

sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '/^```/d' >"$scratch/readme.c"
# build COMPILER SOURCE FLAGS...
build() {
    compiler=$1
    source=$2
    shift 2
    # shellcheck disable=SC2046 # several words
    $compiler -Wall -Wextra -Werror "$@" "$scratch/$source" -o "$scratch/program" \
        $(pkg-config --cflags --libs softlab) "-Wl,-rpath,$(pkg-config --variable=libdir softlab)"
}
passes "the README's program compiles" build "${CC:-cc}" readme.c
passes "and runs" "$scratch/program"
says "using the library" "100 images of 6 classes, the first a star"

passes "it uses the shared library" sh -c "readelf -d '$scratch/program' | grep NEEDED"
says "by its soname" "libsoftlab.so.0"

# Link the whole archive, so that a library missing from softlab.pc is noticed.
build_static() {
    # shellcheck disable=SC2046 # several words
    ${CC:-cc} -Wall -Wextra -Werror "$scratch/readme.c" -o "$scratch/program" \
        -Wl,--whole-archive "$(find "$prefix" -name libsoftlab.a)" -Wl,--no-whole-archive \
        $(pkg-config --cflags --static --libs softlab | sed 's/-lsoftlab //')
}
passes "softlab.pc names every library of the archive" build_static
passes "and the program runs" "$scratch/program"

cat >"$scratch/user.cc" <<'END'
#include <cstdio>
END
(cd "$root/include" && find softlab -name '*.h' | LC_ALL=C sort) |
    sed 's/.*/#include <&>/' >>"$scratch/user.cc"
cat >>"$scratch/user.cc" <<'END'

int main()
{
    sl_error err;
    if (sl_file_write("/nonexistent/file", "x", 1, &err) != SL_ERR_IO) return 1;
    std::puts(err.message);
    return sl_aggregator_find("ds") && sl_metric_find("accuracy") ? 0 : 1;
}
END
passes "a program in C++ that includes every header compiles" build "${CXX:-c++}" user.cc
passes "and runs" "$scratch/program"
says "using the library" "/nonexistent/file: No such file or directory"

# The installed examples are what a stranger starts from.
examples=$prefix/share/doc/softlab/examples
for source in "$examples"/*.c; do
    cp "$source" "$scratch/example.c"
    passes "the example $(basename "$source") compiles" build "${CC:-cc}" example.c -std=c17 -pedantic
done
passes "the five of them are there" sh -c '[ "$(ls "$1"/*.c | wc -l)" -eq 5 ]' sh "$examples"
passes "a script runs with the installed program" \
    env SOFTLAB="$prefix/bin/softlab" "$examples/votes_to_labels.sh"
says "and makes labels" "labels by ds against the truth:"

passes "the installed command runs" "$prefix/bin/softlab" version
named=$(grep -aohE '(docs|experiments|recipes)/[A-Za-z0-9_./-]+\.md' "$prefix/bin/softlab" |
    sort -u)
[ "$(echo "$named" | wc -l)" -ge 5 ] || named="documents that the program names"
for document in $named; do
    passes "$document, which the program names, is installed" \
        test -e "$prefix/share/doc/softlab/$document"
done
passes "so is every document that a document links to" sh -c '
    cd "$1" && for page in $(find . -name "*.md"); do
        grep -oE "\]\([^):#]+\.md" "$page" | cut -c3- | while read -r link; do
            test -e "$(dirname "$page")/$link" || echo "$page: $link"
        done
    done >"$2" && cat "$2" && test ! -s "$2"' sh "$prefix/share/doc/softlab" "$scratch/broken"
passes "the manual pages are" test -e "$prefix/share/man/man1/softlab-labels.1"
finish
