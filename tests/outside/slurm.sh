# A Slurm of one machine, for the time of a test. Sourced after tests/mpi/lib.sh.

# slurm_start: srun works afterwards, until the test ends; else $slurm_missing says why not.
slurm_start()
{
    slurm_missing=
    for program in slurmctld slurmd srun python3; do
        command -v $program >/dev/null || { slurm_missing="no $program"; return 1; }
    done
    slurm=$dir/slurm
    mkdir -p "$slurm/state" "$slurm/spool"
    set -- $(python3 -c 'import socket
free = [socket.create_server(("127.0.0.1", 0)) for i in range(2)]
print(*(s.getsockname()[1] for s in free))')
    cat >"$slurm/slurm.conf" <<END
ClusterName=check
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$2
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=4
PartitionName=all Nodes=ALL Default=YES
END
    SLURM_CONF=$slurm/slurm.conf
    export SLURM_CONF
    timeout -k 3 600 slurmctld -D >"$slurm/slurmctld.log" 2>&1 &
    slurm_pids=$!
    timeout -k 3 600 slurmd -D >"$slurm/slurmd.log" 2>&1 &
    slurm_pids="$slurm_pids $!"
    trap 'kill $slurm_pids 2>/dev/null; wait; rm -rf "$dir"' EXIT
    for second in $(seq 30); do
        test "$(timeout 5 sinfo -h -o %t 2>/dev/null)" = idle && break
        sleep 1
    done
    timeout 30 srun -n 2 true 2>"$slurm/srun.log" ||
        slurm_missing="it does not start here: $(grep -h error "$slurm"/*.log | tail -n 1)"
    test -z "$slurm_missing"
}
