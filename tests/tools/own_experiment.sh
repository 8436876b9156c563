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
# One run is enough to see what is wrong, and takes no timing of networks where it is.
sed -e '/"shares"/d' -e 's/"mv"},$/"mv"}},/' -e 's/\[1, 2, 3\]/[1]/' "$mine/spec.json" >"$mine/one.json"
spoil() { # WHAT: sed commands that spoil the specification
    sed "$1" "$mine/one.json" >"$mine/spoilt.json"
    echo "$mine/spoilt.json"
}
dry() {
    "$program" run "$(spoil "$1")" --dry-run 2>&1
}
mkdir "$scratch/temporary"
export TMPDIR="$scratch/temporary"

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

fails "without a size the dry run asks for one" \
    'pictures of 8 x 6 and 6 x 8 pixels: give a "size"' dry 's/, "size": "32x32"//'
fails "a file that is not there is found" "mine/answer.csv: no such file or folder" \
    dry 's|/answers.csv|/answer.csv|'
fails "so is a folder" "mine/photo:val" dry 's|photos:val|photo:val|'
fails "a size that is none is refused" '"32" is not a size; give height and width like "32x32"' \
    dry 's/32x32/32/'
fails "so is one of no pixels" '"0x0" is not a size' dry 's/32x32/0x0/'
fails "and one that no image has" '"100000x100000" is too large' \
    dry 's/32x32/100000x100000/'
fails "a size that takes more memory than there is, is found" "it needs more memory than this machine has" \
    env ASAN_OPTIONS=allocator_may_return_null=1 TSAN_OPTIONS=allocator_may_return_null=1 \
    "$program" run "$(spoil 's/32x32/8000x8000/')" --dry-run
fails "a method that there is not is refused" 'no label method is called "shore", did you mean "share"?' \
    dry 's/"mv"/"shore"/'
fails "one by another name is told its own" '"majority" is called "mv" here' dry 's/"mv"/"majority"/'
fails "answers without a method are refused" '"answers" and "method" go together' \
    dry 's/, "method": "mv"//'

# What only reading the answers can tell.
method() { # REPLACEMENT for the method and what follows
    dry "s|\"method\": \"mv\"|$1|"
}
answers() { # FILE: of the set of votes alone
    dry "s|answers.csv\", \"method\": \"mv\"|$1\", \"method\": \"mv\"|"
}
fails "a misspelt option of the method is found" "unknown option --ties, did you mean --tie?" \
    method '\"method\": "mv", "options": {"ties": "first"}'
sed 's/"method": "mv"/"method": "mv", "options": {"ties": "first"}/' "$mine/spec.json" >"$mine/spoilt.json"
fails "and said once for all seeds" "missing  votes, resnet8, seed 1 and 2 others: unknown option --ties" \
    "$program" run "$mine/spoilt.json" --dry-run
says "while the other set can be made" "3 of 6 runs cannot be made; what they lack is said above"
fails "a method that wants percentages" 't2-clamp does not read answers of kind "hard"' \
    method '\"method\": "t2-clamp"'
says "names the answers" "mine/answers.csv: "
fails "so one of mixtures" 'mix does not read answers of kind "hard"' method '\"method\": "mix"'
fails "crowdlab has no classifier" "--predictions is missing: crowdlab reads" method '\"method\": "crowdlab"'
sed '$a apple/1,d,cherry' "$mine/answers.csv" >"$mine/cherry.csv"
fails "kos has two classes" "kos" dry "s|answers.csv\", \"method\": \"mv\"|cherry.csv\", \"method\": \"kos\"|"
fails "a class that no item has is found" 'class "cherry" is unknown to' answers cherry.csv
sed '$a apple/99,a,apple' "$mine/answers.csv" >"$mine/strange.csv"
fails "so is an item" 'apple/99' answers strange.csv
head -n 1 "$mine/answers.csv" >"$mine/header.csv"
fails "and a file of nothing but a header" "mine/header.csv: no answers" answers header.csv
head -n 4 "$mine/answers.csv" >"$mine/few.csv"
passes "answers about some of the items will do" answers few.csv
says "and how many are left out is said" "mine/photos:train: 3 of 12 items have labels, 9 are not trained on"
passes "by the run too" sh -c "'$program' run '$mine/spoilt.json' -o '$scratch/few' 2>&1"
says "once" "photos:train: 3 of 12 items have labels, 9 are not trained on"
fails "more items than there are" "100 items are asked for, and it has 12" method '\"method\": "mv", "count": 100'
fails "a share that is none is found" "share:2: expected a number between 0 and 1" \
    dry 's/"size"/"split": "share:2", "size"/'
fails "so is one that is no number" "share:x: expected a number between 0 and 1" \
    dry 's/"size"/"split": "share:x", "size"/'
fails "a share is no hold-out" '"share:2" is for "split"' dry 's/"size"/"holdout": "share:2", "size"/'
fails "a hold-out that is not there is found" "mine/held.txt: No such file or directory" \
    dry 's|"size"|"holdout": "{spec}/held.txt", "size"|'
fails "a network for texts is found" "it reads words and their letters, and the items have none" \
    dry 's/resnet8/tagger/'
printf 'start\tend\ttext\tlabel\n0\t3\tthe cat\tDET\n4\t7\tthe cat\tNOUN\n' >"$mine/texts.tsv"
fails "so is one for images" "resnet8: it reads no texts, and $mine/texts.tsv holds them" \
    env SOFTLAB_DATA= HOME="$scratch" XDG_DATA_HOME= "$program" run \
    "$(spoil 's|photos:train|texts.tsv|; s|photos:val|texts.tsv|; s/, "size": "32x32"//; s/{"votes":.*/{"gold": {}},/')" --dry-run

# Photographs.
head -c 40 "$mine/photos/val/apple/1.png" >"$scratch/broken.png"
cp "$scratch/broken.png" "$mine/photos/train/apple/1.png"
fails "a broken photograph is found" 'apple/1.png: ends at byte 40' dry ''
says "with what to do" '"skip_broken": true leaves it out'
passes "which does it" dry 's/"size"/"skip_broken": true, "size"/'
says "and says so" "photos:train: 1 of 12 images cannot be read and was left out"
picture $wide "$mine/photos/train/apple/1.png"
cp "$scratch/broken.png" "$mine/photos/val/apple/1.png"
fails "one that is only tested on is found" 'test "new": ' dry ''
picture $wide "$mine/photos/val/apple/1.png"
passes "all may be read as grey" dry 's/"size"/"channels": 1, "size"/'
fails "one of two tests without its data" "not scored on far: no data set, file or folder" \
    dry 's|"tests": {|"tests": {"far": {"data": "{spec}/far", "labels": "hard", "metrics": ["accuracy"]}, |'
says "is said" "1 of 1 run cannot be scored on every test"
fails "a test without measures is refused" "metrics: is empty" dry 's/\["accuracy", "cross_entropy"\]/[]/'
passes "nothing is left behind" sh -c "! ls '$scratch'/temporary/softlab-* 2>/dev/null"
finish
