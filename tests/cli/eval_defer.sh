# Eight items, a classifier that is wrong where it is unsure, and people's answers.
cat > model.csv <<'ROWS'
item,cat,dog,ship
a,0.875,0.0625,0.0625
b,0.5,0.375,0.125
c,0.125,0.125,0.75
d,0.375,0.5,0.125
e,0.4375,0.375,0.1875
f,0.0625,0.9375,0
g,0.25,0.3125,0.4375
h,0.125,0.8125,0.0625
ROWS
cat > counts.csv <<'ROWS'
item,cat,dog,ship
a,5,0,0
b,1,4,0
c,0,0,5
d,4,1,0
e,2,3,0
f,0,5,0
g,1,2,2
h,3,2,0
ROWS
printf 'item,truth\na,cat\nb,dog\nc,ship\nd,cat\ne,dog\nf,dog\ng,dog\nh,dog\n' > truth.csv
try softlab eval model.csv --labels counts.csv --hard truth.csv -m accuracy_hard --defer 1,3,5 --plots figures
try ls figures
try softlab eval model.csv --labels counts.csv --hard truth.csv -m accuracy_hard --defer 3 --defer-by entropy --seconds-per-answer 2.5 --bootstrap 50
# The same answers one by one, in another order, with their times; two items have too few.
awk -F, 'NR == 1 { split($0, class, ","); print "item,worker,label,ms" }
    NR > 1 { w = 0; for (k = 2; k <= 4; k++) for (i = 0; i < $k && w < ($1 ~ /[ah]/ ? 2 : 5); i++)
        rows = $1 ",w" ++w "," class[k] "," 1000 * k "\n" rows }
    END { printf "%s", rows }' counts.csv > answers.csv
try head -4 answers.csv
try softlab eval model.csv --hard truth.csv -m accuracy --defer 3 --answers answers.csv
try softlab eval model.csv --labels counts.csv --hard truth.csv -m accuracy_hard --defer 3 --answers answers.csv --seconds-per-answer 1 --quiet
# A person who answered every item three times is one person.
awk -F, -v OFS=, 'NR == 1 { print "item,worker,label" } NR > 1 { for (i = 0; i < 3; i++) print $1, "same", "c" }' truth.csv | sed "s/,c$/,$(sed -n 2p truth.csv | cut -d , -f 2)/" > again.csv
try softlab eval model.csv --hard truth.csv -m accuracy_hard --defer 3 --answers again.csv --quiet
try sh -c 'softlab eval model.csv --labels counts.csv --hard truth.csv -m accuracy_hard --defer 5 --json | head -40'
try sh -c 'for n in 1 3; do softlab eval model.csv --labels counts.csv --hard truth.csv --defer 3 --threads $n --quiet --json >with-$n.json; done; cmp with-1.json with-3.json && echo the same; rm with-1.json with-3.json'
# Without true classes people would be judged by their own answers.
try softlab eval model.csv --labels counts.csv --defer 3
try softlab eval model.csv --labels counts.csv --hard counts.csv --defer 3
# Labels that are not answers.
printf 'item,cat,dog,ship\n' > shares.csv
for i in a b c d e f g h; do printf '%s,0.5,0.25,0.25\n' $i >> shares.csv; done
try softlab eval model.csv --labels shares.csv --hard truth.csv --defer 3
try softlab eval model.csv --hard truth.csv --defer 3
# Answers to other items, of other classes, without times of all, and none at all.
sed 's/^\([a-h]\),/x\1,/' answers.csv > strangers.csv
try softlab eval model.csv --hard truth.csv --defer 3 --answers strangers.csv
sed 's/ship/boat/' answers.csv > boats.csv
try softlab eval model.csv --hard truth.csv --defer 3 --answers boats.csv
sed '2s/,[0-9]*$/,/' answers.csv > untimed.csv
sed '2s/^[a-h],/z,/' answers.csv > more.csv
try softlab eval model.csv --hard truth.csv -m accuracy --defer 1 --answers untimed.csv --bootstrap 20
try softlab eval model.csv --hard truth.csv -m accuracy --defer 1 --answers more.csv --bootstrap 20
try softlab eval model.csv --hard truth.csv --defer 3 --answers nothing.csv
# Numbers of people.
try softlab eval model.csv --labels counts.csv --hard truth.csv --defer 0
try softlab eval model.csv --labels counts.csv --hard truth.csv --defer 1.5
try softlab eval model.csv --labels counts.csv --hard truth.csv --defer 3,1,3
try softlab eval model.csv --labels counts.csv --hard truth.csv --defer 1,2,3,4,5,6,7
try softlab eval model.csv --labels counts.csv --hard truth.csv --defer 6
try softlab eval model.csv --labels counts.csv --hard truth.csv --defer 100
# Predictions that are no numbers, true classes that are not all there.
sed 's/0.875/nan/' model.csv > nan.csv
try softlab eval nan.csv --labels counts.csv --hard truth.csv --defer 3
sed '/^c/d' truth.csv > fewer.csv
try softlab eval model.csv --labels counts.csv --hard fewer.csv --defer 3
# Options without effect are refused.
try softlab eval model.csv --labels counts.csv --answers answers.csv
try softlab eval model.csv --labels counts.csv --defer-by margin
try softlab eval model.csv --labels counts.csv --seconds-per-answer 3
try softlab eval model.csv model.csv --labels counts.csv --hard truth.csv --defer 3
try softlab eval model.csv --labels counts.csv --hard truth.csv --defer 3 --defer-by certainty
