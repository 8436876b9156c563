#!/bin/sh
# Trains a network on hard labels and one on soft labels, and compares them with bootstrap intervals.
# train_and_compare.sh [FOLDER]: FOLDER keeps the files; without it they are temporary.
set -eu
case ${SOFTLAB:=softlab} in */*) SOFTLAB=$(realpath "$SOFTLAB") ;; esac
folder=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder" && cd "$folder" || exit

# Drawn shapes that lie between two classes. Their true distributions stand for what many people say.
items=shapes:n=300,size=12,classes=3,ambiguous=1,seed=1
unseen=shapes:n=200,size=12,classes=3,ambiguous=1,seed=2
"$SOFTLAB" dataset "$items" --truth soft.npz >items.txt
"$SOFTLAB" dataset "$unseen" --truth people.npz >unseen.txt

train() { # FOLDER OPTIONS...
    run=$1
    shift
    "$SOFTLAB" train --data "$items" --network resnet8 --recipe quick --epochs 6 \
        --set batch=16,crop=0 --quiet -o "$run" "$@"
    "$SOFTLAB" predict "$run" --data "$unseen" --quiet -o "$run.npz"
}
train hard
train soft --labels soft.npz

# Each with its interval, then the difference, which is narrower: both networks saw the same items.
for run in hard soft; do
    echo
    "$SOFTLAB" eval "$run.npz" --labels people.npz -m accuracy,cross_entropy --bootstrap 1000
done
echo
"$SOFTLAB" eval soft.npz --against hard.npz --labels people.npz -m accuracy,cross_entropy
