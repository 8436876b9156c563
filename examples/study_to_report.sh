#!/bin/sh
# Asks simulated people about pictures through the study server, and reports what came of it.
# study_to_report.sh [FOLDER]: FOLDER keeps the files; without it they are temporary.
set -eu
case ${SOFTLAB:=softlab} in */*) SOFTLAB=$(realpath "$SOFTLAB") ;; esac
folder=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder" && cd "$folder" || exit

# The embedded shapes; a folder of your own pictures works the same: pictures=photos/
pictures=shapes:n=80,size=12,classes=3
"$SOFTLAB" study init study --images "$pictures" --screen hard --batch 20 --annotators 4 \
    --contact "Ada Lovelace, ada@example.org" --quiet >init.txt

# The server prints its address once it listens; port 0 is any free one.
: >serve.txt
"$SOFTLAB" study serve study --port 0 --admin-port 0 >serve.txt 2>serve.log &
server=$!
trap 'kill $server || true; wait $server || true; [ $# -gt 0 ] || rm -rf "$folder"' EXIT
until url=$(sed -n 's/^annotators: *//p' serve.txt) && [ -n "$url" ]; do
    kill -0 $server || { cat serve.log >&2 && exit 1; }
    sleep .1
done

# Simulated people, one after the other; --speed 0 does not think as long as people do.
"$SOFTLAB" study simulate "$url" --study study --annotators 16 --at-once 1 --speed 0 --count \
    --quiet >simulate.txt
head -n 3 simulate.txt
"$SOFTLAB" study export study -o answers.jsonl
"$SOFTLAB" quality answers.jsonl | head -n 7

# One network on the classes that the pictures were drawn as, one on majorities and one on shares.
"$SOFTLAB" run --init "$pictures" --answers answers.jsonl -o experiment
sed -i 's/"networks"/"settings": {"epochs": 8, "batch": 8, "crop": 0}, "seeds": [1, 2], &/' experiment/spec.json
"$SOFTLAB" run experiment -o results --quiet
"$SOFTLAB" report results -o report.html
"$SOFTLAB" report results --format md | grep '^|'
