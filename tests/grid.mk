# One clock for all ranks; trees from measured latencies.
if HAVE_CRITERION
check_PROGRAMS += tests/unit/sync
tests_unit_sync_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_sync_SOURCES = tests/unit/sync.c
tests_unit_sync_LDADD = libmeasure.la libbase.la libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/sync

check_PROGRAMS += tests/unit/schedule
tests_unit_schedule_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_schedule_SOURCES = tests/unit/schedule.c tests/unit/flow.c tests/unit/made_graphs.h
tests_unit_schedule_LDADD = libmeasure.la libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/schedule

check_PROGRAMS += tests/unit/pairs
tests_unit_pairs_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_pairs_SOURCES = tests/unit/pairs.c tests/unit/schedule_json.c
tests_unit_pairs_LDADD = libreport.la libmeasure.la libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/pairs
endif

# In time namespaces, where clocks truly differ.
check_PROGRAMS += tests/mpi/sync
tests_mpi_sync_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_sync_SOURCES = tests/mpi/sync.c
tests_mpi_sync_LDADD = libmeasure.la libbase.la libbase.la
TESTS += tests/mpi/sync.sh
EXTRA_DIST += tests/mpi/sync.sh

# The same in simulation, on networks where trees matter.
EXTRA_DIST += tests/sim/place.awk tests/sim/platforms/sites2.xml tests/sim/platforms/sites8.xml \
	tests/sim/platforms/slowhost.xml tests/sim/trees.sh tests/sim/figures-tree.sh \
	tests/sim/figures-tree.awk
if HAVE_SMPI
SIM_BINARIES += sim/collbench-pairs sim/collbench-tree
TESTS += tests/sim/trees.sh
endif
sim/collbench-pairs: sim/obj/bench/pairs_tell.o sim/obj/src/report/pairs_plot.o
sim/collbench-tree: sim/obj/bench/tree_options.o sim/obj/bench/tree_results.o \
	sim/obj/src/report/schedule_json.o sim/obj/src/report/schedule_draw.o

# Every tree's data, and the command lines.
check_PROGRAMS += tests/mpi/trees
tests_mpi_trees_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_trees_SOURCES = tests/mpi/trees.c
tests_mpi_trees_LDADD = libmeasure.la libbase.la
TESTS += tests/mpi/trees.sh
EXTRA_DIST += tests/mpi/trees.sh

figures: figures-tree
figures-tree: sim/collbench-tree
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/sim/figures-tree.sh figures
.PHONY: figures-tree
