# What the layer costs; not installed. `make bench` runs it.
noinst_PROGRAMS += bench/overhead
bench_overhead_CPPFLAGS = $(BENCH_CPPFLAGS) -DMPIEXEC='"$(MPIEXEC)"' \
	-DLAYER='"$(abs_top_builddir)/.libs/libcollprof.so"' \
	-DYIELDING='"$(abs_top_builddir)/.libs/libcollprof-yield.so"'
bench_overhead_SOURCES = bench/overhead.c bench/overhead.h bench/overhead_work.c
bench_overhead_LDADD = libreport.la libtopology.la libbase.la $(MPI_LIBS)

.PHONY: bench
bench: all
	bench/overhead
