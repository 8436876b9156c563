#!/bin/sh
# The sources of the documentation site, and the check of its links: site.sh PROGRAM
. "$(dirname "$0")/support.sh"
program=$1
source=$scratch/source

passes "the sources are written without Sphinx" "$root/tools/site-pages" "$program" "$source"
passes "twice the same" sh -c "
    '$root/tools/site-pages' '$program' '$scratch/again' && diff -r '$source' '$scratch/again'"
passes "no page names this machine" sh -c "! grep -rlE '$scratch|$root|$HOME/' '$source' --include='*.md'"
holds() { # SENTENCE PAGE TEXT
    passes "$1" grep -qF -e "$3" "$source/$2"
}
holds "label methods come from the program" reference/label-methods.md '| `t2-clamp` | 5 | probabilities of two classes'
holds "so do seconds of screens" reference/screens.inc '| `hard` | 1.8 | one class out of a ring of buttons |'
holds "keys of recipes" reference/recipes.md '| `weight_decay` | `0.0` | weight decay'
holds "formats, with empty cells" reference/answer-formats.md '| `cifar10h-raw` | yes |  | CIFAR-10H raw CSV'
holds "and keys of studies" reference/study-keys.md '| `recruiter.codes.done` |'
holds "a function has its contract" reference/c/base.md 'Fill \*err (if not NULL) and return `code`'
holds "and its declaration without attributes" reference/c/base.md 'void *sl_alloc(size_t count, size_t size);'
holds "names link to their declarations" reference/c/pool.md '[`sl_alloc`](base.md#sl_alloc)'
holds "links lead to where documents stand" internals/crowd.md '(crowd-methods.md)'
holds "also those to headers" README.md '(reference/c/pipeline.md)'
holds "papers are cited" citing.md '@inproceedings{peterson2019,'
passes "every public header has a page" sh -c "
    cd '$root/include' && for header in softlab/*.h; do
        grep -q \"\$header\" '$source/reference/c/index.md' || exit 1
    done"
passes "every screen has a picture and a section" sh -c "
    sed -n 's/^| \`\\([^\`]*\\)\`.*/\\1/p' '$source/reference/screens.inc' | while read -r screen; do
        file=\$(echo \"\$screen\" | sed 's/+/-plus/')
        test -s '$source/pictures/screens/'\"\$file.png\" && grep -qxF \"## \$screen\" '$source/concepts/screens.md' || exit 1
    done"

# A copy of the tree with mistakes in it.
copy=$scratch/copy
mkdir -p "$copy"
(cd "$root" && tar -cf - docs examples experiments/README.md tools include ./*.md CITATION.cff) |
    tar -xf - -C "$copy"
check() {
    "$copy/tools/check-links" "$program"
}
plant() { # PAGE TEXT
    printf '\n%s\n' "$2" >>"$copy/$1"
}
passes "the links of the tree are right" check
mkdir -p "$copy/python/softlab"
printf '"""A package."""\n' >"$copy/python/softlab/__init__.py"
passes "also with a Python package" check
passes "which then has its pages" sh -c "
    '$copy/tools/site-pages' '$program' '$scratch/python' && grep -q 'automodule:: softlab' '$scratch/python/reference/python.md' &&
    test -e '$scratch/python/tutorials/python.md' && grep -qx 'tutorials/python' '$scratch/python/index.md'"
rm -r "$copy/python"
passes "and otherwise none" sh -c "
    '$copy/tools/site-pages' '$program' '$scratch/python' && ! ls '$scratch/python/'*/python.md &&
    ! grep -rl 'python.md\|<!-- python' '$scratch/python'"
plant docs/site/tutorials/crowd.md '[nowhere](no-such-page.md) [no heading](train.md#no-such-heading)'
plant docs/server.md '[gone](site/gone.md) ![no picture](no.png) [bad](https://host)'
plant docs/site/concepts/crowd.md '[a page that is made](../reference/label-methods.md#no-method)'
head -c 70000 /dev/zero >"$copy/docs/site/pictures/large.png"
fails "a page that is not there is found" "crowd.md: no-such-page.md does not exist" check
says "so is a heading" "crowd.md: train.md#no-such-heading has no heading with the anchor"
says "in a page that is made too" "concepts/crowd.md: ../reference/label-methods.md#no-method has no heading"
says "a document of the repository" "docs/server.md: site/gone.md does not exist"
says "a picture" "docs/server.md: no.png does not exist"
says "an address without a host" "docs/server.md: https://host is not an address"
says "and a picture that is too large" "docs/site/pictures/large.png: 70000 bytes, more than 60000"
finish
