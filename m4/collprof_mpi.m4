# COLLPROF_MPI
# The MPI to build for. MPICH is looked for first, by the names that Debian
# gives it when several MPIs are installed; MPICC=... chooses another.
# The command collprof must run without MPI, so the C compiler stays the plain
# one and the wrapper compiler is only asked for its flags.
AC_DEFUN([COLLPROF_MPI], [
AC_ARG_VAR([MPICC], [MPI compiler wrapper])
AC_ARG_VAR([MPIEXEC], [MPI launcher, used by the tests])
AC_ARG_VAR([MPIFC], [MPI Fortran compiler wrapper, used by the tests])
AC_CHECK_PROGS([MPICC], [mpicc.mpich mpicc])
AS_IF([test -z "$MPICC"], [AC_MSG_ERROR([no MPI compiler found: install libmpich-dev, or set MPICC])])
# mpicc.mpich goes with mpiexec.mpich.
collprof_mpi_suffix=`echo "$MPICC" | sed -n 's/.*mpicc\(\.@<:@a-z@:>@*\)$/\1/p'`
AC_CHECK_PROGS([MPIEXEC], [mpiexec$collprof_mpi_suffix mpiexec mpirun])
AC_CHECK_PROGS([MPIFC], [mpif90$collprof_mpi_suffix])

AC_MSG_CHECKING([what $MPICC adds to the compiler])
collprof_show=`$MPICC -show 2>/dev/null || $MPICC --showme 2>/dev/null`
MPI_CFLAGS= MPI_LIBS=
for word in `echo "$collprof_show" | cut -d' ' -f2-`; do
  AS_CASE([$word],
    [-I*|-D*|-pthread], [MPI_CFLAGS="$MPI_CFLAGS $word"],
    [-Wl,-z,relro], [],
    [-L*|-l*|-Wl,*], [MPI_LIBS="$MPI_LIBS $word"])
done
AC_MSG_RESULT([$MPI_CFLAGS$MPI_LIBS])
AC_SUBST([MPI_CFLAGS])
AC_SUBST([MPI_LIBS])

collprof_save_CPPFLAGS=$CPPFLAGS collprof_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $MPI_CFLAGS" LIBS="$LIBS $MPI_LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return PMPI_Barrier(MPI_COMM_WORLD);]])],
  [], [AC_MSG_ERROR([a program with PMPI_Barrier does not build with the flags of $MPICC])])
collprof_mpi_name="an MPI"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef MPICH_VERSION
#error not MPICH
#endif]])], [collprof_mpi_name=MPICH])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef OPEN_MPI
#error not Open MPI
#endif]])], [collprof_mpi_name="Open MPI"])
AC_DEFINE_UNQUOTED([COLLPROF_MPI_NAME], ["$collprof_mpi_name"], [The MPI that was built for])
CPPFLAGS=$collprof_save_CPPFLAGS LIBS=$collprof_save_LIBS
])
