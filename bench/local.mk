# Standalone programs: an argument parser and a call into src/measure each.
noinst_LTLIBRARIES += libbench.la
BENCH_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/bench $(MPI_CFLAGS) $(JANSSON_CFLAGS) $(HWLOC_CFLAGS)
libbench_la_CPPFLAGS = $(BENCH_CPPFLAGS)
libbench_la_SOURCES = \
	bench/bench.c bench/bench.h bench/bench_inner.h \
	bench/header.c bench/options.c bench/parse.c bench/progress.c bench/yield.c
libbench_la_LIBADD = libmeasure.la libreport.la libtopology.la libbase.la

bin_PROGRAMS += bench/collbench-scenario
bench_collbench_scenario_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_scenario_SOURCES = bench/collbench-scenario.c \
	bench/scenario_file.c bench/scenario_file.h \
	bench/scenario_results.c bench/scenario_results.h
bench_collbench_scenario_LDADD = libbench.la

bin_PROGRAMS += bench/collbench-bcast
bench_collbench_bcast_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_bcast_SOURCES = \
	bench/collbench-bcast.c bench/bcast_bench.h \
	bench/bcast_options.c bench/bcast_path.c bench/bcast_plots.c bench/bcast_tables.c
bench_collbench_bcast_LDADD = libbench.la

include bench/grid.mk
include bench/overhead.mk
include bench/collective.mk
include bench/overlap.mk
