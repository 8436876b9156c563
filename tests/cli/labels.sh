cat > answers.jsonl <<'ANSWERS'
{"softlab":"answers","version":1,"classes":["cat","dog","ship"]}
{"item":"1","annotator":"ann","kind":"soft","top":[["cat",0.7],["dog",0.2]],"impossible":["ship"],"ms":30000,"truth":"cat"}
{"item":"1","annotator":"bob","kind":"soft","top":[["dog",0.6]],"impossible":[],"ms":20000,"truth":"cat"}
{"item":"2","annotator":"ann","kind":"soft","top":[["ship",1]],"impossible":["cat","dog"],"ms":10000,"truth":"ship"}
{"item":"2","annotator":"bob","kind":"soft","top":[["ship",0.9]],"impossible":["cat"],"ms":12000,"truth":"ship"}
{"item":"2","annotator":"bob","kind":"soft","top":[["ship",0.8]],"impossible":["cat"],"ms":9000,"repeat":true,"truth":"ship"}
ANSWERS
# Five digits: the last ones may differ between processors.
show() {
    printf '$ cat %s\n' "$1"
    awk -F, -v OFS=, 'NR > 1 { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9.e-]+$/) $i = sprintf("%.5g", $i) } 1' "$1"
}
try softlab quality answers.jsonl
try softlab quality answers.jsonl --annotators
for method in hard share t1-uniform t2-clamp select2 mv ds ibcc pool-linear pool-log; do
    try softlab labels answers.jsonl --method $method -o $method.csv --quiet
    show $method.csv
done
try softlab labels answers.jsonl --method t2-clamp --per-annotator -o each.csv
show each.csv
try softlab labels answers.jsonl --method t2-clamp --as-released -o all.json
try softlab labels answers.jsonl --method mv --as-released -o all.json
printf 'item,worker,label\n1,ann,cat\n2,bob,dog\n' > plain.csv
try softlab labels plain.csv --method mv --as-released -o all.json
try softlab labels answers.jsonl --method t2-clamp -o clamp.npz --quiet
# The provenance in the file, without the version; under another name the bytes are the same.
try sh -c "tr -d '\\000' <clamp.npz | grep -ao '{\"softlab.*}' | sed 's/\"softlab\":\"[^\"]*\"/\"softlab\":\"...\"/'"
try sh -c 'softlab labels answers.jsonl --method t2-clamp -o again.npz --quiet; cmp clamp.npz again.npz'
try sh -c 'softlab labels answers.jsonl --method ds -o one.npz --quiet; softlab labels answers.jsonl --method ds --threads 2 -o two.npz --quiet; cmp one.npz two.npz; rm one.npz two.npz'
try softlab compare clamp.npz t1-uniform.csv --top 2
try softlab compare clamp.npz clamp.npz --json --top 0
printf 'item,cat,dog,ship\n1,0.4,0.6,0\n2,0,0,1\n' > others.csv
try softlab compare clamp.npz others.csv --same-first --top 5
try sh -c 'softlab compare clamp.npz others.csv --least --max-entropy-b 0.5 --json | grep -A1 different'
try softlab compare clamp.npz others.csv --min-entropy 2
try softlab quality answers.jsonl --reference others.csv
try sh -c 'softlab quality answers.jsonl --reference others.csv --high 0.6 --json | grep -A4 "by_entropy"'
printf 'item,cat,dog,ship\n1,0.4,0.6,0\n' > one.csv
try softlab quality answers.jsonl --reference one.csv
try softlab labels --method ensemble others.csv --folds 2 -o named.csv
try softlab labels answers.jsonl --method mv --annotators 1 --seed 2 -o drawn.csv
show drawn.csv
try softlab labels answers.jsonl --method ds --annotators 1 -o lonely.csv
try softlab labels answers.jsonl --method t2-clamp --annotators 1 --json --quiet
try sh -c 'softlab labels answers.jsonl --method mv --json --quiet | grep seconds'
# The cost of a label is the measured time; --seconds-per-input replaces it.
sed 's/,"ms":[0-9]*//' answers.jsonl > untimed.jsonl
sed '2s/,"ms":[0-9]*//' answers.jsonl > partly.jsonl
try softlab labels untimed.jsonl --method t2-clamp -o x.csv
try softlab labels partly.jsonl --method t2-clamp -o x.csv
try softlab labels untimed.jsonl --method t2-clamp --seconds-per-input 6.4 -o x.csv
try sh -c 'softlab labels answers.jsonl --method mv --seconds-per-input 6.4 --json --quiet | grep seconds_per_label'
try softlab labels answers.jsonl --method uniform --seconds-per-input 6.4 -o x.csv
rm x.csv untimed.jsonl partly.jsonl
# Options that a method does not use are refused.
try softlab labels answers.jsonl --method mv --gamma 0.2 -o x.npz
try softlab labels answers.jsonl --method ds-soft --rows share --gamma 0.2 -o x.npz
try softlab labels answers.jsonl --method t2-clamp --seed 3 -o x.npz
try softlab labels answers.jsonl --method ds --prior-weight 3 -o x.npz
try softlab labels --list --method ds
try softlab labels --list answers.jsonl
try softlab labels answers.jsonl --method ds --state s.csv -o x.npz
# Wrong options.
try softlab labels answers.jsonl -o x.npz
try softlab labels answers.jsonl --method t2-clmap -o x.npz
try softlab labels answers.jsonl --method t2-clamp
try softlab labels answers.jsonl --method t2-clamp -o x.doc
try softlab labels answers.jsonl --method t2-clamp --gamma 2 -o x.npz
try softlab labels answers.jsonl --method t2-semantic -o x.npz
try softlab labels answers.jsonl --method kos -o x.npz
try softlab labels answers.jsonl --method crowdlab -o x.npz
try softlab labels answers.jsonl --method crowdlab --predictions each.csv -o x.npz --quiet
try softlab quality answers.jsonl --truth each.csv
try softlab labels answers.jsonl --method ds --per-annotator -o x.npz
try softlab compare clamp.npz
try softlab compare clamp.npz nothing.npz
try softlab quality answers.jsonl --exclude nobody
# A state can be resumed only if answers were added at the end.
try softlab labels answers.jsonl --method ds --state state.npz -o ds.csv --quiet
try softlab labels answers.jsonl --method ds --resume state.npz -o again.csv --quiet
try softlab labels answers.jsonl --method ds --prior state.npz -o prior.csv --quiet
printf 'item,worker,label\nx,ann,cat\nx,bob,dog\nx,eve,ship\n' > other.csv
try softlab labels other.csv --method ds --resume state.npz -o x.npz --quiet
try softlab labels other.csv --method ds --prior clamp.npz -o x.npz --quiet
try ls
# A file with two true classes for one item is refused by every command; the same class twice is fine.
printf 'item,worker,label\n1,ann,cat\n1,bob,dog\n2,ann,dog\n2,bob,dog\n3,ann,cat\n3,bob,cat\n' > votes.csv
printf 'item,truth\n3,cat\n1,cat\n1,dog\n' > t.csv
printf 'item,truth\n3,cat\n1,cat\n1,cat\n' > same.csv
try softlab labels votes.csv --method hard --truth t.csv -o x.csv
try softlab labels votes.csv --method ds --gold t.csv -o x.csv
try softlab quality votes.csv --truth t.csv
# If only some items have a true class, the log says how many.
try softlab quality votes.csv --truth same.csv
try softlab labels votes.csv --method smooth --truth same.csv -o x.csv
# A class per line: in the order of the items if there are as many, by number if items are numbers.
printf 'dog\ndog\ncat\n' > lines.txt
try softlab labels votes.csv --method hard --truth lines.txt -o x.csv --quiet
show x.csv
printf 'cat\ndog\ndog\ncat\n' > more.txt
try softlab labels votes.csv --method hard --truth more.txt -o x.csv
sed '2,$s/^3/0/' votes.csv > counted.csv
try softlab labels counted.csv --method hard --truth lines.txt -o x.csv --quiet
show x.csv
rm x.csv
# Classes of a state are matched by name: another order gives the same result, other classes are refused.
printf '{"softlab":"answers","version":1,"classes":["cat","dog"]}\n' > ab.jsonl
for vote in 1,ann,cat 1,bob,dog 1,eve,cat 2,ann,dog 2,bob,dog 2,eve,cat 3,ann,cat 3,bob,cat 3,eve,cat; do
    echo $vote | sed 's/\(.*\),\(.*\),\(.*\)/{"item":"\1","annotator":"\2","kind":"hard","class":"\3"}/' >> ab.jsonl
done
sed '1s/"cat","dog"/"dog","cat"/' ab.jsonl > ba.jsonl
sed '1s/"dog"/"dog","ship"/' ab.jsonl > abc.jsonl
for state in ab ba abc; do
    try softlab labels $state.jsonl --method ds --state $state.npz -o x.csv --quiet
done
for option in '--resume' '--iterations 2 --prior'; do
    for state in ab ba; do
        try softlab labels ab.jsonl --method ds $option $state.npz -o x.csv --quiet
        show x.csv
    done
done
try softlab labels abc.jsonl --method ds --resume ab.npz -o y.csv --quiet
try softlab labels ab.jsonl --method ds --prior abc.npz -o y.csv --quiet
rm x.csv
# Rows of a reference without item names are matched in the same way.
try softlab labels others.csv --method ensemble -o nameless.npy --quiet
try sh -c 'softlab quality answers.jsonl --reference others.csv >named.out; softlab quality answers.jsonl --reference nameless.npy | diff named.out -'
# Answers with two true classes for one item are refused unless --truth decides.
printf 'item,worker,label,truth\n1,ann,cat,cat\n2,ann,dog,dog\n1,bob,dog,dog\n' > torn.csv
try softlab quality torn.csv
try sh -c 'softlab quality torn.csv --truth same.csv | grep top-1'
# Names that a spreadsheet would run as formulas are written with an apostrophe and read without; numbers stay numbers.
printf 'item,worker,label\n=1+1,-ann,+cat\n-0.5,@bob,-2\n"\ttab",@bob,-2\n"'\''=1",@bob,+cat\n"-1+cmd|x",-ann,-2\n' > formulas.csv
try softlab labels formulas.csv --method mv -o x.csv --quiet
try softlab labels formulas.csv --method ds --iterations 2 -o y.csv --annotators-out who.csv --quiet
try cat x.csv
try cut -d , -f 1 who.csv
try softlab labels x.csv --method ensemble -o back.npz --quiet
try softlab labels back.npz --method ensemble -o back.csv --quiet
try cmp x.csv back.csv
rm x.csv y.csv back.csv
# Clicks with annotators: plain EM, and a row per annotator; attention checks get no label.
cat >raw.csv <<'CSV'
annotator_id,trial_index,is_attn_check,true_category,chosen_category,true_label,chosen_label,correct_guess,cifar10_test_test_idx,image_filename,subcategory,reaction_time,time_elapsed
7,1,0,cat,cat,3,3,1,0,cat_1.png,x,1500,1500
7,2,0,ship,ship,8,8,1,1,boat_1.png,x,1300,2900
7,3,1,dog,dog,5,5,1,-99999,check_1.png,x,900,3900
7,4,0,ship,airplane,8,0,0,2,boat_2.png,x,900,3900
8,1,0,cat,dog,3,5,0,0,cat_1.png,x,1500,1500
8,2,0,ship,ship,8,8,1,1,boat_1.png,x,1300,2900
8,3,0,ship,ship,8,8,1,2,boat_2.png,x,1300,2900
9,1,0,cat,cat,3,3,1,0,cat_1.png,x,1500,1500
9,2,0,ship,ship,8,8,1,1,boat_1.png,x,1300,2900
9,3,0,ship,ship,8,8,1,2,boat_2.png,x,1300,2900
CSV
try softlab import --from cifar10h-raw raw.csv --quiet -o raw.jsonl
try sh -c 'softlab labels raw.jsonl --method ds --smoothing 0 --diagonal 0 -o - | cut -d , -f 1,2,5,7,10 | sed "s/[0-9.]*e-[0-9]*/0/g"'
try sh -c 'softlab labels raw.jsonl --method share --per-annotator --quiet -o - | cut -d , -f 1,2,3,6,8,11'
