# A study that is served, copied, edited and restored by somebody in a hurry.
umask 000
softlab study init shop --images shapes:n=6,classes=3,size=16,seed=3 --batch 3 --annotators 9 --screen bars \
    --recruiter generic --contact "Ada Lovelace, ada@example.org" --quiet >/dev/null
softlab study init yard --images shapes:n=6,classes=3,size=16,seed=3 --batch 3 --screen bars \
    --contact "Ada Lovelace, ada@example.org" --quiet >/dev/null
# Port 0 is any free port; the server prints which one.
serve() {
    : >serve.txt # not the last one's words
    softlab study serve shop --port 0 --admin-port 0 >serve.txt 2>serve.err &
    server=$!
    until grep -q researcher serve.txt || ! kill -0 $server; do sleep .05; done
    url=$(sed -n 's/^annotators: //p' serve.txt)
}
stop() {
    kill -"$1" $server
    wait $server 2>/dev/null || true
}
answers() {
    softlab study export shop -o - | grep -c '"item"'
}
modes() {
    stat -c '%a %n' "$@"
}
serve
try modes shop shop/study.json shop/study.db shop/study.db-wal shop/study.db-shm shop/study.db-lock shop/items shop/consent.md
softlab study simulate "$url" --study shop --annotators 2 --speed 0 --no-images --count --quiet >/dev/null 2>&1
# While the study is served: a second server and a restore are refused; status and backup work.
try softlab study backup shop monday.db
try modes monday.db
timeout 20 softlab study serve shop --port 0 --admin-port 0 2>&1 | sed "s/$server/PROCESS/"
softlab study restore monday.db shop --force 2>&1 | sed "s/$server/PROCESS/"
try answers
try softlab study backup shop shop/study.db
try softlab study backup shop shop/study.db-wal
try softlab study backup shop shop/items/../study.json
ln -s shop/study.db innocent.db
try softlab study backup shop innocent.db
try softlab study export shop -f cifar10s-json -o shop/study.json
# Other files in the study's folder may be written and overwritten.
try softlab study export shop -f items -o shop/items.csv
try softlab study export shop -f items -o shop/items.csv
# A server that was killed leaves no lock.
stop KILL
serve
stop TERM
try cat serve.err
# Changing the order of classes is refused: it would change the meaning of every answer.
softlab study export shop -o before.jsonl
try modes before.jsonl
cp shop/study.json right.json
sed 's/"circle"/"SQUARE"/; s/"square"/"circle"/; s/"SQUARE"/"square"/' right.json >shop/study.json
try softlab study export shop -o after.jsonl
try softlab study export shop -f payments -o -
try softlab study status shop
try timeout 20 softlab study serve shop --port 0 --admin-port 0
try softlab study backup shop edited.db
cp right.json shop/study.json
softlab study export shop -o after.jsonl
try cmp before.jsonl after.jsonl
# Another picture under the same name.
cp shop/items/shapes-000001.png kept.png
cp shop/items/shapes-000002.png shop/items/shapes-000001.png
try timeout 20 softlab study serve shop --port 0 --admin-port 0
try softlab study export shop -o after.jsonl
cp kept.png shop/items/shapes-000001.png
# A participant is purged; restoring an older backup does not bring the data back.
person=$(sed -n 's/.*"annotator":"\([0-9a-f]*\)".*/\1/p' before.jsonl | head -1)
softlab study purge shop --participant "$person"
softlab study purge shop --participant "$person" 2>&1
try answers
softlab study restore monday.db shop --force | sed 's/[0-9]\{8\}T[0-9]\{6\}Z\(-[0-9]\)*/TIME/'
softlab study restore monday.db shop --force | sed 's/[0-9]\{8\}T[0-9]\{6\}Z\(-[0-9]\)*/TIME/'
try answers
ls shop | grep -c 'before-restore-[0-9TZ-]*$'
# A backup of another study, and a backup of a newer softlab.
softlab study backup yard yard.db
softlab study restore yard.db shop --force 2>&1 | sed 's/[0-9a-f]\{16\}/ID/g'
cp monday.db newer.db
printf '\0\0\0\143' | dd of=newer.db bs=1 seek=60 conv=notrunc 2>/dev/null
try softlab study restore newer.db shop --force
# A copy from another machine may be readable by others; serve restricts it.
chmod 755 shop && chmod 644 shop/study.json shop/study.db
serve
stop TERM
try cat serve.err
try modes shop shop/study.json shop/study.db
