#!/bin/sh
# Signals in the middle of a write: the program ends and leaves no temporary file and no empty folder of its own.
# Inputs are pipes that stay open, so that a command waits while its output is half written.
#   signals.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch" || exit 1
export TMPDIR="$scratch/temporary"
failures=0

complain() {
    echo "not ok - $1"
    failures=$((failures + 1))
}

# wait_for PATTERN: wait for such a file, at most a minute.
wait_for() {
    tries=0
    until [ -n "$(find . -path "$1")" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || return 1
        sleep 0.1
    done
}

# interrupt NAME NUMBER PATTERN COMMAND...: the command reads `pipe`; PATTERN is its temporary file.
interrupt() {
    name=$1
    number=$2
    pattern=$3
    shift 3
    rm -rf pipe made temporary
    mkfifo pipe
    mkdir made temporary
    # A shell makes background commands ignore SIGINT.
    env --default-signal=INT "$program" "$@" <pipe >/dev/null 2>said &
    pid=$!
    exec 3>pipe
    cat "$scratch/beginning" >&3
    if wait_for "$pattern"; then
        kill -s "$name" $pid
    else
        complain "softlab $*: no $pattern within a minute"
        cat said
        kill -s KILL $pid
    fi
    tries=0
    while kill -0 $pid 2>/dev/null && [ $tries -lt 600 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    kill -s KILL $pid 2>/dev/null
    wait $pid
    code=$?
    exec 3>&-
    [ $code -eq $((128 + number)) ] || complain "softlab $*: SIG$name, exit code $code"
    left=$(find made temporary -mindepth 1)
    [ -z "$left" ] || complain "softlab $*: SIG$name leaves $left"
}

awk 'BEGIN { print "item,worker,label"; for (i = 0; i < 60000; i++) print "item" i ",w" i % 9 ",c" i % 3 }' >beginning
for signal in "INT 2" "TERM 15" "HUP 1"; do
    # shellcheck disable=SC2086 # two words
    interrupt $signal './made/out.jsonl.*.tmp' import --from long-csv /dev/stdin -o made/out.jsonl
    # shellcheck disable=SC2086
    interrupt $signal './temporary/softlab-*/stdin*' labels - --method mv -o made/out.csv
done

# A signal that the caller ignores stays ignored.
rm -rf pipe made temporary
mkfifo pipe
mkdir made temporary
(
    trap '' HUP
    exec "$program" labels - --method mv -o made/out.csv <pipe 2>said
) &
pid=$!
exec 3>pipe
cat beginning >&3
wait_for './temporary/softlab-*/stdin*' || complain "no temporary file within a minute"
kill -s HUP $pid
exec 3>&-
wait $pid || complain "SIGHUP was not ignored: $(cat said)"
[ -s made/out.csv ] || complain "nothing was written"
[ $failures -eq 0 ] && echo "ok - signals leave nothing behind"
exit $((failures > 0))
