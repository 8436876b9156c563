# Folders of photographs: parts, grey images among colour ones, broken files, other kinds of files, EXIF.
picture() { mkdir -p "$(dirname "$2")" && printf %s "$1" | base64 -d >"$2"; }
red=iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAEUlEQVR4nGM4ISeHFTEMpAQAaYgwwWSFouIAAAAASUVORK5CYII=
blue=iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAEUlEQVR4nGOQkzuBFTEMpAQAKcgwwdSt6V4AAAAASUVORK5CYII=
grey=iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAAAAADbboAnAAAADklEQVR4nGOogAIGUhgAX9QWgQYhpWAAAAAASUVORK5CYII=
turned=iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAGmVYSWZNTQAqAAAACAABARIAAwAAAAEABgAAAAAAANZnS2kAAAARSURBVHicY4haEIUVMQykBACu5D/BBA9U7QAAAABJRU5ErkJggg==
for part in train val; do
    for i in 1 2 3; do
        picture "$red" photos/$part/apple/$i.png
        picture "$blue" photos/$part/berry/$i.png
    done
    picture "$grey" photos/$part/apple/0.png
done
# A folder of parts: without a named part, training reads the training part and logs it; evaluation refuses.
try softlab dataset photos
try softlab dataset photos:val
try softlab dataset photos:vaal
try softlab dataset photos/train:val
try sh -c 'softlab train --data photos --dev photos:val --network mlp --epochs 1 --set batch=4 -o run 2>&1 | sed "s/  [0-9]* images.s//; s/loss .*//"'
try softlab train --data photos --dev photos --network mlp --epochs 1 -o other
try softlab predict run --data photos -o p.csv
try softlab predict run --data photos:val -o p.csv
try sh -c 'softlab eval run --data photos | head -n 3'
try softlab predict run --data photos:val --array probs --quiet -o q.csv
try sh -c 'softlab eval q.csv --labels q.csv --hard photos --metrics accuracy | head -n 3'
# --channels reads all images the same way.
try sh -c 'softlab train --data photos:train --channels 1 --network mlp --epochs 1 --set batch=4 -o flat 2>&1 | sed "s/  [0-9]* images.s//; s/loss .*//"'
try softlab predict flat --data photos:val -o p.csv
try softlab predict flat --data photos:val --channels 1 -o p.csv
try softlab predict run --data photos:val --channels 1 -o p.csv
try softlab train --data photos:train --channels 2 --network mlp -o other
try softlab dataset mix photos:train --channels 1 --count 2 --quiet -o mixed
# Broken files, and pictures in formats that are not supported.
printf 'not a picture' >photos/train/apple/broken.jpg
: >photos/train/berry/empty.png
for name in a.webp b.gif c.bmp notes.txt; do printf x >photos/train/apple/$name; done
mkdir photos/train/berry/raw
try softlab dataset photos:train
try softlab dataset photos:train --skip-broken
try softlab train --data photos:train --network mlp --epochs 1 -o other
try softlab predict run --data photos:train -o p.csv
try softlab predict run --data photos:train --skip-broken -o p.csv
try sh -c 'cut -d, -f1 p.csv | paste -s -d " " -'
# Indices of a split count all files, and labels may have rows for images that were left out.
printf '4\n5\n' >split.csv
try softlab predict run --data photos:train --skip-broken --split split.csv --quiet -o p.csv
try sh -c 'cut -d, -f1 p.csv | paste -s -d " " -'
printf '4\n' >split.csv
try softlab predict run --data photos:train --skip-broken --split split.csv --quiet -o p.csv
printf 'item,apple,berry\napple/1,1,0\napple/broken,0,1\n' >labels.csv
try softlab train --data photos:train --skip-broken --labels labels.csv --rest hard --network mlp --epochs 1 --set batch=4 --quiet -o labelled
try sh -c 'softlab dataset shapes:n=4 --skip-broken | head -n 1'
printf 'item\ttext\na\tone apple\n' >items.tsv
try softlab dataset items.tsv --skip-broken
try softlab study init birds --images photos:train --batch 3 --quiet
try ls birds
try sh -c 'softlab study init birds --images photos:train --skip-broken --batch 3 | head -n 1'
mkdir other && printf x >other/a.webp
try softlab dataset other
# A camera held upright stores 8 x 6 pixels on their side.
picture "$turned" camera/1.png
try softlab dataset camera
# A small file whose header claims more pixels than it can hold.
picture iVBORw0KGgoAAAANSUhEUgAA6mAAAOpgCAIAAAAPsOIVAAAAEUlEQVR4nGNgGAWjYBQMdwAAA+gAAbOm00YAAAAASUVORK5CYII= huge/1.png
try softlab dataset huge
# Sizes, parts in capitals, endings of JPEG, links that lead nowhere.
picture "$turned" mixed/1.png
picture "$red" mixed/2.png
try softlab dataset mixed
try sh -c 'softlab dataset mixed --json | tr -d " \n" | grep -o "\"smallest.*\"largest[^]]*]"'
for i in 1 2; do
    picture "$red" capitals/Train/apple/$i.png
    picture "$blue" capitals/TEST/berry/$i.png
done
try softlab dataset capitals
try softlab dataset capitals:test
try softlab dataset capitals:TEST
mkdir capitals/Test && cp -r capitals/TEST/berry capitals/Test/
try softlab dataset capitals
mkdir jpegs && cp mixed/2.png jpegs/a.jpe && cp mixed/2.png jpegs/b.JFIF
ln -s ../mixed/2.png jpegs/c.png && ln -s ../mixed/3.png jpegs/d.png
try softlab dataset jpegs
mkdir links && ln -s nowhere.png links/a.png
try softlab dataset links
# A failed command leaves no folder behind.
mkdir -p sizes/apple sizes/berry && cp photos/train/apple/1.png sizes/apple/ && cp mixed/1.png sizes/berry/
try softlab dataset mix sizes --count 2 -o made/here
try sh -c '(ulimit -f 0; softlab dataset mix shapes:n=20,size=8 --count 3 -o made/here --quiet 2>&1) | cat'
try sh -c '(ulimit -f 1; softlab dataset mix shapes:n=20,size=8 --count 3 -o made/here --quiet 2>&1) | cat'
try sh -c 'softlab train --data missing --network mlp -o made/run; softlab eval missing.csv --plots made/figures -l missing.csv'
try ls made
