# The layer around programs: the bundled one, others' as Debian ships them, and awkward ones.

# Refuses memory at the end.
check_LTLIBRARIES += tests/mpi/libnomem.la
tests_mpi_libnomem_la_SOURCES = tests/mpi/nomem.c
tests_mpi_libnomem_la_CPPFLAGS = -D_GNU_SOURCE
tests_mpi_libnomem_la_LDFLAGS = -module -avoid-version -rpath /nowhere
TESTS += tests/mpi/nomem.sh
EXTRA_DIST += tests/mpi/nomem.sh

# An independent counter to compare with; -rpath because a convenience library is not loadable.
check_LTLIBRARIES += tests/mpi/libcount.la
tests_mpi_libcount_la_SOURCES = tests/mpi/count.c
tests_mpi_libcount_la_CPPFLAGS = -D_GNU_SOURCE
tests_mpi_libcount_la_LDFLAGS = -module -avoid-version -rpath /nowhere

check_PROGRAMS += tests/mpi/awkward tests/mpi/ends
tests_mpi_awkward_CPPFLAGS = -D_GNU_SOURCE $(MPI_CFLAGS)
tests_mpi_awkward_SOURCES = tests/mpi/awkward.c
tests_mpi_awkward_LDADD = $(MPI_LIBS)
tests_mpi_ends_CPPFLAGS = -D_GNU_SOURCE $(MPI_CFLAGS)
tests_mpi_ends_SOURCES = tests/mpi/ends.c
tests_mpi_ends_LDADD = $(MPI_LIBS)
check_PROGRAMS += tests/mpi/inject
tests_mpi_inject_CPPFLAGS = $(MPI_CFLAGS)
tests_mpi_inject_SOURCES = tests/mpi/inject.c
tests_mpi_inject_LDADD = $(MPI_LIBS)

LAYER_TESTS = \
	tests/mpi/awkward.sh \
	tests/mpi/ends.sh \
	tests/mpi/outside.sh \
	tests/mpi/inject.sh \
	tests/mpi/heat.sh \
	tests/mpi/fortran.sh \
	tests/mpi/install.sh \
	tests/mpi/real-netpipe.sh \
	tests/mpi/real-scalapack.sh
TESTS += $(LAYER_TESTS)
EXTRA_DIST += $(LAYER_TESTS) tests/mpi/lib.sh tests/mpi/profile.py tests/mpi/fortran.F90 tests/mpi/linked.c

# Manual pages of all that is installed.
TESTS += tests/documented.sh
EXTRA_DIST += tests/documented.sh
