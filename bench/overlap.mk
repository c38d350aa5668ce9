# collbench-overlap.
bin_PROGRAMS += bench/collbench-overlap
bench_collbench_overlap_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_overlap_SOURCES = bench/collbench-overlap.c \
	bench/overlap_binding.c bench/overlap_binding.h \
	bench/overlap_grid.c bench/overlap_grid.h \
	bench/overlap_journal.c bench/overlap_journal.h \
	bench/overlap_options.c bench/overlap_options.h
bench_collbench_overlap_LDADD = libbench.la $(HWLOC_LIBS) $(JANSSON_LIBS)
