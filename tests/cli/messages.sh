# Every message says what is wrong, in which file, and what to do.
cat > hard.jsonl <<'ANSWERS'
{"softlab":"answers","version":1,"classes":["cat","dog"]}
{"item":"1","annotator":"ann","kind":"hard","class":"cat","ms":2000}
{"item":"1","annotator":"bob","kind":"hard","class":"cat","ms":3000}
{"item":"2","annotator":"ann","kind":"hard","class":"dog","ms":4000}
ANSWERS
sed 's/,"ms":[0-9]*//' hard.jsonl > untimed.jsonl
sed '2s/,"ms":[0-9]*//' hard.jsonl > some.jsonl
printf 'item,worker,label\n1,ann,cat\n2,bob,dog\n' > votes.csv
printf 'item,worker,label\n1,ann,ca\377\n' > latin.csv
printf 'item,cat,dog\n1,0.4,0.6\n2,0,1\n' > labels.csv
printf 'item,cat,dog\n1,40,60\n2,0,100\n' > percent.csv
printf 'item,cat,cow\n1,0.4,0.6\n2,0,1\n' > cow.csv
printf 'item,worker,class,p\n1,ann,cat,90\n1,ann,dog,10\n' > long.csv
printf 'item,worker,p_cat,p_dog\n1,ann,90,10\n' > wide.csv
printf 'item,cat,dog\n1,1e99,0\n' > huge.csv
printf 'item,weight\n' > none.csv
try softlab labels hard.jsonl --method t2-clamp -o x.csv
try softlab labels hard.jsonl --method pool-linear --rows t1-uniform -o x.csv
try softlab compare labels.csv percent.csv
try softlab compare labels.csv cow.csv
try softlab import --from long-csv votes.csv latin.csv -o x.jsonl
try softlab import --from long-csv latin.csv -o x.jsonl
try softlab labels votes.csv --method crowdlab -o x.csv
try softlab labels votes.csv hard.jsonl --method mv -o x.csv
try softlab labels long.csv --method pool-linear -o x.csv
try softlab labels wide.csv --method pool-linear -o x.csv
try softlab eval percent.csv --labels labels.csv
try softlab eval huge.csv --labels labels.csv
# Folders in place of weights.
mkdir results
try softlab eval results --data shapes:n=20,size=8
try softlab predict results --data shapes:n=20,size=8 -o x.csv
try softlab train --data shapes:n=20,size=8 --network mlp --epochs 1 -o run --quiet
rm run/weights.safetensors
try softlab train --data shapes:n=20,size=8 --network mlp --epochs 1 -o run
try softlab predict run --data shapes:n=20,size=8 -o x.csv
printf '{}' > run/run.json
try softlab predict run --data shapes:n=20,size=8 -o x.csv
# The time per label, with any method, if the answers have times.
for answers in hard some untimed; do
    for method in share mv ds ds-soft; do
        try softlab labels $answers.jsonl --method $method -o x.csv
    done
done
