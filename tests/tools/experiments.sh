#!/bin/sh
# tools/check-experiments finds contradictions between a table, its figures and its claims.
. "$(dirname "$0")/support.sh"

here=$scratch/tree/experiments/paper/table1
tree() { # a fresh small experiment
    rm -rf "$scratch/tree"
    mkdir -p "$here"
    cat >"$scratch/tree/experiments/README.md" <<'END'
| metric | better | what |
| --- | --- | --- |
| `accuracy` | higher | a share |
| `answers` | - | a number |
END
    cat >"$here/spec.json" <<'END'
{"softlab": "experiment", "version": 1, "name": "paper/table1", "title": "One", "source": "Paper, table 1",
 "needs": ["train", "labels"],
 "files": {"votes.jsonl": ["import", "--from", "long-csv", "{data}/votes.csv"]},
 "sets": {"hard": {"rest": "hard", "draw": "mean"},
  "soft": {"answers": "votes.jsonl", "method": "share", "options": {"seed": 1}, "rest": "hard", "draw": "mean"}},
 "networks": ["resnet8"], "recipe": "some", "settings": {}, "data": "shapes", "split": null,
 "holdout": null, "folds": null, "seeds": [1],
 "tests": {"shapes": {"data": "shapes", "split": null, "labels": "hard", "metrics": ["accuracy"]}},
 "table": {"rows": ["set"], "columns": ["shapes/accuracy"], "pool": ["seed"], "interval": "sd",
  "cells": {"hard|shapes/accuracy": "hard/accuracy", "soft|shapes/accuracy": "soft/accuracy"}},
 "compute": {"votes/answers": {"command": ["quality", "votes.jsonl", "--json"], "path": "$.answers", "here": 2}},
 "show": [{"title": "Pictures", "gallery": {"images": "shapes", "series": {"votes": "{data}/votes.npy"},
   "items": {"command": ["compare", "votes.jsonl", "--json"], "path": "$.items[*].item"}, "here": ["a", "b"]}},
  {"title": "Numbers", "chart": {"kind": "bars", "series": {"all": {"y": {"cells": ["vot*/answers"]}},
   "some": {"y": {"command": ["quality", "votes.jsonl", "--json"], "path": "$.counts[*]"}}}}}],
 "scales": {"quick": {"sets": ["soft"]}, "small": {}, "paper": {}}}
END
    cat >"$here/expected.csv" <<'END'
cell,row,column,metric,test_set,value,uncertainty,uncertainty_kind,n_runs,status,note
hard/accuracy,Hard,Accuracy,accuracy,shapes,65.22,0.76,sd,10,published,percent
soft/accuracy,Soft,Accuracy,accuracy,shapes,,,,10,illegible,damaged
votes/answers,Votes,Number,answers,,2,,,,text,
END
    cat >"$here/claims.csv" <<'END'
claim,better,worse,metric,test_set,section,words
better:soft-hard,soft,hard,accuracy,shapes,5.2,soft labels were better than hard ones
END
}

plant() { # file sed-script
    tree
    sed -i "$2" "$here/$1"
}

check() {
    "$root/tools/check-experiments" --root "$scratch/tree"
}

tree
passes "an orderly table passes" check
is_silent "and nothing is said about it"
rm "$here/claims.csv"
fails "a table has claims" "experiments/paper/table1: has no claims.csv" check
tree
rm "$here/expected.csv"
fails "cells need a published figure" "hard/accuracy is not in expected.csv" check

plant expected.csv 's/,status,note/,state,note/'
fails "columns are those of the README" "expected.csv:1: the columns must be" check
plant expected.csv '2s/,percent/,percent,more/'
fails "rows are as long as the header" "expected.csv:2: 12 columns, expected 11" check
plant expected.csv '2p'
fails "cells are unique" "expected.csv:3: cell hard/accuracy is there twice" check
plant expected.csv 's/65.22/65.2x/'
fails "values are numbers" "expected.csv:2: value 65.2x is no number" check
plant expected.csv 's/65.22//'
fails "only an illegible cell is empty" "expected.csv:2: an illegible cell is empty" check
plant expected.csv '3s/shapes,,/shapes,66.64,/'
fails "and an illegible cell is" "expected.csv:3: an illegible cell is empty" check
plant expected.csv '$s/,2,,,,text,/,2,,,,notebook,/'
fails "a notebook's cell says which and of how many runs" "a cell of a notebook says which" check
plant expected.csv '2s/,sd,/,error,/'
fails "an uncertainty has a known kind" "uncertainty_kind error is unknown" check
plant expected.csv '2s/accuracy,shapes/precision,shapes/'
fails "metrics are listed" "metric precision is not in the README" check
plant expected.csv '$a more/accuracy,More,Accuracy,accuracy,shapes,1,,,,text,'
fails "every published cell is in the specification" "spec.json: says nothing of more/accuracy" check

plant spec.json 's/"name": "paper/"name": "other/'
fails "a table has its folder's name" "spec.json: is named other/table1" check
plant spec.json 's/"title": "One",/"title": "One"/'
fails "the specification is JSON" "spec.json: Expecting" check
plant spec.json 's/"soft|shapes/"smooth|shapes/'
fails "a cell's set exists" "smooth|shapes/accuracy: no such set" check
plant spec.json 's/"soft|shapes/"soft|shape/'
fails "a cell's column exists" "soft|shape/accuracy: no such column" check
plant spec.json 's/"soft": {/"soft": {"labels": ["labels", "votes.jsonl"], /'
fails "a set says once how it is made" "set soft: labels says again what answers, method and options say" check
plant spec.json 's/"soft": {"answers": "votes/"soft": {"answers": "ballots/'
fails "and its answers are made" "set soft: ballots.jsonl is not among its files" check
plant spec.json 's/"quality", "votes/"quality", "ballots/'
fails "a command's files are made" "ballots.jsonl is not among its files" check
plant spec.json 's/"sets": \["soft"\]/"sets": ["sift"]/'
fails "the quick scale runs sets that exist" "the quick scale names no set: sift" check
plant spec.json 's/"small": {}/"small": {"sets": ["sift"]}/'
fails "and so does the small one" "the small scale names no set: sift" check
plant spec.json 's/"small": {}, //'
fails "a table has all scales" "the scales are quick, small and paper" check
plant spec.json 's/"draw": "mean"}}/"draw": "annotator"}}/'
fails "drawing annotators takes their rows" "draws annotators but has no rows of theirs" check

plant spec.json 's/"title": "Numbers"/"title": "Pictures"/'
fails "what is shown has a title of its own" "a title of its own is missing: Pictures" check
plant spec.json 's/"gallery": {"images"/"picture": {"images"/'
fails "and is a gallery or a chart" "show: Pictures is either a gallery or a chart" check
plant spec.json 's/{data}\/votes.npy/votes.npy/'
fails "a gallery's files are made" "Pictures: votes.npy is not among its files" check
plant spec.json 's/"kind": "bars"/"kind": "pies"/'
fails "a chart is of a known kind" "Numbers: kind pies is unknown" check
plant spec.json 's/vot\*/vet*/'
fails "and shows cells that there are" "Numbers: all: y: no cell vet*/answers" check

plant claims.csv '2s/soft,hard/soft,firm/'
fails "a claim names rows" "claims.csv:2: no row firm" check
plant claims.csv '2s/shapes/forms/'
fails "and test sets" "claims.csv:2: no test set forms" check
plant claims.csv '2s/better:/best:/'
fails "and a relation" "best:soft-hard does not begin with" check
plant claims.csv '2s/better:/gain:/'
fails "a gain has two cases" "a gain compares two rows or two test sets" check
plant claims.csv '2s/$/ by far and in every single case that we have been able to find/'
fails "a quotation is short" "quotes more than 15 words" check

both() { # a second claim about the same rows
    tree
    echo "$1,accuracy,shapes,5.3,another place of the text" >>"$here/claims.csv"
}
both better:hard-soft,hard,soft
fails "two rows are not both better" "claims.csv:3: better:hard-soft contradicts" check
both similar:hard-soft,hard,soft
fails "nor better and alike" "claims.csv:3: similar:hard-soft contradicts" check
both not-better:soft-hard,soft,hard
fails "nor better and not better" "claims.csv:3: not-better:soft-hard contradicts" check
both not-better:hard-soft,hard,soft
passes "the worse one is not better" check
both better:soft-hard-again,soft,hard
passes "the same may be said twice" check
both no-claim:hard-soft,hard,soft
passes "what claims nothing contradicts nothing" check
tree
cp -r "$here" "$scratch/tree/experiments/paper/table2"
sed -i 's/table1/table2/' "$scratch/tree/experiments/paper/table2/spec.json"
sed -i 's/better:soft-hard,soft,hard/better:hard-soft,hard,soft/' "$scratch/tree/experiments/paper/table2/claims.csv"
fails "nor in two tables of the same runs" "table2/claims.csv:2: better:hard-soft contradicts" check
sed -i 's/"recipe": "some"/"recipe": "other"/' "$scratch/tree/experiments/paper/table2/spec.json"
passes "runs of another recipe may differ the other way" check

# A small fake of softlab that lists its experiments and computes a figure.
tree
cat >"$scratch/program" <<'END'
#!/bin/sh
case $1 in
labels) echo '[{"name": "share"}]' ;;
models) echo '[{"name": "resnet8"}]' ;;
quality) echo '{"answers": 2, "counts": [1, 2]}' ;;
compare) echo '{"items": [{"item": "a"}, {"item": "b"}]}' ;;
esac
END
chmod +x "$scratch/program"
known() {
    "$root/tools/check-experiments" --root "$scratch/tree" --program "$scratch/program" "$@"
}
passes "methods and networks of the program pass" known
passes "and so does a figure that it gives" known --data "$scratch"
sed -i 's/"here": \["a", "b"\]/"here": ["b", "a"]/' "$here/spec.json"
fails "other pictures do not" "Pictures: shows ['a', 'b'], not ['b', 'a']" known --data "$scratch"
tree
sed -i 's/"here": 2/"here": 3/' "$here/spec.json"
fails "another figure does not" "votes/answers is 2.0, not 3" known --data "$scratch"
sed -i 's/"resnet8"/"resnet9"/' "$here/spec.json"
fails "nor does a network it has not" "the program has no network resnet9" known
sed -i 's/"share"/"shares"/g' "$here/spec.json"
fails "nor a method" "the program has no method shares" known
finish
