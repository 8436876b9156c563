# The status and the exports of a study without participants.
softlab study init birds --images shapes:n=6,seed=2 --batch 3 --annotators 2 --quiet > /dev/null
try softlab study status birds
try softlab study status birds --annotators
try softlab study status birds --items
softlab study status birds --json | grep -c '"exclusions": \[\]'
try softlab study export --list
try softlab study export birds -o answers.jsonl
try cat answers.jsonl
try softlab study export birds --screen bars -o -
try softlab study export birds -f items -o -
try softlab study export birds -f trials -o -
try softlab study export birds -f payments -o -
try softlab study export birds -f bonus -o -
softlab study export birds -f cifar10h-counts -o counts.npy
head -c 128 counts.npy | tail -c 118 | tr -d ' \n' && echo
try softlab study backup birds monday.db
try softlab study restore monday.db birds
without_time() {
    "$@" | sed 's/[0-9]\{8\}T[0-9]\{6\}Z/TIME/'
}
try without_time softlab study restore monday.db birds --force
try without_time ls birds
try softlab study status birds --quiet
# Wrong options, and missing files.
try softlab study export
try softlab study export birds
try softlab study export birds -f answer -o -
try softlab study export birds --screen bars -o -
try softlab study export birds --screen bars -f trials -o -
try softlab study export birds -f cifar10s-json -o nothing.json
try softlab study export nothing -o -
try softlab study status nothing
try softlab study purge birds
try softlab study purge birds --participant 5f0c
try softlab study restore counts.npy birds --force
try softlab study restore nothing.db birds
try ls
