bin_PROGRAMS += bench/collbench-collective
bench_collbench_collective_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_collective_SOURCES = bench/collbench-collective.c bench/collective_bench.h \
	bench/collective_results.c
bench_collbench_collective_LDADD = libbench.la
