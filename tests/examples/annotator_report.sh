# Gus says cat whatever he sees, and takes no time for it.
awk 'BEGIN {
    split("cat dog fox", class, " ")
    print "item,worker,label,ms"
    for (i = 0; i < 30; i++)
        for (p = 0; p < 4; p++) {
            said = 1 + (i + (i % 5 == p)) % 3
            ms = 2000 + (i * 7 + p * 13) % 11 * 100
            printf "p%02d,%s,%s,%d\n", i, substr("annbobcemgus", 1 + 3 * p, 3), class[p == 3 ? 1 : said],
                p == 3 ? 200 : ms
        }
}' >votes.csv
try annotator_report votes.csv report.md
try cat report.md
for ending in html csv tex; do
    try annotator_report votes.csv report.$ending
done
try grep -o "<svg [^>]*class='sl-plot'" report.html
# Votes without times.
cut -d, -f1-3 votes.csv >untimed.csv
try annotator_report untimed.csv untimed.md
try grep '^| gus' untimed.md
try annotator_report votes.csv
try annotator_report votes.csv report.pdf
try annotator_report nosuch.csv report.html
