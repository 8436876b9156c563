# Answers in files of other programs: CSV of labels and of probabilities, matrices, gzip.
show() {
    printf '$ cat %s\n' "$1"
    awk -F, -v OFS=, 'NR > 1 { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9.e-]+$/) $i = sprintf("%.5g", $i) } 1' "$1"
}
printf '\357\273\277item,worker,label,ms,truth,confidence,browser\r\na,ann,cat,1200,cat,0.9,x\r\na,bob,dog,900,cat,,x\r\na,eve,cat,800,cat,1,x\r\nb,ann,skip,700,dog,0.2,x\r\nb,bob,dog,800,dog,1,x\r\nc,ann,skip,10,dog,,x\r\n' > votes.csv
try softlab import --from long-csv votes.csv -o answers.jsonl
try cat answers.jsonl
try softlab import --from long-csv votes.csv --columns item,worker,label -o short.jsonl
# Every method reads the same file, packed or not.
gzip -c votes.csv > votes.csv.gz
for method in mv share hard ds ds-soft pool-linear; do
    try softlab labels votes.csv.gz --method $method --abstain skip -o labels.csv
    show labels.csv
done
try softlab labels votes.csv --method mv --abstain skip --leave-out dog -o labels.csv
show labels.csv
try softlab labels votes.csv --method mv --abstain skpi -o x.csv
try softlab labels votes.csv --method mv --columns label=verdict -o x.csv
try softlab labels answers.jsonl --method mv --columns label=verdict -o x.csv
try softlab labels votes.csv --method ensemble --abstain skip -o x.csv
# An unused confidence is reported once, for every kind of file.
printf 'item,worker,label,p,confidence\na,ann,cat,1,.5\na,bob,dog,1,\n' > sure.csv
for method in mv ds share pool-linear; do
    try softlab labels sure.csv --method $method -o x.csv
    try softlab labels answers.jsonl --method $method -o x.csv
done
# Weights of annotators: estimated by a method, and given by the user.
for method in ds wawa pool-log glad; do
    try softlab labels votes.csv --method $method --abstain skip --columns item,worker,label --annotators-out skills.csv -o labels.csv
    show skills.csv
done
try softlab labels votes.csv --method mv --annotators-out x.csv -o x.csv
try softlab labels votes.csv --method share --annotators-out x.csv -o x.csv
try softlab labels votes.csv --method ds --annotators-out x.npz -o x.csv
printf 'annotator,weight\nann,1\nbob,4\neve,0\nnobody,7\n' > weights.csv
for method in mv share pool-linear; do
    try softlab labels votes.csv --method $method --abstain skip --columns item,worker,label --weights weights.csv -o labels.csv
    show labels.csv
done
printf 'annotator,weight\nann,1\n' > some.csv
try softlab labels votes.csv --method mv --weights some.csv -o x.csv
try softlab labels votes.csv --method ds --weights weights.csv -o x.csv
try softlab labels votes.csv --method share --weights votes.csv -o x.csv
# Options without effect are refused.
try softlab labels votes.csv --method share --per-annotator --weights weights.csv -o x.csv
try softlab labels votes.csv --method pool-linear --weights weights.csv --iterations 5 -o x.csv
try softlab labels votes.csv --method ds-soft --vectors glove.txt -o x.csv
try softlab labels votes.csv --method ds-soft --columns item,worker,label --gamma .2 -o x.csv
try softlab import --from answers answers.jsonl --abstain skip --classes dog,cat -o x.slb
# Streams.
try sh -c 'softlab labels - --method mv --abstain skip --columns item,worker,label -o - <votes.csv.gz'
try sh -c 'softlab labels votes.csv --method mv --abstain skip --columns item,worker,label --weights - -o x.csv <weights.csv'
try sh -c 'softlab labels votes.csv --method glad --abstain skip --columns item,worker,label --annotators-out - -o x.csv | cut -d, -f1,2'
try softlab quality votes.csv --abstain skip --columns item,worker,label --annotators
# Probabilities, a line per class and a column per class.
printf 'item,worker,class,p\na,ann,cat,.67\na,bob,cat,1\nb,ann,dog,.5\na,ann,dog,.32\nb,ann,cat,.5\nb,bob,dog,1\n' > long.csv
printf 'item,worker,p_cat,p_dog\na,ann,.67,.32\na,bob,1,0\nb,ann,.5,.5\nb,bob,0,1\n' > wide.csv
for file in long wide; do
    try softlab labels $file.csv --method ds-soft -o $file-labels.csv
    try softlab labels $file.csv --method mv -o votes-of-$file.csv
    try softlab import --from probs-$file $file.csv -o $file.jsonl
done
try cmp long-labels.csv wide-labels.csv
try cmp long.jsonl wide.jsonl
try softlab import --from long-csv long.csv -o x.jsonl
try softlab labels long.csv --method share --columns item,worker,class -o named-labels.csv
try softlab labels long.csv --method share -o share-labels.csv
try cmp named-labels.csv share-labels.csv
try softlab labels long.csv --method share --columns item,item,class -o x.csv
try softlab labels long.csv --method share --columns item,who,class -o x.csv
printf 'item,who,label\na,ann,cat\n' > who.csv
try softlab labels who.csv --method share -o x.csv
printf 'item,worker,p_cat,p_dog\na,ann,.67,.32\na,bob,.8,.1\n' > off.csv
try softlab labels off.csv --method ds-soft -o x.csv
printf 'item,cat,dog\na,.67,.32\nb,0,1\n' > rounded.csv
try sh -c 'softlab compare rounded.csv long-labels.csv --top 0 | head -1'
printf 'item,cat,dog\na,.67,.32\nb,0,.7\n' > off-labels.csv
try softlab compare off-labels.csv long-labels.csv
# Matrices with names.
printf 'id,ann,bob,truth\nx1,cat,dog,cat\nx2,cat,,cat\nx3,dog,dog,dog\n' > matrix.csv
try softlab import --from wide matrix.csv -o matrix.jsonl
try cat matrix.jsonl
printf ',0,1,2\n0,1,0,1\n1,1,0,0\n2,0,0,1\n' > counted.csv
try softlab import --from wide counted.csv -o x.jsonl
try softlab import --from wide counted.csv --header yes -o x.jsonl
try softlab import --from wide counted.csv --header no --id-column none -o x.jsonl
# Names that repeat, are blank or look like answers are never taken for answers.
printf ',annotator,annotator\nimg1,cat,dog\nimg2,dog,dog\nimg3,cat,cat\n' > twice.csv
try softlab import --from wide twice.csv -o x.jsonl
try softlab import --from wide twice.csv --header yes -o x.jsonl
printf 'foo,ann1,,\nimg0,,,dog\nimg1,cat,,cat\nimg2,dog,dog,cat\n' > blank.csv
try softlab import --from wide blank.csv -o x.jsonl
try softlab import --from wide blank.csv --header yes -o x.jsonl
printf 'id,1\n1,dog\n2,cat\n3,cat\n' > one.csv
try softlab import --from wide one.csv -o x.jsonl
printf 'foo,ann0,ann1,ann2\nimg0,dog,cat,dog\nimg0,cat,dog,cat\nimg1,cat,cat,dog\n' > again.csv
try softlab import --from wide again.csv -o x.jsonl
try softlab import --from long-csv votes.csv --header yes -o x.jsonl
try softlab import --from answers answers.jsonl --columns a,b,c -o x.jsonl
# Files that are not valid CSV.
printf 'item;worker;label\na;ann;cat\n' > semicolons.csv
try softlab labels semicolons.csv --method mv -o x.csv
printf 'item\tworker\tlabel\na\tann\tcat\n' > tabs.csv
try softlab labels tabs.csv --method mv -o x.csv
# A text that a spreadsheet would run as a formula.
printf 'item,worker,label\n=1+1,@ann,-x\n=1+1,bob,-x\nb,bob,y\n' > formula.csv
try softlab labels formula.csv --method ds --annotators-out skills.csv -o labels.csv
try sh -c 'cut -d, -f1 labels.csv skills.csv; head -1 labels.csv'
try softlab eval labels.csv --labels labels.csv --metrics cross_entropy
# The true classes of a data set.
printf 'item,annotator,label\nshapes-000001,a,circle\nshapes-000002,a,circle\nshapes-000003,a,circle\nshapes-000004,a,square\n' > shapes.csv
try sh -c 'softlab quality shapes.csv --truth shapes:n=4,classes=2 | grep -i "truth\|accura"'
try softlab quality shapes.csv --truth shapes:n=4,classes=7
try softlab quality shapes.csv --truth cifar10:test
