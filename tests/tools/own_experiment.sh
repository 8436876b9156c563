#!/bin/sh
# own_experiment.sh PROGRAM: the specification that experiments/README.md begins with works as it
# stands, on photographs of several sizes; and a dry run finds what is wrong with it.
. "$(dirname "$0")/support.sh"
program=$1
mine=$scratch/mine

picture() { # BASE64 FILE
    mkdir -p "$(dirname "$2")"
    printf %s "$1" | base64 -d >"$2"
}
wide=iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAEUlEQVR4nGM4ISeHFTEMpAQAaYgwwWSFouIAAAAASUVORK5CYII=
blue=iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAEUlEQVR4nGOQkzuBFTEMpAQAKcgwwdSt6V4AAAAASUVORK5CYII=
tall=iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAGmVYSWZNTQAqAAAACAABARIAAwAAAAEABgAAAAAAANZnS2kAAAARSURBVHicY4haEIUVMQykBACu5D/BBA9U7QAAAABJRU5ErkJggg==
echo item,worker,label >"$scratch/answers.csv"
for i in 1 2 3 4; do
    for part in train val; do
        picture $wide "$mine/photos/$part/apple/$i.png"
        picture $blue "$mine/photos/$part/berry/$i.png"
    done
    picture $tall "$mine/photos/train/apple/tall$i.png"
    for worker in a b c; do
        printf 'apple/%s,%s,apple\napple/tall%s,%s,apple\nberry/%s,%s,berry\n' \
            $i $worker $i $worker $i $worker >>"$scratch/answers.csv"
    done
    echo "berry/$i,d,apple" >>"$scratch/answers.csv"
done
mv "$scratch/answers.csv" "$mine"
awk '/^```json$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/experiments/README.md" |
    sed '/^}$/q' >"$mine/spec.json"

run() { # SPECIFICATION OPTIONS...
    (cd "$scratch" && "$program" run "$@" --quiet)
}
dry() { # WHAT: sed commands that spoil the specification
    sed "$1" "$mine/spec.json" >"$mine/spoilt.json"
    "$program" run "$mine/spoilt.json" --dry-run 2>&1
}

passes "it has at most ten lines" sh -c "[ \$(wc -l <'$mine/spec.json') -le 10 ]"
passes "a dry run finds nothing wrong" run mine/spec.json --dry-run
says "and counts the runs" "6 runs, 6 to make"
passes "every run is made" run mine/spec.json -o results
passes "with both sets" sh -c "[ \$(grep -c '^{.softlab.:.result.' '$scratch/results/results.jsonl') -eq 6 ]"
passes "and has figures" sh -c "! grep '^{.softlab.:.result.' '$scratch/results/results.jsonl' |
    grep -qv '\"new/accuracy\":[0-9]'"
passes "the report is written" "$program" report "$scratch/results" --format md
says "with a row for the set of votes" "votes"
says "and one for that of shares" "shares"
passes "paths may be relative to where one is" \
    sh -c "sed 's|{spec}/||g' '$mine/spec.json' >'$mine/here.json' && cd '$mine' &&
        '$program' run here.json -o ../results --quiet"
passes "and name the same runs" sh -c "[ \$(grep -c '^{.softlab.:.result.' '$scratch/results/results.jsonl') -eq 6 ]"

passes "without a size" dry 's/, "size": "32x32"//'
says "the dry run asks for one" 'pictures of 8 x 6 and 6 x 8 pixels: give a "size"'
passes "a file that is not there" dry 's|/answers.csv|/answer.csv|'
says "is found by the dry run" "mine/answer.csv: no such file or folder"
passes "so is a folder" dry 's|photos:val|photo:val|'
says "by its name" "mine/photo:val"
fails "a size that is none is refused" '"32" is not a size; give height and width like "32x32"' \
    dry 's/32x32/32/'
fails "so is a method" 'no label method is called "shore", did you mean "share"?' dry 's/"share"/"shore"/'
fails "and answers without a method" '"answers" and "method" go together' dry 's/, "method": "mv"//'
finish
