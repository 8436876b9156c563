cat > labels.csv <<'ROWS'
item,cat,dog,ship
a,0.75,0.25,0
b,0.25,0.5,0.25
c,0,0,1
d,0.5,0.375,0.125
ROWS
cat > model.csv <<'ROWS'
item,cat,dog,ship
a,0.625,0.25,0.125
b,0.5,0.375,0.125
c,0.125,0.125,0.75
d,0.5,0.25,0.25
ROWS
# The same numbers as logits, items and classes in another order.
cat > turned.csv <<'ROWS'
item,ship,Cat,dog
d,-1.3862944,-0.6931472,-1.3862944
c,-0.2876821,-2.0794415,-2.0794415
b,-2.0794415,-0.6931472,-0.9808293
a,-2.0794415,-0.4700036,-1.3862944
ROWS
cat > other.csv <<'ROWS'
item,cat,dog,ship
a,0.25,0.5,0.25
b,0.25,0.625,0.125
c,0.25,0.25,0.5
d,0.25,0.5,0.25
ROWS
sed -e 1d -e 's/,/ /g' labels.csv | awk '{ print $1 ",", $2 * 8 ",", $3 * 8 ",", $4 * 8 }' |
    tr -d ' ' | sed '1i item,cat,dog,ship' > counts.csv
printf 'item,truth\na,cat\nb,cat\nc,ship\nd,dog\n' > truth.csv
# Four classes as numpy writes them: 0 0 2 1.
header="{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }"
printf '\223NUMPY\001\000\166\000%-117s\n\000\000\002\001' "$header" > classes.npy

try softlab eval model.csv --labels labels.csv --bin-size 1
try softlab eval turned.csv --labels labels.csv --metrics cross_entropy,accuracy
try softlab eval model.csv --labels labels.csv --hard truth.csv -m accuracy,accuracy_hard,weighted_f1 --per-class
try softlab eval model.csv --labels labels.csv --hard classes.npy -m accuracy_hard
try softlab eval model.csv --labels classes.npy -m accuracy,cross_entropy
try softlab eval model.csv --labels counts.csv -m cross_entropy,human_entropy
try softlab eval model.csv --labels counts.csv --reference softmax -m cross_entropy,human_entropy
try softlab eval model.csv --labels labels.csv --bin-size 1 -m accuracy,rms_calibration --bootstrap 50
try softlab eval model.csv turned.csv other.csv --labels labels.csv -m accuracy,brier
try softlab eval model.csv turned.csv other.csv --labels labels.csv -m accuracy,brier --each
try softlab eval model.csv --against other.csv --labels labels.csv -m accuracy,brier,entropy_correlation
try sh -c 'for n in 1 3; do softlab eval model.csv --against other.csv --labels labels.csv --bootstrap 50 --threads $n --quiet --json >with-$n.json; done; cmp with-1.json with-3.json && echo the same; rm with-1.json with-3.json'
try softlab eval model.csv --labels labels.csv -m accuracy,second_best_accuracy,confidence_incorrect --json
try softlab eval model.csv --labels labels.csv -m accuracy --plots figures
# An option that no chosen measure uses is refused.
try softlab eval model.csv --labels labels.csv -m accuracy,brier --bins 3
try softlab eval model.csv --labels labels.csv -m ece --clip 0.1
try softlab eval model.csv other.csv --labels labels.csv -m ece --bin-size 2
try softlab eval model.csv --labels labels.csv -m accuracy --clip 0.3 --per-class
try ls figures
# The labels scored against themselves: no error.
try softlab eval labels.csv --labels labels.csv --against other.csv -m accuracy --plots figures --quiet
try softlab eval model.csv other.csv --labels labels.csv --plots figures
try softlab eval --list
# Only the last two items, in reverse order.
printf '3\n2\n' > order.txt
sed -n -e 1p -e 5p model.csv | sed 's/^d/x/' > two.csv
sed -n 4p model.csv | sed 's/^c/y/' >> two.csv
try softlab eval two.csv --labels labels.csv --order order.txt -m accuracy,l1
head -3 model.csv > part.csv
try softlab eval part.csv --labels labels.csv --subset -m accuracy
# True classes of a data set, matched by name: triangle and circle have swapped columns.
printf 'item,triangle,square,circle\n' > shapes.csv
for i in 1 2 3 4 5 6; do printf 'shapes-00000%s,0.25,0.5,0.25\n' $i >> shapes.csv; done
try softlab eval shapes.csv --labels shapes.csv --hard shapes:n=6,classes=3 -m accuracy_hard --per-class
# An ensemble is written as labels and scored as predictions.
try softlab labels model.csv other.csv --method ensemble -o ensemble.npz
try softlab eval ensemble.npz --labels labels.csv -m cross_entropy
# Ties: of equal probabilities the later class is the first choice, in eval and in compare.
printf 'item,cat,dog,ship\na,0.5,0.5,0\nb,0.5,0.5,0\nc,0,0.5,0.5\n' > tied.csv
printf 'item,cat,dog,ship\na,0,1,0\nb,1,0,0\nc,0,0.5,0.5\n' > clear.csv
try softlab eval tied.csv --labels clear.csv -m accuracy --quiet
try sh -c 'softlab compare tied.csv clear.csv --top 0 | grep agreement'
# The accuracy of aggregated labels, scored against true classes only.
printf 'item,worker,label\na,ann,cat\na,bob,dog\na,eve,cat\nb,ann,dog\nb,bob,dog\nc,eve,ship\nc,bob,cat\nc,ann,ship\n' > votes.csv
printf 'item,class\nc,ship\na,cat\nb,cat\n' > gold.csv
try softlab labels votes.csv --method mv -o votes.npz --quiet
try softlab eval votes.npz --hard gold.csv -m accuracy,accuracy_hard --per-class
try softlab eval votes.npz --hard gold.csv -m accuracy --bootstrap 20 --json
head -3 gold.csv > fewer.csv
printf 'z,cat\n' | cat gold.csv - > wider.csv
try softlab eval votes.npz --hard fewer.csv -m accuracy
try softlab eval votes.npz --hard wider.csv -m accuracy
try softlab eval votes.npz --hard fewer.csv -m accuracy --subset
try softlab eval votes.npz --hard wider.csv -m accuracy --subset
# Items that are called by numbers in another order are items, not rows.
printf 'item,cat,dog\n2,0.75,0.25\n1,0.75,0.25\n0,0.25,0.75\n' > numbered.csv
printf 'item,class\n2,cat\n1,cat\n0,dog\n' > numbers.csv
try softlab eval numbered.csv --hard numbers.csv -m accuracy,accuracy_hard
printf 'item,class\na,bird\n' > bird.csv
try softlab eval votes.npz --hard bird.csv
printf 'item,class\nx,cat\n' > elsewhere.csv
try softlab eval votes.npz --hard elsewhere.csv
# Options without effect are refused.
try softlab eval model.csv --labels labels.csv --data shapes
try softlab eval model.csv --labels labels.csv --seed 3
try softlab eval model.csv --labels labels.csv --each
try softlab eval --list model.csv
# Wrong options and bad files.
try softlab eval
try softlab eval model.csv
try softlab eval ensemble.npz
try softlab eval nothing.csv --labels labels.csv
try softlab eval model.csv --labels nothing.csv
try softlab eval model.csv --labels labels.csv --metrics acuracy
try softlab eval model.csv --labels labels.csv --metrics nll
try softlab eval model.csv --labels labels.csv --clip 2
try softlab eval model.csv other.csv --labels labels.csv --against turned.csv
try softlab eval part.csv --labels labels.csv
try softlab eval model.csv --labels part.csv
try softlab labels part.csv --method ensemble -o part.npy --quiet
try softlab eval part.npy --labels labels.csv
try softlab eval two.csv --labels labels.csv --order classes.npy
try softlab eval model.csv --labels labels.csv --bin-size 5 -m rms_calibration,rms_calibration_corrected
try softlab eval model.csv --labels labels.csv --bin-size 3 -m rms_calibration,rms_calibration_corrected
sed 's/dog/cow/' model.csv > strange.csv
try softlab eval strange.csv --labels labels.csv
cut -d, -f1-3 model.csv > narrow.csv
try softlab eval narrow.csv --labels labels.csv
sed 's/0.625/0.6/' model.csv > short.csv
try softlab eval short.csv --labels labels.csv
try softlab eval model.csv --labels short.csv
sed 's/0.625/nan/' model.csv > nan.csv
try softlab eval nan.csv --labels labels.csv
sed 's/^d/a/' model.csv > twice.csv
try softlab eval twice.csv --labels labels.csv
: > empty.csv
try softlab eval empty.csv --labels labels.csv
head -1 model.csv > header.csv
try softlab eval header.csv --labels labels.csv
sed 's/^d.*/d,1,0,0/' model.csv > sure.csv
try softlab eval sure.csv --labels labels.csv -m cross_entropy,cross_entropy_unclipped
sed 's/^c.*/c,0,0,0/' counts.csv > nobody.csv
try softlab eval model.csv --labels nobody.csv
printf 'item,truth\na,cat\n' > some.csv
try softlab eval model.csv --labels labels.csv --hard some.csv
try softlab eval model.csv --labels labels.csv --hard cifar99
printf 'item,truth\na,cat\nb,cat\nc,ship\nd,dog\na,dog\n' > torn.csv
try softlab eval model.csv --labels labels.csv --hard torn.csv
printf 'cat\ncat\nship\ndog\n' > lines.txt
try softlab eval model.csv --labels labels.csv --hard lines.txt -m accuracy_hard
head -n 3 lines.txt > three.txt
try softlab eval model.csv --labels labels.csv --hard three.txt
# compare, like eval, matches a file without item names by order if it has as many rows.
try softlab labels labels.csv --method ensemble -o nameless.npy --quiet
try sh -c 'softlab compare model.csv labels.csv --top 0 >named.out; softlab compare model.csv nameless.npy --top 0 | sed s/nameless.npy/labels.csv/ | diff named.out -'
sed 's/^a/1/;s/^b/2/;s/^c/3/;s/^d/4/' model.csv > counted.csv
try sh -c 'softlab compare counted.csv nameless.npy --top 0 | sed "s/nameless.npy/labels.csv/;s/counted/model/" | diff named.out -'
try softlab compare model.csv part.npy
try softlab compare part.npy nameless.npy
