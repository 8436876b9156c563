# Which items to ask about next. Sixty items: every fifth is ambiguous, the others are clear.
awk 'BEGIN {
    print "item,worker,label,ms"
    for (i = 0; i < 60; i++)
        for (a = 0; a < 3; a++) {
            label = i % 2 ? "cat" : "dog"
            if (i % 5 == 0 && a > 0) label = (i + a) % 3 ? "fox" : "cat"
            print "i" i ",w" (i + 7 * a) % 20 "," label "," 1500 + 100 * ((i + a) % 11)
        }
}' > answers.csv
# Four digits: the last ones may differ between processors.
show() {
    printf '$ head -n %s %s\n' "$2" "$1"
    awk -F, -v OFS=, 'NR > 1 { for (i = 4; i <= NF; i++) if ($i ~ /^[0-9.e-]+$/) $i = sprintf("%.3g", $i) } 1' "$1" | head -n "$2"
}
try softlab next answers.csv --budget 60s -o batch.csv
show batch.csv 5
# Other amounts: fewer than a wave, answers instead of time, a limit per item, a stated time.
try softlab next answers.csv --budget 10 -o batch.csv
try softlab next answers.csv --budget 10 --per-item 1 --seconds 4 -o batch.csv
show batch.csv 3
try softlab next answers.csv --budget 1h --way equal --wave 50% -o batch.csv
# Items that nobody has answered come first.
printf 'i0\ni99\nnew, one\n' > items.txt
try softlab next answers.csv --budget 3 --items items.txt -o batch.csv
show batch.csv 4
printf 'item,size\ni99,1\n' > items.csv
try softlab next answers.csv --budget 1 --items items.csv -o batch.csv --quiet
printf 'item\n""\n' > items.csv
try softlab next answers.csv --budget 1 --items items.csv -o batch.csv --quiet
# A target that is far, near, and reached; items that are finished.
try softlab next answers.csv --budget 1000 --target 0.03 -o batch.csv
try softlab next answers.csv --budget 1000 --target 0.0655 -o batch.csv
try softlab next answers.csv --budget 1000 --target 5 -o batch.csv
try cat batch.csv
try softlab next answers.csv --budget 1000 --most 4 --stop 10 --finished done.csv -o batch.csv
awk -F, 'NR == 1 || $2 % 2 < 2 { print } $1 == "i1" { print "i1,w15,dog,1500" }' answers.csv | awk -F, 'NR == 1 { print } NR > 1 { print; if (!seen[$1]++) print $1 ",extra," $3 "," $4 }' > four.csv
try softlab next four.csv --budget 1000 --most 5 --stop 10 --finished done.csv -o batch.csv
try cat batch.csv
show done.csv 3
# A classifier's predictions: useful ones, ones that contradict the answers, and too few.
awk 'BEGIN {
    print "item,cat,dog,fox"
    for (i = 0; i < 60; i++) print "i" i (i % 2 ? ",.9,.05,.05" : ",.05,.9,.05")
}' > prior.csv
try softlab next answers.csv --budget 10 --prior prior.csv -o batch.csv
awk -F, -v OFS=, 'NR > 1 { t = $2; $2 = $3; $3 = $4; $4 = t; if (NR % 3) { t = $2; $2 = $4; $4 = t } } 1' prior.csv > wrong.csv
try softlab next answers.csv --budget 10 --prior wrong.csv -o batch.csv
head -n 40 prior.csv > few.csv
try softlab next answers.csv --budget 10 --prior few.csv -o batch.csv
awk -F, -v OFS=, 'NR == 7 { $2 = 80 } 1' prior.csv > percent.csv
try softlab next answers.csv --budget 10 --prior percent.csv -o batch.csv
# An annotator who answers everything, and too few people.
printf 'item,worker,label\na,p,x\na,q,x\nb,p,y\nb,q,x\n' > two.csv
try softlab next two.csv --budget 5 --wave 300% -o batch.csv
# Answers with probabilities, and a class that nobody has chosen.
printf '%s\n' '{"softlab":"answers","version":1,"classes":["cat","dog","fox"]}' \
    '{"item":"a","annotator":"p","kind":"dist","dist":[0.7,0.3,0]}' \
    '{"item":"a","annotator":"q","kind":"hard","class":"cat"}' \
    '{"item":"b","annotator":"p","kind":"hard","class":"dog"}' > soft.jsonl
try softlab next soft.jsonl --budget 2 -o batch.csv
# As JSON, for other programs.
try sh -c "softlab next answers.csv --budget 60s --json -o batch.csv | sed 's/\\([.][0-9]\\{3\\}\\)[0-9]*/\\1/; /provenance/,\$d'"
# What is refused.
try softlab next answers.csv --budget 0 -o batch.csv
try softlab next answers.csv --budget -5 -o batch.csv
try softlab next answers.csv --budget '10 parsecs' -o batch.csv
try softlab next answers.csv --budget 2.5 -o batch.csv
try softlab next answers.csv --budget many -o batch.csv
try softlab next answers.csv --budget 1s -o batch.csv
try softlab next two.csv --budget 5min -o batch.csv
try softlab next answers.csv --budget 10 --wave 30 -o batch.csv
try softlab next answers.csv --budget 10 --wave 0% -o batch.csv
try softlab next answers.csv --budget 10 --most 2 -o batch.csv
try softlab next answers.csv -o batch.csv
try softlab next answers.csv --budget 10
try softlab next answers.csv --budget 10 -o batch.txt
printf 'item,worker,label\n' > none.csv
try softlab next none.csv --budget 10 -o batch.csv
awk 'BEGIN { print "item,worker,label"; for (i = 0; i < 101; i++) print "i" i ",w,c" i }' > many.csv
try softlab next many.csv --budget 10 -o batch.csv
