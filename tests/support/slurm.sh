# A real Slurm cluster of two nodes on this machine, in $scratch/slurm, on loopback only: munged,
# slurmctld and a slurmd per node, all children of the test. Source it after support.sh, then call
# slurm_start; slurm_stop ends every daemon and belongs into the test's EXIT trap.
# shellcheck shell=sh
# shellcheck disable=SC2086,SC2154,SC2120 # numbers of processes are words; support.sh sets scratch
PATH=$PATH:/usr/sbin:/sbin
slurm=$scratch/slurm
slurm_daemons=

# slurm_need: skip the test without Slurm; with SOFTLAB_STRICT=1 it fails instead.
slurm_need() {
    for needed in munged slurmctld slurmd sbatch squeue; do
        command -v "$needed" >/dev/null && continue
        echo "skipped: no $needed (tools/bootstrap scale installs it)"
        [ "${SOFTLAB_STRICT:-0}" = 1 ] && exit 1
        exit 77
    done
}

slurm_daemon() { # NAME COMMAND...: start it and remember its process as slurm_NAME
    name=$1
    shift
    "$@" >"$slurm/$name.out" 2>&1 &
    eval "slurm_$name=$!"
    slurm_daemons="$slurm_daemons $!"
}

slurm_stop() {
    # Tasks live on without their slurmd: end them first.
    if [ -n "$slurm_daemons" ] && scancel --signal=KILL --full --user="$(id -un)" 2>/dev/null; then
        waited=0
        while [ $waited -lt 50 ] && [ -n "$(squeue --noheader --states=running,completing 2>/dev/null)" ]; do
            waited=$((waited + 1))
            sleep .1
        done
    fi
    # Nodes first: they end their tasks. A daemon that was killed by the test is gone already.
    for daemon in $(printf '%s\n' $slurm_daemons | tac); do
        kill "$daemon" 2>/dev/null
    done
    [ -z "$slurm_daemons" ] || wait $slurm_daemons 2>/dev/null
    slurm_daemons=
}

# slurm_configure FIRST_PORT [LINE...]: slurm.conf, with lines that a test adds.
slurm_configure() {
    port=$1
    shift
    cat >"$slurm/slurm.conf" <<END
ClusterName=softlab
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket,cred_expire=5
CryptoType=crypto/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/%n.spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
KillWait=5
MinJobAge=300
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 RealMemory=4000
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 RealMemory=4000
PartitionName=work Nodes=n1,n2 Default=YES State=UP
END
    printf '%s\n' "$@" >>"$slurm/slurm.conf"
}

slurm_is_up() {
    [ "$(sinfo --noheader --Node --states=idle 2>/dev/null | wc -l)" -ge 2 ]
}

# slurm_start [LINE...]: begin a cluster and wait until both nodes are idle.
slurm_start() {
    export SLURM_CONF="$slurm/slurm.conf"
    tries=0
    while :; do
        tries=$((tries + 1))
        [ $tries -le 5 ] || {
            cat "$slurm"/*.out "$slurm"/*.log
            echo "the cluster does not start"
            exit 1
        }
        rm -rf "$slurm"
        mkdir -p "$slurm/state" "$slurm/n1.spool" "$slurm/n2.spool"
        # Daemons refuse a folder that others can write.
        chmod 755 "$scratch" "$slurm"
        head -c 1024 /dev/urandom >"$slurm/munge.key"
        chmod 600 "$slurm/munge.key"
        slurm_configure $((21000 + ($$ * 7 + tries * 131) % 20000)) "$@"
        slurm_daemon munged munged --foreground --force --key-file="$slurm/munge.key" \
            --socket="$slurm/munge.socket" --pid-file="$slurm/munged.pid" \
            --seed-file="$slurm/munge.seed" --log-file="$slurm/munged.log"
        slurm_daemon ctld slurmctld -D -i
        slurm_daemon n1 slurmd -D -N n1
        slurm_daemon n2 slurmd -D -N n2
        waited=0
        while [ $waited -lt 300 ] && kill -0 $slurm_ctld 2>/dev/null; do
            slurm_is_up && return 0
            waited=$((waited + 1))
            sleep .1
        done
        slurm_stop # a port was taken, most likely: try others
    done
}

same_results() { # A B: equal result lines but for "time"
    for results in "$1" "$2"; do
        sed 's/"time":{[^}]*}//' "$results/results.jsonl" >"$results.compared"
    done
    cmp "$1.compared" "$2.compared"
}

wait_for() { # SECONDS COMMAND...: until it succeeds
    most_tries=$(($1 * 10))
    shift
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt $most_tries ] || return 1
        sleep .1
    done
}
