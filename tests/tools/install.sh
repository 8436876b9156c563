#!/bin/sh
# What is installed is complete: a program outside this tree compiles against it, links
# and runs, by pkg-config alone.
#   install.sh BUILD_FOLDER COMPILER_FLAGS   (the flags the library was built with)
. "$(dirname "$0")/support.sh"
build=$1
flags=$2
prefix=/opt/softlab

passes "it installs into a staging folder" \
    env DESTDIR="$scratch" cmake --install "$build" --prefix "$prefix"
stage=$scratch$prefix
# A packager's libdir may be lib64 or lib/<triplet>.
PKG_CONFIG_PATH=$(dirname "$(find "$stage" -name softlab.pc)")
export PKG_CONFIG_PATH

cat >"$scratch/user.c" <<'END'
#include <softlab/base.h>
#include <softlab/dataset.h>
#include <stdio.h>

int main(void)
{
    struct sl_error err;
    if (sl_file_write("/nonexistent/file", "x", 1, &err) != SL_ERR_IO) return 1;
    puts(err.message);
    return 0;
}
END
compile() {
    # The whole archive, so that a library missing from softlab.pc is missed here too.
    # shellcheck disable=SC2046,SC2086 # these hold several words
    ${CC:-cc} $flags "$scratch/user.c" -o "$scratch/user" \
        -Wl,--whole-archive "$(find "$stage" -name libsoftlab.a)" -Wl,--no-whole-archive \
        $(pkg-config --cflags --libs softlab)
}
passes "a program compiles against it" compile
passes "and runs" "$scratch/user"
says "using the library" "/nonexistent/file: No such file or directory"
passes "the installed command runs" "$stage/bin/softlab" version
finish
