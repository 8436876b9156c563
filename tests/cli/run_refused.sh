# softlab run refuses wrong specifications, cells and folders.
try softlab run nosuch.json
try softlab run nofolder
mkdir empty
try softlab run empty
printf '{"softlab": "experiment",' >cut.json
try softlab run cut.json
cat >spec.json <<'JSON'
{"softlab": "experiment", "version": 1, "name": "mine", "title": "A table of one's own",
 "needs": ["train"], "sets": {"hard": {"labels": null}}, "networks": ["resnet8"],
 "recipe": "quick", "settings": {"epochs": 1}, "data": "shapes:n=8,size=8", "seeds": [1],
 "tests": {"new": {"data": "shapes:n=8,size=8,seed=2", "labels": "hard", "metrics": ["accuracy"]}}}
JSON
try softlab run spec.json --only hrad
try softlab run spec.json --only 'hard|2'
try softlab run spec.json --memory 1 -o tight
wrong() {
    sed "$1" spec.json >wrong.json
    try softlab run wrong.json -o wrong
}
wrong 's/resnet8/resnet9/'
wrong 's/"quick"/"quik"/'
wrong 's/"epochs"/"epoch"/'
wrong 's/"shapes:n=8,size=8"/"cifar10h"/'
wrong 's/"accuracy"/"acuracy"/'
try softlab run spec.json -o spec.json
mkdir busy garbage
try flock busy/lock softlab run spec.json -o busy
echo hello >garbage/results.jsonl
try softlab run spec.json -o garbage
try cat garbage/results.jsonl
try softlab run spec.json -n -o garbage
# Seeds and lists with a wrong or no effect.
try sh -c 'sed "s/\"seeds\": \[1\]/\"seeds\": [1.5]/" spec.json >s.json; softlab run s.json -n'
try sh -c 'sed "s/\"seeds\": \[1\]/\"seeds\": [-1]/" spec.json >s.json; softlab run s.json -n'
try sh -c 'sed "s/\"seeds\": \[1\]/\"seeds\": [1, 1]/" spec.json >s.json; softlab run s.json -n'
try sh -c 'sed "s/\"seeds\": \[1\]/\"seeds\": []/" spec.json >s.json; softlab run s.json -n'
