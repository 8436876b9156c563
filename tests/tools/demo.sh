#!/bin/sh
# demo.sh PROGRAM: the small demo runs, and the first paragraph of its report follows from the
# figures: with shuffled true distributions the paragraph is different.
. "$(dirname "$0")/support.sh"
program=$1
demo=$scratch/demo
softlab() {
    "$program" "$@" --quiet
}
# The first paragraph of a report in Markdown.
paragraph() {
    sed -n '3p' "$1"
}
# Shuffle label rows among items: names stay, values move.
shuffled() {
    awk -F, -v OFS=, 'NR == 1 { print; next } { name[NR] = $1; sub(/^[^,]*/, ""); row[NR] = $0 }
        END { for (i = 2; i <= NR; i++) print name[i] row[2 + (i - 2 + 7) % (NR - 1)] }' "$1"
}

passes "the small demo runs from study to report" \
    "$root/tools/demo" --small --program "$program" --folder "$demo"
said=$scratch/said
cp "$scratch/output" "$said"
passes "it shows the commands one would type" sh -c "grep -c '^\$ softlab' '$said' | grep -qx 15"
passes "it names the report and the next three commands" sh -c "
    grep -q '^The report: .*/report.html' '$said' && [ \$(grep -c '^  softlab ' '$said') -eq 3 ]"
passes "the report is there" test -s "$demo/report.html"
passes "every run was made" sh -c "[ \$(grep -c '^{.softlab.:.result.' '$demo/results/results.jsonl') -eq 12 ]"
passes "both screens were answered" sh -c "
    grep -q '\"kind\":\"hard\"' '$demo/hard.jsonl' && ! grep -q '\"kind\":\"soft\"' '$demo/hard.jsonl' &&
    grep -q '\"kind\":\"soft\"' '$demo/collins.jsonl' && ! grep -q '\"kind\":\"hard\"' '$demo/collins.jsonl'"
paragraph "$demo/report.md" >"$scratch/true"
passes "its first paragraph says which labels are better for the time" \
    grep -Eq "(gives|gave) better labels for the annotators' time than .* closer to the true distributions" "$scratch/true"
passes "and what that did to the model" grep -q '[Tt]he network trained on .* its cross-entropy on new images is' \
    "$scratch/true"
passes "what it rests on stands below it" grep -q 'What this rests on: \*\*simulated people\*\*' "$demo/report.md"
passes "the page has the same paragraph before its first section" sh -c "
    sed -n '1,/<section/p' '$demo/report.html' | grep -q 'closer to the true distributions'"

# The same answers and networks with other true distributions.
cp -r "$demo" "$scratch/other"
rm "$scratch/other/results/results.jsonl"
shuffled "$demo/truth.csv" >"$scratch/other/truth.csv"
shuffled "$demo/unseen.csv" >"$scratch/other/unseen.csv"
passes "with the truth shuffled the experiment runs on the weights that are there" \
    softlab run "$scratch/other/spec.json" -o "$scratch/other/results"
passes "no network was trained again" sh -c "
    [ \$(ls '$scratch/other/results/runs' | wc -l) -eq \$(ls '$demo/results/runs' | wc -l) ]"
passes "the report is made again" softlab report "$scratch/other/results/results.jsonl" \
    --spec "$scratch/other/spec.json" --format md -o "$scratch/other/report.md"
paragraph "$scratch/other/report.md" >"$scratch/false"
passes "and its first paragraph is another" sh -c "! cmp -s '$scratch/true' '$scratch/false'"
# The baseline, which is the first row.
distance() {
    sed -n 's/.*baseline: .*Jensen-Shannon divergence \([0-9.]*\).*/\1/p' "$1" | head -n 1
}
passes "and labels are ten times as far from the truth" awk -v near="$(distance "$demo/report.md")" \
    -v far="$(distance "$scratch/other/report.md")" 'BEGIN { exit !(near > 0 && far > 10 * near) }'
fails "an unknown option is refused" "unknown option --smal" "$root/tools/demo" --smal
finish
