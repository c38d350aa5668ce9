# Standalone programs: an argument parser and a call into src/measure each.
noinst_LTLIBRARIES += libbench.la
BENCH_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/bench $(MPI_CFLAGS) $(JANSSON_CFLAGS) $(HWLOC_CFLAGS)
libbench_la_CPPFLAGS = $(BENCH_CPPFLAGS)
libbench_la_SOURCES = \
	bench/bench.c bench/bench.h bench/bench_inner.h \
	bench/header.c bench/options.c bench/parse.c bench/program.c bench/program.h \
	bench/progress.c bench/yield.c
libbench_la_LIBADD = libmeasure.la libpicture.la libresults.la libtopology.la libbase.la

bin_PROGRAMS += bench/collbench-bcast bench/collbench-collective bench/collbench-overlap \
	bench/collbench-pairs bench/collbench-scenario bench/collbench-tree

bench_collbench_bcast_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_bcast_SOURCES = \
	bench/collbench-bcast.c bench/bcast_bench.h \
	bench/bcast_options.c bench/bcast_path.c bench/bcast_plots.c bench/bcast_tables.c
bench_collbench_bcast_LDADD = libbench.la

bench_collbench_collective_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_collective_SOURCES = bench/collbench-collective.c bench/collective_bench.h \
	bench/collective_results.c
bench_collbench_collective_LDADD = libbench.la

bench_collbench_overlap_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_overlap_SOURCES = bench/collbench-overlap.c \
	bench/overlap_binding.c bench/overlap_binding.h \
	bench/overlap_grid.c bench/overlap_grid.h \
	bench/overlap_journal.c bench/overlap_journal.h \
	bench/overlap_options.c bench/overlap_options.h
bench_collbench_overlap_LDADD = libbench.la $(HWLOC_LIBS) $(JANSSON_LIBS)

bench_collbench_pairs_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_pairs_SOURCES = bench/collbench-pairs.c bench/pairs_tell.c bench/pairs_tell.h
bench_collbench_pairs_LDADD = libbench.la

bench_collbench_scenario_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_scenario_SOURCES = bench/collbench-scenario.c \
	bench/scenario_file.c bench/scenario_file.h \
	bench/scenario_results.c bench/scenario_results.h
bench_collbench_scenario_LDADD = libbench.la

bench_collbench_tree_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_tree_SOURCES = bench/collbench-tree.c bench/tree_bench.h bench/tree_options.c \
	bench/tree_results.c
bench_collbench_tree_LDADD = libbench.la

# What the layer costs; not installed. `make bench` runs it.
noinst_PROGRAMS += bench/overhead
bench_overhead_CPPFLAGS = $(BENCH_CPPFLAGS) -DMPIEXEC='"$(MPIEXEC)"' \
	-DLAYER='"$(abs_top_builddir)/.libs/libcollprof.so"' \
	-DYIELDING='"$(abs_top_builddir)/.libs/libcollprof-yield.so"'
bench_overhead_SOURCES = bench/overhead.c bench/overhead.h bench/overhead_work.c
bench_overhead_LDADD = libpage.la libresults.la libtopology.la libbase.la $(MPI_LIBS)

.PHONY: bench
bench: all
	bench/overhead
