# A page of advice about generated crowds: 120 items of three classes, some of them hard.
# crowd SPAMMERS SHUFFLED: answers of 12 annotators, four per item.
crowd() {
    awk -v spammers="$1" -v shuffled="$2" '
        function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        BEGIN {
            seed = 20; split("cat dog fox", class, " "); print "item,worker,label"
            for (i = 0; i < 120; i++) {
                truth = int(3 * draw()); agreed = draw() < .75 ? .97 : .4
                for (a = 0; a < 4; a++) {
                    who = (i + 3 * a + (a == 3) * int(3 * draw())) % 12
                    said = !shuffled && who >= spammers && draw() < agreed ? truth : int(3 * draw())
                    printf "photo%d,w%d,%s\n", i, who, class[said + 1]
                }
            }
        }'
}
crowd 0 0 > good.csv
crowd 4 0 > spammed.csv
crowd 0 1 > shuffled.csv
try softlab advise good.csv --seconds 3 --hours 0.1
try softlab advise spammed.csv --top 1
try softlab advise shuffled.csv
# Known classes.
awk -F, 'NR > 1 && !seen[$1]++ { print $1 "," $3 }' good.csv | sed '1i item,truth' > truth.csv
try softlab advise good.csv --truth truth.csv --top 1 --seconds 3
# Known classes that contradict the answers.
awk -F, -v OFS=, 'NR > 1 { t = $2 == "cat" ? "dog" : $2 == "dog" ? "fox" : "cat"; $2 = t } 1' truth.csv > wrong.csv
try sh -c "softlab advise good.csv --truth wrong.csv --top 1 --seconds 3 | head -n 3"
# Everything as JSON.
softlab advise good.csv --json --top 1 > advice.json
try sh -c "sed -n 's/^  \"\([a-z_]*\)\":.*/\1/p' advice.json | tr '\n' ' '; echo"
try sh -c "grep -c '\"page\": \"These annotators agree' advice.json"
# Small and odd crowds.
sed -n '1,17p' good.csv > pilot.csv
try softlab advise pilot.csv --top 1
awk -F, 'NR == 1 || $2 == "w1"' good.csv > alone.csv
try softlab advise alone.csv
awk -F, 'NR == 1 || !seen[$1]++' good.csv > single.csv
try sh -c "softlab advise single.csv | head -2"
sed 's/,[a-z]*$/,cat/; 1s/.*/item,worker,label/' good.csv > same.csv
try softlab advise same.csv
awk 'BEGIN { print "item,worker,label"; for (i = 0; i < 240; i++) printf "i%d,w%d,c%d\n", i / 2, i % 7, i / 2 }' > many.csv
try softlab advise many.csv --top 1
# Clicks beside stated probabilities: hours are priced by the answers that labels are made of.
awk 'BEGIN {
    print "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"cat\",\"dog\"]}"
    for (i = 0; i < 60; i++)
        for (a = 0; a < 4; a++) {
            class = (i + (i % 4 == 0 && a > 1)) % 2 ? "cat" : "dog"
            other = class == "cat" ? "dog" : "cat"
            if (a % 2) kind = "\"hard\",\"class\":\"" class "\",\"ms\":2000"
            else kind = "\"soft\",\"top\":[[\"" class "\",0.8],[\"" other "\",0.2]],\"ms\":12000"
            printf "{\"item\":\"i%d\",\"annotator\":\"w%d\",\"kind\":%s}\n", i, a, kind
        }
}' > mixed.jsonl
try sh -c "softlab advise mixed.jsonl --quiet | tr '\n' ' ' | grep -o 'Labels, risks[^.]*\|In 1 hour[^,]*, at [0-9.]* s'"
# What cannot be done.
try softlab advise good.csv --hours 2
try softlab advise good.csv --seconds 0
try softlab advise good.csv --top 0
try softlab advise missing.csv
printf 'item,worker,label\n' > empty.csv
try softlab advise empty.csv
: > nothing.csv
try softlab advise nothing.csv
try softlab advise
