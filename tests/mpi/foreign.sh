#!/bin/sh
# Protects what is concluded of programs of others, unmodified, on two ranks: LAMMPS with all of its atoms on one rank,
# and evenly, HPCC, and a test of ScaLAPACK. Each has findings that must be there, and none that must not.
. "${srcdir:-.}/tests/mpi/lib.sh"
test "${CHECK_THOROUGH:-0}" != 0 || skip "only in a thorough check"
tried= limit="timeout 100"

# of NAME MUST MUSTNOT PROGRAM...: runs it up to five times, until its findings are right. Three wrong ones are a failure;
# a run with CPU contention in which MUST alone is missing is none. MUST and MUSTNOT are keys of findings, MUST with the
# rank that it names: imbalance:0; - for none.
of()
{
    name=$1 must=$2 mustnot=$3 wrong=0
    shift 3
    for try in 1 2 3 4 5; do
        rm -rf "$name"
        layered 2 "$name" "$@" >out 2>&1 || { tail -20 out; fail "$name: status $?"; }
        "$collprof" report --format=json "$name" >$name.json || fail "$name: no report"
        python3 - $name.json "$must" "$mustnot" <<'PY'
import json, sys
path, must, mustnot = sys.argv[1:]
p = json.load(open(path))
found = [(f["severity"], f["key"], f.get("ranks", []), f["text"]) for f in p["diagnosis"]]
contended = any(f[1] == "cpu_contention" for f in found)
bad = [f for f in found if f[0] == "error" and f[1] != "cpu_contention" or f[1] in mustnot.split(",")]
key, _, rank = must.partition(":")
if key != "-" and not any(f[1] == key and f[2][:1] == [int(rank)] for f in found):
    if contended and not bad:
        sys.exit(3)
    bad.append("no " + must)
if bad:
    print(*bad, *found, sep="\n")
sys.exit(bool(bad))
PY
        status=$?
        test $status != 3 || continue
        tried="$tried $name"
        test $status != 0 || return
        wrong=$((wrong + 1))
        test $wrong -lt 3 || { "$collprof" report "$name"; fail "$name: findings"; }
    done
    echo "$name: the machine is too busy: nothing is judged"
}

# They come for one MPI each.
program()
{
    command -v "$1" >/dev/null || return
    case $(ldd "$(command -v "$1")") in *libmpi.so.40*) mpi=openmpi ;; *) mpi=mpich ;; esac
    case " $mpis " in *" $mpi "*) with_mpi $mpi ;; *) false ;; esac
}

if program lmp; then
    for half in 10 20; do
        test $half = 20 && edge=p || edge=f
        cat >in.$half <<ATOMS
processors 2 1 1
boundary $edge p p
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 8 0 8
create_box 1 box
region filled block 0 $half INF INF INF INF
create_atoms 1 region filled
mass 1 1.0
velocity all create 0.1 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
run 150
ATOMS
    done
    of lammps-half imbalance:0 late_arrival,small_messages lmp -log none -in in.10
    # A shared machine slows one of two ranks down by 5 to 9 % in 0.2 s, another one each time.
    for run in 1 2 3 4 5; do
        of lammps-even-$run - imbalance,late_arrival,small_messages lmp -log none -in in.20
    done
fi
if program hpcc; then
    sed -e 's/^1000 *Ns/200 Ns/' -e 's/^[0-9]* *Ps$/1 Ps/' -e 's/^[0-9]* *Qs$/2 Qs/' \
        /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
    of hpcc - small_messages,record_full,failed_calls hpcc
fi
for mpi in $mpis; do
    set -- /usr/lib/*/scalapack/$mpi-tests/xdlu
    test -x "$1" || continue
    with_mpi $mpi
    cp /usr/share/scalapack/LU.dat .
    of scalapack-$mpi - small_messages,record_full,failed_calls "$1"
done
test -n "$tried" || skip "nothing judged: lammps, hpcc, scalapack-mpi-test are missing, or the machine is too busy"
exit 0
