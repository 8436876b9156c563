#!/bin/sh
# tools/check-pages finds the commands of a page that do not do what the page shows: pages.sh PROGRAM
. "$(dirname "$0")/support.sh"
program=$1

# page TEXT: a page with TEXT below its heading.
page() {
    printf '# A page\n\n%s\n' "$1" >"$scratch/page.md"
}
check() {
    SOFTLAB_DATA='' "$root/tools/check-pages" "$program" "$scratch/page.md"
}
# block MARK LINE...: a block of a console below a comment, if MARK is not empty.
block() {
    [ -z "$1" ] || printf '<!-- %s -->\n' "$1"
    shift
    printf '```console\n'
    printf '%s\n' "$@"
    printf '```\n\n'
}

page "$(block '' '$ softlab dataset shapes:n=6' '6 classes,  6 items labelled' '...' '0 circle ... 3...')"
passes "lines that are printed pass, whatever their blanks" check
says "and the commands are counted" "1 commands ran"
page "$(block '' '$ softlab dataset shapes:n=6' '7 classes, 6 items labelled')"
fails "a line that is not printed is found" "does not print '7 classes, 6 items labelled'" check
says "with page and line" "page.md:4: "
page "$(block '' '$ echo a 1' 'a 2')"
fails "so is another figure" "does not print 'a 2'" check
page "$(block 'figures differ: chance' '$ echo a 1.5 b' 'a 22.75 b')"
passes "unless figures differ" check
page "$(block 'figures differ: chance' '$ echo a 1.5 b' 'a 22.75 c')"
fails "but words must be the same" "does not print 'a 22.75 c'" check
page "$(block 'output differs: chance' '$ echo a' 'b')"
passes "output need not be compared" check
says "which is said" "line 5: output not compared: chance"
page "$(block 'output differs: chance' '$ softlab dataset nothing')"
fails "but a command must succeed" "ended with exit status 1" check
page "$(block 'output differs' '$ echo a')"
fails "and a reason must be given" '"output differs" needs a reason' check
page "$(block 'not run: it takes a year' '$ softlab dataset nothing')"
passes "a block may be left out" check
says "with its reason" "line 4: not run: it takes a year"
page "$(block fails '$ softlab dataset nothing' '... nothing ...')"
passes "a command may be meant to fail" check
page "$(block fails '$ echo a')"
fails "and must then" "ended with exit status 0" check
page "$(block '' 'words')"
fails "a block begins with a command" "begins with a command" check
page "$(block '' '$ false | cat')"
fails "a command that fails within a pipe is found" "ended with exit status 1" check

page "$(printf '<!-- file: a/b.txt -->\n```text\none\ntwo\n```\n\n'
    block '' '$ wc -l < a/b.txt' 2 "\$ cat \\" '    a/b.txt' 'two')"
passes "a block is a file, and a command has several lines" check
page "$(printf '<!-- prepare:\nmkdir x\ntouch x/y\n-->\n\n'
    block '' '$ ls x' y)"
passes "what is prepared is there" check
page "$(block '' '$ echo $HOME' "$HOME")"
fails "a page has a home of its own" "does not print" check
page "$(printf '<!-- long: minutes -->\n\n'
    block '' '$ echo a')"
check >"$scratch/output" 2>&1
[ $? -eq 77 ]
report $? "a long page is skipped"
says "which is said" "page.md: left out: --long runs it: minutes"
passes "and run with --long" "$root/tools/check-pages" --long "$program" "$scratch/page.md"
page "$(block '' '$ echo a'
    printf '<!-- needs: cifar10h -->\n'
    block '' '$ false')"
passes "a page ends where data are missing" check
says "which is said" "the rest was left out: SOFTLAB_DATA lacks cifar10h"
page "Words only."
fails "a page without commands is no test" "no block that is marked console" check

page "$(printf '<!-- run -->\n\n    echo one > a    # a comment\n    cat a\n\n    not code that runs\n')"
passes "indented lines are commands where it says so" check
says "each of them" "2 commands ran"
page "$(printf '<!-- prepare: softlab study init s --images shapes:n=6 --contact Ada --quiet -->\n\n'
    block background '$ softlab study serve s' 'annotators: http://127.0.0.1:8080/'
    block '' '$ softlab study simulate http://127.0.0.1:8080 --study s --annotators 1 --speed 0' \
        'annotators finished 1')"
passes "a server goes on while the page does, on a port of its own" check
page "$(block background '$ softlab study serve nothing' 'annotators: http://127.0.0.1:8080/')"
fails "a server that ends is found" "ended with exit status 1" check
finish
