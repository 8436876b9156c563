#!/bin/sh
# slurm_shared.sh PROGRAM: a training that several runs need is made once on a Slurm cluster, also if
# the runs belong to two experiments and nobody watches.
. "$(dirname "$0")/support.sh"
. "$(dirname "$0")/../support/slurm.sh"
program=$1
slurm_need
trap 'slurm_stop; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# spec NAME SIZE: three fine-tunings for each of two networks, scored on a test set of SIZE. The trainings
# that they share take seconds, so that a task which does not wait makes one of its own.
spec() {
    cat >"$1.json" <<JSON
{"softlab": "experiment", "version": 1, "name": "$1", "title": "Fine-tuning", "needs": ["train"],
 "sets": {"hard": {"labels": null}}, "networks": ["resnet8", "mlp"], "recipe": "quick",
 "start": {"recipe": "quick", "data": "shapes:n=24,size=8", "settings": {"epochs": 100, "batch": 8}},
 "settings": {"epochs": 1, "batch": 8}, "data": "shapes:n=24,size=8,seed=3", "seeds": [1, 2, 3],
 "tests": {"new": {"data": "shapes:n=$2,size=8,seed=2", "labels": "hard", "metrics": ["accuracy"]}}}
JSON
}
spec first 8
spec second 16
passes "two experiments with the same trainings, here" "$program" run first.json second.json -o here
trainings() { # FOLDER: logs of the trainings that its parts have made
    find "$1/parts" -name 'runs-*-weights.safetensors.log' | sed 's|.*/||' | sort
}

# ---- Commands ----

"$program" run first.json --launcher print -o printed >commands 2>"$scratch/output"
passes "the runs that make what others share are printed first" sh -c "head -n 2 commands | xargs -d '\n' -n 1 sh -c"
[ "$(trainings printed | wc -l)" -eq 4 ]
report $? "two networks, each trained and tuned once"
passes "the others may run in any order" sh -c "tail -n 4 commands | xargs -d '\n' -n 1 -P 2 sh -c"
[ "$(trainings printed | wc -l)" -eq 8 ] && [ -z "$(trainings printed | uniq -d)" ]
report $? "and train nothing again"

# ---- Jobs ----

# shellcheck disable=SC2119 # no lines for slurm.conf
slurm_start
# Held until the watch has ended, which would join parts and with them the logs.
env --default-signal=INT "$program" run first.json second.json --launcher slurm --slurm time=10,hold -o there \
    >"$scratch/output" 2>&1 &
watching=$!
# The runs of the first: one for each network, then those that wait for it. Each run of the second
# waits for other tasks, and is a job by itself.
has_jobs() {
    [ "$(grep -c "Slurm job" "$scratch/output")" -eq "$1" ]
}
wait_for 60 has_jobs 9
report $? "nine jobs are submitted"
says "the first needs nothing" "first: Slurm job 1: 2 runs in 2 tasks of 1 core"
says "the others wait for it" "first: Slurm job 2: 2 runs in 2 tasks of 1 core"
[ "$(grep -c "after the tasks whose trainings it needs" "$scratch/output")" -eq 8 ]
report $? "and the output says so"
kill -INT $watching
wait $watching
for job in $(squeue --noheader --format=%A); do
    scontrol release "$job"
done
is_idle() {
    [ -z "$(squeue --noheader)" ]
}
wait_for 120 is_idle
report $? "all jobs end while nobody watches"
[ "$(trainings there | wc -l)" -eq 8 ] && [ -z "$(trainings there | uniq -d)" ]
report $? "every training was made once"
passes "the watch joins the results" "$program" run --watch -o there
for folder in here there; do
    sed 's/"time":{[^}]*}//' $folder/results.jsonl | sort >$folder.compared
done
passes "which are those of a local run" cmp here.compared there.compared
[ -z "$(ls there/parts)" ]
report $? "and no part is left"
finish
