# A network that was trained on shapes, and pictures of shapes from the folder of a study.
softlab train --data shapes:n=200,size=12,classes=3 --network resnet8 --recipe quick --epochs 6 \
    --set batch=16,crop=0 --quiet -o run
softlab study init study --images shapes:n=3,size=20,classes=3,ambiguous=0 --quiet >init.txt
cp study/items/*.png .
try classify run shapes-000001.png shapes-000002.png shapes-000003.png
try classify run/weights.safetensors shapes-000001.png
# Mistakes.
try classify run
try classify nosuch shapes-000001.png
try classify run init.txt
softlab train --data shapes:n=20,size=12,classes=3 --channels 1 --network resnet8 --untrained \
    --quiet -o grey
try classify grey shapes-000001.png
softlab export --network mlp --input 8 --classes 2 --quiet -o rows.safetensors
try classify rows.safetensors shapes-000001.png
