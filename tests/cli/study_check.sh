# What softlab study check finds, and what study serve refuses. Codes and tokens are random.
hide() {
    "$@" 2>&1 | sed -E 's/test=[A-Za-z0-9_-]{22}$/test=SECRET/; s/cc=[A-Z2-9]{8}$/cc=CODE/; s/ [A-Z2-9]{8}  / CODE      /'
}
change() {
    sed "$2" "$1" >changed.txt && cp changed.txt "$1"
}
softlab study init good --images shapes:n=12,classes=3,size=16 --batch 6 --screen collins+ --recruiter prolific \
    --contact "Ada Lovelace, University of X, ada@x.org" --quiet >init.txt
change good/study.json 's/"currency": ""/"currency": "GBP"/; s/"base": 0.0/"base": 3.5/'
try hide softlab study check good --url https://study.example.org/
try sed -n 5,7p good/consent.md
try sed -n '/^# Contact/,$p' good/consent.md
# Without --contact the study is not ready, and serve says why.
softlab study init open --images shapes:n=12,classes=3,size=16 --batch 6 --screen collins+ --quiet >init.txt
try hide softlab study check open
try softlab study serve open --port 0 --admin-port 0
try softlab study check open --quiet --url study.example.org
# All findings at once. Line numbers of study.json are masked.
printf '# Hello\n\nPay: {payment}\nLorem ipsum [your name]\n' >good/consent.md
printf 'TODO\n' >good/instructions.md
printf 'no picture' >good/items/shapes-000001.png
cp good/items/shapes-000002.png good/items/shapes-000003.png
change good/study.json 's/"title": "good"/"title": "XXX"/; s/"base": 3.5/"base": 0.1/; s/"keep_until": ""/"keep_until": "2020-01-31"/
    s/"check_every": 0/"check_every": 3/; s/"lease_minutes": 60/"lease_minutes": 2/; s/"SESSION_ID"/"SESSION"/
    s/"annotators": 6/"annotators": 1/; s/"failed": ".*"/"failed": "SAME"/; s/"full": ".*"/"full": "SAME"/
    s/"done": ".*"/"done": ""/; s/"circle"/"Square"/'
findings() {
    softlab study check good --json 2>/dev/null | sed -n 's/:[0-9]*: /:LINE: /; s/^      "where": "\(.*\)",/\1/p'
}
softlab study check good 2>&1 | sed 's|study.json:[0-9]*|study.json:LINE|' | sed -n '/^error\|^warning\|not ready/p'
try findings
softlab study check good --json 2>/dev/null | grep -E '^  "(errors|warnings|trials|minutes)"'
# The server prints all findings and stops with the first error.
softlab study serve good --port 0 --admin-port 0 2>&1 | tail -1
# A rehearsal serves the study and prints all findings.
: >serve.txt
softlab study serve good --port 0 --admin-port 0 --rehearse >serve.txt 2>serve.err &
server=$!
until grep -q researcher serve.txt || ! kill -0 $server; do sleep .05; done
sed -E 's/test=[A-Za-z0-9_-]{22}$/test=SECRET/; s/127.0.0.1:[0-9]+/HOST/' serve.txt
kill $server
wait $server || true
grep -c '^warning: good/' serve.err
# Further findings of one kind are only counted.
softlab study init many --images shapes:n=12,classes=3,size=16 --batch 6 --screen hard --contact Ada --quiet >init.txt
for number in 01 02 03 04 05 06 07; do printf x >many/items/shapes-0000$number.png; done
softlab study check many 2>&1 | sed -n '/^error\|more like/p'
try softlab study check nowhere
try softlab study init blank --images shapes:n=12 --contact " "
# check reports what would stop serve.
softlab study init said --images shapes:n=12,classes=3,size=16 --batch 6 --screen hard --contact Ada --quiet >init.txt
for words in '{"trial.continue": 7}' '{"trial.contniue": "On"}' '{"trial.image_of": "Image {nummer}"}' '{'; do
    printf '%s\n' "$words" >said/words.json
    try softlab study check said
done
rm said/words.json
mkdir -m 700 said/media
truncate -s 65M said/media/map.png
try softlab study check said
rm said/media/map.png
mkdir said/media/map.png
try softlab study check said
rm -r said/media
change said/study.json 's/"trials": 0/"trials": 4/'
try softlab study check said
try softlab study serve said --port 0 --admin-port 0 --rehearse
