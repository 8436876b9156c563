# Aggregators with options and estimates that other programs have.
printf 'item,worker,label\nx,ann,cat\nx,bob,cat\nx,eve,dog\ny,ann,dog\ny,bob,dog\ny,eve,cat\nz,ann,cat\nz,eve,dog\n' > votes.csv
printf 'item,label\nx,cat\n' > gold.csv
# Four digits: the last ones may differ between processors.
show() {
    printf '$ cat %s\n' "$1"
    awk -F, -v OFS=, 'NR > 1 { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9.e-]+$/) $i = sprintf("%.4g", $i) } 1' "$1"
}
# Shares of the votes, with the given weights, and votes weighted by what is known about annotators.
try softlab labels votes.csv --method mv-shares --tie first --annotators-out who.csv -o x.csv --quiet
show x.csv
show who.csv
printf 'annotator,weight\nann,1\nbob,.5\neve,2\n' > weights.csv
try softlab labels votes.csv --method mv-shares --weights weights.csv -o x.csv --quiet
show x.csv
try softlab labels votes.csv --method gold-mv -o x.csv
try softlab labels votes.csv --method gold-mv --gold gold.csv --annotators-out who.csv -o x.csv --quiet
show x.csv
show who.csv
printf 'item,label\nw,cat\n' > elsewhere.csv
try softlab labels votes.csv --method gold-mv --gold elsewhere.csv -o x.csv --quiet
try softlab labels votes.csv --method zbs --rate .5 --rate-period 2 --iterations 3 --annotators-out who.csv -o x.csv
show who.csv
try softlab labels votes.csv --method zbs --tolerance 1 -o x.csv
# M-MSR: eve always says the opposite.
try softlab labels votes.csv --method mmsr --annotators-out who.csv -o x.csv
show x.csv
show who.csv
# Dawid-Skene from given matrices.
try softlab labels votes.csv --method ds --smoothing 0 --diagonal 0 --stop per-answer --tolerance 1e-5 --state state.npz -o x.csv
try softlab labels votes.csv --method ds --iterations 1 --start given --start-from state.npz -o x.csv
show x.csv
try softlab labels votes.csv --method ds --iterations 1 --start added --start-from state.npz --start-weight 2 -o x.csv --quiet
show x.csv
try softlab labels votes.csv --method ds --start given -o x.csv
try softlab labels votes.csv --method ds --start diagonal --start-from state.npz -o x.csv
try softlab labels votes.csv --method ds --start given --start-from state.npz --start-weight 3 -o x.csv
try softlab labels votes.csv --method ds-onecoin --start given --start-from state.npz -o x.csv
# GLAD: abilities of annotators and easiness of items, with priors.
printf 'worker,ability\nann,2\nbob,1\neve,-1\n' > ability.csv
printf 'item,easiness\nx,1\ny,1\nz,0\n' > easiness.csv
printf 'class,p\ncat,.25\ndog,.75\n' > classes.csv
try softlab labels votes.csv --method glad --ability-prior ability.csv --easiness-prior easiness.csv --class-prior classes.csv --m-steps 25 --m-accuracy .01 --annotators-out who.csv -o x.csv --quiet
show x.csv
show who.csv
printf 'class,p\ncat,.25\n' > classes.csv
try softlab labels votes.csv --method glad --class-prior classes.csv -o x.csv
try softlab labels votes.csv --method ds --class-prior classes.csv -o x.csv
# MACE: what annotators say who spam.
try softlab labels votes.csv --method mace --restarts 2 --noise .1 --spam-prior 2 --know-prior 3 --annotators-out who.csv -o x.csv --quiet
try sh -c "cut -d , -f 1-5 who.csv | sed 's/\(\.[0-9]\{4\}\)[0-9]*/\1/g'"
try softlab labels votes.csv --method mace --em --spam-prior 2 -o x.csv
try softlab labels votes.csv --method mace --spam-prior 0 -o x.csv
