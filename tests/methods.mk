# The broadcast algorithms, the methods that measure them and other collectives.
if HAVE_CRITERION
check_PROGRAMS += tests/unit/methods
tests_unit_methods_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_methods_SOURCES = tests/unit/plan.c tests/unit/discover.c tests/unit/names.c
tests_unit_methods_LDADD = libmeasure.la libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/methods
endif

check_PROGRAMS += tests/mpi/bcast
tests_mpi_bcast_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_bcast_SOURCES = tests/mpi/bcast.c
tests_mpi_bcast_LDADD = libmeasure.la libbase.la
TESTS += tests/mpi/bcast.sh
EXTRA_DIST += tests/mpi/bcast.sh

EXTRA_DIST += tests/sim/logp.c tests/sim/logp.sh tests/sim/collective.c tests/sim/collective.sh tests/sim/discover.c tests/sim/discover.sh tests/sim/methods.c tests/sim/methods.sh tests/sim/methods64.sh
if HAVE_SMPI
SIM_BINARIES += sim/methods sim/discover sim/logp sim/collective sim/collbench-collective
sim/collbench-collective: sim/obj/bench/collective_results.o
TESTS += tests/sim/logp.sh tests/sim/collective.sh tests/sim/discover.sh tests/sim/methods.sh tests/sim/methods64.sh
endif

check_PROGRAMS += tests/mpi/truth
tests_mpi_truth_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_truth_SOURCES = tests/mpi/truth.c
tests_mpi_truth_LDADD = libmeasure.la libbase.la
TESTS += tests/mpi/truth.sh
EXTRA_DIST += tests/mpi/truth.sh

TESTS += tests/mpi/collbench-collective.sh
EXTRA_DIST += tests/mpi/collbench-collective.sh
