# Inputs are identified by content: edited labels make a different run, and changed weights are
# refused.
cat >people.csv <<'CSV'
item,circle,square
shapes-000001,1,0
shapes-000002,0.25,0.75
CSV
tiny='--data shapes:n=8,size=8,classes=2 --network resnet:n=1,width=4 --recipe quick --set epochs=1,batch=4 --labels people.csv --rest hard'
try softlab train $tiny --quiet -o edited
try softlab train $tiny --quiet -o edited
sed -i 's/0.25,0.75/0.75,0.25/' people.csv
try softlab train $tiny --quiet -o edited
try softlab train $(echo "$tiny" | sed s,epochs=1,epochs=2,) --quiet -o edited
try softlab train $tiny --quiet -o edited --restart
printf x | dd of=edited/weights.safetensors bs=1 seek=2000 conv=notrunc status=none
try softlab train $tiny --quiet -o edited
try softlab predict edited --data shapes:n=8,size=8,classes=2 -o p.csv
try softlab eval edited --data shapes:n=8,size=8,classes=2
try softlab export edited -o m.onnx
try softlab train $tiny --weights edited --quiet -o more
try softlab predict edited/weights.safetensors --data shapes:n=8,size=8,classes=2 -o p.csv
# A hold-out file names an item per line; names may contain commas, and empty lines are skipped.
mkdir -p commas/cat commas/dog
softlab dataset mix shapes:n=8,size=8,classes=2 --count 2 --lambdas 0.5 -o mixtures --quiet
set -- mixtures/*.png
cp "$1" "commas/cat/a,b.png"
cp "$1" commas/cat/c.png
cp "$2" commas/dog/d.png
printf '\r\ncat/a,b\r\n\r\n' >held-out.txt
try sh -c 'softlab train --data commas --network resnet8 --set epochs=1,batch=2 --holdout held-out.txt -o held-out 2>&1 | sed "s/  [0-9]* images.s//"'
