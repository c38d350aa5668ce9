# Standalone programs: an argument parser and a call into src/measure each.
noinst_LTLIBRARIES += libbench.la
BENCH_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/bench $(MPI_CFLAGS) $(JANSSON_CFLAGS) $(HWLOC_CFLAGS)
libbench_la_CPPFLAGS = $(BENCH_CPPFLAGS)
libbench_la_SOURCES = bench/bench.h
libbench_la_LIBADD = libmeasure.la libreport.la $(HWLOC_LIBS)
