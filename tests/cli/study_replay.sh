# Recorded answers of people through a served study: budgets, the part that is held out, and what is refused.
softlab study init shop --images shapes:n=4,classes=3,size=16,seed=3 --batch 2 --annotators 9 --screen hard \
    --contact "Ada Lovelace, ada@example.org" --quiet >/dev/null
sed 's/"repeats": 2/"repeats": 0/' shop/study.json >edited.json && cp edited.json shop/study.json
{
    echo item,worker,label,ms
    for item in 1 2 3 4; do
        printf "shapes-00000$item,%s\n" ada,circle,1000 bo,square,1200 cy,circle,900 di,triangle,3000
    done
} >answers.csv
: >serve.txt # grep may look before the server writes
softlab study serve shop --port 0 --admin-port 0 >serve.txt 2>serve.err &
server=$!
until grep -q researcher serve.txt || ! kill -0 $server; do sleep .05; done
url=$(sed -n 's/^annotators: //p' serve.txt)
# The table has times of this machine; who is asked first depends on it too.
replay() {
    softlab study simulate "$url" --study shop --speed 0 --no-images --at-once 1 --replay "$@" 2>&1 |
        sed -n '/^The replay/,$p; /^softlab/p; /^warning/p'
}
try replay answers.csv --annotators 8
try replay answers.csv --annotators 8 --answers 4 --replay-share .5 --given given.jsonl --held-out held-out.jsonl
try cat given.jsonl held-out.jsonl
try softlab labels given.jsonl --method share -o given.csv --quiet
try softlab labels held-out.jsonl --method share -o held-out.csv --quiet
try head -1 given.csv held-out.csv
# What cannot be kept is refused before anybody is asked.
try replay answers.csv --answers 17
try replay answers.csv --seconds 100
try replay answers.csv --slips .5
try replay answers.csv --held-out x.jsonl
sed 's/square/pentagon/' answers.csv >pentagon.csv
try replay pentagon.csv
grep -v 000003 answers.csv >three.csv
try replay three.csv
kill $server
wait $server 2>/dev/null || true
