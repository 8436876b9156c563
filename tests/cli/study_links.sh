# Links of a study: the test link, and one for each participant. Tokens and signatures are random.
hide() {
    "$@" 2>&1 | sed -E 's/(test|sig)=[A-Za-z0-9_-]{22}$/\1=SECRET/; s/[A-Z2-9]{8}  /CODE      /'
}
url=https://study.example.org/
softlab study init open --images shapes:n=6,size=16 --batch 3 --quiet > /dev/null
softlab study init named --images shapes:n=6,size=16 --batch 3 --recruiter generic --quiet > /dev/null
printf 'name,id\nAnn,p1\nBob,"p 2&3"\nCim,=p4\n' > people.csv
try hide softlab study links open --url $url
try hide softlab study links named --url http://127.0.0.1:8080
try hide softlab study links named people.csv --url $url -o -
sed 's/"links": "plain"/"links": "signed"/' named/study.json > changed.json && cp changed.json named/study.json
try hide softlab study links named --url $url
try hide softlab study links named people.csv --url $url -o links.csv
try hide cat links.csv
# The same link every time.
softlab study links named people.csv --url $url -o again.csv --quiet
try cmp links.csv again.csv
try hide softlab study links named people.csv --column name --url $url -o - --quiet
# Wrong options, and missing files.
try softlab study links named
try softlab study links named --url study.example.org
try softlab study links named --url "https://study.example.org/?x=1"
try softlab study links named --url $url -o links.csv
try softlab study links named people.csv --url $url
try softlab study links named people.csv --url $url --column mail -o -
try softlab study links open people.csv --url $url -o -
printf 'id\np1\np2\np1\n' > twice.csv
try softlab study links named twice.csv --url $url -o new.csv
printf 'id,x\n,1\n' > empty.csv
try softlab study links named empty.csv --url $url -o new.csv
printf 'id,x\n"a\nb",1\n' > broken.csv
try softlab study links named broken.csv --url $url -o new.csv
printf 'id\n' > none.csv
try softlab study links named none.csv --url $url -o new.csv
try softlab study links nowhere --url $url
sed 's/"done": "[A-Z0-9]*"/"done": "TEST-1"/' named/study.json > changed.json && cp changed.json named/study.json
try sh -c 'softlab study links named --url https://x.test/ 2>&1 | sed "s/:[0-9]*:/:LINE:/"'
sed 's/"done": "TEST-1"/"done": "A"/; s/"person": "[a-z]*"/"person": "sig"/' changed.json > named/study.json
try sh -c 'softlab study links named --url https://x.test/ 2>&1 | sed "s/:[0-9]*:/:LINE:/"'
try ls
