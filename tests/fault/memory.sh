#!/bin/sh
# The program under ulimit -v, from the memory that it needs to start to the memory that a command
# needs: every run succeeds, or ends with exit code 1 and one line, and leaves no file half written.
#   memory.sh PROGRAM   (without sanitizers, which reserve terabytes of addresses)
set -u
program=$1
limits=20 # per command
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch" || exit 1
failures=0

# with_limit KILOBYTES COMMAND...: puts the exit code into $code and the output into `said`.
with_limit() {
    limit=$1
    shift
    rm -rf made && mkdir made
    (
        # shellcheck disable=SC3045 # dash and bash have both
        ulimit -c 0 && ulimit -v "$limit" && exec "$program" "$@"
    ) >/dev/null 2>said </dev/null
    code=$?
}

# Below this limit the loader or a library ends the process before main.
low=16384
high=1048576
while [ $((high - low)) -gt 64 ]; do
    middle=$(((low + high) / 2))
    with_limit $middle version
    if [ $code -eq 0 ]; then high=$middle; else low=$middle; fi
done 2>/dev/null # the shell's own words about who was killed
least=$high

complain() { # WHAT
    echo "not ok - softlab $arguments, ulimit -v $limit: $1"
    sed 's/^/    /' said
    failures=$((failures + 1))
}

check_run() {
    case $code in
    0) [ ! -s said ] || complain "it is done, and yet something is said" ;;
    1)
        [ "$(wc -l <said)" -eq 1 ] || complain "more or less than a sentence"
        grep -q "memory" said || complain "the sentence is not about memory"
        for file in made/*.*; do
            [ ! -f "$file" ] || complain "$file was left"
        done
        ;;
    *) complain "exit code $code" ;;
    esac
    [ -z "$(find . -name '*.tmp')" ] || complain "a temporary file was left"
}

# starve ARGUMENTS...: outputs go into made/.
starve() {
    arguments=$*
    more=1024
    with_limit $((least + more)) "$@"
    while [ $code -ne 0 ] && [ $more -lt 4000000 ]; do
        check_run
        more=$((more * 2))
        with_limit $((least + more)) "$@"
    done
    [ $code -eq 0 ] || complain "4 GB are not enough"
    step=0
    starved=0
    while [ $step -lt $limits ]; do
        with_limit $((least + more * step / limits)) "$@"
        check_run
        [ $code -eq 0 ] || starved=$((starved + 1))
        step=$((step + 1))
    done
    [ $starved -gt 0 ] || complain "no limit was too small, which tests nothing"
    echo "softlab $arguments: $starved of $limits limits from $least to $((least + more)) kB too small"
}

# Drop the shell's own message about a killed process.
exec 2>/dev/null

awk 'BEGIN {
    srand(1)
    print "item,worker,label"
    for (i = 0; i < 8000; i++)
        for (a = 0; a < 5; a++)
            print "item" i ",w" int(rand() * 60) * 5 + a "," substr("abcd", 1 + int(rand() * 4), 1)
}' >votes.csv
prepare() {
    "$program" import --from long-csv votes.csv -o answers.jsonl --quiet &&
        "$program" labels answers.jsonl --method share -o shares.npz --quiet &&
        "$program" labels votes.csv --method ds -o ds.npz --quiet &&
        "$program" train --data shapes:n=100,size=16 --network resnet8 --recipe quick \
            --set epochs=1 -o run --quiet >/dev/null
}
if ! prepare; then
    echo "not ok - what the commands read could not be made"
    exit 1
fi
awk 'BEGIN {
    for (i = 0; i < 400; i++)
        printf "{\"softlab\":\"result\",\"version\":1,\"key\":\"k%d\",\"spec\":\"collins2022/table2\"," \
            "\"scale\":\"quick\",\"variant\":\"as-run\",\"part\":null,\"set\":\"%s\"," \
            "\"network\":\"resnet8\",\"seed\":%d,\"fold\":null," \
            "\"metrics\":{\"cifar10h/cross_entropy\":%g}}\n", \
            i, i % 2 ? "t2-clamp" : "cifar10h", i / 2, 1 + i / 1000
}' >results.jsonl

starve import --from long-csv votes.csv -o made/answers.jsonl --quiet
starve labels votes.csv --method ds -o made/labels.npz --quiet
starve labels votes.csv --method glad --threads 2 -o made/labels.npz --quiet
starve labels answers.jsonl --method share -o made/labels.csv --quiet
starve quality answers.jsonl --json --quiet
starve compare shares.npz ds.npz --json --quiet
starve eval shares.npz --labels ds.npz --bootstrap 20 --json --quiet
starve dataset shapes:n=600 --preview made/shapes.png --quiet
starve dataset mix shapes:n=200 --count 50 -o made/mixed --quiet
starve dataset corrupt shapes:n=200,size=64 --severity 3 --threads 2 -o made/corrupted --quiet
starve train --data shapes:n=100,size=16 --network resnet8 --recipe quick --set epochs=1 \
    -o made/run --quiet
starve predict run --data shapes:n=100,size=16 -o made/predictions.npz --quiet
starve export --network resnet8 -o made/network.onnx --quiet
starve report results.jsonl --spec collins2022/table2 -o made/report.html --quiet
starve study init made/study --images shapes:n=60,size=16 --quiet
exit $((failures > 0))
