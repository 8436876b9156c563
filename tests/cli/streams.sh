# "-" is standard input or output for every path; the suffix of an output must fit its format.
cat > answers.jsonl <<'ANSWERS'
{"softlab":"answers","version":1,"classes":["cat","dog"]}
{"item":"1","annotator":"ann","kind":"hard","class":"cat"}
{"item":"1","annotator":"bob","kind":"hard","class":"dog"}
{"item":"2","annotator":"ann","kind":"hard","class":"dog"}
{"item":"2","annotator":"bob","kind":"hard","class":"dog"}
ANSWERS
printf 'item,worker,label\n1,ann,cat\n1,bob,dog\n2,ann,dog\n2,bob,dog\n' > votes.csv
try softlab labels answers.jsonl --method share -o - --quiet
try sh -c 'softlab labels - --method share -o - --quiet < answers.jsonl'
try sh -c 'softlab labels - --method mv -o - --quiet < votes.csv'
try sh -c 'softlab labels answers.jsonl --method ds -o ds.csv --state - --quiet | head -c 2; echo'
try sh -c 'softlab labels answers.jsonl --method share -o s.npz --quiet; softlab compare - s.npz --top 0 < s.npz | head -1'
try sh -c 'softlab import --from long-csv votes.csv -o - --quiet'
try sh -c 'softlab import --from long-csv - -o - --quiet < votes.csv | softlab quality - | head -1'
try sh -c 'softlab import --from answers answers.jsonl --to long-csv -o -'
try sh -c 'softlab export --network mlp:hidden=2 --input 2 --classes 2 -o - --quiet | head -c 16 | wc -c'
printf '1,0.5\n' > wrong.csv
try sh -c 'softlab compare - ds.csv < wrong.csv'
try sh -c 'softlab labels - --method share -o - < /dev/null'
# Messages and warnings call the streams by name.
printf 'item,worker,label,time\n1,ann,cat,x\n1,ann,cat,x\n2,ann,dog,x\n' > twice.csv
try sh -c 'softlab labels - --method mv -o - < twice.csv'
printf 'item,label\n1,dog\n2,dog\n3,dog\n' > truth.csv
try sh -c 'softlab eval s.npz --hard - -m accuracy < truth.csv'
try sh -c 'softlab eval s.npz --hard - --subset -m accuracy < truth.csv'
try sh -c 'softlab labels answers.jsonl --method hard --truth - -o - < truth.csv'
printf '{"softlab":"recipe","version":1,"name":"mine","source":"me","settings":{"epochs":3}}\n' > recipe.json
try sh -c 'softlab train --recipe - --keys < recipe.json | grep "epochs "'
try sh -c 'softlab train --recipe - --data shapes:n=8 --network mlp -o run < votes.csv'
# No file is called "-", and no temporary file stays.
try ls
try sh -c 'TMPDIR=$PWD softlab labels answers.jsonl --method share -o - --quiet; ls'
try sh -c 'TMPDIR=nowhere softlab labels answers.jsonl --method share -o - --quiet'
try softlab labels answers.jsonl --method share -o - --json
try softlab labels answers.jsonl --method ds -o - --state -
try softlab dataset shapes:n=4 --truth -
try softlab dataset mix shapes:n=4 -o -
try softlab train --data shapes:n=4 --network resnet8 -o -
try softlab run collins2022/table2 -o -
try softlab study status -
try softlab dataset -
try softlab eval w.safetensors --data -
try sh -c 'softlab compare - - < s.npz'
# A suffix of another format.
try softlab labels answers.jsonl --method ds --state s.csv -o x.npz
try softlab labels answers.jsonl --method ds -o x.png
try softlab import --from answers answers.jsonl -o x.csv
try softlab dataset shapes:n=4 --preview x.npz
try softlab mixing answers.jsonl -o x.csv
try softlab export --network resnet8 -o x.npz
try ls
# An output may not be an input, nor another output.
printf 'item,worker,label\na,w,x\nb,w,y\n' >votes.csv
try softlab labels votes.csv --method mv -o votes.csv
try softlab labels votes.csv --method ds --annotators-out votes.csv -o l.npz
try softlab labels votes.csv --method ds --annotators-out l.csv -o l.csv
try sh -c 'ln -s votes.csv link.csv; softlab labels votes.csv --method mv -o link.csv'
try cat votes.csv
# A limit on the size of files gives one error line and leaves no file.
try sh -c '(ulimit -f 1; softlab dataset shapes:n=200 --quiet --truth big.csv 2>&1) | cat; ls big* 2>/dev/null || echo nothing'
