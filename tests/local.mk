# unit/ (Criterion), mpi/ (programs under the launcher), sim/ (the same under SMPI).
AM_TESTS_ENVIRONMENT = \
	srcdir='$(srcdir)'; top_builddir='$(top_builddir)'; MPIEXEC='$(MPIEXEC)'; \
	SMPIRUN='$(SMPIRUN)'; GNUPLOT='$(GNUPLOT)'; MPICC='$(MPICC)'; MPIFC='$(MPIFC)'; \
	bin_programs='$(bin_PROGRAMS)'; \
	export srcdir top_builddir MPIEXEC SMPIRUN GNUPLOT MPICC MPIFC bin_programs;

if HAVE_CRITERION
UNIT_CPPFLAGS = $(AM_CPPFLAGS) $(CRITERION_CFLAGS)
check_PROGRAMS += tests/unit/base
tests_unit_base_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_base_SOURCES = tests/unit/stats.c tests/unit/clock.c tests/unit/histogram.c tests/unit/ledger.c tests/unit/settings.c
tests_unit_base_LDADD = libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/base

check_PROGRAMS += tests/unit/report
tests_unit_report_CPPFLAGS = $(UNIT_CPPFLAGS) $(JANSSON_CFLAGS)
tests_unit_report_SOURCES = tests/unit/document.c tests/unit/plot.c tests/unit/overlap.c tests/unit/overlap_map.c
tests_unit_report_LDADD = libreport.la libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/report

check_PROGRAMS += tests/unit/bench
tests_unit_bench_CPPFLAGS = $(BENCH_CPPFLAGS) $(CRITERION_CFLAGS)
tests_unit_bench_SOURCES = tests/unit/bench_parse.c tests/unit/topology.c \
	tests/unit/scenario.c bench/scenario_file.c
tests_unit_bench_LDADD = libbench.la $(CRITERION_LIBS)
TESTS += tests/unit/bench

check_PROGRAMS += tests/unit/measure
tests_unit_measure_CPPFLAGS = $(UNIT_CPPFLAGS) $(MPI_CFLAGS)
tests_unit_measure_SOURCES = tests/unit/work.c
tests_unit_measure_LDADD = libmeasure.la libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/measure
endif

# The collective operations and what is measured with them.
check_PROGRAMS += tests/mpi/operation
tests_mpi_operation_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_operation_SOURCES = tests/mpi/operation.c
tests_mpi_operation_LDADD = libmeasure.la libbase.la
TESTS += tests/mpi/operation.sh
EXTRA_DIST += tests/mpi/operation.sh

include tests/sim/local.mk

include tests/grid.mk

TESTS += tests/mpi/scenario.sh tests/mpi/overlap.sh
EXTRA_DIST += tests/mpi/scenario.sh tests/sim/scenario.sh tests/mpi/overlap.sh tests/sim/overlap.sh
if HAVE_SMPI
TESTS += tests/sim/scenario.sh
SIM_BINARIES += sim/collbench-scenario
sim/collbench-scenario: sim/obj/bench/scenario_file.o sim/obj/bench/scenario_results.o
TESTS += tests/sim/overlap.sh
SIM_BINARIES += sim/collbench-overlap
sim/collbench-overlap: sim/obj/bench/overlap_binding.o sim/obj/bench/overlap_grid.o \
	sim/obj/bench/overlap_journal.o sim/obj/bench/overlap_options.o sim/obj/src/report/base_round.o \
	sim/obj/src/report/overlap_map.o sim/obj/src/report/overlap_sentence.o
endif

include tests/methods.mk

# collbench-bcast on real MPI.
check_PROGRAMS += tests/mpi/collbench_bcast_check
tests_mpi_collbench_bcast_check_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_mpi_collbench_bcast_check_SOURCES = tests/mpi/collbench_bcast_check.c
tests_mpi_collbench_bcast_check_LDADD = $(JANSSON_LIBS)
TESTS += tests/mpi/collbench-bcast.sh tests/mpi/collbench-bcast-usage.sh \
	tests/mpi/collbench-bcast-truth.sh tests/mpi/collbench-bcast-clocks.sh tests/mpi/yield.sh
EXTRA_DIST += tests/mpi/collbench-bcast.sh tests/mpi/collbench-bcast-usage.sh \
	tests/mpi/collbench-bcast-truth.sh tests/mpi/collbench-bcast-clocks.sh tests/mpi/yield.sh

include tests/mpi/layer.mk

include tests/report.mk
