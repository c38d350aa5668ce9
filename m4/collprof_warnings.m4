# COLLPROF_WARNINGS
# The warnings that the sources are clean of.
AC_DEFUN([COLLPROF_WARNINGS], [
WARNING_CFLAGS="-std=gnu11 -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -fvisibility=hidden"
AC_SUBST([WARNING_CFLAGS])
])
