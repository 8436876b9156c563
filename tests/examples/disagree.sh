# Dia says cat whatever she sees: counting votes and learning whom to trust give different classes.
cat >sheet.csv <<'CSV'
picture,ann,bob,cem,dia,eve
p01,cat,cat,cat,cat,cat
p02,dog,dog,dog,cat,dog
p03,fox,fox,dog,cat,fox
p04,dog,dog,fox,cat,dog
p05,cat,cat,cat,cat,fox
p06,fox,fox,fox,cat,cat
p07,dog,dog,cat,cat,cat
p08,fox,fox,cat,cat,fox
p09,fox,fox,cat,cat,dog
p10,cat,cat,dog,cat,cat
p11,dog,fox,cat,cat,dog
p12,fox,fox,cat,cat,cat
p13,cat,cat,dog,,dog
CSV
softlab import --from wide sheet.csv --to long-csv -o votes.csv --quiet
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
