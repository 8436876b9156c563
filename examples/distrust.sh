#!/bin/sh
# Finds annotators who answered without looking, and makes labels with and without them.
# distrust.sh [FOLDER]: FOLDER keeps the files; without it they are temporary.
set -eu
case ${SOFTLAB:=softlab} in */*) SOFTLAB=$(realpath "$SOFTLAB") ;; esac
folder=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder" && cd "$folder" || exit

# Six people look and are mostly right. Gus says cat whatever he sees. Hal guesses, and fast.
awk 'function chance(n) {
        state = state * 16807 % 2147483647
        return state % n
    }
    BEGIN {
        state = 7
        split("cat dog fox", class, " ")
        n_people = split("ann bob cem dia eve fay gus hal", name, " ")
        print "item,worker,label,ms"
        print "item,truth" >"truth.csv"
        for (item = 1; item <= 40; item++) {
            truth = 1 + chance(3)
            for (p = 1; p <= n_people; p++) {
                said = chance(5) ? truth : 1 + chance(3)
                ms = 1500 + chance(3000)
                if (name[p] == "gus") said = 1
                if (name[p] == "hal") {
                    said = 1 + chance(3)
                    ms = 300 + chance(100)
                }
                printf "p%02d,%s,%s,%d\n", item, name[p], class[said], ms
            }
            printf "p%02d,%s\n", item, class[truth] >"truth.csv"
        }
    }' >votes.csv

# Agreement, times and suspicion need no true classes. Look at the answers before you exclude anybody.
"$SOFTLAB" quality votes.csv --annotators

# wawa estimates how often each person is right. Whoever is at 60 % or below gets weight 0.
"$SOFTLAB" labels votes.csv --method wawa --annotators-out skills.csv -o wawa.csv --quiet
awk -F , -v OFS=, 'NR == 1 { print "annotator,weight"; next } { print $1, ($3 > .6) }' \
    skills.csv >weights.csv
"$SOFTLAB" labels votes.csv --method share -o everybody.csv --quiet
"$SOFTLAB" labels votes.csv --method share --weights weights.csv -o trusted.csv --quiet

# Only an example knows the truth about every item.
for labels in everybody trusted; do
    echo
    "$SOFTLAB" eval "$labels.csv" --hard truth.csv -m accuracy,brier --quiet
done
