# Rows of features and texts with vectors of their words: data sets, training, predicting, and what is refused.
sh -c 'npy() { printf "\223NUMPY\001\000\166\000%-117s\n" "$1"; }
rows() { i=0; while [ $i -lt 30 ]; do printf "\000\000\200\077\000\000\000\077\000\000\200\277\000\000\000\077"; i=$((i + 1)); done; }
classes() { i=0; while [ $i -lt 30 ]; do printf "\000\001"; i=$((i + 1)); done; }
mkdir rows
{ npy "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (60, 2), }" | tr "\"" "\047"; rows; } >rows/features.npy
{ npy "{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (60,), }" | tr "\"" "\047"; classes; } >rows/labels.npy
{ npy "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (120,), }" | tr "\"" "\047"; rows; } >flat.npy
{ npy "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (1, 2), }" | tr "\"" "\047"; printf "\000\000\200\077\000\000\300\177"; } >nan.npy'
try softlab dataset rows/features.npy
try softlab dataset flat.npy
try softlab dataset nan.npy
try softlab train --data rows/features.npy --network mlp:hidden=4 --set epochs=2,batch=10,optimiser=adam,rate=0.1 --quiet -o mlp
try sh -c 'wc -l <mlp/log.jsonl'
try softlab predict mlp --data rows/features.npy --array probs --quiet -o p.csv
try softlab eval p.csv --labels rows/labels.npy --metrics accuracy --quiet
try softlab train --data rows/features.npy --network resnet8 -o no
try softlab train --data rows/features.npy --network tagger -o no
try softlab train --data rows/features.npy --network mlp --vectors words.txt -o no
try softlab train --data rows/features.npy --network mlp --size 8x8 -o no
try softlab train --data rows/features.npy --network mlp --set flip=true --quiet -o flipped
try softlab train --data rows/features.npy --network mlp --dev shapes --set select=best -o no
try softlab predict mlp --data shapes:n=4 -o no.npz
try softlab eval mlp --data rows/features.npy --attack fgsm --quiet
# Texts.
printf 'start\tend\ttext\tlabel\n0\t3\tthe cat sat\tDET\n4\t7\tthe cat sat\tNOUN\n8\t11\tthe cat sat\tVERB\n0\t3\tThe dog\tDET\n4\t7\tThe dog\tNOUN\n' >texts.tsv
printf 'start\tend\ttext\n0\t3\tour q\303\244t\n4\t8\tour q\303\244t\n' >other.tsv
printf 'the 1 2\ncat 3 4\nsat 5 0\n' >words.txt
printf 'our 6 6\ncat 3 4\n' >more.txt
printf 'cat 3 5\n' >wrong.txt
try softlab dataset texts.tsv
try softlab train --data texts.tsv --network tagger:word-units=3,letter-units=3,hidden=4 --vectors words.txt --set epochs=2,batch=5 --quiet -o tagger
try sh -c 'softlab train --data texts.tsv --network tagger:word-units=3,letter-units=3,hidden=4 --vectors words.txt --set epochs=2,batch=5 -o again 2>log; head -n 2 log'
try cmp tagger/weights.safetensors again/weights.safetensors
try softlab predict tagger --data other.tsv --array probs -o q.csv
try softlab predict tagger --data other.tsv --vectors more.txt --array probs -o r.csv
try sh -c 'cut -d, -f1 q.csv; cmp -s q.csv r.csv || echo our has a vector now'
try softlab predict tagger --data other.tsv --vectors wrong.txt -o no.npz
try softlab predict tagger --data shapes:n=4 -o no.npz
try softlab predict mlp --data texts.tsv -o no.npz
try softlab train --data texts.tsv --network resnet8 --vectors words.txt --quiet -o no
try softlab train --data texts.tsv --network mlp --vectors words.txt --quiet -o no
try softlab train --data texts.tsv --network tagger --quiet -o no
try softlab train --data texts.tsv --network tagger:words=3 --vectors words.txt --quiet -o no
try softlab train --data texts.tsv --network tagger --vectors words.txt --set method=mixup,alpha=1 --quiet -o mixed
try softlab train --data texts.tsv --network tagger --vectors words.txt --dev shapes --quiet -o no
try softlab train --data texts.tsv --network tagger --vectors missing.txt --quiet -o no
try softlab train --data texts.tsv --network tagger:word-units=3,letter-units=3,hidden=4 --weights tagger/weights.safetensors --set epochs=1,batch=5 --quiet -o tuned
try softlab train --data texts.tsv --network tagger --weights mlp/weights.safetensors --quiet -o no
try sh -c 'ls no no.npz 2>/dev/null || echo nothing was written'
# The attention of the text of Uma et al., which their code does not have.
for variant in as-run as-published; do
    try sh -c 'softlab train --data texts.tsv --dev texts.tsv --vectors words.txt --recipe uma2020-pos --'$variant' --set epochs=1 -o '$variant' 2>log; grep tagger: log'
done
try softlab predict as-published --data other.tsv --array probs --quiet -o attended.csv
try softlab train --data rows/features.npy --network mlp --set network_options=attention=4 -o no
try sh -c 'softlab train --recipe uma2020-pos --as-published --keys | grep network'
