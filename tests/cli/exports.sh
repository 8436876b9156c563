# Label Studio.
choice() { printf '{"from_name": "%s", "to_name": "image", "type": "choices", "value": {"choices": %s}}' "$1" "$2"; }
cat > studio.json <<END
[
 {"id": 1, "data": {"image": "a.png"}, "annotations": [
  {"completed_by": 3, "lead_time": 4.5, "was_cancelled": false, "result": [$(choice animal '["cat"]')]},
  {"completed_by": {"id": 4, "email": "bob@x.org"}, "result": [$(choice animal '["cat", "dog"]')]},
  {"completed_by": 5, "was_cancelled": true, "result": []}]},
 {"id": 2, "data": {"image": "b.png"}, "annotations": [{"completed_by": 3, "result": [$(choice animal '["dog"]')]}]}
]
END
try softlab import --from label-studio studio.json -o answers.jsonl
try cat answers.jsonl
try softlab import studio.json -o x.jsonl
try softlab import --from label-studio --columns item=image studio.json -o named.jsonl -q
try head -n 2 named.jsonl
try softlab labels studio.json --method mv -o - -q
sed "s/}}]}]}/}}, $(choice colour '["red"]')]}]}/" studio.json > two.json
try softlab import --from label-studio two.json -o x.jsonl
try softlab import --from label-studio --columns label=colour two.json -o - -q
try softlab import --from label-studio --columns label=shape two.json -o x.jsonl
printf '[{"id": 1, "image": "a.png", "choice": "cat", "annotator": 3, "annotation_id": 9, "lead_time": 2}]' > min.json
try softlab import --from label-studio-min min.json -o - -q
try softlab import --from label-studio min.json -o x.jsonl
try softlab import --from lable-studio studio.json -o x.jsonl
printf '[{"id": 1, "data": {"image": "a.png"}, "predictions": []}]' > tasks.json
try softlab labels tasks.json --method mv -o x.csv
printf '[{"a": 1}]' > list.json
try softlab quality list.json
# doccano and Potato.
mkdir ann
printf '{"id": 1, "text": "fine", "label": ["good"]}\n{"id": 2, "text": "hm", "label": []}\n' > ann.jsonl
printf '{"id": 1, "text": "fine", "label": ["bad"]}\n' > bob.jsonl
try softlab import --from doccano ann.jsonl bob.jsonl -o -
printf '{"id": 1, "text": "fine", "label": [[0, 4, "good"]]}\n' > spans.jsonl
try softlab import --from doccano spans.jsonl -o x.jsonl
printf '{"id": "t1", "displayed_text": "x", "label_annotations": {"mood": {"good": "true"}}}\n' > ann/annotated_instances.jsonl
try softlab import --from potato ann/annotated_instances.jsonl -o - -q
printf 'user,instance_id,displayed_text,mood:::good,mood:::bad\nann,t1,x,1,\nbob,t1,x,,1\n' > annotated_instances.csv
try softlab labels annotated_instances.csv --method mv -o - -q
# Toloka and Mechanical Turk.
printf 'INPUT:image\tOUTPUT:result\tASSIGNMENT:worker_id\tASSIGNMENT:status\na.png\tcat\tw1\tAPPROVED\na.png\tdog\tw2\tREJECTED\n' > pool.tsv
try softlab import --from toloka pool.tsv -o -
printf 'HITId,WorkerId,WorkTimeInSeconds,Answer.animal,Answer.sure\nH1,W1,12,cat,yes\n' > batch.csv
try softlab import --from mturk batch.csv -o x.jsonl
try softlab import --from mturk --columns label=Answer.animal batch.csv -o - -q
printf 'HITId,WorkerId,animal\nH1,W1,cat\n' > near.csv
try softlab labels near.csv --method mv -o x.csv
try ls x.jsonl x.csv
