# A specification that softlab run --init writes can be run as it is.
try softlab run --init shapes:n=60,size=8 -o mine
try cat mine/spec.json
try cat mine/README.md
try sh -c 'softlab run mine --dry-run | sed "s/; about.*//"'
try softlab run mine -j 1 -o results
try sh -c 'grep -o "\"set\":[^,]*,\"network\":[^,]*,\"seed\":." results/results.jsonl | sort'
try sh -c 'softlab report results --format md | grep "^| hard" | cut -d "|" -f 1-3'
# With answers: a set of majority votes and a set of vote shares.
cat >votes.csv <<'CSV'
item,worker,label
shapes-000001,a,circle
CSV
try softlab run --init shapes:n=60,size=8 --answers votes.csv -o people
try sh -c 'sed "s|: \"/.*/votes|: \"votes|" people/spec.json'
# Refused data, and existing files, which are never overwritten.
try softlab run --init shapes -o mine
try softlab run --init nosuch
try softlab run --init shapes --answers nosuch.csv -o other
mkdir -p flat
printf 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAEUlEQVR4nGM4ISeHFTEMpAQAaYgwwWSFouIAAAAASUVORK5CYII=' |
    base64 -d >flat/1.png
try softlab run --init flat -o other
try softlab run --init pos -o other
try ls other
try softlab run --init shapes mine
try softlab run mine --answers votes.csv
try softlab run --init shapes --dry-run
