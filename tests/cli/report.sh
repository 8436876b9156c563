# Results beside the papers' figures.
run() { # SET SEED CROSS-ENTROPY
    printf '{"softlab":"result","version":1,"key":"%s-%s","spec":"collins2022/table2","scale":"quick","variant":"as-run","part":null,"set":"%s","network":"resnet8","seed":%s,"fold":null,"metrics":{"cifar10h/cross_entropy":%s},"commands":[["train","--seed","%s"]],"provenance":{"version":"0.1.0","build":"none"},"time":{"started":"2026-01-01T00:00:00Z","seconds":2,"machine":"x86-64"}}\n' "$1" "$2" "$1" "$2" "$3" "$2"
}
mkdir results
{
    run cifar10h 1 1.50
    run cifar10h 2 1.54
    run t2-clamp 1 1.20
    run t2-clamp 2 9.99
    run t2-clamp 2 1.24
} > results/results.jsonl
echo '{"softlab":"failure","key":"x","spec":"collins2022/table2","set":"t2-clamp","network":"resnet8","seed":3,"log":"no memory"}' > results/failures.jsonl
try softlab report results --spec collins2022/table2 --format md
try sh -c 'softlab report results --spec collins2022/table2 --format csv | grep "^collins2022-table2-claims,1,"'
try softlab report results --spec collins2022/table2 -o table.tex
try sh -c 'grep -c longtable table.tex'
try softlab report results -o report.html
try sh -c 'head -c 15 report.html; echo'
try sh -c 'grep -c "<script>" report.html'
# Pictures and charts that need no training, from the user's own specification.
cat >shown.json <<'JSON'
{"softlab": "experiment", "version": 1, "name": "shown", "title": "What is shown", "needs": ["labels"],
 "show": [{"title": "Numbers", "chart": {"kind": "lines", "series": {"a": {"y": [1, 2]}}}}]}
JSON
echo '{"softlab":"result","version":1,"key":"k","spec":"shown","scale":"paper","variant":"as-run","set":null,"computed":{},"charts":[{"title":"Numbers","note":"Two of them.","kind":"lines","x":{"label":"Time","unit":"s"},"y":{},"series":[{"name":"ours","x":[1,2],"y":[0.5,0.75],"y_low":[0.25,0.5],"y_high":[0.75,1]},{"name":"theirs","y":[0,1],"reference":true}]}],"galleries":[{"title":"Pictures","lacks":"cifar10 is not here","series":["one","two","three"],"classes":["cat","dog"],"items":[{"item":"7","values":[[1,0],[0.25,0.75],[0.5,0.5]]}]}],"commands":[["compare","a.npz","b.npz"]]}' >shown.jsonl
try softlab report shown.jsonl --spec shown.json --format md
try softlab report shown.jsonl --spec shown.json --format csv
try sh -c 'softlab report shown.jsonl --spec shown.json --format latex | grep -A2 "begin{itemize}" | head -n 2'
try sh -c 'softlab report shown.jsonl --spec shown.json --format html | grep -c "class=.gallery many.\|class=.chart."'
try softlab report shown.jsonl --spec shown.json --charts -o 'my shown.md'
try sh -c 'grep "^!" "my shown.md"; ls "my shown-charts"; head -c 4 "my shown-charts"/chart-*.svg; echo'
try softlab report shown.jsonl --spec shown.json --charts --format md
try softlab report shown.jsonl --spec shown.json --charts -o shown.html
printf '{"softlab":"result","key":"y","sp' >> results/results.jsonl
try softlab report results --spec collins2022/table2 -o report.html
try softlab report none.jsonl
try softlab report results --spec collins2022/table22
try softlab report results --format pdf
try softlab report
