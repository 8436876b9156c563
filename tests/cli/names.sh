# Classes by name: ties, columns in another order, names that are missing or differ.

# Of equally probable classes the last by name is the first choice, whatever the order of files and
# columns.
printf 'item,ship,cat,dog\na,0,0.5,0.5\nb,0,0.5,0.5\nc,0.5,0,0.5\nd,0.2,0.4,0.4\n' > tied.csv
printf 'item,dog,cat,ship\na,1,0,0\nb,1,0,0\nc,0.5,0,0.5\nd,0.4,0.4,0.2\n' > clear.csv
printf 'item,truth\na,dog\nb,dog\nc,ship\nd,dog\n' > truth.csv
try sh -c 'softlab compare tied.csv clear.csv --top 0 | grep agreement'
try sh -c 'softlab compare clear.csv tied.csv --top 0 | grep agreement'
try softlab eval tied.csv --labels clear.csv -m accuracy --quiet
try softlab eval clear.csv --labels tied.csv -m accuracy --quiet
try softlab eval tied.csv --hard truth.csv -m accuracy --quiet
try softlab eval tied.csv --hard clear.csv -m accuracy --quiet

# A file without class names is matched by order with the other file, and the log says so.
softlab labels clear.csv --method ensemble -o plain.npy --quiet
softlab labels tied.csv --method ensemble -o bare.npy --quiet
try sh -c 'softlab compare plain.npy tied.csv --top 0 | grep items'
try sh -c 'softlab compare tied.csv plain.npy --top 0 | grep items'
try sh -c 'softlab compare bare.npy plain.npy --top 0 | grep items'
try softlab eval plain.npy --labels tied.csv -m cross_entropy --subset
try softlab eval bare.npy tied.csv --labels plain.npy -m cross_entropy
printf 'item,worker,label\n0,ann,cat\n0,bob,cat\n1,ann,ship\n1,bob,dog\n2,ann,dog\n2,bob,dog\n3,ann,cat\n3,bob,dog\n' > votes.csv
printf '0\n1\n2\n1\n' > numbers.txt
try softlab eval plain.npy --hard numbers.txt -m accuracy
try softlab labels votes.csv --method crowdlab --predictions plain.npy -o out.csv
try softlab labels votes.csv --method ds --gold plain.npy -o out.csv --quiet
try softlab labels tied.csv plain.npy --method ensemble -o out.csv
try softlab labels plain.npy bare.npy --method ensemble -o out.csv

# An ensemble matches classes by name, ignoring case, and refuses a class that one of its files lacks.
printf 'item,Cat,Dog,Ship\na,0.5,0.5,0\nb,0.5,0.5,0\nc,0,0.5,0.5\nd,0.4,0.4,0.2\n' > sorted.csv
try softlab labels tied.csv sorted.csv clear.csv --method ensemble -o - --quiet
printf 'item,cat,dog,bird\na,0.5,0.5,0\nb,0.5,0.5,0\nc,0,0.5,0.5\nd,0.4,0.4,0.2\n' > bird.csv
printf 'item,cat,dog\na,0.5,0.5\nb,0.5,0.5\nc,0,1\nd,0.5,0.5\n' > two.csv
printf 'item,cat\na,1\nb,1\nc,1\nd,1\n' > one.csv
try softlab labels tied.csv bird.csv --method ensemble -o none.csv
try softlab labels tied.csv two.csv --method ensemble -o none.csv
try softlab labels two.csv tied.csv --method ensemble -o none.csv
try softlab labels tied.csv one.csv --method ensemble -o none.csv
try softlab eval two.csv --labels tied.csv
try softlab compare bird.csv tied.csv
try softlab labels votes.csv --method crowdlab --predictions bird.csv -o none.csv
try sh -c 'ls none.csv 2>/dev/null || echo nothing was written'

# Training matches labels, extra items and weights by name, and names the classes that do not match.
tiny='--network resnet:n=1,width=4 --recipe quick --set epochs=1,batch=4 --quiet'
shapes=shapes:n=6,size=8,classes=3
printf 'item,square,circle,triangle\n' > soft.csv
printf 'item,square,circle\n' > lacking.csv
for i in 1 2 3 4 5 6; do
    echo "shapes-00000$i,0.5,0.25,0.25" >> soft.csv
    echo "shapes-00000$i,0.5,0.5" >> lacking.csv
done
softlab labels soft.csv --method ensemble -o soft.npy --quiet
try softlab train --data $shapes --network resnet:n=1,width=4 --recipe quick --set epochs=1,batch=4 --labels soft.npy --log-level warning -o unnamed
try softlab train --data $shapes $tiny --labels lacking.csv -o no
try softlab train --data $shapes $tiny --labels two.csv -o no
try softlab train --data $shapes $tiny -o base
try softlab train --data shapes:n=6,size=8,classes=2 --network resnet:n=1,width=4 --recipe quick --set epochs=1,batch=4 --weights base --log-level warning -o fewer
try softlab train --data shapes:n=8,size=8,classes=4 $tiny --weights base -o no
# --extra may have its classes in any order; a class that the data lack is refused.
softlab dataset mix $shapes --lambdas 1 --pairs 1 --quiet -o mixed > mix.txt
mkdir -p more/triangle more/circle odd/star
set -- mixed/*.png
cp "$1" more/triangle/a.png
cp "$2" more/circle/b.png
cp "$1" odd/star/c.png
try softlab train --data $shapes $tiny --extra more -o with-more
try sh -c 'grep -o "\"items\":[ 0-9]*" with-more/run.json'
printf 'item,triangle,circle,square\na,1,0,0\n' > flat.csv
mkdir flat
cp "$1" flat/a.png
try softlab train --data $shapes $tiny --extra flat --extra-labels flat.csv -o with-flat
try softlab train --data $shapes $tiny --extra odd -o no
try sh -c 'ls -d no 2>/dev/null || echo nothing was written'

# True classes: headings in capitals and blanks around class names are accepted.
printf 'Item,Truth\na,Dog\nb, dog\nc,SHIP \nd,dog\n' > loud.csv
try softlab eval tied.csv --hard loud.csv -m accuracy --quiet
printf 'dog \nDog\nship\ndog\n' > loud.txt
try softlab eval tied.csv --hard loud.txt -m accuracy --quiet
printf 'Item,ship,cat , dog\na,0,0.5,0.5\nb,0,0.5,0.5\nc,0.5,0,0.5\nd,0.2,0.4,0.4\n' > blanks.csv
try softlab labels blanks.csv --method ensemble -o - --quiet
printf 'item,cat,cat ,dog\na,0,0.5,0.5\n' > same.csv
try softlab eval same.csv --labels same.csv
printf 'item,truth\na,bird\n' > bad.csv
try softlab eval tied.csv --hard bad.csv
printf 'Item,ITEM,truth\na,b,dog\n' > bad.csv
try softlab labels votes.csv --method hard --truth bad.csv -o -

# "cat" and "cat " are one class in every table of answers.
printf 'item,worker,label,truth\n1,ann,cat,cat \n1,bob,cat , cat\n2,ann,\tdog,dog\n2,bob,  ,\n' > spaced.csv
try softlab labels spaced.csv --method mv -o - --quiet
try softlab import --from long-csv spaced.csv -o - --quiet
printf 'item,worker,label,p\n1,ann,cat,0.5\n1,ann,dog ,0.5\n1,bob, cat,0.25\n1,bob,dog,0.75\n' > long.csv
try softlab import --from probs-long long.csv -o - --quiet
printf 'item,worker,p_cat ,p_ dog\n1,ann,0.5,0.5\n' > wide.csv
try softlab import --from probs-wide wide.csv -o - --quiet
printf 'id,ann,bob\nx,cat,cat \ny, dog,dog\nz,cat,dog\n' > matrix.csv
try softlab import --from wide --header yes --id-column 1 matrix.csv -o - --quiet

# Two true classes for one item and impossible times are refused.
printf 'item,worker,label,truth\n1,ann,cat,cat\n2,ann,dog,dog\n1,bob,dog,dog\n' > torn.csv
try softlab import --from long-csv torn.csv -o torn.jsonl
printf 'item,worker,p_cat,p_dog,truth\n1,ann,0.5,0.5,cat\n1,bob,0.5,0.5,dog\n' > torn.csv
try softlab import --from probs-wide torn.csv -o torn.jsonl
printf 'item,worker,label,p,truth\n1,ann,cat,0.5,cat\n1,ann,dog,0.5,dog\n' > torn.csv
try softlab import --from probs-long torn.csv -o torn.jsonl
printf 'item,worker,label,p,truth\n1,ann,cat,1,cat\n1,bob,dog,1,dog\n' > torn.csv
try softlab import --from probs-long torn.csv -o torn.jsonl
for ms in 1e300 -1 nan inf; do
    printf 'item,worker,label,ms\n1,ann,cat,100\n1,bob,dog,%s\n' $ms > late.csv
    try softlab import --from long-csv late.csv -o torn.jsonl
    printf '{"softlab":"answers","version":1,"classes":["cat","dog"]}\n{"item":"1","kind":"hard","class":"cat","ms":%s}\n' $ms > late.jsonl
    try softlab quality late.jsonl
done
try sh -c 'ls torn.jsonl 2>/dev/null || echo nothing was written'
