#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sweeps.sh WEFT: sweeps of 1,000 points as an array job and as an MPI job of the real Slurm, on
# three nodes that are all this machine, and under mpirun of Open MPI and MPICH. Tasks are killed, a
# node dies; the files are those of one undisturbed process. Needs the Debian packages slurmctld,
# slurmd, slurm-client and munge, and ports 26827 to 26833 of the loopback interface; openmpi-bin and
# mpich are left out where they are missing. All daemons run in a temporary folder and end by their
# process ids.
set -euo pipefail
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

bin=$(dirname "$(realpath -e -- "$1")")
folder=$(mktemp -d)
export PATH="$bin:$PATH" SLURM_CONF=$folder/slurm.conf
declare -A daemons=()

# start NAME COMMAND...
start() {
  local name=$1
  shift
  "$@" >"$folder/$name.out" 2>&1 &
  daemons[$name]=$!
}
# stop NAME [SIGNAL]
stop() {
  kill -"${2:-TERM}" "${daemons[$1]}" 2>/dev/null || true
  wait "${daemons[$1]}" 2>/dev/null || true
  unset "daemons[$1]"
}
clean_up() {
  local name
  for name in "${!daemons[@]}"; do stop "$name"; done
  rm -rf "$folder"
}
trap clean_up EXIT

ok() { printf 'ok    %s\n' "$*"; }
fail() {
  printf 'FAIL  %s\n' "$*"
  tail -n 20 -v "$folder"/*.log "$folder"/work/*.out >&2 2>/dev/null || true
  exit 1
}
# wait_for SECONDS CONDITION...
wait_for() {
  local i seconds=$1
  shift
  for ((i = 0; i < 10 * seconds; ++i)); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  fail "this did not come within $seconds s: $*"
}

configure() {
  local host
  host=$(hostname -s)
  cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
KillWait=2
SlurmdTimeout=5
ReturnToService=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
SlurmctldPort=26827
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[26831-26833] CPUs=2
PartitionName=all Nodes=ALL Default=YES
END
}

# nodes_are STATE COUNT
nodes_are() { (($(sinfo -h -N -t "$1" -o %n 2>/dev/null | wc -l) == $2)); }
job_is_over() { [[ -z $(squeue -h -j "$1" 2>/dev/null) ]]; }
points_in() { (($(wc -l 2>/dev/null <"$1" || echo 0) > $2)); }
# finished SHARD: the last line of its journal says so.
finished() { [[ $(tail -n 1 "curve.csv.$1-of-10.journal" 2>/dev/null) == *" end" ]]; }

start_slurm() {
  mkdir "$folder/state"
  configure
  head -c 1024 /dev/urandom >"$folder/munge.key"
  chmod 600 "$folder/munge.key"
  start munged munged --foreground --force --key-file="$folder/munge.key" \
    --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
  wait_for 20 test -S "$folder/munge.socket"
  start slurmctld slurmctld -D -c -f "$SLURM_CONF"
  local node
  for node in n1 n2 n3; do start $node slurmd -D -N $node -f "$SLURM_CONF"; done
  wait_for 60 nodes_are idle 3
}

sweep=(weft sweep mesh:dims=4x4 xy --cycles 20000 --warmup 100 --load '[0.05..0.5:0.05]'
       --seed '[1..100]')

# same WHAT: the file and the table.
same() {
  cmp curve.csv calm.csv >&2 || fail "$1: another file than the undisturbed one"
  cmp table.txt calm.txt >&2 || fail "$1: another table than the undisturbed one"
  ok "$1"
  rm -f curve.csv* pid.*
}
merge() { weft merge curve.csv.*-of-10.journal -o curve.csv >table.txt; }

# try_mpirun WHOSE PACKAGE COMMAND...: a rank is killed, and the same started again.
try_mpirun() {
  local whose=$1 package=$2 launcher
  shift 2
  if ! command -v "$1" >/dev/null; then
    printf 'left out: ranks of %s; they need %s\n' "$whose" "$package"
    return 0
  fi
  local job=("$@" bash -c 'echo $$ >"pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"; exec "$@"' rank
             "${sweep[@]}" --mpi -o curve.csv)
  "${job[@]}" >table.txt 2>mpi.err &
  launcher=$!
  wait_for 120 points_in curve.csv.2-of-4.journal 20
  kill -9 "$(<pid.1)"
  if wait "$launcher"; then fail "$whose does not notice that a rank is killed"; fi
  [[ ! -e curve.csv ]] || fail "$whose: merged too early"
  "${job[@]}" >table.txt 2>mpi.err || fail "$whose: $(<mpi.err)"
  [[ -z $(compgen -G 'curve.csv.*') ]] || fail "$whose: journals are left"
  same "4 ranks of $whose, one killed, and started again"
}

# An array job whose tasks note their processes, and those that Slurm has for them.
write_array_job() {
  cat >array.sh <<END
#!/bin/bash
#SBATCH --array=1-10 --requeue --open-mode=append --output=array-%a.out
echo \$PPID \$\$ >pid.\$SLURM_ARRAY_TASK_ID
exec ${sweep[@]@Q} --shard \$SLURM_ARRAY_TASK_ID/10 --jobs 1 -o curve.csv
END
}

# Three tasks are killed, and submitted again by their numbers.
try_killed_tasks() {
  local job task cut=0
  job=$(sbatch --parsable array.sh)
  for task in 1 2 4; do
    wait_for 120 points_in "curve.csv.$task-of-10.journal" 5
    kill -9 "$(cut -d' ' -f2 "pid.$task")"
  done
  wait_for 300 job_is_over "$job"
  for task in {1..10}; do finished "$task" || cut=$((cut + 1)); done
  ((cut == 3)) || fail "$cut shards instead of 3 were cut short"
  if merge 2>merge.txt; then fail "merged without them"; fi
  grep -q 'is not finished: its command resumes it' merge.txt || fail "$(<merge.txt)"
  job=$(sbatch --parsable --array=1,2,4 array.sh)
  wait_for 300 job_is_over "$job"
  merge
  same "an array job of 10 tasks, 3 of them killed and submitted again"
}

# A node dies, with its daemon, tasks and the daemon of each: Slurm starts them again elsewhere.
try_dead_node() {
  local job task tasks
  job=$(sbatch --parsable array.sh)
  wait_for 120 points_in curve.csv.1-of-10.journal 5
  tasks=$(squeue -h -r -j "$job" -t R -w n1 -o %K)
  [[ -n $tasks ]] || fail "no task runs on node n1"
  stop n1 KILL
  for task in $tasks; do
    # shellcheck disable=SC2046
    kill -9 $(<"pid.$task") || fail "task $task was over"
  done
  wait_for 60 nodes_are down 1
  wait_for 300 job_is_over "$job"
  merge
  same "an array job, one of whose nodes dies: Slurm starts its tasks ${tasks//$'\n'/ } again"
  start n1 slurmd -D -N n1 -f "$SLURM_CONF"
  wait_for 60 nodes_are idle 3
}

try_mpi_job() {
  cat >mpi.sh <<END
#!/bin/bash
#SBATCH --ntasks=6 --output=mpi.out
srun ${sweep[@]@Q} --mpi -o curve.csv >table.txt
END
  sbatch --wait mpi.sh >submitted.txt || fail "the MPI job: $(<mpi.out)"
  same "an MPI job of 6 ranks"
  printf '#!/bin/bash\nweft sweep ring dor --seed "[1,2]" --mpi -o r.csv\n' >batch.sh
  if sbatch --wait --ntasks=2 --output=batch.out batch.sh >submitted.txt; then
    fail "the script of a job took itself for a rank"
  fi
  grep -q '^weft: --mpi: the environment names no rank ' batch.out || fail "$(<batch.out)"
  ok "the script of a job is no rank"
}

mkdir "$folder/work"
cd "$folder/work"
"${sweep[@]}" --jobs 1 -o calm.csv >calm.txt
try_mpirun "Open MPI" openmpi-bin mpirun.openmpi --oversubscribe -n 4
try_mpirun MPICH mpich mpirun.mpich -n 4
start_slurm
write_array_job
try_killed_tasks
try_dead_node
try_mpi_job
