# Corrupted images in the layout of CIFAR-10-C: existing files are kept, and files are read by name.
# Checksums of images are masked because they depend on the last bit of libm.
try softlab dataset corrupt --list
try sh -c 'softlab dataset corrupt --list --json | grep -c benchmark'
try softlab dataset corrupt shapes:n=10,size=16,seed=3 --only fog,brightness,frost -o data/cifar10-c --quiet
try ls data/cifar10-c
try sed -E 's/[0-9a-f]{64}/SUM/g' data/cifar10-c/corruptions.json
try softlab dataset corrupt shapes:n=10,size=16,seed=3 --only fog,snow -o data/cifar10-c --quiet
try softlab dataset cifar10-c:fog-3 --data-folder data
try softlab dataset cifar10-c:motion_blur --data-folder data
try softlab dataset corrupt shapes:n=10,size=16,seed=3 --only fog -o data/cifar10-c --seed 2
try sh -c "softlab dataset corrupt shapes:n=10,size=16,seed=4 --only fog -o data/cifar10-c 2>&1 |
    sed -E 's/[0-9a-f]{64}/SUM/g'"
try softlab dataset corrupt shapes:n=10,size=16 --severity 2,4 --only contrast -o some/cifar10-c
try sh -c 'softlab dataset cifar10-c:contrast --data-folder some | head -1'
try softlab dataset cifar10-c:contrast-3 --data-folder some
try sh -c 'for n in 1 3; do softlab dataset corrupt shapes:n=20,size=16 --severity 3 --threads $n --quiet -o with-$n >/dev/null; done; diff -r with-1 with-3 && echo the same; rm -r with-1 with-3'
try softlab dataset corrupt shapes --only fogg -o out
try softlab dataset corrupt shapes --only thunderstorms -o out
try softlab dataset corrupt shapes --severity 6 -o out
try softlab dataset corrupt shapes --severity 1.5 -o out
try softlab dataset corrupt shapes
try softlab dataset corrupt -o out
printf 'item\ttext\tlabel\na\tone apple\tfruit\n' > items.tsv
try softlab dataset corrupt items.tsv -o out
printf 'file' > taken
try softlab dataset corrupt shapes:n=2 --only fog -o taken
try ls
