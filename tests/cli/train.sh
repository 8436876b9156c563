# Training: targets, recipes, run folders, resuming, and everything that is refused before the first step.
try softlab train --data shapes:n=40,size=8 --network resnet8 --recipe quick --epochs 2 --seed 3 --quiet -o a
try sh -c 'ls a; cut -d, -f1-4 a/log.jsonl'
try softlab train --data shapes:n=40,size=8 --network resnet8 --recipe quick --epochs 2 --seed 3 --quiet -o b
try cmp a/weights.safetensors b/weights.safetensors
try softlab train --data shapes:n=40,size=8 --network resnet8 --recipe quick --epochs 2 --seed 3 -o a
try softlab train --data shapes:n=40,size=8 --network resnet8 --recipe quick --epochs 2 --seed 4 --quiet -o a
try softlab train --data shapes:n=40,size=8 --network resnet8 --recipe quick --epochs 2 --seed 4 --quiet --restart -o a
# A run killed with -9 after some steps resumes.
try sh -c 'softlab train --data shapes:n=200,size=8 --network resnet8 --recipe quick --epochs 3 --quiet -o whole'
try sh -c 'softlab train --data shapes:n=200,size=8 --network resnet8 --recipe quick --epochs 3 --quiet --checkpoint-seconds 0 -o cut & while ! test -s cut/checkpoint.safetensors; do sleep 0.01; done; kill -9 $!; wait' 2>/dev/null
try sh -c 'softlab train --data shapes:n=200,size=8 --network resnet8 --recipe quick --epochs 3 --quiet --checkpoint-seconds 0 -o cut; cmp whole/weights.safetensors cut/weights.safetensors; wc -l <cut/log.jsonl'
# Soft labels.
try sh -c 'printf "item,circle,square\nshapes-000001,0.5,0.5\nshapes-000002,1,0\n" >two.csv; softlab dataset shapes:n=10,size=8,classes=2 | head -n 3'
try sh -c 'softlab train --data shapes:n=10,size=8,classes=2 --labels two.csv --rest hard --network resnet8 --set epochs=1,batch=4 -o c 2>&1 | sed "s/  [0-9]* images.s//"'
try softlab train --data shapes:n=10,size=8,classes=2 --labels two.csv --network resnet8 --set epochs=1,batch=4 -o d
try sh -c 'softlab train --data shapes:n=10,size=8,classes=2 --labels two.csv --rest drop --network resnet8 --set epochs=1,batch=4 -o e 2>&1 | sed "s/  [0-9]* images.s//"'
try sh -c 'printf "item,circle,square\n99,0.5,0.5\n" >lost.csv; softlab train --data shapes:n=10,size=8,classes=2 --labels lost.csv --rest hard --network resnet8 -o f'
try sh -c 'printf "item,circle,square\nshapes-000001,0.5,0.6\n" >sum.csv; softlab train --data shapes:n=10,size=8,classes=2 --labels sum.csv --rest hard --network resnet8 -o f'
try sh -c 'printf "item,circle,star\nshapes-000001,0.5,0.5\n" >class.csv; softlab train --data shapes:n=10,size=8,classes=2 --labels class.csv --rest hard --network resnet8 -o f'
try sh -c 'printf "item,circle,square\n0,1,0\n0,0,1\n" >twice.csv; softlab train --data shapes:n=10,size=8,classes=2 --labels twice.csv --rest hard --network resnet8 -o f'
try sh -c ': >none.csv; softlab train --data shapes:n=10,size=8 --split none.csv --network resnet8 -o f'
# Wrong options.
try softlab train --data shapes --network resnet8
try softlab train --network resnet8 -o f
try softlab train --data shapes -o f
try softlab train --data shapes --network resnet9 -o f
try softlab train --data shapes --network resnet8 --recipe collins2023 -o f
try softlab train --data shapes --network resnet8 --set epoch=3 -o f
try softlab train --data shapes --network resnet8 --set epochs=many -o f
try softlab train --data shapes --network resnet8 --set select=best -o f
try softlab train --data shapes --network resnet8 --as-run --as-published --recipe quick -o f
try softlab train --data shapes:n=8,size=8 --network resnet8 --set method=crowd-layer -o f
try softlab train --data shapes:n=8,size=8 --network resnet8 --set select=best --dev shapes:n=8,size=8,classes=8 -o f
try sh -c 'echo "{\"softlab\":\"recipe\",\"version\":1,\"name\":\"x\",\"settings\":{\"rat\":1}}" >x.json; softlab train --data shapes --network resnet8 --recipe ./x.json -o f'
try sh -c 'ls f 2>/dev/null || echo nothing was written'
# Predictions.
try softlab predict b --data shapes:n=5,size=8 --array probs --quiet -o p.csv
try sh -c 'head -n 1 p.csv; wc -l <p.csv'
try softlab predict b --data shapes:n=5,size=8,classes=8 --quiet -o q.npz
try softlab predict b/weights.safetensors --data shapes:n=5,size=16 --quiet -o q.npz
try softlab predict missing --data shapes -o q.npz
try softlab predict b -o q.npz
# Weights evaluated on test sets.
try softlab eval b --data shapes:n=20,size=8,seed=9 --labels truth --metrics accuracy,cross_entropy --attack fgsm --quiet
try softlab eval b --data shapes:n=20,size=8 --attack fgms
# Intervals, per-class scores, charts and paired tests, for predictions and for weights.
softlab predict b --data shapes:n=20,size=8,seed=9 -o other.csv --quiet
try softlab eval b --data shapes:n=20,size=8,seed=9 --metrics accuracy,brier --bootstrap 50 --per-class --plots charts
try ls charts
try softlab eval b --data shapes:n=20,size=8,seed=9 --metrics accuracy,brier --against other.csv
try softlab eval b --data shapes:n=20,size=8,seed=9 --metrics accuracy --against b
try sh -c "softlab eval b --data shapes:n=20,size=8,seed=9 --metrics accuracy --bootstrap 20 --per-class --against other.csv --json | grep -c -e intervals -e per_class -e against"
try softlab eval b --data shapes:n=10,size=8,seed=9 --metrics accuracy --against other.csv
printf '{"easy": {"data": "shapes:n=10,size=8", "metrics": ["accuracy"]}, "hard/er": {"data": "shapes:n=10,size=8,seed=2", "metrics": ["accuracy"]}}' > two.json
try softlab eval b --tests two.json --bootstrap 20 --plots many
try ls many
try softlab eval b --tests two.json --per-class
try softlab eval b --tests two.json --metrics accuracy
try softlab eval b --tests two.json --data shapes
try softlab eval b --data shapes:n=20,size=8 --hard other.csv
try softlab eval b --data shapes:n=20,size=8 --attack-items 3
rm -r charts many two.json other.csv
# All inputs are checked before anything is trained or scored.
own="--data shapes:n=10,size=8,classes=2"
try softlab train $own --network resnet8 --untrained -o untrained --quiet
try sh -c 'wc -c <untrained/log.jsonl'
try softlab train $own --network resnet8 -o untrained --quiet
try softlab eval untrained $own --dry-run
try softlab eval untrained $own --dry-run --plots p
try softlab eval untrained --data shapes:n=10,size=8,classes=2 --labels two.csv --dry-run
try softlab eval b
try sh -c 'echo "{\"x\":{\"data\":\"shapes:n=20,size=8\",\"label\":\"truth\"}}" >t.json; softlab eval b --tests t.json'
try sh -c "softlab train --list | head -n 4"
