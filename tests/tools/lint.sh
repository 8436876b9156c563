#!/bin/sh
# tools/lint checks changed files and only these. The tools that it calls are fakes that record
# their calls; the fake clang-tidy complains about the word "fault".
. "$(dirname "$0")/support.sh"

tree=$scratch/tree
mkdir -p "$tree/src/base" "$tree/include" "$tree/build/dev" "$tree/tests" "$scratch/bin"
cp -R "$root/tools" "$tree/tools"
cp "$root/.clang-tidy" "$tree"
cp "$root/tests/.clang-tidy" "$tree/tests"
for name in one two; do
    printf '#include "%s.h"\nint %s(void);\n' "$name" "$name" >"$tree/src/base/$name.c"
    echo "int declared_$name(void);" >"$tree/include/$name.h"
done
cat >"$tree/build/dev/compile_commands.json" <<END
[
{
  "directory": "$tree/build/dev",
  "command": "${CC:-cc} -DTEXT=\\\\\"a\\\\\" -I$tree/include -o one.o -c $tree/src/base/one.c",
  "file": "$tree/src/base/one.c"
},
{
  "directory": "$tree/build/dev",
  "command": "${CC:-cc} -I$tree/include -o two.o -c $tree/src/base/two.c",
  "file": "$tree/src/base/two.c"
}
]
END
for tool in clang-format shellcheck cppcheck; do
    printf '#!/bin/sh\n' >"$scratch/bin/$tool"
done
cat >"$scratch/bin/clang-tidy" <<'END'
#!/bin/sh
for file; do :; done
[ "$file" != --version ] || exit 0
! grep fault "$file"
END
chmod +x "$scratch/bin"/*

lint() {
    PATH=$scratch/bin:$PATH XDG_CACHE_HOME=$scratch/cache "$tree/tools/lint" "$@"
}

passes "the first run passes" lint
says "and looks at one" "lint: src/base/one.c"
says "and at the other" "lint: src/base/two.c"
passes "the second passes" lint
is_silent "without looking"
passes "the full one" lint --full
says "looks at all" "lint: src/base/two.c"
echo 'int added(void);' >>"$tree/include/two.h"
passes "a changed header" lint
says "brings its includer back" "lint: src/base/two.c"
report "$(grep -c one.c "$scratch/output")" "and nobody else"
echo '/* NOLINT */' >>"$tree/include/two.h"
passes "a comment" lint
says "counts as well" "lint: src/base/two.c"
echo '# changed' >>"$tree/.clang-tidy"
passes "other settings" lint
says "bring all back" "lint: src/base/one.c"
echo '/* fault */' >>"$tree/src/base/one.c"
fails "a fault is shown" "/* fault */" lint
fails "and not forgotten" "/* fault */" lint
: >"$tree/src/base/three.c"
fails "a file outside the build is an error" \
    "src/base/three.c: no target of build/dev compiles it" lint
finish
