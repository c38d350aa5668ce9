# COLLPROF_WARNINGS
# The warnings that the sources are clean of. MPICH's MPI_STATUSES_IGNORE is (MPI_Status *) 1,
# which gcc takes for an array of no bytes that is written to.
AC_DEFUN([COLLPROF_WARNINGS], [
WARNING_CFLAGS="-std=gnu11 -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-stringop-overflow -fvisibility=hidden"
AC_SUBST([WARNING_CFLAGS])
])
