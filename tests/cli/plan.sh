# What budgets are expected to buy, from a pilot of 60 items: every fifth is ambiguous.
awk 'BEGIN {
    print "item,worker,label,ms"
    for (i = 0; i < 60; i++)
        for (a = 0; a < 3; a++) {
            label = i % 2 ? "cat" : "dog"
            if (i % 5 == 0 && a > 0) label = (i + a) % 3 ? "fox" : "cat"
            print "i" i ",w" (i + 7 * a) % 20 "," label "," 1500 + 100 * ((i + a) % 11)
        }
}' > pilot.csv
# One digit of the figures that are simulated: the others may differ between processors.
rough() {
    printf '$ %s\n' "$*"
    "$@" | sed -e 's/\(0\.0*[1-9]\)[0-9]*/\1x/g' -e 's/  */ /g'
}
rough softlab plan pilot.csv --items 10000 --budgets 20000,40000 --quiet
rough softlab plan pilot.csv --items 10000 --budgets 20000,40000 --seconds 4 --pay-per-hour 12 --currency GBP --target 9 -o plan.csv --quiet
try cut -d , -f 1-6 plan.csv
try softlab plan pilot.csv --items 10000 --budgets 20000,40000 --target 1e-5 -o plan.html --quiet >page.txt
try grep 'more than' page.txt
try grep -c '<svg' plan.html
try sh -c "softlab plan pilot.csv --items 10000 --budgets 20000,40000 -o plan.svg --quiet >/dev/null && grep -o 'time (h, log scale)' plan.svg | head -n 1"
try sh -c "softlab plan pilot.csv --items 100 --budgets 300 -o plan.json --json --quiet | tr -d ' \n' | cut -c 1-100"
try sh -c "tr -d ' \n' < plan.json | cut -c 1-100"
# Answers with probabilities.
awk 'BEGIN {
    print "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"cat\",\"dog\"]}"
    for (i = 0; i < 40; i++)
        for (a = 0; a < 3; a++) {
            p = i % 4 ? .9 : .4 + .1 * a
            printf "{\"item\":\"i%d\",\"annotator\":\"w%d\",\"kind\":\"dist\",\"dist\":[%.1f,%.1f]}\n", i, a, i % 2 ? p : 1 - p, i % 2 ? 1 - p : p
        }
}' > rich.jsonl
rough softlab plan rich.jsonl --items 100 --budgets 300 --quiet
# Labels that were shuffled: the first sentences warn.
awk 'BEGIN {
    seed = 7; print "item,worker,label"
    for (i = 0; i < 120; i++)
        for (a = 0; a < 4; a++) {
            seed = (seed * 16807) % 2147483647
            print "i" i ",w" (i + 7 * a) % 20 "," (seed % 3 ? "cat" : "dog")
        }
}' > shuffled.csv
try sh -c "softlab plan shuffled.csv --items 100 --budgets 300 --quiet | sed -n 2p"
try sh -c "softlab plan shuffled.csv --items 100 --budgets 300 --json --quiet | sed -n '/looks_like/p; /verdict/p; /\"risk\"/,/interval/p' | sed 's/[0-9.]*[0-9],/N,/'"
try sh -c "softlab next shuffled.csv --budget 9 -o batch.csv | sed -n 3p"
# What is refused.
sed '1!s/,[a-z]*,/,cat,/' pilot.csv > same.csv
try softlab plan same.csv --items 100
head -n 80 pilot.csv > small.csv
try softlab plan small.csv --items 10000
try softlab plan pilot.csv
try softlab plan pilot.csv --items 0
try softlab plan pilot.csv --items 10 --budgets 100000
try softlab plan pilot.csv --items 10 --budgets 40,20
try softlab plan pilot.csv --items 10 --screen rich
try softlab plan rich.jsonl --items 10 --pay-per-hour 10
try softlab plan pilot.csv --items 10 --currency GBP
try softlab plan pilot.csv --items 10 -o plan.pdf
