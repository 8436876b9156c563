# Experiments: refused ones, missing inputs, a small table run and resumed, and one that fails.
try sh -c 'softlab run --list | head -n 3'
try softlab run
try softlab run collins2022/tabel1
try softlab run colins2022
try softlab run collins2022/table1 --shard 3/2
try softlab run collins2022/table1 --only nonesuch
try softlab run uma2020 --only nonesuch
try sh -c 'softlab run all --scale small --only nonesuch 2>&1 | tail -n 1'
try sh -c 'softlab run collins2022/table3 --dry-run --only t2-clamp-m1 | sed "s/; about.*//"'
cat >answers.csv <<'CSV'
item,annotator,label
shapes-000001,a,circle
shapes-000001,b,square
shapes-000002,a,square
shapes-000003,a,circle
CSV
cat >spec.json <<'JSON'
{"softlab": "experiment", "version": 1, "name": "mine", "title": "A table of one's own",
 "files": {"answers.jsonl": ["import", "--from", "long-csv", "{spec}/answers.csv"]},
 "sets": {"hard": {"labels": null},
          "people": {"labels": ["labels", "answers.jsonl", "--method", "share"], "rest": "hard"},
          "wrong": {"labels": ["labels", "answers.jsonl", "--method", "shares"]}},
 "networks": ["resnet8"], "recipe": "quick", "settings": {"epochs": 1, "batch": 8},
 "data": "shapes:n=24,size=8,classes=2", "seeds": [1],
 "tests": {"new": {"data": "shapes:n=24,size=8,classes=2,seed=2", "labels": "hard",
                   "metrics": ["accuracy", "cross_entropy"]},
           "far": {"data": "imagenet-far", "labels": "hard", "metrics": ["accuracy"]}},
 "compute": {"answers/number": {"command": ["quality", "answers.jsonl", "--json"],
                                "path": "$.answers"}},
 "scales": {"quick": {}}}
JSON
try softlab run spec.json --only hard --dry-run --scale huge
try sh -c 'softlab run spec.json --dry-run -o made | sed "s/; about.*//"'
# Every value of a grid is a run.
try sh -c 'sed "s/\"scales\"/\"tune\": [{\"parameter\": \"lr\", \"grid\": [0.1, 0.2], \"seeds\": [1], \"metric\": \"accuracy\", \"validation\": {\"data\": \"shapes:n=8,size=8,classes=2\", \"count\": 8, \"seed\": 1}}], \"scales\"/" spec.json >tuned.json; softlab run tuned.json --tune --dry-run -o made --only hard | sed "s/; about.*//"'
try softlab run spec.json -j 1 --only hard -o made
try softlab run spec.json -j 1 --only figures -o made
try softlab run spec.json -j 1 -o made
# The number of processes and of threads changes nothing but the time.
plain() { sed 's/"time":{[^}]*}//' "$1/results.jsonl" | sort; }
softlab run spec.json -j 1 --threads 3 -o shared --quiet 2>/dev/null || true
plain made >made.txt
plain shared >shared.txt
try cmp made.txt shared.txt
try sh -c 'grep -o "\"set\":[^,]*" made/results.jsonl; grep -o "\"computed\":[^}]*" made/results.jsonl'
try sh -c 'grep -o "\"set\":[^,]*" made/failures.jsonl'
# Every fold is a line. A grid is searched on each set by the measure that selects its epochs.
{
    echo item,circle,square
    for i in $(seq 24); do printf 'shapes-%06d,0.%s,0.%s\n' "$i" $((10 + i)) $((90 - i)); done
} >people.csv
cat >folds.json <<'JSON'
{"softlab": "experiment", "version": 1, "name": "folded", "title": "Folds",
 "references": {"people": {"labels": ["labels", "{spec}/people.csv", "--method", "ensemble"]}},
 "sets": {"start": {"labels": null, "train": false}, "hard": {"labels": null},
          "people": {"labels": ["labels", "{spec}/people.csv", "--method", "ensemble"], "dev_labels": "people"}},
 "networks": ["resnet8"], "recipe": "quick",
 "settings": {"epochs": 1, "batch": 8, "select": "best", "dev": "held-out", "dev_metric": "cross-entropy"},
 "start": {"recipe": "quick", "data": "shapes:n=24,size=8,classes=2,seed=2", "seeds": [1], "settings": {"epochs": 1}},
 "data": "shapes:n=24,size=8,classes=2", "folds": 2, "seeds": [1],
 "tests": {"held": {"data": "shapes:n=24,size=8,classes=2", "split": "fold", "labels": "hard", "metrics": ["accuracy"]},
           "new": {"data": "shapes:n=24,size=8,classes=2,seed=2", "labels": "hard", "metrics": ["accuracy"]}},
 "tune": [{"parameter": "lr", "sets": ["hard"], "grid": [0.1, 0.2], "validation": "fold", "metric": "cross_entropy", "seeds": [1]}]}
JSON
try sh -c 'softlab run folds.json folds.json --dry-run -o folded | sed -n "s/; about.*//; s/^[0-9a-f]*  .*//; /./p"'
try softlab run folds.json -j 1 -o folded
try sh -c 'grep "\"result\"" folded/results.jsonl | grep -o "\"set\":[^,]*\|\"fold\":[^,]*\|\"[a-z]*/accuracy\"" | paste -sd " " | sed "s/ \"set/\n\"set/g"'
try sh -c 'softlab run folds.json --tune -j 1 -o folded --only hard; grep -o "\"softlab\":\"tun[a-z]*\"" folded/results.jsonl | sort | uniq -c'
try sh -c 'sed "s/\"sets\": \[\"hard\"\]/\"sets\": [\"start\"]/" folds.json >bad.json; softlab run bad.json --tune -o folded'
# Pictures and charts that need no training.
cat >show.json <<'JSON'
{"softlab": "experiment", "version": 1, "name": "shown", "title": "What is shown", "needs": ["labels"],
 "files": {"answers.jsonl": ["import", "--from", "long-csv", "{spec}/answers.csv"],
           "share.npz": ["labels", "answers.jsonl", "--method", "share"],
           "hard.npz": ["labels", "answers.jsonl", "--method", "mv", "--tie", "first"]},
 "further": {"answers/number": {"command": ["quality", "answers.jsonl", "--json"], "path": "$.answers"}},
 "show": [{"title": "The least alike", "note": "By L1.",
           "gallery": {"images": "shapes:n=24,size=8,classes=2", "count": 2,
                       "series": {"shares": "share.npz", "majority": "hard.npz"},
                       "items": {"command": ["compare", "share.npz", "hard.npz", "--by", "l1", "--json"],
                                 "path": "$.most_different[*].item"}}},
          {"title": "Distances", "chart": {"kind": "bars", "x": {"categories": ["first", "second", "third"]},
            "series": {"L1": {"y": {"command": ["compare", "share.npz", "hard.npz", "--by", "l1", "--json"],
                                    "path": "$.most_different[*].l1"}}}}}]}
JSON
try softlab run show.json -o seen
try softlab run show.json -o seen
try sh -c 'grep -o "\"galleries\":.*" seen/results.jsonl | sed "s/iVBO[^\"]*/PNG/g; s/,\"annotation.*//"'
try sh -c 'softlab report seen --spec show.json --format md | sed "/^softlab\|Where/,\$d"'
try sh -c 'sed "s/\"count\": 2/\"class\": \"star\"/" show.json >none.json; softlab run none.json -o seen 2>&1 | sed "s/_[0-9a-f]\{32\}/HASH/"'
try sh -c 'sed "s/\"series\": {\"shares\": \"share/\"series\": {\"shares\": \"shore/" show.json >bad.json; softlab run bad.json -o seen'
try sh -c 'sed "s/\"seeds\"/\"sedes\"/" spec.json >bad.json; softlab run bad.json -o made'
# The results contain the specification, so a report needs no other file.
try sh -c 'mkdir elsewhere; cp made/results.jsonl elsewhere; cd elsewhere; softlab report . --format md | head -n 16'
