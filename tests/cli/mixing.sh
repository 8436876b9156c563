# Mixing answers, the simulator, and files that aggregators take beside the answers.
cat > mix.jsonl <<'ANSWERS'
{"softlab":"answers","version":1,"classes":["cat","dog"]}
{"item":"mixed_0.25_Cat_1_Dog_2.png","annotator":"ann","kind":"mix","endpoints":["cat","dog"],"lambda":0.2,"confidence":0.9,"generated":0.25}
{"item":"mixed_0.5_Cat_1_Dog_2.png","annotator":"ann","kind":"mix","endpoints":["cat","dog"],"lambda":0.5,"confidence":0.4,"generated":0.5}
{"item":"mixed_0.75_Cat_1_Dog_2.png","annotator":"ann","kind":"mix","endpoints":["cat","dog"],"lambda":0.9,"confidence":0.8,"generated":0.75}
{"item":"mixed_0.75_Cat_1_Dog_2.png","annotator":"bob","kind":"mix","endpoints":["cat","dog"],"lambda":0.8,"confidence":1,"generated":0.75}
ANSWERS
printf 'item,cat,dog\n1,0.5,0.5\n2,0.6,0.4\n' > ends.csv
try softlab compare --mix mix.jsonl --pairs --endpoint-labels ends.csv
printf 'mixed_0.5_Cat_1_Dog_2.png\n' > only.txt
try sh -c 'softlab compare --mix mix.jsonl --only only.txt --json | head -4'
try softlab mixing mix.jsonl --k 10 --x0 0.5 -o constant.json
try cat constant.json
try softlab mixing mix.jsonl -o fitted.json
try sh -c 'grep -c "\"x0\"" fitted.json'
try softlab mixing mix.jsonl --k 10 -o x.json
# Only answers about listed images count; lists may have Windows line ends, and names without answers are reported.
try softlab mixing mix.jsonl --only only.txt -o fewer.json
printf 'mixed_0.25_Cat_1_Dog_2.png\r\n\r\nmixed_0.75_Cat_1_Dog_2.png\r\nmixed_0.9_Cat_1_Dog_2.png' > three.txt
try softlab mixing mix.jsonl --only three.txt -o three.json
try sh -c 'grep "\"answers\"" three.json'
try sh -c 'softlab compare --mix mix.jsonl --only three.txt | head -1'
printf 'mixed_0.9_Cat_1_Dog_2.png\n' > nobody.txt
try softlab mixing mix.jsonl --only nobody.txt -o nobody.json
: > empty.txt
try softlab mixing mix.jsonl --only empty.txt -o nobody.json
try softlab mixing mix.jsonl --k 10 --x0 0.5 --only only.txt -o x.json
try softlab labels mix.jsonl --method mix --gamma 0 -o mix.csv --quiet
try cat mix.csv
{
    echo '{"softlab":"answers","version":1,"classes":["cat","dog","ship"]}'
    for i in 1 2 3 4 5 6; do
        echo '{"item":"'$i'","annotator":"ann","kind":"soft","top":[["cat",0.'$((i + 3))'],["dog",0.'$((i % 3 + 1))']],"impossible":["ship"]}'
        echo '{"item":"'$i'","annotator":"bob","kind":"soft","top":[["cat",0.'$((9 - i))'],["dog",0.0'$i']],"impossible":[]}'
    done
} > soft.jsonl
printf 'cat 1 0.1\ndog 0.9 0.3\nship 0 1\n' > vectors.txt
printf 'item,cat,dog,ship\n1,1,0,0\n2,1,0,0\n3,0.98,0.02,0\n4,0.5,0.5,0\n5,0.6,0.3,0.1\n6,0.4,0.4,0.2\n' > reference.csv
try softlab simulate-labels --fit soft.jsonl --reference reference.csv --vectors vectors.txt --save model.json
try softlab simulate-labels --parameters model.json --reference reference.csv --vectors vectors.txt -a 3 -o simulated.csv
try sh -c 'wc -l < simulated.csv'
# Columns of a reference are matched with the answers' classes by name.
awk -F, '{ line = $1; for (k = NF; k > 1; k--) line = line "," $k; print line }' reference.csv > turned.csv
try sh -c 'for file in reference turned; do softlab simulate-labels --fit soft.jsonl --reference $file.csv --vectors vectors.txt -a 3 -o of-$file.csv --quiet >/dev/null; done; cmp of-reference.csv of-turned.csv && echo the same'
try sh -c 'for n in 1 3; do softlab simulate-labels --fit soft.jsonl --reference reference.csv --vectors vectors.txt -a 3 --threads $n -o with-$n.csv --quiet >/dev/null; done; cmp with-1.csv with-3.csv && echo the same; rm with-1.csv with-3.csv'
try softlab simulate-labels --reference reference.csv --vectors vectors.txt -o x.csv
try softlab labels soft.jsonl --method t1-semantic --vectors vectors.txt -o semantic.csv --quiet
try softlab labels soft.jsonl --method ds-soft --calibrate --reference reference.csv -o ds-soft.csv --quiet
try softlab labels soft.jsonl --method crowdlab --predictions reference.csv -o crowdlab.csv --quiet
try softlab labels --method ensemble reference.csv reference.csv -o ensemble.csv
try cat ensemble.csv
try softlab labels soft.jsonl --method hard --truth reference.csv -o hard.csv --quiet
try cat hard.csv
printf 'item,truth\n1,cat\n2,bird\n' > truth.csv
try softlab quality soft.jsonl --truth truth.csv
try sh -c 'softlab quality soft.jsonl --json | grep observed'
try sh -c 'softlab version --json | grep -c -e version -e build -e avx2'
try sh -c 'softlab completion fish | head -1'
# Labels of mixed images against the shares in their names.
printf 'item,cat,dog,ship\nmixed_0.25_cat_1_dog_2.png,0.3,0.5,0.2\nmixed_0.75_cat_1_dog_2.png,0.8,0.2,0\n' > soft.csv
try softlab compare --mixed soft.csv
try sh -c 'softlab compare --mixed soft.csv --json | head -4'
try softlab compare --mixed ends.csv
try softlab compare --mixed soft.csv soft.csv
try softlab compare --mix mix.jsonl --mixed soft.csv
