#!/bin/sh
# SPDX-License-Identifier: MIT
# slurm.sh PROGRAM: the batch script of examples/ under a Slurm of its own, which it starts here, with this machine as its one node, and ends
# again: PROGRAM, a tune_network_mpi, tunes on four ranks; Slurm's signal before the job's end requeues it; it goes on from the log, and
# ends with status 0. It needs `scripts/needs slurm`, no rights, and no other Slurm. Exit status 77: there is no Slurm here. Some five minutes.
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")/../../../.."
script=$PWD/packages/mpi/examples/slurm.sh
for needed in munged slurmctld slurmd srun sbatch; do
    command -v $needed >/dev/null || PATH=$PATH:/usr/sbin
    command -v $needed >/dev/null || { echo "slurm.sh: not run: $needed is not installed: scripts/needs slurm"; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/tunekit-slurm.XXXXXX")
started=''
finish() {
    for child in $started; do kill "$child" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
bad=0
fail() {
    echo "FAILED: $1"
    bad=1
}
# starts NAME COMMAND...: a daemon of ours, whose output goes to a file.
starts() {
    name=$1
    shift
    "$@" >"$work/$name.out" 2>&1 &
    started="$! $started"
}

# One node, said to have sixteen processors, on ports that the usual Slurm does not have. (Two nodes of one machine share what PMIx has in /tmp.)
host=$(hostname -s) user=$(id -un)
mkdir -p "$work/state" "$work/spool" "$work/munge" "$work/bin"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
chmod 711 "$work"
chmod 755 "$work/munge"
cat >"$work/slurm.conf" <<END
ClusterName=tunekit
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=${SLURM_MPI_TYPE:-pmix}
JobRequeue=1
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=26818 CPUs=16 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF="$work/slurm.conf"
starts munged munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed"
# within SECONDS COMMAND...: whether it succeeds by then.
within() {
    tries=$((10 * $1))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.1
    done
}
within 10 test -S "$work/munge/socket" || fail "munged: $(cat "$work/munged.out")"
starts slurmctld slurmctld -D
starts slurmd slurmd -D -N one
idle() { [ "$(sinfo -h -N -o '%T' | grep -c idle)" = 1 ]; }
within 60 idle || { fail "no node: $(sinfo -N 2>&1; cat "$work"/*.out; tail -n 5 "$work"/*.log)"; exit 1; }

# Each rank knows its place before MPI begins, and MPI knows the same.
ln -s "$program" "$work/bin/tune_network_mpi"
export PATH="$work/bin:$PATH" OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_vader_single_copy_mechanism=none
cd "$work"
seconds=90
sed "s/--network resnet18 --seconds 7200/--network alexnet --seconds $seconds --seed 3/" "$script" >job.sh
grep -q -- "--seconds $seconds" job.sh || fail 'the batch script has another command'
# Slurm may send its signal a minute before it should: half a minute after the job began, or later.
job=$(sbatch --parsable --nodes=1 --ntasks-per-node=4 --time=3 --signal=TERM@90 --output="$work/said" job.sh) || fail 'sbatch'
of_job() { scontrol show job "$job" | tr ' ' '\n' | sed -n "s/^$1=//p"; }
tells() { [ "$(grep -c '^{"tell"' run.jsonl 2>/dev/null)" -ge "$1" ]; }
restarted() { [ "$(of_job Restarts)" = 1 ]; }
within 90 tells 1 || fail "nothing is measured: $(cat said; tail -n 5 "$work"/*.log)"
within 200 restarted || fail "Slurm's signal does not requeue the job: $(of_job JobState); $(tail -n 20 said)"
before=$(grep -c '^{"tell"' run.jsonl)
model() { grep -c '^model latency ' said; }
[ "$(model)" = 1 ] || fail "the signal does not print what was found: $(cat said)"
echo "slurm.sh: requeued after $before trials; $(of_job JobState), $(of_job Reason)"
scontrol update jobid="$job" timelimit=10 || fail 'the job gets no longer limit' # it ends by itself this time; Slurm begins it after two minutes
ended() { of_job JobState | grep -qE 'COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL'; }
within 600 ended || fail "it does not end: $(of_job JobState) $(of_job Reason)"
[ "$(of_job JobState)" = COMPLETED ] && [ "$(of_job ExitCode)" = 0:0 ] || fail "it ends with $(of_job JobState), $(of_job ExitCode)"
[ "$(grep -c '^{"tell"' run.jsonl)" -gt "$before" ] || fail 'it does not go on from the log'
[ "$(model)" = 2 ] || fail "the resumed run has no table"
[ "$(grep -c '^A[0-9] .*+' said)" = 10 ] || fail "the tables do not have the trials of each worker"
grep -o '"host":"[^"]*"' run.jsonl | sort -u
[ $bad = 0 ] || tail -n 20 slurmctld.log slurmd.log
tail -n 12 said
exit $bad
