# COLLPROF_MPI
# The MPIs to build a layer for. By default all that are found by the names that Debian gives them,
# else the one that mpicc stands for; --with-mpi names them, MPICC=... the only one. The first is
# also what the tests are built for.
# The command collprof must run without MPI, so the C compiler stays the plain one and a wrapper
# compiler is only asked for its flags.
AC_DEFUN([COLLPROF_MPI], [
AC_ARG_VAR([MPICC], [MPI compiler wrapper: the only MPI to build for])
AC_ARG_VAR([MPIEXEC], [launcher of the first MPI, used by the tests])
AC_ARG_VAR([MPIFC], [Fortran compiler wrapper of the first MPI, used by the tests])
AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi=LIST],
  [MPIs to build for: mpich, openmpi, or directories with bin/mpicc, separated by commas])],
  [], [with_mpi=])
AC_CHECK_TOOL([READELF], [readelf], [readelf])
AS_IF([test -n "$MPICC"], [collprof_wanted=$MPICC],
  [test -n "$with_mpi"], [collprof_wanted=`echo "$with_mpi" | tr ',' ' '`],
  [collprof_wanted=
  for mpi in mpich openmpi; do
    AS_IF([command -v mpicc.$mpi >/dev/null], [collprof_wanted="$collprof_wanted $mpi"])
  done
  test -n "$collprof_wanted" || collprof_wanted=mpicc
  AS_IF([command -v mpicc_abi >/dev/null], [collprof_wanted="$collprof_wanted mpicc_abi"])])

collprof_mpiexec=$MPIEXEC collprof_mpifc=$MPIFC
LAYERS= LAYERS_MK= collprof_layers= collprof_layers_told=
for mpi in $collprof_wanted; do
  _COLLPROF_MPI_PROGRAMS([$mpi])
  _COLLPROF_MPI_LOOK([$mpi])
  AS_CASE([" $LAYERS "], [*" $layer "*],
    [AC_MSG_ERROR([$mpi: there is a layer $layer already: one of each name would be right])])
  AS_IF([test -z "$LAYERS"], [MPICC=$mpicc MPIEXEC=${collprof_mpiexec:-$mpiexec}
    MPIFC=${collprof_mpifc:-$mpifc} MPI_CFLAGS=$mpi_cflags MPI_LIBS=$mpi_libs])
  LAYERS="$LAYERS $layer"
  collprof_built="{\"$layer\", \"$mpi_title\", \"$mpiexec\", \"$sonames\"}"
  LAYERS_MK="$LAYERS_MK
${layer}_CFLAGS = $mpi_cflags
${layer}_LIBS = $mpi_libs
${layer}_MPIEXEC = $mpiexec
${layer}_BUILT = $collprof_built"
  collprof_layers="$collprof_layers $collprof_built,"
  collprof_layers_told="$collprof_layers_told
                     $layer: $mpi_title ($mpicc, $mpiexec; $sonames)$collprof_lacks"
done
AC_SUBST([MPICC])
AC_SUBST([MPIEXEC])
AC_SUBST([MPIFC])
AC_SUBST([MPI_CFLAGS])
AC_SUBST([MPI_LIBS])
AC_SUBST([LAYERS])
AC_SUBST([LAYERS_MK])
for FIRST_LAYER in $LAYERS; do break; done
AC_SUBST([FIRST_LAYER])
AM_SUBST_NOTMAKE([LAYERS_MK])
AC_DEFINE_UNQUOTED([COLLPROF_LAYERS], [$collprof_layers],
  [For each MPI: its layer's folder, its name, its launcher, its libraries])
])

# mpich and openmpi are what Debian calls mpicc.mpich and mpicc.openmpi; mpicc.mpich goes with
# mpiexec.mpich, DIR/bin/mpicc with DIR/bin/mpiexec. mpicc_abi is the compiler of MPI 5's standard binary
# interface, whose programs any launcher may start. Sets $mpicc, $mpiexec, $mpifc.
m4_define([_COLLPROF_MPI_PROGRAMS], [
AS_IF([test -d "$1/bin"], [mpicc=$1/bin/mpicc],
  [command -v "$1" >/dev/null], [mpicc=$1],
  [mpicc=mpicc.$1])
AS_IF([command -v "$mpicc" >/dev/null], [],
  [AC_MSG_ERROR([no MPI compiler $1/bin/mpicc, $1 or mpicc.$1: install libmpich-dev or libopenmpi-dev, or set MPICC])])
mpiexec=`echo "$mpicc" | sed 's/mpicc\([[^/]]*\)$/mpiexec\1/'`
mpifc=`echo "$mpicc" | sed 's/mpicc\([[^/]]*\)$/mpif90\1/'`
command -v "$mpiexec" >/dev/null || mpiexec=`echo "$mpicc" | sed 's/mpicc[[^/]]*$/mpiexec/'`
command -v "$mpiexec" >/dev/null || mpiexec=mpirun
command -v "$mpifc" >/dev/null || mpifc=
])

# What MPI that is. Sets $layer, $mpi_title, $mpi_cflags, $mpi_libs and $sonames, the libraries that
# its programs need: MPICH's has two names, of one binary interface.
m4_define([_COLLPROF_MPI_LOOK], [
AC_MSG_CHECKING([what $mpicc adds to the compiler])
mpi_cflags= mpi_libs=
for word in `($mpicc -show 2>/dev/null || $mpicc --showme 2>/dev/null) | cut -d' ' -f2-`; do
  AS_CASE([$word],
    [-I*|-D*|-pthread], [mpi_cflags="$mpi_cflags $word"],
    [-Wl,-z,relro], [],
    [-L*|-l*|-Wl,*], [mpi_libs="$mpi_libs $word"])
done
AC_MSG_RESULT([$mpi_cflags$mpi_libs])

collprof_save_CPPFLAGS=$CPPFLAGS collprof_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $mpi_cflags" LIBS="$LIBS $mpi_libs"
sonames=
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return PMPI_Barrier(MPI_COMM_WORLD);]])],
  [sonames=`LC_ALL=C $READELF -d conftest$ac_exeext |
    sed -n 's/.*(NEEDED).*\@<:@\(libmpi.*\)\@:>@.*/\1/p' | head -n 1`],
  [AC_MSG_ERROR([a program with PMPI_Barrier does not build with the flags of $mpicc])])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return !PMPI_Bcast_init || !PMPI_Psend_init;]])],
  [mpi_cflags="$mpi_cflags -DHAVE_MPI_PERSISTENT" collprof_lacks=],
  [collprof_lacks="; no persistent collectives, no partitioned messages"])
AS_IF([test -n "$sonames"], [],
  [AC_MSG_ERROR([a program built with the flags of $mpicc needs no library libmpi...: a shared MPI would be right])])
mpi_title="MPI of $mpicc" layer=`echo "$1" | sed 's,.*/,,; s/[[^A-Za-z0-9_]]/_/g'`
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef MPICH_VERSION
#error not MPICH
#endif]])], [mpi_title=MPICH collprof_kind=mpich], [collprof_kind=])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef OPEN_MPI
#error not Open MPI
#endif]])], [mpi_title="Open MPI" collprof_kind=openmpi])
CPPFLAGS=$collprof_save_CPPFLAGS LIBS=$collprof_save_LIBS
AS_IF([test -n "$collprof_kind" && test ! -d "$1"], [layer=$collprof_kind])
AS_CASE([$sonames], [libmpich.so.12|libmpi.so.12], [sonames="libmpich.so.12 libmpi.so.12"],
  [libmpi_abi.*], [mpi_title="MPI 5 ABI" layer=mpi_abi])
])
