# Classes by name: ties, columns in another order, names that are missing or differ.

# Of equal probabilities the last class by name is the first choice, whichever file comes first and in
# whatever order its columns stand.
printf 'item,ship,cat,dog\na,0,0.5,0.5\nb,0,0.5,0.5\nc,0.5,0,0.5\nd,0.2,0.4,0.4\n' > tied.csv
printf 'item,dog,cat,ship\na,1,0,0\nb,1,0,0\nc,0.5,0,0.5\nd,0.4,0.4,0.2\n' > clear.csv
printf 'item,truth\na,dog\nb,dog\nc,ship\nd,dog\n' > truth.csv
try sh -c 'softlab compare tied.csv clear.csv --top 0 | grep agreement'
try sh -c 'softlab compare clear.csv tied.csv --top 0 | grep agreement'
try softlab eval tied.csv --labels clear.csv -m accuracy --quiet
try softlab eval clear.csv --labels tied.csv -m accuracy --quiet
try softlab eval tied.csv --hard truth.csv -m accuracy --quiet
try softlab eval tied.csv --hard clear.csv -m accuracy --quiet
