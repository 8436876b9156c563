# Wrong options: exit 2, one line, and the nearest match.
try softlab datset
try softlab zzzzzz
try softlab dataset --preveiw x.png
try softlab dataset --zzz
try softlab dataset -z
try softlab dataset shapes --rows 0
try softlab dataset shapes --rows 1e3
try softlab dataset shapes --rows
try softlab dataset shapes --rows=
try softlab dataset shapes one too many
try softlab dataset shapes --seed 1 --seed=2
try softlab train --set epochs=1 --set batch=32
try softlab dataset --json=yes
try softlab dataset --log-level loud
try softlab dataset --log-level inof
try softlab dataset
try softlab dataset mix shapes
try softlab dataset mix shapes --lambdas .5,1.5 -o x
try softlab dataset mix shapes --lambdas .5,,.1 -o x
try softlab dataset mix shapes --lambdas nan -o x
try softlab completion tcsh
try softlab fetch
try sh -c 'softlab version > /dev/full'
# Names that other programs use lead to softlab's names.
try softlab aggregate answers.jsonl
try softlab evaluate
try softlab fit
try softlab serve
try softlab study start
try softlab tag
for method in dawid-skene Dawid_Skene majority vote em DS GLAD hierarchical one-hot soft; do
    try softlab labels answers.jsonl --method $method -o labels.npz
done
try softlab labels answers.jsonl --method nonsense-that-nobody-knows -o labels.npz
