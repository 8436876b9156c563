# Figures of any program, as a CSV or as lines of results.jsonl, are judged like softlab's own.
mkdir mine
cat >mine/spec.json <<'JSON'
{"softlab": "experiment", "version": 1, "name": "mine", "title": "Soft labels on my photographs",
 "sets": {"hard": {}, "soft": {}}, "networks": ["vit"],
 "table": {"rows": ["set"], "columns": ["test/accuracy", "test/cross_entropy"], "pool": ["seed"],
           "interval": "t95", "scale": {"accuracy": 100}, "cells": {}}}
JSON
cat >mine/claims.csv <<'CSV'
claim,better,worse,metric,test_set,section,words
better:soft-hard,soft,hard,cross_entropy,test,,soft labels train the better network
CSV
cat >figures.csv <<'CSV'
set,network,seed,test/accuracy,test/cross_entropy
hard,vit,1,0.842,0.61
hard,vit,2,0.851,0.63
hard,vit,3,0.838,0.66
soft,vit,1,0.861,0.48
soft,vit,2,0.858,0.47
soft,vit,3,0.866,0.51
CSV
try softlab report figures.csv --spec mine --format md
# The same figures, a row each, and as lines of results.jsonl: the same report but for its last lines.
awk -F, -v OFS=, 'NR == 1 { for (i = 4; i <= NF; i++) name[i] = $i; print "set,network,seed,metric,value"; next }
    { for (i = 4; i <= NF; i++) print $1, $2, $3, name[i], $i }' figures.csv >tall.csv
awk -F, 'NR > 1 { printf "{\"softlab\":\"result\",\"spec\":\"mine\",\"set\":\"%s\",\"network\":\"%s\",\"seed\":%s,", $1, $2, $3
    printf "\"metrics\":{\"test/accuracy\":%s,\"test/cross_entropy\":%s}}\n", $4, $5 }' figures.csv >lines.jsonl
try head -n 2 tall.csv
try head -n 1 lines.jsonl
for kind in figures.csv tall.csv lines.jsonl; do
    softlab report $kind --spec mine --format html | grep -v '<dt>command</dt>' >$kind.html
done
try cmp figures.csv.html tall.csv.html
try cmp figures.csv.html lines.jsonl.html
# Figures for a table of a paper, which a column names: the report says the runs' scale.
printf 'spec,scale,set,network,seed,cifar10h/cross_entropy\n' >paper.csv
printf 'collins2022/table2,quick,%s\n' t2-clamp,resnet8,1,1.20 t2-clamp,resnet8,2,1.24 cifar10h,resnet8,1,1.50 cifar10h,resnet8,2,1.54 >>paper.csv
try sh -c 'softlab report paper.csv --spec collins2022/table2 --format csv | grep "^collins2022-table2-claims,1,"'
# Errors name file, line and column; nothing is guessed.
try softlab report figures.csv
sed 's/^soft,vit,2/sotf,vit,2/' figures.csv >wrong.csv
try softlab report wrong.csv --spec mine
sed '1s/accuracy/acuracy/' figures.csv >wrong.csv
try softlab report wrong.csv --spec mine
sed '1s/seed/sead/' figures.csv >wrong.csv
try softlab report wrong.csv --spec mine
sed 's/0.858/85.8/' figures.csv >wrong.csv
try softlab report wrong.csv --spec mine
sed 's/0.47/nan/' figures.csv >wrong.csv
try softlab report wrong.csv --spec mine
sed 's/^soft,vit,3/soft,vit,2/' figures.csv >wrong.csv
try softlab report wrong.csv --spec mine
try softlab report figures.csv lines.jsonl --spec mine
sed 's/0.47/NaN/' lines.jsonl >wrong.jsonl
try softlab report wrong.jsonl --spec mine
sed 's/"test.accuracy":0.858/"test\/accuracy":85.8/' lines.jsonl >wrong.jsonl
try softlab report wrong.jsonl --spec mine
sed 's/"metrics"/"metric"/' lines.jsonl >wrong.jsonl
try softlab report wrong.jsonl --spec mine
