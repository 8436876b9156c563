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
same() { # A B: equal result lines but for "time"
    for results in "$1" "$2"; do
        sed 's/"time":{[^}]*}//' "$results/results.jsonl" >"$results.compared"
    done
    cmp "$1.compared" "$2.compared"
}
wait_for() { # COMMAND...: until it succeeds, at most five minutes
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || return 1
        sleep .1
    done
}
epochs_of() { # the epochs that the part of the only run in FOLDER has trained
    cat "$1"/parts/*/runs/*/log.jsonl 2>/dev/null | wc -l
}
has_trained() { # FOLDER EPOCHS
    [ "$(epochs_of "$1")" -ge "$2" ]
}

# ---- More runs than tasks ----

slurm_start "MaxArraySize=5" "PreemptType=preempt/partition_prio" "PreemptMode=REQUEUE" \
    "PartitionName=low Nodes=n1 PriorityTier=1" "PartitionName=high Nodes=n1 PriorityTier=9"
spec many 1 1,2,3,4,5,6,7,8,9,10
passes "ten runs here" "$program" run many.json -o many-here
passes "ten runs in an array of at most four tasks" \
    "$program" run many.json --launcher slurm --slurm time=10 -o many-there
says "are packed" "10 runs in 4 tasks"
passes "and have the same results" same many-here many-there

# ---- Preemption ----

spec long 40 1
passes "a long run here" "$program" run long.json -o long-here
"$program" run long.json --launcher slurm --slurm partition=low,time=30 -o preempted >said 2>&1 &
watching=$!
wait_for has_trained preempted 3
report $? "a long run begins in the partition of low priority"
printf '#!/bin/sh\nsleep 3\n' >urgent
passes "an urgent job takes its node" sbatch --partition=high --exclusive --time=5 urgent
wait_for sh -c "scontrol show job \$(squeue --noheader --partition=low --format=%A | head -n 1) | grep -q Restarts=1"
report $? "and the run is requeued"
wait $watching
report $? "it ends all the same"
passes "with the results of the run that nothing disturbed" same long-here preempted

# ---- A node dies ----

"$program" run long.json --launcher slurm --slurm time=30 -o died >said 2>&1 &
watching=$!
wait_for has_trained died 3
report $? "a long run begins"
node=$(squeue --noheader --format=%N | head -n 1)
job=$(squeue --noheader --format=%A | head -n 1)
pid=$(scontrol listpids "$job" "$node" | awk 'NR > 1 { print $1; exit }')
eval "daemon=\$slurm_$node"
kill -KILL "$daemon"
passes "its node dies" scontrol update "nodename=$node" state=down reason=test
kill -KILL "$pid" 2>/dev/null # if Slurm's own process has not ended it
wait $watching
report $? "the run moves to the other node and ends"
passes "with the results of the run that nothing disturbed" same long-here died
finish
