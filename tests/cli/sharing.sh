# Predictions for Label Studio and cleanlab.
printf 'item,dog,cat\na.png,0.25,0.75\nb.png,0.5,0.5\n' > p.csv
try softlab export p.csv --to label-studio -o tasks.json
try cat tasks.json
try softlab export p.csv --to label-studio --field text --control sentiment --object body -o text.json -q
try grep -e name text.json
printf 'item,label\na.png,dog\nb.png,cat\n' > given.csv
try softlab export p.csv --to cleanlab --labels given.csv -o cleanlab.npz
try softlab export p.csv --to cleanlab -o pred_probs.npy
# The columns are in the order in which cleanlab numbers classes: cat, dog.
tail -c 16 pred_probs.npy | od -An -t f4 > values.txt
try cat values.txt
# What cannot be written.
try softlab export p.csv --to cleanlab --labels given.csv -o x.npy
printf 'item,label\na.png,dog\n' > short.csv
try softlab export p.csv --to cleanlab --labels short.csv -o x.npz
printf 'item,label\na.png,dog\nb.png,cow\n' > cow.csv
try softlab export p.csv --to cleanlab --labels cow.csv -o x.npz
printf 'item,annotator,dog,cat\na.png,ann,1,0\na.png,bob,0,1\n' > each.csv
try softlab export each.csv --to label-studio -o x.json
printf 'item,dog,cat\na.png,0.25,0.25\n' > off.csv
try softlab export off.csv --to cleanlab -o x.npz
try softlab export pred_probs.npy --to label-studio -o x.json
try softlab export p.csv --to label-studio -o x.npz
try softlab export p.csv --to label-studio --seed 3 -o x.json
try softlab export p.csv --field text -o x.json
try softlab export p.csv --to labelstudio -o x.json
try softlab export --to cleanlab -o x.npz
try softlab export p.csv -o x.json
