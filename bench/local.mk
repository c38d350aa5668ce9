# Standalone programs: an argument parser and a call into src/measure each. The library itself is
# linked by unit tests only.
check_LTLIBRARIES += libbench.la
BENCH_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/bench $(MPI_CFLAGS) $(HWLOC_CFLAGS)
libbench_la_CPPFLAGS = $(BENCH_CPPFLAGS)
libbench_la_SOURCES = bench/bench.c bench/sweep.c
libbench_la_LIBADD = libmeasure.la libresults.la libdocument.la libtopology.la libbase.la

# What each program is made of besides libbench: for every MPI (layers/NAME/collbench-...) and for the
# simulator.
BENCHES = bcast collective overlap pairs scenario tree
bcast_FILES = bench/latency.c bench/latency_rules.c bench/latency_tables.c bench/latency_tune.c
collective_FILES = $(bcast_FILES)
overlap_FILES = bench/collbench-overlap.c
pairs_FILES = bench/collbench-pairs.c
scenario_FILES = bench/collbench-scenario.c bench/scenario_file.c
tree_FILES = bench/collbench-tree.c
BENCH_FILES = $(bcast_FILES) $(overlap_FILES) $(pairs_FILES) $(scenario_FILES) $(tree_FILES)
EXTRA_DIST += $(BENCH_FILES)

# What is installed: copies of bench/choose, which executes the program of its own name for the launcher's MPI.
INSTALL_SCRIPT = $(INSTALL_PROGRAM)
noinst_PROGRAMS += bench/choose
bench_choose_SOURCES = bench/choose.c
bench_choose_LDADD = libbase.la
bin_SCRIPTS = $(BENCHES:%=bench/collbench-%)
CLEANFILES += $(bin_SCRIPTS)
$(bin_SCRIPTS): bench/choose
	@cp $< $@.new && mv $@.new $@

# What the layer costs; not installed. `make bench` runs it for every MPI.
OVERHEAD_FILES = bench/overhead.c
EXTRA_DIST += $(OVERHEAD_FILES) tools/overhead.sh
# By a variable, since a rule for the log's own name would replace automake's.
overhead_log = tests/mpi/overhead.sh.log
$(overhead_log): layers/$(FIRST_LAYER)/collbench-overhead
.PHONY: bench
bench: all $(LAYERS:%=layers/%/collbench-overhead)
	@$(foreach mpi,$(LAYERS),$(srcdir)/tools/overhead.sh $(mpi) $($(mpi)_MPIEXEC) || exit 1;)
