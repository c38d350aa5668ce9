#!/bin/sh
# Two hosts on one machine: each has its own name, network and file systems, and nothing in common but
# a wire. Their directories of output are not shared, so that records travel by MPI; their clocks are
# synchronized; the report tells the hosts apart. Under each MPI, by its launcher's own way to start
# something elsewhere.
. "${srcdir:-.}/tests/mpi/lib.sh"
[ "${CHECK_THOROUGH:-}" = 1 ] || skip "takes long: ./check --thorough runs it"
command -v ip >/dev/null || skip "no ip (iproute2)"
unshare --net --uts --mount --time --fork true 2>/dev/null || skip "no right to make namespaces"

mkdir local
cat >hosts <<END
127.0.0.1 localhost
10.77.0.1 left
10.77.0.2 right
END

# host NAME SECONDS: sets $pid to a process that lives there and keeps it alive; its clock is ahead by so
# many seconds.
host()
{
    timeout -k 1 500 unshare --net --uts --mount --time --monotonic "$2" --fork sh -c 'hostname "$1"
        mount --bind hosts /etc/hosts && mount -t tmpfs none local && mount -t tmpfs none /dev/shm
        echo $$ >"$1.pid"; exec sleep 500' sh "$1" &
    holders="$holders $!"
    for try in $(seq 100); do test -s "$1.pid" && break; sleep 0.1; done
    pid=$(cat "$1.pid" 2>/dev/null) || fail "no host $1"
}
holders=
trap 'kill $holders 2>/dev/null; rm -rf "$dir"' EXIT
host left 0
left=$pid
host right 1000
right=$pid
on() { pid=$1; shift; nsenter -t "$pid" --net --uts --mount --time env -C "$dir" "$@"; }
on "$left" ip link add wire type veth peer name wire netns "$right" 2>err || skip "no veth: $(cat err)"
on "$left" sh -c 'ip addr add 10.77.0.1/24 dev wire; ip link set wire up; ip link set lo up'
on "$right" sh -c 'ip addr add 10.77.0.2/24 dev wire; ip link set wire up; ip link set lo up'

# What both launchers start in place of ssh: options, the host's name, a command.
cat >elsewhere <<END
#!/bin/sh
while [ \$# -gt 0 ]; do
    case \$1 in
    left | right) host=\$1; shift; break ;;
    *) shift ;;
    esac
done
exec nsenter -t "\$(cat "$dir/\$host.pid")" --net --uts --mount --time env -C "$dir" sh -c "\$*"
END
chmod +x elsewhere

for mpi in $mpis; do
    with_mpi $mpi
    $MPICC -g "$source/examples/heat.c" -o heat.$mpi -lm || fail "heat.$mpi"
    case $mpi in
    mpich) set -- -launcher ssh -launcher-exec "$dir/elsewhere" -hosts left,right -ppn 1 ;;
    openmpi) set -- --mca plm_rsh_agent "$dir/elsewhere" --mca plm rsh --host left,right \
        --mca oob_tcp_if_include 10.77.0.0/24 --mca btl_tcp_if_include 10.77.0.0/24 --mca btl self,tcp \
        --mca pml ob1 ;;
    esac
    on "$left" timeout -k 5 100 $MPIEXEC "$@" -n 2 "$collprof" run --yield -o local/$mpi \
        ./heat.$mpi -s 100 >out 2>err </dev/null || { cat out err; fail "$mpi: status $?"; }
    grep -q checksum out || fail "$mpi: no results"
    on "$left" cp -rL local/$mpi . || fail "$mpi: no profile where rank 0 is"
    test -z "$(on "$right" ls local/$mpi/ 2>/dev/null | grep -v '^rank')" || fail "$mpi: a profile where rank 0 is not"
    profile $mpi ranks 2
    profile $mpi calls MPI_Isend=800
    profile $mpi states finalized=2
    holds $mpi <<'PY' || { cat err; fail "$mpi: hosts or clocks"; }
assert sorted(h["name"] for h in p["hosts"]) == ["left", "right"], p["hosts"]
assert p["arrivals"] and all(0 <= a["skew_median_ns"] < 60e9 for a in p["arrivals"]), p["arrivals"]
PY
    "$collprof" report --full $mpi >report || fail "$mpi: no report"
    grep -q ' left$' report && grep -q ' right$' report || { cat report; fail "$mpi: the report does not name the hosts"; }
    tr -s ' \n' ' ' <report | grep -qE 'clocks of the hosts: agree within [0-9.]+ ?(ns|us|ms)' ||
        { cat report; fail "$mpi: the clocks are not synchronized"; }
    grep -E '^(hosts|clock): ' report

    # A watchdog on each host, which see one directory: one verdict for the run, of ranks on both.
    $MPICC -g -O1 -o stuck.$mpi "$source/examples/stuck.c" 2>/dev/null || fail "stuck.$mpi"
    watched() { on "$left" timeout -k 5 60 $MPIEXEC "$@" >out 2>err </dev/null; status=$?; }
    set -- "$@" -n 2 "$collprof" run --yield --report=no --watchdog=2 --watchdog-abort -o "$dir/shared/$mpi"
    mkdir -p shared
    watched "$@" ./stuck.$mpi 1
    test $status != 124 || { cat err; fail "$mpi: the watchdogs do not end a deadlock of two hosts"; }
    test "$(tr -s '\n ' ' ' <err | grep -o 'watchdog: nothing has moved for [^:]*: a deadlock of 2 of 2 ranks' | wc -l)" = 1 ||
        { cat err; fail "$mpi: no verdict of both hosts, or more than one"; }
    ! grep -q 'watchdogs report nothing' err || { cat err; fail "$mpi: a host that has a watchdog is not seen"; }
    watched "$@" ./heat.$mpi -s 3000
    test $status = 0 && ! grep -q 'collprof watchdog' err || { cat err; fail "$mpi: a run that goes on, status $status"; }
    ! ls shared/$mpi/ | grep watchdog || fail "$mpi: a watchdog leaves its summary"
done
exit 0
