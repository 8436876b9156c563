try softlab import --list
printf 'task,worker,label\nt1,ann,cat\nt1,bob,dog\nt2,ann,cat\nt2,bob,cat\n' > long.csv
try softlab import --from long-csv long.csv -o answers.jsonl
try cat answers.jsonl
try softlab import --from answers --to peerannot answers.jsonl -o peer.json -q
try cat peer.json
try softlab import --from answers --to wide answers.jsonl -o wide.csv -q
try cat wide.csv
try softlab import --from long-csv long.csv -o votes.slb -q
try softlab labels votes.slb --method mv -o mv.csv -q
try cat mv.csv
# Answers of every kind, and back.
cat > kinds.jsonl <<END
{"softlab":"answers","version":1,"classes":["cat","dog","ship"]}
{"item":"1","annotator":"ann","kind":"soft","top":[["cat",0.7],["dog",null]],"impossible":["ship"],"ms":1200}
{"item":"1","kind":"hard","class":"dog","repeat":true}
{"item":"2","annotator":"ann","kind":"select","top":["dog","ship"],"truth":"ship"}
{"item":"2","annotator":"bob","kind":"dist","dist":[0.25,0.75,0]}
{"item":"m","annotator":"ann","kind":"mix","endpoints":["cat","dog"],"lambda":0.26,"generated":0.5,"confidence":0.9}
END
try softlab import --from answers --to answers-csv kinds.jsonl -o kinds.csv -q
try cat kinds.csv
softlab import --from answers kinds.csv -o back.jsonl -q
try cmp kinds.jsonl back.jsonl
try softlab import --from answers --to long-csv kinds.jsonl -o x.csv
# Wrong options and broken files.
try softlab import long.csv -o x.jsonl
try softlab import --from long-cvs long.csv -o x.jsonl
try softlab import --from long-csv long.csv
try softlab import --from long-csv nothing.csv -o x.jsonl
try softlab import --from long-csv --columns a,b,c,d long.csv -o x.jsonl
printf 'task,worker\nt1,ann\n' > short.csv
try softlab import --from long-csv short.csv -o x.jsonl
printf '{"0": [{"Most Probable Class": "Cat"}]}' > broken.json
try softlab import --from cifar10s-json broken.json -o x.jsonl
printf 'not json\n' > bad.jsonl
try softlab quality bad.jsonl
: > empty.jsonl
try softlab quality empty.jsonl
try ls
# Listed items: a byte order mark and blanks are no part of a name, a table has a column of them.
printf 'item,worker,label\na,p,x\nb,p,y\nc,q,x\n' > three.csv
printf '\357\273\277a  \nc\t\r\n\nz\n' > listed.txt
try softlab import --from long-csv --to answers three.csv --only listed.txt -o some.jsonl
try grep -c '"item"' some.jsonl
printf 'times,item\n2,b\n1,z\n' > batch.csv
try softlab import --from long-csv --to answers three.csv --only batch.csv -o some.jsonl
gzip -c batch.csv > batch.csv.gz
try softlab import --from long-csv --to answers three.csv --only batch.csv.gz -o some.jsonl --quiet
try softlab next some.jsonl --items listed.txt --budget 2 -o next.csv --quiet
try cut -d , -f 1,2 next.csv
gzip -c listed.txt > listed.txt.gz
try softlab import --from long-csv --to answers three.csv --only listed.txt.gz -o some.jsonl
# Several files become one answers.slb: that of all answers in one file.
printf 'item,worker,label\nt1,ann,cat\nt2,bob,dog\n' > part1.csv
printf 'item,worker,label\nt2,ann,bee\nt3,,cat\nt1,ann,dog\n' > part2.csv
(cat part1.csv; tail -n +2 part2.csv) > whole.csv
try softlab import --from long-csv whole.csv -o whole.slb
try softlab import --from long-csv part1.csv part2.csv -o both.slb
try cmp whole.slb both.slb
softlab import --from long-csv part1.csv -o part1.slb -q
try softlab import --from answers part1.slb part2.csv -o mixed.slb -q
try cmp whole.slb mixed.slb
try softlab import --from answers part1.slb part1.slb -o twice.slb
try softlab import --from answers part1.csv part2.csv -o both.jsonl
try softlab import --from long-csv --abstain bee part1.csv part2.csv -o both.slb
try softlab import --from long-csv part1.csv short.csv -o both.slb
try softlab import --from answers --classes dog,cat,bee part1.slb part2.csv -o both.slb
mkdir folder
try softlab import --from answers part1.slb folder -o both.slb
head -c 500 part1.slb > cut.slb
try softlab import --from answers cut.slb part2.csv -o both.slb
try ls
