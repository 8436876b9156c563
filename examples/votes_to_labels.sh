#!/bin/sh
# From a spreadsheet of votes to labels by three methods, and how often each finds the true class.
# votes_to_labels.sh [FOLDER]: FOLDER keeps the files; without it they are temporary.
set -eu
case ${SOFTLAB:=softlab} in */*) SOFTLAB=$(realpath "$SOFTLAB") ;; esac
folder=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder" && cd "$folder" || exit

# A row per picture and a column per person. Dia says cat whatever she sees.
cat >sheet.csv <<CSV
picture,ann,bob,cem,dia,eve
p01,cat,cat,cat,cat,cat
p02,dog,dog,dog,cat,dog
p03,fox,fox,dog,cat,fox
p04,dog,dog,fox,cat,dog
p05,cat,cat,cat,cat,fox
p06,fox,fox,fox,cat,cat
p07,dog,dog,cat,cat,cat
p08,fox,fox,cat,cat,fox
p09,fox,fox,cat,cat,dog
p10,cat,cat,dog,cat,cat
p11,dog,fox,cat,cat,dog
p12,fox,fox,cat,cat,cat
CSV
cat >truth.csv <<CSV
item,truth
p01,cat
p02,dog
p03,fox
p04,dog
p05,cat
p06,fox
p07,dog
p08,fox
p09,fox
p10,cat
p11,dog
p12,fox
CSV
"$SOFTLAB" import --from wide sheet.csv -o votes.jsonl

# mv: the majority; share: the proportions of the votes; ds: Dawid-Skene, which learns whom to trust.
for method in mv share ds; do
    echo
    echo "labels by $method against the truth:"
    "$SOFTLAB" labels votes.jsonl --method "$method" -o "$method.csv" --quiet
    "$SOFTLAB" eval "$method.csv" --hard truth.csv -m accuracy,cross_entropy --quiet
done

echo
echo "where the proportions and Dawid-Skene differ most:"
"$SOFTLAB" compare share.csv ds.csv --by js --top 3 --quiet
