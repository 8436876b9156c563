# Two people's answers; the truth has its columns in another order.
cat >answers.jsonl <<'JSONL'
{"softlab":"answers","version":1,"classes":["cat","dog","fox"]}
{"item":"p1","annotator":"ann","kind":"soft","top":[["cat",0.9]],"impossible":["fox"]}
{"item":"p2","annotator":"ann","kind":"soft","top":[["dog",0.6],["fox",0.4]],"impossible":["cat"]}
{"item":"p3","annotator":"ann","kind":"soft","top":[["fox",0.6],["dog",0.3]],"impossible":[]}
{"item":"p4","annotator":"ann","kind":"soft","top":[["dog",0.7],["cat",0.2]],"impossible":[]}
{"item":"p1","annotator":"bob","kind":"soft","top":[["dog",0.8]],"impossible":[]}
JSONL
cat >truth.csv <<'CSV'
item,fox,cat,dog
p1,0,0.8,0.2
p2,0.3,0,0.7
p3,0.55,0.15,0.3
p4,0.05,0.2,0.75
CSV
try one_annotator answers.jsonl truth.csv ann
# Mistakes.
try one_annotator answers.jsonl truth.csv
try one_annotator answers.jsonl truth.csv eve
try one_annotator answers.jsonl nosuch.csv ann
printf 'item,fox,cat\np1,0,1\n' >two.csv
try one_annotator answers.jsonl two.csv ann
printf 'item,fox,cat,dog\nq1,0,1,0\n' >others.csv
try sh -c 'one_annotator answers.jsonl others.csv ann >/dev/null'
# Votes state no probabilities.
printf 'item,worker,label\np1,ann,cat\np2,ann,dog\np3,ann,fox\n' >votes.csv
try sh -c 'one_annotator votes.csv truth.csv ann >/dev/null'
