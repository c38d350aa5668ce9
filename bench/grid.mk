bin_PROGRAMS += bench/collbench-pairs
bench_collbench_pairs_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_pairs_SOURCES = bench/collbench-pairs.c bench/pairs_tell.c bench/pairs_tell.h
bench_collbench_pairs_LDADD = libbench.la

bin_PROGRAMS += bench/collbench-tree
bench_collbench_tree_CPPFLAGS = $(BENCH_CPPFLAGS)
bench_collbench_tree_SOURCES = bench/collbench-tree.c bench/tree_bench.h bench/tree_options.c \
	bench/tree_results.c
bench_collbench_tree_LDADD = libbench.la
