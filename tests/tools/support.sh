# Shared by the tests of the tools: a scratch folder, removed at the end, and assertions that
# print one sentence each. Source this file; end with `finish`.
# shellcheck shell=sh
set -u
# shellcheck disable=SC2034 # for the test that sources this
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
failures=0

report() { # passed? sentence
    if [ "$1" -eq 0 ]; then
        echo "ok - $2"
    else
        echo "not ok - $2"
        sed 's/^/    /' "$scratch/output"
        failures=$((failures + 1))
    fi
}

# passes SENTENCE COMMAND...: succeeds; what it prints is in $scratch/output.
passes() {
    sentence=$1
    shift
    "$@" >"$scratch/output" 2>&1
    report $? "$sentence"
}

# fails SENTENCE TEXT COMMAND...: does not succeed, and prints a line with TEXT.
fails() {
    sentence=$1
    text=$2
    shift 2
    if "$@" >"$scratch/output" 2>&1; then
        report 1 "$sentence"
    else
        grep -qF -e "$text" "$scratch/output"
        report $? "$sentence"
    fi
}

# says SENTENCE TEXT: the last command printed a line with TEXT.
says() {
    grep -qF -e "$2" "$scratch/output"
    report $? "$1"
}

is_silent() { # SENTENCE
    [ ! -s "$scratch/output" ]
    report $? "$1"
}

finish() {
    exit $((failures > 0))
}
