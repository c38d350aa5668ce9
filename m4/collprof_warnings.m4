# COLLPROF_WARNINGS
# The warnings that the sources are clean of. MPICH's MPI_STATUSES_IGNORE is (MPI_Status *) 1,
# which gcc takes for an array of no bytes that is written to; clang does not know that warning, nor
# gcc's options for smaller code, by which jumps and loops are not aligned.
AC_DEFUN([COLLPROF_WARNINGS], [
WARNING_CFLAGS="-std=gnu11 -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -fvisibility=hidden"
AC_CHECK_DECL([__clang__], [], [WARNING_CFLAGS="$WARNING_CFLAGS -Wno-stringop-overflow -fno-align-jumps -fno-align-loops"], [ ])
AC_SUBST([WARNING_CFLAGS])
])
