#!/bin/bash
# The completion scripts: bash's is used as a person would use it; zsh's and fish's are parsed by
# their shells if these are installed.
#   completion.sh PROGRAM
. "$(dirname "$0")/support.sh"

"$1" completion bash >"$scratch/softlab.bash"
"$1" completion zsh >"$scratch/_softlab"
"$1" completion fish >"$scratch/softlab.fish"
# shellcheck disable=SC1091 # just written
. "$scratch/softlab.bash"

# What pressing Tab after these words offers; an empty last word stands for a space.
offers() {
    COMP_WORDS=(softlab "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _softlab
    printf '%s\n' "${COMPREPLY[@]}"
}

has() {
    offers "${@:2}" | grep -qx -- "$1"
}

passes "a command is completed" has labels la
passes "an option of a command is completed" has --method labels --me
passes "the values of an option are completed" has t2-clamp labels --method t2-c
passes "so are those of its short form" has ibcc labels -m ib
passes "and those of the options of every command" has debug fetch --log-level de
passes "the second word of a command is offered" has mix dataset m
passes "a word that only begins commands is completed" has study stu
passes "so are the words that follow it" has simulate study si
passes "help knows it too" has study help stu
lacks() {
    ! has "$@"
}
once() {
    [ "$(offers "${@:2}" | grep -cx -- "$1")" -eq 1 ]
}
passes "help offers a command once" once study help stu
passes "and no second words without the first" lacks simulate help si
passes "help offers the second words behind the first" once simulate help study si
passes "a second word is completed at its end" once mix dataset mix
passes "names and files are offered where both are taken" has shapes train --data sh
passes "a command of two words has its own options" has --lambdas dataset mix --lam
passes "names of data sets are offered" has shapes dataset sh
if command -v zsh >/dev/null; then
    passes "zsh reads its script" zsh -n "$scratch/_softlab"
fi
if command -v fish >/dev/null; then
    passes "fish reads its script" fish --no-execute "$scratch/softlab.fish"
fi
finish
