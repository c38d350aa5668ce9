# COLLPROF_OPTIONAL
# What is used where it is found: the simulator that tests the methods, and the
# unit test framework.
AC_DEFUN([COLLPROF_OPTIONAL], [
AC_ARG_VAR([SMPICC], [SimGrid SMPI compiler wrapper])
AC_ARG_VAR([SMPIRUN], [SimGrid SMPI launcher])
AC_CHECK_PROGS([SMPICC], [smpicc])
AC_CHECK_PROGS([SMPIRUN], [smpirun])
AM_CONDITIONAL([HAVE_SMPI], [test -n "$SMPICC" && test -n "$SMPIRUN"])
AM_CONDITIONAL([HAVE_FORTRAN], [test -n "$MPIFC"])

PKG_CHECK_MODULES([CRITERION], [criterion],
  [collprof_criterion_version="Criterion `$PKG_CONFIG --modversion criterion`"],
  [collprof_criterion_version=])
AM_CONDITIONAL([HAVE_CRITERION], [test -n "$collprof_criterion_version"])
])
