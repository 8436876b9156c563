# Inputs count by what is in them: labels edited under the same name are another run, weights that
# changed are not the run's.
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
try softlab train $tiny --quiet -o edited --set epochs=2,batch=4
try softlab train $tiny --quiet -o edited --restart
printf x | dd of=edited/weights.safetensors bs=1 seek=2000 conv=notrunc status=none
try softlab train $tiny --quiet -o edited
try softlab predict edited --data shapes:n=8,size=8,classes=2 -o p.csv
try softlab eval edited --data shapes:n=8,size=8,classes=2
try softlab export edited -o m.onnx
try softlab train $tiny --weights edited --quiet -o more
try softlab predict edited/weights.safetensors --data shapes:n=8,size=8,classes=2 -o p.csv
