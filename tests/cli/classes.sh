# Classes are matched by name. The network learns shapes, whose classes are circle, square, triangle and star; folders sort
# star before triangle.
pictures=shapes:n=120,size=12,classes=4,ambiguous=0,noise=0,seed=2
softlab dataset mix "$pictures" --lambdas 1,0 --pairs 3 --quiet -o mixed >/dev/null
mkdir sorted photos
for file in mixed/*.png; do
    name=$(basename "$file" .png)
    # mixed_<lambda>_<A>_<idA>_<B>_<idB>: the first of the pair alone, or the second.
    case $name in
    mixed_1*) shape=$(echo "$name" | cut -d_ -f3,4) ;;
    *) shape=$(echo "$name" | cut -d_ -f5,6) ;;
    esac
    class=$(echo "${shape%_*}" | tr '[:upper:]' '[:lower:]')
    mkdir -p "sorted/$class"
    cp "$file" "sorted/$class/${shape#*_}.png"
    cp "$file" "photos/${shape#*_}.png"
done
try ls sorted
try softlab train --data shapes:n=240,size=12,classes=4,ambiguous=0,noise=0 --network vgg:n=1-1,width=8 --set epochs=6,batch=16,rate=0.05 --quiet -o run
try sh -c 'grep -ao "\"class_names\":\"[^]]*\]\"" run/weights.safetensors'
# The same pictures with classes in the order of training and in the order of folders.
try softlab eval run --data "$pictures" --metrics accuracy --quiet
try softlab eval run --data sorted --metrics accuracy --attack fgsm --corruptions --quiet
try sh -c 'for n in 1 3; do softlab eval run --data sorted --attack pgd --corruptions --bootstrap 20 --threads $n --quiet --json >with-$n.json; done; cmp with-1.json with-3.json && echo the same; rm with-1.json with-3.json'
try sh -c 'softlab eval run --data sorted --metrics accuracy --quiet --json | tr -d " \n" | grep -o "\"classes\":\[[^]]*\]"'
try softlab predict run --data sorted --array probs -o sorted.csv --quiet
try sh -c 'head -n 1 sorted.csv; awk -F, "NR > 1 { split(\$1, name, \"/\"); top = 2; for (k = 3; k <= 5; k++) if (\$k > \$top) top = k; count[name[1], top]++ }
    END { for (pair in count) print pair, count[pair] }" sorted.csv | tr "\034" " " | sort'
# Pictures of two of the four classes, and pictures without classes.
cp -r sorted two
rm -r two/circle two/square
try softlab eval run --data two --metrics accuracy --quiet
try sh -c 'softlab predict run --data two --quiet -o two.csv; head -n 1 two.csv'
try sh -c 'softlab predict run --data photos --quiet -o photos.csv; head -n 1 photos.csv'
try softlab eval run --data photos --metrics accuracy --quiet
# A class that the network does not know.
cp -r sorted odd
mv odd/star odd/sun
try softlab predict run --data odd -o odd.npz --quiet
try softlab eval run --data odd --quiet
try sh -c 'ls odd.npz 2>/dev/null || echo nothing was written'
# Labels without class names are in the order of the items' folders: circle, square, star, triangle.
(cd sorted && for file in */*.png; do
    case $file in
    circle*) row='1, 0, 0, 0' ;;
    square*) row='0, 1, 0, 0' ;;
    star*) row='0, 0, 1, 0' ;;
    *) row='0, 0, 0, 1' ;;
    esac
    printf '"%s": [%s],\n' "${file%.png}" "$row"
done) | sed -e '1s/^/{/' -e '$s/,$/}/' >sorted.json
try softlab eval run --data sorted --labels sorted.json --metrics accuracy --quiet
# Labels with class names may be in any order, and may lack classes that no item has.
(echo item,triangle,star; cd two && for file in */*.png; do
    case $file in star*) echo "${file%.png},0,1" ;; *) echo "${file%.png},1,0" ;; esac
done) >two-labels.csv
try softlab eval run --data two --labels two-labels.csv --metrics accuracy --quiet
try softlab eval run --data sorted --labels two-labels.csv --metrics accuracy --quiet
sed 1s/star/sun/ two-labels.csv >odd-labels.csv
try softlab eval run --data two --labels odd-labels.csv --quiet
(echo item,star,triangle,square,circle; cd photos && for file in *.png; do
    case $(cd ../sorted && echo */"$file") in
    star*) row=1,0,0,0 ;; triangle*) row=0,1,0,0 ;; square*) row=0,0,1,0 ;; *) row=0,0,0,1 ;;
    esac
    echo "${file%.png},$row"
done) >photo-labels.csv
try softlab eval run --data photos --labels photo-labels.csv --metrics accuracy --quiet
# Training: from weights, with labels and a dev set in other orders.
frozen=epochs=1,batch=16,rate=1e-9
try softlab train --data sorted --weights run --network vgg:n=1-1,width=8 --set $frozen --quiet -o tuned
try softlab eval tuned --data sorted --metrics accuracy --quiet
try softlab train --data two --weights run/weights.safetensors --labels two-labels.csv --network vgg:n=1-1,width=8 --set $frozen --quiet -o tuned-two
try softlab eval tuned-two --data "$pictures" --metrics accuracy --quiet
try softlab train --data photos --labels photo-labels.csv --network vgg:n=1-1,width=8 --set $frozen --quiet -o by-labels
try sh -c 'grep -ao "\"class_names\":\"[^]]*\]\"" by-labels/weights.safetensors'
try softlab train --data odd --weights run --network vgg:n=1-1,width=8 --quiet -o no
try sh -c 'softlab train --data "$0" --weights run --network vgg:n=1-1,width=8 --set $1,select=best --dev sorted --quiet -o dev; grep -o "\"score\":[0-9.]*" dev/log.jsonl' "$pictures" $frozen
try sh -c 'softlab train --data "$0" --weights run --network vgg:n=1-1,width=8 --set $1,select=best --dev sorted --dev-labels sorted.json --quiet -o dev-labels; grep -o "\"score\":[0-9.]*" dev-labels/log.jsonl' "$pictures" $frozen
try softlab train --data "$pictures" --weights run --network vgg:n=1-1,width=8 --set $frozen,select=best --dev odd --quiet -o no
# Weights without class names, made by renaming their key. grep drops progress that a busy machine draws.
sed 's/"class_names"/"klass_names"/' run/weights.safetensors >old.safetensors
try sh -c 'softlab eval old.safetensors --data "$0" --metrics accuracy 2>&1 | grep -e warning -e accuracy' "$pictures"
try softlab eval old.safetensors --data two --metrics accuracy --quiet
try sh -c 'softlab predict old.safetensors --data photos -o old.csv 2>&1 | grep warning; head -n 1 old.csv'
try sh -c 'softlab train --data "$0" --weights old.safetensors --network vgg:n=1-1,width=8 --set $1 -o from-old 2>&1 | grep warning' "$pictures" $frozen
try softlab export old.safetensors -o old.onnx
try softlab export old.safetensors --class-names circle,square,triangle,star --quiet -o named.safetensors
try softlab eval named.safetensors --data sorted --metrics accuracy --quiet
try softlab export old.safetensors --class-names circle,square -o no.onnx
try softlab export old.safetensors --class-names circle,square,star,star -o no.onnx
# Networks in other forms, from a run's folder.
try softlab export run -o run.onnx
try sh -c 'grep -ao "\[\"circle\".*\"star\"\]" run.onnx'
try softlab export run -o again.safetensors --quiet
try cmp run/weights.safetensors again.safetensors
try softlab export run --network vgg:n=1-1,width=8 --input 3x12x12 --classes 4 --quiet -o network.safetensors
try cmp run/weights.safetensors network.safetensors
# Tags of words are classes too.
printf 'start\tend\ttext\tlabel\n0\t3\tthe cat sat\tDET\n4\t7\tthe cat sat\tNOUN\n8\t11\tthe cat sat\tVERB\n' >texts.tsv
printf 'start\tend\ttext\tlabel\n0\t3\tcat the\tNOUN\n4\t7\tcat sat\tVERB\n' >some.tsv
printf 'start\tend\ttext\tlabel\n0\t3\tcat the\tADV\n' >other.tsv
printf 'the 1 2\ncat 3 4\n' >words.txt
printf 'sat 1 1\n' >more.txt
try softlab train --data texts.tsv --network tagger:word-units=3,letter-units=3,hidden=4 --vectors words.txt --set epochs=1,batch=3 --quiet -o tagger
try sh -c 'softlab predict tagger --data some.tsv --vectors more.txt --quiet -o some.csv; head -n 1 some.csv'
try softlab predict tagger --data other.tsv --quiet -o no.csv
# Classes given by number are matched with columns by position, with a warning.
printf 'start\tend\ttext\tlabel\n0\t3\tcat the\t1\n4\t7\tcat sat\t2\n' >numbers.tsv
try sh -c 'softlab predict tagger --data numbers.tsv -o numbers.csv 2>&1 | grep warning; head -n 1 numbers.csv'
# Classes as numbers beside names of their own: an .npz with labels 2, 1, 0, 2 and classes ship, dog, cat.
base64 -d >truth.npz <<'NPZ'
UEsDBBQAAAAIAAAAIQC7mea3SAAAAIQAAAAKAAAAbGFiZWxzLm5weZvsF+obEMnIUMZQrZ6SWpxcpG6loF5Taqiuo6Cell9UUpSY
F59flJIKEndLzClOBYoXZyQWpAL5GiY6mjoKtQoUAC4mRgYmAFBLAwQUAAAACAAAACEAwP3SbWAAAACwAAAACwAAAGNsYXNzZXMu
bnB5m+wX6hsQychQxlCtnpJanFykbqWgbhNqoq6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkaxjqaOgq1ChQArmIGBoYM
IM4E4gIgTgHifCBOZ4CAZCBOBOISKB8AUEsBAhQDFAAAAAgAAAAhALuZ5rdIAAAAhAAAAAoAAAAAAAAAAAAAAIABAAAAAGxhYmVs
cy5ucHlQSwECFAMUAAAACAAAACEAwP3SbWAAAACwAAAACwAAAAAAAAAAAAAAgAFwAAAAY2xhc3Nlcy5ucHlQSwUGAAAAAAIAAgBx
AAAA+QAAAAAA
NPZ
# probs of a, b, c and d over cat, dog and ship, with their labels 0, 1, 2, 0.
base64 -d >own.npz <<'NPZ'
UEsDBBQAAAAIAAAAIQAWLuqsWwAAALAAAAAJAAAAcHJvYnMubnB5m+wX6hsQychQxlCtnpJanFykbqWgbpNmoq6joJ6WX1RSlJgX
n1+UkgoSd0vMKU4FihdnJBakAvkaJjoKxpo6CrUKZAOus2d87M+eOWOLwJh8Y2NjoJiPHYgPAFBLAwQUAAAACAAAACEA3XQf+FAA
AACQAAAACAAAAGl0ZW0ubnB5m+wX6hsQychQxlCtnpJanFykbqWgbhNqqK6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvka
JjqaOgq1ChQArkQGBoYkIE4G4hQgBgBQSwMEFAAAAAgAAAAhABY3PW1gAAAAsAAAAAsAAABjbGFzc2VzLm5weZvsF+obEMnIUMZQ
rZ6SWpxcpG6loG4TaqKuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GsY6mjoKtQoUAK5kBgaGRCAuYYCAFCDOB+J0KL8Y
iDOAOBOIC4AYAFBLAwQUAAAACAAAACEAnlLXwUgAAACEAAAACgAAAGxhYmVscy5ucHmb7BfqGxDJyFDGUK2eklqcXKRupaBeU2qo
rqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RomOpo6CrUKFAAuBkYmBgBQSwECFAMUAAAACAAAACEAFi7qrFsAAACwAAAA
CQAAAAAAAAAAAAAAgAEAAAAAcHJvYnMubnB5UEsBAhQDFAAAAAgAAAAhAN10H/hQAAAAkAAAAAgAAAAAAAAAAAAAAIABggAAAGl0
ZW0ubnB5UEsBAhQDFAAAAAgAAAAhABY3PW1gAAAAsAAAAAsAAAAAAAAAAAAAAIAB+AAAAGNsYXNzZXMubnB5UEsBAhQDFAAAAAgA
AAAhAJ5S18FIAAAAhAAAAAoAAAAAAAAAAAAAAIABgQEAAGxhYmVscy5ucHlQSwUGAAAAAAQABADeAAAA8QEAAAAA
NPZ
printf 'item,ship,dog,cat\na,0,0,1\nb,0,1,0\nc,1,0,0\nd,0,0,1\n' >people.csv
printf 'item,sun,dog,cat\na,0,0,1\nb,0,1,0\nc,1,0,0\nd,0,0,1\n' >suns.csv
try softlab eval own.npz --labels truth.npz --metrics accuracy
try softlab eval own.npz --labels people.csv --metrics accuracy_hard
printf 'item,cat,dog,ship\na,1,0,0\nb,0,1,0\nc,0,0,1\nd,1,0,0\n' >turned.csv
try softlab eval people.csv --labels turned.csv --hard truth.npz --metrics accuracy_hard
try softlab eval suns.csv --labels truth.npz --metrics accuracy
