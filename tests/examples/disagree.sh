# Dia says cat whatever she sees: counting votes and learning whom to trust give different classes.
awk 'BEGIN {
    class["c"] = "cat"; class["d"] = "dog"; class["f"] = "fox"
    n = split("ann:cdfdcfdffcdfc bob:cdfdcfdffcffc cem:cddfcfcccdccd dia:cccccccccccc- eve:cdfdfccfdcdcd", person, " ")
    print "item,worker,label"
    for (p = 1; p <= n; p++)
        for (i = 1; i <= 13; i++)
            if ((said = substr(person[p], 4 + i, 1)) in class)
                printf "p%02d,%s,%s\n", i, substr(person[p], 1, 3), class[said]
}' >votes.csv
try disagree votes.csv
# Mistakes.
try disagree
try disagree nosuch.csv
printf 'item,worker,label\n' >empty.csv
try disagree empty.csv
printf 'item,label\np01,cat\np02,dog\n' >nobody.csv
try disagree nobody.csv
printf 'item,worker,label\np01,,cat\np02,ann,dog\n' >unknown.csv
try disagree unknown.csv
