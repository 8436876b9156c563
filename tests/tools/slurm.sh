#!/bin/sh
# slurm.sh PROGRAM: experiments on a real Slurm cluster of two nodes, and the commands that
# --launcher print prints, give what a local run gives.
. "$(dirname "$0")/support.sh"
. "$(dirname "$0")/../support/slurm.sh"
program=$1
slurm_need
trap 'slurm_stop; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
echo item,annotator,label >votes.csv
item=0
for class in circle square triangle star heart cross; do
    item=$((item + 1))
    printf 'shapes-00000%s,%s\n' $item a,$class $item b,$class $item c,circle >>votes.csv
done
cat >spec.json <<'JSON'
{"softlab": "experiment", "version": 1, "name": "mine", "title": "Two sets, two seeds",
 "needs": ["train"], "sets": {"hard": {"labels": null},
 "votes": {"answers": "{spec}/votes.csv", "method": "share"}},
 "networks": ["resnet8"], "recipe": "quick", "settings": {"epochs": 1, "batch": 4},
 "data": "shapes:n=12,size=8", "seeds": [1, 2],
 "tests": {"new": {"data": "shapes:n=8,size=8,seed=2", "labels": "hard", "metrics": ["accuracy"]}}}
JSON
sed 's/"epochs": 1,/"epochs": 100000,/; s/\[1, 2\]/[1]/; s/"mine"/"endless"/' spec.json >endless.json

same() { # A B: six equal lines
    same_results "$1" "$2" && [ "$(wc -l <"$1/results.jsonl")" -eq 6 ]
}
passes "a local run" "$program" run spec.json -o local
[ $failures -eq 0 ] || finish # nothing to compare with

# ---- Any scheduler ----

fails "without Slurm the launcher says so" "scontrol is not in PATH" \
    env PATH=/nonexistent "$program" run spec.json --launcher slurm -o none
"$program" run spec.json --launcher print -o "printed here" >commands 2>"$scratch/output"
[ "$(grep -c -- '--run [0-9a-f]\{64\}$' commands)" -eq 4 ] && [ ! -e "printed here/results.jsonl" ]
report $? "a command per run is printed, and nothing is made"
passes "the commands run in any order, two at a time" sh -c "tac commands | xargs -d '\n' -n 1 -P 2 sh -c"
[ ! -e "printed here/results.jsonl" ]
report $? "and leave results.jsonl to its one writer"
passes "the next run joins them" "$program" run spec.json -o "printed here"
says "without making them again" "0 runs made, 4 there before"
passes "with the results of the local run" same local "printed here"
[ -z "$(ls "printed here/parts")" ]
report $? "and no part is left"
fails "a path of two lines is refused, for a command is a line" "a path has a line break" \
    "$program" run spec.json --launcher print -o "two
lines"
key=$(sed -n 's/.*--run \([0-9a-f]\{8\}\).*/\1/p' commands | head -n 1)
passes "a run can be named by the beginning of its key" "$program" run spec.json -o few --run "$key"
fails "a key that no run has is refused" 'mine has no run with the key "zz"' \
    "$program" run spec.json -o few --run zz

# ---- An array ----

: >none.conf # of a file that is not there, Slurm's commands are sure only after a minute
fails "a cluster that does not answer is named as the reason" "Slurm does not answer: check that slurmctld" \
    env SLURM_CONF="$scratch/none.conf" "$program" run spec.json --launcher slurm -o none
# shellcheck disable=SC2119 # no lines for slurm.conf
slurm_start
# What a user sets for squeue, scancel and sbatch must not hide tasks, or make sbatch wait.
passes "an array" env SQUEUE_PARTITION=nosuch SQUEUE_STATES=failed SBATCH_WAIT=1 \
    SBATCH_ERROR=/nonexistent/x SBATCH_COMMENT=mine "$program" run spec.json --launcher slurm -o array
says "is submitted with estimates" "4 runs in 4 tasks of 1 core"
passes "with the results of the local run" same local array
passes "leaves what a local run leaves" "$program" run spec.json -o array
says "so nothing is to do" "0 runs made, 4 there before"
fails "a partition that the cluster has not is refused" "Invalid partition name specified" \
    "$program" run spec.json --launcher slurm --slurm partition=nosuch,time=10 -o refused
[ -z "$(ls refused/slurm)" ]
report $? "and nothing is left of it"
fails "a typing error is named" "unrecognized option '--partitoin=work'" \
    "$program" run spec.json --launcher slurm --slurm partitoin=work,time=10 -o refused
fails "a word that is no option is refused" '--slurm: "time=" is not an option of sbatch' \
    "$program" run spec.json --launcher slurm --slurm time= -o refused
fails "so is one that softlab needs itself" "--slurm: array cannot be given" \
    "$program" run spec.json --launcher slurm --slurm array=1-3 -o refused
fails "a folder that sbatch cannot name is refused" "a folder whose path has a backslash" \
    "$program" run spec.json --launcher slurm -o 'back\slash'
fails "a folder without jobs cannot be followed" "refused has no Slurm job to follow" \
    "$program" run --watch -o refused

# ---- Tasks that end ----

env --default-signal=INT "$program" run endless.json --launcher slurm --slurm time=10 -o ends >said 2>&1 &
watching=$!
is_training() { # FOLDER COUNT: so many trainings have begun
    [ "$(find "$1/parts" -name log.jsonl -size +0 2>/dev/null | wc -l)" -ge "$2" ]
}
wait_for 60 is_training ends 2
report $? "two endless runs train"
kill -INT $watching
wait $watching
cp said "$scratch/output"
says "Ctrl-C stops watching, and says how to go on" "softlab run --watch -o ends"
fails "the folder belongs to its jobs" "ends has Slurm job" "$program" run endless.json -o ends
fails "also for another job" "ends has Slurm job" "$program" run endless.json --launcher slurm -o ends
# The first task is killed as a node without memory does it, the other is cancelled.
first=$(squeue --noheader --array --format='%K %A' | awk '$1 == 1 { print $2 }')
kill -KILL "$(scontrol listpids "$first" | awk 'NR > 1 { print $1; exit }')"
report $? "a task is killed"
passes "the job is cancelled" env SCANCEL_PARTITION=nosuch "$program" run --cancel -o ends
says "the killed run has failed" "signal 9"
says "and the other was cancelled" "it was cancelled"
[ "$(grep -c '"softlab":"failure"' ends/failures.jsonl)" -eq 2 ]
report $? "both are in failures.jsonl"
[ -z "$(squeue --noheader)" ]
report $? "and no job is left"

# ---- Tasks that wait ----

script -qec "'$program' run endless.json --launcher slurm --slurm time=10,begin=now+1hour -o waits" \
    typed </dev/null >"$scratch/output" 2>&1 &
watching=$!
wait_for 60 grep -qF "2 waiting (BeginTime)" typed
report $? "a terminal shows how many wait, and for what"
scancel "$(squeue --noheader --format=%F | head -n 1)"
wait $watching

# ---- Ctrl-C that cancels ----

# Hard labels are trained for one epoch, votes without end.
sed 's/"labels": null/"labels": null, "settings": {"epochs": 1}/; s/"epochs": 1, "batch"/"epochs": 100000, "batch"/; s/"mine"/"mixed"/' \
    spec.json >mixed.json
fails "--cancel beside a local run is refused" "has no effect with --cancel" \
    "$program" run spec.json --cancel -o local
fails "and beside commands that are printed" "--launcher has no effect with --cancel" \
    "$program" run --launcher print --cancel -o local
is_half_way() { # FOLDER: both short runs are joined, both others train
    [ "$(grep -c '"softlab":"result"' "$1/results.jsonl")" -eq 2 ] && is_training "$1" 2
}
catches_interrupts() { # PROCESS: the second bit of its mask of caught signals
    grep -q '^SigCgt:.*[2367abef]$' "/proc/$1/status"
}
# interrupt FOLDER WORD...: run softlab with these words, and press Ctrl-C when the folder is half way.
interrupt() {
    folder=$1
    shift
    env --default-signal=INT "$program" run "$@" -o "$folder" >"$scratch/output" 2>&1 &
    watching=$!
    wait_for 60 is_half_way "$folder" && wait_for 60 catches_interrupts $watching
    report $? "two runs are made, two train"
    kill -INT $watching
    wait $watching
    [ $? -eq 130 ]
    report $? "Ctrl-C ends the command as it ends a local run"
}
is_cancelled() { # FOLDER
    says "the jobs were cancelled" "the Slurm jobs were cancelled, and what they finished is in $1"
    [ -z "$(squeue --noheader)" ] && [ -e "$(echo "$1"/slurm/*/closed.json)" ]
    report $? "no job is left, and none is open"
    [ "$(grep -c "it was cancelled" "$1/failures.jsonl")" -eq 2 ] && [ "$(grep -c '"softlab":"result"' "$1/results.jsonl")" -eq 2 ]
    report $? "two runs have failed, and the finished ones are kept"
}
interrupt launched mixed.json --launcher slurm --slurm time=10 --cancel
is_cancelled launched
interrupt watched mixed.json --launcher slurm --slurm time=10
says "without --cancel the jobs go on" "the Slurm jobs go on"
interrupt watched --watch --cancel
is_cancelled watched

# ---- A submission that is cut off ----

# A controller that answers late: sbatch submits, and ends when the test lets it go on. WITH_END is
# how it ends then.
mkdir slow
cat >slow/sbatch <<END
#!/bin/sh
$(command -v sbatch) "\$@" || exit
touch "$scratch/submitted"
tries=0
until [ -e "$scratch/go" ] || [ \$tries -ge 600 ]; do
    tries=\$((tries + 1))
    sleep .1
done
eval "\$WITH_END"
END
chmod +x slow/sbatch
# cut SIGNAL FOLDER WORD...: run softlab in a process group of its own, and send the group a signal
# while sbatch runs. A killed shell's children would report to nobody, so only softlab is killed.
cut() {
    signal=$1
    folder=$2
    shift 2
    rm -f submitted go
    WITH_END=${WITH_END:-} PATH=$scratch/slow:$PATH env --default-signal=INT setsid \
        "$program" run "$@" --launcher slurm --slurm time=10 -o "$folder" >"$scratch/output" 2>&1 &
    cutting=$!
    wait_for 60 test -e submitted
    report $? "a job is submitted, and sbatch still runs"
    case $signal in
    INT) kill -s INT -- "-$cutting" ;;
    KILL) kill -KILL $cutting ;;
    esac
    touch go
    wait $cutting
    cut_status=$?
}
cut INT interrupted endless.json spec.json
[ $cut_status -eq 130 ]
report $? "Ctrl-C during sbatch ends the command as an interrupted one"
says "which names the job" "Slurm job $(squeue --noheader --format=%F | head -n 1): 2 runs in 2 tasks"
says "that goes on" "the Slurm jobs go on"
[ "$(find interrupted/slurm -name script | wc -l)" -eq 1 ]
report $? "and submits no further experiment"
passes "the job can be cancelled" "$program" run --cancel -o interrupted
[ -z "$(squeue --noheader)" ]
report $? "and is gone"

cut KILL killed endless.json
fails "the folder of a killed submission belongs to its job" "killed has a Slurm job without a number" \
    "$program" run endless.json -o killed
passes "which can be cancelled" "$program" run --cancel -o killed
says "and both runs have failed" "2 failed"
[ -z "$(squeue --noheader)" ] && [ -e "$(echo killed/slurm/*/closed.json)" ]
report $? "and no job is left"

# shellcheck disable=SC2016 # for the shell of sbatch
WITH_END='kill -TERM $$' cut none adopted spec.json
[ $cut_status -eq 0 ]
report $? "a job that Slurm took although sbatch failed is followed"
passes "with the results of the local run" same local adopted
finish
