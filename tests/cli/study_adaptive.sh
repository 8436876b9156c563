# Items chosen for each annotator: a budget that ends the study, the audit of the decisions, and what is refused.
softlab study init shop --images shapes:n=12,classes=3,size=16,seed=3 --batch 4 --screen hard --assignment adaptive \
    --contact "Ada Lovelace, ada@example.org" --quiet >/dev/null
try softlab study audit shop
sed 's/"repeats": 2/"repeats": 0/; s/"budget_answers": 0/"budget_answers": 30/' shop/study.json >edited.json && cp edited.json shop/study.json
: >serve.txt # grep may look before the server writes
softlab study serve shop --port 0 --admin-port 0 >serve.txt 2>serve.err &
server=$!
until grep -q researcher serve.txt || ! kill -0 $server; do sleep .05; done
url=$(sed -n 's/^annotators: //p' serve.txt)
softlab study simulate "$url" --study shop --speed 0 --no-images --at-once 1 --annotators 9 --count 2>&1 |
    sed -n 's/  */ /g; s/^annotators finished/finished/p; /^refused/p'
try softlab study audit shop --json | sed 's/"boards": [0-9]*/"boards": N/'
try softlab study status shop | sed -n '/^items chosen/p; /^answers left/p; /^ended/p'
kill $server
wait $server 2>/dev/null || true
# What contradicts itself is refused.
sed 's/"most": 0/"most": 1/' shop/study.json >edited.json && cp edited.json shop/study.json
try softlab study status shop
try softlab study init more --images shapes:n=4 --assignment clever
