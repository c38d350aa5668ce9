# Programs under the launcher, and the shell scripts that hold them to what must come out.

check_PROGRAMS += tests/mpi/tune
tests_mpi_tune_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_tune_LDADD = libresults.la libdocument.la libbase.la $(JANSSON_LIBS) $(MPI_LIBS)

# Applications for the layer: they know nothing of it.
layer_programs = tests/mpi/awkward tests/mpi/comms tests/mpi/ends tests/mpi/inject tests/mpi/messages tests/mpi/sites \
	tests/mpi/strange tests/mpi/transport
check_PROGRAMS += $(layer_programs)
LDADD = $(MPI_LIBS)
tests_mpi_awkward_CPPFLAGS = -D_GNU_SOURCE $(MPI_CFLAGS)
tests_mpi_comms_CPPFLAGS = $(MPI_CFLAGS)
tests_mpi_ends_CPPFLAGS = -D_GNU_SOURCE $(MPI_CFLAGS)
tests_mpi_ends_CFLAGS = -g -O1
tests_mpi_strange_CPPFLAGS = -D_GNU_SOURCE $(MPI_CFLAGS)
tests_mpi_inject_CPPFLAGS = $(MPI_CFLAGS)
tests_mpi_messages_CPPFLAGS = -D_GNU_SOURCE $(MPI_CFLAGS)
tests_mpi_transport_CPPFLAGS = -D_GNU_SOURCE $(MPI_CFLAGS)
tests_mpi_transport_CFLAGS = -g -O1
# A call site in an inlined function, in forms that differ in what can be named.
tests_mpi_sites_CPPFLAGS = $(MPI_CFLAGS)
tests_mpi_sites_CFLAGS = -g -O2

# Preloaded beside the layer: libcount counts independently of it, libnomem refuses memory at the
# end. -rpath because a convenience library is not loadable.
check_LTLIBRARIES += tests/mpi/libcount.la tests/mpi/libcount-fortran.la tests/mpi/libnomem.la tests/mpi/libturns.la
tests_mpi_libcount_la_SOURCES = tests/mpi/count.c
tests_mpi_libcount_la_CPPFLAGS = -D_GNU_SOURCE
tests_mpi_libcount_la_LDFLAGS = -module -avoid-version -rpath /nowhere
tests_mpi_libturns_la_SOURCES = tests/mpi/turns.c
tests_mpi_libturns_la_CPPFLAGS = -D_GNU_SOURCE
tests_mpi_libturns_la_LDFLAGS = -module -avoid-version -rpath /nowhere
tests_mpi_libcount_fortran_la_SOURCES = tests/mpi/count_fortran.c
tests_mpi_libcount_fortran_la_CPPFLAGS = -D_GNU_SOURCE
tests_mpi_libcount_fortran_la_LDFLAGS = -module -avoid-version -rpath /nowhere
tests_mpi_libnomem_la_SOURCES = tests/mpi/nomem.c
tests_mpi_libnomem_la_CPPFLAGS = -D_GNU_SOURCE
tests_mpi_libnomem_la_LDFLAGS = -module -avoid-version -rpath /nowhere

MPI_TESTS = tests/mpi/apart.sh tests/mpi/comms.sh tests/mpi/awkward.sh tests/mpi/collbench-bcast.sh \
	tests/mpi/disturbed.sh tests/mpi/collbench-bcast-usage.sh tests/mpi/collbench-collective.sh \
	tests/mpi/data.sh tests/mpi/cplusplus.sh tests/mpi/ended.sh tests/mpi/ends.sh tests/mpi/watchdog.sh \
	tests/mpi/where.sh tests/mpi/top.sh tests/mpi/fortran.sh tests/mpi/trace.sh tests/mpi/hostile.sh \
	tests/mpi/install.sh tests/mpi/interrupt.sh tests/mpi/keep.sh tests/mpi/sample.sh tests/mpi/screen.sh \
	tests/mpi/small.sh tests/mpi/manysites.sh tests/mpi/memory.sh tests/mpi/outside.sh tests/mpi/overhead.sh \
	tests/mpi/overlap.sh tests/mpi/python.sh tests/mpi/html.sh tests/mpi/report.sh tests/mpi/scenario.sh \
	tests/mpi/strange.sh tests/mpi/transport.sh tests/mpi/trees.sh tests/mpi/tune.sh tests/mpi/yield.sh
TESTS += $(MPI_TESTS)

# These look at no real clock, and wait for processes rather than in MPI: beside each other in ./check.
BESIDE_TESTS += $(addprefix tests/mpi/, apart.sh collbench-bcast-usage.sh data.sh cplusplus.sh ended.sh ends.sh fortran.sh \
	hostile.sh html.sh install.sh keep.sh manysites.sh outside.sh overhead.sh python.sh report.sh)

# With --thorough only, for a second MPI, too.
MPI_LONG_TESTS = tests/mpi/inject.sh tests/mpi/launchers.sh tests/mpi/nomem.sh
THOROUGH_TESTS += $(MPI_LONG_TESTS) tests/mpi/foreign.sh tests/mpi/killed.sh tests/mpi/sanitized.sh

# A thousand runs that go on, with a watchdog: by hand, resumable.
right-runs: all $(layer_programs)
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/mpi/right.py . $(srcdir)
.PHONY: right-runs
