# The layer, by programs under the launcher.
check_PROGRAMS += tests/mpi/inject
tests_mpi_inject_CPPFLAGS = $(MPI_CFLAGS)
tests_mpi_inject_SOURCES = tests/mpi/inject.c
tests_mpi_inject_LDADD = $(MPI_LIBS)
TESTS += tests/mpi/inject.sh
EXTRA_DIST += tests/mpi/inject.sh
