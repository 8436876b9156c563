#!/bin/sh
# Mishaps of a cluster: slurm.sh PROGRAM. More runs than an array may have tasks, a preempted task and
# a node that dies; the results stay those of a local run.
. "$(dirname "$0")/../tools/support.sh"
. "$(dirname "$0")/../support/slurm.sh"
program=$(realpath "$1")
if [ "${SOFTLAB_STRICT:-0}" != 1 ] && ! command -v slurmctld >/dev/null; then
    echo "slurm left out: no slurmctld; tools/bootstrap scale installs it"
    exit 0
fi
slurm_need
trap 'slurm_stop; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# spec NAME EPOCHS SEEDS
spec() {
    cat >"$1.json" <<JSON
{"softlab": "experiment", "version": 1, "name": "$1", "title": "Seeds", "needs": ["train"],
 "sets": {"hard": {"labels": null}}, "networks": ["resnet8"], "recipe": "quick",
 "settings": {"epochs": $2, "batch": 8}, "data": "shapes:n=64,size=16", "seeds": [$3],
 "tests": {"new": {"data": "shapes:n=8,size=16,seed=2", "labels": "hard", "metrics": ["accuracy"]}}}
JSON
}
epochs_of() { # the epochs that the part of the only run in FOLDER has trained
    cat "$1"/parts/*/runs/*/log.jsonl 2>/dev/null | wc -l
}
has_trained() { # FOLDER EPOCHS
    [ "$(epochs_of "$1")" -ge "$2" ]
}
has_checkpoint() { # FOLDER
    [ -s "$(echo "$1"/parts/*/runs/*/checkpoint.safetensors)" ]
}
# A line of the log states how long its epoch took. So the first line is another one if the first
# epoch was trained again.
note_first() { # FOLDER
    head -n 1 "$1"/parts/*/runs/*/log.jsonl >"$1.first" && grep -q '"epoch":1,' "$1.first"
}
has_resumed() { # FOLDER: a finished run whose first epoch is the one that was noted
    head -n 1 "$1"/runs/*/log.jsonl | cmp - "$1.first"
}

# ---- More runs than tasks ----

slurm_start "MaxArraySize=5" "PreemptType=preempt/partition_prio" "PreemptMode=REQUEUE" \
    "PartitionName=low Nodes=n1 PriorityTier=1" "PartitionName=high Nodes=n1 PriorityTier=9"
spec many 1 1,2,3,4,5,6,7,8,9,10
passes "ten runs here" "$program" run many.json -o many-here
passes "ten runs in an array of at most four tasks" \
    "$program" run many.json --launcher slurm --slurm time=10 -o many-there
says "are packed" "10 runs in 4 tasks"
passes "and have the same results" same_results many-here many-there

# ---- A submission that never arrives ----

mkdir dead
printf '#!/bin/sh\nkill -KILL $$\n' >dead/sbatch
chmod +x dead/sbatch
spec short 1 1
fails "an sbatch that is killed leaves it open whether there is a job" "Slurm may run the job all the same" \
    env "PATH=$scratch/dead:$PATH" "$program" run short.json --launcher slurm --slurm time=10 -o never
fails "until it is known, nothing else is submitted" "never has a Slurm job without a number" \
    "$program" run short.json --launcher slurm --slurm time=10 -o never
passes "the watch looks for it" "$program" run --watch -o never
says "and gives up" "Slurm has no job of an interrupted submission"
passes "then the runs can be submitted" "$program" run short.json --launcher slurm --slurm time=10 -o never
says "and are made" "1 run made"

# ---- Preemption ----

spec long 40 1
passes "a long run here" "$program" run long.json -o long-here
"$program" run long.json --launcher slurm --slurm partition=low,time=30 -o preempted >said 2>&1 &
watching=$!
wait_for 300 has_trained preempted 3
report $? "a long run begins in the partition of low priority"
note_first preempted
report $? "and logs its first epoch"
printf '#!/bin/sh\nsleep 3\n' >urgent
passes "an urgent job takes its node" sbatch --partition=high --exclusive --time=5 urgent
wait_for 300 sh -c "scontrol show job \$(squeue --noheader --partition=low --format=%A | head -n 1) | grep -q Restarts=1"
report $? "and the run is requeued"
# Its checkpoint is gone once it has ended, which may be by now; the log below shows that it was there.
wait $watching
report $? "it ends all the same"
passes "it resumed, and trained no epoch twice" has_resumed preempted
passes "with the results of the run that nothing disturbed" same_results long-here preempted

# ---- A node dies ----

# A dead node gives no notice, so the run must last longer than the time between two checkpoints. Slurm
# waits two minutes before a requeued job may begin again.
spec longer 700 1
passes "a longer run here" "$program" run longer.json -o longer-here
"$program" run longer.json --launcher slurm --slurm time=30 -o died >said 2>&1 &
watching=$!
wait_for 300 has_checkpoint died
report $? "a longer run begins and writes a checkpoint"
note_first died
report $? "and logs its first epoch"
node=$(squeue --noheader --format=%N | head -n 1)
job=$(squeue --noheader --format=%A | head -n 1)
pid=$(scontrol listpids "$job" "$node" | awk 'NR > 1 { print $1; exit }')
eval "daemon=\$slurm_$node"
kill -KILL "$daemon"
passes "its node dies" scontrol update "nodename=$node" state=down reason=test
kill -KILL "$pid" 2>/dev/null # if Slurm's own process has not ended it
wait $watching
report $? "the run moves to the other node and ends"
passes "it resumed, and did not begin again" has_resumed died
passes "with the results of the run that nothing disturbed" same_results longer-here died
finish
