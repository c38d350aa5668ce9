#!/bin/sh
# What becomes of a program under `collprof run', for each MPI, language and launcher. Where its ranks
# find each other it is recorded; where they do not it is refused before it starts, or, if that cannot
# be known yet, it runs as it would without collprof and one line says why nothing is recorded (alone).
# Prints the matrix; "-": cannot be had here.
. "${srcdir:-.}/tests/mpi/lib.sh"
. "$source/tests/outside/slurm.sh"
[ "${CHECK_THOROUGH:-}" = 1 ] || skip "takes long: ./check --thorough runs it"
python=$(python3 -c 'import sys; print(sys.executable)')

write_program barriers <<'END'
    for (int i = 0; i < 50; i++)
        MPI_Barrier(MPI_COMM_WORLD);
END
cat >by_ctypes.py <<'END'
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
mpi = ctypes.CDLL(None)
try:
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
except ValueError:
    world = ctypes.c_int(0x44000000)
mpi.MPI_Init(None, None)
for i in range(50):
    mpi.MPI_Barrier(world)
mpi.MPI_Finalize()
END
cat >by_mpi4py.py <<'END'
from mpi4py import MPI
for i in range(50):
    MPI.COMM_WORLD.Barrier()
END

# The command of that language, "" if it cannot be had.
program()
{
    case $2 in
    c) echo "./c.$1" ;;
    mpifh | mpi | f08) test ! -x "$2.$1" || echo "./$2.$1" ;;
    ctypes) echo "$python by_ctypes.py $library" ;;
    mpi4py) test "$(mpi4py_is_for)" != "$1" || echo "/usr/bin/python3 by_mpi4py.py" ;;
    esac
}

mpi4py_is_for()
{
    extension=$(/usr/bin/python3 -c 'import mpi4py, glob; print(glob.glob(mpi4py.__path__[0] + "/MPI.*.so")[0])' 2>/dev/null) || return
    case $(ldd "$extension") in *libmpi.so.40*) echo openmpi ;; *) echo mpich ;; esac
}

# What became of it: see the head of this file.
outcome()
{
    status=$1 output=$2
    said=$(grep -c '^collprof.*use: ' err)
    if [ "$status" = 0 ] && [ -e "$output/profile.json" ]; then
        python3 "$source/tests/mpi/profile.py" "$output/profile.json" ranks 2 >/dev/null 2>&1 &&
            python3 "$source/tests/mpi/profile.py" "$output/profile.json" calls MPI_Barrier=100 >/dev/null 2>&1 &&
            [ "$said" = 0 ] && grep -q "\"launcher\": *\"$again\"" "$output/profile.json" && echo recorded && return
    elif [ "$status" = 2 ] && [ "$said" = 1 ] && grep -q 'would run alone' err; then
        echo refused && return
    elif [ "$status" = 0 ] && [ "$said" = 1 ] && grep -q 'is alone in MPI_COMM_WORLD' err; then
        echo alone && return
    fi
    echo "status-$status"
}

bad=0
# cell MPI LANGUAGE NAME WANTED LAUNCHER...
cell()
{
    mpi=$1 language=$2 name=$3 wanted=$4
    shift 4
    case $1 in srun) again="$1 $2" ;; *) again=mpiexec.$mpi ;; esac
    command=$(program $mpi $language)
    if [ -z "$command" ]; then
        became=-
    else
        timeout 60 "$@" -n 2 "$collprof" run --yield --report=no -o "$mpi.$language.$name" $command \
            >out 2>err </dev/null
        became=$(outcome $? "$mpi.$language.$name")
        # As it ends without collprof, too.
        case $became in
        status-*) timeout 60 "$@" -n 2 $command >/dev/null 2>&1 </dev/null || became=MPI-stops ;;
        esac
        case " $wanted " in
        *" $became "*) ;;
        *)
            echo "$mpi, $language, $name: $became, not $wanted:" >>notes
            cat out err >>notes
            bad=1
            ;;
        esac
    fi
    printf ' %-11s' "$became"
}

# srun_cell KIND WANTED: if this Slurm has that; a plugin may be listed, and miss its library.
srun_cell()
{
    if timeout 30 srun --mpi="$1" -n 1 true 2>/dev/null; then
        cell $mpi $language "$1" "$2" srun --mpi="$1"
    else
        printf ' %-11s' -
    fi
}

slurm_start || echo "srun is not tried: $slurm_missing" >>notes
printf '%-18s %-11s %-11s %-11s %-11s %-11s\n' "" own other srun-pmi2 srun-pmix srun-none
for mpi in $mpis; do
    with_mpi $mpi
    $MPICC -g barriers.c -o c.$mpi || fail "$mpi: C"
    library=$(ldd c.$mpi | sed -n 's/^[[:space:]]*\(libmpi[^ ]*\) =>.*/\1/p' | head -n 1)
    for binding in MPIFH MPI F08; do
        language=$(echo $binding | tr '[:upper:]' '[:lower:]')
        test -z "$MPIFC" || $MPIFC -g -cpp -DBINDING_$binding "$source/tests/mpi/fortran.F90" \
            -o $language.$mpi >log 2>&1 || { cat log; fail "$mpi: $language"; }
    done
    test $mpi = mpich && other=openmpi pmi2=recorded pmix= || other=mpich pmi2= pmix=recorded
    for language in c mpifh mpi f08 mpi4py ctypes; do
        case $language in mpi4py | ctypes) apart=alone ;; *) apart=refused ;; esac
        printf '%-18s' "$mpi $language"
        cell $mpi $language own recorded $MPIEXEC
        case $mpis in
        *$other*) cell $mpi $language other $apart mpiexec.$other ;;
        *) printf ' %-11s' - ;;
        esac
        if [ -z "$slurm_missing" ]; then
            srun_cell pmi2 "${pmi2:-MPI-stops}"
            srun_cell pmix "${pmix:-$apart}"
            srun_cell none "$apart MPI-stops"
        fi
        echo
    done
done
test ! -e notes || cat notes
exit $bad
