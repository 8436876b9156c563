#!/bin/sh
# Writes an experiment of one's own, checks it, runs it and prints its table with 95 % intervals.
# own_experiment.sh [FOLDER]: FOLDER keeps the files; without it they are temporary.
set -eu
case ${SOFTLAB:=softlab} in */*) SOFTLAB=$(realpath "$SOFTLAB") ;; esac
folder=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder" && cd "$folder" || exit

# Five votes for every picture. With your own: softlab run --init photos/ --answers votes.csv -o mine
"$SOFTLAB" dataset shapes:n=120,size=12,classes=3,ambiguous=1 --truth truth.csv >items.txt
awk -F , 'function chance() {
        state = state * 16807 % 2147483647
        return state / 2147483647
    }
    BEGIN { state = 7; print "item,worker,label" }
    NR == 1 { for (k = 2; k <= NF; k++) class[k] = $k; next }
    {
        for (vote = 1; vote <= 5; vote++) { # a class by its true probability
            left = chance()
            for (k = 2; k < NF && left >= $k; k++) left -= $k
            print $1 ",worker" vote "," class[k]
        }
    }' truth.csv >votes.csv
cat >spec.json <<SPEC
{
  "softlab": "experiment", "version": 1, "name": "votes",
  "title": "Five votes per picture: their majority, or all of them",
  "sets": {
    "majority": {"answers": "votes.csv", "method": "mv"},
    "shares": {"answers": "votes.csv", "method": "share"}
  },
  "data": "shapes:n=120,size=12,classes=3,ambiguous=1", "networks": ["resnet8"],
  "settings": {"epochs": 6, "batch": 16, "crop": 0}, "seeds": [1, 2, 3],
  "tests": {
    "new": {"data": "shapes:n=100,size=12,classes=3,ambiguous=1,seed=2",
            "metrics": ["cross_entropy", "accuracy"]}
  }
}
SPEC
"$SOFTLAB" run spec.json --dry-run
"$SOFTLAB" run spec.json -o results --quiet
"$SOFTLAB" report results -o report.html

# The same as Markdown, of which this is the table.
"$SOFTLAB" report results --format md | grep '^|'
