#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# slurm.sh WEFT: Slurm's controller loads what `weft export slurm` writes, and shows the same tree.
# Needs the Debian packages slurmctld and slurm-client, and ports 26817 and 26818 of the loopback
# interface, but no root rights. The controller runs in a temporary folder, for some seconds.
set -euo pipefail
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"

weft=$(realpath -e -- "$1")
folder=$(mktemp -d)
controller=''
clean_up() {
  [[ -z $controller ]] || { kill "$controller" && wait "$controller"; } 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT
cd "$folder"
export SLURM_CONF=$folder/slurm.conf

# configure NODES COUNT: a cluster without accounting, whose nodes are never asked.
configure() {
  cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=$(id -un)
AuthType=auth/none
CredType=cred/none
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/state/pid
SlurmctldLogFile=$folder/log
SlurmctldPort=26817
SlurmdPort=26818
TopologyPlugin=topology/tree
NodeName=$1 NodeAddr=127.0.0.[1-$2] CPUs=1
PartitionName=all Nodes=ALL
END
}

# shown: what Slurm shows, as lines of topology.conf.
shown() { sed -E 's/ Level=[0-9]+//; s/ LinkSpeed=[0-9]+//; s/ Nodes=\S+ Switches=/ Switches=/'; }

# try FABRIC HOSTS
try() {
  "$weft" export slurm "$1" -o topology.conf >/dev/null
  configure "$(sed -n 's/.*Nodes=//p' topology.conf | paste -sd,)" "$2"
  rm -rf state log
  mkdir state
  timeout 60 slurmctld -D -c -f slurm.conf >/dev/null 2>&1 &
  controller=$!
  for ((i = 0; i < 50; ++i)); do
    timeout 5 scontrol show topology >topology.txt 2>/dev/null && break
    sleep 0.2
  done
  kill "$controller"
  wait "$controller" || true
  controller=''
  diff <(grep -v '^#' topology.conf) <(shown <topology.txt) ||
    { printf 'FAIL  %s: Slurm shows another tree\n' "$1"; tail -n 5 log; exit 1; }
  printf 'ok    %s: %s switches of Slurm\n' "$1" "$(wc -l <topology.txt)"
}

try clos3:radix=4 16
try clos2:leaves=6,spines=3,hosts=4 24
try dragonfly:a=4,h=1,p=2 40
try torus:dims=4x4,hosts=2 32
